"""The runner: watches the running matches that bots sit in, and makes their moves by commands, as anybody does."""

import asyncio
import random
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import msgspec
import structlog

from domain.game import Refused, Seat
from domain.games import GAMES
from domain.match import rules
from domain.match.clock import TooLate
from domain.match.state import State
from services.bots.choosing import at_random
from services.bots.levels import chooser
from services.feed import Feed
from services.peers import Mine, everything
from services.problems import BadRequest, KeyReused, NotFound, VersionMismatch
from services.store.records import Newer, Unavailable

log = structlog.get_logger()

POLL_SECONDS: Final = 2.0
_REMEMBERED: Final = 10_000


class LegalMoves(Protocol):
    """What a seat may do, as ``Matches.legal`` says it."""

    @property
    def version(self) -> int: ...
    @property
    def moves(self) -> tuple[object, ...]: ...


class Table(Protocol):
    """What a bot needs of ``services.matches.Matches``."""

    async def state(self, match: str) -> State: ...
    async def legal(self, match: str, player: str) -> LegalMoves: ...
    async def move(self, match: str, player: str, body: bytes, key: str | None, expected: int | None) -> object: ...


class BotTables(Protocol):
    """Who knows the running matches that bots sit in. It may be late."""

    async def bot_tables(self) -> list[str]: ...


