"""How often one address may ask for what costs much and needs no seat: a token bucket for each kind and address.

Moves, seats and whatever else a player at a table needs are never counted. All processes draw from the same buckets,
in Redis (``services.feed.Buckets``); while Redis is away each has its own, or counts nothing, or lets nobody in: that
is a setting.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from math import ceil
from typing import Final, Literal, get_args

from services.api.problems import trouble
from services.feed import Away, Buckets, Level

KEPT: Final = 10_000
"""How many addresses a limit remembers. The one longest unheard of goes first, and comes back with a full bucket."""

Kind = Literal["players", "matches", "disputes", "feeds", "reads", "exports"]
"""New guests, matches and disputes; and by whoever has no seat in the match: opened streams and sockets, audits (with
cases, and what a seat knew), exports and bundles.
"""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Alone = Literal["local", "open", "closed"]
"""What is done while Redis does not count: each process counts by itself, or nobody does, or nobody is let in."""


class Limit:
    """At most ``rate`` requests at once by one address, and ``rate`` more in each minute, counted in this process."""

    def __init__(self, rate: int, kept: int = KEPT) -> None:
        self.rate = rate
        self._kept = kept
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, now: float) -> Level:
        """Takes one from the bucket of ``who``, if there is one. ``now`` is in seconds of a clock that only rises."""
        each = 60 / self.rate
        held, since = self._buckets.pop(who, (float(self.rate), now))
        held = min(float(self.rate), held + (now - since) / each)
        taken = held >= 1
        if taken:
            held -= 1
        self._buckets[who] = held, now
        if len(self._buckets) > self._kept:
            self._buckets.popitem(last=False)
        return Level(taken, int(held), ceil((self.rate - held) * each), ceil(max(0.0, 1 - held) * each))


class Limits:
    """``rates`` are in a minute; 0, or none: any number. Without ``shared`` buckets each process counts by itself."""

    def __init__(
        self, rates: Mapping[Kind, int] | None = None, shared: Buckets | None = None, alone: Alone = "local"
    ) -> None:
        self._own = {kind: Limit(rate) for kind, rate in (rates or {}).items() if rate > 0}
        self._shared = shared
        self._alone = alone

    @property
    def together(self) -> bool:
        """Whether the processes count together, as far as is known."""
        return self._shared is not None and not self._shared.away

    def rate(self, kind: Kind) -> int:
        """How many in a minute; 0 for any number."""
        return self._own[kind].rate if kind in self._own else 0

    async def take(self, kind: Kind, who: str) -> Level | None:
        """Takes one for ``who``; None where it is not counted. Raises a 503 if it cannot be and has to be."""
        limit = self._own.get(kind)
        if limit is None:
            return None
        if self._shared is not None:
            try:
                return await self._shared.take(f"{kind}/{limit.rate}:{who}", limit.rate)
            except Away:
                if self._alone == "closed":
                    why = "requests of this kind are counted, and cannot be counted now"
                    raise trouble("unavailable", why, {"Retry-After": "1"}) from None
                if self._alone == "open":
                    return None
        return limit.take(who, asyncio.get_running_loop().time())
