"""Words for tables of Who's the Ass?: who sits there, what was dealt, what is played."""

from typing import Any

from domain.cards import Card
from domain.game import Drawn, Seat
from domain.hidden import Hidden
from domain.whos_the_ass import GAME
from domain.whos_the_ass.rules import PLACES, Pass, Play
from domain.whos_the_ass.state import ASS, PACK, CardsDealt, CardsPlayed, Options, in_order
from tests.domain.spec import Given, given

ARNO, BABS, CHRIS, DANNY, ERIK = range(5)

PASS = Pass()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def play(text: str, counts: int | None = None) -> Play:
    """A play of the cards in ``text``; ``counts`` is what a joker in an ass round is said to count."""
    return Play(cards(text), counts)


def played(seat: Seat, text: str, value: int) -> CardsPlayed:
    return CardsPlayed(seat, cards(text), value)


def dealt(*hands: str, hand: int = 1, dealer: Seat = 0, undealt: str = "") -> CardsDealt:
    """A deal of chosen cards, a hand for each seat. The holder of the ass starts, or seat 0 where nobody has it."""
    sorted_hands = [in_order(cards(text)) for text in hands]
    return CardsDealt(
        hand=hand,
        dealer=dealer,
        starter=next((seat for seat, held in enumerate(sorted_hands) if ASS in held), 0),
        hands=tuple(Hidden((seat,), held) for seat, held in enumerate(sorted_hands)),
        undealt=Hidden((), in_order(cards(undealt))),
    )


def table(*hands: str, **options: Any) -> Given:
    """A table just after such a deal."""
    return given(GAME, dealt(*hands), seats=len(hands), options=Options(**options))


def empty_table(seats: int, **options: Any) -> Given:
    """A table before its first deal."""
    return given(GAME, seats=seats, options=Options(**options))


def drawn(
    *, lot: Seat | None = None, seats: int = 0, pile: tuple[str, ...] = PACK, place: int = 1, minutes: int = 0
) -> Drawn:
    """What the dealer drew: ``lot`` first among the ``seats``, the 109 cards as ``pile``, the ass at ``place``."""
    places = (str(place), *(other for other in PLACES if other != str(place)))
    lots = () if lot is None else ((str(lot), *(str(seat) for seat in range(seats) if seat != lot)),)
    return Drawn((*lots, pile, places), minutes * 60_000)
