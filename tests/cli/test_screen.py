"""What a step of a replay looks like, whatever the game."""

from typing import Any

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


def text_of(picture: RenderableType) -> str:
    console = Console(width=110, color_system=None)
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
