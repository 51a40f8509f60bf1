"""Clients of the service as careful ones are: what they send has a key, and what became of it they find out."""

import asyncio
import json
import random
import time
from typing import Any

import httpx

from services.ids import new_id
from tests.faults.journal import Answer, Command, Feed, Frame, Journal, Kind, Told, now
from tests.faults.world import Worker, World
from tests.waiting import PATIENCE

SECONDS = 8.0
"""How long a client waits for an answer."""
AVOIDED = 2.0
"""For how long a client asks others after that, if there are others."""
QUIET = 20.0
"""How long a reader waits for a byte: there is a comment at least every 15 seconds."""


class Unresolved(Exception):
    """Nobody says what became of a command."""


class Clients:
    """Everybody who asks the workers of one world, and their common journal. An asynchronous context."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.journal = Journal()
        self._slow: dict[int, float] = {}
        self.http = httpx.AsyncClient(timeout=httpx.Timeout(SECONDS), limits=httpx.Limits(max_connections=None))

    async def close(self) -> None:
        await self.http.aclose()

    async def guest(self, chance: random.Random, name: str) -> tuple[str, str]:
        """A new player's id and token. (A guest who was made and not told of is nobody's loss.)"""
        latest = time.monotonic() + PATIENCE
        while True:
            worker = await self._some(chance)
            try:
                answer = await self.http.post(f"{worker.url}/v1/players", json={"name": name})
                if answer.status_code == 201:
                    told = answer.json()
                    return told["player"], told["token"]
                self._suspect(answer)
            except (httpx.HTTPError, ValueError):
                pass
            if time.monotonic() > latest:
                raise Unresolved("nobody makes guests any more")
            await asyncio.sleep(0.2)

    async def command(
        self,
        chance: random.Random,
        who: tuple[str, str],
        kind: Kind,
        path: str,
        body: Any,
        *,
        match: str = "",
        key: str = "",
    ) -> Answer:
        """Sends a command until somebody says what became of it. Raises ``Unresolved`` if nobody ever does."""
        player, token = who
        data = json.dumps(body, separators=(",", ":")).encode()
        entry = Command(key or new_id(), player, kind, path, data, token, match)
        self.journal.commands.append(entry)  # written down before it is sent
        latest, pause = time.monotonic() + PATIENCE, 0.05
        while True:
            answer = await self.send(chance, entry)
            if answer is not None:
                return answer
            if time.monotonic() > latest:
                raise Unresolved(f"{kind} {entry.key}: {entry.unknown[-3:]}")
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1.0)

    async def send(self, chance: random.Random, entry: Command, worker: Worker | None = None) -> Answer | None:
        """Sends it once. None: what became of it is not known."""
        worker = worker or await self._some(chance)
        entry.sent.append((now(), worker.number))
        headers = {
            "Authorization": f"Bearer {entry.token}",
            "Idempotency-Key": entry.key,
            "Content-Type": "application/json",
        }
        try:
            got = await self.http.post(f"{worker.url}{entry.path}", content=entry.body, headers=headers)
            told = got.json()
        except (httpx.HTTPError, ValueError) as error:
            entry.unknown.append(type(error).__name__)
            self._avoid(worker, error)
            return None
        self._suspect(got)
        if got.status_code == 429 or got.status_code >= 500:
            entry.unknown.append(str(got.status_code))
            return None
        answer = Answer(got.status_code, told, worker.number, now())
        entry.answers.append(answer)
        if got.is_success:
            entry.match = told["match"]
            self.journal.ack(worker.number)
        return answer

    async def read(self, chance: random.Random, token: str, path: str, *, until: float) -> Any | None:
        """What a GET says. None if nobody has said anything up to ``until`` (monotonic seconds), or says no."""
        while time.monotonic() < until:
            worker = await self._some(chance)
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            try:
                got = await self.http.get(f"{worker.url}{path}", headers=headers)
                if got.is_success:
                    return got.json()
                self._suspect(got)
                if got.status_code < 500:
                    return None
            except (httpx.HTTPError, ValueError) as error:
                self._avoid(worker, error)
            await asyncio.sleep(0.1)
        return None

    def told(self, match: str, seat: int | None, what: Any, body: Any) -> None:
        self.journal.told.append(Told(match, seat, what, body))

    async def follow(self, chance: random.Random, feed: Feed, token: str, moved: asyncio.Event) -> None:
        """Reads the stream of a match to its end, whoever serves it, from where it broke off each time."""
        while True:
            worker = await self._some(chance)
            feed.connections += 1
            try:
                if not await self._listen(worker, feed, token, moved):
                    return
            except (httpx.HTTPError, ValueError):
                pass
            moved.set()
            await asyncio.sleep(0.1)

    async def _listen(self, worker: Worker, feed: Feed, token: str, moved: asyncio.Event) -> bool:
        """One connection. False: there is nothing more to come."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if feed.frames:
            headers["Last-Event-ID"] = str(feed.frames[-1].id)
        timeout = httpx.Timeout(SECONDS, read=QUIET)
        url = f"{worker.url}/v1/matches/{feed.match}/stream{'?with=table' if feed.tables else ''}"
        async with self.http.stream("GET", url, headers=headers, timeout=timeout) as stream:
            if stream.status_code != 200:
                if stream.status_code >= 500:
                    await stream.aread()
                    self._suspect(stream)
                elif stream.status_code not in (204, 409):
                    self.journal.faults.append(f"a stream was answered {stream.status_code}")
                return stream.status_code != 204
            fields: dict[str, str] = {}
            async for line in stream.aiter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                if "data" in fields:
                    body = json.loads(fields["data"])
                    if feed.tables:
                        self.told(feed.match, feed.seat, "table", body.pop("table"))
                    feed.frames.append(Frame(int(fields["id"]), fields["event"], body, now()))
                    moved.set()
                fields = {}
        return True

    async def _some(self, chance: random.Random) -> Worker:
        """A worker that is not known to be gone."""
        while not (answering := self.world.answering()):
            await asyncio.sleep(0.05)
        quick = [worker for worker in answering if self._slow.get(worker.number, 0.0) < time.monotonic()]
        return chance.choice(quick or answering)

    def _avoid(self, worker: Worker, error: Exception) -> None:
        """Whoever did not answer in time is left alone for a while, as a load balancer would."""
        if isinstance(error, httpx.TimeoutException):
            self._slow[worker.number] = time.monotonic() + AVOIDED

    def _suspect(self, answer: httpx.Response) -> None:
        if answer.status_code == 500:
            self.journal.faults.append(f"500 at {answer.request.method} {answer.request.url.path}: {answer.text[:200]}")
