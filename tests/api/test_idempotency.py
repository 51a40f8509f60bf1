"""The same key and the same request give the first answer again, however often, whoever answers, and after restarts."""

import asyncio

import pytest

from tests.api.conftest import Service, serving
from tests.api.guests import Guest, ok, open_match, problem, seated_table

GUEST = "8pXK2fQvT1mZc0aWn5RbYg"


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


@pytest.mark.fault(21, "F12")
async def test_fifty_parallel_duplicates_of_a_move_make_one_move(service: Service):
    table = await service.table()
    who = await table.due()
    move = (await table.legal(who))["moves"][0]
    before = (await table.seen())["version"]

    answers = await asyncio.gather(*(who.post(f"{table.path}/moves", move, headers=keyed("once")) for _ in range(50)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert sum(answer.headers.get("idempotent-replay") == "true" for answer in answers) == 49
    done = answers[0].json()
    assert (await table.seen())["version"] == done["version"]
    assert len(done["events"]) == done["version"] - before


@pytest.mark.fault("F12")
async def test_a_key_with_another_body_is_a_422(service: Service):
    table = await service.table()
    who = await table.due()
    first, second = (await table.legal(who))["moves"][:2]
    ok(await who.post(f"{table.path}/moves", first, headers=keyed("k")))
    problem(await who.post(f"{table.path}/moves", second, headers=keyed("k")), 422, "key-reused")
    problem(await who.post(f"{table.path}/resign", headers=keyed("k")), 422, "key-reused")


async def test_the_key_of_one_player_is_not_that_of_another(service: Service):
    table = await service.table()
    for _ in range(3):
        who = await table.due()
        move = (await table.legal(who))["moves"][0]
        answer = await who.post(f"{table.path}/moves", move, headers=keyed("same"))
        if who.player in {g.player for g in table.guests} and "idempotent-replay" not in answer.headers:
            ok(answer)


async def test_a_match_is_opened_once_for_a_key(service: Service):
    host = await service.guest()
    body = {"game": "whos-the-ass", "seats": 3}
    answers = await asyncio.gather(*(host.post("/v1/matches", body, headers=keyed("open")) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert len({answer.text for answer in answers}) == 1
    problem(await host.post("/v1/matches", {**body, "seats": 4}, headers=keyed("open")), 422, "key-reused")


async def test_seats_bots_and_resigning_take_keys_too(service: Service):
    host, other = await service.guest("Host"), await service.guest("Other")
    path = await open_match(host, 3)

    async def twice(who: Guest, tail: str, body: object, key: str) -> None:
        first = await who.post(f"{path}{tail}", body, headers=keyed(key))
        again = await who.post(f"{path}{tail}", body, headers=keyed(key))
        assert ok(first) == ok(again)
        assert "idempotent-replay" not in first.headers
        assert again.headers["idempotent-replay"] == "true"

    await twice(host, "/seats", {"seat": 0}, "a")
    await twice(other, "/seats", {}, "b")
    await twice(host, "/bots", {"seats": [2]}, "c")
    await twice(host, "/resign", None, "d")


async def test_a_guest_is_made_once_for_a_key_and_gets_the_same_token(service: Service):
    answers = await asyncio.gather(
        *(service.http.post("/v1/players", json={"name": "Anna"}, headers=keyed(GUEST)) for _ in range(10))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert sum(answer.headers.get("idempotent-replay") == "true" for answer in answers) == 9
    created = answers[0].json()
    me = ok(await service.http.get("/v1/me", headers={"Authorization": f"Bearer {created['token']}"}))
    assert (me["player"], me["name"], me["role"]) == (created["player"], "Anna", "player")
    other = await service.http.post("/v1/players", json={"name": "Bela"}, headers=keyed(GUEST))
    problem(other, 422, "key-reused")
    assert ok(await service.http.post("/v1/players", json={"name": "Anna"})) != created


async def test_keys_are_1_to_255_printable_characters(service: Service):
    for key in (b"", b"x" * 256, b"a\x80b", b"tab\tbed"):
        answer = await service.http.post("/v1/players", json={"name": "A"}, headers={b"Idempotency-Key": key})
        problem(answer, 400, "not-understood")


@pytest.mark.fault(20)
async def test_a_key_holds_in_another_process_and_after_a_restart(database_url: str, redis_url: str):
    # given a match in one process, where a guest has moved and opened a match, with keys
    async with serving(database_url, redis_url) as first, serving(database_url, redis_url) as second:
        table = await seated_table(first.http, 3)
        who = await table.due()
        move = (await table.legal(who))["moves"][0]
        made = ok(await who.post(f"{table.path}/moves", move, headers=keyed("move")))
        opened = await who.post("/v1/matches", {"game": "whos-the-ass", "seats": 3}, headers=keyed("open"))
        created = await first.http.post("/v1/players", json={"name": "Zoe"}, headers=keyed(GUEST))
        elsewhere = Guest(second.http, who.player, who.name, who.token)
        # when the same comes to another process, then it is the same answer
        again = await elsewhere.post(f"{table.path}/moves", move, headers=keyed("move"))
        assert ok(again) == made
        assert again.headers["idempotent-replay"] == "true"
        twice = await elsewhere.post("/v1/matches", {"game": "whos-the-ass", "seats": 3}, headers=keyed("open"))
        assert twice.headers["location"] == opened.headers["location"]
        assert (
            await second.http.post("/v1/players", json={"name": "Zoe"}, headers=keyed(GUEST))
        ).json() == created.json()
    # and after a restart as well
    async with serving(database_url, redis_url) as third:
        later = Guest(third.http, who.player, who.name, who.token)
        again = await later.post(f"{table.path}/moves", move, headers=keyed("move"))
        assert ok(again) == made
        assert again.headers["idempotent-replay"] == "true"


async def test_two_processes_play_one_match_and_see_the_same(database_url: str, redis_url: str):
    async with serving(database_url, redis_url) as first, serving(database_url, redis_url) as second:
        table = await seated_table(first.http, 3, options={"games": 1})
        # each guest talks to another process with every request
        for count in range(400):
            http = (first, second)[count % 2].http
            seen = ok(await http.get(table.path))
            if seen["status"] != "playing":
                break
            who = table.guests[seen["to_act"][0]]
            here, there = Guest(http, *_who(who)), Guest((second, first)[count % 2].http, *_who(who))
            moves = ok(await here.get(f"{table.path}/moves"))["moves"]
            ok(await there.post(f"{table.path}/moves", moves[count % len(moves)]))
        one, two = ok(await first.http.get(table.path)), ok(await second.http.get(table.path))
        assert one["status"] == "finished"
        assert (one["version"], one["head"], one["scores"]) == (two["version"], two["head"], two["scores"])
        assert ok(await second.http.get(f"{table.path}/audit"))["verdict"] == "VALID"


@pytest.mark.fault(30, "F2")
async def test_an_outdated_process_does_not_refuse_what_is_right(database_url: str, redis_url: str):
    # given two processes that both know the match
    async with serving(database_url, redis_url) as first, serving(database_url, redis_url) as second:
        table = await seated_table(first.http, 3)
        ok(await second.http.get(table.path))
        second.context.games[table.match] = "whos-the-ass"
        mover = await table.due()
        here = Guest(first.http, *_who(mover))
        moves = (await table.legal(mover))["moves"]
        done = ok(await here.post(f"{table.path}/moves", moves[0]))
        # when the next seat moves by way of the process that has not seen the first move
        after = ok(await first.http.get(table.path))
        follower = table.guests[after["to_act"][0]]
        move = ok(await Guest(first.http, *_who(follower)).get(f"{table.path}/moves"))["moves"][0]
        answer = await Guest(second.http, *_who(follower)).post(f"{table.path}/moves", move)
        # then it is accepted
        assert ok(answer)["version"] > done["version"]


def _who(who: Guest) -> tuple[str, str, str]:
    return who.player, who.name, who.token
