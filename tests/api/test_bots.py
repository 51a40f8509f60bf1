"""Bots at the table of a real service: every game plays itself to its end, at both levels."""

from collections.abc import Mapping
from typing import Any

import pytest

from domain.games import GAMES
from tests.api.conftest import Service
from tests.api.guests import ok, open_match

SHORT: Mapping[str, Mapping[str, Any]] = {
    "whos-the-ass": {"games": 1},
    "spades-two": {"target": 100, "max_hands": 3},
    "osel-fours": {"target": 1},
}
"""Options that make a match of some games shorter."""


@pytest.mark.parametrize("game", GAMES)
async def test_bots_of_both_levels_play_a_match_of_every_game_to_its_end(service: Service, game: str):
    host = await service.guest("Host")
    seats = GAMES[game].seats[0] if game == "spades-two" else min(4, GAMES[game].seats[-1])
    path = await open_match(host, seats, game=game, options=SHORT.get(game, {}))
    ok(await host.post(f"{path}/bots", {"seats": [0], "level": "random"}))
    ok(await host.post(f"{path}/bots", {"seats": [*range(1, seats)], "level": "heuristic"}))

    async with service.http.stream("GET", f"{path}/stream") as stream:
        types = [line[7:] async for line in stream.aiter_lines() if line.startswith("event: ")]

    assert types[-1] == "MatchEnded"
    over = ok(await service.http.get(path))
    assert over["status"] == "finished"
    assert [seat["level"] for seat in over["seats"]] == ["random", *["heuristic"] * (seats - 1)]
    report = ok(await service.http.get(f"{path}/audit"))
    assert report["verdict"] == "VALID", report


async def test_the_list_of_games_says_which_bots_play_them(service: Service):
    games = ok(await service.http.get("/v1/games"))
    assert {game["id"]: game["bots"] for game in games} == {game: ["random", "heuristic"] for game in GAMES}


async def test_a_bot_that_cannot_choose_guesses_so_that_the_match_goes_on(service: Service):
    # given a bot of a level that no way of choosing is there for: it was stored by another version, say
    host = await service.guest("Host")
    path = await open_match(host, 3, options={"games": 1})
    await service.context.matches.seat_bots(path.rpartition("/")[2], host.player, [0], "genius", b"", None)
    ok(await host.post(f"{path}/bots", {"seats": [1, 2]}))

    async with service.http.stream("GET", f"{path}/stream") as stream:
        types = [line[7:] async for line in stream.aiter_lines() if line.startswith("event: ")]

    assert types[-1] == "MatchEnded"
