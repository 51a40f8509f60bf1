"""What is forgotten when it is old, and how it is found. The record itself, what is disclosed of it and what is claimed
about it are never deleted; docs/operations.md has the table.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

import msgspec
import structlog

from domain.match.rulings import DISPUTE_MS
from domain.match.state import State
from services.ids import LOWEST, SHARDS, first_id, made_at
from services.live import folded
from services.store.packed import Damaged
from services.store.records import Newer
from services.store.store import Store

log = structlog.get_logger()

DAY: Final = 86_400_000
"""What is younger, in milliseconds, is never forgotten: the database sees to it, too."""
PATIENCE: Final = 10.0
"""Seconds for which the read models are waited for: where a service runs, they take what has happened within two."""
_PAGE: Final = 500
_LOOK: Final = 0.2


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
    guests = 0 if keep.guests is None else await _guests(store, now, _until(now, keep.guests))
    return Forgotten(refusals, keys, guests)


def _until(now: int, age: int) -> int:
    return now - max(age, DAY)


async def _refusals(store: Store, now: int, before: int) -> int:
    """Of matches that are settled: as long as somebody may still dispute or rule, what was tried is evidence."""
    gone = 0
    for shard in SHARDS:
        after = LOWEST
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


async def _guests(store: Store, now: int, before: int) -> int:
    """The read models tell who had left a trace when this began; who leaves one since has said so before."""
    gone, after, until, since = 0, first_id(0), first_id(before), first_id(now - DAY)
    await _caught_up(store)
    while page := await store.idle_guests(after, until, _PAGE):
        busy = await _hosts_and_waiting(store, page)
        for player in page:
            gone += player not in busy and await store.forget_guest(player, since)
        after = page[-1]
    return gone


async def _caught_up(store: Store) -> None:
    """Waits until the read models know of all that has happened until now, however much goes on happening."""
    clock = asyncio.get_running_loop()
    until = clock.time() + PATIENCE
    for shard, head in (await store.heads()).items():
        while behind := await store.behind(shard, head):
            if clock.time() > until:
                raise Behind(
                    f"no guest is forgotten: in {PATIENCE:.0f} seconds {', '.join(behind)} did not take the events of "
                    "before; does a service run?"
                )
            await asyncio.sleep(_LOOK)
    if parked := await store.set_aside():
        raise Behind(f"no guest is forgotten: {', '.join(parked)} set aside matches ('kibitz parked' names them)")


async def _hosts_and_waiting(store: Store, guests: Iterable[str]) -> set[str]:
    """Those of ``guests`` (oldest first) who opened a match, or sit or sat last at one that did not begin."""
    asked, found = set(guests), set[str]()
    opened, match = made_at(min(asked)) - 1, LOWEST
    while page := await store.tables_since(opened, match, _PAGE):
        for match, opened, body in page:  # noqa: B007 - the last ones say where the next page begins
            table = _TABLE.decode(body)
            found |= asked & {table.host, *(seat.player for seat in table.seats)}
    return found


_TABLE: Final = msgspec.json.Decoder(_Table)
