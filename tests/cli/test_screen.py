"""What a step of a replay looks like, whatever the game."""

from typing import Any

import pytest
from rich.console import Console, RenderableType

from services.cli.screen import card, columns, page, screen, shown
from services.cli.source import Index, Step

NAMES = ("Arno", "Babs", "")


def step(view: dict[str, Any], **changes: Any) -> Step:
    seats = [{"player": "p0"}, {"player": "p1", "resigned": True}, {"player": ""}]
    table = {
        "game": "any",
        "hand": 2,
        "status": "playing",
        "seats": seats,
        "to_act": [1],
        "scores": [7, 8, 9],
        "table": view,
    }
    return Step(version=5, event={}, table=table | changes, text="Babs plays.")


def text_of(picture: RenderableType, width: int = 110, height: int = 25) -> str:
    console = Console(width=width, height=height, color_system=None)
    with console.capture() as captured:
        console.print(picture)
    return captured.get()


def test_lists_with_an_entry_for_each_seat_are_columns_and_the_rest_are_facts():
    view = {"hands": [["10", "J"], ["ASS"], []], "hand_sizes": [2, 1, 0], "hand": None, "round": 3, "totals": [7, 8, 9]}
    assert columns(step(view), "all") == {"hands": view["hands"], "hand_sizes": view["hand_sizes"]}
    printed = text_of(page(step(view), NAMES, "all"))
    assert "10 joker" in printed
    assert "hand sizes" in printed
    assert "round 3" in printed


def test_entries_that_name_their_seat_are_shown_beside_it():
    view = {"turns": [{"seat": 2, "cards": ["13", "13"], "passed": False}, {"seat": 0, "cards": [], "passed": True}]}
    found = columns(step(view), "public")["turns"]
    assert found == [[{"cards": [], "passed": True}], [], [{"cards": ["13", "13"], "passed": False}]]


def test_the_own_hand_is_shown_at_the_seat_that_looks_and_never_taken_for_one_of_three_seats():
    view = {"hand": ["1", "2", "3"]}
    assert columns(step(view), "1") == {"hand": [None, ["1", "2", "3"], None]}
    assert columns(step(view), "public") == {}


def test_what_each_seat_has_in_its_bank_stands_beside_it():
    seats = [{"seat": seat, "bank_ms": bank} for seat, bank in enumerate((305_900, 59_999, 0))]
    clock = {"turn_seconds": 5, "bank_seconds": 306, "deadline": None, "seats": seats}
    first, second, third = text_of(page(step({}, clock=clock), NAMES, "public")).splitlines()[2:5]
    assert ("5:05" in first, "0:59" in second, "0:00" in third) == (True, True, True)
    for none in (None, clock | {"bank_seconds": 0}, clock | {"bank_seconds": None}):
        assert "bank" not in text_of(page(step({}, clock=none), NAMES, "public"))


def test_who_is_due_who_resigned_and_who_is_missing_can_be_seen():
    printed = text_of(page(step({}), NAMES, "public"))
    [due] = [line for line in printed.splitlines() if "▶" in line]
    assert "Babs resigned" in due
    assert "(free)" in printed


def test_cards_of_every_pack_have_a_face():
    faces = [card(name).plain for name in ("10H", "AS", "QD", "2C", "13", "J", "ASS")]
    assert faces == ["10♥", "A♠", "Q♦", "2♣", "13", "joker", "ASS"]


def test_values_of_every_shape_can_be_shown():
    shapes = [
        None,
        [],
        True,
        ["KS", "2H"],
        [["1"], []],
        {"seat": 1, "value": 14, "passed": False, "last": True},
        "AS",
        7,
        "text",
    ]
    assert [shown(value).plain for value in shapes] == [
        "-", "-", "yes", "K♠ 2♥", "1 · -", "seat 1, value 14, last", "A♠", "7", "text",
    ]  # fmt: skip


def test_the_whole_screen_says_where_one_is():
    printed = text_of(screen("some-match", Index(9, (), ()), step({"round": 1}), NAMES, "all", "playing, 2 a second"))
    for part in ("some-match", "event 5 of 9", "hand 2", "all cards", "playing, 2 a second", "Babs plays.", "q quit"):
        assert part in printed


def test_a_seat_that_is_seat_0_is_a_fact_like_any_other():
    view = {"dealer": 0, "starter": 0, "last_round": {"seat": 0, "value": 13, "ass": False}, "ass_round": False}
    printed = text_of(page(step(view), NAMES, "all"))
    assert "dealer 0   starter 0   last round seat 0, value 13" in printed
    assert "ass round" not in printed


KEYS = ("→ ← event", "] [ hand", "m M mark", "Home End", "a play", "+ - speed", "s seat", "q quit")


@pytest.mark.parametrize("sentence", ["Babs plays.", "Babs plays this and that. " * 60])
@pytest.mark.parametrize("hand", [5, 30])
def test_twelve_seats_in_a_terminal_of_80_by_24_leave_room_for_the_sentence_and_the_keys(sentence: str, hand: int):
    seats = [{"player": f"p{seat}"} for seat in range(12)]
    view = {"hands": [["10"] * hand] * 12, "hand_sizes": [hand] * 12, "dealer": 0, "discarded": 7}
    shown_step = Step(5, {}, step(view, seats=seats, scores=[100] * 12).table, sentence)
    names = [f"Player {seat}" for seat in range(12)]
    lines = text_of(screen("m" * 36, Index(9, (), ()), shown_step, names, "all", "playing, 2 a second"), 80, 24)
    printed = lines.splitlines()
    assert len(printed) == 24
    assert max(map(len, printed)) <= 80
    assert "event 5 of 9" in lines
    assert "Babs plays" in lines
    assert printed[-1].split("  ") == [" →" + KEYS[0][1:], *KEYS[1:]]
    assert ("more lines in a higher window" in lines) == (hand == 30 or len(sentence) > 20)


@pytest.mark.parametrize(("width", "height"), [(20, 10), (40, 12), (60, 24), (80, 5), (200, 60)])
def test_in_a_terminal_of_any_size_every_key_is_on_the_screen(width: int, height: int):
    printed = text_of(screen("match", Index(9, (), ()), step({"round": 1}), NAMES, "all", ""), width, height)
    for key in KEYS:
        assert key in printed
    assert len(printed.splitlines()) == height
