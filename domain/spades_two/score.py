"""The arithmetic of a hand and of a match. RULES.md sections 8 to 10."""

from collections.abc import Sequence
from typing import Final, Literal

from domain.game import Seat
from domain.spades_two.state import Bid

TRICK: Final = 10
NIL: Final = 100
DOUBLE_NIL: Final = 200
PENALTY: Final = 100
BAGS: Final = 10
"""With every tenth bag comes a penalty."""


def points(bid: Bid, tricks: int) -> int:
    """What a bid is worth with that many tricks won, before any penalty for bags (8.1 to 8.4)."""
    if bid == "double_nil":
        return -DOUBLE_NIL if tricks else DOUBLE_NIL
    if bid == 0:
        return -NIL if tricks else NIL
    return TRICK * bid + (tricks - bid) if tricks >= bid else -TRICK * bid


def new_bags(bid: Bid, tricks: int, failed_nil_bags: Literal["count", "ignore"]) -> int:
    """How many bags a hand brings: the tricks above the bid (9.1, 9.2)."""
    wanted = 0 if bid == "double_nil" else bid
    if wanted or failed_nil_bags == "count":
        return max(0, tricks - wanted)
    return 0


def counted(bags: int, more: int, bag_carry: Literal["carry", "reset"]) -> tuple[int, int]:
    """The counter of a player who had ``bags`` and won ``more``, and the penalty (a positive number) (9.3, 9.4)."""
    after = bags + more
    if bag_carry == "carry":
        return after, PENALTY * (after // BAGS - bags // BAGS)
    return (0, PENALTY) if after >= BAGS else (after, 0)


def winner(totals: Sequence[int], target: int, *, last_hand: bool) -> Seat | None:
    """Who has won after a hand (10.2 to 10.5); None if another one is to be played."""
    if totals[0] == totals[1] or not (last_hand or max(totals) >= target):
        return None
    return totals.index(max(totals))


def ranking(totals: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equal totals, the highest first. Only a ruling can make equals of them."""
    levels = sorted(set(totals), reverse=True)
    return tuple(tuple(seat for seat, total in enumerate(totals) if total == level) for level in levels)
