"""A token ends, or a role, while a request that it came with is still on its way: nothing is done by it any more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from services.ids import new_token, token_hash
from tests.api.conftest import Service
from tests.api.guests import Guest, ok
from tests.api.lines import Connection, Told, connection, head
from tests.api.test_roles import admin


@asynccontextmanager
async def held(service: Service, who: Guest, line: str, body: bytes) -> AsyncIterator[Connection]:
    """A request of which all has come but the last byte of its body, and the service has had time to look at it."""
    async with connection(service) as wire:
        wire.send(head(line, f"Authorization: Bearer {who.token}", f"Content-Length: {len(body)}"), body[:-1])
        for _ in range(5):
            ok(await service.http.get("/v1/me", headers=(await service.guest()).auth))
        yield wire


async def answered(wire: Connection, body: bytes) -> Told:
    wire.send(body[-1:])
    return await wire.told()


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("POST /v1/me/tokens", b'{"label": "mine now"}'),
        ("PATCH /v1/me", b'{"name": "Nobody"}'),
        ("DELETE /v1/me", b"{}"),
        ("POST /v1/matches", b'{"game": "whos-the-ass", "seats": 3}'),
        ("POST /v1/moves:batch", b'[{"match": "x", "key": "1", "move": {}}]'),
        ("POST /v1/sign-in", b"{}"),
    ],
)
async def test_whoever_holds_back_a_request_until_its_token_has_ended_is_nobody(
    service: Service, line: str, body: bytes
):
    anna = await service.guest()
    thief = Guest(anna.http, anna.player, anna.name, ok(await anna.post("/v1/me/tokens"))["token"])

    async with held(service, thief, line, body) as wire:
        assert (await anna.http.delete("/v1/me/tokens?but=this", headers=anna.auth)).status_code == 204
        told = await answered(wire, body)

    assert (told.status, told.slug) == (401, "unauthenticated")
    assert len(ok(await anna.get("/v1/me/tokens"))) == 1
    assert ok(await anna.get("/v1/me"))["name"] == "Anna"


async def test_whoever_sends_no_token_is_told_so_and_nobody_waits_for_the_body(service: Service):
    async with connection(service) as wire:
        wire.send(head("POST /v1/matches", "Content-Length: 60000"))
        told = await wire.told()

    assert (told.status, told.slug) == (401, "unauthenticated")


async def test_whoever_is_no_admin_any_more_gives_no_role_by_a_request_held_back(service: Service):
    ada, eve, ben = await admin(service), await admin(service), await service.guest("Ben")
    line, body = f"POST /v1/players/{ben.player}/role", b'{"role": "admin"}'

    async with held(service, eve, line, body) as wire:
        ok(await ada.post(f"/v1/players/{eve.player}/role", {"role": "player"}))
        told = await answered(wire, body)

    assert (told.status, told.slug) == (403, "forbidden")
    assert ok(await ben.get("/v1/me"))["role"] == "player"


async def test_whoever_asks_for_tokens_while_all_are_ended_has_none_of_them_left(service: Service):
    store = service.context.store
    for _ in range(10):
        anna = await service.guest()
        mine, theirs = token_hash(anna.token), token_hash((await anna.post("/v1/me/tokens")).json()["token"])
        more = (store.add_token(anna.player, token_hash(new_token()), by=theirs) for _ in range(6))

        await asyncio.gather(*more, store.revoke_all(anna.player, mine), return_exceptions=True)

        assert [line["current"] for line in ok(await anna.get("/v1/me/tokens"))] == [True]
