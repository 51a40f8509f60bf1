"""Read models under the faults that subscriptions and rebuilds elsewhere have had."""

import asyncio
import hashlib
import random
from dataclasses import replace
from typing import Any

import asyncpg
import msgspec
import pytest

from domain.event import START, chained
from projections.projection import AnyProjection
from projections.registry import PROJECTIONS
from services.feed import Feed
from services.ids import SHARDS, new_id
from services.projector import Projector, builds
from services.projector.folding import Page, step
from services.projector.rebuilds import RebuildUnderWay
from services.store import batch
from services.store.records import Append, NewEvent, StoredEvent, Unavailable
from services.store.store import Store
from tests.domain.match.drive import Drive
from tests.engine.test_redis import connected, heard
from tests.projections.streams import (
    append,
    append_poison,
    assert_exact,
    caught_up,
    checkpoints,
    contents,
    lose_locks,
    match_in,
    played,
    streams,
)
from tests.store.matches import command
from tests.waiting import PATIENCE, eventually


async def rebuilt(store: Store, name: str) -> None:
    async for _ in Projector(store, page=50).rebuild(name):
        pass


def opening_of(drive: Drive) -> Append:
    """The first event of a match, as the command that appends it."""
    first = drive.log[0]
    event = NewEvent(first.code, first.event.schema, first.data, START, chained(first.data), first.openings, first.hand)
    return Append(drive.match, 0, START, new_id(), first.event.at, (event,))


@pytest.mark.fault(6)
async def test_a_checkpoint_stays_as_small_as_it_was_whatever_has_passed(store: Store):
    size = "select count(*), max(pg_column_size(c.*)) from projection.checkpoint c"
    before = [tuple(line) for line in await store.pool.fetch(size)]
    projector = Projector(store, page=20)
    for seed in range(6):
        drive = played(seed)
        await append(store, drive)
        await caught_up(projector)
        await append_poison(store, drive.match)
        await caught_up(projector)
    assert [tuple(line) for line in await store.pool.fetch(size)] == before
    assert before[0][0] == len(SHARDS) * len(PROJECTIONS)


@pytest.mark.fault(7)
async def test_a_rebuild_that_starts_during_an_append_has_the_event_in_the_end(store: Store, database_url: str):
    # given an append that has its position and is not committed
    shard = SHARDS[3]
    drives = [played(seed, match=match_in(shard)) for seed in range(3)]
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store))
    late = played(7, match=match_in(shard))
    session = await asyncpg.connect(database_url)
    held = session.transaction()
    await held.start()
    await batch.send(session, [opening_of(late)])
    # when every projection is rebuilt meanwhile
    for name in PROJECTIONS:
        await rebuilt(store, name)
    await assert_exact(store, streams(*drives))
    await held.commit()
    await session.close()
    # then the event is taken by the new builds as soon as it is there
    await append(store, late, 1)
    await caught_up(Projector(store))
    await assert_exact(store, streams(*drives, late))


@pytest.mark.fault(9)
async def test_commands_that_lose_their_race_leave_a_projection_level_with_the_head(store: Store):
    drive = played(1)
    await append(store, drive)
    projector = Projector(store)
    await caught_up(projector)
    for _ in range(20):
        await store.append(command(drive.match, text="late"))
    assert await projector.run_once() == 0
    assert set((await projector.lag()).values()) == {0}
    assert await checkpoints(store, "replays") == await store.heads()


@pytest.mark.fault(15)
async def test_no_checkpoint_is_ever_beyond_the_head_that_the_same_snapshot_has(store: Store):
    projectors = [Projector(store, page=13) for _ in range(3)]
    drives = [played(seed) for seed in range(8)]
    over = asyncio.Event()
    looked: list[int] = []

    async def look() -> None:
        while not over.is_set():
            beyond = "select count(*) from projection.checkpoint c join shard s using (shard) where c.pos > s.head"
            assert await store.pool.fetchval(beyond) == 0
            looked.append(1)

    async def run(projector: Projector) -> None:
        while not over.is_set() or await projector.run_once():
            await projector.run_once()

    running = [asyncio.create_task(run(projector)) for projector in projectors]
    looking = asyncio.create_task(look())
    for first in range(0, max(len(drive.log) for drive in drives), 25):
        await asyncio.gather(*(append(store, d, first, first + 25) for d in drives if first < len(d.log)))
    over.set()
    await asyncio.gather(looking, *running)
    await caught_up(projectors[0])
    assert looked
    await assert_exact(store, streams(*drives))


