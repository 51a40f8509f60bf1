"""The runner against PostgreSQL: exact after every kind of trouble, and loud where it cannot go on."""

import asyncio
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from domain.event import Recorded
from projections.projection import AnyProjection
from projections.registry import PROJECTIONS
from services.ids import SHARDS
from services.projector import NotParked, Projector, StillParked, folding
from services.projector.builds import Build
from services.projector.runner import Watchdog
from services.store.records import StoredEvent
from services.store.store import Store
from tests.projections.streams import (
    append,
    append_poison,
    assert_exact,
    caught_up,
    checkpoints,
    level,
    match_in,
    played,
    recorded,
    streams,
)
from tests.waiting import eventually


def refusing(name: str, match: str) -> dict[str, AnyProjection]:
    """All projections, but ``name`` cannot take the start and the deals of ``match``."""
    healthy = PROJECTIONS[name]

    def fold(row: Any, event: Recorded[Any]) -> Any:
        if event.match == match and event.type in ("MatchStarted", "CardsDealt"):
            raise ZeroDivisionError("a fault in the fold")
        return healthy.fold(row, event)

    return {**PROJECTIONS, name: replace(healthy, fold=fold)}


async def test_the_read_models_are_what_the_folds_make_of_all_events(store: Store):
    drives = [played(seed) for seed in range(6)]
    for drive in drives:
        await append(store, drive)
    projector = Projector(store, page=37)
    assert await caught_up(projector) == len(PROJECTIONS) * sum(len(drive.log) for drive in drives)
    await assert_exact(store, streams(*drives))
    assert set((await projector.lag()).values()) == {0}
    heads = await store.heads()
    for name in PROJECTIONS:
        assert await checkpoints(store, name) == heads


async def test_pages_that_cut_matches_anywhere_lead_to_the_same_rows(store: Store):
    drives = [played(seed, match=match_in(SHARDS[3])) for seed in range(3)]
    for first in range(0, max(len(drive.log) for drive in drives), 20):
        for drive in drives:
            if first < len(drive.log):
                await append(store, drive, first, first + 20)
        await Projector(store, page=7).run_once()
    await caught_up(Projector(store, page=7))
    await assert_exact(store, streams(*drives))


@pytest.mark.fault(41)
async def test_all_shards_are_carried_up_to_their_heads(store: Store):
    drives = [played(shard, match=match_in(shard), moves=6) for shard in SHARDS]
    await asyncio.gather(*(append(store, drive) for drive in drives))
    await caught_up(Projector(store))
    assert await checkpoints(store, "replays") == {shard: len(d.log) for shard, d in zip(SHARDS, drives, strict=True)}


async def test_runners_at_work_at_once_take_every_event_once(store: Store):
    drives = [played(seed, match=match_in(SHARDS[seed % 2])) for seed in range(6)]
    for drive in drives:
        await append(store, drive)
    projectors = [Projector(store, page=11) for _ in range(3)]

    async def behind() -> bool:
        await asyncio.gather(*(projector.run_once() for projector in projectors))
        return not any((await projectors[0].lag()).values())

    await eventually(behind)
    await assert_exact(store, streams(*drives))
    assert not any(projector.alarms for projector in projectors)


