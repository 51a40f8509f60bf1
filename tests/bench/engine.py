"""P1: durable moves a second through the engine: decided, chained, appended, answered. No HTTP.

There is a process for each processor, all on one database: as pgbench has its threads and the server its own.

    python -m tests.bench.engine DATABASE REDIS SECONDS MATCHES SEED

is one of them. It says when its matches have started, makes moves from the moment at which it gets a line until the
time is up, and says how many were acknowledged. The moves are chosen before: what is measured is not the choice.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

import msgspec
import uvloop

from services.collector import collect_less
from services.embedded import Embedded
from services.feed import Feed
from services.matches import Matches
from services.requests import OpenRequest
from services.store.store import Store
from tests.bench.foreseen import Move, foreseen
from tests.bench.machine_room import found_in, fresh
from tests.bench.paired import Row, compared, in_turn
from tests.bench.pgbench import pgbench, prepare_pgbench
from tests.bench.scale import Scale

GAME: Final = "whos-the-ass"
SEATS: Final = 4
IN_FLIGHT: Final = 256
PROCESSES: Final = os.cpu_count() or 1
_PLAYERS: Final = [f"00000000-0000-7000-8000-{seat:012d}" for seat in range(SEATS)]
_MOST: Final = 30_000
"""More moves than one process makes in a second."""


class Made(msgspec.Struct, frozen=True):
    """Moves that were acknowledged, the events that they led to, and the seconds from the first to the last."""

    moves: int
    events: int
    seconds: float


def engine_moves(database: str, redis: str, seconds: float, seed: int) -> float:
    """Acknowledged moves a second of all processes, which share the matches in flight.

    Raises ``AssertionError`` unless the store has each of them and what has come into it is sound.
    """
    share = IN_FLIGHT // PROCESSES
    with ExitStack() as stack:
        engines = [
            stack.enter_context(_process(database, redis, str(seconds), str(share), str(seed + number * share)))
            for number in range(PROCESSES)
        ]
        for engine in engines:
            assert _said(engine) == b"ready\n", "an engine has not begun"
        before = asyncio.run(_heads(database))
        for engine in engines:
            assert engine.stdin is not None
            engine.stdin.write(b"go\n")
            engine.stdin.flush()
        made = [msgspec.json.decode(_said(engine), type=Made) for engine in engines]
    stored = asyncio.run(found_in(database, after=before)).events
    assert stored == sum(one.events for one in made), f"{made} were acknowledged, {stored} events are in the store"
    return sum(one.moves for one in made) / max(one.seconds for one in made)


def _said(engine: "subprocess.Popen[bytes]") -> bytes:
    assert engine.stdout is not None
    return engine.stdout.readline()


@contextmanager
def _process(*arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = (sys.executable, "-m", "tests.bench.engine", *arguments)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        try:
            yield running
        finally:
            running.terminate()
            running.wait()


async def _heads(database: str) -> Mapping[int, int]:
    store = await Store.connect(database)
    try:
        return await store.heads()
    finally:
        await store.close()


async def _opened(matches: Matches, seed: int) -> str:
    """A match that has just started."""
    body = OpenRequest(game=GAME, seats=SEATS, options={"games": 20})
    done = await matches.open(_PLAYERS[0], body, msgspec.json.encode(body), None)
    for player in _PLAYERS:
        await matches.seat(done.match, player, None, None, b"%d" % seed, None)
    return done.match


async def _engine(database: str, redis: str, seconds: float, tables: int, seed: int) -> None:
    store, feed = await Store.connect(database), Feed(redis)
    await feed.start()
    await store.ensure_players([(player, "bench") for player in _PLAYERS])
    matches = Matches(store, feed, await store.server_secret())
    most = int(seconds * _MOST / tables)
    plans: dict[str, Sequence[Move]] = {}
    for number in range(tables):
        match = await _opened(matches, seed + number)
        plans[match] = await foreseen(store, match, seed + number, most)
    collect_less()
    print("ready", flush=True)
    sys.stdin.readline()
    print(msgspec.json.encode(await _made(matches, plans, seconds)).decode(), flush=True)
    await feed.stop()
    await store.close()


async def _made(matches: Matches, plans: dict[str, Sequence[Move]], seconds: float) -> Made:
    clock = time.perf_counter
    began, made, events = clock(), 0, 0

    async def keep_moving(match: str, plan: Sequence[Move]) -> None:
        nonlocal made, events
        for move in plan:
            if clock() - began >= seconds:
                return
            done = await matches.move(match, _PLAYERS[move.seat], move.body, f"{match}/{move.version}", move.version)
            assert done.version == move.after, f"{match} is at {done.version}, not at {move.after}"
            made, events = made + 1, events + move.after - move.version
        assert clock() - began >= seconds, "the moves have run out"

    await asyncio.gather(*(keep_moving(match, plan) for match, plan in plans.items()))
    return Made(made, events, clock() - began)


def measure_engine(embedded: Embedded, scale: Scale) -> Iterator[Row]:
    single = fresh(embedded)
    prepare_pgbench(single)

    def engine() -> float:
        return engine_moves(fresh(embedded), embedded.redis_url, scale.seconds, 1)

    def best_pgbench() -> float:
        return max(pgbench(single, clients, scale.seconds) for clients in (8, 16, 32))

    yield compared(
        in_turn(engine, best_pgbench, scale.rounds),
        id="P1",
        figure=f"durable moves, {IN_FLIGHT} matches in flight, {PROCESSES} processes",
        unit="moves/s",
        reference="pgbench single-row inserts, best of c = 8, 16, 32",
        must=1.0,
        aim=2.0,
    )


if __name__ == "__main__":
    where, spoken, lasting, many, first = sys.argv[1:]
    uvloop.run(_engine(where, spoken, float(lasting), int(many), int(first)))
