"""Playing cards in their text form: rank and suit, as the API writes them."""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm
from typing import Final, NewType, TypeVar, overload

T = TypeVar("T")

Card = NewType("Card", str)
"""A card as text: ``10H`` is the ten of hearts. A game with a pack of its own names its cards."""

SUITS: Final = ("S", "H", "D", "C")
RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def pack(lowest: str) -> tuple[Card, ...]:
    """The French pack from ``lowest`` up to the ace: 52 cards from ``2``, 36 from ``6``."""
    ranks = RANKS[RANKS.index(lowest) :]
    return tuple(Card(rank + suit) for suit in SUITS for rank in ranks)


def rank_of(card: Card) -> str:
    return card[:-1]


def suit_of(card: Card) -> str:
    return card[-1]


def put(
    hand: Iterable[Card], card: Card, place: Callable[[Card], int], instead: Card | None = None
) -> tuple[Card, ...]:
    """``hand``, which is in order of ``place``, with ``card`` where it belongs, and without the one that it comes for.

    Raises ``ValueError`` if that one is not there.
    """
    cards = list(hand)
    if instead is not None:
        cards.remove(instead)
    insort(cards, card, key=place)
    return tuple(cards)


def without(hand: Iterable[Card], cards: Iterable[Card]) -> tuple[Card, ...]:
    """``hand`` with each of ``cards`` taken out once, the order kept.

    Raises ``ValueError`` if a card is not there as often as it is to be taken.
    """
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def laid_off(hands: tuple[tuple[Card, ...], ...], seat: int, cards: Iterable[Card]) -> tuple[tuple[Card, ...], ...]:
    """``hands``, one for each seat, with ``cards`` taken out of that of ``seat`` as ``without`` does."""
    left, changed = list(hands[seat]), list(hands)
    for card in cards:
        left.remove(card)
    changed[seat] = tuple(left)
    return tuple(changed)


@dataclass(frozen=True, slots=True)
class Handings(Sequence[T]):
    """What ``make`` makes of each way to hand ``number`` of ``cards`` to as many others, in order of ``permutations``.

    There are many ways, 1320 for three of twelve cards: each is made when it is asked for.
    """

    make: Callable[[tuple[Card, ...]], T]
    cards: tuple[Card, ...]
    number: int

    def __len__(self) -> int:
        return perm(len(self.cards), self.number)

    def __iter__(self) -> Iterator[T]:
        return map(self.make, permutations(self.cards, self.number))

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> list[T]: ...

    def __getitem__(self, place: int | slice) -> T | list[T]:
        way = range(len(self))[place]
        if isinstance(way, range):
            return [self[each] for each in way]
        left, chosen = list(self.cards), []
        for more in reversed(range(self.number)):
            card, way = divmod(way, perm(len(left) - 1, more))
            chosen.append(left.pop(card))
        return self.make(tuple(chosen))
