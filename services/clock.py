"""The time, one for all processes, and the clock, who strikes when a turn or a wait has lasted too long."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, Protocol

import structlog
from msgspec.structs import replace

from domain.game import Refused
from domain.match import rules, state
from domain.match.state import State
from services.peers import Mine, everything
from services.problems import NotFound, VersionMismatch
from services.store.records import Newer, Unavailable

log = structlog.get_logger()

MEASURE_SECONDS: Final = 2.0
TRUST_NS: Final = 10_000_000_000
"""How far the time goes on by the monotonic clock alone: beyond, it waits until it is measured again."""


def now_ms() -> int:
    """Milliseconds since 1970, UTC, by the clock of this machine."""
    return time.time_ns() // 1_000_000


def with_bank(limits: state.Clock | None) -> state.Clock | None:
    """The clock of a new match: each seat has its own, and where no bank is named, an empty one (clause 1.4)."""
    return None if limits is None else replace(limits, bank_seconds=limits.bank_seconds or 0)


class SharedTime:
    """The time of the database, which all processes share; between two measurements the monotonic clock carries it on.

    So the clock of a machine may be wrong, or be set, and no deadline moves. The answer to a measurement was made
    between question and answer: that says how far ahead of the monotonic clock the database's can be. What is known is
    kept as long as it fits, and changed no more than it must: the time does not tremble with the network, and follows
    when the database's own clock is set.
    """

    def __init__(self, ask: Callable[[], Awaitable[int]], monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """``ask`` gives the database's time in microseconds since 1970; it may raise ``Unavailable``."""
        self._ask = ask
        self._monotonic = monotonic_ns
        self._ahead: int | None = None
        self._measured = 0

    async def measure(self) -> None:
        """Compares the clocks. Raises ``Unavailable`` if the database does not say; then all stays as it was."""
        asked = self._monotonic()
        told = await self._ask() * 1000
        answered = self._monotonic()
        least, most = told - answered, told - asked
        known = (least + most) // 2 if self._ahead is None else self._ahead
        self._ahead, self._measured = max(least, min(known, most)), answered

    async def run(self) -> None:
        """Measures every few seconds, until cancelled."""
        while True:
            await asyncio.sleep(MEASURE_SECONDS)
            try:
                await self.measure()
            except Unavailable as error:
                log.warning("the time goes on without the database", error=str(error))

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC. Raises ``RuntimeError`` before the first measurement."""
        if self._ahead is None:
            raise RuntimeError("the time has not been measured yet")
        return (self._ahead + min(self._monotonic(), self._measured + TRUST_NS)) // 1_000_000


class DueMatches(Protocol):
    """Who knows which matches may have a deadline behind them."""

    async def due(self, now: int) -> list[tuple[str, int]]: ...


class Matches(Protocol):
    """Who can tell of a match, and let the clock strike in it.

    ``expire`` raises ``Refused`` if the time is not up after all, and ``VersionMismatch`` if somebody was quicker.
    """

    async def state(self, match: str) -> State: ...
    async def expire(self, match: str) -> object: ...


class _Look(NamedTuple):
    """What a look at a match has shown: at ``version`` its clock strikes at ``until`` (None: never).

    ``again`` is how long nothing that happens in the match can change that it is too early.
    """

    version: int
    until: int | None
    again: int

    def settles(self, version: int, now: int) -> bool:
        """Whether nobody need look again: it is too early, for what is known or for all that can have come since."""
        same = version == self.version and (self.until is None or now < self.until)
        return same or now < self.again


class Clock:
    """Strikes in every match whose deadline has passed.

    The list of deadlines may be late, or early: the read model knows no game, so not who is due. The rules are asked
    before anything is done, and again when it is (clause 5.4 of the match); the command id follows from match and
    version, so a clock that strikes twice, or two clocks, do no harm.
    """

    def __init__(
        self,
        due: DueMatches,
        matches: Matches,
        now: Callable[[], int] = now_ms,
        interval: float = 1.0,
        mine: Mine = everything,
    ) -> None:
        """``mine`` says which matches this clock is to look after; others look after the rest."""
        self._due = due
        self._matches = matches
        self._now = now
        self._interval = interval
        self._mine = mine
        self._looks: dict[str, _Look] = {}

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            try:
                await self.tick()
            except Unavailable as error:
                log.warning("clock waits for the store", error=str(error))
            await asyncio.sleep(self._interval)

    async def tick(self) -> None:
        """Strikes wherever it is time. Raises ``Unavailable``."""
        listed = [(match, version) for match, version in await self._due.due(self._now()) if self._mine(match)]
        self._looks = {match: self._looks[match] for match, _ in listed if match in self._looks}
        for match, version in listed:
            look = self._looks.get(match)
            if look is None or not look.settles(version, self._now()):
                await self._strike(match)

    async def _strike(self, match: str) -> None:
        """Lets the clock strike until it is too early: several seats may be due at once."""
        try:
            while True:
                look = _looked(await self._matches.state(match), self._now())
                if look.until is None or self._now() < look.until:
                    self._looks[match] = look
                    return
                await self._matches.expire(match)
        except Refused as refused:
            log.debug("clock came too early", match=match, clause=refused.clause)
        except VersionMismatch as late:
            log.debug("clock came too late", match=match, version=late.version)
        except Newer as error:
            log.warning("clock of this process cannot strike", match=match, why=str(error))
        except NotFound:
            log.warning("clock knows a match that the store does not", match=match)


def _looked(state: State, now: int) -> _Look:
    until = rules.deadline(state)
    # A turn that begins after this look has its full time: no clock can strike before that either.
    turn = 1000 * state.clock.turn_seconds if state.status == "playing" and state.clock is not None else 0
    return _Look(state.version, until, now + turn if until is None else min(until, now + turn))
