"""What is forgotten when it is old, and how it is found. The record itself, what is disclosed of it and what is claimed
about it are never deleted; docs/operations.md has the table.
"""

import asyncio
from collections.abc import Iterable
from typing import Final
from uuid import UUID

import msgspec
import structlog

from domain.match.rulings import DISPUTE_MS
from domain.match.state import State
from services.ids import SHARDS, first_id
from services.live import folded
from services.store.packed import Damaged
from services.store.records import Newer
from services.store.store import Store

log = structlog.get_logger()

DAY: Final = 86_400_000
"""What is younger, in milliseconds, is never forgotten: the database sees to it, too."""
_PAGE: Final = 500
_LOOKS: Final = 50
_PAUSE: Final = 0.1
_FIRST: Final = "00000000-0000-0000-0000-000000000000"


class Keep(msgspec.Struct, frozen=True):
    """For how long each is kept, in milliseconds; None for ever."""

    refusals: int | None
    keys: int | None
    guests: int | None


class Forgotten(msgspec.Struct, frozen=True):
    refusals: int = 0
    keys: int = 0
    guests: int = 0


class Behind(Exception):
    """A read model has not taken everything: who has sat where is not known, and no guest is forgotten."""


class _Seat(msgspec.Struct, frozen=True):
    player: str = ""


class _Table(msgspec.Struct, frozen=True):
    host: str
    seats: tuple[_Seat, ...]


async def retain(store: Store, now: int, keep: Keep) -> Forgotten:
    """Forgets what is older than ``keep`` says. ``now`` is the database's time, in milliseconds since 1970.

    It may run beside the service, be stopped and be begun again. Raises ``Unavailable``, and ``Behind`` after
    everything else is done.
    """
    refusals = 0 if keep.refusals is None else await _refusals(store, now, _until(now, keep.refusals))
    keys = 0 if keep.keys is None else await _keys(store, _until(now, keep.keys))
    guests = 0 if keep.guests is None else await _guests(store, _until(now, keep.guests))
    return Forgotten(refusals, keys, guests)


def _until(now: int, age: int) -> int:
    return now - max(age, DAY)


async def _refusals(store: Store, now: int, before: int) -> int:
    """Of matches that are settled: as long as somebody may still dispute or rule, what was tried is evidence."""
    gone = 0
    for shard in SHARDS:
        after = _FIRST
        while page := await store.refused(shard, after, before, _PAGE):
            for match in page:
                if await _is_settled(store, match, now, before):
                    gone += await store.forget_refusals(shard, match, before)
            after = page[-1]
    return gone


async def _is_settled(store: Store, match: str, now: int, before: int) -> bool:
    """Whether a match is over, saw nothing new since, and has no case without a ruling and none to come (clause 7.1).

    One that was never opened is settled.
    """
    try:
        events = await store.events(match)
        if not events:
            return True
        if events[-1].at >= before:
            return False
        state = folded(State(), events, await store.openings(match, until=len(events)))
    except Newer:
        raise
    except (Damaged, ValueError, TypeError, LookupError) as error:
        log.warning("refused attempts are kept", match=match, error=f"{type(error).__name__}: {error}")
        return False
    too_late = state.over and now > state.over_at + DISPUTE_MS
    return too_late and all(case.rulings for case in state.disputes)


async def _keys(store: Store, before: int) -> int:
    gone = 0
    while some := await store.forget_claims(first_id(before), _PAGE):
        gone += some
    return gone


async def _guests(store: Store, before: int) -> int:
    for shard in SHARDS:
        if behind := await _behind(store, shard):
            raise Behind(f"no guest is forgotten: {', '.join(behind)} has not taken all events yet")
    if parked := await store.set_aside():
        raise Behind(f"no guest is forgotten: {', '.join(parked)} has set aside matches ('kibitz parked' names them)")
    gone, after, until = 0, first_id(0), first_id(before)
    while page := await store.idle_guests(after, until, _PAGE):
        busy = await _hosts_and_waiting(store, page)
        for player in page:
            gone += player not in busy and await store.erase(player)
        after = page[-1]
    return gone


async def _behind(store: Store, shard: int) -> list[str]:
    """The read models that do not catch up. Where much is played one is always some events behind, and for a moment."""
    behind = await store.behind(shard)
    for _ in range(_LOOKS):
        if not behind:
            break
        await asyncio.sleep(_PAUSE)
        behind = await store.behind(shard)
    return behind


async def _hosts_and_waiting(store: Store, guests: Iterable[str]) -> set[str]:
    """Those of ``guests`` (oldest first) who opened a match, or sit or sat last at one that did not begin."""
    asked, found = set(guests), set[str]()
    opened, match = (UUID(min(asked)).int >> 80) - 1, _FIRST
    while page := await store.tables_since(opened, match, _PAGE):
        for match, opened, body in page:  # noqa: B007 - the last ones say where the next page begins
            table = _TABLE.decode(body)
            found |= asked & {table.host, *(seat.player for seat in table.seats)}
    return found


_TABLE: Final = msgspec.json.Decoder(_Table)
