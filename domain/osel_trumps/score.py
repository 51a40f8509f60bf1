"""What beats what, what cards count, and how counts become jars. RULES.md sections 5, 8 and 9."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from types import MappingProxyType
from typing import Final

import msgspec

from domain.cards import Card, rank_of, suit_of
from domain.game import Seat
from domain.osel_trumps.state import STRENGTH, Options, Suit

POINTS: Final[Mapping[str, int]] = MappingProxyType(
    {"A": 12, "10": 10, "K": 5, "Q": 3, "J": 1, "9": 0, "8": 0, "7": 0, "6": -1}
)
"""What a card counts by its rank: 30 a suit, 120 in all (1.3)."""

SPARED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"6": ("8", "Q"), "8": ("K", "Q")})
"""A six and an eight beat every card of their suit but these (5.3, 5.4)."""

PAR: Final[Mapping[int, int]] = MappingProxyType({2: 60, 3: 40, 4: 30})
"""Exactly so many points are eggs, by the number of sides (8.7)."""

JARS: Final[Mapping[int, tuple[tuple[int, int], ...]]] = MappingProxyType(
    {
        2: ((60, 0), (45, 1), (30, 2), (15, 3), (1, 4)),
        3: ((40, 0), (30, 1), (20, 2), (10, 3), (1, 4)),
        4: ((30, 0), (23, 1), (16, 2), (9, 3), (2, 4)),
    }
)
"""By the number of sides: the least points of a row, and its jars (8.2, 8.3, 8.4)."""

PAIRS: Final[Mapping[int, int]] = MappingProxyType({2: 5, 3: 4, 4: 3})
"""So many pairs without points, by the number of sides, make 4 jars of 5 below the last row (8.5)."""

LOST: Final = 10
"""So many jars lose (9.1)."""

TRUMPS: Final[Mapping[int, str]] = MappingProxyType({3: "S", 4: "SD", 5: "SD"})
"""The common trump suits by trump option, where the table names no others (2.4, 2.5, 2.6)."""

SENIOR_AND_JUNIOR: Final[Mapping[str, int]] = MappingProxyType({"S": 2, "D": 1})
"""Spades over diamonds over the ordinary suits (2.6)."""


class Beating(msgspec.Struct, frozen=True):
    """How the cards of one player beat: ``levels`` of trump suits, 0 for a suit that is not there."""

    levels: Mapping[str, int]
    one_lower: bool = False
    equal_rank: bool = True


class Side(msgspec.Struct, frozen=True):
    """What one side made of a hand. ``over`` is how far it is above par; ``jars`` are all that it takes."""

    card_points: int
    pairs: int
    over: int
    jars: int


def common_trumps(options: Options) -> tuple[str, ...]:
    """The trump suits of everybody, the senior one first where there is one (2.4, 2.5, 2.6)."""
    named = options.trumps if options.trumps != "usual" else TRUMPS.get(options.trump_option, "")
    return tuple(named)


def beating(options: Options, own: Suit | None) -> Beating:
    """How the cards of a player beat whose own trump suit is ``own``."""
    suits = common_trumps(options) if own is None else own
    return Beating(
        levels=SENIOR_AND_JUNIOR if options.trump_option == 5 else dict.fromkeys(suits, 1),
        one_lower=options.beat_rank == "one_lower",
        equal_rank=options.equal_rank == "always"
        or (options.equal_rank == "common_trumps" and options.trump_option in (3, 4, 5)),
    )


def beats(card: Card, top: Card, how: Beating) -> bool:
    """Whether ``card`` beats ``top``. (5.1 to 5.9)"""
    rank, under = rank_of(card), rank_of(top)
    if suit_of(card) != suit_of(top):
        by_rank = how.equal_rank and rank == under
        return by_rank or how.levels.get(suit_of(card), 0) > how.levels.get(suit_of(top), 0)
    privileged = rank in SPARED and under not in SPARED[rank]
    step = STRENGTH[rank] - STRENGTH[under]
    return privileged or (step == -1 if how.one_lower else step > 0)


def beats_all(cards: Sequence[Card], top: Sequence[Card], how: Beating) -> bool:
    """Whether ``cards``, as many as ``top``, can be laid on ``top`` so that each beats the card under it. (5.10)"""
    ways = permutations(cards)
    return any(all(beats(card, under, how) for card, under in zip(laid, top, strict=True)) for laid in ways)


def card_points(cards: Iterable[Card]) -> int:
    """What captured cards count (8.1)."""
    return sum(POINTS[rank_of(card)] for card in cards)


def pairs_without_points(cards: Iterable[Card]) -> int:
    """How many pairs the captured sixes, sevens, eights and nines make (8.5)."""
    return sum(POINTS[rank_of(card)] <= 0 for card in cards) // 2


def jars(total: int, pairs: int, sides: int) -> int:
    """The jars for ``total`` points, from -4 to 124, with ``sides`` sides at the table. (8.2 to 8.5)"""
    if total < 0:
        return 6
    below = 4 if pairs >= PAIRS[sides] else 5
    return next((row for least, row in JARS[sides] if total >= least), below)


def scores(captured: Sequence[Sequence[Card]], eggs: Sequence[bool], sevens: int | None) -> tuple[Side, ...]:
    """The score of each side from its captured cards.

    ``eggs`` says which sides had par in the hand before, ``sevens`` which side held four sevens in this one.
    """
    par = PAR[len(captured)]
    bonus = sevens if sevens is not None and card_points(captured[sevens]) > par else None  # 8.9
    out = []
    for side, cards in enumerate(captured):
        total, pairs = card_points(cards), pairs_without_points(cards)
        row = jars(total, pairs, len(captured))
        more = int(eggs[side] and row > 0) + int(bonus not in (None, side))  # 8.7, 8.9
        out.append(Side(total, pairs, total - par, row + more))
    return tuple(out)


def ranking(totals: Sequence[int], left: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equals, the best first: who is left, then who left later, then fewer jars. (9.5)

    ``left`` is the hand after which a seat left, 0 if it has not.
    """

    def place(seat: Seat) -> tuple[bool, int, int]:
        return left[seat] > 0, -left[seat], totals[seat]

    seats = range(len(totals))
    return tuple(tuple(seat for seat in seats if place(seat) == level) for level in sorted(set(map(place, seats))))
