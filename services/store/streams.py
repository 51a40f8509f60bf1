"""Reading events and openings: by match, and by position in a shard, wherever they lie.

Those of finished matches may lie packed in the archive. Each statement asks for both at one moment, so what is moved
there meanwhile is neither missed nor found twice.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from typing import Final
from uuid import UUID

import asyncpg

from domain.hidden import Opening
from services.ids import key_part, shard_of
from services.store import packed
from services.store.connection import Pool
from services.store.packed import Segment
from services.store.reading import Asking
from services.store.records import StoredEvent, StoredOpening

_EVENT = "shard, pos, stream, version, type, schema, cmd, at, body, prev, hash"
_KEY = "shard, first_pos, stream, first, null::smallint, format, null::uuid, null::bigint"
_PACKED = f"{_KEY}, events, prev, hash from archive"
"""A segment of the archive in the columns of an event. It has no type: so the two are told apart."""
_TOUCHED = f"{_KEY}, null::bytea, prev, hash from archive"
"""The same without what is in it."""
_OF_MATCH = f"""
    (select {_EVENT} from event where shard = $1 and stream = $2 and version > $3 order by version limit $4)
    union all (select {_PACKED} where shard = $1 and stream = $2 and last > $3) order by version"""  # noqa: S608
_OF_TYPES = f"""
    (select {_EVENT} from event where shard = $1 and stream = $2 and version > $3 and type = any($5)
    order by version limit $4)
    union all (select {_PACKED} where shard = $1 and stream = $2 and last > $3) order by version"""  # noqa: S608
_OF_KEY = f"""
    (select {_EVENT} from event where shard = $1 and stream = $2 and cmd between $3 and $4 order by version)
    union all (select {_PACKED} where shard = $1 and stream = $2) order by version"""  # noqa: S608
_OF_SHARD = f"""
    (select {_EVENT} from event where shard = $1 and pos > $2 and pos <= $2 + $3 order by pos)
    union all (select {_TOUCHED} where shard = $1 and
      int8range(shard::bigint << 47 | first_pos, shard::bigint << 47 | last_pos, '[]')
      && int8range($1::bigint << 47 | $2, $1::bigint << 47 | ($2 + $3), '(]'))
    order by pos"""  # noqa: S608
"""Of the archive only which segments have events there, maybe: what is in them is asked for if it is not known."""
_SEGMENTS = f"""
    select {_PACKED} where shard = $1 and (stream, first) in (select * from unnest($2::uuid[], $3::int[]))"""  # noqa: S608
_OPENINGS = """
    select version, hand, path, "to", salt, value, 0 as format from opening
    where shard = $1 and stream = $2 and version > $3 and ($4::int is null or version <= $4)
    union all select first, null, null, null, null, openings, format from archive
    where shard = $1 and stream = $2 and last > $3 and ($4::int is null or first <= $4) and openings <> ''
    order by version, path"""
_VERSIONS = "select stream, version from stream where shard = $1 and stream = any($2::uuid[])"
_VERSIONS_AT_ONCE = """
    select stream, version from stream join unnest($1::smallint[], $2::uuid[]) as asked(shard, stream)
    using (shard, stream)"""

_UNPACKED: Final = 200_000
"""So many events of the archive, or a little more, are kept at hand while shards are read by position."""


class Streams(Asking):
    """All methods raise ``Unavailable``; those that take a match raise ``ValueError`` for what is not a UUID."""

    def __init__(self, pool: Pool, *, distributed: bool = False) -> None:
        super().__init__(pool)
        self.distributed = distributed
        self._unpacked: OrderedDict[tuple[str, int], list[StoredEvent]] = OrderedDict()

    async def events(
        self, match: str, after: int = 0, limit: int | None = None, codes: Collection[int] | None = None
    ) -> list[StoredEvent]:
        """The events of a match with a version above ``after``, ascending, or those of the types with ``codes``; none
        for an unknown match.
        """
        key = shard_of(match), UUID(match), after, limit
        rows = await (self._fetch(_OF_MATCH, *key) if codes is None else self._fetch(_OF_TYPES, *key, [*codes]))
        live, segments = _told_apart(rows)
        if not segments:
            return live
        packs = [event for segment in segments for event in packed.events_of(segment)]
        found = [event for event in packs if event.version > after and (codes is None or event.code in codes)]
        return (found + live)[:limit]

    async def events_by(self, match: str, key: str) -> list[StoredEvent]:
        """The events of a match whose commands came with that key (``ids.key_part``), ascending: of one command."""
        known = shard_of(match), UUID(match), UUID(f"{key}-0000-000000000000"), UUID(f"{key}-ffff-ffffffffffff")
        live, segments = _told_apart(await self._fetch(_OF_KEY, *known))
        found = [event for segment in segments for event in packed.events_of(segment)]
        return [event for event in found if key_part(event.cmd) == key] + live

    async def openings(self, match: str, after: int = 0, until: int | None = None) -> list[StoredOpening]:
        """The openings of the events with ``after < version <= until``, ascending by version, then by path."""
        key = shard_of(match), UUID(match), after, until
        found: list[StoredOpening] = []
        for version, hand, path, to, salt, value, form in await self._fetch(_OPENINGS, *key):
            if form:
                segment = Segment(key[0], match, version, b"", b"", b"", value, form)
                entries = packed.openings_of(segment)
                found += [one for one in entries if after < one.version and (until is None or one.version <= until)]
            else:
                found.append(StoredOpening(version, hand, Opening(path, tuple(to), salt, value)))
        return found

    async def head(self, match: str) -> tuple[int, bytes] | None:
        """Version and hash of the last event of a match; ``None`` for an unknown match."""
        statement = "select version, last_hash from stream where shard = $1 and stream = $2"
        row = await self.ask(lambda lent: lent.fetchrow(statement, shard_of(match), UUID(match)))
        return None if row is None else (row[0], row[1])

    async def matches_of_shard(self, shard: int, after: str, limit: int) -> list[str]:
        """Matches of a shard whose ids come after ``after``, ascending."""
        statement = "select stream from stream where shard = $1 and stream > $2 order by stream limit $3"
        return [str(row[0]) for row in await self._fetch(statement, shard, UUID(after), limit)]

    async def newest_of_shard(self, shard: int) -> str | None:
        """The match of a shard with the highest id; None where there is none."""
        statement = "select stream from stream where shard = $1 order by stream desc limit 1"
        rows = await self._fetch(statement, shard)
        return str(rows[0][0]) if rows else None

    async def versions(self, matches: Sequence[str]) -> dict[str, int]:
        """The version of the last event of each of these matches: one moment's picture, on a distributed database one
        for each shard. The unknown are left out.
        """
        by_shard: dict[int, list[UUID]] = {}
        for match in matches:
            by_shard.setdefault(shard_of(match), []).append(UUID(match))
        if self.distributed:
            asked: list[tuple[str, tuple[object, ...]]] = [(_VERSIONS, (shard, ids)) for shard, ids in by_shard.items()]
        else:
            shards = [shard for shard, ids in by_shard.items() for _ in ids]
            asked = [(_VERSIONS_AT_ONCE, (shards, [one for ids in by_shard.values() for one in ids]))]
        found = [await self._fetch(text, *given) for text, given in asked]
        return {str(stream): version for rows in found for stream, version in rows}

    async def _fetch(self, text: str, *arguments: object) -> list[asyncpg.Record]:
        return await self.ask(lambda lent: lent.fetch(text, *arguments))

    async def page(self, shard: int, after: int, limit: int) -> list[StoredEvent]:
        """The next events of a shard after position ``after``, at most ``limit``, ascending and without holes.

        Positions are given in the order of commits, so what is not there yet will only ever come behind what is.
        """
        live, segments = _told_apart(await self._fetch(_OF_SHARD, shard, after, limit))
        if not segments:
            return live
        archived = [event for found in await self._spread(shard, segments) for event in found]
        here = [event for event in archived if after < event.pos <= after + limit]
        return sorted(live + here, key=lambda event: event.pos)

    async def _spread(self, shard: int, segments: Sequence[Segment]) -> list[list[StoredEvent]]:
        """What is in ``segments``, of which only the keys are known. Pages in a row need the same ones."""
        keys = [(segment.match, segment.first) for segment in segments]
        found = {key: self._unpacked[key] for key in keys if key in self._unpacked}
        new = [key for key in keys if key not in found]
        if new:
            asked = [UUID(match) for match, _ in new], [first for _, first in new]
            _, full = _told_apart(await self._fetch(_SEGMENTS, shard, *asked))
            found |= {(segment.match, segment.first): packed.events_of(segment) for segment in full}
        self._unpacked |= found
        for key in keys:
            self._unpacked.move_to_end(key)
        kept = sum(map(len, self._unpacked.values()))
        while kept > _UNPACKED:
            kept -= len(self._unpacked.popitem(last=False)[1])
        return [found[key] for key in keys]

    async def dated(self, shard: int, pos: int) -> int | None:
        """When the event at that position happened, in milliseconds since 1970; None if it is not there as a row."""
        statement = "select at from event where shard = $1 and pos = $2"
        found: int | None = await self.ask(lambda lent: lent.fetchval(statement, shard, pos))
        return found

    async def heads(self) -> dict[int, int]:
        """The last position of every shard, 0 where it has no event: one moment's picture."""
        rows = await self.ask(lambda lent: lent.fetch("select shard, head from shard order by shard"))
        return {shard: head for shard, head in rows}  # noqa: C416 - a Record is no tuple to dict()


def _told_apart(rows: Iterable[asyncpg.Record]) -> tuple[list[StoredEvent], list[Segment]]:
    """Events that are rows, in their order, and segments of the archive in theirs."""
    live: list[StoredEvent] = []
    segments: list[Segment] = []
    for row in rows:
        if row[4] is None:
            shard, _, stream, first, _, form, _, _, events, prev, digest = row
            segments.append(Segment(shard, str(stream), first, prev, digest, events, b"", form))
        else:
            live.append(_event(row))
    segments.sort(key=lambda segment: segment.first)
    return live, segments


def _event(row: asyncpg.Record) -> StoredEvent:
    shard, pos, stream, version, code, schema, cmd, at, body, prev, digest = row
    return StoredEvent(shard, pos, str(stream), version, code, schema, str(cmd), at, body, prev, digest)
