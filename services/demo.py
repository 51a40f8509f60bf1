"""The demo: bot tables of all games that keep playing, and a finished match or more of each to look at.

Everything is done by the same commands that the API gives. A second start continues what it finds: the finished matches
are made once, by their idempotency keys, and a table whose match is still under way gets no second one. Nobody waits
for the long ones: one finished match is there from the beginning, the others are played out meanwhile. Several demos on
one database keep the same tables: each match but the first is opened by a key that names the one before it.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Final, NamedTuple, Protocol, TypeVar
from uuid import NAMESPACE_URL, uuid5

import msgspec
import structlog

from domain.game import Refused
from domain.games import GAMES
from domain.match import rules
from domain.match.state import State
from projections.live_tables import Row
from services.bots.levels import chooser, levels_of
from services.feed import Feed
from services.matches import Matches
from services.problems import KeyReused, NotFound, VersionMismatch
from services.readmodels import Page
from services.requests import OpenRequest
from services.store.records import Unavailable

log = structlog.get_logger()

T = TypeVar("T")

REST: Final = 8.0
"""How long a table rests between two matches, in seconds."""
TROUBLE: Final = 5.0
"""How long the demo waits after something went wrong, in seconds."""
CATCH_UP: Final = 0.05
_PAGES: Final = 25


class Exhibit(NamedTuple):
    game: str
    seats: int
    options: Mapping[str, int | str | bool]


TABLES: Final = (
    Exhibit("whos-the-ass", 8, {"games": 3}),
    Exhibit("spades-two", 2, {}),
    Exhibit("osel-fours", 7, {"wins_needed": 3}),
    Exhibit("osel-trumps", 4, {"teams": "pairs", "trump_option": 3, "trumps": "H"}),
    Exhibit("osel-two-against-one", 3, {"variant": 3}),
    Exhibit("osel-three-against-one", 4, {}),
)
"""The tables at which bots keep playing."""

FINISHED: Final = (
    Exhibit("whos-the-ass", 3, {"games": 3}),
    Exhibit("whos-the-ass", 6, {"games": 2, "dealer": "fixed", "ass_round_joker": "always_one"}),
    Exhibit("spades-two", 2, {"max_hands": 3}),
    Exhibit("osel-fours", 4, {"return_mode": "sealed"}),
    Exhibit("osel-trumps", 3, {"match_end": "first_out"}),
    Exhibit("osel-two-against-one", 3, {}),
    Exhibit("osel-three-against-one", 4, {"variant": 2}),
)
"""The matches that are over: the first from the beginning, the others as soon as they are played out."""


def _mark(exhibit: Exhibit) -> str:
    """A name for all that an exhibit says: another one, of another release, is another match."""
    return str(uuid5(NAMESPACE_URL, msgspec.json.encode(exhibit, order="deterministic").decode()))


class Person(NamedTuple):
    """A player whose token nobody has: there is none."""

    player: str
    name: str


def _person(name: str) -> Person:
    return Person(str(uuid5(NAMESPACE_URL, f"kibitz:demo:{name}")), name)


HOST: Final = _person("Demo host")
GUESTS: Final = tuple(_person(name) for name in ("Arno", "Babs", "Chris", "Danny", "Erik", "Flora"))


class Players(Protocol):
    """Who can see to it that players exist, as the store does."""

    async def ensure_players(self, rows: Iterable[tuple[str, str]]) -> None: ...


class Lobby(Protocol):
    """Who lists the live tables, as the read models do. It may be late."""

    async def lobby(
        self, status: str | None = None, game: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page[Row]: ...


class Lagging(Protocol):
    """Who knows how many events each read model is behind, as the projector does."""

    async def lag(self) -> dict[str, int]: ...


class Demo:
    """Lays out the exhibits and keeps the tables busy.

    ``playing`` are the matches at the tables, ``finished`` those that are over; both in the order of the exhibits.
    """

    def __init__(self, players: Players, matches: Matches, feed: Feed, lobby: Lobby, projector: Lagging) -> None:
        self._players = players
        self._matches = matches
        self._feed = feed
        self._lobby = lobby
        self._projector = projector
        self._chance = secrets.SystemRandom()
        self._ready = asyncio.Event()
        self._complete = asyncio.Event()
        self.finished: list[str] = []
        self.playing: list[str] = []

    async def ready(self) -> None:
        """Returns when every table plays and the first of the finished matches is over."""
        await self._ready.wait()

    async def complete(self) -> None:
        """Returns when all of the finished matches are over, too."""
        await self._complete.wait()

    async def run(self) -> None:
        """Runs until cancelled. Trouble with one table, or with the store, is waited out."""
        shown = await self._insist(self._lay_out)
        self._ready.set()
        async with asyncio.TaskGroup() as group:
            for place in range(len(TABLES)):
                group.create_task(self._keep_busy(place))
            group.create_task(self._play_out(shown))

    async def _lay_out(self) -> list[str]:
        """The matches that are to be finished, of which the first is."""
        await self._players.ensure_players((HOST, *GUESTS))
        shown = [await self._open(exhibit, f"demo/finished/{_mark(exhibit)}") for exhibit in FINISHED]
        await self._finish(shown[0], FINISHED[0])
        self.finished = shown[:1]
        await self._shown()
        self.playing = [await self._busy(exhibit, shown) for exhibit in TABLES]
        await self._shown()
        return shown

    async def _play_out(self, shown: list[str]) -> None:
        """Finishes one match of ``shown`` after the other: the first is finished."""
        for match, exhibit in list(zip(shown, FINISHED, strict=True))[1:]:
            await self._insist(partial(self._finish, match, exhibit))
            self.finished.append(match)
        self._complete.set()

    async def _shown(self) -> None:
        """Returns when the read models have what is stored."""
        while any((await self._projector.lag()).values()):  # noqa: ASYNC110 - it may run in another process
            await asyncio.sleep(CATCH_UP)

    async def _busy(self, exhibit: Exhibit, shown: list[str]) -> str:
        """The match under way at a table: one that is there already, or else the one after the last that is over.

        Two tables that are alike would need a mark to tell them apart; there are none.
        """
        match = await self._newest(exhibit, shown, "playing") or await self._newest(exhibit, shown, "open")
        if match is None:
            before = await self._newest(exhibit, shown, "finished")
            match = await self._open(exhibit, f"demo/after/{before or _mark(exhibit)}")
        await self._seat_bots(match)
        return match

    async def _newest(self, exhibit: Exhibit, shown: list[str], status: str) -> str | None:
        """The newest match at a table, ``shown`` ones apart; looked for among the newest of all. A match that is
        revealing is open, too.
        """
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await self._lobby.lobby(status, exhibit.game, limit=200, cursor=cursor)
            for row in page.items:
                if row.host == HOST.player and len(row.seats) == exhibit.seats and row.match not in shown:
                    return row.match
            cursor = page.next
            if cursor is None:
                break
        return None

    async def _open(self, exhibit: Exhibit, key: str) -> str:
        request = OpenRequest(game=exhibit.game, seats=exhibit.seats, options=dict(exhibit.options))
        done = await self._matches.open(HOST.player, request, msgspec.json.encode(request), key)
        return done.match

    async def _seat_bots(self, match: str) -> None:
        state = await self._matches.state(match)
        free = [seat for seat, sitting in enumerate(state.seats) if sitting is None]
        if free and state.status == "open":
            level = levels_of(state.game)[-1]
            await self._matches.seat_bots(match, HOST.player, free, level, msgspec.json.encode(free), None)

    async def _finish(self, match: str, exhibit: Exhibit) -> None:
        """Has the guests play a match to its end, as bots would, all moves at once."""
        state = await self._matches.state(match)
        for seat, guest in enumerate(GUESTS[: exhibit.seats]):
            if state.status == "open" and state.seats[seat] is None:
                await self._matches.seat(match, guest.player, seat, None, str(seat).encode(), None)
        state = await self._matches.state(match)
        while state.status == "playing":
            await self._move(match, state)
            state = await self._matches.state(match)

    async def _move(self, match: str, state: State) -> None:
        for seat in sorted(rules.to_act(state)):
            guest = GUESTS[seat].player
            legal = await self._matches.legal(match, guest)
            if legal.moves and legal.version == state.version:
                choose = chooser(state.game, levels_of(state.game)[-1])
                move = choose(GAMES[state.game].view(state.play, seat), legal.moves, self._chance)
                key = f"demo/{match}/{state.version}"
                await self._matches.move(match, guest, msgspec.json.encode(move), key, state.version)
                return

    async def _keep_busy(self, place: int) -> None:
        while True:
            before = self.playing[place]
            await self._until_over(before)
            await asyncio.sleep(REST)
            self.playing[place] = await self._insist(partial(self._next, TABLES[place], before))

    async def _next(self, exhibit: Exhibit, before: str) -> str:
        """The match after ``before``. Asked again after trouble, it is the same one."""
        match = await self._open(exhibit, f"demo/after/{before}")
        await self._seat_bots(match)
        return match

    async def _until_over(self, match: str) -> None:
        with self._feed.watch(match) as watch:
            while True:
                state = await self._insist(partial(self._matches.state, match))
                if state.over:
                    return
                await watch.changed()

    async def _insist(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of ``work``, tried again for as long as something is in its way: a demo ends with its service."""
        while True:
            try:
                return await work()
            except (Unavailable, Refused, NotFound, VersionMismatch, KeyReused) as trouble:
                log.warning("the demo waits", why=str(trouble), kind=type(trouble).__name__)
            await asyncio.sleep(TROUBLE)
