"""A move goes past the router where it can: no caller sees a difference, but for how long a revoked token may move."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from services.api.tokens import Tokens
from services.ids import token_hash
from services.store.records import Player
from tests.api.conftest import Service
from tests.api.guests import Guest, ok, problem
from tests.waiting import PATIENCE

JSON = {"Content-Type": "application/json"}


async def short(who: Guest, path: str, body: bytes, headers: dict[str, str]) -> httpx.Response:
    return await who.http.post(path, content=body, headers=who.auth | JSON | headers)


async def long(who: Guest, path: str, body: bytes, headers: dict[str, str]) -> httpx.Response:
    """The same request in pieces, which the shortcut leaves to the router."""

    async def pieces() -> AsyncIterator[bytes]:
        yield body[:5]
        yield body[5:]

    return await who.http.post(path, content=pieces(), headers=who.auth | JSON | headers)


def told(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """All of an answer but what is new in each."""
    headers = {name: value for name, value in answer.headers.items() if name not in ("date", "x-request-id")}
    return answer.status_code, answer.content, headers


async def test_a_move_is_answered_alike_whichever_way_it_goes(service: Service):
    table = await service.table()
    who = await table.due()
    move = json.dumps((await table.legal(who))["moves"][0]).encode()
    path, key = f"{table.path}/moves", {"Idempotency-Key": "k", "Origin": "https://front.example"}

    first = await short(who, path, move, key)
    again = [await way(who, path, move, key) for way in (short, long)]

    assert first.status_code == 200
    assert "idempotent-replay" not in first.headers
    assert told(again[0]) == told(again[1])
    assert again[0].content == first.content
    assert told(again[0])[2] == told(first)[2] | {"idempotent-replay": "true"}


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b'{"type":"play","cards":["99"]}', {}, 422),
        (b'{"type":"play","cards":["99"]}', {"Accept-Language": "hu"}, 422),
        (b'{"type":"pass"}', {"If-Match": '"1"'}, 412),
        (b'{"type":"pass"}', {"If-Match": '"1.0", "2"'}, 412),
        (b'{"type":"pass"}', {"If-Match": 'W/"1"'}, 400),
        (b'{"type":"bid"}', {}, 400),
        (b"[" * 5000, {}, 400),
        (b'{"type":"pass"}', {"Idempotency-Key": "k" * 256}, 400),
        (b'{"type":"pass"}', {"Content-Type": "text/plain"}, 415),
        (b" " * 70_000, {}, 413),
        (b'{"type":"pass"}', {"Authorization": "Bearer nobody"}, 401),
        (b'{"type":"pass"}', {"Authorization": "Basic nobody"}, 401),
    ],
)
async def test_what_goes_wrong_with_a_move_is_told_alike_whichever_way_it_goes(
    service: Service, body: bytes, headers: dict[str, str], status: int
):
    table = await service.table()
    who = await table.due()
    answers = [await way(who, f"{table.path}/moves", body, headers) for way in (short, long)]
    assert told(answers[0]) == told(answers[1])
    assert answers[0].status_code == status
    assert answers[0].headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "match", ["01a22c22-7411-7724-8549-2290115c860d", "01A22C22-7411-7724-8549-2290115C860D", "x" * 36]
)
async def test_a_match_that_there_is_not_is_told_alike_whichever_way_it_goes(service: Service, match: str):
    who = await service.guest()
    answers = [await way(who, f"/v1/matches/{match}/moves", b'{"type":"pass"}', {}) for way in (short, long)]
    assert told(answers[0]) == told(answers[1])
    problem(answers[0], 404, "not-found")


async def test_both_ways_are_counted_as_one(service: Service):
    table = await service.table()
    before = moves_made(service)
    for way in (short, long):
        who = await table.due()
        move = json.dumps((await table.legal(who))["moves"][0]).encode()
        ok(await way(who, f"{table.path}/moves", move, {}))
    assert moves_made(service) == before + 2


def moves_made(service: Service) -> float:
    labels = {"method": "POST", "route": "/v1/matches/{match}/moves", "status": "200"}
    return service.context.metrics.registry.get_sample_value("kibitz_requests_total", labels) or 0.0


async def makes_a_move(service: Service) -> tuple[Guest, Any]:
    """A player whose token a move was made with."""
    table = await service.table()
    who = await table.due()
    ok(await who.post(f"{table.path}/moves", (await table.legal(who))["moves"][0]))

    async def tries() -> httpx.Response:
        return await who.post(f"{table.path}/moves", {"type": "bid"})

    assert (await tries()).status_code == 400
    return who, tries


async def test_a_token_that_is_revoked_here_makes_no_move_after_that(service: Service):
    who, tries = await makes_a_move(service)
    assert (await who.delete("/v1/me")).status_code == 204
    problem(await tries(), 401, "unauthenticated")


async def test_a_token_that_is_revoked_by_another_process_makes_no_move_for_long(service: Service, monkeypatch):
    monkeypatch.setattr("services.api.tokens.TRUST_SECONDS", 0.2)
    who, tries = await makes_a_move(service)
    await service.context.store.erase(who.player)
    async with asyncio.timeout(PATIENCE):
        while (await tries()).status_code != 401:
            await asyncio.sleep(0.05)
    problem(await who.get("/v1/me"), 401, "unauthenticated")


async def test_what_was_asked_of_a_token_before_it_was_revoked_is_not_remembered(service: Service):
    # given a question about a token that is answered before the token is revoked, and heard of after that
    token = token_hash((await service.guest()).token)
    answered, go_on = asyncio.Event(), asyncio.Event()

    async def slow(token: bytes) -> Player | None:
        found = await service.context.store.player_of(token)
        answered.set()
        await go_on.wait()
        return found

    known = Tokens(slow)
    asking = asyncio.create_task(known.holder(token))
    await answered.wait()
    # when it is revoked meanwhile
    known.forget()
    go_on.set()
    assert await asking is not None
    # then the next one asks anew
    answered.clear()
    await known.holder(token)
    assert answered.is_set()
