"""What an answer that says no must not tell, and what it leaves behind."""

from services.ids import new_id, new_token, token_hash
from tests.api.conftest import Service
from tests.api.guests import Guest, ok, problem


async def test_a_conflict_does_not_show_a_match_without_spectators(service: Service):
    table = await service.table(3, spectators="none")
    stranger = await service.guest("Stranger")
    events = ok(await table.guests[0].get(f"{table.path}/events"))["events"]
    begun = next(event["version"] for event in events if event["type"] == "MatchStarted")
    problem(await stranger.get(f"{table.path}/events"), 403, "forbidden")
    late = await stranger.post(f"{table.path}/moves", {"type": "pass"}, {"If-Match": "1"})
    told = problem(late, 403, "not-your-seat")  # a conflict would tell how far the match is
    assert ("events" in told, told["version"]) == (False, begun)
    seated = await table.guests[1].post(f"{table.path}/moves", {"type": "pass"}, {"If-Match": "1"})
    assert problem(seated, 412, "version-mismatch")["events"]


async def test_a_late_attempt_is_kept(service: Service):
    table = await service.table(3)
    who = await table.due()
    problem(await who.post(f"{table.path}/moves", {"type": "pass"}, {"If-Match": "1"}), 412, "version-mismatch")
    (kept,) = await service.context.store.refusals(table.match)
    assert (kept.player, kept.status, kept.body) == (who.player, 412, b'{"type":"pass"}')


async def test_an_arbiter_who_plays_sees_no_more_than_a_player(service: Service):
    token, player = new_token(), new_id()
    await service.context.store.add_player(player, "Arbiter", token_hash(token), "arbiter")
    arbiter = Guest(service.http, player, "Arbiter", token)
    host = await service.guest("Host")
    created = await host.post("/v1/matches", {"game": "whos-the-ass", "seats": 3})
    path = created.headers["location"]
    for who in (arbiter, host, await service.guest("Third")):
        ok(await who.post(f"{path}/seats", {}))
    version = ok(await arbiter.get(path))["version"]
    problem(await arbiter.get(f"{path}/replay/{version}", seat="all"), 403, "forbidden")
    problem(await arbiter.get(f"{path}/replay/{version}", seat="1"), 403, "forbidden")
    other = await service.table(3)
    seen = await other.seen()
    shown = ok(await arbiter.get(f"{other.path}/replay/{seen['version']}", seat="all"))
    assert all(shown["table"]["table"]["hands"])


async def test_a_key_of_somebody_who_was_erased_stands_for_nobody(service: Service):
    key = {"Idempotency-Key": new_id()}
    created = ok(await service.http.post("/v1/players", json={"name": "Nora"}, headers=key))
    who = Guest(service.http, created["player"], "Nora", created["token"])
    assert (await who.delete("/v1/me")).status_code == 204
    problem(await service.http.post("/v1/players", json={"name": "Nora"}, headers=key), 422, "key-reused")


async def test_a_replay_shows_a_step_as_it_was_seen_then(service: Service):
    table = await service.table(3, options={"games": 1})
    version = next(
        event["version"]
        for event in ok(await table.http.get(f"{table.path}/events"))["events"]
        if event["type"] == "CardsDealt"
    )
    await table.play_out()
    for seat, open_hands in (("0", [True, False, False]), ("public", [False] * 3), ("all", [True] * 3)):
        step = ok(await table.http.get(f"{table.path}/replay/{version}", params={"seat": seat}))
        assert ["value" in hand for hand in step["event"]["body"]["hands"]] == open_hands, seat
        assert [f"Guest {other}:" in step["text"] for other in range(3)] == open_hands, seat
    index = ok(await table.http.get(f"{table.path}/replay"))
    (deal,) = [mark["text"] for mark in index["marks"] if mark["kind"] == "deal"]
    assert "Guest 0:" not in deal
