"""Disputes over HTTP: who may open and rule, what a ruling changes everywhere, and that it is told the same again."""

import asyncio
from typing import Any

import httpx

from domain.event import chained
from domain.hidden import b64u
from services.ids import new_id, new_token, token_hash
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, canonical, ok, paged, problem
from tests.engine.played import audited
from tests.waiting import PATIENCE

CLAIM = {"claim": "The third trick was taken by the wrong seat."}


async def arbiter(service: Service, role: str = "arbiter") -> Guest:
    """As an operator makes one: no request can."""
    player, token = new_id(), new_token()
    await service.context.store.add_player(player, "Judge", token_hash(token), role)
    return Guest(service.http, player, "Judge", token)


async def over(service: Service, seats: int = 3, **request: Any) -> Table:
    table = await service.table(seats, **{"options": {"games": 2}, **request})
    await table.play_out()
    return table


async def in_hand_two(service: Service) -> Table:
    """A running match whose first hand is over."""
    table = await service.table(options={"games": 3})
    while (await table.seen())["hand"] < 2:
        await table.step()
    await table.step()
    return table


async def disputed(table: Table, seat: int = 0, **more: Any) -> dict:
    version = (await table.seen())["version"]
    body = {"first": 1, "last": version, **CLAIM, **more}
    return ok(await table.guests[seat].post(f"{table.path}/disputes", body))


def ruling(kind: str, **more: Any) -> dict:
    return {"ruling": kind, "reason": "So the record shows.", **more}


async def sheet(table: Table) -> dict:
    return ok(await table.http.get(f"{table.path}/score-sheet"))


async def valid(service: Service, table: Table) -> None:
    events = await service.context.store.events(table.match)
    openings = await service.context.store.openings(table.match)
    report = audited(events, openings)
    assert report.verdict == "VALID", report.checks


async def test_a_player_opens_a_case_and_is_told_what_the_audit_finds(service: Service):
    table = await over(service)
    version = (await table.seen())["version"]
    asked = {"first": 5, "last": version, **CLAIM}
    answer = await table.guests[1].post(f"{table.path}/disputes", asked)
    assert answer.status_code == 201
    case = answer.json()
    assert answer.headers["location"] == f"/v1/disputes/{case['dispute']}"
    assert (case["match"], case["seat"], case["claim"], case["status"]) == (table.match, 1, CLAIM["claim"], "open")
    assert (case["verdict"], case["hands"], case["rulings"]) == ("VALID", [1, 2], [])
    assert not [found for found in case["findings"] if found["ok"] is False]
    assert [event["version"] for event in case["events"]] == list(range(5, version + 1))[:200]
    read = await service.http.get(f"/v1/disputes/{case['dispute']}")
    assert ok(read) == case
    again = await service.http.get(f"/v1/disputes/{case['dispute']}", headers={"If-None-Match": read.headers["etag"]})
    assert again.status_code == 304
    (line,) = ok(await service.http.get(f"{table.path}/disputes"))["items"]
    assert (line["dispute"], line["version"], line["rulings"]) == (case["dispute"], version + 1, 0)


async def test_who_may_open_read_and_rule(service: Service):
    table, stranger, judge = await in_hand_two(service), await service.guest("Zoe"), await arbiter(service)
    body = {"first": 1, "last": 3, **CLAIM}
    problem(await service.http.post(f"{table.path}/disputes", json=body), 401, "unauthenticated")
    told = problem(await stranger.post(f"{table.path}/disputes", body), 403, "not-your-seat")
    assert (told["game"], told["clause"]) == ("match", "7.1")
    assert told["clause_text"].startswith("A player who has a seat")
    problem(await judge.post(f"{table.path}/disputes", body), 403, "not-your-seat")
    case = await disputed(table, 2)
    path = f"/v1/disputes/{case['dispute']}"
    for reader in (*table.guests, judge):
        assert ok(await reader.get(path))["claim"] == CLAIM["claim"]
    problem(await stranger.get(path), 403, "forbidden")
    problem(await service.http.get(path), 403, "forbidden")
    problem(await service.http.post(f"{path}/rulings", json=ruling("upheld")), 401, "unauthenticated")
    for other in (stranger, *table.guests):
        told = problem(await other.post(f"{path}/rulings", ruling("upheld")), 403, "not-your-seat")
        assert told["clause"] == "7.5"
    assert ok(await judge.post(f"{path}/rulings", ruling("upheld")))["status"] == "ruled"
    await table.play_out()
    assert ok(await service.http.get(path))["rulings"][0]["arbiter"] == judge.player


