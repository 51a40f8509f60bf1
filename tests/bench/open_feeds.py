"""What open feeds cost one process: memory and tasks for each, and from a stored move to a frame in milliseconds.

    python -m tests.bench.open_feeds --feeds 5000 --matches 500
    python -m tests.bench.open_feeds --feeds 500 --matches 20 --rate 200 --seconds 20

It starts a service of its own with servers of its own, opens the feeds from here, and prints what the process of the
service has grown by. ``--sockets`` opens WebSockets instead of streams, ``--tables`` asks for the table in every frame.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.api.guests import ok

_WEBSOCKET = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
_VERSION = re.compile(rb'"version":(\d+)')


@asynccontextmanager
async def service(folder: Path) -> AsyncIterator[tuple[str, psutil.Process]]:
    """A service of one process; its address and its process."""
    settings = {
        "KIBITZ_DATA": str(folder),
        "KIBITZ_BOT_PACE": "0",
        "KIBITZ_RATE_PLAYERS": "0",
        "KIBITZ_LOG_LEVEL": "error",
    }
    command = (sys.executable, "-m", "services.cli", "serve", "--no-demo", "--port", "0")
    out = asyncio.subprocess.PIPE
    run = await asyncio.create_subprocess_exec(*command, env=os.environ | settings, stdout=out)
    assert run.stdout is not None
    try:
        async with asyncio.timeout(120):
            while (found := re.search(rb"http://127\.0\.0\.1:(\d+)", await run.stdout.readline())) is None:
                pass
        yield found[0].decode(), psutil.Process(run.pid)
    finally:
        run.terminate()
        await run.wait()


class Match:
    """A match of three guests that this script plays."""

    def __init__(self, http: httpx.AsyncClient, path: str, tokens: list[dict[str, str]]) -> None:
        self.http, self.path, self.tokens = http, path, tokens
        self.moved: dict[int, float] = {}
        self.busy = asyncio.Lock()

    @classmethod
    async def open(cls, http: httpx.AsyncClient, tokens: list[dict[str, str]]) -> "Match":
        body = {"game": "whos-the-ass", "seats": 3, "options": {"games": 8}}
        answer = await http.post("/v1/matches", json=body, headers=tokens[0])
        path = str(answer.headers["location"])
        for token in tokens:
            ok(await http.post(f"{path}/seats", headers=token))
        return cls(http, path, tokens)

    async def move(self) -> None:
        """Whoever is due makes the first legal move; when its answer was there is noted for each event."""
        async with self.busy:
            due = ok(await self.http.get(self.path))["to_act"]
            if not due:
                return
            moves = ok(await self.http.get(f"{self.path}/moves", headers=self.tokens[due[0]]))["moves"]
            done = ok(await self.http.post(f"{self.path}/moves", json=moves[0], headers=self.tokens[due[0]]))
            for event in done["events"]:
                self.moved[event["version"]] = time.perf_counter()


async def follow(url: str, match: Match, asked: argparse.Namespace, lags: list[Any], ready: asyncio.Event) -> None:
    """Opens one feed and notes how long after the answer to its move each frame has come (or before: then 0)."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**20)
    what = "socket" if asked.sockets else "stream"
    extra = "?with=table" if asked.tables else ""
    upgrade = _WEBSOCKET if asked.sockets else ""
    writer.write(f"GET {match.path}/{what}{extra} HTTP/1.1\r\nHost: {host}\r\n{upgrade}\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    ready.set()
    rest = b""
    while data := await reader.read(65536):
        now = time.perf_counter()
        found = _VERSION.findall(rest[-64:] + data)
        rest = data
        lags += [(now, match, int(text)) for text in set(found)]


async def measure(asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="kibitz-bench-") as folder:
        async with (
            service(Path(folder) / "data") as (url, process),
            httpx.AsyncClient(base_url=url, timeout=60) as http,
        ):
            names = [ok(await http.post("/v1/players", json={"name": f"P{n}"}))["token"] for n in range(3)]
            tokens = [{"Authorization": f"Bearer {token}"} for token in names]
            matches = [await Match.open(http, tokens) for _ in range(asked.matches)]
            await asyncio.sleep(3)
            before = process.memory_info().rss
            seen: list[Any] = []
            feeds, readies = [], []
            for number in range(asked.feeds):
                readies.append(asyncio.Event())
                match = matches[number % len(matches)]
                feeds.append(asyncio.create_task(follow(url, match, asked, seen, readies[-1])))
                if number % 100 == 99:
                    await asyncio.gather(*(ready.wait() for ready in readies))
            await asyncio.gather(*(ready.wait() for ready in readies))
            await asyncio.sleep(5)
            told: dict[str, Any] = {"feeds": asked.feeds, "matches": asked.matches}
            told["KiB per open feed"] = round((process.memory_info().rss - before) / asked.feeds / 1024, 1)
            if asked.rate:
                told |= await _moves(matches, asked, seen)
                told["KiB per open feed, after the moves"] = round(
                    (process.memory_info().rss - before) / asked.feeds / 1024, 1
                )
            for feed in feeds:
                feed.cancel()
            await asyncio.gather(*feeds, return_exceptions=True)
            return told


async def _moves(matches: list[Match], asked: argparse.Namespace, seen: list[Any]) -> dict[str, Any]:
    seen.clear()
    began, made = time.perf_counter(), 0
    running: set[asyncio.Task[None]] = set()
    while (now := time.perf_counter() - began) < asked.seconds:
        while made < now * asked.rate and len(running) < 64:
            running.add(task := asyncio.create_task(matches[made % len(matches)].move()))
            task.add_done_callback(running.discard)
            made += 1
        await asyncio.sleep(0.002)
    await asyncio.gather(*running)
    taken = time.perf_counter() - began
    await asyncio.sleep(1)
    lags = sorted(max(0.0, at - match.moved[version]) * 1000 for at, match, version in seen if version in match.moved)
    cuts = statistics.quantiles(lags, n=100) if len(lags) > 1 else [0.0] * 99
    return {
        "moves/s": round(made / taken),
        "frames": len(lags),
        "p50 ms": round(cuts[49], 2),
        "p99 ms": round(cuts[98], 2),
    }


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="what open feeds cost")
    options.add_argument("--feeds", type=int, default=1000)
    options.add_argument("--matches", type=int, default=100)
    options.add_argument("--rate", type=int, default=0)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--sockets", action="store_true")
    options.add_argument("--tables", action="store_true")
    print(json.dumps(asyncio.run(measure(options.parse_args()))))
