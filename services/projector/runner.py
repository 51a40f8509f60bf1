"""The runner of the projections: brings every read model up to the newest event, shard by shard.

Any number of runners may work at once: the checkpoint is moved by compare-and-set, and the loser's transaction does
nothing. A runner that is killed at any point leaves rows and checkpoint together as they were. So that runners do not
all do the same, each may be given a share of the shards; what another lets stand is taken up all the same.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import Final
from uuid import UUID

import msgspec
import structlog

from projections.projection import AnyProjection
from projections.registry import PROJECTIONS
from services.ids import shard_of
from services.peers import Mine, everything
from services.projector import builds, rebuilds
from services.projector.builds import Build
from services.projector.folding import Page, folded, park, rows_of, statements_for, step, write
from services.projector.rebuilds import Progress
from services.store.connection import Lent
from services.store.packed import Damaged
from services.store.records import Unavailable
from services.store.store import Store

log = structlog.get_logger()

PAGE: Final = 500
STALL_SECONDS: Final = 10.0
HELP_SECONDS: Final = 2.0
"""A shard of another's share whose checkpoint stands for so long is taken up: its runner may be of older code."""
_LONGEST_PAUSE: Final = 5.0
_BREATH: Final = 4
"""How many times as long as a round took the next one may wait, unless there is more than a page to take."""
_LONGEST_BREATH: Final = 1.0
_STEP_SECONDS: Final = 30.0
_REBUILD_PAGES: Final = 16
"""A rebuild takes longer pages: nobody waits for its next row."""


class Parked(msgspec.Struct, frozen=True):
    """A match that waits for ``unpark``, from the event with ``version`` on."""

    projection: str
    match: str
    version: int
    error: str


class NotParked(Exception):
    """That match is not parked in that projection."""


class StillParked(Exception):
    """The match was replayed up to an event that the projection still cannot take."""


class Health(msgspec.Struct, frozen=True):
    """``lag`` in events, by projection. ``stalled``: behind, and not moving for ten seconds. ``alarms``: what keeps
    this runner from moving. ``parked``: matches set aside, by projection. ``outdated``: built by another version of
    the code, or not at all.
    """

    lag: dict[str, int]
    stalled: tuple[str, ...]
    alarms: tuple[str, ...]
    parked: dict[str, int]
    outdated: tuple[str, ...]

    @property
    def healthy(self) -> bool:
        return not (self.stalled or self.alarms or self.outdated)


class Watchdog:
    """Notices a checkpoint that stands still while its shard's head is ahead of it."""

    def __init__(self, seconds: float = STALL_SECONDS) -> None:
        self._seconds = seconds
        self._seen: dict[tuple[str, int], tuple[int, float]] = {}

    def observe(self, now: float, heads: Mapping[int, int], live: Iterable[Build]) -> tuple[str, ...]:
        """The projections that are stalled at ``now``, by name. ``now`` is in seconds on any clock that only rises."""
        stalled = set()
        for build in live:
            for shard, at in build.positions.items():
                key = build.name, shard
                seen, since = self._seen.get(key, (-1, now))
                if at != seen or at >= heads.get(shard, 0):
                    self._seen[key] = at, now
                elif now - since >= self._seconds:
                    stalled.add(build.name)
        return tuple(sorted(stalled))