async def test_an_arbiter_at_the_table_is_no_arbiter_there(service: Service):
    judge, second = await arbiter(service), await arbiter(service, "admin")
    host = await service.guest()
    path = (await host.post("/v1/matches", {"game": "whos-the-ass", "seats": 3})).headers["location"]
    for who in (judge, host, await service.guest()):
        ok(await who.post(f"{path}/seats", {}))
    case = ok(await judge.post(f"{path}/disputes", {"first": 1, "last": 2, **CLAIM}))
    told = problem(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("upheld")), 403, "not-your-seat")
    assert told["clause"] == "7.5"
    ok(await second.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("upheld")))


async def test_a_closed_match_is_disputed_behind_closed_doors(service: Service):
    table, judge = await over(service, spectators="none"), await arbiter(service)
    case = await disputed(table)
    path = f"/v1/disputes/{case['dispute']}"
    problem(await service.http.get(path), 403, "forbidden")
    assert ok(await table.guests[1].get(path))["claim"]
    assert ok(await judge.get(path))["claim"]


async def test_voiding_a_hand_after_the_end_changes_totals_and_winners_everywhere(service: Service):
    table, judge = await over(service), await arbiter(service)
    before = await sheet(table)
    case = await disputed(table)
    after = ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("void_hand", hand=1)))
    totals = before["hands"][1]["points"]
    winners = [seat for seat, total in enumerate(totals) if total == min(totals)]
    (ruled,) = after["rulings"]
    assert (ruled["totals"], ruled["winners"]) == (totals, winners)
    assert ruled["points"] == [-points for points in before["hands"][0]["points"]]
    now = await sheet(table)
    assert (now["totals"], now["winners"]) == (totals, winners)
    assert [hand["void"] for hand in now["hands"]] == [True, False]
    assert [hand["points"] for hand in now["hands"]] == [hand["points"] for hand in before["hands"]]
    assert now["rulings"][0]["version"] == ruled["version"]
    seen = await table.seen()
    assert (seen["scores"], seen["winners"], seen["status"]) == (totals, winners, "finished")
    index = ok(await service.http.get(f"{table.path}/replay"))
    marks = [mark for mark in index["marks"] if mark["kind"] == "dispute"]
    assert [mark["version"] for mark in marks] == [ruled["version"] - 1, ruled["version"], ruled["version"] + 1]
    for language, word in (("en", "void"), ("hu", "érvénytelen"), ("ru", "аннулирована")):
        text = await service.http.get(
            f"{table.path}/export", params={"format": "txt"}, headers={"Accept-Language": language}
        )
        assert word in text.text
    step = ok(await service.http.get(f"{table.path}/replay/{ruled['version'] - 2}"))
    assert step["table"]["scores"] == before["totals"], "the past stays"
    csv = (await service.http.get(f"{table.path}/score-sheet", params={"format": "csv"})).text
    assert "ruling" in csv
    assert "void" in csv
    await valid(service, table)


