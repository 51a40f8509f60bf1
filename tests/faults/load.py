"""The load: tables of all six games, a client on every seat, readers beside them, and everything in the journal."""

import asyncio
import random
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from domain.games import GAMES
from tests.faults.clients import Clients, Unresolved
from tests.faults.journal import Feed, Journal
from tests.faults.world import World
from tests.waiting import PATIENCE

OPTIONS: dict[str, dict[str, Any]] = {
    "whos-the-ass": {"games": 2},
    "spades-two": {"target": 100, "max_hands": 2},
    "osel-fours": {"return_mode": "sealed", "max_circuits": 12, "max_hands": 2},
}
"""So that matches end and others begin. Sealed gives have two seats on turn at once."""
SEATS = {"whos-the-ass": 4, "osel-fours": 4, "osel-trumps": 4}
TURN_SECONDS = 5


@dataclass
class Seated:
    """A match at play: its path, and the client (player and token) of each seat that no bot has."""

    match: str
    path: str
    clients: dict[int, tuple[str, str]]
    moved: asyncio.Event


class Load:
    """Plays until ``stop``. ``tables`` are played at once, the games in turn; each second one has a bot of the service.

    At ``idle`` tables more nobody ever moves but the clock. ``seed`` decides every choice of the clients (not the
    cards, nor who is quicker).
    """

    def __init__(self, world: World, seed: int, *, tables: int = 6, idle: int = 0, pause: float = 0.0) -> None:
        self.world = world
        self.clients = Clients(world)
        self.matches: list[str] = []
        self._seed = seed
        self._tables = tables
        self._idle = idle
        self._pause = pause
        self._closing = False
        self._players: list[asyncio.Task[None]] = []
        self._readers: list[tuple[Feed, asyncio.Task[None]]] = []

    @property
    def journal(self) -> Journal:
        return self.clients.journal

    async def __aenter__(self) -> Self:
        games = list(GAMES)
        for number in range(self._tables):
            playing = self._play_on(games[number % len(games)], number)
            self._players.append(asyncio.create_task(playing))
        for number in range(self._idle):
            self._players.append(asyncio.create_task(self._sit_idle(games[number % len(games)], number)))
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [*self._players, *(task for _, task in self._readers)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.clients.close()

    async def until(self, more: int, seconds: float = PATIENCE) -> None:
        """Returns when so many more commands have been acknowledged. Raises ``AssertionError`` if that never is."""
        goal, latest = self.journal.acknowledged + more, time.monotonic() + seconds
        while self.journal.acknowledged < goal:
            for task in self._players:
                if task.done():
                    task.result()
            assert time.monotonic() < latest, f"{goal - self.journal.acknowledged} acknowledgements never came"
            await asyncio.sleep(0.02)

    async def recovered(self, since: float, seconds: float = PATIENCE) -> float:
        """Seconds from ``since`` (monotonic) until every worker that runs has acknowledged a command after it."""
        latest = time.monotonic() + seconds
        while time.monotonic() < latest:
            first = {worker: at for at, worker in reversed(self.journal.acks) if at >= since}
            wanted = {worker.number for worker in self.world.answering()}
            if wanted and wanted <= first.keys():
                return max(first[worker] for worker in wanted) - since
            await asyncio.sleep(0.02)
        return seconds

    async def stop(self) -> None:
        """No new commands; those under way are seen through, and the readers read to the last event."""
        self._closing = True
        done = await asyncio.gather(*self._players, return_exceptions=True)
        self._players = []
        for error in done:
            if isinstance(error, Unresolved):
                self.journal.faults.append(f"unresolved: {error}")
            elif isinstance(error, BaseException):
                raise error
        rows = await self.world.sql("select stream::text, version from stream")
        heads: dict[str, int] = {row[0]: row[1] for row in rows}
        latest = time.monotonic() + PATIENCE
        while time.monotonic() < latest and any(_last(feed) < heads.get(feed.match, 0) for feed, _ in self._readers):
            await asyncio.sleep(0.05)
            rows = await self.world.sql("select stream::text, version from stream")
            heads = {row[0]: row[1] for row in rows}  # bots may play on a little
        for feed, task in self._readers:
            task.cancel()
            if _last(feed) < heads.get(feed.match, 0):
                whose = "a spectator" if feed.seat is None else f"seat {feed.seat}"
                self.journal.faults.append(f"{whose} of {feed.match} saw {_last(feed)} of {heads[feed.match]} events")
        for _, task in self._readers:
            with suppress(asyncio.CancelledError):
                await task
        self._readers = []

    async def _play_on(self, game: str, number: int) -> None:
        """One match of a game after another."""
        chance = random.Random(f"{self._seed}/{number}")
        round_ = 0
        while not self._closing:
            round_ += 1
            seated = await self._seat(chance, game, bot=(number + round_) % 2 == 0)
            await self._play(chance, seated)

    async def _sit_idle(self, game: str, number: int) -> None:
        """A match that nobody but the clock plays."""
        await self._seat(random.Random(f"{self._seed}/idle/{number}"), game, bot=False, clock=TURN_SECONDS)

    async def _seat(self, chance: random.Random, game: str, *, bot: bool, clock: int = 0) -> Seated:
        seats = SEATS.get(game, GAMES[game].seats[0])
        clients = [await self.clients.guest(chance, f"Guest {seat}") for seat in range(seats)]
        wanted: dict[str, Any] = {"game": game, "seats": seats, "options": OPTIONS.get(game, {})}
        if clock:
            wanted["clock"] = {"turn_seconds": clock}
        opened = await self.clients.command(chance, clients[0], "open", "/v1/matches", wanted)
        match: str = opened.body["match"]
        self.matches.append(match)
        path = f"/v1/matches/{match}"
        here = dict(enumerate(clients[:-1] if bot else clients))
        moved = asyncio.Event()
        watching: tuple[int | None, ...] = (None, chance.choice(list(here)))
        for seat in watching:
            feed = Feed(match, seat, tables=seat is None)
            self.journal.feeds.append(feed)
            token = "" if seat is None else here[seat][1]
            # A stream shows what its reader may see then: a seat's is followed once it is taken.
            if seat is None:
                self._follow(chance, feed, token, moved)
        for seat, who in here.items():
            await self.clients.command(chance, who, "seat", f"{path}/seats", {"seat": seat}, match=match)
        own = next(feed for feed in self.journal.feeds if feed.match == match and feed.seat is not None)
        self._follow(chance, own, here[own.seat or 0][1], moved)
        if bot:
            body = {"seats": [seats - 1], "level": "random"}
            await self.clients.command(chance, clients[0], "bots", f"{path}/bots", body, match=match)
        return Seated(match, path, here, moved)

    def _follow(self, chance: random.Random, feed: Feed, token: str, moved: asyncio.Event) -> None:
        own = random.Random(chance.random())
        task = asyncio.create_task(self.clients.follow(own, feed, token, moved))
        self._readers.append((feed, task))

    async def _play(self, chance: random.Random, seated: Seated) -> None:
        """Every seat on turn moves, all of them at once, until the match is over or the load is to stop."""
        while not self._closing:
            seat = chance.choice([None, *seated.clients])
            token = "" if seat is None else seated.clients[seat][1]
            seated.moved.clear()
            table = await self.clients.read(chance, token, seated.path, until=time.monotonic() + PATIENCE)
            if table is None:
                continue
            self.clients.told(seated.match, seat, "table", table)
            if table["status"] in ("finished", "abandoned"):
                return
            due = [seat for seat in table["to_act"] if seat in seated.clients]
            if not due:
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await seated.moved.wait()
                continue
            await asyncio.gather(*(self._move(chance, seated, seat) for seat in due))
            if self._pause:
                await asyncio.sleep(self._pause)

    async def _move(self, chance: random.Random, seated: Seated, seat: int) -> None:
        who = seated.clients[seat]
        path = f"{seated.path}/moves"
        legal = await self.clients.read(chance, who[1], path, until=time.monotonic() + PATIENCE)
        if legal is None:
            return
        self.clients.told(seated.match, seat, "moves", legal)
        if legal["moves"]:
            await self.clients.command(chance, who, "move", path, chance.choice(legal["moves"]), match=seated.match)


def _last(feed: Feed) -> int:
    return feed.frames[-1].id if feed.frames else 0
