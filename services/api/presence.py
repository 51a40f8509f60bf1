"""Who is there: whose streams are open at a match, in this process and in the others.

What this process has is known at once. It tells the others every ``FLUSH_SECONDS`` by a table of the database, what has
changed in one statement, and reads of a match what they told when its table is made, at most once in ``KEPT_SECONDS``.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Final

import structlog

from services.store.records import Unavailable
from services.store.store import Store

log = structlog.get_logger()

FLUSH_SECONDS: Final = 2.0
KEPT_SECONDS: Final = 1.0
AFRESH_SECONDS: Final = 30.0
"""How often everything is told anew: what a crash or a long stop of this process took away comes back."""
_LIVING_SECONDS: Final = 5.0
_KEPT: Final = 10_000
_NOBODY: Final = ""
"""Stands for everybody without a token."""


class Presence:
    """``store`` and ``process``, an id of ``services.peers``, are for speaking with the other processes; without them
    only what is open in this one is known. None as a player is somebody without a token.
    """

    def __init__(self, store: Store | None = None, process: str = "") -> None:
        self._store = store
        self._process = process
        self._open: dict[str, dict[str, int]] = {}
        self._changed: set[tuple[str, str]] = set()
        self._elsewhere: OrderedDict[str, tuple[float, Mapping[str, int]]] = OrderedDict()

    def come(self, match: str, player: str | None) -> None:
        """``player`` has opened a stream of ``match``."""
        here = self._open.setdefault(match, {})
        here[player or _NOBODY] = here.get(player or _NOBODY, 0) + 1
        self._changed.add((match, player or _NOBODY))

    def go(self, match: str, player: str | None) -> None:
        """``player`` has closed one."""
        here = self._open[match]
        here[player or _NOBODY] -= 1
        if not here[player or _NOBODY]:
            del here[player or _NOBODY]
        if not here:
            del self._open[match]
        self._changed.add((match, player or _NOBODY))

    def has(self, match: str, player: str) -> bool:
        """Whether ``player`` has a stream of ``match`` open, in whichever process."""
        return player in self._open.get(match, ()) or player in self._others(match)

    def spectators(self, match: str, seated: Collection[str] = ()) -> int:
        """How many streams of ``match`` are open, in all processes, but for those of the players ``seated`` there."""
        counts = (*self._open.get(match, {}).items(), *self._others(match).items())
        return sum(streams for player, streams in counts if player not in seated)

    async def look(self, match: str) -> None:
        """Learns who is at ``match`` in the other processes, unless it was asked a moment ago. While the database is
        away what was known last holds.
        """
        if self._store is None:
            return
        now = asyncio.get_running_loop().time()
        asked, known = self._elsewhere.get(match, (-KEPT_SECONDS, {}))
        if now - asked < KEPT_SECONDS:
            return
        self._keep(match, now, known)  # whoever looks meanwhile need not ask the database, too
        try:
            self._keep(match, now, await self._store.presence(match, self._process, _LIVING_SECONDS))
        except Unavailable as error:
            log.info("who is there in other processes is not known", match=match, error=str(error))

    async def run(self) -> None:
        """Tells the other processes until cancelled."""
        afresh = 0.0
        while True:
            now = asyncio.get_running_loop().time()
            try:
                await self._tell(afresh=now >= afresh)
                afresh = now + AFRESH_SECONDS if now >= afresh else afresh
            except Unavailable as error:
                afresh = now
                log.warning("who is here is not told to other processes", error=str(error))
            await asyncio.sleep(FLUSH_SECONDS)

    async def _tell(self, *, afresh: bool) -> None:
        """Tells what has changed since, or everything. Raises ``Unavailable``; then everything is to be told."""
        assert self._store is not None, "only who shares a database has others to tell"
        keys, self._changed = self._changed, set()
        if afresh:
            keys = {(match, player) for match, here in self._open.items() for player in here}
        if not keys and not afresh:
            return
        streams = {(match, player): self._open.get(match, {}).get(player, 0) for match, player in keys}
        await self._store.tell_presence(self._process, streams, afresh=afresh)

    def _keep(self, match: str, at: float, known: Mapping[str, int]) -> None:
        self._elsewhere[match] = at, known
        self._elsewhere.move_to_end(match)
        while len(self._elsewhere) > _KEPT:
            self._elsewhere.popitem(last=False)

    def _others(self, match: str) -> Mapping[str, int]:
        return self._elsewhere.get(match, (0.0, {}))[1]