async def test_histories_and_the_leaderboard_know_the_winners_after_a_ruling(service: Service):
    table, judge = await over(service), await arbiter(service)
    won = (await table.seen())["winners"]
    other = next(seat for seat in range(3) if seat not in won)
    case = await disputed(table)
    points = [0, 0, 0]
    points[other] = -5000
    body = ruling("adjust", points=points, clause="match 4.3")
    ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", body))

    async def history(seat: int) -> dict:
        player = table.guests[seat].player
        return ok(await service.http.get(f"/v1/players/{player}/matches"))["items"][0]

    await service.caught_up()
    assert (await history(other))["won"]
    assert not (await history(won[0]))["won"]
    game = {"game": "whos-the-ass"}
    rows = await paged(lambda asked: service.http.get("/v1/leaderboard", params=game | asked), 200)
    leaders = {row["player"]: row["won"] for row in rows}
    assert leaders[table.guests[other].player] == 1
    assert leaders[table.guests[won[0]].player] == 0


async def test_a_dispute_on_a_running_hand_stops_nothing_and_races_with_moves(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)

    async def moves() -> None:
        for _ in range(10):
            if (await table.seen())["status"] == "playing":
                await table.step()

    case, _ = await asyncio.gather(disputed(table, 1), moves())
    path = f"/v1/disputes/{case['dispute']}/rulings"
    running = ok(await judge.get(f"/v1/disputes/{case['dispute']}"))
    hand = (await table.seen())["hand"]
    if (await table.seen())["status"] == "playing" and hand not in running["hands"]:
        problem(await judge.post(path, ruling("void_hand", hand=hand)), 409, "wrong-state")
    _, ruled = await asyncio.gather(moves(), judge.post(path, ruling("void_hand", hand=1)))
    assert ok(ruled)["rulings"][0]["hand"] == 1
    await table.play_out()
    now = await sheet(table)
    counted = [hand["points"] for hand in now["hands"] if not hand["void"]]
    assert now["totals"] == [sum(points) for points in zip(*counted, strict=True)]
    assert now["winners"] == [seat for seat, total in enumerate(now["totals"]) if total == min(now["totals"])]
    await valid(service, table)


async def test_two_arbiters_who_rule_at_once_are_one_ruling_and_one_conflict(service: Service):
    table = await over(service)
    case = await disputed(table)
    path = f"/v1/disputes/{case['dispute']}/rulings"
    judges = [await arbiter(service) for _ in range(4)]
    before = (await sheet(table))["totals"]
    body = ruling("adjust", points=[1, 0, 0], clause="match 4.3")
    answers = await asyncio.gather(*(judge.post(path, body) for judge in judges))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    for answer in answers:
        if answer.status_code == 409:
            assert problem(answer, 409, "wrong-state")["clause"] == "7.12"
    assert (await sheet(table))["totals"] == [before[0] + 1, *before[1:]]
    appeal = ok(await judges[0].post(path, {**body, "points": [-1, 0, 0], "after": 1}))
    assert [ruled["number"] for ruled in appeal["rulings"]] == [1, 2]
    assert (await sheet(table))["totals"] == before
    await valid(service, table)


async def test_the_same_key_is_one_dispute_and_one_ruling_with_the_same_answer(service: Service):
    table, judge = await over(service), await arbiter(service)
    body = {"first": 1, "last": 9, **CLAIM}
    key = {"Idempotency-Key": "dispute-1"}
    first = await table.guests[0].post(f"{table.path}/disputes", body, headers=key)
    path = f"/v1/disputes/{first.json()['dispute']}/rulings"
    ruled = await judge.post(path, ruling("upheld"), headers=key)
    again = await table.guests[0].post(f"{table.path}/disputes", body, headers=key)
    assert again.headers["idempotent-replay"] == "true"
    assert (again.status_code, again.json()) == (201, first.json())
    problem(await table.guests[0].post(f"{table.path}/disputes", {**body, "last": 8}, headers=key), 422, "key-reused")
    repeated = await judge.post(path, ruling("upheld"), headers=key)
    assert repeated.headers["idempotent-replay"] == "true"
    assert repeated.json() == ruled.json()
    problem(await judge.post(path, ruling("upheld", after=1), headers=key), 422, "key-reused")
    assert len(ok(await service.http.get(f"{table.path}/disputes"))["items"]) == 1
    await valid(service, table)


