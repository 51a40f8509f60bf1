"""Rebuilding a projection: the next build grows beside the live one, is compared with it, and takes its place.

Readers and runners go on with the live build all the while; the switch is one transaction. The advisory lock only tells
a second operator to wait: what keeps the data right is that every write moves a checkpoint by compare-and-set.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import msgspec
import structlog

from projections.projection import AnyProjection
from services.ids import SHARDS
from services.projector import builds
from services.projector.builds import Build
from services.projector.folding import Page, step
from services.store.connection import LOST, Lent
from services.store.records import Unavailable
from services.store.store import Store

log = structlog.get_logger()

_LOCK: Final = "hashtext('kibitz rebuild'), hashtext($1)"
_SWITCH_WAIT: Final = "10s"
_STATE: Final = "update projection.build set state = $3 where name = $1 and build = $2"


class Progress(msgspec.Struct, frozen=True):
    """How many events the new build has taken, and how many there are to take."""

    done: int
    total: int


class RebuildUnderWay(Exception):
    """Somebody else is rebuilding this projection."""


class RebuildDiffers(Exception):
    """The new build is not what the live one is; the live one stays. The text says where they differ."""


class RebuildFailed(Exception):
    """The new build cannot be finished; the live one stays."""


async def rebuild(
    store: Store, projection: AnyProjection, *, page: int = 500, force: bool = False
) -> AsyncGenerator[Progress, None]:
    """Builds ``projection`` anew from the first event on, and switches to it.

    It ends with the switch. A consumer that stops early (``aclose``, or its task is cancelled), and any error, leave
    the live build as it is and take the new one away. A new build of the same version of the code must have the same
    rows as the live one at the same checkpoints, one of another version at least as many; ``force`` switches anyhow,
    which is how a damaged build is mended. Raises ``RebuildUnderWay``, ``RebuildDiffers``, ``RebuildFailed``, and
    ``Unavailable`` if the database goes away meanwhile.
    """
    async with _alone(store, projection.name) as lent:
        await _tidy(lent, projection)
        live = await _live(lent, projection)
        new = await _begin(lent, projection)
        try:
            async for progress in _catch_up(store, lent, live, new, page):
                yield progress
            taken = await _finish(store, lent, live, new, page, force=force)
        except BaseException as error:
            await asyncio.shield(_give_up(lent, new))
            if isinstance(error, (*LOST, TimeoutError)):
                raise Unavailable(f"the database went away during the rebuild: {error}") from error
            raise
        yield Progress(taken, taken)
        await _tidy(lent, projection)


@asynccontextmanager
async def _alone(store: Store, name: str) -> AsyncIterator[Lent]:
    async with store.pool.acquire() as lent:
        if not await lent.fetchval(f"select pg_try_advisory_lock({_LOCK})", name):
            raise RebuildUnderWay(f"{name} is being rebuilt already; wait until that has ended")
        try:
            yield lent
        finally:
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


async def _catch_up(store: Store, lent: Lent, live: Build, new: Build, page: int) -> AsyncIterator[Progress]:
    """Takes pages until less than one page is missing in all shards together."""
    at = dict(new.positions)
    while True:
        goal = await _goal(store, lent, live)
        total = sum(goal.values())
        yield Progress(sum(at.values()), total)
        if total - sum(at.values()) < page:
            return
        for shard, last in goal.items():
            while at[shard] < last:
                at[shard] = await _take(store, lent, new, shard, at[shard], min(page, last - at[shard]))
                yield Progress(sum(at.values()), total)


async def _take(store: Store, lent: Lent, new: Build, shard: int, after: int, limit: int) -> int:
    events = await store.page(shard, after, limit)
    if [event.pos for event in events] != list(range(after + 1, after + 1 + len(events))) or not events:
        raise RebuildFailed(f"shard {shard} has a hole behind position {after}")
    if not await step(lent, new, shard, Page(events), after):
        raise RebuildFailed(f"somebody else moved the checkpoint of the new build in shard {shard}")
    return events[-1].pos


async def _finish(store: Store, lent: Lent, live: Build, new: Build, page: int, *, force: bool) -> int:
    """The rest, the comparison and the switch, with the live build's checkpoints held: no runner moves meanwhile."""
    async with lent.transaction():
        await lent.execute(f"set local lock_timeout = '{_SWITCH_WAIT}'")
        await lent.execute("set local statement_timeout = 0")
        held = {line["shard"]: line["pos"] for line in await lent.fetch(builds.HOLD, live.name, live.number, None)}
        if not held:
            raise RebuildFailed(f"the live build of {live.name} was replaced meanwhile")
        goal = held if live.current else await store.heads()
        at = {line["shard"]: line["pos"] for line in await lent.fetch(_POSITIONS, new.name, new.number)}
        for shard, last in goal.items():
            while at[shard] < last:
                at[shard] = await _take(store, lent, new, shard, at[shard], min(page, last - at[shard]))
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
    return sum(at.values())


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
