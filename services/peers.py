"""The processes that work on one database, and how they share out what only one of them has to do.

Each says once a second that it lives, by the clock of the database. A piece of work is done by the process that comes
first in an order which all of them derive from the piece and their ids (rendezvous hashing), so that a process more, or
one less, moves its own share only. Nothing but work depends on it: two processes that both believe to be the one lose
some effort, since versions and checkpoints guard what is stored; and where none believes so, it is for some seconds.
"""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Final

import structlog

from services.ids import new_id
from services.store.records import Unavailable
from services.store.store import Store

log = structlog.get_logger()

Mine = Callable[[str], bool]
"""Whether a piece of work, by its name, is for this process to do."""

BEAT_SECONDS: Final = 1.0
LIVING_SECONDS: Final = 3.0
"""Who has not been seen for so long does not work: it died, was stopped, or cannot reach the database."""


def everything(_: str) -> bool:
    """All of the work is for whoever is alone."""
    return True


class Peers:
    """Those who share the work, as this process knows them. ``id`` is its own, new for every start."""

    def __init__(self, store: Store) -> None:
        self.id = new_id()
        self._store = store
        self._others: frozenset[str] = frozenset()
        self._listeners: list[Callable[[], None]] = []
        self._beaten: float | None = None

    @property
    def count(self) -> int:
        """How many processes share the work, this one among them."""
        return 1 + len(self._others)

    @property
    def heard(self) -> bool:
        """Whether the others know that this process lives, and it them."""
        now = asyncio.get_running_loop().time()
        return self._beaten is not None and now - self._beaten < LIVING_SECONDS + BEAT_SECONDS

    def mine(self, work: str) -> bool:
        """Whether ``work`` falls to this process. Who is alone, or knows of nobody yet, does everything."""
        others = self._others
        return not others or _rank(self.id, work) > max(_rank(other, work) for other in others)

    def listen(self, listener: Callable[[], None]) -> None:
        """``listener()`` is called when a process has come or gone, and so the work was shared out anew."""
        self._listeners.append(listener)

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            try:
                await self.beat()
            except Unavailable as error:
                log.warning("peers wait for the database", error=str(error))
            await asyncio.sleep(BEAT_SECONDS)

    async def beat(self) -> None:
        """Says that this process lives, and learns which others do. Raises ``Unavailable``."""
        others = await self._store.beat(self.id, LIVING_SECONDS)
        self._beaten = asyncio.get_running_loop().time()
        if others != self._others:
            log.info("work is shared out anew", processes=1 + len(others))
            self._others = others
            for listener in self._listeners:
                listener()

    async def leave(self) -> None:
        """The others need not wait for this process any more. If they cannot be told they will notice."""
        try:
            await self._store.leave(self.id)
        except Unavailable as error:
            log.info("left without a word", error=str(error))


def _rank(process: str, work: str) -> bytes:
    return hashlib.blake2b(work.encode(), key=process.encode(), digest_size=8).digest()
