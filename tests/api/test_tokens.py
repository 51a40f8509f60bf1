"""Tokens: one more, instead of another, listed, ended one by one and all together, and by themselves."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from services.ids import new_id, token_hash
from services.store.tokens import MOST
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, ok, problem

DAY = 24 * 3600 * 1000


def holding(who: Guest, token: str) -> Guest:
    """The same player with another token."""
    return Guest(who.http, who.player, who.name, token)


async def one_more(who: Guest, body: Any = None, **headers: str) -> dict[str, Any]:
    answer = await who.post("/v1/me/tokens", body, headers)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_a_guest_is_told_when_the_token_ends(service: Service):
    made = ok(await service.http.post("/v1/players", json={"name": "Anna"}))
    me = ok(await Guest(service.http, made["player"], "Anna", made["token"]).get("/v1/me"))

    assert me == {
        "player": made["player"], "name": "Anna", "role": "player", "account": False,
        "made": me["made"], "expires": made["expires"],
    }  # fmt: skip
    assert 179 * DAY < me["expires"] - me["made"] <= 180 * DAY + 20_000


async def test_one_more_token_is_the_same_player_and_both_are_listed(service: Service):
    anna = await service.guest()
    made = await one_more(anna, {"label": "Phone"})

    phone = holding(anna, made["token"])
    assert ok(await phone.get("/v1/me"))["player"] == anna.player
    first, second = ok(await phone.get("/v1/me/tokens"))
    assert (first["label"], first["current"]) == ("", False)
    assert second == {key: made[key] for key in ("id", "label", "made", "expires")} | {"current": True}
    assert anna.token not in str([first, second])
    assert made["token"] not in str([first, second])


async def test_a_token_is_rotated_the_old_one_ends_at_once(service: Service):
    anna = await service.guest()

    made = await one_more(anna, {"old_seconds": 0})

    problem(await anna.get("/v1/me"), 401, "unauthenticated")
    assert [line["id"] for line in ok(await holding(anna, made["token"]).get("/v1/me/tokens"))] == [made["id"]]


async def test_a_token_is_rotated_the_old_one_lives_on_for_a_while_and_no_longer(service: Service):
    anna = await service.guest()
    before = ok(await anna.get("/v1/me"))["expires"]

    made = await one_more(anna, {"old_seconds": 3600})
    assert ok(await anna.get("/v1/me"))["expires"] < before
    await one_more(holding(anna, made["token"]))  # which leaves the others alone
    await service.context.store.shorten(token_hash(anna.token), 7200)  # it cannot be made longer
    assert ok(await anna.get("/v1/me"))["expires"] <= await service.context.store.time() // 1000 + 3_600_000

    await service.context.store.shorten(token_hash(anna.token), 0)
    problem(await anna.get("/v1/me"), 401, "unauthenticated")


async def test_a_lost_answer_is_given_again_and_a_key_means_one_request(service: Service):
    anna = await service.guest()
    key = {"Idempotency-Key": new_id()}

    first = await anna.post("/v1/me/tokens", {"old_seconds": 60}, key)
    again = await anna.post("/v1/me/tokens", {"old_seconds": 60}, key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotent-replay"] == "true"
    assert again.json() == first.json()
    assert len(ok(await anna.get("/v1/me/tokens"))) == 2
    problem(await anna.post("/v1/me/tokens", {"old_seconds": 61}, key), 422, "key-reused")


async def test_a_token_that_was_ended_does_not_come_back_with_its_key(service: Service):
    anna = await service.guest()
    key = {"Idempotency-Key": new_id()}
    made = (await anna.post("/v1/me/tokens", {}, key)).json()
    assert (await anna.delete(f"/v1/me/tokens/{made['id']}")).status_code == 204

    problem(await anna.post("/v1/me/tokens", {}, key), 422, "key-reused")
    problem(await holding(anna, made["token"]).get("/v1/me"), 401, "unauthenticated")

    # nor does the one that a guest began with
    start = {"Idempotency-Key": new_id()}
    begun = ok(await service.http.post("/v1/players", json={"name": "Ben"}, headers=start))
    ben = Guest(service.http, begun["player"], "Ben", begun["token"])
    assert (await ben.delete("/v1/me/tokens")).status_code == 204
    problem(await service.http.post("/v1/players", json={"name": "Ben"}, headers=start), 422, "key-reused")
    problem(await ben.get("/v1/me"), 401, "unauthenticated")


async def test_tokens_end_one_by_one_and_nobody_ends_anothers(service: Service):
    anna, ben = await service.guest(), await service.guest("Ben")
    made = await one_more(anna)

    problem(await ben.delete(f"/v1/me/tokens/{made['id']}"), 404, "not-found")
    problem(await anna.delete(f"/v1/me/tokens/{new_id()}"), 404, "not-found")
    problem(await anna.delete("/v1/me/tokens/1"), 404, "not-found")
    assert (await holding(anna, made["token"]).delete(f"/v1/me/tokens/{made['id']}")).status_code == 204

    problem(await holding(anna, made["token"]).get("/v1/me"), 401, "unauthenticated")
    problem(await anna.delete(f"/v1/me/tokens/{made['id']}"), 404, "not-found")
    assert ok(await anna.get("/v1/me"))["player"] == anna.player


async def test_an_id_that_was_left_empty_ends_nothing(service: Service):
    # given a script that asks for /v1/me/tokens/$ID, or /v1/me/$WHAT, without what it names
    anna = await service.guest()
    await one_more(anna)
    # then nothing is there, and neither all tokens nor the person is gone
    for path in ("/v1/me/tokens/", "/v1/me/tokens//", "/v1/me/tokens/?but=this", "/v1/me/tokens/%2F", "/v1/me/"):
        problem(await anna.delete(path), 404, "not-found")
    assert len(ok(await anna.get("/v1/me/tokens"))) == 2


async def test_all_tokens_end_together_or_all_but_this(service: Service):
    anna = await service.guest()
    others = [holding(anna, (await one_more(anna))["token"]) for _ in range(3)]

    assert (await anna.http.delete("/v1/me/tokens?but=this", headers=anna.auth)).status_code == 204
    assert len(ok(await anna.get("/v1/me/tokens"))) == 1
    for other in others:
        problem(await other.get("/v1/me"), 401, "unauthenticated")

    problem(await anna.http.delete("/v1/me/tokens?but=that", headers=anna.auth), 400, "not-understood")
    assert (await anna.delete("/v1/me/tokens")).status_code == 204
    problem(await anna.get("/v1/me"), 401, "unauthenticated")


async def test_a_player_has_so_many_tokens_at_most_and_the_one_that_asks_stays(service: Service):
    anna = await service.guest()
    await service.context.store.shorten(token_hash(anna.token), 3600)  # it would be the first to go

    made = [await one_more(anna, {"label": str(number)}) for number in range(MOST + 3)]

    listed = ok(await anna.get("/v1/me/tokens"))
    assert len(listed) == MOST
    assert [line["current"] for line in listed] == [True] + [False] * (MOST - 1)
    assert [line["label"] for line in listed][1:] == [one["label"] for one in made[4:]]


async def test_a_token_that_has_ended_moves_nothing_and_sees_nothing(service: Service):
    table = await service.table()
    due = await table.due()
    (move, *_) = (await table.legal(due))["moves"]
    assert (await due.delete("/v1/me/tokens")).status_code == 204

    problem(await due.post(f"{table.path}/moves", move), 401, "unauthenticated")
    problem(
        await due.post("/v1/moves:batch", [{"match": table.match, "key": "1", "move": move}]), 401, "unauthenticated"
    )
    problem(await due.get(table.path), 401, "unauthenticated")


@pytest.fixture
async def hasty(fresh_database: Callable[[], str], redis_url: str) -> AsyncIterator[Service]:
    """A service whose tokens live for a minute."""
    async with serving(fresh_database(), redis_url, token_life="1m") as service:
        yield service


async def test_the_life_of_a_token_is_a_setting(hasty: Service):
    anna = await hasty.guest()
    me = ok(await anna.get("/v1/me"))
    assert 59_000 <= me["expires"] - me["made"] <= 80_000  # the one is written after the other
    made = await one_more(anna)
    assert 59_000 <= made["expires"] - made["made"] <= 80_000


@pytest.mark.parametrize(
    "body",
    [{"label": 1}, {"label": "a" * 41}, {"label": "a\nb"}, {"old_seconds": -1}, {"old_seconds": 86_401}, {"x": 1}],
)
async def test_what_is_no_request_for_a_token_makes_none(service: Service, body: Any):
    anna = await service.guest()
    problem(await anna.post("/v1/me/tokens", body), 400, "not-understood")
    assert len(ok(await anna.get("/v1/me/tokens"))) == 1


async def test_whoever_is_erased_while_a_token_is_made_has_none_left(service: Service):
    anna = await service.guest()

    await asyncio.gather(*(anna.post("/v1/me/tokens", {}) for _ in range(6)), anna.delete("/v1/me"))

    left = await service.context.store.ask(
        lambda lent: lent.fetchval("select count(*) from token where player = $1", anna.player)
    )
    assert left == 0