class Bots:
    """Plays the bots' seats of every running match. ``pace`` is how long a bot thinks, in seconds; ``mine`` says which
    matches this process plays, where there are others that play the rest.

    The command id of a bot's move follows from match and version, so bots of several processes do not play twice. No
    match depends on being heard of: every ``POLL_SECONDS`` all tables are looked at.
    """

    def __init__(
        self,
        matches: Table,
        tables: BotTables,
        feed: Feed,
        pace: float = 0.0,
        mine: Mine = everything,
    ) -> None:
        self._matches = matches
        self._tables = tables
        self._feed = feed
        self._pace = pace
        self._mine = mine
        self._chance = random.Random()  # noqa: S311 - a bot's taste is no secret
        self._heard: set[str] = set()
        self._wake = asyncio.Event()
        self._next_poll = 0.0
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._without: OrderedDict[str, None] = OrderedDict()
        self.counts = Counter[tuple[str, str]]()
        """How many moves of bots there were, by game and by what became of them."""
        feed.listen(self._hear)

    async def run(self) -> None:
        """Runs until cancelled, then ends what it began."""
        clock = asyncio.get_running_loop().time
        try:
            while True:
                if clock() >= self._next_poll:  # however much is heard of meanwhile
                    self._next_poll = clock() + POLL_SECONDS
                    await _despite_outages(self._poll)
                await _despite_outages(self._look)
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(self._next_poll):
                        await self._wake.wait()
                self._wake.clear()
        finally:
            tasks = tuple(self._playing.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def look_again(self) -> None:
        """Looks at all tables at once: other ones may be ours now."""
        self._next_poll = 0.0
        self._wake.set()

    def _hear(self, match: str, _: int) -> None:
        if self._to_look_at(match) and match not in self._without:
            self._heard.add(match)
            self._wake.set()

    async def _poll(self) -> None:
        self._heard.update(filter(self._to_look_at, await self._tables.bot_tables()))

    def _to_look_at(self, match: str) -> bool:
        return match not in self._playing and self._mine(match)

    async def _look(self) -> None:
        """Sits down at the matches heard of that are being played and have bots; forgets the others."""
        while self._heard:
            match = self._heard.pop()
            try:
                state = await self._matches.state(match)
            except (NotFound, ValueError):  # a word that somebody else said on the feed: no match, or not even an id
                continue
            except Newer as error:
                log.warning("no bot of this process can play on", match=match, why=str(error))
                continue
            except Unavailable:
                self._heard.add(match)
                raise
            if state.status != "playing" or match in self._playing:
                continue
            if any(sitting is not None and sitting.kind == "bot" for sitting in state.seats):
                self._playing[match] = task = asyncio.create_task(self._keep_playing(match))
                task.add_done_callback(partial(self._left, match))
            else:
                self._without[match] = None
                while len(self._without) > _REMEMBERED:
                    self._without.popitem(last=False)

    def _left(self, match: str, _: asyncio.Task[None]) -> None:
        self._playing.pop(match, None)

    async def _keep_playing(self, match: str) -> None:
        """Plays to the end, or until the match is another process's. No trouble that was not foreseen stops it."""
        while True:
            try:
                await self._play(match)
            except Exception:
                log.exception("a bot stumbled and goes on", match=match)
                await asyncio.sleep(POLL_SECONDS)
            else:
                return

    async def _play(self, match: str) -> None:
        refused_at = 0
        with self._feed.watch(match) as watch:
            while self._mine(match):
                state = await self._state(match)
                if state is not None and state.status != "playing":
                    return
                seat = None if state is None else _bot_to_act(state)
                if state is None or seat is None:
                    await watch.changed()
                    continue
                await asyncio.sleep(self._pace)
                if not await self._move(state, seat, guessing=refused_at == state.version):
                    refused_at = state.version

    async def _state(self, match: str) -> State | None:
        try:
            return await self._matches.state(match)
        except Unavailable as error:
            log.warning("a bot waits for the store", match=match, error=str(error))
            return None

    async def _move(self, state: State, seat: Seat, *, guessing: bool) -> bool:
        """One move of the bot on ``seat``, if the match is still as in ``state``. False: what it chose, or guessed, is
        not allowed there, and it should guess.
        """
        match, version, sitting = state.match, state.version, state.seats[seat]
        assert sitting is not None, "a bot sits there"
        try:
            legal = await self._matches.legal(match, sitting.player)
            if legal.version != version:
                return True
            if not legal.moves:
                log.error("a bot is due and has no move", match=match, seat=seat, version=version)
                await asyncio.sleep(POLL_SECONDS)
                return True
            choice = at_random(None, legal.moves, self._chance) if guessing else self._chosen(state, seat, legal.moves)
            await self._matches.move(match, sitting.player, msgspec.json.encode(choice), _key(state), version)
            self.counts[state.game, "accepted"] += 1
        except TooLate as late:
            self.counts[state.game, "too-late"] += 1
            log.warning("a bot was too late", match=match, seat=seat, error=str(late))
            await asyncio.sleep(POLL_SECONDS)  # the clock moves for it
        except (VersionMismatch, KeyReused) as late:
            self.counts[state.game, "overtaken"] += 1
            log.debug("a bot was overtaken", match=match, error=str(late))
        except (Refused, BadRequest) as wrong:
            if (await self._matches.state(match)).version > version:
                return True  # overtaken: it was right when it was chosen
            self.counts[state.game, "refused"] += 1
            clause = wrong.clause if isinstance(wrong, Refused) else ""  # its words may name a card
            log.exception("a bot's move was refused", match=match, seat=seat, version=version, clause=clause)
            await asyncio.sleep(POLL_SECONDS)
            return False
        except Unavailable as error:
            log.warning("a bot's move has to wait", match=match, error=str(error))
            await asyncio.sleep(POLL_SECONDS)
        return True

    def _chosen(self, state: State, seat: Seat, moves: tuple[object, ...]) -> object:
        """The bot's choice, from what its seat sees. A bot that fails to choose must not stop a match: it guesses."""
        game, sitting = GAMES[state.game], state.seats[seat]
        level = "" if sitting is None else sitting.level
        try:
            return chooser(game.id, level)(game.view(state.play, seat), moves, self._chance)
        except Exception:
            log.exception("a bot could not choose", match=state.match, seat=seat, level=level)
            return at_random(None, moves, self._chance)


def _key(state: State) -> str:
    return f"bot/{state.match}/{state.version}"


def _bot_to_act(state: State) -> Seat | None:
    for seat in sorted(rules.to_act(state)):
        sitting = state.seats[seat]
        if sitting is not None and sitting.kind == "bot":
            return seat
    return None


async def _despite_outages(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Unavailable as error:
        log.warning("bots wait for the store", error=str(error))
