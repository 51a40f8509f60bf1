"""A short, seeded form of some scenarios of ``make faults``, and the checker itself: that it sees what it must."""

import copy
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from domain.hidden import b64u
from projections.registry import PROJECTIONS
from tests.faults import checker, record
from tests.faults.catalogue import SCENARIOS
from tests.faults.checker import Counts
from tests.faults.journal import Answer, Frame, Journal
from tests.faults.load import Load
from tests.faults.record import Record
from tests.faults.trial import run
from tests.faults.world import World

SEED = 7

Played = tuple[Record, Journal]


@pytest.mark.parametrize("name", ["F1", "F3", "F4", "F26"])
async def test_nothing_is_lost_doubled_or_leaked_while(name: str):
    result = await run(SCENARIOS[name], SEED, full=False)
    complaints = [text for text in result.counts.complaints if not text.startswith("I8")]  # no test asserts a time
    assert complaints == []
    assert not result.not_run
    assert result.counts.acknowledged > 50
    assert result.counts.frames > result.counts.acknowledged


@pytest.fixture(scope="module")
async def recorded() -> AsyncIterator[Played]:
    """A little play at every table without any fault, and what the database has of it, read models and all."""
    async with World(1) as world:
        async with Load(world, SEED, tables=3) as load:
            await load.until(60)
            while len(moved(load.journal)) < 3:
                await load.until(1)
            await load.stop()
        await checker._projected(world, Counts())
        yield await record.read(world.database_url), load.journal


def moved(journal: Journal) -> set[str]:
    """The matches in which a move was made."""
    moves = (command for command in journal.commands if command.kind == "move" and command.acknowledged)
    return {command.answers[0].body["match"] for command in moves}


@pytest.fixture
def played(recorded: Played) -> Played:
    """A copy to be tampered with."""
    return copy.deepcopy(recorded)


def judged(played: Played) -> Counts:
    found, journal = played
    counts = Counts()
    checker.check_commands(found, journal, counts)
    checker.check_order(found, counts)
    checker.check_told(found, journal, counts)
    checker.check_feeds(found, journal, counts)
    checker.check_rows(found, counts)
    return counts


def of(invariant: str, counts: Counts) -> list[str]:
    return [text for text in counts.complaints if text.startswith(invariant)]


def some_match(found: Record, journal: Journal) -> str:
    """A match of which feeds have seen every event."""
    return next(
        feed.match for feed in journal.feeds if feed.frames and feed.frames[-1].id == len(found.events[feed.match])
    )


def test_honest_play_has_no_complaints(played: Played):
    counts = judged(played)
    assert counts.complaints == []
    assert counts.acknowledged >= 60
    assert counts.told > 0
    assert counts.frames > 0


def test_an_acknowledged_command_that_is_not_stored_is_lost(played: Played):
    found, journal = played
    command = next(command for command in journal.commands if command.kind == "move" and command.acknowledged)
    told = command.answers[0].body
    del found.events[told["match"]][told["version"] - 1]
    counts = judged(played)
    assert counts.lost == 1
    assert counts.holes >= 1


