"""Finished matches go into the archive: packed, out of the tables that grow, and still read like any other.

Every reader finds them there (``services/store/streams.py``): replays, exports, audits, rebuilds, answers to old keys.
A match that goes on in the archive, because somebody disputes it, has its new events in the tables like any other, and
they are put away later, behind the first.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

import msgspec
import structlog

from domain.match.state import State
from services.ids import LOWEST, SHARDS, first_id
from services.live import folded
from services.store.packed import Damaged, pack
from services.store.records import Newer, StoredEvent, StoredOpening
from services.store.store import Store

log = structlog.get_logger()

_PAGE: Final = 200


class Behind(Exception):
    """Read models have not taken all events of a match that is to be archived. What was archived before it stays so."""


class NotHere(Exception):
    """Nothing is archived on a distributed database: what guards the rows there cannot look into the archive."""


class Archived(msgspec.Struct, frozen=True):
    """What has been put away: matches, their events, and the bytes they took as rows and take now, without indexes."""

    matches: int = 0
    events: int = 0
    rows_bytes: int = 0
    packed_bytes: int = 0


async def archive(store: Store, before: int) -> AsyncGenerator[Archived, None]:
    """Puts away every match that is over, has no dispute that waits for a ruling, and saw its last event ``before``.
    One that is disputed while it is put away keeps what comes from then on as rows.

    ``before`` is in milliseconds since 1970. Each match is one transaction; after each the sum so far is given. Raises
    ``Behind`` and ``Unavailable``; it may then be begun again, as it may be stopped at any time. Raises ``NotHere``. A
    match that cannot be read or folded is passed over, and the log says so.
    """
    if store.distributed:
        raise NotHere("a distributed database is not archived: archive before you distribute")
    done = Archived()
    for shard in SHARDS:
        after, until = LOWEST, first_id(before)
        while page := await store.standing(shard, after, until, _PAGE):
            for match in page:
                done = await _put_away(store, shard, match, before, done)
                yield done
            after = page[-1]


async def _put_away(store: Store, shard: int, match: str, before: int, done: Archived) -> Archived:
    try:
        events, openings = await store.events(match), await store.openings(match)
    except Damaged as error:
        log.warning("a match is not archived", match=match, outcome="damaged", error=str(error))
        return done
    if events[-1].at >= before or not _is_settled(match, events, openings):
        return done
    first = await store.archived(match, shard)
    part = events[first:]
    if not part:  # somebody else was quicker
        return done
    try:
        segment = pack(part, (entry for entry in openings if entry.version > first))
    except ValueError:
        log.exception("a match is not archived", match=match, outcome="lossy")
        return done
    put = await store.put_away(segment)
    match put.outcome:
        case "archived":
            packed = len(segment.events) + len(segment.openings)
            return Archived(
                done.matches + 1, done.events + len(part), done.rows_bytes + put.rows_bytes, done.packed_bytes + packed
            )
        case "behind":
            names = await store.behind(shard)
            raise Behind(
                f"{match} is not archived: {', '.join(names) or 'a read model'} has not taken all its events yet"
            )
        case _:
            log.warning("a match is not archived", match=match, outcome=put.outcome)
            return done


def _is_settled(match: str, events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> bool:
    """Whether nothing more is to be expected of a match: no move and no ruling. Raises ``Newer``."""
    try:
        state = folded(State(), events, openings)
    except Newer:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one match, the others are put away
        log.warning("a match is not archived", match=match, outcome="unreadable", error=type(error).__name__)
        return False
    return state.over and all(case.rulings for case in state.disputes)
