"""What beats what, what cards count, and how counts become jars. RULES.md chapters 6, 7 and 8."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final

import msgspec

from domain.cards import Card, rank_of, suit_of
from domain.game import Seat
from domain.osel_solo.state import PACK, STRENGTH, Cards, others

POINTS: Final[Mapping[str, int]] = MappingProxyType(
    {"A": 12, "10": 10, "K": 5, "Q": 3, "J": 1, "9": 0, "8": 0, "7": 0, "6": -1}
)
"""What a card counts by its rank: 30 a suit, 120 in all (1.3)."""

SPARED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"6": ("8", "Q"), "8": ("K", "Q")})
"""A six and an eight beat every card of their suit but these (6.6, 6.7)."""

GROUPS: Final[Mapping[str, int]] = MappingProxyType({"H": 0, "C": 0, "D": 1, "S": 2})
"""Ordinary cards, junior and senior trumps (1.5)."""

PAR: Final[Mapping[int, int]] = MappingProxyType({2: 60, 3: 40, 4: 30})
"""Exactly so many points are eggs, by the number of sides (7.9)."""

JARS: Final[Mapping[int, tuple[tuple[int, int], ...]]] = MappingProxyType(
    {
        2: ((60, 0), (45, 1), (30, 2), (15, 3), (1, 4)),
        3: ((40, 0), (30, 1), (20, 2), (10, 3), (1, 4)),
        4: ((30, 0), (23, 1), (16, 2), (9, 3), (2, 4)),
    }
)
"""By the number of sides: the least points of a row, and its jars (7.4, 7.5, 7.6)."""

PAIRS: Final[Mapping[int, int]] = MappingProxyType({2: 5, 3: 4, 4: 3})
"""So many pairs without points, by the number of sides, make 4 jars of 5 below the last row (7.4, 7.5, 7.6)."""

LOST: Final = 10
"""So many jars end the match (8.2)."""


TOP_FOUR: Final = frozenset(map(Card, ("AS", "10S", "KS", "QS")))
"""The four highest trumps (2.4)."""

LADDER: Final[Mapping[Card, int]] = MappingProxyType(
    {Card(rank + suit): place for place, (suit, rank) in enumerate(product("DS", STRENGTH))}
)
"""The trumps in the order of the auction (3.1)."""


FIRST_LEAD: Final = Card("6S")
"""Who holds it leads first if everybody passed (4.8)."""


class Result(msgspec.Struct, frozen=True):
    """What a seat made of a hand. ``card_points`` are its own; ``pairs`` and ``over``, above par, are its side's.

    ``row`` are the jars by the scale, ``jars`` all that it takes.
    """

    card_points: int
    pairs: int
    over: int
    row: int
    jars: int


def group_of(card: Card) -> int:
    """0 for an ordinary card, 1 for a junior trump, 2 for a senior one. (1.5)"""
    return GROUPS[suit_of(card)]


def beats(card: Card, top: Card) -> bool:
    """Whether ``card`` beats ``top``. (6.4 to 6.8)"""
    rank, under = rank_of(card), rank_of(top)
    if suit_of(card) != suit_of(top):
        return rank == under or group_of(card) > group_of(top)
    privileged = rank in SPARED and under not in SPARED[rank]
    return card != top and (privileged or STRENGTH[rank] > STRENGTH[under])


BEATERS: Final[Mapping[Card, frozenset[Card]]] = MappingProxyType(
    {top: frozenset(card for card in PACK if beats(card, top)) for top in PACK}
)
"""The cards that beat a card."""


def is_void(hands: Iterable[Cards], redeal: str) -> bool:
    """Whether a deal does not count, by the option. (2.4)"""
    one_has_all = any(TOP_FOUR.issubset(hand) for hand in hands)
    return redeal != "never" and one_has_all == (redeal == "one_has_top4")


def first_asked(hands: Sequence[Cards], seats: Iterable[Seat]) -> Seat:
    """Who of ``seats``, in the order of the deal, has the lowest trump; the first of them if none has. (3.1, 3.2)"""
    return min(seats, key=lambda seat: min(LADDER.get(card, len(LADDER)) for card in hands[seat]))


def highest(hand: Iterable[Card]) -> Cards:
    """The highest card of the most senior group, or two that are equally high. (5.2, 5.4)"""
    levels = {card: (group_of(card), STRENGTH[rank_of(card)]) for card in hand}
    top = max(levels.values())
    return tuple(card for card, level in levels.items() if level == top)


def worth(card: Card) -> tuple[int, int, int]:
    """By what it counts, then ordinary cards before trumps, then by rank: how the house chooses. (9.2)"""
    return POINTS[rank_of(card)], group_of(card), STRENGTH[rank_of(card)]


def card_points(cards: Iterable[Card]) -> int:
    """What captured cards count (7.1)."""
    return sum(POINTS[rank_of(card)] for card in cards)


def pairs_without_points(cards: Iterable[Card]) -> int:
    """How many pairs the captured sixes, sevens, eights and nines make (7.7)."""
    return sum(POINTS[rank_of(card)] <= 0 for card in cards) // 2


def jars(total: int, pairs: int, sides: int) -> int:
    """The jars for ``total`` points, from -4 to 124, with ``sides`` sides at the table. (7.4 to 7.6)"""
    if total < 0:
        return 6
    below = 4 if pairs >= PAIRS[sides] else 5
    return next((row for least, row in JARS[sides] if total >= least), below)


def results(
    captured: Sequence[Cards], soloist: Seat | None, eggs: Collection[Seat], sevens: Seat | None
) -> tuple[Result, ...]:
    """The score of each seat from its captured cards, the soloist's with those laid away.

    ``eggs`` had par in the hand before; ``sevens`` held four sevens in this one, where that counts.
    """
    seats = range(len(captured))
    sides = tuple((seat,) for seat in seats) if soloist is None else ((soloist,), others(soloist, len(captured)))
    out: dict[Seat, Result] = {}
    for side in sides:
        cards = [card for seat in side for card in captured[seat]]
        pairs, total = pairs_without_points(cards), card_points(cards)
        row = jars(total, pairs, len(sides))
        for seat in side:
            more = row > 0 and seat in eggs  # 7.9
            out[seat] = Result(card_points(captured[seat]), pairs, total - PAR[len(sides)], row, row + more)
    if sevens is not None and out[sevens].over > 0:  # 7.10
        own = next(side for side in sides if sevens in side)
        for seat in set(seats) - set(own):
            out[seat] = msgspec.structs.replace(out[seat], jars=out[seat].jars + 1)
    return tuple(out[seat] for seat in seats)


def ranking(totals: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equally many jars, the fewest first: the first group wins. (8.3, 8.4)"""
    return tuple(tuple(seat for seat, total in enumerate(totals) if total == level) for level in sorted(set(totals)))
