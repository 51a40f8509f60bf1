"""The arithmetic of a game and of a match. RULES.md section 8."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from domain.cards import Card
from domain.game import Seat

MINUS_POINTS: Final[Mapping[Card, int]] = MappingProxyType(
    {Card(str(number)): number for number in range(1, 14)} | {Card("J"): 14, Card("ASS"): 20}
)


def minus_points(hand: Iterable[Card]) -> int:
    """What the cards still in a hand cost when a game is over (8.1)."""
    return sum(MINUS_POINTS[card] for card in hand)


def added(totals: Iterable[int], points: Iterable[int]) -> tuple[int, ...]:
    """The totals after a game (8.2)."""
    return tuple(total + more for total, more in zip(totals, points, strict=True))


def ranking(totals: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equal totals, the lowest first: the first group wins (8.5, 8.6)."""
    return tuple(tuple(seat for seat, total in enumerate(totals) if total == level) for level in sorted(set(totals)))
