"""Guests and tables over HTTP, as a front end would make them."""

import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from domain.hidden import b64u


@dataclass(frozen=True)
class Guest:
    """A player with a token. Every method is one request with it."""

    http: httpx.AsyncClient
    player: str
    name: str
    token: str
    seed: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @property
    def auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def get(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> httpx.Response:
        return await self.http.get(path, headers=self.auth | (headers or {}), params=params or None)

    async def post(
        self, path: str, body: Any = None, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        return await self.http.post(path, json=body, headers=self.auth | (headers or {}), **more)

    async def delete(self, path: str) -> httpx.Response:
        return await self.http.delete(path, headers=self.auth)

    async def patch(self, path: str, body: Any) -> httpx.Response:
        return await self.http.patch(path, json=body, headers=self.auth)


@dataclass(frozen=True)
class Table:
    """A match with a guest on every seat."""

    path: str
    match: str
    guests: list[Guest]

    @property
    def http(self) -> httpx.AsyncClient:
        return self.guests[0].http

    async def seen(self, seat: int = 0) -> dict[str, Any]:
        return ok(await self.guests[seat].get(self.path))

    async def due(self) -> Guest:
        """The guest whose turn it is."""
        return self.guests[(await self.seen())["to_act"][0]]

    async def legal(self, who: Guest) -> dict[str, Any]:
        return ok(await who.get(f"{self.path}/moves"))

    async def step(self, choice: int = 0) -> dict[str, Any]:
        """Whoever is due makes one of the legal moves: the first, or another by number."""
        who = await self.due()
        moves = (await self.legal(who))["moves"]
        return ok(await who.post(f"{self.path}/moves", moves[choice % len(moves)]))

    async def play_out(self, limit: int = 2000) -> int:
        """Plays first legal moves until the match is over; the number of moves."""
        for count in range(limit):
            seen = await self.seen()
            if seen["status"] != "playing":
                return count
            await self.step(count)
        raise AssertionError(f"the match is not over after {limit} moves")


def ok(answer: httpx.Response) -> Any:
    assert answer.is_success, (answer.status_code, answer.text)
    return answer.json()


async def paged(
    ask: Callable[[dict[str, Any]], Awaitable[httpx.Response]],
    limit: int,
    meanwhile: Callable[[], Awaitable[object]] | None = None,
    items: str = "items",
) -> list[dict[str, Any]]:
    """A whole list, asked for with a ``limit`` and a ``cursor``; behind its first page ``meanwhile`` happens."""
    found: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"limit": limit}
    while True:
        page = ok(await ask(asked))
        assert len(page[items]) == limit or (page["next"] is None and len(page[items]) < limit)
        found += page[items]
        if page["next"] is None:
            return found
        if meanwhile is not None and "cursor" not in asked:
            await meanwhile()
        asked["cursor"] = page["next"]


def problem(answer: httpx.Response, status: int, slug: str) -> dict[str, Any]:
    """The problem that an answer tells of, which has that status and type."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["type"] == f"/problems/{slug}", told
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]
    return told


async def guest(http: httpx.AsyncClient, name: str = "Anna") -> Guest:
    created = ok(await http.post("/v1/players", json={"name": name}))
    return Guest(http, created["player"], created["name"], created["token"])


def commitment(seed: bytes) -> str:
    return b64u(hashlib.sha256(seed).digest())


async def open_match(host: Guest, seats: int = 3, **request: Any) -> str:
    """The path of a new match."""
    body = {"game": "whos-the-ass", "seats": seats, **request}
    answer = await host.post("/v1/matches", body)
    assert answer.status_code == 201, answer.text
    return str(answer.headers["location"])


async def seated_table(http: httpx.AsyncClient, seats: int = 3, *, own_seeds: bool = False, **request: Any) -> Table:
    guests = [await guest(http, f"Guest {seat}") for seat in range(seats)]
    path = await open_match(guests[0], seats, **request)
    for seat, who in enumerate(guests):
        body = {"seat": seat} | ({"seed_commitment": commitment(who.seed)} if own_seeds else {})
        ok(await who.post(f"{path}/seats", body))
    if own_seeds:
        for who in guests:
            ok(await who.post(f"{path}/seed", {"seed": b64u(who.seed)}))
    return Table(path, path.rpartition("/")[2], guests)


def canonical(event: dict[str, Any]) -> bytes:
    """The bytes of the record behind an event as a viewer sees it."""

    def sealed(value: Any) -> Any:
        match value:
            case {"to": _, "digest": _}:
                return {"to": value["to"], "digest": value["digest"]}
            case dict():
                return {key: sealed(item) for key, item in value.items()}
            case list():
                return [sealed(item) for item in value]
            case _:
                return value

    plain = {key: sealed(item) for key, item in event.items() if key not in ("hash", "table")}
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
