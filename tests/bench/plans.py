"""The size of a store's tables, and how PostgreSQL carries out each statement of a move, a reader and a read model.

    python -m tests.bench.plans                          a store of its own with 200,000 events, played here
    python -m tests.bench.plans --database URL           a store that is there, as the simulator fills one
    python -m tests.bench.plans --write docs/plans.md    the page

What a statement writes is rolled back. Of a store of its own it also measures the archive, by archiving it.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg

from services import archiving
from services.ids import SHARDS, token_hash
from services.projector import Projector
from services.store.store import Store
from tests.bench.simulator import Loaded, Plan, load
from tests.bench.statements import BATCH, asked
from tests.projections.streams import caught_up

EVENTS: Final = 200_000
_EACH: Final = 50
"""So many events has a match, all in all."""
_WHOLE: Final = 20
_HEAD: Final = """
Written by `python -m tests.bench.plans --write docs/plans.md`; what it means: [growth.md](growth.md). Times are those
of one shared machine; buffers and rows are what counts.""".strip()
_STATEMENTS: Final = f"""
With their plans, and `append` with those of the statements in it, for one command and for {BATCH}. What is over lies
in the archive.""".strip()
_SIZES: Final = """
    select n.nspname || '.' || c.relname as name, c.reltuples::bigint as rows, pg_table_size(c.oid) as heap,
      pg_indexes_size(c.oid) as indexes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'projection') and pg_total_relation_size(c.oid) > 100000
    order by pg_total_relation_size(c.oid) desc"""
_INDEXES: Final = """
    select i.indexrelid::regclass::text as name, pg_relation_size(i.indexrelid) as bytes
    from pg_index i where i.indrelid = any(array['event', 'opening', 'stream', 'archive']::regclass[]) order by 1"""


def plan_of(events: int) -> Plan:
    """What a store of its own is filled with: tables that have just begun, and one of ``_WHOLE`` played out."""
    return Plan(events=events, matches=max(_WHOLE, events // _EACH), whole=_WHOLE)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows), ""]


async def sizes(connection: Any) -> list[str]:
    rows = await connection.fetch(_SIZES)
    lines = table(
        ("table", "rows", "table bytes", "index bytes", "bytes a row, all in all"),
        [
            (row["name"].removeprefix("public."), f"{row['rows']:,}", f"{row['heap']:,}", f"{row['indexes']:,}",
             f"{(row['heap'] + row['indexes']) / max(1, row['rows']):.0f}")
            for row in rows
        ],
    )  # fmt: skip
    indexes = await connection.fetch(_INDEXES)
    return [*lines, *table(("index", "bytes"), [(row["name"], f"{row['bytes']:,}") for row in indexes])]


@asynccontextmanager
async def nested(connection: Any) -> AsyncIterator[list[str]]:
    """The plans of the statements inside of functions, too, as ``auto_explain`` tells them."""
    told: list[str] = []

    def listen(_: Any, message: Any) -> None:
        if "plan:" in message.message:
            told.append(message.message.partition("plan:")[2].strip())

    await connection.execute(
        "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;"
        "set auto_explain.log_buffers = on; set auto_explain.log_nested_statements = on; set client_min_messages = log;"
        "set auto_explain.log_parameter_max_length = 0"
    )
    connection.add_log_listener(listen)
    try:
        yield told
    finally:
        await connection.execute("set auto_explain.log_min_duration = -1; reset client_min_messages")
        await asyncio.sleep(0.1)
        connection.remove_log_listener(listen)


async def plans(connection: Any, store: Store) -> list[str]:
    """Every hot statement with its plan: run twice, the second told, so that the pages are in memory as at work."""
    lines: list[str] = []
    for one in await asked(store):
        held = connection.transaction()
        await held.start()
        try:
            await connection.fetch(one.text, *one.arguments)
        finally:
            await held.rollback()
        held = connection.transaction()
        await held.start()
        try:
            if one.text.startswith("select * from append"):
                async with nested(connection) as told:
                    await connection.fetch(one.text, *one.arguments)
                plan = "\n\n".join(_short(text) for text in told)
            else:
                rows = await connection.fetch(f"explain (analyze, buffers) {one.text}", *one.arguments)
                plan = "\n".join(row[0] for row in rows)
        finally:
            await held.rollback()
        lines += [f"### {one.name}", "", one.why, "", "```", plan, "```", ""]
    return lines


def _short(plan: str) -> str:
    """Arrays of a hundred parameters are not worth a page."""
    return "\n".join(line if len(line) < 220 else line[:217] + "..." for line in plan.splitlines())


async def vacuumed(connection: Any, name: str) -> str:
    """What ``vacuum`` says of a table."""
    said: list[str] = []

    def listen(_: Any, message: Any) -> None:
        said.append(message.message)

    connection.add_log_listener(listen)
    await connection.execute(f"vacuum (verbose, analyze) {name}")
    await asyncio.sleep(0.1)
    connection.remove_log_listener(listen)
    wanted = ("pages:", "tuples:", "index scan", "index ", "buffer usage:", "system usage:")
    lines = [line.strip() for text in said for line in text.splitlines() if f'"{name}"' in text or "pages:" in text]
    return "\n".join(line for line in lines if line.startswith(wanted))


async def on_disk(connection: Any) -> int:
    names = "array['event', 'opening', 'archive']::regclass[]"
    return int(await connection.fetchval(f"select sum(pg_total_relation_size(t)) from unnest({names}) t"))


async def read_through(store: Store) -> float:
    """Events a second, read by position through all shards."""
    began, read = time.perf_counter(), 0
    for shard in SHARDS:
        at = 0
        while page := await store.page(shard, at, 2000):
            at, read = page[-1].pos, read + len(page)
    return read / (time.perf_counter() - began)


async def replayed(store: Store, matches: Sequence[str]) -> tuple[float, float]:
    """Milliseconds to read one match with its openings: the median and the 99th of a hundred."""
    taken = []
    for match in matches:
        began = time.perf_counter()
        await store.events(match)
        await store.openings(match)
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 99 // 100]


async def archive(connection: Any, store: Store) -> list[str]:
    """The same store before and after all that is over has been archived."""
    rows = await connection.fetch("select stream from stream order by stream")
    some = [str(row[0]) for row in random.Random(7).sample(list(rows), min(100, len(rows)))]
    before = await on_disk(connection), await read_through(store), await replayed(store, some)
    stored = sum((await store.heads()).values())
    began = time.perf_counter()
    done = [archiving.Archived(), *[sum_ async for sum_ in archiving.archive(store, 1 << 47)]][-1]
    seconds = time.perf_counter() - began
    dead = await vacuumed(connection, "event")
    reusable = await on_disk(connection)
    packed_size = await connection.fetchval("select pg_total_relation_size('archive')")
    for name in ("event", "opening"):
        await connection.execute(f"vacuum full {name}")
    after = await on_disk(connection), await read_through(store), await replayed(store, some)
    if not done.events:
        return ["No match is over.", ""]
    events, packed, size = done.events, done.packed_bytes, packed_size
    told = (
        f"{done.matches:,} of {len(rows):,} matches are over; {events:,} of {stored:,} events went into the archive,"
        f" {events / seconds:,.0f} events or {done.matches / seconds:,.1f} matches a second."
    )
    compared = table(
        ("", "as rows", "archived"),
        [
            (
                "bytes an event on disk, openings and indexes included",
                f"{before[0] / stored:.0f}",
                f"{size / events:.0f}",
            ),
            ("of that the data itself", f"{done.rows_bytes / events:.0f}", f"{packed / events:.0f}"),
            ("all three tables, after a plain `vacuum`", f"{before[0]:,}", f"{reusable:,}"),
            ("all three tables, after `vacuum full`", f"{before[0]:,}", f"{after[0]:,}"),
            ("events a second, read by position", f"{before[1]:,.0f}", f"{after[1]:,.0f}"),
            ("a match with its openings, median", f"{before[2][0]:.2f} ms", f"{after[2][0]:.2f} ms"),
            ("a match with its openings, p99", f"{before[2][1]:.2f} ms", f"{after[2][1]:.2f} ms"),
        ],
    )
    return [told, "", *compared, "What `vacuum` says of `event` right after:", "", "```", dead, "```", ""]


async def page(database: str, loaded: Loaded | None) -> str:
    """The page as Markdown. ``loaded``: what the simulator has put into the database; then the archive is measured."""
    store = await Store.connect(database)
    connection = await asyncpg.connect(database)
    try:
        lines = ["# Plans and sizes", "", _HEAD, ""]
        if loaded is not None:
            what = f"{loaded.matches:,} matches with {loaded.events:,} events"
            lines += [f"{what}, played and appended in {loaded.seconds:.0f} s.", ""]
        await store.add_player("00000000-0000-7000-8000-000000000000", "player 0", token_hash("plans"))
        projector = Projector(store)
        await projector.prepare()
        await caught_up(projector)
        if loaded is not None:
            await connection.execute("vacuum analyze")
        version = await connection.fetchval("select version()")
        lines += [
            f"{version.partition(' on ')[0]}; shared_buffers {await connection.fetchval('show shared_buffers')}.",
            "",
        ]
        lines += ["## Tables and indexes", "", *await sizes(connection)]
        if loaded is not None:
            lines += ["## The archive", "", *await archive(connection, store)]
            await connection.execute("vacuum analyze")
        lines += ["## Statements", "", _STATEMENTS, ""]
        lines += await plans(connection, store)
        return "\n".join(lines).rstrip() + "\n"
    finally:
        await connection.close()
        await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.plans", description=__doc__)
    parser.add_argument("--database", help="the URL of a migrated database that is already filled")
    parser.add_argument("--events", type=int, default=EVENTS, help="how many events a store of its own gets")
    parser.add_argument("--write", type=Path, help="the file; standard output without it")
    given = parser.parse_args()
    from tests.bench.machine_room import fresh, servers  # noqa: PLC0415 - it warns, and a warning fails a test

    if given.database:
        text = asyncio.run(page(given.database, None))
    else:
        with servers() as embedded:
            database = fresh(embedded)
            text = asyncio.run(page(database, load(database, plan_of(given.events))))
    if given.write:
        given.write.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