@pytest.mark.fault(31)
async def test_sums_are_exact_after_a_poison_event_and_a_failed_commit_in_one_page(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    # given a page of one sick and many healthy matches, the healthy ones finished
    shard = SHARDS[5]
    healthy = [played(seed, match=match_in(shard)) for seed in range(5)]
    sick = played(9, match=match_in(shard), moves=3)
    for drive in (*healthy[:2], sick, *healthy[2:]):
        await append(store, drive)
    await append_poison(store, sick.match)
    # when the first commits of that page fail after everything was folded
    failures = 3

    async def failing(*arguments: Any) -> bool:
        nonlocal failures
        async with store.pool.acquire() as lent, lent.transaction():
            await step(lent, *arguments[1:])
            failures -= 1
            if failures >= 0:
                raise asyncpg.SerializationError("the commit failed")
        return True

    monkeypatch.setattr("services.projector.runner.step", failing)
    projector = Projector(store, page=10_000)
    for _ in range(6):
        await projector.run_once()
    # then nothing was taken twice
    assert failures < 0
    await assert_exact(store, streams(*healthy, sick))
    assert len(await projector.parked()) == len(PROJECTIONS)


@pytest.mark.fault(33)
async def test_a_rebuild_tells_nobody_anything(store: Store, redis_url: str):
    drives = [played(seed) for seed in range(3)]
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store))
    feed, other, told = Feed(redis_url), Feed(redis_url), list[tuple[str, int]]()
    for one in (feed, other):
        await one.start()
        await connected(one)
    feed.listen(lambda match, version: told.append((match, version)))
    heads = await store.heads()
    for name in PROJECTIONS:
        await rebuilt(store, name)
    await heard(other, feed)  # whatever was sent before this has arrived with it
    ours = {drive.match for drive in drives}
    assert [match for match, _ in told if match in ours] == []
    assert await store.heads() == heads
    assert (await store.pool.fetchval("select count(*) from refusal")) == 0
    await feed.stop()
    await other.stop()


@pytest.mark.fault(34)
async def test_rebuilds_of_all_projections_at_once_do_not_wait_for_one_another(store: Store):
    drives = [played(seed, match=match_in(SHARDS[seed])) for seed in range(8)]
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store))
    for _ in range(3):
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(rebuilt(store, name) for name in PROJECTIONS))
    await assert_exact(store, streams(*drives))
    # and none keeps a connection or a lock
    held = "select count(*) from pg_locks l join pg_database d on d.oid = l.database where l.locktype = 'advisory'"
    assert await store.pool.fetchval(f"{held} and d.datname = current_database()") == 0
    assert store.pool.get_idle_size() == store.pool.get_size()


@pytest.mark.fault(36)
@pytest.mark.parametrize("name", PROJECTIONS)
async def test_a_build_that_sees_only_its_types_equals_one_that_sees_all(store: Store, name: str):
    drives = [played(seed, match=match_in(SHARDS[seed % 3])) for seed in range(4)]
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store, page=10))
    filtered, at = await contents(store, name), await checkpoints(store, name)
    projection: AnyProjection = PROJECTIONS[name]
    every = replace(projection, only=frozenset(type(entry.event.body) for drive in drives for entry in drive.log))
    async for _ in Projector(store, {**PROJECTIONS, name: every}, page=10).rebuild(name):
        pass  # it would refuse to switch if one row differed
    assert await contents(store, name) == filtered
    assert await checkpoints(store, name) == at == await store.heads()


@pytest.mark.fault(37, "F23")
async def test_erasing_one_player_leaves_every_other_byte_as_it_was(store: Store):
    drives = [played(seed) for seed in range(3)]
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store))
    for name in ("ann", "ben", "cleo"):
        await store.add_player(name, name.title(), hashlib.sha256(name.encode()).digest())
    before = await _whole(store)
    await store.erase("ben")
    after = await _whole(store)
    changed = {table for table, lines in after.items() if lines != before[table]}
    assert changed == {"public.player", "public.token"}
    others = [line for line in before["public.player"] if "ben" not in line.lower()]
    assert [line for line in after["public.player"] if "ben" not in line.lower()] == others
    assert not any("Ben" in line for lines in after.values() for line in lines)
    assert len(before["public.token"]) - len(after["public.token"]) == 1


