"""The verifier finds every kind of change, says which check it is found by, and answers whatever it is given."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.event import chained
from domain.games import GAMES
from domain.hidden import b64u, digest_of, unb64u
from domain.match import commands
from services.audit import Receipt, Report, verify
from services.audit.report import HELD
from services.disclosure import bundle
from tests.engine.played import Played, take

Json = dict[str, Any]
SHORT = {
    "whos-the-ass": {"games": 2},
    "spades-two": {"target": 100, "max_hands": 2},
    "osel-fours": {"target": 2, "wins_needed": 2, "max_hands": 3},
}


@cache
def played(game: str) -> bytes:
    """The bundle of a match that is over, played at random; one seat brought a seed of its own."""
    match = Played(SHORT.get(game, {}), GAMES[game].seats[0], game=game, taste=7)
    match.reveal(match.seat_all(frozenset({1})))
    match.play_out()
    return bundle(match.events, match.openings, "public", match.state.opened)


def opened(game: str) -> Json:
    return dict(msgspec.json.decode(played(game)))


def verdict(said: Json, *receipts: Receipt) -> tuple[str, set[str]]:
    """The verdict, and the codes of the checks that failed."""
    report = verify(msgspec.json.encode(said), receipts)
    return report.verdict, failed(report)


def failed(report: Report) -> set[str]:
    return {check.code for check in report.checks if check.ok is False}


def resealed(said: Json, change: Callable[[list[Json]], object]) -> Json:
    """The bundle with its events changed and everything made good after it, as an operator could do."""
    events = [msgspec.json.decode(text) for text in said["events"]]
    change(events)
    head, texts = "", []
    for version, event in enumerate(events, 1):
        event |= {"prev": head, "version": version}
        data = msgspec.json.encode(event, order="sorted")
        texts.append(data.decode())
        head = b64u(chained(data))
    bodies = [event["body"] for event in events if isinstance(event["body"], dict)]
    keys = [{"hand": body["hand"], "secret": body["secret"]} for body in bodies if body.get("secret") and body["hand"]]
    return said | {"events": texts, "versions": len(texts), "head": head, "keys": keys}


def of_type(events: list[Json], *names: str) -> Json:
    return next(event for event in events if event["type"] in names)


every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_a_match_that_was_played_by_the_rules_is_valid(game: str):
    report = verify(played(game))
    assert report.verdict == "VALID", report
    assert [check.code for check in report.checks] == list(HELD)
    assert [check.ok for check in report.checks] == [True] * (len(HELD) - 1) + [None]
    assert all(hand.own == (1,) and hand.opened for hand in report.hands)
    assert not any("custody" in limit for limit in report.limits)


@every_game
def test_a_record_is_valid_at_every_moment_between_two_commands(game: str):
    said = opened(game)
    commands = [msgspec.json.decode(text)["cmd"] for text in said["events"]]
    for length in {*range(1, len(commands), len(commands) // 12), *range(len(commands) - 5, len(commands))}:
        openings = [entry for entry in said["openings"] if entry["version"] <= length]
        found, codes = verdict(resealed(said | {"openings": openings, "events": said["events"][:length]}, list))
        if commands[length - 1] != commands[length]:
            assert (found, codes) == ("VALID", set()), length


@every_game
def test_another_order_of_a_hidden_list_is_found_as_a_deal_that_does_not_follow(game: str):
    said = opened(game)
    # given an operator who moves two cards of a deal, with salts, digests and chain made good
    place = next(
        place
        for place, entry in enumerate(said["openings"])
        if isinstance(value := msgspec.json.decode(entry["value"]), list) and len(set(value)) > 1
    )
    entry = said["openings"][place]
    value = msgspec.json.decode(entry["value"])
    other = [value[1], value[0], *value[2:]] if value[0] != value[1] else [value[-1], *value[1:-1], value[0]]
    text = msgspec.json.encode(other).decode()

    def move(events: list[Json]) -> None:
        field: Any = events[entry["version"] - 1]["body"]
        for step in entry["path"].split("."):
            field = field[int(step) if isinstance(field, list) else step]
        field["digest"] = digest_of(unb64u(entry["salt"]), text.encode())

    openings = [*said["openings"]]
    openings[place] = entry | {"value": text}
    assert verdict(resealed(said | {"openings": openings}, move))[0] == "INVALID"
    assert "deals" in verdict(resealed(said | {"openings": openings}, move))[1]


def change_points(events: list[Json]) -> None:
    body = of_type(events, "HandEnded")["body"]
    body["points"][0] += 1
    body["totals"][0] += 1


def show_another_seat(events: list[Json]) -> None:
    event = next(event for event in events if '"to":[0]' in msgspec.json.encode(event).decode())
    text = msgspec.json.encode(event["body"]).decode().replace('"to":[0]', '"to":[0,1]', 1)
    event["body"] = msgspec.json.decode(text)


def reuse_a_seed(events: list[Json]) -> None:
    first, second = (event for event in events[:12] if event["type"] == "SeatTaken" and event["body"]["seat"] < 2)
    second["body"]["commitment"] = first["body"]["commitment"]


def swap_secret(events: list[Json]) -> None:
    of_type(events, "HandEnded")["body"]["secret"] = of_type(events, "MatchOpened")["body"]["anchor"]


def no_secret(events: list[Json]) -> None:
    of_type(events, "HandEnded")["body"]["secret"] = ""


def backdate(events: list[Json]) -> None:
    events[-1]["at"] -= 100_000


def another_command(events: list[Json]) -> None:
    place = next(place for place, event in enumerate(events) if event["type"] == "HandScored")
    events[place]["cmd"] = events[0]["cmd"]


def another_player(events: list[Json]) -> None:
    of_type(events, "SeedRevealed")["body"]["custody"] = "own"


def a_word_too_many(events: list[Json]) -> None:
    events[-1]["body"]["note"] = 1


def another_winner(events: list[Json]) -> None:
    events[-1]["body"]["winners"] = [1 - seat if seat < 2 else 0 for seat in events[-1]["body"]["winners"]]


@every_game
@pytest.mark.parametrize(
    ("change", "expected", "code"),
    [
        (change_points, "INVALID", "scores"),
        (another_winner, "INVALID", "scores"),
        (show_another_seat, "INVALID", "audiences"),
        (reuse_a_seed, "INVALID", "seeds"),
        (swap_secret, "INVALID", "seeds"),
        (no_secret, "INCOMPLETE", "complete"),
        (backdate, "INVALID", "chain"),
        (another_command, "INVALID", "moves"),
        (another_player, "INVALID", "seeds"),
        (a_word_too_many, "INVALID", "bytes"),
        (lambda events: events.pop(-2), "INVALID", "moves"),
        (lambda events: events.insert(5, events[4]), "INVALID", "moves"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_change_that_is_made_good_by_hashes_is_found_by_its_check(
    game: str, change: Callable[[list[Json]], object], expected: str, code: str
):
    said, codes = verdict(resealed(opened(game), change))
    assert said == expected
    assert code in codes, codes


def test_a_hand_that_its_deal_ends_at_once_is_incomplete_without_its_secret_too():
    # given a match of fours whose first hand was over with the deal: one in eight is
    for _ in range(400):
        played.cache_clear()
        said = opened("osel-fours")
        types = [msgspec.json.decode(text)["type"] for text in said["events"]]
        if types[types.index("CardsDealt") + 1] == "HandScored":
            break
    else:
        pytest.fail("no hand was over with the deal")
    # when its secret is kept back
    # then nothing is wrong with what can be seen
    assert verdict(resealed(said, no_secret)) == ("INCOMPLETE", {"complete"})


@every_game
def test_what_the_bundle_says_beside_its_events_is_compared_with_them(game: str):
    said = opened(game)
    other = next(name for name in GAMES if name != game)
    for name, value in {
        "match": "another",
        "game": other,
        "seats": said["seats"] + 1,
        "options": {},
        "versions": 1,
        "head": said["events"][-1][-10:],
        "keys": [],
        "rulebooks": [],
        "format": "kibitz-bundle/2",
        "note": 1,
    }.items():
        assert verdict(said | {name: value})[0] == "INVALID", name
        assert "bundle" in verdict(said | {name: value})[1], name


def test_of_other_rule_books_the_moves_are_not_judged():
    said = opened("osel-fours")
    report = verify(
        msgspec.json.encode(said | {"rulebooks": [said["rulebooks"][0], said["rulebooks"][1] | {"sha256": "x"}]})
    )
    assert report.verdict == "INCOMPLETE"
    assert [check.code for check in report.checks if check.ok is None] == ["moves", "receipts"]


@every_game
def test_openings_that_are_forged_doubled_misplaced_or_missing_are_found(game: str):
    said = opened(game)
    first, *others = said["openings"]
    for wrong in (
        [first, first, *others],
        [first | {"path": "nowhere"}, *others],
        [first | {"path": "hands.-1"}, *others],
        [first | {"version": 10_000}, *others],
        [first | {"to": [*first["to"], 1]}, *others],
        [first | {"salt": others[0]["salt"]}, *others],
        [first | {"value": first["value"] + " "}, *others],
    ):
        assert verdict(said | {"openings": wrong})[0] == "INVALID"
        assert "openings" in verdict(said | {"openings": wrong})[1]
    # a hand that is over can be dealt again from its secret, but what was promised to be opened has to be
    assert verdict(said | {"openings": others}) == ("INCOMPLETE", {"complete"})


@every_game
def test_later_hands_are_still_judged_after_one_that_was_not_by_the_rules(game: str):
    said = opened(game)
    if len(said["keys"]) < 2:
        pytest.skip("one hand only")

    def change(events: list[Json]) -> None:
        change_points(events)
        ends = [event for event in events if event["type"] == "HandEnded"]
        ends[-1]["body"]["points"][0] += 1

    report = verify(msgspec.json.encode(resealed(said, change)))
    (scores,) = (check for check in report.checks if check.code == "scores")
    assert scores.ok is False
    assert "more" in scores.text


def test_receipts_that_contradict_are_diverged_and_those_of_other_matches_are_passed_over():
    said = opened("osel-fours")
    right = Receipt(said["versions"], said["head"])
    assert verdict(said, right) == ("VALID", set())
    assert verdict(said, right, Receipt(3, "else", match="another")) == ("VALID", set())
    assert verdict(said, right, Receipt(3, said["head"])) == ("DIVERGED", {"receipts"})
    assert verdict(said, Receipt(said["versions"] + 1, said["head"])) == ("DIVERGED", {"receipts"})
    assert verdict(said | {"head": "x"}, Receipt(3, said["head"]))[0] == "INVALID"


@every_game
def test_random_bit_flips_are_found(game: str):
    said, chance, count = opened(game), random.Random(game), 30
    for _ in range(count):
        place = chance.randrange(len(said["events"]))
        data = bytearray(said["events"][place].encode())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(7)
        events = [*said["events"]]
        events[place] = data.decode()
        assert verdict(said | {"events": events})[0] == "INVALID", (place, events[place])
    print(f"{game}: {count} flips found")


# --- whatever it is given ---


def test_a_request_to_open_ten_million_seats_is_refused_at_once():
    played_ = Played({"games": 1}, 3)
    said = msgspec.json.decode(bundle(played_.events, (), "public", 0))
    huge = resealed(said | {"seats": 10**7}, lambda events: events[0]["body"].update(seats=10**7))
    assert verdict(huge) == ("INVALID", {"moves"})


@given(st.binary(max_size=300))
def test_any_bytes_are_answered(data: bytes):
    assert verify(data).verdict == "INVALID"


def test_a_refusal_that_was_saved_in_the_place_of_a_bundle_is_told_as_it_was_said():
    # given what `curl ... > bundle.json` keeps where there is no such match
    said = rb'{"type":"/problems/not-found","title":"There is no such thing","status":404,"detail":"none\u001b[1m"}'
    # then the file is named for what it is, in letters that a terminal only prints
    first = verify(said).checks[0]
    assert (first.code, first.ok) == ("bundle", False)
    assert first.text == "This is not a bundle but a refusal to give one (404): none[1m."


@pytest.mark.parametrize("data", [b"", b"null", b"[" * 100_000, b"{}", b'{"format":"kibitz-bundle/1"}', b"\xff\xfe"])
def test_what_is_no_bundle_is_invalid_and_nothing_else_is_said(data: bytes):
    report = verify(data)
    assert report.verdict == "INVALID"
    assert {check.code: check.ok for check in report.checks} == dict.fromkeys(HELD) | {"bundle": False}


WRONG: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


BOOLEANS: st.SearchStrategy[Any] = st.booleans()


def inside(value: Any, data: st.DataObject) -> Any:
    """``value`` with something in it replaced by something else."""
    match value:
        case dict() if value and data.draw(BOOLEANS):
            name = data.draw(st.sampled_from(sorted(value)))
            return value | {name: inside(value[name], data)}
        case list() if value and data.draw(BOOLEANS):
            place = data.draw(st.integers(0, len(value) - 1))
            return [*value[:place], inside(value[place], data), *value[place + 1 :]]
        case int():
            return data.draw(st.sampled_from([0, -1, value + 1, 2**31, 10**9]) | WRONG)
        case _:
            return data.draw(WRONG)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_change_of_a_bundle_is_answered_and_none_passes_as_valid(data: st.DataObject):
    game = data.draw(st.sampled_from(["whos-the-ass", "spades-two", "osel-fours", "osel-two-against-one"]))
    said = opened(game)
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(said["events"]) - 1))
        body = inside(msgspec.json.decode(said["events"][place])["body"], data)
        changed = resealed(said, lambda events: events[place].update(body=body))
    else:
        changed = inside(said, data)
    report = verify(msgspec.json.encode(changed))
    assert report.verdict != "VALID" or changed == said


@given(st.lists(st.tuples(st.integers(), st.text(max_size=50)), max_size=4))
def test_any_receipts_are_answered(receipts: list[tuple[int, str]]):
    found = verify(played("osel-fours"), [Receipt(*receipt) for receipt in receipts])
    assert found.verdict in ("VALID", "DIVERGED")


def test_who_resigns_and_what_the_house_plays_is_judged():
    match = Played({"games": 2}, 4)
    match.reveal(match.seat_all(frozenset({3})))
    match.do(take(commands.Resign("player 2", ""), 2))
    for _ in range(10):
        match.move()
    data = bundle(match.events, match.openings, "all", 0)
    assert verify(data).verdict == "VALID"
    said = msgspec.json.decode(data)
    assert "moves" in verdict(resealed(said, lambda events: events.remove(of_type(events, "SeatResigned"))))[1]
