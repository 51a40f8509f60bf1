"""A match that is watched with a delay: whoever has no seat is told by every path what was so many events ago."""

import json
from typing import Any

import pytest

from domain.match import seating
from services.ids import new_id, new_token, token_hash
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, ok, open_match, problem
from tests.api.sockets import Heard, socket
from tests.api.test_stream import follow
from tests.waiting import eventually

TAILS = (
    "",
    "/events?limit=200",
    "/score-sheet",
    "/score-sheet?format=csv",
    "/replay",
    "/export",
    "/export?format=jsonl",
    "/export?format=txt",
    "/audit",
)


async def told(service: Service, table: Table, version: int) -> dict[str, Any]:
    """All that somebody without a seat is told of a match at ``version``, by name; headers and refusals too."""
    await eventually(lambda: service.feeds == 0)  # what was followed before is not counted among those who watch
    who = await service.guest("Watcher")
    found: dict[str, Any] = {}
    for tail in TAILS:
        answer = await service.http.get(f"{table.path}{tail}")
        found[tail] = answer.status_code, answer.headers["etag"], answer.headers["cache-control"], answer.text
        head = await service.http.head(f"{table.path}{tail}")
        found[f"HEAD {tail}"] = head.status_code, head.headers["etag"]
        kept = await service.http.get(f"{table.path}{tail}", headers={"If-None-Match": answer.headers["etag"]})
        found[f"304 {tail}"] = kept.status_code, kept.headers["etag"]
    for step in (version - 1, version, version + 1):
        for seat in ("public", "0", "all"):
            answer = await service.http.get(f"{table.path}/replay/{step}", params={"seat": seat})
            found[f"replay {step} {seat}"] = answer.status_code, answer.headers.get("etag"), answer.text
    for after in (version + 1, version + 2):
        answer = await service.http.get(f"{table.path}/stream", params={"after": after})
        found[f"stream after {after}"] = answer.status_code, answer.text
    frames = await follow(service, table.path, tables=True, count=version, after=0)
    found["stream"] = frames.ids, frames.data
    async with socket(service, table.path) as opened:
        found["socket"] = (await Heard().until_version(opened, version)).frames
    move = {"type": "pass"}
    for name, answer in {
        "moves": await who.get(f"{table.path}/moves"),
        "check": await who.post(f"{table.path}/moves/check", move),
        "move": await who.post(f"{table.path}/moves", move),
        "seat": await who.post(f"{table.path}/seats", {}),
        "resign": await who.post(f"{table.path}/resign"),
        "seed": await who.post(f"{table.path}/seed", {"seed": "A" * 43}),
        "bots": await who.post(f"{table.path}/bots", {"seats": [0]}),
        "batch": await who.post("/v1/moves:batch", [{"match": table.match, "move": move, "key": "k"}]),
        **{
            f"If-Match {tag}": await who.post(f"{table.path}/moves", move, {"If-Match": tag})
            for tag in ("1", f"{version}, {version + 1}, {version + 2}")
        },
    }.items():
        found[name] = answer.status_code, answer.text
    seated = table.guests[1].player
    found["history"] = next(row for row in await listed(service, f"/v1/players/{seated}/matches", table))
    found["lobby"] = next(row for row in await listed(service, "/v1/matches?game=whos-the-ass", table))
    return found


async def listed(service: Service, path: str, table: Table) -> list[dict[str, Any]]:
    items = ok(await service.http.get(path, params={"limit": 200} if "?" not in path else None))["items"]
    return [item for item in items if item["match"] == table.match]


@pytest.mark.parametrize("behind", [1, 3])
async def test_1_6_at_version_v_a_delayed_spectator_is_told_by_every_path_what_an_open_one_was_told_at_v_minus_n(
    service: Service, monkeypatch: pytest.MonkeyPatch, behind: int
):
    table = await service.table(3, spectators=f"delayed:{behind}", options={"games": 1})
    exact = seating.public_version
    began = version = (await table.seen())["version"]
    opened: dict[int, dict[str, Any]] = {}
    compared = 0
    for count in range(10):
        await service.caught_up()
        # given what is told to everybody while nobody is delayed
        with monkeypatch.context() as patched:
            patched.setattr(seating, "public_version", lambda state: state.version)
            opened[version] = await told(service, table, version)
        # when the match has gone on, then the same is told so many events later, and nothing more
        then = max(exact(await service.context.matches.state(table.match)), 1)
        if then in opened and then < version:
            now = await told(service, table, then)
            assert now.keys() == opened[then].keys()
            for name, before in opened[then].items():
                assert now[name] == before, (name, then, version)
            compared += 1
        version = (await table.step(count))["version"]
    assert compared >= 3, (began, sorted(opened))


async def test_players_and_arbiters_see_a_delayed_match_as_it_is(service: Service):
    table = await service.table(3, spectators="delayed:4")
    token, player = new_token(), new_id()
    await service.context.store.add_player(player, "Arbiter", token_hash(token), "arbiter")
    arbiter = Guest(service.http, player, "Arbiter", token)
    events = ok(await table.guests[0].get(f"{table.path}/events"))["events"]
    begun = next(event["version"] for event in events if event["type"] == "MatchStarted")
    for count in range(6):
        made = await table.step(count)
        assert (await table.seen(1))["version"] == ok(await arbiter.get(table.path))["version"] == made["version"]
        assert ok(await table.http.get(table.path))["version"] == max(begun, made["version"] - 4)
    late = await table.guests[1].post(f"{table.path}/moves", {"type": "pass"}, {"If-Match": "1"})
    assert problem(late, 412, "version-mismatch")["version"] == made["version"]


