"""A Kibitz that says all it ever says (log at ``debug``, traces, figures) while guests play matches of all games."""

import asyncio
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from domain.games import GAMES
from domain.hidden import b64u
from services.store.store import Store
from tests.api.guests import Guest, Table, guest, ok, seated_table
from tests.e2e.conftest import Kibitz
from tests.waiting import PATIENCE

OPTIONS: dict[str, dict[str, Any]] = {
    "whos-the-ass": {"games": 1},
    "spades-two": {"target": 100, "max_hands": 1},
    "osel-fours": {"return_mode": "sealed", "max_circuits": 9, "max_hands": 1},
}
SEATS = {"whos-the-ass": 4, "osel-fours": 4, "osel-trumps": 4}


@dataclass
class Played:
    """What happened, and what nobody may be told of it. ``values`` are the canonical JSON of hidden fields, by game."""

    tables: dict[str, Table] = field(default_factory=dict)
    secrets: set[bytes] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)
    values: dict[str, set[str]] = field(default_factory=dict)
    moves: int = 0


async def play_everything(kibitz: Kibitz, database: str) -> Played:
    """A whole match of each game, by guests with seeds of their own: moves alone, in batches and over a socket, some
    that are refused, some sent twice, some by strangers; while somebody follows. And one with bots of either kind.
    """
    played = Played()
    async with httpx.AsyncClient(base_url=kibitz.url, timeout=PATIENCE) as http:

        async def match_of(game: str) -> None:
            seats, options = SEATS.get(game, GAMES[game].seats[0]), OPTIONS.get(game, {})
            table = await seated_table(http, seats, own_seeds=True, game=game, options=options)
            played.tables[game] = table
            played.tokens |= {who.token for who in table.guests}
            played.secrets |= {who.seed for who in table.guests}
            await _play(kibitz, table, played)

        await asyncio.gather(*map(match_of, GAMES), _bots(await guest(http, "Host")))
        store = await Store.connect(database)
        try:
            played.secrets.add(await store.server_secret())
            for game, table in played.tables.items():
                secret = await store.secret(table.match)
                assert secret is not None
                openings = await store.openings(table.match)
                played.secrets |= {secret, *(one.opening.salt for one in openings)}
                played.values[game] = {one.opening.value.decode() for one in openings}
        finally:
            await store.close()
    return played


async def _play(kibitz: Kibitz, table: Table, played: Played) -> None:
    stranger = await guest(table.http, "Eve")
    played.tokens.add(stranger.token)
    following = asyncio.create_task(_follow(table))
    address = f"{kibitz.url.replace('http', 'ws', 1)}{table.path}/socket"
    try:
        for turn in range(2000):
            seen = await table.seen()
            if seen["status"] != "playing":
                return
            who = table.guests[seen["to_act"][0]]
            moves = (await table.legal(who))["moves"]
            move = moves[turn % len(moves)]
            if turn % 20 == 3:
                await _fail(table, who, stranger, move)
            if turn % 3 == 1:
                batch = [{"match": table.match, "key": secrets.token_hex(8), "move": move}]
                assert ok(await who.post("/v1/moves:batch", batch))[0]["status"] == 200
            elif turn % 7 == 2:
                offered = [Subprotocol("kibitz.v1"), Subprotocol(f"bearer.{who.token}")]
                async with connect(address, subprotocols=offered, open_timeout=PATIENCE, ping_interval=None) as opened:
                    await opened.send(json.dumps({"key": secrets.token_hex(8), "move": move}))
                    while "key" not in (told := json.loads(await opened.recv())):
                        pass
                    assert told["status"] == 200, told
            else:
                headers = {"Idempotency-Key": secrets.token_hex(8)}
                ok(await who.post(f"{table.path}/moves", move, headers))
                if turn % 4 == 0:
                    ok(await who.post(f"{table.path}/moves", move, headers))
            played.moves += 1
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    raise AssertionError("the match does not end")


async def _fail(table: Table, who: Guest, stranger: Guest, move: dict[str, Any]) -> None:
    """What is answered with a problem of every kind that a match has."""
    path = f"{table.path}/moves"
    ok(await who.post(f"{path}/check", move))
    other = table.guests[(table.guests.index(who) + 1) % len(table.guests)]
    for asked in (
        await stranger.post(path, move),
        await other.post(path, {"type": "claim"}),
        await who.post(path, {"type": "play", "cards": ["AS", "AS"]}),
        await who.post(path, {"type": "play", "card": "99"}),
        await who.post(path, move, {"If-Match": '"1"'}),
        await who.post(path, content=None),
        await table.http.post(path, json=move, headers={"Authorization": f"Bearer {b64u(secrets.token_bytes(32))}"}),
        await who.get(f"{table.path}/replay/99999"),
    ):
        assert 400 <= asked.status_code < 500, asked.text


async def _follow(table: Table) -> None:
    async with table.http.stream("GET", f"{table.path}/stream", headers=table.guests[0].auth) as stream:
        async for _ in stream.aiter_lines():
            pass


async def _bots(host: Guest) -> None:
    path = str(
        (await host.post("/v1/matches", {"game": "spades-two", "seats": 2, "options": {"max_hands": 1}})).headers[
            "location"
        ]
    )
    for seat, level in enumerate(("heuristic", "random")):
        ok(await host.post(f"{path}/bots", {"seats": [seat], "level": level}))
    while ok(await host.get(path))["status"] != "finished":
        await asyncio.sleep(0.05)
