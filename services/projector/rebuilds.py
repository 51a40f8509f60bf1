"""Rebuilding projections: the next build grows beside the live one, is compared with it, and takes its place.

Several that are built together read and decode each event once. Readers and runners go on with the live build all the
while; the switch is one transaction. The advisory lock only tells a second operator to wait: what keeps the data right
is that every write moves a checkpoint by compare-and-set.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec
import structlog

from projections.projection import AnyProjection
from services.ids import SHARDS
from services.projector import builds
from services.projector.builds import Build
from services.projector.folding import Page, take
from services.store.connection import LOST, Lent
from services.store.records import StoredEvent, Unavailable
from services.store.store import Store

log = structlog.get_logger()

_LOCK: Final = "hashtext('kibitz rebuild'), hashtext($1)"
_SWITCH_WAIT: Final = "10s"
_STATE: Final = "update projection.build set state = $3 where name = $1 and build = $2"


class Progress(msgspec.Struct, frozen=True):
    """How many events the new builds have taken, and how many there are to take: those of each build together."""

    done: int
    total: int


class _Work:
    """A new build and the live one that it will replace, by shard how far it has come, and how far it is to go."""

    def __init__(self, live: Build, new: Build) -> None:
        self.live = live
        self.new = new
        self.at = dict(new.positions)
        self.goal: Mapping[int, int] = {}


class _Stretch(NamedTuple):
    """The events of a shard behind position ``after``, up to ``last``, for all whose builds have come so far."""

    shard: int
    after: int
    last: int
    takers: Sequence[_Work]


class RebuildUnderWay(Exception):
    """Somebody else is rebuilding this projection."""


class RebuildDiffers(Exception):
    """The new build is not what the live one is; the live one stays. The text says where they differ."""


class RebuildFailed(Exception):
    """The new build cannot be finished; the live one stays."""


async def rebuild(
    store: Store, *projections: AnyProjection, page: int = 500, force: bool = False
) -> AsyncGenerator[Progress, None]:
    """Builds ``projections`` anew from the first event on, and switches to one after another.

    It ends with the last switch. A consumer that stops early (``aclose``, or its task is cancelled), and any error,
    leave the live builds as they are, but for those that were switched to before, and take the new ones away. A new
    build of the same version of the code must have the same rows as the live one at the same checkpoints, one of
    another version at least as many; ``force`` switches anyhow, which is how a damaged build is mended. Raises
    ``RebuildUnderWay``, ``RebuildDiffers``, ``RebuildFailed``, and ``Unavailable`` if the database goes away meanwhile.
    """
    async with _alone(store, [projection.name for projection in projections]) as lent:
        works: list[_Work] = []
        try:
            for projection in projections:
                await _tidy(lent, projection)
                live = await _live(lent, projection)
                works.append(_Work(live, await _begin(lent, projection)))
            async for progress in _catch_up(store, lent, works, page):
                yield progress
            taken = 0
            while works:
                taken += await _finish(store, lent, works[0], page, force=force)
                works.pop(0)
        except BaseException as error:
            for work in works:
                await asyncio.shield(_give_up(lent, work.new))
            if isinstance(error, (*LOST, TimeoutError)):
                raise Unavailable(f"the database went away during the rebuild: {error}") from error
            raise
        yield Progress(taken, taken)
        for projection in projections:
            await _tidy(lent, projection)


async def tidy(store: Store, projections: Iterable[AnyProjection]) -> None:
    """Takes away what killed rebuilds have left: nobody carries it on, and it would seem to be behind for ever. What is
    being built stays. Raises ``Unavailable``.
    """
    for projection in projections:
        try:
            async with _alone(store, [projection.name]) as lent:
                await _tidy(lent, projection)
        except RebuildUnderWay:
            continue
        except (*LOST, TimeoutError) as error:
            raise Unavailable(f"the database went away: {error}") from error


@asynccontextmanager
async def _alone(store: Store, names: Sequence[str]) -> AsyncIterator[Lent]:
    async with store.pool.acquire() as lent, AsyncExitStack() as stack:
        for name in names:
            if not await lent.fetchval(f"select pg_try_advisory_lock({_LOCK})", name):
                raise RebuildUnderWay(f"{name} is being rebuilt already; wait until that has ended")
            stack.push_async_callback(_let_go, lent, name)
        yield lent


async def _let_go(lent: Lent, name: str) -> None:
    with suppress(*LOST):  # where the connection is gone, the lock is gone with it
        await asyncio.shield(lent.execute(f"select pg_advisory_unlock({_LOCK})", name))


async def _live(lent: Lent, projection: AnyProjection) -> Build:
    lines = await lent.fetch(builds.LIVE, "live", projection.name)
    found = builds.assembled(lines, {projection.name: projection})
    if not found:
        raise RebuildFailed(f"{projection.name} has no live build yet: start the projector once")
    return found[0]


async def _begin(lent: Lent, projection: AnyProjection) -> Build:
    last = await lent.fetchval("select max(build) from projection.build where name = $1", projection.name)
    number = last + 1
    async with lent.transaction():
        for statement in (*builds.create(projection, number), *builds.enter(projection, number, "building")):
            await lent.execute(statement)
    return Build(projection, number, projection.version, dict.fromkeys(SHARDS, 0))


async def _goal(store: Store, lent: Lent, live: Build) -> dict[int, int]:
    """How far the new build is to go: as far as the live one, where the two can be compared; else to the very end."""
    if not live.current:
        return await store.heads()
    return {line["shard"]: line["pos"] for line in await lent.fetch(_POSITIONS, live.name, live.number)}


_POSITIONS: Final = "select shard, pos from projection.checkpoint where name = $1 and build = $2"


async def _catch_up(store: Store, lent: Lent, works: Sequence[_Work], page: int) -> AsyncIterator[Progress]:
    """Takes pages until each build misses less than one page in all shards together."""
    while True:
        for work in works:
            work.goal = await _goal(store, lent, work.live)
        yield _progress(works)
        if all(sum(work.goal.values()) - sum(work.at.values()) < page for work in works):
            return
        async for _ in _take_all(store, lent, list(_stretches(works, page))):
            yield _progress(works)


async def _take_all(store: Store, lent: Lent, stretches: Sequence[_Stretch]) -> AsyncIterator[None]:
    """Takes one stretch after another; the next is read meanwhile."""
    reading: asyncio.Task[list[StoredEvent]] | None = None
    try:
        for place, stretch in enumerate(stretches):
            events = await (reading or _read(store, stretch))
            more = place + 1 < len(stretches)
            reading = asyncio.create_task(_read(store, stretches[place + 1])) if more else None
            await _take(lent, stretch, events)
            yield
    finally:
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


def _stretches(works: Sequence[_Work], page: int) -> Iterator[_Stretch]:
    """What is missing, in pages: none goes past the place where one of the builds stands, or is to stop."""
    for shard in SHARDS:
        stops = sorted({place for work in works for place in (work.at[shard], work.goal.get(shard, 0))})
        for first, last in pairwise(stops):
            takers = [work for work in works if work.at[shard] <= first and last <= work.goal.get(shard, 0)]
            if takers:
                for after in range(first, last, page):
                    yield _Stretch(shard, after, min(after + page, last), takers)


async def _read(store: Store, stretch: _Stretch) -> list[StoredEvent]:
    after, last = stretch.after, stretch.last
    events = await store.page(stretch.shard, after, last - after)
    if [event.pos for event in events] != list(range(after + 1, last + 1)):
        raise RebuildFailed(f"shard {stretch.shard} has a hole behind position {after}")
    return events


async def _take(lent: Lent, stretch: _Stretch, events: Sequence[StoredEvent]) -> None:
    read, shard = Page(events), stretch.shard
    async with lent.transaction():
        for work in stretch.takers:
            if not await take(lent, work.new, shard, read, stretch.after):
                raise RebuildFailed(f"somebody else moved the checkpoint of the new build in shard {shard}")
    for work in stretch.takers:
        work.at[shard] = stretch.last


def _progress(works: Sequence[_Work]) -> Progress:
    return Progress(sum(sum(work.at.values()) for work in works), sum(sum(work.goal.values()) for work in works))


async def _finish(store: Store, lent: Lent, work: _Work, page: int, *, force: bool) -> int:
    """The rest, the comparison and the switch, with the live build's checkpoints held: no runner moves meanwhile.

    Gives the number of events that the new build has taken.
    """
    live, new = work.live, work.new
    async with lent.transaction():
        await lent.execute(f"set local lock_timeout = '{_SWITCH_WAIT}'")
        await lent.execute("set local statement_timeout = 0")
        held = {line["shard"]: line["pos"] for line in await lent.fetch(builds.HOLD, live.name, live.number, None)}
        if not held:
            raise RebuildFailed(f"the live build of {live.name} was replaced meanwhile")
        work.goal = held if live.current else await store.heads()
        work.at = {line["shard"]: line["pos"] for line in await lent.fetch(_POSITIONS, new.name, new.number)}
        async for _ in _take_all(store, lent, list(_stretches([work], page))):
            pass
        differences = await _differences(lent, live, new)
        if differences and not force:
            raise RebuildDiffers(f"{live.name} is not switched: {differences}")
        if differences:
            log.warning("rebuild replaces a build that differs", projection=live.name, differences=differences)
        await lent.execute("set local synchronous_commit = on")  # the steps need not wait for the disk, the switch does
        for state, build in (("retired", live), ("live", new)):
            await lent.execute(_STATE, build.name, build.number, state)
        await lent.execute("delete from projection.checkpoint where name = $1 and build = $2", live.name, live.number)
        for statement in builds.show(new.projection, new.number):
            await lent.execute(statement)
    return sum(work.at.values())


async def _differences(lent: Lent, live: Build, new: Build) -> str:
    """Where the builds differ; empty if nowhere. Matches parked in either are left out: they lag by nature."""
    parked = [
        line[0]
        for line in await lent.fetch(
            "select distinct match from projection.parked where name = $1 and build in ($2, $3)",
            live.name,
            live.number,
            new.number,
        )
    ]
    if not live.current:
        counts = [await lent.fetchval(f"select count(*) from {build.rows}") for build in (live, new)]  # noqa: S608
        return "" if counts[1] >= counts[0] - len(parked) else f"{counts[0]} rows before, {counts[1]} now"
    found = []
    for (old_name, table), (new_name, _) in zip(live.tables(), new.tables(), strict=True):
        if parked and not table.by_match:
            continue
        within = "where match <> all($1::uuid[])" if table.by_match else "where $1::uuid[] is not null"
        counted = [
            await lent.fetchval(
                f"select count(*) from (select * from {left} {within} except all select * from {right}) d",  # noqa: S608
                parked,
            )
            for left, right in ((old_name, new_name), (new_name, old_name))
        ]
        if any(counted):
            found.append(f"{counted[0]} rows of {old_name} are not in {new_name}, {counted[1]} the other way")
    return "; ".join(found)


async def _give_up(lent: Lent, new: Build) -> None:
    """Takes the unfinished build away. If that cannot be done now, the next rebuild does it.

    Only on the connection that has the lock: where that is lost, somebody else may be building under the same number.
    """
    try:
        await _discard(lent, new.projection, new.number)
    except Exception as error:  # noqa: BLE001 - the reason for giving up is what the caller must see
        log.warning("an unfinished build is left for the next rebuild", projection=new.name, error=str(error))


async def _tidy(lent: Lent, projection: AnyProjection) -> None:
    """Drops what is neither live nor, as we are alone, being built: retired builds, and those of killed rebuilds."""
    for line in await lent.fetch(
        "select build from projection.build where name = $1 and state <> 'live'", projection.name
    ):
        await _discard(lent, projection, line["build"])


async def _discard(lent: Lent, projection: AnyProjection, number: int) -> None:
    async with lent.transaction():
        await lent.execute(f"set local lock_timeout = '{_SWITCH_WAIT}'")
        for statement in (*builds.drop(projection, number), *builds.strike_out(projection, number)):
            await lent.execute(statement)
