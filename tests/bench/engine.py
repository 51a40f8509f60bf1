"""P1: durable moves a second through the engine: decided, chained, appended, answered. No HTTP."""

import asyncio
import random
from collections.abc import Iterator

import msgspec

from domain.games import GAMES
from domain.match import rules
from services.embedded import Embedded
from services.feed import Feed
from services.matches import Matches
from services.requests import OpenRequest
from services.store.store import Store
from tests.bench.engines import PROCESSES, moves_of_all
from tests.bench.machine_room import fresh, moves_a_second
from tests.bench.paired import Row, compared, in_turn
from tests.bench.pgbench import pgbench, prepare_pgbench
from tests.bench.scale import Scale

IN_FLIGHT = 256
SEATS = 4
GAME = "whos-the-ass"


class Table:
    """A match under way whose four players move as soon as they may."""

    def __init__(self, matches: Matches, match: str, players: list[str], chance: random.Random) -> None:
        self.matches, self.match, self.players, self.chance = matches, match, players, chance

    async def move(self) -> bool:
        # The state that the engine keeps: to ask for it by the store would measure the asking.
        state = self.matches._live[self.match].state
        seat = min(rules.to_act(state))
        legal = GAMES[GAME].legal(state.play, seat)
        move = msgspec.json.encode(legal[int(self.chance.random() * len(legal))])
        await self.matches.move(self.match, self.players[seat], move, f"{self.match}/{state.version}", state.version)
        return not self.matches._live[self.match].state.over


async def opened(matches: Matches, store: Store, tables: int, seed: int) -> list[Table]:
    """So many matches that have just started."""
    players = [f"00000000-0000-7000-8000-{seat:012d}" for seat in range(SEATS)]
    await store.ensure_players([(player, f"bench {seat}") for seat, player in enumerate(players)])
    body = OpenRequest(game=GAME, seats=SEATS, options={"games": 20})

    async def one(number: int) -> Table:
        done = await matches.open(players[0], body, msgspec.json.encode(body), None)
        for seat, player in enumerate(players):
            await matches.seat(done.match, player, seat, None, b"", None)
        return Table(matches, done.match, players, random.Random(seed + number))

    return list(await asyncio.gather(*(one(number) for number in range(tables))))


async def engine_moves(database: str, redis: str, seconds: float, seed: int) -> float:
    """Moves a second of one process at so many new matches, each acknowledged, all of them looked for afterwards."""
    store = await Store.connect(database)
    feed = Feed(redis)
    await feed.start()
    try:
        matches = Matches(store, feed, await store.server_secret())
        tables = await opened(matches, store, IN_FLIGHT, seed)
        return await moves_a_second(store, tables, seconds)
    finally:
        await feed.stop()
        await store.close()


def measure_engine(embedded: Embedded, scale: Scale) -> Iterator[Row]:
    single = fresh(embedded)
    prepare_pgbench(single)

    def engine() -> float:
        return moves_of_all(fresh(embedded), embedded.redis_url, scale.seconds, IN_FLIGHT, 1)

    def best_pgbench() -> float:
        return max(pgbench(single, clients, scale.seconds) for clients in (8, 16, 32))

    yield compared(
        in_turn(engine, best_pgbench, scale.rounds),
        id="P1",
        figure=f"durable moves, {IN_FLIGHT} matches in flight, {PROCESSES} processes",
        unit="moves/s",
        reference="pgbench single-row inserts, best of c = 8, 16, 32",
        must=1.0,
        aim=2.0,
    )
