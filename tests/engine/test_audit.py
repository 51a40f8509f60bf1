"""The audit finds what is right to be right, and every kind of change to be wrong."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from domain.event import Registry, chained
from domain.hidden import b64u
from domain.match import EVENTS, commands, rules
from domain.whos_the_ass.state import Passed
from services.audit import Receipt, Report, verify
from services.disclosure import bundle
from services.ids import new_id
from services.store.records import StoredEvent
from tests.engine.played import Played, audited, finished, take

replace = msgspec.structs.replace


def failed(report: Report) -> list[str]:
    return [check.code for check in report.checks if check.ok is False]


@pytest.mark.parametrize("seats", range(3, 13))
def test_a_match_that_was_played_is_valid_at_its_end_and_at_every_moment_before(seats: int):
    played = Played({"games": 1}, seats, taste=seats)
    played.reveal(played.seat_all(frozenset({0, 2})))
    while played.state.status == "playing":
        if played.state.version % 7 == 0:
            assert audited(played.events, played.openings).verdict == "VALID"
        played.move()
    report = audited(played.events, played.openings)
    assert report.verdict == "VALID"
    assert [hand.own for hand in report.hands] == [(0, 2)]
    assert [check.code for check in report.checks if not check.ok] == ["receipts"]


def test_resignations_the_clock_and_an_abandoned_match_are_valid():
    played = Played({"games": 2}, 4)
    played.reveal(played.seat_all(frozenset({3})))
    for _ in range(5):
        played.move()
    played.do(take(commands.Resign("player 2", ""), 2))
    for _ in range(10):
        played.move()
    for seat in (0, 1):
        secret = played.keeper.secret(played.state.ended + 1)
        played.do(take(commands.Resign(f"player {seat}", b64u(secret)), seat))
    assert played.state.status == "finished"
    assert played.state.winners == (3,)
    report = audited(played.events, played.openings)
    assert (report.verdict, report.hands[-1].opened) == ("VALID", True)


def test_a_reveal_that_never_comes_is_valid_too():
    played = Played({}, 3)
    seeds = played.seat_all(frozenset({0, 1}))
    played.reveal({0: seeds[0]})
    played.now += rules.REVEAL_MS
    played.do(take(commands.Expire()))
    assert played.state.status == "open"
    assert audited(played.events, played.openings).verdict == "VALID"


def test_a_hidden_value_that_was_not_opened_is_incomplete():
    played = finished()
    for place in range(len(played.openings)):
        openings = played.openings[:place] + played.openings[place + 1 :]
        report = audited(played.events, openings)
        assert (report.verdict, failed(report)) == ("INCOMPLETE", ["complete"])


def test_a_hand_under_way_is_not_missing_and_the_report_says_what_of_it_was_not_checked():
    played = Played({}, 3)
    played.seat_all()
    played.move()
    report = audited(played.events, ())
    assert report.verdict == "VALID"
    assert [(hand.hand, hand.opened) for hand in report.hands] == [(1, False)]
    drawn = next(event.version for event in played.events if event.code in (101, 102))
    for check in report.checks:
        if check.code in ("deals", "moves", "scores", "audiences"):
            assert f"Hand 1 is under way: from event {drawn} on" in check.text
    assert "Hand 1 is under way" in report.limits[0]
    assert any("custody" in limit for limit in report.limits)


def resealed(played: Played, place: int, change: Callable[[dict], None]) -> list[StoredEvent]:
    """The events with one changed and all hashes made good after it, as an operator could do."""
    events, head = list(played.events), played.events[place].prev
    for at in range(place, len(events)):
        envelope = msgspec.json.decode(events[at].data)
        if at == place:
            change(envelope)
        envelope["prev"] = b64u(head)
        data = msgspec.json.encode(envelope, order="sorted")
        events[at] = replace(events[at], data=data, prev=head, hash=chained(data), at=envelope["at"])
        head = events[at].hash
    return events


def test_a_flipped_bit_in_any_event_that_another_follows_is_found():
    played = finished()
    for place in range(len(played.events) - 1):  # the last one has a test of its own
        data = bytearray(played.events[place].data)
        data[(place * 37) % len(data)] ^= 1 << (place % 8)
        events = list(played.events)
        events[place] = replace(events[place], data=bytes(data))
        assert audited(events, played.openings).verdict == "INVALID", place


def test_a_dropped_doubled_or_swapped_event_is_found():
    played = finished()
    for place in range(len(played.events) - 1):
        before, event, after = played.events[:place], played.events[place], played.events[place + 1 :]
        for tampered in ([*before, *after], [*before, event, event, *after], [*before, after[0], event, *after[1:]]):
            assert audited(tampered, played.openings).verdict == "INVALID", place


def test_an_event_that_was_changed_and_resealed_is_found():
    played = finished()
    found = 0
    for place, event in enumerate(played.events):
        body = msgspec.json.decode(event.data)["body"]
        for name, value in body.items():
            wrong: Any
            match value:
                case bool():
                    continue
                case int():
                    wrong = value + 1
                case [int() as first, *others]:
                    wrong = [first + 1, *others]
                case [str() as first, *others]:
                    wrong = [first + first, *others]
                case _:
                    continue

            def change(envelope: dict, name=name, wrong=wrong) -> None:
                envelope["body"][name] = wrong

            tampered = resealed(played, place, change)
            report = audited(tampered, played.openings)
            assert report.verdict == "INVALID", (event.version, name)
            found += 1
    print(f"{found} resealed changes found")
    assert found > 100


def test_a_last_event_that_was_changed_is_held_by_its_head_alone_and_so_by_receipts():
    played = finished()
    receipt = Receipt(len(played.events), b64u(played.head))
    later = resealed(played, len(played.events) - 1, lambda envelope: envelope.update(at=envelope["at"] + 1000))
    assert verify(bundle(later, played.openings, "all", 0)).verdict == "VALID"
    assert verify(bundle(later, played.openings, "all", 0), [receipt]).verdict == "DIVERGED"


def test_a_backdated_event_is_found():
    played = finished()
    place = len(played.events) // 2

    def backdate(envelope: dict) -> None:
        envelope["at"] -= 1_000

    assert audited(resealed(played, place, backdate), played.openings).verdict == "INVALID"


def test_an_opening_with_another_value_or_salt_is_found():
    played = finished()
    for place, entry in enumerate(played.openings):
        for changed in (
            replace(entry.opening, value=entry.opening.value.replace(b"1", b"2", 1) + b" "),
            replace(entry.opening, salt=hashlib.sha256(entry.opening.salt).digest()[:16]),
            replace(entry.opening, to=(*entry.opening.to, 2)),
            replace(entry.opening, path="hands.0"),
        ):
            if changed == entry.opening:
                continue
            openings = [*played.openings[:place], replace(entry, opening=changed), *played.openings[place + 1 :]]
            assert audited(played.events, openings).verdict == "INVALID", (place, changed)


def test_a_record_from_before_an_upcast_is_as_valid_as_it_was(monkeypatch: pytest.MonkeyPatch):
    played = finished()
    types = [
        replace(entry, schema=2, upcasts={1: lambda body: body}) if entry.cls is Passed else entry
        for entry in EVENTS.types
    ]
    monkeypatch.setattr("services.audit.record.EVENTS", Registry(types))
    assert audited(played.events, played.openings).verdict == "VALID"


def ruled(played: Played) -> Played:
    """With a dispute and two rulings on it after the end: a hand voided, and an appeal that adjusts."""
    case, version = new_id(), played.state.version
    played.do(take(commands.OpenDispute("player 1", case, 5, version), 1))
    told: dict[str, Any] = {"player": "judge", "arbiter": True, "dispute": case}
    played.do(take(commands.Rule(**told, ruling="void_hand", reason="Rosszul osztottak.", hand=1)))
    points: dict[str, Any] = {"points": (0, 3, 0), "clause": "match 4.4"}
    played.do(take(commands.Rule(**told, ruling="adjust", reason="on appeal", after=1, **points)))
    return played


def test_disputes_and_rulings_are_valid_after_the_end_and_in_a_running_match():
    played = ruled(finished())
    report = audited(played.events, played.openings)
    assert report.verdict == "VALID", report.checks
    running = Played({"games": 2}, 3)
    running.seat_all()
    while running.state.ended == 0:
        running.move()
    for _ in range(3):
        running.move()
    ruled(running).play_out()
    report = audited(running.events, running.openings)
    assert report.verdict == "VALID", report.checks


def test_a_ruling_that_was_changed_dropped_or_made_by_a_player_is_found():
    played = ruled(finished())
    first = next(place for place, event in enumerate(played.events) if event.code == 14)
    wrong: dict[str, Any] = {
        "seat": 2, "first": 10**6, "last": 10**6, "dispute": "another", "number": 9, "ruling": "upheld",
        "arbiter": "player 1", "hand": 2, "points": [9, 9, 9], "totals": [9, 9, 9], "winners": [2], "reason": "",
        "clause": "nowhere", "named": [0],
    }  # fmt: skip
    found = 0
    for place in range(first, len(played.events)):
        for name, value in msgspec.json.decode(played.events[place].data)["body"].items():
            if value == wrong[name]:
                continue

            def change(envelope: dict, name=name) -> None:
                envelope["body"][name] = wrong[name]

            report = audited(resealed(played, place, change), played.openings)
            assert report.verdict == "INVALID", (place, name)
            found += 1
        by_another = resealed(played, place, lambda envelope: envelope.update(seat=0))
        assert audited(by_another, played.openings).verdict == "INVALID", place
        without = [*played.events[:place], *played.events[place + 1 :]]
        if place < len(played.events) - 1:
            assert audited(without, played.openings).verdict == "INVALID", place
    print(f"{found} changed rulings found")
    assert found > 20
