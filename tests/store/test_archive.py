"""Finished matches in the archive: read like any other, byte for byte, and immutable as they were."""

import asyncio
from collections.abc import Iterable

import asyncpg
import pytest
from msgspec.structs import replace

from domain.match import commands
from services import archiving
from services.archiving import Archived, Behind
from services.ids import key_part, new_id, shard_of
from services.projector import Projector
from services.store import streams
from services.store.packed import Damaged, events_of, openings_of, pack
from services.store.records import Appended, StoredEvent, StoredOpening
from services.store.store import Store
from tests.engine.played import Played, audited, take
from tests.projections.streams import caught_up, checkpoints, contents
from tests.store import matches as plain
from tests.store.matches import everything

FUTURE = 1 << 47
"""A time that every event lies before."""


def two_of_one_shard() -> tuple[Played, Played]:
    """Two matches that are over and whose events will lie among each other's."""
    first = Played({"games": 1}, 3)
    second = next(other for other in iter(lambda: Played({"games": 1}, 3), None) if _shard(other) == _shard(first))
    for match in (first, second):
        match.seat_all()
        match.play_out()
    return first, second


def _shard(played: Played) -> int:
    return shard_of(played.match)


async def put(store: Store, matches: Iterable[Played]) -> None:
    """Appends the commands of ``matches`` in turn, one of each."""
    queues = [iter(match.appends) for match in matches]
    while queues:
        queues = [queue for queue in queues if await _one(store, queue)]


async def _one(store: Store, queue) -> bool:
    command = next(queue, None)
    if command is not None:
        assert isinstance(await store.append(command), Appended)
    return command is not None


async def projected(store: Store) -> Projector:
    projector = Projector(store)
    await projector.prepare()
    await caught_up(projector)
    return projector


async def archive(store: Store, before: int = FUTURE) -> Archived:
    sums = [Archived(), *[done async for done in archiving.archive(store, before)]]
    return sums[-1]


async def record(store: Store, match: str) -> tuple[list[StoredEvent], list[StoredOpening]]:
    return await store.events(match), await store.openings(match)


async def rows(store: Store, match: str) -> tuple[int, int]:
    """How many events and openings of a match are rows."""
    counted = [
        await store.pool.fetchval(f"select count(*) from {table} where stream = $1", match)
        for table in ("event", "opening")
    ]
    return counted[0], counted[1]


async def test_a_finished_match_is_moved_and_read_as_before_by_match_and_by_position(store: Store):
    first, second = two_of_one_shard()
    await put(store, (first, second))
    await projected(store)
    before = [await record(store, match.match) for match in (first, second)]
    for match, (events, openings) in zip((first, second), before, strict=True):
        assert [event.data for event in events] == [event.data for event in match.events]
        assert openings == sorted(match.openings, key=lambda entry: (entry.version, entry.opening.path))
    pages = await everything(store)
    # when both are archived
    done = await archive(store)
    # then none of their rows is left
    assert (done.matches, done.events) == (2, len(pages))
    assert [await rows(store, match.match) for match in (first, second)] == [(0, 0), (0, 0)]
    # and whoever asks gets the same
    assert [await record(store, match.match) for match in (first, second)] == before
    assert await everything(store) == pages
    for match, (events, openings) in zip((first, second), before, strict=True):
        assert await store.head(match.match) == (events[-1].version, events[-1].hash)
        assert audited(events, openings).verdict == "VALID"


async def test_any_part_of_an_archived_match_is_the_same_part(store: Store):
    match = two_of_one_shard()[0]
    await put(store, (match,))
    await projected(store)
    events, openings = await record(store, match.match)
    await archive(store)

    for after in (0, 1, 7, len(events) - 1, len(events), len(events) + 5):
        assert await store.events(match.match, after) == events[after:]
        assert await store.events(match.match, after, 3) == events[after : after + 3]
        assert await store.openings(match.match, after) == [one for one in openings if one.version > after]
        assert await store.openings(match.match, 2, after) == [one for one in openings if 2 < one.version <= after]
    codes = {events[0].code, events[-1].code, events[5].code}
    assert await store.events(match.match, codes=codes) == [event for event in events if event.code in codes]
    assert await store.events(match.match, 1, 2, codes) == [event for event in events[1:] if event.code in codes][:2]
    for event in events:
        same = [other for other in events if key_part(other.cmd) == key_part(event.cmd)]
        assert await store.events_by(match.match, key_part(event.cmd)) == same
    assert await store.versions([match.match]) == {match.match: len(events)}