def test_whichever_event_is_missing_it_is_a_hole(played: Played):
    found, _ = played
    for events in found.events.values():
        for place in range(0, len(events), 1 + len(events) // 8):
            event = events.pop(place)
            assert judged(played).holes >= 1
            events.insert(place, event)


def test_a_command_that_was_done_twice_is_doubled(played: Played):
    found, journal = played
    match = some_match(found, journal)
    events = found.events[match]
    events.append(msgspec.structs.replace(events[1], version=len(events) + 1))
    counts = judged(played)
    assert counts.doubled == 1
    assert of("I3", counts)


def test_a_refusal_of_what_is_stored_is_a_loss(played: Played):
    _, journal = played
    command = next(command for command in journal.commands if command.kind == "move" and command.acknowledged)
    command.answers[:] = [Answer(409, {"type": "/problems/out-of-turn"}, 0, 0.0)]
    assert judged(played).lost == 1


def test_two_answers_to_one_key_are_seen(played: Played):
    _, journal = played
    command = next(command for command in journal.commands if command.acknowledged)
    other = command.answers[0].body | {"version": command.answers[0].body["version"] + 1}
    command.answers.append(Answer(200, other, 0, 0.0))
    assert of("I3", judged(played))


def test_a_hole_in_positions_is_seen(played: Played):
    found, _ = played
    shard = next(shard for shard, head in found.heads.items() if head)
    found.heads[shard] += 1
    assert judged(played).holes == 1


def test_a_time_that_goes_back_is_seen(played: Played):
    found, journal = played
    events = found.events[some_match(found, journal)]
    events[-1] = msgspec.structs.replace(events[-1], at=events[0].at - 1)
    assert of("I2", judged(played))


@pytest.mark.parametrize("key", ["scores", "to_act", "head", "table"])
def test_a_table_that_was_told_wrong_is_seen(played: Played, key: str):
    _, journal = played
    told = next(told for told in journal.told if told.what == "table")
    told.body[key] = ["something else"]
    assert of("I5", judged(played))


def test_legal_moves_that_were_told_wrong_are_seen(played: Played):
    _, journal = played
    told = next(told for told in journal.told if told.what == "moves" and told.body["moves"])
    told.body["moves"].pop()
    assert of("I5", judged(played))


@pytest.mark.parametrize("name", PROJECTIONS)
def test_a_row_of_a_read_model_that_is_not_its_fold_is_seen(played: Played, name: str):
    found, journal = played
    rows = found.rows[name]
    match = some_match(found, journal)
    rows[match] = next(row for other, row in rows.items() if other != match)
    assert len(of("I6", judged(played))) == 1


@pytest.mark.parametrize("change", ["missing", "repeated", "swapped"])
def test_a_feed_with_a_hole_a_repeat_or_another_order_is_seen(played: Played, change: str):
    _, journal = played
    frames = next(feed.frames for feed in journal.feeds if len(feed.frames) > 5)
    match change:
        case "missing":
            del frames[2]
        case "repeated":
            frames.insert(2, frames[2])
        case _:
            frames[2], frames[3] = frames[3], frames[2]
    assert judged(played).holes == 1


def test_a_card_that_is_shown_to_whom_it_is_not_for_is_a_leak(played: Played):
    found, journal = played
    feed, place, path, entry = secret_of_another(found, journal)
    frame = feed.frames[place]
    field: Any = frame.body["body"]
    for step in path.split("."):
        field = field[int(step)] if isinstance(field, list) else field[step]
    assert "value" not in field
    field["salt"], field["value"] = b64u(entry.salt), msgspec.json.decode(entry.value)
    feed.frames[place] = Frame(frame.id, frame.type, frame.body, found.committed[feed.match][frame.id])
    assert judged(played).leaked == 1


def secret_of_another(found: Record, journal: Journal) -> Any:
    """A frame of a spectator with a hidden field that was not open yet."""
    for feed in journal.feeds:
        for place, frame in enumerate(feed.frames):
            for stored in found.openings[feed.match]:
                shown = dict(checker._opened(frame.body["body"], ""))
                if feed.seat is None and stored.version == frame.id and stored.opening.path not in shown:
                    return feed, place, stored.opening.path, stored.opening
    raise AssertionError("nothing was hidden from anybody")


def test_a_card_that_its_own_seat_was_not_shown_is_seen(played: Played):
    _, journal = played
    feed = next(feed for feed in journal.feeds if feed.seat is not None and any(own_fields(feed)))
    for field in own_fields(feed):
        field.pop("salt"), field.pop("value")
    assert of("I7", judged(played))


def own_fields(feed: Any) -> list[dict[str, Any]]:
    """The opened fields in the first frame of a feed that has any."""

    def within(value: Any) -> list[dict[str, Any]]:
        match value:
            case {"salt": _, "value": _}:
                return [value]
            case dict():
                return [field for item in value.values() for field in within(item)]
            case list():
                return [field for item in value for field in within(item)]
            case _:
                return []

    return next((fields for frame in feed.frames if (fields := within(frame.body["body"]))), [])
