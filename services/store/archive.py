"""Putting finished matches away: which have something to be put away, and the move itself."""

from typing import Literal, TypeAlias
from uuid import UUID

import msgspec

from services.ids import SHARDS
from services.store import packed
from services.store.packed import Segment
from services.store.reading import Asking

_SECONDS = 60.0
_NEXT = """
    with recursive stood (stream) as (
      (select stream from event where shard = $1 and stream > $2 and stream < $3 order by stream limit 1)
      union all
      select (select e.stream from event e where e.shard = $1 and e.stream > stood.stream and e.stream < $3
        order by e.stream limit 1) from stood where stood.stream is not null
    )
    select stream from (select stream from stood where stream is not null limit $4) as page
    order by stream"""
"""One look into the index for each match, however many events it has, and none for those that are put away."""
_PUT = f"select * from archive_match({', '.join(f'${place}' for place in range(1, 17))})"  # noqa: S608
_BEHIND = """
    select distinct name from projection.checkpoint
    where shard = $1 and pos < coalesce($2, (select head from shard where shard = $1)) order by name"""

Outcome: TypeAlias = Literal["archived", "moved", "behind", "parked", "differs"]


class Put(msgspec.Struct, frozen=True):
    """What became of a segment; ``rows_bytes`` is what its rows took in their tables."""

    outcome: Outcome
    rows_bytes: int


class Archive(Asking):
    async def standing(self, shard: int, after: str, until: str, limit: int) -> list[str]:
        """Matches of ``shard`` with an id between ``after`` and ``until`` that have events outside of the archive."""
        rows = await self.ask(lambda lent: lent.fetch(_NEXT, shard, UUID(after), UUID(until), limit), _SECONDS)
        return [str(row[0]) for row in rows]

    async def archived(self, match: str, shard: int) -> int:
        """The version up to which a match lies in the archive; 0 if none of it does."""
        statement = "select coalesce(max(last), 0) from archive where shard = $1 and stream = $2"
        found: int = await self.ask(lambda lent: lent.fetchval(statement, shard, UUID(match)))
        return found

    async def put_away(self, segment: Segment) -> Put:
        """Moves what is in ``segment`` from its rows into the archive, in one transaction, or says why not.

        The database deletes only rows that are what can be read out of the segment; twice does no harm.
        """
        events, openings = packed.events_of(segment), packed.openings_of(segment)
        row = await self.ask(
            lambda lent: lent.fetchrow(
                _PUT,
                segment.shard,
                UUID(segment.match),
                segment.first,
                segment.prev,
                segment.format,
                segment.events,
                segment.openings,
                [event.pos for event in events],
                [event.code for event in events],
                [event.hash for event in events],
                [entry.version for entry in openings],
                [entry.opening.path for entry in openings],
                [entry.hand for entry in openings],
                ["{" + ",".join(map(str, entry.opening.to)) + "}" for entry in openings],
                [entry.opening.salt for entry in openings],
                [entry.opening.value for entry in openings],
            ),
            _SECONDS,
        )
        assert row is not None, "the function always answers"
        return Put(row[0], row[1])

    async def behind(self, shard: int, head: int | None = None) -> list[str]:
        """The read models that have not taken all events of ``shard``, or all up to ``head``."""
        return [row[0] for row in await self.ask(lambda lent: lent.fetch(_BEHIND, shard, head))]

    async def archive_size(self) -> tuple[int, int]:
        """How many events lie in the archive, and the bytes of its table with all that belongs to it."""
        statement = "select sum(last - first + 1)::bigint from archive where shard = any($1)"
        events = await self.ask(lambda lent: lent.fetchval(statement, list(SHARDS)), _SECONDS)
        size = await self.ask(lambda lent: lent.fetchval("select pg_total_relation_size('archive')"), _SECONDS)
        return events or 0, size
