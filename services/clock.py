"""The clock: the only reader of the time, and the one who strikes when a turn or a wait has lasted too long."""

import asyncio
import time
from typing import Protocol

import structlog

from domain.game import Refused
from services.problems import NotFound, VersionMismatch
from services.store.records import Newer, Unavailable

log = structlog.get_logger()


def now_ms() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


class DueMatches(Protocol):
    """Who knows which matches have a deadline behind them."""

    async def due(self, now: int, limit: int) -> list[str]: ...


class Expiring(Protocol):
    """Who can let the clock strike in a match. Raises ``Refused`` if its time is not up after all."""

    async def expire(self, match: str) -> object: ...


class Clock:
    """Strikes in every match whose deadline has passed.

    The list of deadlines may be late or wrong: the rules themselves look at the time again (clause 5.2 of the match),
    and the command id follows from match and version, so a clock that strikes twice, or two clocks, do no harm.
    """

    def __init__(self, due: DueMatches, matches: Expiring, interval: float = 1.0) -> None:
        self._due = due
        self._matches = matches
        self._interval = interval

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            try:
                for match in await self._due.due(now_ms(), 100):
                    await self._strike(match)
            except Unavailable as error:
                log.warning("clock waits for the store", error=str(error))
            await asyncio.sleep(self._interval)

    async def _strike(self, match: str) -> None:
        try:
            await self._matches.expire(match)
        except Refused as refused:
            log.debug("clock came too early", match=match, clause=refused.clause)
        except VersionMismatch as moved:
            log.debug("clock came too late", match=match, version=moved.version)
        except Newer as error:
            log.warning("clock of this process cannot strike", match=match, why=str(error))
        except NotFound:
            log.warning("clock knows a match that the store does not", match=match)
