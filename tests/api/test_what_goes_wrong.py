"""What the rules refuse has its status, its type, its clause and its reason, and changes nothing."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from structlog.testing import capture_logs

from domain.hidden import b64u
from domain.match import seating
from domain.match.state import State
from services.api import create_api
from services.matches import Matches
from tests.api.conftest import Service
from tests.api.guests import Table, commitment, ok, open_match, problem
from tests.waiting import PATIENCE

LATE = "the database did not answer within "
"""What a part of the service says on a machine that is too busy for it, and tries again."""


async def unchanged(table: Table, version: int) -> None:
    assert (await table.seen())["version"] == version


async def test_a_move_out_of_turn_is_a_409_with_its_clause_and_changes_nothing(service: Service):
    table = await service.table()
    seen = await table.seen()
    idle = next(who for seat, who in enumerate(table.guests) if seat not in seen["to_act"])

    told = problem(await idle.post(f"{table.path}/moves", {"type": "pass"}), 409, "out-of-turn")

    assert (told["game"], told["clause"]) == ("match", "4.3")
    assert told["clause_text"].startswith("A seat acts when")
    assert told["version"] == seen["version"]
    assert told["events"] == []
    await unchanged(table, seen["version"])


async def test_a_card_that_is_not_held_is_a_422_with_clause_and_hint(service: Service):
    table = await service.table()
    seen = await table.seen()
    who = await table.due()

    told = problem(await who.post(f"{table.path}/moves", {"type": "play", "cards": ["99"]}), 422, "refused")

    assert (told["game"], told["clause"]) == ("whos-the-ass", "1.3")
    assert told["clause_text"]
    legal = (await table.legal(who))["moves"]
    assert told["legal_hint"] == legal[: len(told["legal_hint"])]
    assert told["legal_hint"]
    await unchanged(table, seen["version"])


async def test_the_starting_player_may_not_pass(service: Service):
    table = await service.table()
    told = problem(await (await table.due()).post(f"{table.path}/moves", {"type": "pass"}), 422, "refused")
    assert told["clause"] == "3.2"


async def test_in_an_ass_round_nobody_passes_and_the_ban_of_the_ass_is_told(service: Service):
    table = await service.table(3)
    await _to_an_ass_round(table)
    told = problem(await (await table.due()).post(f"{table.path}/moves", {"type": "pass"}), 422, "refused")
    assert told["clause"] == "5.4"
    for _ in range(2):
        await table.step()
    taker = await table.due()
    told = problem(await taker.post(f"{table.path}/moves", {"type": "play", "cards": ["ASS"]}), 422, "refused")
    assert told["clause"] == "6.1"
    refused = (await table.legal(taker))["refused"]
    assert {"type": "play", "cards": ["ASS"]} in [entry["move"] for entry in refused if entry["clause"] == "6.1"]


async def _to_an_ass_round(table: Table) -> None:
    for choice in range(500):
        who = await table.due()
        moves = (await table.legal(who))["moves"]
        lead = {"type": "play", "cards": ["ASS"]}
        move = lead if lead in moves else moves[choice % len(moves)]
        ok(await who.post(f"{table.path}/moves", move))
        if move == lead:
            return
    raise AssertionError("nobody could lead the ass")


async def test_a_stranger_and_a_foreign_seat_are_a_403(service: Service):
    table = await service.table()
    stranger = await service.guest("Stranger")
    for path, body in (
        ("moves", {"type": "pass"}),
        ("moves/check", {"type": "pass"}),
        ("resign", None),
        ("seed", {"seed": "x"}),
    ):
        told = problem(await stranger.post(f"{table.path}/{path}", body), 403, "not-your-seat")
        assert told["clause"] == "4.1"
    problem(await stranger.get(f"{table.path}/moves"), 403, "not-your-seat")
    problem(await stranger.delete(f"{table.path}/seats/me"), 403, "not-your-seat")


async def test_a_level_that_the_game_does_not_have_is_not_offered(service: Service, monkeypatch: pytest.MonkeyPatch):
    host = await service.guest("Host")
    path = await open_match(host, 3)
    monkeypatch.setattr("services.api.play.levels_of", lambda game: ("random",))  # given a game without card sense
    problem(await host.post(f"{path}/bots", {"seats": [0], "level": "heuristic"}), 422, "not-offered")
    ok(await host.post(f"{path}/bots", {"seats": [0], "level": "random"}))


async def test_only_the_host_seats_bots_and_only_levels_that_there_are(service: Service):
    host, other = await service.guest("Host"), await service.guest("Other")
    path = await open_match(host, 4)
    told = problem(await other.post(f"{path}/bots", {"seats": [0]}), 403, "not-your-seat")
    assert told["clause"] == "2.6"
    problem(await host.post(f"{path}/bots", {"seats": [0], "level": "genius"}), 400, "not-understood")
    problem(await host.post(f"{path}/bots", {"seats": [9]}), 422, "refused")
    problem(await host.post(f"{path}/bots", {"seats": []}), 400, "not-understood")
    ok(await host.post(f"{path}/bots", {"seats": [0, 2]}))
    problem(await host.post(f"{path}/bots", {"seats": [1, 2]}), 409, "wrong-state")
    kinds = [seat["kind"] for seat in ok(await host.get(path))["seats"]]
    assert kinds == ["bot", None, "bot", None]


async def test_seats_are_taken_once_each_and_left_before_the_start(service: Service):
    host, other = await service.guest("Host"), await service.guest("Other")
    path = await open_match(host, 3)
    taken = ok(await host.post(f"{path}/seats", {"seat": 1}))
    assert taken["seat"] == 1
    assert problem(await other.post(f"{path}/seats", {"seat": 1}), 409, "wrong-state")["clause"] == "2.2"
    assert problem(await host.post(f"{path}/seats", {"seat": 2}), 409, "wrong-state")["clause"] == "2.3"
    assert problem(await other.post(f"{path}/seats", {"seat": 7}), 422, "refused")["clause"] == "2.2"
    assert problem(await other.post(f"{path}/seats", {"seed_commitment": "short"}), 422, "refused")["clause"] == "2.4"
    assert ok(await other.http.post(f"{path}/seats", headers=other.auth))["seat"] == 0
    left = ok(await other.delete(f"{path}/seats/me"))
    assert [event["type"] for event in left["events"]] == ["SeatLeft"]
    assert problem(await other.post(f"{path}/moves", {"type": "pass"}), 403, "not-your-seat")
    assert problem(await host.post(f"{path}/moves", {"type": "pass"}), 409, "wrong-state")["clause"] == "4.2"
    table = await service.table()
    assert problem(await table.guests[0].delete(f"{table.path}/seats/me"), 409, "wrong-state")["clause"] == "2.5"
    assert problem(await other.post(f"{table.path}/seats", {}), 409, "wrong-state")["clause"] == "2.1"


async def test_a_seed_fits_its_commitment_and_is_revealed_once(service: Service):
    guests = [await service.guest(f"Guest {seat}") for seat in range(3)]
    path = await open_match(guests[0], 3)
    for who in guests:
        ok(await who.post(f"{path}/seats", {"seed_commitment": commitment(who.seed)}))
    assert problem(await guests[0].post(f"{path}/seed", {"seed": b64u(bytes(32))}), 422, "refused")["clause"] == "3.2"
    ok(await guests[0].post(f"{path}/seed", {"seed": b64u(guests[0].seed)}))
    again = await guests[0].post(f"{path}/seed", {"seed": b64u(guests[0].seed)})
    assert problem(again, 409, "wrong-state")["clause"] == "3.2"


@pytest.mark.parametrize(
    ("request_body", "clause", "words"),
    [
        ({"game": "whos-the-ass", "seats": 2}, "1.2", "3 to 12"),
        ({"game": "whos-the-ass", "seats": 13}, "1.2", "3 to 12"),
        ({"game": "whos-the-ass", "seats": 3, "options": {"games": 21}}, "1.3", "games"),
        ({"game": "whos-the-ass", "seats": 3, "options": {"games": "many"}}, "1.3", "games"),
        ({"game": "whos-the-ass", "seats": 3, "options": {"colour": "red"}}, "1.3", "colour"),
        ({"game": "whos-the-ass", "seats": 3, "clock": {"turn_seconds": 4}}, "1.4", "5 to 86400"),
    ],
)
async def test_a_wrong_option_is_a_422_that_names_the_field_and_its_bounds(
    service: Service, request_body: dict, clause: str, words: str
):
    host = await service.guest()
    told = problem(await host.post("/v1/matches", request_body), 422, "refused")
    assert told["clause"] == clause
    assert words in told["detail"]


async def test_a_game_that_there_is_not_cannot_be_opened(service: Service):
    host = await service.guest()
    answer = await host.post("/v1/matches", {"game": "poker", "seats": 3})
    assert problem(answer, 422, "refused")["clause"] == "1.1"


async def test_if_match_that_failed_is_a_412_with_what_was_missed(service: Service):
    table = await service.table()
    seen = await table.seen()
    await table.step()
    who = await table.due()
    move = (await table.legal(who))["moves"][0]

    answer = await who.post(f"{table.path}/moves", move, headers={"If-Match": str(seen["version"])})

    told = problem(answer, 412, "version-mismatch")
    assert told["version"] == (await table.seen())["version"]
    assert [event["version"] for event in told["events"]] == list(range(seen["version"] + 1, told["version"] + 1))
    tag = (await who.get(table.path)).headers["etag"]
    ok(await who.post(f"{table.path}/moves", move, headers={"If-Match": tag}))
    for value in ("x", '"', "-1", ""):
        who = await table.due()
        answer = await who.post(f"{table.path}/moves", {"type": "pass"}, headers={"If-Match": value})
        problem(answer, 400, "not-understood")
    ahead = await who.post(f"{table.path}/moves", move, headers={"If-Match": '"99999"'})
    assert problem(ahead, 412, "version-mismatch")["events"] == []


async def test_a_refused_attempt_is_kept_as_evidence(service: Service):
    table = await service.table()
    who = await table.due()
    problem(await who.post(f"{table.path}/moves", {"type": "pass"}), 422, "refused")
    (kept,) = await service.context.store.refusals(table.match)
    assert (kept.player, kept.clause, kept.status) == (who.player, "3.2", 422)


@pytest.mark.fault(29)
async def test_two_moves_at_once_by_one_seat_are_never_both_accepted(service: Service):
    table = await service.table()
    who = await table.due()
    moves = (await table.legal(who))["moves"]
    tries = await asyncio.gather(*(who.post(f"{table.path}/moves", move) for move in moves[:8]))
    statuses = sorted(answer.status_code for answer in tries)
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 409}


class _Leaving(Matches):
    """Matches of which one player leaves just after its state was read."""

    def __init__(self, matches: Matches, match: str, player: str) -> None:
        self.__dict__ = dict(matches.__dict__)
        self._leaves = match, player

    async def state(self, match: str) -> State:
        state = await super().state(match)
        if match == self._leaves[0] and seating.seat_of(state, self._leaves[1]) is not None:
            await self.leave(*self._leaves, None)
        return state


async def test_whoever_leaves_while_a_refusal_is_explained_gets_the_refusal(service: Service):
    # given a player whose seat is given up just after the state behind the explanation was read
    host = await service.guest("Host")
    path = await open_match(host, 3)
    ok(await host.post(f"{path}/seats", {"seat": 0}))
    matches = _Leaving(service.context.matches, path.rpartition("/")[2], host.player)
    app: Any = create_api(replace(service.context, matches=matches))
    # when the player asks for a second seat, then that is what is refused
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://kibitz") as http:
        answer = await http.post(f"{path}/seats", json={"seat": 1}, headers=host.auth)
    told = problem(answer, 409, "wrong-state")
    assert (told["clause"], told["legal_hint"]) == ("2.3", [])
    assert [seat["player"] for seat in ok(await host.get(path))["seats"]] == [None, None, None]


async def test_before_the_start_the_host_resigns_the_match_and_nobody_else(service: Service):
    host, other = await service.guest("Host"), await service.guest("Other")
    path = await open_match(host, 3)
    told = problem(await other.post(f"{path}/resign"), 403, "not-your-seat")
    assert told["clause"] == "4.1"
    ok(await other.post(f"{path}/seats"))
    assert problem(await other.post(f"{path}/resign"), 409, "wrong-state")["clause"] == "6.1"
    ok(await host.post(f"{path}/resign"))


async def test_a_client_that_hangs_up_in_the_middle_of_a_body_is_no_fault_of_the_service(service: Service):
    table = await service.table()
    who = await table.due()
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    paths = ["/v1/matches", f"{table.path}/moves", f"{table.path}/moves/check", f"{table.path}/seats"]
    before = _answers(service)
    with capture_logs() as log:
        for path in (*paths, "/v1/players", f"{table.path}/resign"):
            _, writer = await asyncio.open_connection(host, port)
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {who.token}\r\nContent-Length: 99\r\n\r\n"
            writer.write(head.encode() + b'{"type": ')
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.close()
            await writer.wait_closed()
        async with asyncio.timeout(PATIENCE):
            while sum(_answers(service).values()) < sum(before.values()) + 6:
                await asyncio.sleep(0.02)
    troubles = [entry for entry in log if entry["log_level"] in ("error", "critical", "warning")]
    assert [entry for entry in troubles if not str(entry.get("error", "")).startswith(LATE)] == []
    assert not [status for status in _answers(service) - before if status.startswith("5")]
    assert (await table.seen())["status"] == "playing"


def _answers(service: Service) -> Counter[str]:
    """How many requests were answered with each status."""
    found: Counter[str] = Counter()
    for metric in service.context.metrics.requests.collect():
        for sample in metric.samples:
            if sample.name == "kibitz_requests_total":
                found[sample.labels["status"]] += int(sample.value)
    return found