async def test_before_the_start_and_after_the_end_a_delayed_match_is_shown_whole(service: Service):
    host = await service.guest("Host")
    path = await open_match(host, 3, spectators="delayed:500", options={"games": 1})
    assert ok(await service.http.get(path))["version"] == 1
    for seat in range(2):
        ok(await (await service.guest(f"Player {seat}")).post(f"{path}/seats"))
    assert ok(await service.http.get(path))["version"] == 3
    table = await service.table(3, spectators="delayed:500", options={"games": 1})
    started = ok(await table.http.get(table.path))
    assert (started["status"], started["hand"]) == ("playing", 0)
    await table.play_out()
    whole, seen = ok(await table.http.get(table.path)), await table.seen()
    assert (whole["version"], whole["status"]) == (seen["version"], "finished")
    export = await table.http.get(f"{table.path}/export?format=jsonl")
    assert "immutable" in export.headers["cache-control"]
    assert len(export.text.splitlines()) == seen["version"]


async def test_a_delayed_stream_is_behind_until_the_end_and_then_has_everything(service: Service):
    table = await service.table(3, spectators="delayed:5", options={"games": 1})
    seen: list[tuple[int, int]] = []
    async with service.http.stream("GET", f"{table.path}/stream") as stream, socket(service, table.path) as opened:
        lines, heard = stream.aiter_lines(), Heard()

        async def until(version: int) -> None:
            await heard.until_version(opened, version)
            async for line in lines:
                if line.startswith("data: "):
                    seen.append((json.loads(line[6:])["version"], at))
                if seen and seen[-1][0] >= version:
                    return

        at = (await table.seen())["version"]
        await until(ok(await table.http.get(table.path))["version"])
        for count in range(8):
            at = (await table.step(count))["version"]
            await until(ok(await table.http.get(table.path))["version"])
        running = [(version, at) for version, at in seen if version > 12]
        assert running
        assert all(version <= at - 5 for version, at in running)
        assert heard.ids == [version for version, _ in seen]
        await table.play_out()
        at = (await table.seen())["version"]
        await until(at)
    assert [version for version, _ in seen] == heard.ids == list(range(1, at + 1))


async def test_a_host_without_a_seat_learns_no_more_than_a_spectator_from_the_command_that_starts_the_match(
    service: Service,
):
    for spectators in ("none", "delayed:3"):
        host = await service.guest("Host")
        path = await open_match(host, 3, spectators=spectators)
        ok(await (await service.guest("Player")).post(f"{path}/seats"))
        done = ok(await host.post(f"{path}/bots", {"seats": [1, 2]}, {"Idempotency-Key": new_id()}))
        assert "CardsDealt" not in [event["type"] for event in done["events"]]
        assert done["version"] == done["events"][-1]["version"]


async def test_1_6_nobody_learns_how_far_a_match_without_spectators_is(service: Service):
    table = await service.table(3, spectators="none")
    stranger, move = await service.guest("Stranger"), {"type": "pass"}

    async def told(version: int) -> dict[str, Any]:
        await service.caught_up()
        batch = [{"match": table.match, "move": move, "key": "k", "expected": expected} for expected in (1, version)]
        answers = {
            **{
                name: await stranger.post(f"{table.path}/moves", move, {"If-Match": tag})
                for name, tag in (("old", "1"), ("right", str(version)), ("any", f"{version}, {version + 1}"))
            },
            "check": await stranger.post(f"{table.path}/moves/check", move),
            "resign": await stranger.post(f"{table.path}/resign"),
            "seat": await stranger.post(f"{table.path}/seats", {}),
            "dispute": await stranger.post(f"{table.path}/disputes", {"first": 1, "last": 999, "claim": "So far?"}),
            "batch": await stranger.post("/v1/moves:batch", batch),
        }
        found: dict[str, Any] = {name: (answer.status_code, answer.text) for name, answer in answers.items()}
        found["lobby"] = await listed(service, "/v1/matches?game=whos-the-ass", table)
        return found

    # given what somebody without a seat is told at the start
    first = await told((await table.seen())["version"])
    # when it is played on, then the same is told, and the players see the lobby as it is
    for count in range(4):
        made = await table.step(count)
        assert await told(made["version"]) == first
    lobby = ok(await table.guests[1].get("/v1/matches", game="whos-the-ass", limit=200))["items"]
    assert [row["version"] for row in lobby if row["match"] == table.match] == [made["version"]]


async def test_a_history_tells_nobody_how_a_match_without_spectators_goes(service: Service):
    table = await service.table(3, spectators="none", options={"games": 1})
    await table.play_out()
    await service.caught_up()
    path = f"/v1/players/{table.guests[1].player}/matches"
    (public,) = ok(await service.http.get(path))["items"]
    assert (public["hands"], public["score"], public["won"]) == (None, None, None)
    (own,) = ok(await table.guests[0].get(path))["items"]
    assert own["hands"] == 1
    assert isinstance(own["score"], int)


@pytest.mark.parametrize(
    "spectators", ["", "delayed", "delayed:0", "delayed:501", "delayed:-1", "all", "none\n", 3, None]
)
async def test_spectators_are_open_none_or_delayed(service: Service, spectators: Any):
    host = await service.guest("Host")
    body = {"game": "whos-the-ass", "seats": 3, "spectators": spectators}
    assert "spectators" in problem(await host.post("/v1/matches", body), 400, "not-understood")["detail"]