@pytest.mark.parametrize("limit", [1, 7, 1000])
async def test_a_reader_by_position_meets_no_hole_whatever_is_archived_around_it(store: Store, limit: int):
    first, second = two_of_one_shard()
    await put(store, (first, second))
    await projected(store)
    pages = await everything(store)
    segment = pack(await store.events(first.match), await store.openings(first.match))
    assert (await store.put_away(segment)).outcome == "archived"

    seen: list[StoredEvent] = []
    while page := await store.page(_shard(first), len(seen), limit):
        assert len(page) <= limit
        seen += page

    assert seen == pages


async def test_readers_by_position_side_by_side_need_not_keep_what_they_have_unpacked(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    matches = [match for _ in range(3) for match in two_of_one_shard()]
    await put(store, matches)
    await projected(store)
    pages = await everything(store)
    await archive(store)
    monkeypatch.setattr(streams, "_UNPACKED", 30)  # less than one match has

    found = await asyncio.gather(*(everything(store) for _ in range(4)))

    assert found == [pages] * 4
    assert sum(map(len, store._unpacked.values())) <= 30


async def test_a_match_that_is_not_over_or_not_old_stays_where_it_is(store: Store):
    first, _ = two_of_one_shard()
    going = Played({"games": 1}, 3)
    going.seat_all()
    await put(store, (first, going))
    await projected(store)
    assert (await archive(store, before=first.events[-1].at)).matches == 0

    done = await archive(store, before=FUTURE)

    assert (done.matches, done.events) == (1, len(first.events))
    assert await rows(store, going.match) == (len(going.events), len(going.openings))
    known = len(going.appends)
    going.play_out()
    await put_on(store, going, known)
    assert (await store.events(going.match))[-1].hash == going.head


async def test_what_happens_after_the_end_follows_the_archived_events_and_is_archived_behind_them(store: Store):
    match = two_of_one_shard()[0]
    await put(store, (match,))
    await projected(store)
    await archive(store)
    # when a seat disputes the hand
    known = len(match.appends)
    match.do(take(commands.OpenDispute("player 0", new_id(), 1, 5)))
    await put_on(store, match, known)
    # then the record goes on, and it is not archived before there is a ruling
    assert [event.data for event in await store.events(match.match)] == [event.data for event in match.events]
    await projected(store)
    assert (await archive(store)).matches == 0


async def put_on(store: Store, match: Played, known: int) -> None:
    for command in match.appends[known:]:
        assert isinstance(await store.append(command), Appended)


async def test_a_match_that_cannot_be_read_is_passed_over_and_keeps_no_other_out(store: Store):
    first, second = sorted(two_of_one_shard(), key=lambda match: match.match)
    await store.append(plain.command(first.match))  # bytes that are no event
    await put(store, (second,))
    await projected(store)

    assert (await archive(store)).matches == 1

    assert await rows(store, first.match) == (1, 0)
    assert await rows(store, second.match) == (0, 0)


@pytest.mark.fault(45, "F24")
async def test_nothing_is_archived_that_a_read_model_has_not_taken(store: Store):
    match = two_of_one_shard()[0]
    await put(store, (match,))
    # with no read model at all
    with pytest.raises(Behind):
        await archive(store)
    projector = Projector(store)
    await projector.prepare()
    # with all of them behind
    with pytest.raises(Behind, match="live_tables, players, replays, score_sheets"):
        await archive(store)
    await caught_up(projector)
    # with one of them one event behind
    back = "update projection.checkpoint set pos = pos - 1 where name = 'replays' and shard = $1"
    await store.pool.execute(back, _shard(match))
    with pytest.raises(Behind, match="replays has not"):
        await archive(store)
    assert await rows(store, match.match) == (len(match.events), len(match.openings))
    # and when the last one has taken the last event
    await store.pool.execute(back.replace("- 1", "+ 1"), _shard(match))
    assert (await archive(store)).matches == 1


async def test_a_rebuild_from_the_archive_gives_the_same_rows(store: Store):
    first, second = two_of_one_shard()
    third = Played({"games": 1}, 3)
    third.seat_all()
    await put(store, (first, third, second))
    projector = await projected(store)
    before = {name: await contents(store, name) for name in ("live_tables", "replays", "score_sheets", "players")}
    await archive(store)

    for name, rows_before in before.items():
        async for _ in projector.rebuild(name):
            pass
        assert await contents(store, name) == rows_before
        assert await checkpoints(store, name) == await store.heads()


async def test_a_damaged_segment_is_an_alarm_and_keeps_no_other_shard_waiting(store: Store, database_url: str):
    # given two archived matches, that of the lower shard damaged on the disk, and a read model that needs both
    one = two_of_one_shard()[0]
    other = next(more for more in iter(lambda: two_of_one_shard()[0], None) if _shard(more) != _shard(one))
    first, second = sorted((one, other), key=_shard)
    await put(store, (first, second))
    projector = await projected(store)
    await archive(store)
    owner = await asyncpg.connect(database_url)
    await owner.execute("alter table archive disable trigger immutable")
    torn = "update archive set events = set_byte(events, 99, get_byte(events, 99) # 1) where stream = $1"
    await owner.execute(torn, first.match)
    await owner.execute("update projection.checkpoint set pos = 0 where name = 'replays'")
    await owner.close()
    # when it is brought up by a process that has not read them
    projector = Projector(await Store.connect(database_url))
    await projector.run_once()
    # then one shard stands still, and it is said
    assert (await checkpoints(store, "replays"))[_shard(second)] == len(second.events)
    assert first.match in projector.alarms["replays", _shard(first)]
    await projector._store.close()


async def test_two_who_archive_at_once_archive_each_match_once(store: Store, database_url: str):
    matches = [match for _ in range(3) for match in two_of_one_shard()]
    await put(store, matches)
    await projected(store)
    pages = await everything(store)
    other = await Store.connect(database_url)

    done = await asyncio.gather(archive(store), archive(other))

    assert sum(one.matches for one in done) == 6
    assert await everything(store) == await everything(other) == pages
    await other.close()


async def test_readers_miss_and_double_nothing_while_it_is_archived(store: Store, database_url: str):
    matches = [match for _ in range(3) for match in two_of_one_shard()]
    await put(store, matches)
    await projected(store)
    pages = await everything(store)
    records = [await record(store, match.match) for match in matches]
    reading = await Store.connect(database_url)
    work = asyncio.create_task(archive(store))

    rounds = 0
    while rounds < 3 or not work.done():
        assert await everything(reading) == pages
        assert [await record(reading, match.match) for match in matches] == records
        rounds += work.done() or 1

    assert (await work).matches == 6
    await reading.close()


async def test_the_archive_cannot_be_changed_and_rows_outside_of_it_cannot_be_deleted(store: Store, database_url: str):
    first, second = two_of_one_shard()
    await put(store, (first, second))
    await projected(store)
    segment = pack(await store.events(first.match), await store.openings(first.match))
    await store.put_away(segment)
    owner = await asyncpg.connect(database_url)
    for attempt in (
        "update archive set events = ''",
        "delete from archive",
        "truncate archive",
        "delete from event",
        "delete from opening",
        "update event set at = at + 1",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await owner.execute(attempt)
        await owner.execute("set role kibitz_app")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await owner.execute(attempt)
        await owner.execute("reset role")
    await owner.close()
    for match in (first, second):
        assert [event.data for event in await store.events(match.match)] == [event.data for event in match.events]


async def test_a_segment_that_is_not_what_the_rows_are_deletes_none(store: Store):
    first, second = two_of_one_shard()
    await put(store, (first, second))
    await projected(store)
    events, openings = await record(store, first.match)
    assert openings
    moved = [*events[:-1], replace(events[-1], pos=events[-1].pos + 1)]
    shifted = [*events[:-1], replace(events[-1], code=events[-1].code + 1)]
    changed = [*openings[:-1], replace(openings[-1], hand=openings[-1].hand + 1)]
    for wrong in (pack(events, openings[:-1]), pack(moved, openings), pack(shifted, openings), pack(events, changed)):
        assert (await store.put_away(wrong)).outcome in {"differs", "behind"}
    assert (await store.put_away(pack(events[1:], openings))).outcome == "moved"
    assert await record(store, first.match) == (events, openings)


def test_what_is_packed_is_a_tenth_of_its_text_and_a_damaged_segment_is_never_taken_for_a_record():
    match = Played({"games": 4}, 4)
    match.seat_all()
    match.play_out()
    segment = pack(match.events, match.openings)
    assert events_of(segment) == match.events
    assert openings_of(segment) == match.openings
    assert len(segment.events) * 8 < sum(len(event.data) for event in match.events)
    for place in range(0, len(segment.events), 97):
        torn = bytearray(segment.events)
        torn[place] ^= 1
        with pytest.raises(Damaged):
            events_of(replace(segment, events=bytes(torn)))
    with pytest.raises(Damaged):
        events_of(replace(segment, prev=b"\1" * 32))
    for elsewhere in (replace(segment, first=3), replace(segment, match=new_id())):
        with pytest.raises(Damaged):
            events_of(elsewhere)
    with pytest.raises(Damaged):
        events_of(replace(segment, format=2))


def test_an_event_whose_row_says_more_than_its_bytes_is_not_packed():
    match = Played({"games": 1}, 3)
    other = [replace(event, cmd=new_id()) for event in match.events]
    with pytest.raises(ValueError, match="without loss"):
        pack(other, match.openings)