async def _whole(store: Store) -> dict[str, list[str]]:
    """Every line of every table, as text."""
    tables = await store.pool.fetch(
        "select schemaname || '.' || tablename from pg_tables where schemaname in ('public', 'projection')"
        " and has_table_privilege(schemaname || '.' || tablename, 'select')"
    )
    return {
        table: [line[0] for line in await store.pool.fetch(f"select t::text from {table} t order by 1")]
        for (table,) in tables
    }


@pytest.mark.fault(40)
async def test_a_projection_that_stands_still_while_the_head_moves_makes_the_service_unhealthy(
    store: Store, database_url: str
):
    # given a shard whose checkpoints somebody holds
    shard = SHARDS[0]
    drive = played(2, match=match_in(shard))
    other = await asyncpg.connect(database_url)
    held = other.transaction()
    await held.start()
    await other.execute("select from projection.checkpoint where shard = $1 for update", shard)
    await append(store, drive)
    projector = Projector(store, stall_seconds=0.2)

    async def barks() -> bool:
        await projector.run_once()
        return set((await projector.health()).stalled) == set(PROJECTIONS)

    # then it is said although nothing has failed, and no longer said when it goes on
    await eventually(barks)
    assert not (await projector.health()).healthy
    await held.rollback()
    await other.close()
    await caught_up(projector)
    assert (await projector.health()).healthy


@pytest.mark.fault(41)
async def test_sixteen_shards_and_runners_of_uneven_speed_end_at_the_heads(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    chance, page = random.Random(1), store.page
    drives = [played(seed, match=match_in(shard), moves=20) for seed, shard in enumerate(SHARDS)]

    async def uneven(shard: int, after: int, limit: int) -> list[StoredEvent]:
        events = await page(shard, after, limit)
        await asyncio.sleep(chance.random() / 100)
        return events

    monkeypatch.setattr(store, "page", uneven)
    projectors = [Projector(store, page=9) for _ in range(4)]
    over = asyncio.Event()

    async def run(projector: Projector) -> None:
        while not over.is_set():
            await projector.run_once()

    running = [asyncio.create_task(run(projector)) for projector in projectors]
    for first in range(0, max(len(drive.log) for drive in drives), 15):
        await asyncio.gather(*(append(store, d, first, first + 15) for d in drives if first < len(d.log)))
    over.set()
    await asyncio.gather(*running)
    await caught_up(projectors[0])
    heads = await store.heads()
    for name in PROJECTIONS:
        assert await checkpoints(store, name) == heads
    await assert_exact(store, streams(*drives))


@pytest.mark.fault(44)
async def test_whoever_loses_the_lock_of_a_rebuild_unnoticed_writes_nothing_twice(store: Store, database_url: str):
    # given a rebuild in the middle, whose connection, and the lock with it, dies
    drives = [played(seed) for seed in range(4)]
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store))
    first = Projector(store, page=5).rebuild("players")
    async for progress in first:
        if progress.done:
            break
    with pytest.raises(RebuildUnderWay):
        await rebuilt(store, "players")
    await lose_locks(database_url)
    # when a second owner comes, and the first goes on believing that it is the only one
    second = Projector(store, page=20).rebuild("players")
    await anext(second)
    with pytest.raises(Unavailable):
        async for _ in first:
            pass
    # then only the second has written
    async for _ in second:
        pass
    await assert_exact(store, streams(*drives))
    numbers = await store.pool.fetch("select build, state from projection.build where name = 'players'")
    assert [line["state"] for line in numbers] == ["live"]


@pytest.mark.fault(38, 44)
async def test_a_step_from_a_checkpoint_that_has_moved_on_does_nothing(store: Store):
    drive = played(3)
    await append(store, drive)
    shard = next(shard for shard, head in (await store.heads()).items() if head)
    page = Page(await store.page(shard, 0, 30))
    lines = await store.pool.fetch(builds.LIVE, "live", "players")
    (build,) = builds.assembled(lines, PROJECTIONS)
    done = [await store.ask(lambda lent: step(lent, build, shard, page, 0)) for _ in range(3)]
    assert done == [True, False, False]
    await caught_up(Projector(store))
    await assert_exact(store, streams(drive))
    decoded = msgspec.json.decode(await store.pool.fetchval("select body from projection.players"))
    assert decoded["match"] == drive.match
