"""Roles: given by an admin, each time written down for good, and in force at once."""

import asyncpg
import pytest

from services.ids import new_id, new_token, token_hash
from services.store.records import Player
from tests.api.conftest import Service
from tests.api.guests import Guest, ok, paged, problem


async def admin(service: Service) -> Guest:
    player, token = new_id(), new_token()
    await service.context.store.add_player(player, "Ada", token_hash(token), "admin")
    return Guest(service.http, player, "Ada", token)


async def test_an_admin_gives_a_role_and_takes_it_away_and_each_is_written_down(service: Service):
    ada, ben = await admin(service), await service.guest("Ben")

    for role in ("arbiter", "arbiter", "player"):
        told = ok(await ada.post(f"/v1/players/{ben.player}/role", {"role": role}))
        assert told == {"player": ben.player, "name": "Ben", "role": role}
        assert ok(await ben.get("/v1/me"))["role"] == role

    last, first = ok(await ada.get("/v1/roles", limit=2))["items"]
    assert {**first, "at": 0} == {
        "at": 0,
        "by": ada.player,
        "player": ben.player,
        "before": "player",
        "role": "arbiter",
    }
    assert {**last, "at": 0} == {"at": 0, "by": ada.player, "player": ben.player, "before": "arbiter", "role": "player"}
    assert first["at"] <= last["at"]


async def test_what_an_operator_gave_is_listed_as_the_operators_page_by_page(service: Service):
    ada, players = await admin(service), [(await service.guest(f"P{number}")).player for number in range(3)]
    for player in players:
        await service.context.store.appoint(player, "arbiter")

    seen = await paged(lambda asked: ada.get("/v1/roles", **asked), 1)
    assert [(line["player"], line["by"]) for line in seen[:3]] == [(player, None) for player in reversed(players)]


async def test_who_was_made_an_arbiter_sees_all_cards_and_no_longer_when_it_is_over(service: Service):
    ada, judge, table = await admin(service), await service.guest("Judge"), await service.table()
    path = f"{table.path}/replay/{(await table.seen())['version']}"
    problem(await judge.get(path, seat="all"), 403, "forbidden")

    ok(await ada.post(f"/v1/players/{judge.player}/role", {"role": "arbiter"}))
    ok(await judge.get(path, seat="all"))
    ok(await ada.post(f"/v1/players/{judge.player}/role", {"role": "player"}))
    problem(await judge.get(path, seat="all"), 403, "forbidden")


async def test_nobody_else_gives_roles_not_even_to_themselves(service: Service):
    ben = await service.guest("Ben")
    arbiter, token = new_id(), new_token()
    await service.context.store.add_player(arbiter, "Judge", token_hash(token), "arbiter")
    for who in (ben, Guest(service.http, arbiter, "Judge", token)):
        problem(await who.post(f"/v1/players/{who.player}/role", {"role": "admin"}), 403, "forbidden")
        problem(await who.get("/v1/roles"), 403, "forbidden")
    problem(await service.http.post(f"/v1/players/{ben.player}/role", json={"role": "admin"}), 401, "unauthenticated")
    assert ok(await ben.get("/v1/me"))["role"] == "player"


async def test_an_admin_whose_role_was_taken_away_gives_none(service: Service):
    ada, eve = await admin(service), await admin(service)
    ok(await ada.post(f"/v1/players/{eve.player}/role", {"role": "player"}))
    problem(await eve.post(f"/v1/players/{ada.player}/role", {"role": "player"}), 403, "forbidden")


async def test_the_unknown_and_the_erased_get_no_role(service: Service):
    ada, gone = await admin(service), await service.guest("Gone")
    await gone.delete("/v1/me")
    for player in (gone.player, new_id(), "nobody"):
        problem(await ada.post(f"/v1/players/{player}/role", {"role": "arbiter"}), 404, "not-found")
    problem(await ada.post(f"/v1/players/{ada.player}/role", {"role": "king"}), 400, "not-understood")
    problem(await ada.get("/v1/roles", cursor="x"), 400, "not-understood")
    assert await service.context.store.player(gone.player) == Player(gone.player, "", "player")


@pytest.mark.parametrize("change", ["update appointment set role = 'admin'", "delete from appointment"])
async def test_what_was_written_down_stays(service: Service, change: str):
    await service.context.store.appoint((await service.guest("Ben")).player, "arbiter")
    with pytest.raises(asyncpg.PostgresError):
        await service.context.store.ask(lambda lent: lent.execute(change))
