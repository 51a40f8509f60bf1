"""P5: from the commit of a move to the frame at whoever follows, while many follow and many move.

Three processes that share nothing but the machine: the service, the readers of all feeds, and whoever moves (this one).
When an event was committed is PostgreSQL's word (``track_commit_timestamp``: noted before the commit waits for the
disk, so that wait is counted); when its frame came is noted by the readers. Both read the one clock of the machine.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from statistics import median
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg
import msgspec
import psutil

from services.embedded import Embedded
from services.store.store import Store
from tests.bench.audience import Audience, audience
from tests.bench.client import Line
from tests.bench.machine_room import fresh, look_through, servers
from tests.bench.paired import Row, compared, medians, percentile
from tests.bench.readers import Feed
from tests.bench.rest import Table, seated, serving
from tests.bench.scale import Scale
from tests.waiting import PATIENCE

_TRIPS: Final = 1_000
_FRAME: Final = b"." * 400
_COMMITTED: Final = """
select stream::text, version, extract(epoch from pg_xact_commit_timestamp(event.xmin))::float8
from event join unnest($1::smallint[], $2::bigint[]) before (shard, head) using (shard) where pos > before.head
"""
_ECHO: Final = """
import asyncio
async def answer(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
async def main():
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()
asyncio.run(main())
"""


class Trial(msgspec.Struct, frozen=True):
    """``lags`` of all frames and ``trips`` over a socket, in milliseconds; ``shares`` of one processor, by process."""

    lags: list[float]
    trips: list[float]
    moves: float
    shares: dict[str, float]


class Processors:
    """How much processor time the service, the database and their clients have taken."""

    def __init__(self, service: int, postmaster: int, readers: int) -> None:
        self._service, self._postmaster, self._readers = map(psutil.Process, (service, postmaster, readers))

    def busy(self) -> dict[str, float]:
        """Seconds so far."""
        backends = [self._postmaster, *self._postmaster.children(recursive=True)]
        return {
            "service": _seconds(self._service),
            "PostgreSQL": sum(map(_seconds, backends)),
            "readers": _seconds(self._readers),
            "movers": time.process_time(),
        }


def _seconds(one: psutil.Process) -> float:
    try:
        times = one.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


async def _trips(url: str) -> list[float]:
    """Milliseconds that as many bytes as a frame has take to another process and back."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    taken = []
    for _ in range(_TRIPS):
        began = time.perf_counter()
        writer.write(_FRAME)
        await reader.readexactly(len(_FRAME))
        taken.append((time.perf_counter() - began) * 1000)
    writer.close()
    await writer.wait_closed()
    return taken


async def _moving(tables: Sequence[Table], rate: float, seconds: float) -> float:
    """Moves at all tables in turn, evenly spread; the moves a second that were made."""
    began, made = time.perf_counter(), 0
    idle, running = list(tables), set[asyncio.Task[None]]()

    async def one(table: Table) -> None:
        await table.move()
        idle.append(table)

    while (now := time.perf_counter() - began) < seconds:
        while made < now * rate and idle:
            task = asyncio.create_task(one(idle.pop(0)))
            running.add(task)
            task.add_done_callback(running.discard)
            made += 1
        await asyncio.sleep(0.001)
    await asyncio.gather(*running)
    return made / (time.perf_counter() - began)


async def _committed(database: str, after: Mapping[int, int]) -> dict[tuple[str, int], float]:
    """When each event after these positions was committed, in seconds since 1970, by match and version."""
    connection = await asyncpg.connect(database)
    try:
        lines = await connection.fetch(_COMMITTED, list(after), list(after.values()))
        return {(match, version): at for match, version, at in lines}
    finally:
        await connection.close()


async def _heard(there: Audience, asked: Mapping[int, Container[int]], frames: int) -> list[tuple[int, int, float]]:
    """All frames of a trial, which are of these versions, by feed. Raises ``AssertionError`` if they do not come."""
    found: list[tuple[int, int, float]] = []
    latest = time.monotonic() + PATIENCE
    while len(found) < frames:
        assert time.monotonic() < latest, f"of {frames} frames {len(found)} have come"
        found += [frame for frame in there.heard().frames if frame[1] in asked[frame[0]]]
        await asyncio.sleep(0.1)
    return found


async def _trial(
    database: str, store: Store, tables: Sequence[Table], feeds: Sequence[Feed], there: Audience, used: Processors,
    scale: Scale, echo: str,
) -> Trial:  # fmt: skip
    before = await store.heads()
    cpu, began = used.busy(), time.perf_counter()
    moves = await _moving(tables, scale.rate, scale.seconds)
    taken = time.perf_counter() - began
    shares = {name: (seconds - cpu[name]) / taken for name, seconds in used.busy().items()}
    committed = await _committed(database, before)
    versions: dict[str, set[int]] = {table.match: set() for table in tables}
    for match, version in committed:
        versions[match].add(version)
    asked = {number: versions[tables[feed.match].match] for number, feed in enumerate(feeds)}
    frames = await _heard(there, asked, sum(map(len, asked.values())))
    assert len({(feed, version) for feed, version, _ in frames}) == len(frames), "a frame has come twice"
    lags = [(at - committed[tables[feeds[feed].match].match, version]) * 1000 for feed, version, at in frames]
    assert min(lags) > -1, "a frame was there before its event"
    await look_through(store, 2, before)
    return Trial(lags, await _trips(echo), moves, shares)


async def _trials(embedded: Embedded, database: str, url: str, service: int, scale: Scale, echo: str) -> list[Trial]:
    async with AsyncExitStack() as stack:
        store = await Store.connect(database)
        stack.push_async_callback(store.close)
        lines = [await stack.enter_async_context(Line(url)) for _ in range(scale.followed)]
        tables = await seated(lines, store)
        feeds = [
            Feed(number, f"/v1/matches/{table.match}/stream?after={version}", (*table.tokens, "")[turn])
            for turn in range(scale.feeds // scale.followed)
            for number, table in enumerate(tables)
            for version in [(await store.versions([table.match]))[table.match]]
        ]
        there = stack.enter_context(audience(url, feeds))
        used = Processors(service, embedded.postgres.pid, there.pid)
        await _moving(tables, scale.rate, scale.seconds / 5)
        await asyncio.sleep(0.5)
        return [await _trial(database, store, tables, feeds, there, used, scale, echo) for _ in range(scale.rounds)]


def measure_feeds(scale: Scale) -> Iterator[Row]:
    with servers(track_commit_timestamp="on") as embedded:
        database = fresh(embedded)
        with serving(database, embedded.redis_url) as (url, service), _echoing() as echo:
            trials = asyncio.run(_trials(embedded, database, url, service.pid, scale, echo))
    shares = ", ".join(f"{name} {100 * median(t.shares[name] for t in trials):.0f} %" for name in trials[0].shares)
    note = (
        f"{scale.followed} matches, {sum(len(t.lags) for t in trials):,} frames, {median(t.moves for t in trials):.0f} "
        f"moves/s; of {100 * (os.cpu_count() or 1)} %: {shares}"
    )
    lines: dict[int, dict[str, Any]] = {50: {}, 99: {"must": 50.0, "aim": 10.0, "note": note}}
    for percent, asked in lines.items():
        pairs = [(percentile(trial.lags, percent), percentile(trial.trips, percent)) for trial in trials]
        yield compared(
            medians(pairs),
            id="P5",
            figure=f"commit to SSE frame, p{percent}, {scale.feeds} feeds, {scale.rate} moves/s",
            unit="ms",
            reference=f"one asyncio socket round trip, p{percent}",
            held="value",
            at_most=True,
            **asked,
        )


@contextmanager
def _echoing() -> Iterator[str]:
    """The address of a process that answers whatever it gets."""
    with subprocess.Popen([sys.executable, "-c", _ECHO], stdout=subprocess.PIPE) as running:
        try:
            assert running.stdout is not None
            yield f"http://127.0.0.1:{int(running.stdout.readline())}"
        finally:
            running.terminate()
            running.wait()
