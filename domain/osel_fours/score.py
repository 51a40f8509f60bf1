"""The arithmetic of a hand and of a match: how fours compare, wins. RULES.md, 6 and 7."""

from collections.abc import Iterable, Sequence

from domain.cards import RANKS
from domain.game import Seat
from domain.osel_fours.state import Fours


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