async def test_refused_and_late_attempts_are_in_the_case_with_their_clauses(service: Service):
    table = await in_hand_two(service)
    who = await table.due()
    other = next(guest for guest in table.guests if guest is not who)
    version = (await table.seen())["version"]
    problem(await other.post(f"{table.path}/moves", {"type": "pass"}), 409, "out-of-turn")
    problem(await who.post(f"{table.path}/moves", {"type": "play", "cards": ["ASS"] * 3}), 422, "refused")
    late = await who.post(f"{table.path}/moves", {"type": "pass"}, headers={"If-Match": str(version - 1)})
    problem(late, 412, "version-mismatch")
    case = await disputed(table, table.guests.index(who))
    mine, theirs = case["attempts"], ok(await other.get(f"/v1/disputes/{case['dispute']}"))["attempts"]
    assert {entry["seat"] for entry in mine} == {table.guests.index(who)}, "others' cards are hidden in this hand"
    assert {entry["seat"] for entry in theirs} == {table.guests.index(other)}
    assert [entry["late"] for entry in mine] == [False, True]
    await table.play_out()
    case = ok(await service.http.get(f"/v1/disputes/{case['dispute']}"))
    assert len(case["attempts"]) == 3
    for entry in case["attempts"]:
        assert entry["late"] or entry["clause_text"]
        assert entry["attempt"]


async def test_what_cannot_be_disputed_or_ruled_changes_nothing(service: Service):
    table, judge = await over(service), await arbiter(service)
    version = (await table.seen())["version"]
    who = table.guests[0]
    for first, last in ((0, 1), (3, 2), (1, version + 1)):
        told = problem(
            await who.post(f"{table.path}/disputes", {"first": first, "last": last, **CLAIM}), 422, "refused"
        )
        assert told["clause"] == "7.2"
    unread: list[dict] = [
        {},
        {"first": 1},
        {"first": 1, "last": 2, "claim": ""},
        {"first": 1, "last": 2, **CLAIM, "x": 1},
    ]
    for body in unread:
        problem(await who.post(f"{table.path}/disputes", body), 400, "not-understood")
    problem(await who.post(f"{table.path}/disputes", {"first": 1, "last": 2, "claim": "a\0b"}), 400, "not-understood")
    case = await disputed(table)
    problem(await who.post(f"{table.path}/disputes", {"first": 1, "last": 2, **CLAIM}), 409, "wrong-state")
    path = f"/v1/disputes/{case['dispute']}/rulings"
    wrong: list[tuple[dict, str]] = [
        (ruling("upheld", hand=1), "7.6"),
        (ruling("upheld", reason=""), "7.6"),
        (ruling("void_hand", hand=9), "7.7"),
        (ruling("adjust", points=[1, 0], clause="match 4.3"), "7.8"),
        (ruling("adjust", points=[1, 0, 0], clause="99.99"), "7.8"),
        (ruling("adjust", points=[1, 0, 0]), "7.8"),
        (ruling("adjust", points=[1, 0, 0], clause="match 4.3", winners=[1]), "7.11"),
    ]
    for body, clause in wrong:
        assert problem(await judge.post(path, body), 422, "refused")["clause"] == clause, body
    for body in (
        {"ruling": "upheld"},
        ruling("delete"),
        ruling("upheld", points="many"),
        ruling("upheld", after=2**40),
    ):
        problem(await judge.post(path, body), 400, "not-understood")
    problem(await judge.post(f"/v1/disputes/{new_id()}/rulings", ruling("upheld")), 404, "not-found")
    problem(await service.http.get(f"/v1/disputes/{new_id()}"), 404, "not-found")
    problem(await who.post(f"/v1/matches/{new_id()}/disputes", {"first": 1, "last": 1, **CLAIM}), 404, "not-found")
    assert (await table.seen())["version"] == version + 1
    kept = await service.context.store.refusals(table.match)
    assert not any(CLAIM["claim"].encode() in entry.body for entry in kept)


