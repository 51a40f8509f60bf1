"""How often one address may ask for what costs much and needs no seat: a token bucket for each.

Moves, seats and whatever else a player at a table needs are never counted. The buckets are those of this process: with
several processes an address may have as many times as much. One count for all of them would live in Redis, and is not
worth a round trip before it is needed.
"""

from collections import OrderedDict
from math import ceil
from typing import Final, NamedTuple

KEPT: Final = 10_000
"""How many addresses a limit remembers. The one longest unheard of goes first, and comes back with a full bucket."""


class Level(NamedTuple):
    """What is left in a bucket. ``full`` and ``next`` are the seconds until it is full, and until there is one more."""

    taken: bool
    left: int
    full: int
    next: int


class Limit:
    """At most ``rate`` requests at once by one address, and ``rate`` more in each minute. 0: no limit."""

    def __init__(self, rate: int = 0, kept: int = KEPT) -> None:
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


class Limits(NamedTuple):
    """``players`` is for new guests; ``reads`` for audits and exports by whoever has no seat in the match."""

    players: Limit
    reads: Limit