class Projector:
    """Runs ``projections`` over the events of ``store``."""

    def __init__(
        self,
        store: Store,
        projections: Mapping[str, AnyProjection] = PROJECTIONS,
        *,
        interval: float = 0.25,
        page: int = PAGE,
        stall_seconds: float = STALL_SECONDS,
        mine: Mine = everything,
    ) -> None:
        """``mine`` says which shards, named ``shard 0`` and so on, are of this runner's share."""
        self._store = store
        self._projections = projections
        self._interval = interval
        self._page = page
        self._mine = mine
        self._waited: dict[int, tuple[int, float]] = {}
        self._woken = asyncio.Event()
        self._more = False
        self._watchdog = Watchdog(stall_seconds)
        self.alarms: dict[tuple[str, int], str] = {}

    def wake(self) -> None:
        """Something was appended in this process: look now instead of at the next poll."""
        self._woken.set()

    async def run(self) -> None:
        """Runs until cancelled, through every outage of the database. ``prepare`` has been called before."""
        pause, clock = self._interval, asyncio.get_running_loop().time
        while True:
            moved, began = 0, clock()
            try:
                moved = await self.run_once()
                pause = self._interval
            except Exception as error:  # a runner that ends in silence is the worst of all faults
                pause = min(2 * pause, _LONGEST_PAUSE)
                if isinstance(error, Unavailable):
                    log.warning("projector waits for the database", error=str(error))
                else:
                    log.exception("projector failed and goes on")
            if not moved:
                await self._rest(pause)
            elif not self._more:  # what comes meanwhile is taken together, which costs far less
                await asyncio.sleep(min(_BREATH * (clock() - began), _LONGEST_BREATH))

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
        finally:
            self._woken.clear()

    async def prepare(self) -> None:
        """Gives a first build to each projection that has none; any number of processes may do so at once.

        Readers find nothing to ask before. Raises ``Unavailable``.
        """
        await self._store.ask(lambda lent: _found(lent, self._projections.values()), _STEP_SECONDS)

    async def tidy(self) -> None:
        """Takes away what killed rebuilds have left; see ``services.projector.rebuilds.tidy``."""
        await rebuilds.tidy(self._store, self._projections.values())

    async def run_once(self) -> int:
        """At most one page of every shard that is ahead of a checkpoint. Gives the number of events that were taken.

        Raises ``Unavailable`` when the database is away. What else goes wrong in a shard is an alarm: that checkpoint
        stands until a later call gets through, and the other shards go on.
        """
        heads = await self._store.heads()
        live = [build for build in await self._live() if build.current]
        self._watchdog.observe(asyncio.get_running_loop().time(), heads, live)
        moved, away, self._more = 0, None, False
        for shard, head in heads.items():
            behind = [build for build in live if build.positions.get(shard, head) < head]
            try:
                if self._to_do(shard, behind):
                    moved += await self._advance(shard, behind)
            except Unavailable as error:
                away = error  # one shard that does not answer keeps none of the others waiting
        if away is not None:
            raise away
        return moved

    def _to_do(self, shard: int, behind: list[Build]) -> bool:
        """Whether there is something to do in ``shard`` that this runner should do."""
        if not behind or self._mine(f"shard {shard}"):
            self._waited.pop(shard, None)
            return bool(behind)
        now, lowest = asyncio.get_running_loop().time(), min(build.positions[shard] for build in behind)
        at, since = self._waited.setdefault(shard, (lowest, now))
        if at != lowest:
            self._waited[shard] = lowest, now
        return at == lowest and now - since >= HELP_SECONDS

    async def _advance(self, shard: int, behind: list[Build]) -> int:
        after = min(build.positions[shard] for build in behind)
        try:
            events = await self._store.page(shard, after, self._page)
        except Damaged as error:  # all that lies behind it has to wait
            for build in behind:
                self._alarm(build.name, shard, f"shard {shard}: {error}")
            return 0
        self._more = self._more or len(events) == self._page
        sound = [event for place, event in enumerate(events, start=after + 1) if event.pos == place]
        if not sound or len(sound) < len(events):
            text = f"shard {shard} has a hole: no event at position {after + len(sound) + 1}"
            for build in behind:
                self._alarm(build.name, shard, text)
            if not sound:
                return 0
        page, moved = Page(sound), 0
        for build in behind:
            if build.positions[shard] >= sound[-1].pos:
                continue
            if await self._step(build, shard, page):
                moved += len(page.after(build.positions[shard]))
                if len(sound) == len(events):
                    self.alarms.pop((build.name, shard), None)
        return moved

    async def _step(self, build: Build, shard: int, page: Page) -> bool:
        after = build.positions[shard]
        try:
            # If it is put twice after a lost connection, the checkpoint lets only one of the two happen.
            return await self._store.ask(lambda lent: step(lent, build, shard, page, after), _STEP_SECONDS)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - said in the alarm; the checkpoint has not moved
            self._alarm(build.name, shard, f"{build.name} stands still in shard {shard}: {error}")
            return False

    def _alarm(self, name: str, shard: int, text: str) -> None:
        if self.alarms.get((name, shard)) != text:
            log.error("projection stopped", projection=name, shard=shard, error=text)
        self.alarms[name, shard] = text

    async def _live(self, name: str | None = None) -> list[Build]:
        lines = await self._store.ask(lambda lent: lent.fetch(builds.LIVE, "live", name))
        return builds.assembled(lines, self._projections)

    async def lag(self) -> dict[str, int]:
        """By projection, how many events its live build is behind."""
        live, heads = await self._live(), await self._store.heads()
        return _lag(heads, live)

    async def since(self) -> dict[str, int]:
        """By projection, when the oldest event happened that its live build has not taken, in milliseconds since 1970;
        only those that are behind.
        """
        live, heads = await self._live(), await self._store.heads()
        dated: dict[tuple[int, int], int | None] = {}
        found: dict[str, int] = {}
        for build in live:
            for shard, at in build.positions.items():
                if at >= heads.get(shard, 0):
                    continue
                if (shard, at) not in dated:
                    dated[shard, at] = await self._store.dated(shard, at + 1)
                date = dated[shard, at]
                if date is not None:
                    found[build.name] = min(date, found.get(build.name, date))
        return found

    async def health(self) -> Health:
        """How the read models are, whichever process runs the projector. Raises ``Unavailable``."""
        live, heads = await self._live(), await self._store.heads()
        parked: dict[str, int] = {}
        for entry in await self.parked():
            parked[entry.projection] = parked.get(entry.projection, 0) + 1
        missing = self._projections.keys() - {build.name for build in live}
        return Health(
            lag=_lag(heads, live),
            stalled=self._watchdog.observe(asyncio.get_running_loop().time(), heads, live),
            alarms=tuple(sorted(set(self.alarms.values()))),
            parked=parked,
            outdated=tuple(sorted(missing | {build.name for build in live if not build.current})),
        )

    async def parked(self, name: str | None = None) -> list[Parked]:
        """The matches that are set aside in the live builds."""
        lines = await self._store.ask(lambda lent: lent.fetch(_PARKED, name))
        return [Parked(projection, str(match), version, error) for projection, match, version, error in lines]

    async def unpark(self, name: str, match: str) -> int:
        """Replays a parked match from the event at which it was parked. Gives the number of events that were taken.

        Raises ``NotParked``; and ``StillParked`` if an event cannot be taken even now: then the match is parked there.
        """
        shard = shard_of(match)
        for build in await self._live(name):
            async with self._store.pool.acquire() as lent:
                return await _unpark(self._store, lent, build, shard, match)
        raise NotParked(f"{match} is not parked in {name}")

    def rebuild(self, *names: str, force: bool = False) -> AsyncGenerator[Progress, None]:
        """See ``services.projector.rebuilds.rebuild``. Raises ``KeyError`` for a projection that there is not."""
        wanted = [self._projections[name] for name in names]
        return rebuilds.rebuild(self._store, *wanted, page=_REBUILD_PAGES * self._page, force=force)


