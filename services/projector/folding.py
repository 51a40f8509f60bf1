"""One step of one projection: a run of a shard's events folded into rows, with the checkpoint, in one transaction.

Nothing is kept between steps: rows are read under the lock that the moved checkpoint holds, so what a rolled-back step
computed is gone with it.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
import structlog

from domain.event import Recorded
from domain.match import EVENTS
from projections.projection import AnyProjection, Statement
from services.projector.builds import MOVE, Build
from services.store.connection import Lent
from services.store.records import StoredEvent

log = structlog.get_logger()

_PARKED: Final = "select match from projection.parked where shard = $1 and name = $2 and build = $3"
_PARK: Final = """
insert into projection.parked (shard, name, build, match, version, pos, error)
select $1, $2, $3, u.* from unnest($4::uuid[], $5::int[], $6::bigint[], $7::text[]) u
"""


class Poison(msgspec.Struct, frozen=True):
    """The event that a projection could not take, and why."""

    event: StoredEvent
    error: str


class Page:
    """Stored events, each decoded once however many projections read it, and not at all if none needs it."""

    def __init__(self, events: Sequence[StoredEvent]) -> None:
        self.events = events
        self.newest = _newest(events)
        self._decoded: dict[int, Recorded[Any]] = {}

    def after(self, position: int) -> Sequence[StoredEvent]:
        if self.events and self.events[0].pos > position:
            return self.events
        return [event for event in self.events if event.pos > position]

    def concerning(
        self, projection: AnyProjection, events: Sequence[StoredEvent], parked: Collection[str] = ()
    ) -> list[StoredEvent]:
        """Of the last ``events`` of the page those that the projection must see, in the order of each match.

        One of an unknown type it must: nobody can say that it is nothing.
        """
        dull = _dull(projection.only)
        found = [event for event in events if event.code not in dull]
        if projection.newest and events:
            first = events[0].pos
            found += [event for event in self.newest.values() if event.code in dull and event.pos >= first]
        return [event for event in found if event.match not in parked] if parked else found

    def decoded(self, event: StoredEvent) -> Recorded[Any]:
        """Raises what the register of events raises, and ``ValueError`` for a schema that only newer code knows."""
        recorded = self._decoded.get(event.pos)
        if recorded is None:
            if event.schema > EVENTS.coded(event.code).schema:
                raise ValueError(f"schema {event.schema} of this event is newer than this code")
            recorded = self._decoded[event.pos] = event.decoded()
        return recorded


@lru_cache(maxsize=64)
def _dull(only: frozenset[type[msgspec.Struct]]) -> frozenset[int]:
    return frozenset(entry.code for entry in EVENTS.types if entry.cls not in only)


def _newest(events: Iterable[StoredEvent]) -> dict[str, StoredEvent]:
    return {event.match: event for event in events}


def folded(
    projection: AnyProjection,
    rows: dict[str, Any],
    page: Page,
    events: Sequence[StoredEvent],
    concerned: Iterable[StoredEvent],
) -> dict[str, Poison]:
    """Folds those of ``events`` into ``rows`` that concern the projection.

    A match whose event cannot be taken stops right before it; the others go on.
    """
    poisoned: dict[str, Poison] = {}
    after, decoded = projection.after, page.decoded

    def fold(event: StoredEvent) -> None:
        try:
            rows[event.match] = after(rows.get(event.match), decoded(event))
        except Exception as error:  # noqa: BLE001 - whatever a fold raises is this match's trouble, never the shard's
            poisoned[event.match] = _poison(event, error)

    for event in concerned:
        if event.match not in poisoned:
            fold(event)
    if poisoned and projection.newest:
        before = [event for event in events if event.match in poisoned and event.pos < poisoned[event.match].event.pos]
        for event in _newest(before).values():
            if event.code in _dull(projection.only):  # it was passed over, as it was not the newest
                fold(event)
    return poisoned


def _poison(event: StoredEvent, error: Exception) -> Poison:
    return Poison(event, f"{type(error).__name__}: {error}"[:2000])


async def step(lent: Lent, build: Build, shard: int, page: Page, after: int) -> bool:
    """Takes the page's events that lie behind ``after``, in one transaction of ``lent``. See ``take``."""
    events = page.after(after)
    if not page.concerning(build.projection, events):  # nothing but the checkpoint is to be written
        return await lent.execute(MOVE, shard, build.name, build.number, after, events[-1].pos) != "UPDATE 0"
    async with lent.transaction():
        return await take(lent, build, shard, page, after)


