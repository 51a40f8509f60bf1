"""What a move costs each part of the machine: seconds of a core, bytes on disk, bytes of the write-ahead log.

    python -m tests.bench.costs --seconds 10

A service of one process with its read models, played over HTTP at 64 tables. Times are those that the processes have
used, not those that have passed, so they hold on a machine that others use, too: docs/scale.md reckons with them.
"""

import argparse
import asyncio
import sys
import time
from contextlib import AsyncExitStack
from typing import Any, Final, NamedTuple

import asyncpg
import psutil

from services import archiving
from services.projector import Projector
from services.store.store import Store
from tests.bench.client import Line
from tests.bench.machine_room import fresh, servers
from tests.bench.plans import on_disk, plan_of, table
from tests.bench.rest import Table, seated, serving
from tests.bench.simulator import load

_TABLES: Final = 64
_ARCHIVED: Final = 20_000
"""Events of the store whose finished matches are put away."""


class Used(NamedTuple):
    """Seconds of a core that the service, PostgreSQL and the server of the feed have used so far."""

    service: float
    database: float
    feed: float


def _seconds(process_: psutil.Process) -> float:
    times = process_.cpu_times()
    return float(times.user + times.system)


def used(service: int, postmaster: int, feed: int) -> Used:
    head = psutil.Process(postmaster)
    database = _seconds(head) + sum(_seconds(child) for child in head.children())
    return Used(_seconds(psutil.Process(service)), database, _seconds(psutil.Process(feed)))


async def _level(store: Store) -> None:
    """Until the read models of the service have taken everything."""
    while any((await Projector(store).lag()).values()):
        await asyncio.sleep(0.1)


async def measured(url: str, database: str, ids: tuple[int, int, int], seconds: float) -> list[str]:
    async with AsyncExitStack() as stack:
        store = await Store.connect(database)
        stack.push_async_callback(store.close)
        connection: Any = await asyncpg.connect(database)
        stack.push_async_callback(connection.close)
        lines = [await stack.enter_async_context(Line(url)) for _ in range(_TABLES)]
        tables = await seated(lines, store)
        await _level(store)
        heads, wal = sum((await store.heads()).values()), await connection.fetchval("select pg_current_wal_lsn()")
        before, made, began = used(*ids), 0, time.perf_counter()

        async def play(one: Table) -> None:
            nonlocal made
            while time.perf_counter() - began < seconds and await one.move():
                made += 1

        await asyncio.gather(*map(play, tables))
        await _level(store)
        after = used(*ids)
        events = sum((await store.heads()).values()) - heads
        written = await connection.fetchval("select pg_current_wal_lsn() - $1::pg_lsn", wal)
        whole = await on_disk(connection)
    spent = [(later - earlier) / made * 1e6 for earlier, later in zip(before, after, strict=True)]
    rows = [
        ("moves, over HTTP", f"{made:,}"),
        ("events a move", f"{events / made:.2f}"),
        ("service, with its read models: microseconds of a core a move", f"{spent[0]:.0f}"),
        ("so many moves a second that core makes", f"{1e6 / spent[0]:,.0f}"),
        ("PostgreSQL: microseconds of a core a move", f"{spent[1]:.0f}"),
        ("the feed's server: microseconds of a core a move", f"{spent[2]:.1f}"),
        ("write-ahead log: bytes a move", f"{float(written) / made:,.0f}"),
        ("events and openings with their indexes: bytes an event", f"{whole / (heads + events):.0f}"),
    ]
    return [*table(("", "measured"), rows)]


async def _archiving(database: str, postmaster: int) -> list[str]:
    """What it costs to put those matches away that are over."""
    store = await Store.connect(database)
    projector = Projector(store)
    await projector.prepare()
    began = time.process_time()
    taken = 0
    while moved := await projector.run_once():
        taken += moved
    folding = time.process_time() - began
    head = psutil.Process(postmaster)
    server = sum(_seconds(child) for child in head.children())
    began = time.process_time()
    done = [archiving.Archived(), *[sum_ async for sum_ in archiving.archive(store, 1 << 47)]][-1]
    own, theirs = time.process_time() - began, sum(_seconds(child) for child in head.children()) - server
    stored = sum((await store.heads()).values())
    await store.close()
    rows = [
        ("read models: microseconds of a core an event, PostgreSQL aside", f"{folding / stored * 1e6:.0f}"),
        ("archive: microseconds of a core an event", f"{own / done.events * 1e6:.0f}"),
        ("archive, PostgreSQL's part: microseconds of a core an event", f"{theirs / done.events * 1e6:.0f}"),
        ("archive: bytes an event before", f"{done.rows_bytes / done.events:.0f}"),
        ("archive: bytes an event after", f"{done.packed_bytes / done.events:.0f}"),
    ]  # fmt: skip
    return [*table(("", "measured"), rows)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.costs", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    with servers() as embedded:
        database = fresh(embedded)
        with serving(database, embedded.redis_url) as (url, service):
            ids = service.pid, embedded.postgres.pid, embedded.valkey.pid
            lines = asyncio.run(measured(url, database, ids, given.seconds))
        full = fresh(embedded)
        load(full, plan_of(_ARCHIVED))
        lines += asyncio.run(_archiving(full, embedded.postgres.pid))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