async def test_the_claim_goes_with_the_person_and_the_record_stays_valid(service: Service):
    table, judge = await over(service), await arbiter(service)
    case = await disputed(table, 1)
    path = f"/v1/disputes/{case['dispute']}"
    ok(await judge.post(f"{path}/rulings", ruling("upheld", reason="Szabályos volt: minden rendben.")))
    tag = (await service.http.get(path)).headers["etag"]
    assert (await table.guests[1].delete("/v1/me")).status_code == 204
    answer = await service.http.get(path, headers={"If-None-Match": tag})
    forgotten = ok(answer)
    assert (forgotten["claim"], forgotten["name"], forgotten["player"]) == ("", "", table.guests[1].player)
    assert forgotten["rulings"][0]["reason"] == "Szabályos volt: minden rendben."
    export = (await service.http.get(f"{table.path}/export", params={"format": "jsonl"})).text
    assert CLAIM["claim"] not in export
    await valid(service, table)


async def test_a_stream_ends_after_the_ruling_that_follows_the_end(service: Service):
    table, judge = await over(service), await arbiter(service)
    end = (await table.seen())["version"]
    assert (await _stream(service.http, table, 0))[-1] == end
    case = await disputed(table)
    assert (await _stream(service.http, table, 0))[-1] == end + 1
    ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("void_hand", hand=2)))
    assert await _stream(service.http, table, end) == [end + 1, end + 2, end + 3]
    nothing = await service.http.get(f"{table.path}/stream", params={"after": end + 3})
    assert nothing.status_code == 204


async def _stream(http: httpx.AsyncClient, table: Table, after: int) -> list[int]:
    async with asyncio.timeout(PATIENCE), http.stream("GET", f"{table.path}/stream", params={"after": after}) as answer:
        return [int(line.removeprefix("id: ")) async for line in answer.aiter_lines() if line.startswith("id: ")]


async def test_what_a_ruling_can_change_is_kept_for_a_short_time_only(service: Service):
    table = await over(service)
    assert (await table.seen())["version"] < 200
    for tail, params in (
        ("/events", {"limit": 200, "after": 9}),
        ("/export", {"format": "jsonl"}),
    ):
        kept = (await service.http.get(f"{table.path}{tail}", params=params)).headers["cache-control"]
        assert kept == "public, max-age=30, immutable", tail
    kept = (await service.http.get(f"{table.path}/disputes")).headers["cache-control"]
    assert kept == "public, no-cache", "what was just opened is listed at once"
    page = await service.http.get(f"{table.path}/events", params={"limit": 10})
    assert page.headers["cache-control"] == "public, max-age=31536000, immutable"
    case = await disputed(table)
    assert ok(await service.http.get(f"{table.path}/events", params={"limit": 10})) == page.json()
    assert (await service.http.get(f"/v1/disputes/{case['dispute']}")).headers["cache-control"] == "public, no-cache"


async def test_a_case_is_read_anew_when_the_arbiter_has_another_name(service: Service):
    table, judge = await over(service), await arbiter(service)
    case = await disputed(table)
    path = f"/v1/disputes/{case['dispute']}"
    ok(await judge.post(f"{path}/rulings", ruling("void_hand", hand=1)))
    kept = {"If-None-Match": (await service.http.get(path)).headers["etag"]}
    assert (await service.http.get(path, headers=kept)).status_code == 304
    ok(await judge.patch("/v1/me", {"name": "Justice"}))
    assert ok(await service.http.get(path, headers=kept))["rulings"][0]["name"] == "Justice"


async def test_events_of_disputes_are_in_the_chain_that_every_viewer_can_check(service: Service):
    table, judge = await over(service), await arbiter(service)
    case = await disputed(table)
    ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("void_hand", hand=1)))
    export = (await service.http.get(f"{table.path}/export", params={"format": "json"})).json()
    prev = ""
    for event in export["events"]:
        assert event["prev"] == prev
        prev = b64u(chained(canonical(event)))
        assert event["hash"] == prev
    assert export["head"] == prev
    assert [event["type"] for event in export["events"][-3:]] == ["DisputeOpened", "DisputeRuled", "HandVoided"]