async def take(lent: Lent, build: Build, shard: int, page: Page, after: int) -> bool:
    """The same within a transaction that is open.

    False if somebody else has moved this checkpoint, or the build is gone: nothing was done. Raises what the database
    raises; then nothing was done either, unless the outcome is unknown, and the checkpoint tells.
    """
    events = page.after(after)
    moved = await lent.execute(MOVE, shard, build.name, build.number, after, events[-1].pos)
    if moved == "UPDATE 0":
        return False
    parked = {str(line[0]) for line in await lent.fetch(_PARKED, shard, build.name, build.number)}
    concerned = page.concerning(build.projection, events, parked)
    before = await rows_of(lent, build, shard, {event.match for event in concerned})
    rows = dict(before)
    poisoned = folded(build.projection, rows, page, events, concerned)
    statements, broken = _statements(build, shard, before, rows, events)
    await write(lent, statements)
    await park(lent, build, shard, poisoned | broken)
    return True


async def rows_of(lent: Lent, build: Build, shard: int, matches: Iterable[str]) -> dict[str, Any]:
    wanted = list(matches)
    if not wanted:
        return {}
    text = f"select match, body from {build.rows} where shard = $1 and match = any($2::uuid[])"  # noqa: S608
    decode = msgspec.json.Decoder(build.projection.row).decode
    return {str(match): decode(body) for match, body in await lent.fetch(text, shard, wanted)}


async def write(lent: Lent, statements: Iterable[Statement]) -> None:
    for text, arguments in statements:
        await lent.execute(text, *arguments)


async def park(lent: Lent, build: Build, shard: int, poisoned: dict[str, Poison]) -> None:
    """Writes the dead letters. If that fails the step fails with it: no event is ever passed over in silence."""
    if not poisoned:
        return
    for match, poison in poisoned.items():
        log.error(
            "projection parks a match",
            projection=build.name,
            build=build.number,
            match=match,
            version=poison.event.version,
            error=poison.error.partition(":")[0],  # the rest may name a card; `kibitz parked` has it
        )
    lines = [(match, poison.event.version, poison.event.pos, poison.error) for match, poison in poisoned.items()]
    await lent.execute(_PARK, shard, build.name, build.number, *map(list, zip(*lines, strict=True)))


def statements_for(build: Build, shard: int, before: dict[str, Any], rows: dict[str, Any]) -> list[Statement]:
    changed = {match: row for match, row in rows.items() if row != before.get(match)}
    return [text for name, table in build.tables() for text in table.write(name, shard, before, changed)]


def _statements(
    build: Build, shard: int, before: dict[str, Any], rows: dict[str, Any], events: Sequence[StoredEvent]
) -> tuple[list[Statement], dict[str, Poison]]:
    """The statements that write ``rows``, and the matches whose row cannot be written: their page is parked."""
    try:
        return statements_for(build, shard, before, rows), {}
    except Exception:  # noqa: BLE001 - one row is at fault: find it and write the others
        broken: dict[str, Poison] = {}
        for match, row in rows.items():
            try:
                statements_for(build, shard, before, {match: row})
            except Exception as error:  # noqa: BLE001
                first = next(event for event in events if event.match == match)
                broken[match] = _poison(first, error)
        good = {match: row for match, row in rows.items() if match not in broken}
        return statements_for(build, shard, before, good), broken