@pytest.mark.fault(38)
async def test_a_runner_that_dies_between_reading_and_committing_leaves_nothing_behind(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    drive = played(1)
    await append(store, drive)
    write = folding.write
    died: list[int] = []

    async def write_and_die(lent: Any, statements: Any) -> None:
        await write(lent, statements)
        if len(died) < 5:
            died.append(1)
            lent.terminate()  # the rows are written, the transaction is not committed

    monkeypatch.setattr(folding, "write", write_and_die)
    projector = Projector(store, page=50)

    await level(projector)
    assert len(died) == 5
    await assert_exact(store, streams(drive))


@pytest.mark.fault(38)
async def test_a_cancelled_step_leaves_rows_and_checkpoint_as_they_were(store: Store, monkeypatch: pytest.MonkeyPatch):
    drive = played(2)
    await append(store, drive)
    reached = asyncio.Event()

    async def stuck(_lent: Any, _statements: Any) -> None:
        reached.set()
        await asyncio.sleep(3600)

    with monkeypatch.context() as patched:
        patched.setattr(folding, "write", stuck)
        task = asyncio.create_task(Projector(store).run_once())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert sum((await checkpoints(store, "live_tables")).values()) == 0
    await assert_exact(store, {})
    await level(Projector(store))
    await assert_exact(store, streams(drive))


@pytest.mark.fault(31, "F15")
@pytest.mark.parametrize(("code", "schema"), [(10, 1), (9999, 1), (10, 7)], ids=["bad body", "unknown type", "schema"])
async def test_a_poison_event_parks_its_match_and_nothing_else(store: Store, code: int, schema: int):
    shard = SHARDS[5]
    healthy = [played(seed, match=match_in(shard)) for seed in range(3)]
    sick = played(3, match=match_in(shard), moves=4)
    await append(store, healthy[0])
    await append(store, healthy[1], 0, 10)
    await append(store, sick)
    await append_poison(store, sick.match, code, schema)
    await append(store, healthy[1], 10)
    await append(store, healthy[2])
    projector = Projector(store)
    await caught_up(projector)
    await assert_exact(store, streams(*healthy, sick))
    parked = await projector.parked()
    assert {(entry.projection, entry.match, entry.version) for entry in parked} == {
        (name, sick.match, len(sick.log) + 1) for name in PROJECTIONS
    }
    health = await projector.health()
    assert (health.healthy, health.parked) == (True, dict.fromkeys(PROJECTIONS, 1))
    with pytest.raises(StillParked, match=f"event {len(sick.log) + 1} of {sick.match}"):
        await projector.unpark("live_tables", sick.match)
    assert len(await projector.parked("live_tables")) == 1


@pytest.mark.fault("F15")
@pytest.mark.parametrize("name", PROJECTIONS)
async def test_a_parked_match_is_healed_by_unpark_whatever_came_meanwhile(store: Store, name: str):
    shard = SHARDS[9]
    sick, healthy = played(4, match=match_in(shard)), played(5, match=match_in(shard))
    half = len(sick.log) * 2 // 3
    await append(store, sick, 0, half)
    await append(store, healthy)
    await caught_up(Projector(store, refusing(name, sick.match), page=25))
    (entry,) = await Projector(store).parked()
    assert (entry.projection, entry.match) == (name, sick.match)
    assert "ZeroDivisionError" in entry.error
    await append(store, sick, half)
    await caught_up(Projector(store, page=25))
    before = {match: events for match, events in streams(sick, healthy).items() if match != sick.match}
    early = streams(sick)[sick.match][: entry.version - 1]
    await assert_exact(store, before | {sick.match: early}, [name])
    projector = Projector(store)
    assert await projector.unpark(name, sick.match) > 0
    await assert_exact(store, streams(sick, healthy))
    assert await projector.parked() == []
    with pytest.raises(NotParked):
        await projector.unpark(name, sick.match)


async def test_unpark_leaves_to_the_runner_what_the_runner_has_not_reached(store: Store):
    sick = played(6, match=match_in(SHARDS[0]))
    await append(store, sick, 0, 60)
    await caught_up(Projector(store, refusing("live_tables", sick.match)))
    await append(store, sick, 60)
    projector = Projector(store)
    await projector.unpark("live_tables", sick.match)
    await assert_exact(store, {sick.match: recorded(sick)[:60]}, ["live_tables"])
    await caught_up(projector)
    await assert_exact(store, streams(sick))


async def test_a_row_that_cannot_be_written_parks_its_match_too(store: Store):
    shard = SHARDS[2]
    sick, healthy = played(7, match=match_in(shard)), played(8, match=match_in(shard))
    await append(store, sick)
    await append(store, healthy)
    players = PROJECTIONS["players"]
    matches = players.tables[1]

    def write(table: str, shard: int, before: Any, after: Any) -> Any:
        if sick.match in after:
            raise IndexError("a row nobody expected")
        return matches.write(table, shard, before, after)

    broken = replace(players, tables=(players.tables[0], replace(matches, write=write), players.tables[2]))
    await caught_up(Projector(store, {**PROJECTIONS, "players": broken}))
    await assert_exact(store, streams(healthy), ["players"])
    projector = Projector(store)
    await projector.unpark("players", sick.match)
    await assert_exact(store, streams(sick, healthy))


@pytest.mark.fault(32)
async def test_if_the_dead_letter_cannot_be_written_the_projection_stops_with_an_alarm(store: Store, database_url: str):
    shard, other = SHARDS[1], SHARDS[4]
    sick, healthy = played(9, match=match_in(shard), moves=3), played(10, match=match_in(other))
    await append(store, sick)
    await append_poison(store, sick.match)
    await append(store, healthy)
    admin = await asyncpg.connect(database_url)
    await admin.execute(
        "create function refuse_letter() returns trigger language plpgsql as"
        " $$ begin raise exception 'no letters today'; end $$;"
        "create trigger refuse before insert on projection.parked for each row execute function refuse_letter()"
    )
    projector = Projector(store)
    for _ in range(3):
        await projector.run_once()
    health = await projector.health()
    assert not health.healthy
    assert all("no letters today" in alarm for alarm in health.alarms)
    assert health.lag == dict.fromkeys(PROJECTIONS, len(sick.log) + 1)
    await assert_exact(store, streams(healthy))
    await admin.execute("drop trigger refuse on projection.parked")
    await admin.close()
    await caught_up(projector)
    assert (await projector.health()).healthy
    await assert_exact(store, streams(sick, healthy))
    assert len(await projector.parked()) == len(PROJECTIONS)


@pytest.mark.fault(3)
async def test_a_hole_stops_its_shard_and_sounds_the_alarm(store: Store, monkeypatch: pytest.MonkeyPatch):
    shard, other = SHARDS[6], SHARDS[7]
    torn, healthy = played(11, match=match_in(shard)), played(12, match=match_in(other))
    await append(store, torn)
    await append(store, healthy)
    page = store.page

    async def with_a_hole(shard_: int, after: int, limit: int) -> list[StoredEvent]:
        return [event for event in await page(shard_, after, limit) if (shard_, event.pos) != (shard, 20)]

    projector = Projector(store)
    with monkeypatch.context() as patched:
        patched.setattr(store, "page", with_a_hole)
        await caught_up(projector)
        health = await projector.health()
        assert health.alarms == (f"shard {shard} has a hole: no event at position 20",)
        assert not health.healthy
        for name in PROJECTIONS:
            assert (await checkpoints(store, name))[shard] == 19
    await caught_up(projector)
    assert (await projector.health()).healthy
    await assert_exact(store, streams(torn, healthy))


async def test_a_checkpoint_that_somebody_holds_keeps_no_other_shard_waiting(store: Store, database_url: str):
    held, free = played(13, match=match_in(SHARDS[0])), played(14, match=match_in(SHARDS[8]))
    await append(store, held)
    await append(store, free)
    other = await asyncpg.connect(database_url)
    transaction = other.transaction()
    await transaction.start()
    await other.execute("select from projection.checkpoint where shard = $1 for update", SHARDS[0])
    await caught_up(Projector(store))
    await assert_exact(store, streams(free))
    await transaction.rollback()
    await other.close()
    await caught_up(Projector(store))
    await assert_exact(store, streams(held, free))


@pytest.mark.fault(8)
async def test_an_idle_transaction_elsewhere_delays_nothing(store: Store, database_url: str):
    drive = played(15)
    other = await asyncpg.connect(database_url)
    transaction = other.transaction(isolation="repeatable_read")
    await transaction.start()
    await other.fetch("select count(*) from event")
    await append(store, drive)
    await caught_up(Projector(store))
    await assert_exact(store, streams(drive))
    await transaction.rollback()
    await other.close()


@pytest.mark.fault(28)
async def test_services_that_start_at_once_on_a_new_database_make_one_build_of_each_read_model(database_url: str):
    stores = [await Store.connect(database_url, pool_size=1) for _ in range(6)]
    assert set((await Projector(stores[0]).health()).outdated) == set(PROJECTIONS)
    await asyncio.gather(*(Projector(store).prepare() for store in stores))
    lines = await stores[0].pool.fetch("select name, build, state from projection.build order by name")
    assert [tuple(line) for line in lines] == [(name, 1, "live") for name in sorted(PROJECTIONS)]
    assert (await Projector(stores[-1]).health()).healthy
    for store in stores:
        await store.close()


async def test_a_projection_that_is_new_to_an_old_database_gets_its_first_build(store: Store):
    drive = played(16)
    await append(store, drive)
    for statement in (
        "drop view projection.replays",
        "drop table projection.replays_1",
        "delete from projection.checkpoint where name = 'replays'",
        "delete from projection.build where name = 'replays'",
    ):
        await store.pool.execute(statement)
    assert (await Projector(store).health()).outdated == ("replays",)
    await asyncio.gather(*(Projector(store).prepare() for _ in range(4)))
    await caught_up(Projector(store))
    await assert_exact(store, streams(drive))
    assert (await Projector(store).health()).healthy


async def test_a_build_of_another_version_of_the_code_is_not_written_to(store: Store):
    drive = played(17)
    await append(store, drive)
    newer = {**PROJECTIONS, "replays": replace(PROJECTIONS["replays"], version=2)}
    projector = Projector(store, newer)
    await caught_up(projector)
    health = await projector.health()
    assert (health.outdated, health.healthy, health.lag["replays"]) == (("replays",), False, len(drive.log))
    await assert_exact(store, {}, ["replays"])


@pytest.mark.fault(40)
def test_the_watchdog_barks_when_the_head_moves_and_the_checkpoint_does_not():
    def at(position: int) -> list[Build]:
        return [Build(PROJECTIONS["replays"], 1, 1, {0: position, 1: 5})]

    dog = Watchdog(10)
    assert dog.observe(0, {0: 100, 1: 5}, at(90)) == ()
    assert dog.observe(9, {0: 120, 1: 5}, at(90)) == ()
    assert dog.observe(10, {0: 130, 1: 5}, at(90)) == ("replays",)
    assert dog.observe(11, {0: 130, 1: 5}, at(91)) == ()  # it moves again
    assert dog.observe(20, {0: 130, 1: 5}, at(130)) == ()
    assert dog.observe(500, {0: 130, 1: 5}, at(130)) == ()  # level with the head, however long
    assert dog.observe(501, {0: 131, 1: 5}, at(130)) == ()  # the head has only just moved
