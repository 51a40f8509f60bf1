"""Many moves in one request: each as if it had been sent alone."""

import json
from typing import Any

import pytest

from services.api.problem_types import MISSED
from services.ids import new_id
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, ok, problem


async def bot_table(service: Service, who: Guest) -> Table:
    """A match in which ``who`` has the only seat that is not a bot's."""
    created = await who.post("/v1/matches", {"game": "whos-the-ass", "seats": 3, "options": {"games": 1}})
    path = created.headers["location"]
    ok(await who.post(f"{path}/seats", {"seat": 0}))
    ok(await who.post(f"{path}/bots", {"seats": [1, 2]}))
    return Table(path, path.rpartition("/")[2], [who])


async def due(table: Table) -> dict[str, Any]:
    """A move that the first guest may make, when it is their turn."""
    while True:
        told = await table.legal(table.guests[0])
        if told["moves"]:
            return {"match": table.match, "move": told["moves"][0], "expected": told["version"], "key": new_id()}


async def test_moves_in_many_matches_are_made_together_and_answered_in_the_order_given(service: Service):
    who = await service.guest("Bot keeper")
    tables = [await bot_table(service, who) for _ in range(5)]
    items = [await due(table) for table in tables]
    results = ok(await who.post("/v1/moves:batch", items))
    assert [result["key"] for result in results] == [item["key"] for item in items]
    assert [result["match"] for result in results] == [table.match for table in tables]
    assert [result["status"] for result in results] == [200] * 5
    for item, result in zip(items, results, strict=True):
        assert result["version"] > item["expected"]
        assert result["seat"] == 0
        assert result["events"][0]["version"] == item["expected"] + 1
        assert "problem" not in result


async def test_a_batch_that_is_sent_again_gives_the_first_answers_again(service: Service):
    who = await service.guest("Bot keeper")
    items = [await due(await bot_table(service, who)) for _ in range(3)]
    first, again = [ok(await who.post("/v1/moves:batch", items)) for _ in range(2)]
    assert [result.pop("replayed") for result in first] == [False] * 3
    assert [result.pop("replayed") for result in again] == [True] * 3
    assert first == again


async def test_one_move_that_is_refused_holds_up_no_other(service: Service):
    who, other = await service.guest("Bot keeper"), await service.table(3)
    item = await due(await bot_table(service, who))
    nowhere, pass_ = new_id(), {"type": "pass"}
    items = [
        {"match": nowhere, "move": pass_, "key": "1"},
        {"match": "elsewhere", "move": pass_, "key": "2"},
        {"match": other.match, "move": pass_, "key": "3"},
        {**item, "move": {"type": "dance"}, "key": "4"},
        {**item, "expected": 1, "key": "5"},
        item,
        {**item, "key": "7"},
        {**item, "move": {"type": "pass", "x": 1}},
    ]
    results = ok(await who.post("/v1/moves:batch", items, {"Accept-Language": "hu"}))
    assert [result["status"] for result in results] == [404, 404, 403, 400, 412, 200, 412, 422]
    assert results[0]["problem"]["title"] == "Ilyen nincs"
    assert results[2]["problem"]["clause"] == "4.1"
    assert results[4]["problem"]["events"]
    assert results[7]["problem"]["type"] == "/problems/key-reused"


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        [{"match": "m", "key": "k"}],
        [{"match": "m", "key": "", "move": {}}],
        [{"match": "m", "key": "k", "move": {}, "seat": 0}],
        [{"match": "m", "key": "k", "move": {}, "expected": -1}],
        [{"match": "m", "key": "ő", "move": {}}],
        [{"match": "m", "key": "k\n", "move": {}}],
        [{"match": "m", "key": "k", "move": {}}] * 257,
    ],
)
async def test_what_is_not_a_batch_is_a_400_and_nothing_is_done(service: Service, body: Any):
    problem(await (await service.guest()).post("/v1/moves:batch", body), 400, "not-understood")


async def test_a_batch_needs_a_token(service: Service):
    item = {"match": new_id(), "key": "k", "move": {"type": "pass"}}
    problem(await service.http.post("/v1/moves:batch", json=[item]), 401, "unauthenticated")
    answer = await service.http.post("/v1/moves:batch", content=json.dumps([item]))
    problem(answer, 401, "unauthenticated")


async def test_conflicts_of_one_batch_carry_no_more_missed_events_than_one_alone(service: Service):
    # given a match with more events than a conflict carries
    table = await service.table(3, options={"games": 20})
    turn = 0
    while (version := (await table.seen())["version"]) <= MISSED + 20:
        await table.step(turn)
        turn += 1
    who = table.guests[0]
    items = [{"match": table.match, "move": {"type": "pass"}, "expected": 1, "key": new_id()} for _ in range(256)]
    # when 256 moves name the first version
    answer = await who.post("/v1/moves:batch", items)
    # then each is told the version, the first the events that follow, and nobody these events again
    results = ok(answer)
    assert [result["status"] for result in results] == [412] * 256
    assert {result["problem"]["version"] for result in results} == {version}
    told = [len(result["problem"]["events"]) for result in results]
    assert told == [MISSED] + [0] * 255
    assert len(answer.content) < 1_000_000
    assert (
        len(
            problem(
                await who.post(f"{table.path}/moves", {"type": "pass"}, {"If-Match": "1"}), 412, "version-mismatch"
            )["events"]
        )
        == MISSED
    )
