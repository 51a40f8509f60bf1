"""Appending and reading: what was accepted is there, what was not is not."""

import asyncio

import asyncpg
import pytest

from domain.event import chained
from domain.hidden import Opening
from services.ids import SHARDS, new_id, shard_of
from services.store.records import Append, Appended, Conflict, NewEvent, StoredEvent, StoredOpening
from services.store.store import Store
from tests.store.matches import AT, command, everything, following, match_in


async def test_what_is_appended_is_read_as_it_was_written(store: Store):
    match = new_id()
    first = command(match, count=2)
    second = following(first)

    answers = [await store.append(first), await store.append(second)]

    assert answers == [Appended(2, 2), Appended(3, 3)]
    written = [(first.cmd, event) for event in first.events] + [(second.cmd, event) for event in second.events]
    assert await store.events(match) == [
        StoredEvent(shard_of(match), k, match, k, 101, 1, cmd, AT, event.data, event.prev, event.hash)
        for k, (cmd, event) in enumerate(written, 1)
    ]
    assert await store.head(match) == (3, second.events[-1].hash)


async def test_events_are_read_from_a_version_on_and_up_to_a_limit(store: Store):
    match = new_id()
    await store.append(command(match, count=5))

    assert [event.version for event in await store.events(match, after=2)] == [3, 4, 5]
    assert [event.version for event in await store.events(match, after=1, limit=2)] == [2, 3]


async def test_an_unknown_match_has_no_events_no_openings_and_no_head(store: Store):
    match = new_id()

    assert await store.events(match) == []
    assert await store.openings(match) == []
    assert await store.head(match) is None


async def test_openings_come_back_with_their_version_and_hand(store: Store):
    match = new_id()
    hands = (
        Opening("hands.0", (0,), b"s" * 16, b'["8C"]'),
        Opening("hands.1", (1,), b"t" * 16, b'["8D"]'),
        Opening("talon", (), b"u" * 16, b"[]"),
        Opening("tip", (0, 1, 2), b"v" * 16, b'"9C"'),
    )
    dealt = command(match, openings=hands)
    await store.append(dealt)
    await store.append(following(dealt))

    assert await store.openings(match) == [StoredOpening(1, 1, opening) for opening in hands]
    assert await store.openings(match, after=1) == []
    assert await store.openings(match, until=0) == []


async def test_openings_of_a_refused_command_are_not_kept(store: Store):
    match = new_id()
    await store.append(command(match))

    answer = await store.append(command(match, openings=(Opening("hand", (0,), b"s" * 16, b"[]"),)))

    assert answer == Conflict(1)
    assert await store.openings(match) == []


async def test_a_command_behind_the_match_is_told_the_current_version(store: Store):
    first = command(new_id(), count=3)
    await store.append(first)

    assert await store.append(command(first.match, 1, first.events[0].hash)) == Conflict(3)
    assert await store.append(command(first.match, 0)) == Conflict(3)


@pytest.mark.fault(24)
async def test_a_command_ahead_of_the_match_is_told_the_current_version(store: Store):
    first = command(new_id())
    await store.append(first)

    assert await store.append(command(first.match, 2, first.events[0].hash)) == Conflict(1)
    assert await store.append(command(new_id(), 1, b"h" * 32)) == Conflict(0)


async def test_the_right_version_after_another_event_is_a_conflict(store: Store):
    first = command(new_id())
    await store.append(first)

    answer = await store.append(command(first.match, 1, chained(b"something else")))

    assert answer == Conflict(1)
    assert len(await everything(store)) == 1


@pytest.mark.fault(9)
async def test_a_refused_command_takes_no_position(store: Store):
    match = match_in(SHARDS[3])
    first = command(match)
    await store.append(first)
    for _ in range(5):
        assert isinstance(await store.append(command(match)), Conflict)

    assert await store.append(following(first)) == Appended(2, 2)
    assert (await store.heads())[SHARDS[3]] == 2


async def test_positions_run_through_all_matches_of_a_shard_without_holes(store: Store):
    matches = [match_in(SHARDS[k % 2]) for k in range(20)]

    await asyncio.gather(*(store.append(command(match, count=1 + k % 3)) for k, match in enumerate(matches)))

    events = await everything(store)
    assert len(events) == sum(1 + k % 3 for k in range(20))
    assert sum((await store.heads()).values()) == len(events)


async def test_every_shard_is_there_and_a_match_is_stored_in_its_own(store: Store):
    assert await store.heads() == dict.fromkeys(SHARDS, 0)
    for shard in SHARDS:
        await store.append(command(match_in(shard)))
    assert await store.heads() == dict.fromkeys(SHARDS, 1)


async def test_a_page_goes_on_after_a_position(store: Store):
    shard = SHARDS[7]
    for _ in range(3):
        await store.append(command(match_in(shard), count=2))

    assert [event.pos for event in await store.page(shard, 0, 4)] == [1, 2, 3, 4]
    assert [event.pos for event in await store.page(shard, 4, 4)] == [5, 6]
    assert await store.page(shard, 6, 4) == []


@pytest.mark.fault(26)
async def test_five_thousand_events_are_appended_by_one_command(store: Store):
    long = command(new_id(), count=5000)

    assert await store.append(long) == Appended(5000, 5000)
    assert [event.hash for event in await store.events(long.match)] == [event.hash for event in long.events]


@pytest.mark.fault(25)
async def test_a_command_without_events_is_refused_before_the_queue(store: Store):
    with pytest.raises(ValueError, match="without events"):
        await store.append(Append(new_id(), 0, b"", new_id(), AT, ()))
    assert store.writer.batches == 0


@pytest.mark.parametrize(
    "wrong",
    [
        command(new_id(), 0, b"h" * 32),
        command(new_id(), 1, b""),
        command(new_id(), -1, b"h" * 32),
        Append(new_id(), 0, b"", "no uuid", AT, command(new_id()).events),
        Append("no uuid", 0, b"", new_id(), AT, command(new_id()).events),
        Append(new_id(), 0, b"", new_id(), AT, (*command(new_id()).events, *command(new_id()).events)),
    ],
    ids=["hash at the start", "no hash later", "below nothing", "command id", "match id", "broken chain"],
)
async def test_a_command_that_cannot_be_right_is_refused_before_the_queue(store: Store, wrong: Append):
    with pytest.raises(ValueError):
        await store.append(wrong)
    assert store.writer.batches == 0


async def test_the_database_refuses_a_hash_that_is_not_the_hash_of_the_bytes(store: Store):
    match = new_id()
    forged = NewEvent(101, 1, b"bytes", b"", chained(b"other bytes"))

    with pytest.raises(asyncpg.CheckViolationError):
        await store.append(Append(match, 0, b"", new_id(), AT, (forged,)))

    assert await store.events(match) == []
    assert await everything(store) == []


@pytest.mark.fault(19)
async def test_two_matches_may_be_created_but_one_match_only_once(store: Store):
    match = new_id()

    answers = await asyncio.gather(*(store.append(command(match, text=str(k))) for k in range(8)))

    assert sorted(answers, key=str) == [Appended(1, 1), *[Conflict(1)] * 7]
    assert len(await store.events(match)) == 1
