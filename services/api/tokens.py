"""Whose tokens they are, remembered for a moment: so that a move does not wait for a question to the store."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from services.store.records import Player

TRUST_SECONDS: Final = 5.0
"""How long a process goes on believing what it was told of a token: so long another may go on making moves after it was
revoked elsewhere. Where it is revoked, it ends at once.
"""
KEPT: Final = 20_000
"""How many tokens a process remembers; the one longest known goes first."""


class Tokens:
    """What one process has been told of tokens, by their hashes. ``ask`` gives whose a token is, None for nobody's."""

    def __init__(self, ask: Callable[[bytes], Awaitable[Player | None]]) -> None:
        self._ask = ask
        self._known: OrderedDict[bytes, tuple[Player, float]] = OrderedDict()
        self._forgotten = 0

    async def holder(self, token: bytes) -> Player | None:
        """Whose token it is, or was ``TRUST_SECONDS`` ago; None for one that is unknown or revoked."""
        now = asyncio.get_running_loop().time()
        known = self._known.get(token)
        if known is not None and now < known[1]:
            return known[0]
        before = self._forgotten
        player = await self._ask(token)
        self._known.pop(token, None)
        if player is not None and before == self._forgotten:  # what was asked before somebody was forgotten is old
            self._known[token] = player, now + TRUST_SECONDS
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return player

    def forget(self) -> None:
        """Somebody's tokens were revoked here: everything is asked again."""
        self._forgotten += 1
        self._known.clear()
