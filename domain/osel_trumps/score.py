"""What may be led together, what beats at a table with its options, and how counts become jars and places.

RULES.md sections 4, 5, 8 and 9.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from types import MappingProxyType
from typing import Final

import msgspec

from domain import osel
from domain.cards import SUITS, Card, rank_of, suit_of
from domain.game import Seat
from domain.osel import PACK, SENIOR_AND_JUNIOR, STRENGTH, Beating, counted, in_order, with_eggs
from domain.osel_trumps.state import HAND, Cards, Options, Suit

TRUMPS: Final[Mapping[int, str]] = MappingProxyType({3: "S", 4: "SD", 5: "SD"})
"""The common trump suits by trump option, where the table names no others (2.4, 2.5, 2.6)."""

_SAME_SUIT: Final = [in_order(card for card in PACK if suit_of(card) == suit) for suit in SUITS]
_SAME_RANK: Final = [in_order(card for card in PACK if rank_of(card) == rank) for rank in STRENGTH]

OF_SUIT: Final = frozenset(
    cards for same in _SAME_SUIT for size in range(1, HAND + 1) for cards in combinations(same, size)
)
"""The cards of one suit that may be led together, in order (4.4)."""

OF_RANK: Final = frozenset(cards for same in _SAME_RANK for size in (3, 4) for cards in combinations(same, size))
"""Those of one rank (4.4)."""

LEADS: Final = OF_SUIT | OF_RANK

FOURS: Final[Mapping[Card, frozenset[Card]]] = MappingProxyType(
    {card: frozenset(same) for same in _SAME_RANK for card in same}
)
"""For each card the four of its rank (4.6)."""


class Side(msgspec.Struct, frozen=True):
    """What one side made of a hand. ``over`` is how far it is above par; ``jars`` are all that it takes."""

    card_points: int
    pairs: int
    over: int
    jars: int


NOTHING: Final = Side(card_points=0, pairs=0, over=-1, jars=0)
"""What a seat has made of a hand that had left the match before: not even eggs."""


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


@cache
def beaters(options: Options, own: Suit | None) -> Mapping[Card, frozenset[Card]]:
    """For each card those that beat it when a player lays them whose own trump suit is ``own``."""
    return osel.beaters(beating(options, own))


def beats_all(cards: Cards, top: Cards, by: Mapping[Card, frozenset[Card]]) -> bool:
    """Whether ``cards``, as many as ``top``, can be laid on ``top`` so that each beats the card under it. (5.10)

    ``by`` has for each card those that beat it.
    """
    if len(top) == 1:
        return cards[0] in by[top[0]]
    for place, card in enumerate(cards):
        if card in by[top[0]] and beats_all(cards[:place] + cards[place + 1 :], top[1:], by):
            return True
    return False


@cache
def runs(*suits: str) -> tuple[slice, ...]:
    """Where two or more cards of one suit stand in a hand of these ``suits``, which is in order."""
    several = [suit for suit in SUITS if suits.count(suit) > 1]
    return tuple([slice(suits.index(suit), suits.index(suit) + suits.count(suit)) for suit in several])


def next_asked(hands: Sequence[Sequence[Card]], leader: Seat, below: Seat | None = None) -> Seat | None:
    """Who is asked next, after ``below`` if that is given, whether to claim the lead. (4.7, 4.9)"""
    fours = []
    for seat, hand in enumerate(hands):
        if len(hand) == HAND and hand[1] in FOURS[hand[0]] and FOURS[hand[0]].issuperset(hand):  # the first is quick
            fours.append((STRENGTH[rank_of(hand[0])], seat))
    if not fours:
        return None
    strongest_first = [seat for _, seat in sorted(fours, reverse=True)]
    rest = strongest_first if below is None else strongest_first[strongest_first.index(below) + 1 :]
    return rest[0] if rest and rest[0] != leader else None


def scores(captured: Sequence[Sequence[Card]], eggs: Sequence[bool], sevens: int | None) -> tuple[Side, ...]:
    """The score of each side from its captured cards.

    ``eggs`` says which sides had par in the hand before, ``sevens`` which side held four sevens in this one.
    """
    counts = [counted(cards, len(captured)) for cards in captured]
    bonus = sevens if sevens is not None and counts[sevens].over > 0 else None  # 8.9
    return tuple(
        [
            Side(
                count.card_points,
                count.pairs,
                count.over,
                with_eggs(count.row, eggs=had) + int(bonus not in (None, side)),
            )
            for side, (count, had) in enumerate(zip(counts, eggs, strict=True))  # 8.7, 8.9
        ]
    )


def ranking(totals: Sequence[int], left: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equals, the best first: who is left, then who left later, then fewer jars. (9.5)

    ``left`` is the hand after which a seat left, 0 if it has not.
    """

    def place(seat: Seat) -> tuple[bool, int, int]:
        return left[seat] > 0, -left[seat], totals[seat]

    seats = range(len(totals))
    return tuple(tuple(seat for seat in seats if place(seat) == level) for level in sorted(set(map(place, seats))))
