"""Words for tables of Osel, fours: who sits there, what was dealt, what is swapped."""

from collections.abc import Iterable, Sequence
from typing import Any

from domain.cards import SUITS, Card
from domain.game import Drawn, Seat
from domain.hidden import Hidden
from domain.osel_fours import GAME
from domain.osel_fours.rules import Swap
from domain.osel_fours.state import PACK, CardChosen, CardGiven, CardsDealt, CardsSwapped, Options, in_order
from tests.domain.spec import Given, given

ANNA, BORIS, CLARA, DIMA = range(4)


def cards(text: str) -> tuple[Card, ...]:
    """``9*`` is all four nines."""
    return tuple(
        Card(name)
        for word in text.split()
        for name in ([word[:-1] + suit for suit in SUITS] if word.endswith("*") else [word])
    )


def swap(card: str) -> Swap:
    return Swap(Card(card))


def given_card(seat: Seat, partner: Seat, card: str) -> CardGiven:
    return CardGiven(seat, partner, Hidden((seat, partner), Card(card)))


def chosen(seat: Seat, card: str) -> CardChosen:
    return CardChosen(seat, Hidden((seat,), Card(card)))


def swapped(seat: Seat, partner: Seat, gave: str, got: str, circuit: int = 1) -> CardsSwapped:
    to = (seat, partner)
    return CardsSwapped(circuit, seat, partner, Hidden(to, Card(gave)), Hidden(to, Card(got)))


def dealt(*hands: str, hand: int = 1, dealer: Seat = 0, aside: str = "") -> CardsDealt:
    """A deal of chosen cards, a hand for each seat."""
    return CardsDealt(
        hand=hand,
        dealer=dealer,
        active=(dealer + 1) % len(hands),
        hands=tuple(Hidden((seat,), in_order(cards(text))) for seat, text in enumerate(hands)),
        aside=Hidden((), in_order(cards(aside))),
    )


def table(*hands: str, dealer: Seat = 0, aside: str = "", **options: Any) -> Given:
    """A table just after such a deal. Seat 0 deals and seat 1 begins, unless another dealer is named."""
    event = dealt(*hands, dealer=dealer, aside=aside)
    return given(GAME, event, seats=len(hands), options=Options(**options))


def empty_table(seats: int, **options: Any) -> Given:
    """A table before its first deal."""
    return given(GAME, seats=seats, options=Options(**options))


SPREAD = in_order(PACK)
"""An order of the pack in which nobody is dealt a four: cards of a rank lie together and go to different seats."""


def drawn(*, lot: Seat | None = None, seats: int = 0, pile: Iterable[str] = SPREAD) -> Drawn:
    """What the dealer drew: ``lot`` first among the ``seats``, and the 52 cards as ``pile``."""
    lots = () if lot is None else ((str(lot), *(str(seat) for seat in range(seats) if seat != lot)),)
    return Drawn((*lots, tuple(pile)))


def pile_for(*hands: str, dealer: Seat = 0) -> tuple[Card, ...]:
    """The order of the pack in which ``dealer`` deals these hands; what they leave of the pack goes round after them.

    A hand that is not named in full is filled up with what is left.
    """
    named = [list(cards(text)) for text in hands]
    seats, each = len(hands), len(PACK) // len(hands)
    rest = [card for card in PACK if all(card not in hand for hand in named)]
    for hand in named:
        hand += [rest.pop() for _ in range(each - len(hand))]
    return (*(named[(dealer + 1 + place) % seats][turn] for turn in range(each) for place in range(seats)), *rest)


def swaps(table: Given, *pairs: Sequence[str]) -> Given:
    """The table after these swaps: of each pair the active seat gives the first, its partner the second."""
    for gave, got in pairs:
        active, partner = table.state.active, table.state.partner
        table = table.after((active, swap(gave)), (partner, swap(got)))
    return table
