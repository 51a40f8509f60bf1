"""Reading events and openings: by match, and by position in a shard."""

from collections.abc import Collection, Sequence
from uuid import UUID

import asyncpg

from domain.hidden import Opening
from services.ids import shard_of
from services.store.reading import Asking
from services.store.records import StoredEvent, StoredOpening

_EVENT = "shard, pos, stream, version, type, schema, cmd, at, body, prev, hash"
_OF_MATCH = f"select {_EVENT} from event where shard = $1 and stream = $2 and version > $3 order by version limit $4"  # noqa: S608
_OF_TYPES = f"select {_EVENT} from event where shard = $1 and stream = $2 and type = any($3) order by version"  # noqa: S608
_OF_SHARD = f"select {_EVENT} from event where shard = $1 and pos > $2 order by pos limit $3"  # noqa: S608
_OPENINGS = """
    select version, hand, path, "to", salt, value from opening
    where shard = $1 and stream = $2 and version > $3 and ($4::int is null or version <= $4) order by version, path"""


class Streams(Asking):
    """All methods raise ``Unavailable``; those that take a match raise ``ValueError`` for what is not a UUID."""

    async def events(self, match: str, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """The events of a match with a version above ``after``, ascending; none for an unknown match."""
        key = shard_of(match), UUID(match), after, limit
        return [_event(row) for row in await self.ask(lambda lent: lent.fetch(_OF_MATCH, *key))]

    async def events_of(self, match: str, codes: Collection[int]) -> list[StoredEvent]:
        """The events of a match that are of the types with these codes, ascending."""
        key = shard_of(match), UUID(match), [*codes]
        return [_event(row) for row in await self.ask(lambda lent: lent.fetch(_OF_TYPES, *key))]

    async def openings(self, match: str, after: int = 0, until: int | None = None) -> list[StoredOpening]:
        """The openings of the events with ``after < version <= until``, ascending by version, then by path."""
        key = shard_of(match), UUID(match), after, until
        rows = await self.ask(lambda lent: lent.fetch(_OPENINGS, *key))
        return [
            StoredOpening(version, hand, Opening(path, tuple(to), salt, value))
            for version, hand, path, to, salt, value in rows
        ]

    async def head(self, match: str) -> tuple[int, bytes] | None:
        """Version and hash of the last event of a match; ``None`` for an unknown match."""
        statement = "select version, last_hash from stream where shard = $1 and stream = $2"
        row = await self.ask(lambda lent: lent.fetchrow(statement, shard_of(match), UUID(match)))
        return None if row is None else (row[0], row[1])

    async def versions(self, matches: Sequence[str]) -> dict[str, int]:
        """The version of the last event of each of these matches: one moment's picture. The unknown are left out."""
        keys = [shard_of(match) for match in matches], [UUID(match) for match in matches]
        statement = (
            "select stream, version from stream join unnest($1::smallint[], $2::uuid[]) as asked(shard, stream)"
            " using (shard, stream)"
        )
        rows = await self.ask(lambda lent: lent.fetch(statement, *keys))
        return {str(stream): version for stream, version in rows}

    async def page(self, shard: int, after: int, limit: int) -> list[StoredEvent]:
        """The next events of a shard after position ``after``, at most ``limit``, ascending and without holes.

        Positions are given in the order of commits, so what is not there yet will only ever come behind what is.
        """
        return [_event(row) for row in await self.ask(lambda lent: lent.fetch(_OF_SHARD, shard, after, limit))]

    async def heads(self) -> dict[int, int]:
        """The last position of every shard, 0 where it has no event: one moment's picture."""
        rows = await self.ask(lambda lent: lent.fetch("select shard, head from shard order by shard"))
        return {shard: head for shard, head in rows}  # noqa: C416 - a Record is no tuple to dict()


def _event(row: asyncpg.Record) -> StoredEvent:
    shard, pos, stream, version, code, schema, cmd, at, body, prev, digest = row
    return StoredEvent(shard, pos, str(stream), version, code, schema, str(cmd), at, body, prev, digest)