_PARKED: Final = """
select p.name, p.match, p.version, p.error from projection.parked p join projection.build b using (name, build)
where b.state = 'live' and ($1::text is null or p.name = $1) order by p.name, p.match
"""


def _lag(heads: Mapping[int, int], live: Iterable[Build]) -> dict[str, int]:
    # Heads are read after checkpoints, so a difference is never negative because of the order of reading.
    return {build.name: sum(heads.get(shard, 0) - at for shard, at in build.positions.items()) for build in live}


async def _found(lent: Lent, projections: Iterable[AnyProjection]) -> None:
    async with lent.transaction():
        await lent.execute("select pg_advisory_xact_lock(hashtext('kibitz first build'))")
        there = {line[0] for line in await lent.fetch("select name from projection.build")}
        for projection in projections:
            if projection.name not in there:
                await write(lent, ((statement, ()) for statement in builds.found(projection)))


async def _unpark(store: Store, lent: Lent, build: Build, shard: int, match: str) -> int:
    key = shard, build.name, build.number, UUID(match)
    where = "where shard = $1 and name = $2 and build = $3 and match = $4"
    async with lent.transaction():
        held = await lent.fetchrow(builds.HOLD, build.name, build.number, shard)
        since = await lent.fetchval(f"select version from projection.parked {where}", *key)  # noqa: S608
        if held is None or since is None:
            raise NotParked(f"{match} is not parked in {build.name}")
        before = await rows_of(lent, build, shard, [match])
        # What lies behind the checkpoint is left to the runner: it takes it as soon as this lock is gone.
        events = [event for event in await store.events(match, after=since - 1) if event.pos <= held["pos"]]
        rows = dict(before)
        page = Page(events)
        poisoned = folded(build.projection, rows, page, events, page.concerning(build.projection, events))
        await write(lent, statements_for(build, shard, before, rows))
        await lent.execute(f"delete from projection.parked {where}", *key)  # noqa: S608
        await park(lent, build, shard, poisoned)
    if poisoned:
        poison = poisoned[match]
        raise StillParked(f"{build.name} cannot take event {poison.event.version} of {match}: {poison.error}")
    return len(events)
