"""Rebuilding beside the live build: readers and runners go on, and the switch is all or nothing."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from domain.event import Recorded
from domain.match import EVENTS
from projections.projection import AnyProjection, rows_table
from projections.registry import PROJECTIONS
from services.ids import SHARDS
from services.projector import Projector, rebuilds
from services.projector.rebuilds import Progress, RebuildDiffers, RebuildFailed, RebuildUnderWay
from services.readmodels import ReadModels
from services.store.records import Unavailable
from services.store.store import Store
from tests.domain.match.drive import Drive
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


@pytest.fixture
async def drives(store: Store) -> list[Drive]:
    """Four finished matches in the store, projected."""
    made = [played(seed, match=match_in(SHARDS[seed * 3])) for seed in range(4)]
    for drive in made:
        await append(store, drive)
    await caught_up(Projector(store))
    return made


async def rebuilt(store: Store, name: str, **options: Any) -> list[Progress]:
    return [progress async for progress in Projector(store, page=50).rebuild(name, **options)]


async def tables(store: Store, name: str) -> list[str]:
    found = await store.pool.fetch(
        "select tablename from pg_tables where schemaname = 'projection' and tablename like $1 order by 1", f"{name}%"
    )
    return [line[0] for line in found]


@pytest.mark.fault(35)
@pytest.mark.parametrize("name", PROJECTIONS)
async def test_a_rebuild_gives_the_same_rows_in_new_tables_and_can_be_done_again(
    store: Store, drives: list[Drive], name: str
):
    before, at = await contents(store, name), await checkpoints(store, name)
    for build in (2, 3):
        progress = await rebuilt(store, name)
        assert [step.done for step in progress] == sorted(step.done for step in progress)
        total = sum(len(drive.log) for drive in drives)
        assert progress[-1] == Progress(total, total)
        assert await contents(store, name) == before
        assert await checkpoints(store, name) == at
        assert await tables(store, name) == sorted(f"{name}{t.suffix}_{build}" for t in PROJECTIONS[name].tables)


async def test_the_runner_goes_on_in_the_new_build(store: Store, drives: list[Drive]):
    for name in PROJECTIONS:
        await rebuilt(store, name)
    later = played(50)
    await append(store, later)
    await caught_up(Projector(store))
    await assert_exact(store, streams(*drives, later))
    states = await store.pool.fetch("select name, build, state from projection.build order by name")
    assert [tuple(line) for line in states] == [(name, 2, "live") for name in sorted(PROJECTIONS)]


@pytest.mark.fault(7)
async def test_readers_and_runners_go_on_while_it_is_rebuilt(store: Store, drives: list[Drive]):
    projector, readers = Projector(store, page=20, interval=0.02), ReadModels(store)
    running = asyncio.create_task(projector.run())
    more = [played(60 + count, match=match_in(SHARDS[count])) for count in range(6)]
    seen: list[int] = []
    over = asyncio.Event()

    async def append_all() -> None:
        for drive in more:
            for first in range(0, len(drive.log), 40):
                await append(store, drive, first, first + 40)
                projector.wake()

    async def read() -> None:
        while not over.is_set():
            page = await readers.lobby(limit=100)
            seen.append(len(page.items))
            assert {row.match for row in page.items} >= {drive.match for drive in drives}
            for row in page.items:
                assert row.version > 0
            await asyncio.sleep(0.001)

    reading = asyncio.create_task(read())
    appending = asyncio.create_task(append_all())
    while not appending.done():
        await rebuilt(store, "live_tables")
        await rebuilt(store, "players")
    await appending
    over.set()
    await reading
    while any((await projector.lag()).values()):
        await asyncio.sleep(0.02)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert not projector.alarms
    assert seen == sorted(seen), "a match that was in the lobby is gone from it"
    await assert_exact(store, streams(*drives, *more))


async def test_a_rebuild_that_is_given_up_leaves_the_live_build_and_nothing_else(store: Store, drives: list[Drive]):
    before = await contents(store, "players")
    async with aclosing(Projector(store, page=5).rebuild("players")) as rebuild:
        async for progress in rebuild:
            if progress.done > 0:
                break
    assert await contents(store, "players") == before
    assert await tables(store, "players") == ["players_1", "players_matches_1", "players_sums_1"]
    assert await store.pool.fetchval("select count(*) from projection.checkpoint where build <> 1") == 0
    await rebuilt(store, "players")
    assert await contents(store, "players") == before


@pytest.mark.fault("F16")
async def test_a_cancelled_rebuild_leaves_the_live_build_and_nothing_else(
    store: Store, drives: list[Drive], database_url: str, monkeypatch: pytest.MonkeyPatch
):
    before, reached = await contents(store, "replays"), asyncio.Event()

    async def stuck(*_: Any) -> str:
        reached.set()
        await asyncio.sleep(3600)
        return ""

    with monkeypatch.context() as patched:
        patched.setattr(rebuilds, "_differences", stuck)  # within the transaction that switches
        task = asyncio.create_task(rebuilt(store, "replays"))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await contents(store, "replays") == before
    assert await tables(store, "replays") == ["replays_1"]
    await rebuilt(store, "replays")
    assert await contents(store, "replays") == before


@pytest.mark.fault(44)
async def test_a_killed_rebuild_is_cleared_away_by_the_next(
    store: Store, drives: list[Drive], database_url: str, monkeypatch: pytest.MonkeyPatch
):
    async def dead(*_: Any) -> None:
        """A process that is killed clears nothing away."""

    rebuild = Projector(store, page=5).rebuild("replays")
    async for progress in rebuild:
        if progress.done:
            break
    await lose_locks(database_url)
    with monkeypatch.context() as patched:
        patched.setattr(rebuilds, "_give_up", dead)
        with pytest.raises(Unavailable):
            async for _ in rebuild:
                pass
    assert await tables(store, "replays") == ["replays_1", "replays_2"]
    await rebuilt(store, "replays")
    assert await tables(store, "replays") == ["replays_2"]  # the number is free again
    states = await store.pool.fetch("select build, state from projection.build where name = 'replays'")
    assert [tuple(line) for line in states] == [(2, "live")]
    await assert_exact(store, streams(*drives))


@pytest.mark.fault("F16")
async def test_of_two_operators_at_once_one_is_refused(store: Store, drives: list[Drive]):
    first = Projector(store, page=20).rebuild("score_sheets")
    await anext(first)
    with pytest.raises(RebuildUnderWay, match="score_sheets is being rebuilt already"):
        await rebuilt(store, "score_sheets")
    await rebuilt(store, "replays")  # another projection may be rebuilt meanwhile
    async for _ in first:
        pass
    await rebuilt(store, "score_sheets")
    await assert_exact(store, streams(*drives))


async def test_a_damaged_build_is_found_out_and_mended_by_force(store: Store, drives: list[Drive]):
    sound = await contents(store, "players")
    await store.pool.execute("update projection.players_sums_1 set won = won + 1")
    with pytest.raises(RebuildDiffers, match="players_sums_1"):
        await rebuilt(store, "players")
    assert await tables(store, "players") == ["players_1", "players_matches_1", "players_sums_1"]
    await rebuilt(store, "players", force=True)
    assert await contents(store, "players") == sound


async def test_a_new_version_of_the_code_is_built_beside_the_old_and_switched_to(store: Store, drives: list[Drive]):
    class Longer(msgspec.Struct, frozen=True):
        match: str
        events: int = 0

    def fold(row: Longer, _: Recorded[Any]) -> Longer:
        return Longer(row.match, row.events + 1)

    newer = replace(
        PROJECTIONS["replays"],
        version=2,
        row=Longer,
        only=frozenset(entry.cls for entry in EVENTS.types),
        opened=lambda recorded: Longer(recorded.match),
        fold=fold,
        tables=(rows_table({"events": "integer"}, lambda row: (row.events,)),),
    )
    projector = Projector(store, {**PROJECTIONS, "replays": newer})
    async for _ in projector.rebuild("replays"):
        pass
    later = played(70)
    await append(store, later)
    await caught_up(projector)
    found = await store.pool.fetch("select match, events from projection.replays")
    assert {str(line[0]): line[1] for line in found} == {drive.match: len(drive.log) for drive in [*drives, later]}
    assert (await projector.health()).healthy
    old = Projector(store)  # the code of before still runs somewhere: it leaves the new build alone
    assert (await old.health()).outdated == ("replays",)


async def test_a_new_version_with_fewer_rows_is_not_switched_to(store: Store, drives: list[Drive]):
    forgetful: AnyProjection = replace(PROJECTIONS["replays"], version=2, only=frozenset(), newest=False)
    with pytest.raises(RebuildDiffers, match="4 rows before, 0 now"):
        async for _ in Projector(store, {**PROJECTIONS, "replays": forgetful}).rebuild("replays"):
            pass
    await assert_exact(store, streams(*drives))


@pytest.mark.fault(35)
async def test_parked_matches_are_parked_in_the_new_build_again_and_do_not_hinder_it(store: Store, drives: list[Drive]):
    await append_poison(store, drives[1].match)
    projector = Projector(store)
    await caught_up(projector)
    for name in PROJECTIONS:
        await rebuilt(store, name)
    assert {(entry.projection, entry.match) for entry in await projector.parked()} == {
        (name, drives[1].match) for name in PROJECTIONS
    }
    await assert_exact(store, streams(*drives))


@pytest.mark.fault("F17")
async def test_a_match_that_only_the_old_code_could_not_take_is_whole_in_the_new_build(
    store: Store, drives: list[Drive]
):
    healthy = PROJECTIONS["live_tables"]
    sick = played(81)

    def fold(row: Any, event: Recorded[Any]) -> Any:
        if event.type == "CardsDealt":
            raise ZeroDivisionError
        return healthy.fold(row, event)

    await append(store, sick)
    await caught_up(Projector(store, {**PROJECTIONS, "live_tables": replace(healthy, fold=fold)}))
    assert len(await Projector(store).parked()) == 1
    await rebuilt(store, "live_tables")
    assert await Projector(store).parked() == []
    await assert_exact(store, streams(*drives, sick))


async def test_a_hole_ends_the_rebuild_and_the_live_build_stays(
    store: Store, drives: list[Drive], database_url: str, monkeypatch: pytest.MonkeyPatch
):
    page = store.page

    async def with_a_hole(shard: int, after: int, limit: int) -> list[Any]:
        return [event for event in await page(shard, after, limit) if event.pos != 20]

    with monkeypatch.context() as patched:
        patched.setattr(store, "page", with_a_hole)
        with pytest.raises(RebuildFailed, match="hole"):
            await rebuilt(store, "replays")
    await assert_exact(store, streams(*drives))
    assert await tables(store, "replays") == ["replays_1"]


async def test_a_rebuild_of_what_is_not_there_is_a_key_error(store: Store):
    with pytest.raises(KeyError):
        await rebuilt(store, "nothing")


async def test_the_service_owns_the_read_models(store: Store):
    owners = await store.pool.fetch(
        "select distinct tableowner from pg_tables where schemaname = 'projection'"
        " union select distinct viewowner from pg_views where schemaname = 'projection'"
    )
    assert [line[0] for line in owners] == ["kibitz_app"]
    assert await store.pool.fetchval("select current_user") == "kibitz_app"
