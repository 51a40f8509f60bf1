"""What the trump games of the Osel book agree on: cards, what beats what, points, jars, eggs, four sevens.

Their rule books are those of ``osel_trumps`` and ``osel_solo``; clauses are named as "trumps 5.1" and "solo 6.5".
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Final

import msgspec

from domain.cards import SUITS, Card, pack, rank_of, suit_of
from domain.game import Seat

PACK: Final = pack("6")
"""The 36 cards, in the order in which the dealer names them (trumps 1.1, solo 1.1)."""

STRENGTH: Final[Mapping[str, int]] = MappingProxyType(
    {rank: place for place, rank in enumerate(("6", "7", "8", "9", "J", "Q", "K", "10", "A"))}
)
"""The ranks, the lowest first: a ten is higher than a king (trumps 1.2, solo 1.2)."""

POINTS: Final[Mapping[str, int]] = MappingProxyType(
    {"A": 12, "10": 10, "K": 5, "Q": 3, "J": 1, "9": 0, "8": 0, "7": 0, "6": -1}
)
"""What a card counts by its rank: 30 a suit, 120 in all (trumps 1.3, solo 1.3)."""

SENIOR_AND_JUNIOR: Final[Mapping[str, int]] = MappingProxyType({"S": 2, "D": 1})
"""Spades over diamonds over the ordinary suits (trumps 2.6, solo 1.5)."""

SPARED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"6": ("8", "Q"), "8": ("K", "Q")})
"""A six and an eight beat every card of their suit but these (trumps 5.3, 5.4; solo 6.6, 6.7)."""

PAR: Final[Mapping[int, int]] = MappingProxyType({2: 60, 3: 40, 4: 30})
"""Exactly so many points are eggs, by the number of sides (trumps 8.7, solo 7.9)."""

JARS: Final[Mapping[int, tuple[tuple[int, int], ...]]] = MappingProxyType(
    {
        2: ((60, 0), (45, 1), (30, 2), (15, 3), (1, 4)),
        3: ((40, 0), (30, 1), (20, 2), (10, 3), (1, 4)),
        4: ((30, 0), (23, 1), (16, 2), (9, 3), (2, 4)),
    }
)
"""By the number of sides: the least points of a row, and its jars (trumps 8.2 to 8.4, solo 7.4 to 7.6)."""

PAIRS: Final[Mapping[int, int]] = MappingProxyType({2: 5, 3: 4, 4: 3})
"""So many pairs without points, by the number of sides, make 4 jars of 5 below the last row.

(trumps 8.5, solo 7.4 to 7.6)
"""

LOST: Final = 10
"""Who has so many jars has lost (trumps 9.1), or ends the match for all (solo 8.2)."""

_WITHOUT_POINTS: Final = frozenset(card for card in PACK if POINTS[rank_of(card)] <= 0)
"""The sixes, sevens, eights and nines (trumps 8.5, solo 7.7)."""

SEVENS: Final = frozenset(card for card in PACK if rank_of(card) == "7")
"""Who held all four and ends above par costs the others a jar (trumps 8.9, solo 7.10)."""

_SEVEN: Final = Card("7S")

_place: Final = {Card(rank + suit): place for place, (suit, rank) in enumerate(product(SUITS, STRENGTH))}.__getitem__

_COUNTS: Final = {card: POINTS[rank_of(card)] for card in PACK}


class Beating(msgspec.Struct, frozen=True):
    """How the cards of a player beat: ``levels`` of trump suits, 0 for a suit that is not there.

    A higher card of the suit beats and a card of equal rank always does, unless a table of the game of trumps has it
    otherwise: there these two are options (trumps 5.1, 5.2; solo 6.4, 6.5).
    """

    levels: Mapping[str, int]
    one_lower: bool = False
    equal_rank: bool = True

    def __hash__(self) -> int:
        return hash((frozenset(self.levels.items()), self.one_lower, self.equal_rank))


class Count(msgspec.Struct, frozen=True):
    """What the captured cards of a side make. ``over`` is how far above par, ``row`` the jars by the table."""

    card_points: int
    pairs: int
    over: int
    row: int


def in_order(cards: Iterable[Card], more: Iterable[Card] = ()) -> tuple[Card, ...]:
    """All of them by suit, the lowest first: the order of every hand, and of cards that are laid down together."""
    ordered = [*cards, *more]
    ordered.sort(key=_place)  # quicker than ``sorted``, and asked for wherever cards change hands
    return tuple(ordered)


def beats(card: Card, top: Card, how: Beating) -> bool:
    """Whether ``card`` beats ``top``. No card beats itself. (trumps 5.1 to 5.9, solo 6.4 to 6.8)"""
    rank, under = rank_of(card), rank_of(top)
    if suit_of(card) != suit_of(top):
        by_rank = how.equal_rank and rank == under
        return by_rank or how.levels.get(suit_of(card), 0) > how.levels.get(suit_of(top), 0)
    privileged = card != top and rank in SPARED and under not in SPARED[rank]
    step = STRENGTH[rank] - STRENGTH[under]
    return privileged or (step == -1 if how.one_lower else step > 0)


@cache
def beaters(how: Beating) -> Mapping[Card, frozenset[Card]]:
    """For each card of the pack all that beat it."""
    return MappingProxyType({top: frozenset(card for card in PACK if beats(card, top, how)) for top in PACK})


def with_sevens(hands: Iterable[Collection[Card]], before: Seat | None) -> Seat | None:
    """The seat that holds all four sevens, or held them ``before``: nobody else can in the same hand.

    (trumps 8.9, solo 7.10)
    """
    for seat, hand in enumerate(hands):
        if _SEVEN in hand and SEVENS.issubset(hand):  # the first is quick, the second exact
            return seat
    return before


def card_points(cards: Iterable[Card]) -> int:
    """What captured cards count (trumps 8.1, solo 7.1)."""
    return sum(map(_COUNTS.__getitem__, cards))


def pairs_without_points(cards: Iterable[Card]) -> int:
    """How many pairs the captured sixes, sevens, eights and nines make (trumps 8.5, solo 7.7)."""
    return sum(map(_WITHOUT_POINTS.__contains__, cards)) // 2


def jars(total: int, pairs: int, sides: int) -> int:
    """The jars for ``total`` points, from -4 to 124, with ``sides`` sides at the table.

    (trumps 8.2 to 8.5, solo 7.4 to 7.6)
    """
    if total < 0:
        return 6
    below = 4 if pairs >= PAIRS[sides] else 5
    return next((row for least, row in JARS[sides] if total >= least), below)


def counted(captured: Collection[Card], sides: int) -> Count:
    """What a side made that ``captured`` these cards, with so many ``sides`` at the table."""
    return _count(card_points(captured), pairs_without_points(captured), sides)


@cache
def _count(total: int, pairs: int, sides: int) -> Count:
    return Count(total, pairs, total - PAR[sides], jars(total, pairs, sides))


def with_eggs(row: int, *, eggs: bool) -> int:
    """Eggs of the hand before cost one jar more, but only where there is one to take. (trumps 8.7, solo 7.9)"""
    return row + int(eggs and row > 0)
