"""What the database says after a scenario, read by SQL of our own where the product's reading is what is in doubt."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from domain.hidden import Opening
from projections.registry import PROJECTIONS
from services.store.records import StoredEvent, StoredOpening

EVENTS = (
    "select shard, pos, stream, version, type, schema, cmd, at, body, prev, hash from event order by stream, version"
)
OPENINGS = 'select stream, version, hand, path, "to", salt, value from opening order by stream, version, path'
CHECKPOINTS = """
select name, shard, pos from projection.checkpoint join projection.build using (name, build) where state = 'live'"""
COMMITS = "select stream, version, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 from event"
"""The true time of each commit, on the clock of the database, whatever clock a worker went by."""


@dataclass
class Record:
    """All matches: events, openings, and when each event was committed (seconds since 1970), by version."""

    secret: bytes
    events: dict[str, list[StoredEvent]] = field(default_factory=lambda: defaultdict(list))
    openings: dict[str, list[StoredOpening]] = field(default_factory=lambda: defaultdict(list))
    committed: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    streams: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)
    """By match: shard, version, hash of the last event, as the append keeps them."""
    heads: dict[int, int] = field(default_factory=dict)
    rows: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """The rows of each read model, by its name and by match."""
    checkpoints: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """How far each read model has come in each shard."""
    open_from: dict[str, dict[int, float]] = field(default_factory=dict)
    """By match and hand, found when it is first asked for (``checker.open_from``)."""


async def read(database_url: str) -> Record:
    connection = await asyncpg.connect(database_url, server_settings={"application_name": "faults"})
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            found = Record(await connection.fetchval("select secret from server_secret"))
            for row in await connection.fetch(EVENTS):
                shard, pos, match, version, code, schema, cmd, at, body, prev, digest = row
                event = StoredEvent(shard, pos, str(match), version, code, schema, str(cmd), at, body, prev, digest)
                found.events[str(match)].append(event)
            for match, version, hand, path, to, salt, value in await connection.fetch(OPENINGS):
                entry = StoredOpening(version, hand, Opening(path, tuple(to), salt, value))
                found.openings[str(match)].append(entry)
            for match, version, at in await _commits(connection):
                found.committed[str(match)][version] = at
            for shard, match, version, digest in await connection.fetch("select * from stream"):
                found.streams[str(match)] = shard, version, digest
            rows = await connection.fetch("select shard, head from shard")
            found.heads = {row["shard"]: row["head"] for row in rows}
            for name in PROJECTIONS:
                rows = await connection.fetch(f"select match, body from projection.{name}")
                found.rows[name] = {str(match): body for match, body in rows}
            for name, shard, pos in await connection.fetch(CHECKPOINTS):
                found.checkpoints[name][shard] = pos
            return found
    finally:
        await connection.close()


async def _commits(connection: Any) -> list[tuple[Any, int, float]]:
    if await connection.fetchval("show track_commit_timestamp") != "on":
        return []
    return [(match, version, at) for match, version, at in await connection.fetch(COMMITS) if at is not None]
