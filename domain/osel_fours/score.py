"""The arithmetic of a hand and of a match: fours, when they end it, how they compare, wins. RULES.md, 6 and 7."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from domain.cards import RANKS, Card, rank_of
from domain.game import Seat
from domain.osel_fours.state import Ending, State

Fours: TypeAlias = tuple[str, ...]
"""The ranks of the fours in a hand, the highest first."""


@lru_cache(maxsize=4096)
def fours_in(hand: tuple[Card, ...]) -> Fours:
    """The ranks of which ``hand`` has all four cards (1.3). Remembered: a hand is asked more often than it changes."""
    ranks = [rank_of(card) for card in hand]
    return tuple(rank for rank in reversed(RANKS) if ranks.count(rank) == 4)


def ending(state: State) -> Ending | None:
    """What the hand under way has come to its end by, its score still to be noted; None while it goes on."""
    swap = state.last_swap
    changed = range(len(state.hands)) if swap is None else (swap.seat, swap.partner)
    if any(len(fours_in(state.hands[seat])) >= state.target for seat in changed):  # 3.4
        return "deal" if swap is None else "swap"  # 6.1, 6.2
    return "limit" if state.swaps == state.options.max_circuits * len(state.hands) else None  # 6.5


def best(held: Sequence[Fours]) -> Seat | None:
    """Who wins when hands are compared: most fours, then the highest (6.4). None if nobody has a four (6.6).

    Two seats never have fours of one rank, so there is never more than one winner.
    """
    seat = max(range(len(held)), key=lambda seat: (len(held[seat]), [RANKS.index(rank) for rank in held[seat]]))
    return seat if held[seat] else None


def added(totals: Iterable[int], points: Iterable[int]) -> tuple[int, ...]:
    """The wins after a hand (7.1)."""
    return tuple(total + more for total, more in zip(totals, points, strict=True))


def ranking(totals: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equally many wins, the most first: the first group wins (7.2, 7.3, 7.4)."""
    levels = sorted(set(totals), reverse=True)
    return tuple(tuple(seat for seat, total in enumerate(totals) if total == level) for level in levels)
