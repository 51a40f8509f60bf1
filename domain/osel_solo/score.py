"""What beats what, who is asked first, and how counts become jars and places. RULES.md chapters 2 to 8."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final

import msgspec

from domain import osel
from domain.cards import Card, rank_of, suit_of
from domain.game import Seat
from domain.osel import PACK, POINTS, SENIOR_AND_JUNIOR, STRENGTH, card_points, counted, with_eggs
from domain.osel_solo.state import Cards, others

BEATING: Final = osel.Beating(levels=SENIOR_AND_JUNIOR)
"""How every card beats, in every hand (1.5, 6.4, 6.5)."""

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
    return SENIOR_AND_JUNIOR.get(suit_of(card), 0)


GROUPS: Final[Mapping[Card, frozenset[Card]]] = MappingProxyType(
    {card: frozenset(other for other in PACK if group_of(other) == group_of(card)) for card in PACK}
)
"""For each card those of its group, itself among them."""

BEATERS: Final = osel.beaters(BEATING)
"""For each card those that beat it (6.4 to 6.8)."""

_ANSWERS: Final = {group: {top: group | BEATERS[top] for top in PACK} for group in set(GROUPS.values())}

ANSWERS: Final[Mapping[Card, Mapping[Card, frozenset[Card]]]] = MappingProxyType(
    {led: _ANSWERS[GROUPS[led]] for led in PACK}
)
"""For a led card and the card on top: those of the group of the one, and those that beat the other (6.9)."""

_HEIGHTS: Final = {card: len(STRENGTH) * group_of(card) + STRENGTH[rank_of(card)] for card in PACK}

_RUNGS: Final = {card: LADDER.get(card, len(LADDER)) for card in PACK}


def is_void(hands: Iterable[Cards], redeal: str) -> bool:
    """Whether a deal does not count, by the option. (2.4)"""
    one_has_all = any(TOP_FOUR.issubset(hand) for hand in hands)
    return redeal != "never" and one_has_all == (redeal == "one_has_top4")


def first_asked(hands: Sequence[Cards], seats: Iterable[Seat]) -> Seat:
    """Who of ``seats``, in the order of the deal, has the lowest trump; the first of them if none has. (3.1, 3.2)"""
    return min(seats, key=lambda seat: min(map(_RUNGS.__getitem__, hands[seat])))


def highest(hand: Cards) -> Cards:
    """The highest card of the most senior group, or two that are equally high. (5.2, 5.4)"""
    top = max(map(_HEIGHTS.__getitem__, hand))
    return tuple([card for card in hand if _HEIGHTS[card] == top])


def worth(card: Card) -> tuple[int, int, int]:
    """By what it counts, then ordinary cards before trumps, then by rank: how the house chooses. (9.2)"""
    return POINTS[rank_of(card)], group_of(card), STRENGTH[rank_of(card)]


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
        count = counted([card for seat in side for card in captured[seat]], len(sides))
        for seat in side:
            taken = with_eggs(count.row, eggs=seat in eggs)  # 7.9
            out[seat] = Result(card_points(captured[seat]), count.pairs, count.over, count.row, taken)
    if sevens is not None and out[sevens].over > 0:  # 7.10
        own = next(side for side in sides if sevens in side)
        for seat in set(seats) - set(own):
            out[seat] = msgspec.structs.replace(out[seat], jars=out[seat].jars + 1)
    return tuple(out[seat] for seat in seats)


def ranking(totals: Sequence[int]) -> tuple[tuple[Seat, ...], ...]:
    """The seats in groups of equally many jars, the fewest first: the first group wins. (8.3, 8.4)"""
    return tuple(tuple(seat for seat, total in enumerate(totals) if total == level) for level in sorted(set(totals)))
