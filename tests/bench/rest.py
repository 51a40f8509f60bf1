"""P2: durable moves a second over HTTP, against a Litestar handler that reads the same body and does nothing."""

import asyncio
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

import httpx
import msgspec

from domain.games import GAMES
from domain.match import EVENTS, rules
from domain.match.state import EVENTS as MATCH_EVENTS
from domain.match.state import State, evolve
from services.embedded import Embedded
from services.live import folded
from services.store.store import Store
from tests.bench.client import Line
from tests.bench.machine_room import fresh
from tests.bench.paired import Row, compared, in_turn
from tests.bench.posts import GAME, posted_a_second, started
from tests.bench.scale import Scale
from tests.waiting import PATIENCE, free_port

CONNECTIONS = 64
_NOTHING = """
import sys
from typing import Any
import msgspec, uvicorn
from litestar import Litestar, post
class Play(msgspec.Struct, forbid_unknown_fields=True, tag="play", tag_field="type"):
    cards: tuple[str, ...]
class Pass(msgspec.Struct, forbid_unknown_fields=True, tag="pass", tag_field="type"):
    pass
@post("/", status_code=200)
async def nothing(data: Play | Pass) -> dict[str, Any]:
    return {"version": 1}
uvicorn.run(Litestar([nothing]), host="127.0.0.1", port=int(sys.argv[1]), http="httptools", loop="uvloop",
            log_level="error", access_log=False)
"""


@contextmanager
def process(*command: str, url: str, environment: dict[str, str] | None = None) -> Iterator["subprocess.Popen[bytes]"]:
    """A server that answers at ``url``; ended on leaving."""
    many_files()  # what is started may do the same
    with subprocess.Popen(
        [sys.executable, *command],
        env=os.environ | (environment or {}),
        stdout=subprocess.DEVNULL,
    ) as running:
        try:
            while not _answers(url):
                assert running.poll() is None, f"{command} ended with {running.returncode}"
                time.sleep(0.02)
            yield running
        finally:
            running.terminate()
            running.wait(PATIENCE)


def _answers(url: str) -> bool:
    try:
        httpx.get(url, timeout=10)
    except httpx.TransportError:
        return False
    return True


def many_files() -> None:
    """Lets this process have as many files and connections open as the system allows it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Table:
    """A match of four players on one connection. Its cards are read from the store, once a hand: the client must know
    what it may play, and to ask the service for that would measure the asking.
    """

    def __init__(self, line: Line, store: Store, match: str, tokens: list[str], number: int) -> None:
        self._line, self._store, self.match, self.tokens = line, store, match, tokens
        self._state = State()
        self._chance = random.Random(number)

    async def look(self) -> None:
        self._state = folded(State(), await self._store.events(self.match), await self._store.openings(self.match))

    async def move(self) -> bool:
        """One move; whether there is another."""
        state = self._state
        seat = min(rules.to_act(state))
        legal = GAMES[GAME].legal(state.play, seat)
        status, answer = await self._line.post(
            f"/v1/matches/{self.match}/moves",
            msgspec.json.encode(legal[int(self._chance.random() * len(legal))]),
            Authorization=f"Bearer {self.tokens[seat]}",
            Idempotency_Key=f"{self.match}/{state.version}",
        )
        assert status == 200, answer
        for event in msgspec.json.decode(answer)["events"]:
            if event["type"] == "CardsDealt":
                await self.look()
                break
            del event["hash"]
            kind = _TYPES[event["type"]]
            self._state = evolve(self._state, EVENTS.decode(kind.code, kind.schema, msgspec.json.encode(event)))
        return not self._state.over


_TYPES = {entry.name: entry for entry in (*MATCH_EVENTS, *GAMES[GAME].events)}


async def seated(lines: list[Line], store: Store) -> list[Table]:
    """A match that has just started for each of ``lines``, of four players who play in all of them."""
    tokens, matches = await started(lines)
    pairs = enumerate(zip(lines, matches, strict=True))
    tables = [Table(line, store, match, tokens, number) for number, (line, match) in pairs]
    await asyncio.gather(*(table.look() for table in tables))
    return tables


async def _posts_a_second(url: str, seconds: float) -> float:
    clock = time.perf_counter
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(Line(url)) for _ in range(CONNECTIONS)]
        started, made = clock(), 0

        async def keep_posting(line: Line) -> None:
            nonlocal made
            while clock() - started < seconds:
                status, answer = await line.post("/", b'{"type":"play","cards":["7","7"]}')
                assert status == 200, answer
                made += 1

        await asyncio.gather(*map(keep_posting, lines))
        return made / (clock() - started)


@contextmanager
def serving(database: str, redis: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A Kibitz of one worker on these servers: its address and its process, which may have many connections open."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {
        "KIBITZ_DATABASE_URL": database,
        "KIBITZ_REDIS_URL": redis,
        "KIBITZ_RATE_PLAYERS": "0",
        "KIBITZ_RATE_MATCHES": "0",
        "KIBITZ_RATE_FEEDS": "0",
        "KIBITZ_RATE_READS": "0",
        "KIBITZ_RATE_EXPORTS": "0",
        "KIBITZ_ADDRESS_CONNECTIONS": "0",
        "KIBITZ_LOG_LEVEL": "warning",  # a request that succeeds has a line at debug only: this spares the table
    }
    command = ("-m", "services.cli", "serve", "--no-demo", "--port", str(port), "--log", "-")
    with process(*command, url=f"{url}/health/live", environment=settings) as running:
        yield url, running


def measure_rest(embedded: Embedded, scale: Scale) -> Iterator[Row]:
    seconds = scale.seconds

    def service() -> float:
        database = fresh(embedded)
        with serving(database, embedded.redis_url) as (url, _):
            return asyncio.run(posted_a_second(url, database, CONNECTIONS, seconds))

    def nothing() -> float:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        with process("-c", _NOTHING, str(port), url=url):
            return asyncio.run(_posts_a_second(url, seconds))

    yield compared(
        in_turn(service, nothing, scale.rounds),
        id="P2",
        figure=f"durable moves over REST, {CONNECTIONS} connections",
        unit="moves/s",
        reference="a Litestar POST that validates the same body and does nothing",
        must=0.5,
        aim=0.8,
    )
