"""Words for tables of Osel, trumps: who sits there, what was dealt, what is played."""

from collections.abc import Sequence
from typing import Any

from domain.cards import Card, rank_of, suit_of
from domain.game import Drawn, Seat
from domain.hidden import Hidden
from domain.osel import PACK, in_order
from domain.osel_trumps import GAME
from domain.osel_trumps.rules import Claim, Decline, Play
from domain.osel_trumps.state import CardsDealt, CardsLed, CardsPlayed, HandScored, LotsDrawn, PotTaken
from tests.domain.spec import Given, given

ANNA, BORIS, VERA, GLEB = range(4)

CLAIM, DECLINE = Claim(), Decline()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def pile(suits: str, plus: str = "", minus: str = "") -> tuple[Card, ...]:
    """All cards of these suits, 30 points each, with some cards more and some cards less."""
    held = [card for card in PACK if suit_of(card) in suits and card not in cards(minus)]
    return in_order((*held, *cards(plus)))


def ranks(text: str) -> tuple[Card, ...]:
    """All cards of these ranks."""
    return in_order(card for card in PACK if rank_of(card) in text.split())


def play(text: str) -> Play:
    return Play(cards(text))


def led(seat: Seat, text: str, *, claimed: bool = False) -> CardsLed:
    return CardsLed(seat, in_order(cards(text)), claimed)


def beaten(seat: Seat, text: str) -> CardsPlayed:
    return CardsPlayed(seat, in_order(cards(text)), beats=True)


def thrown(seat: Seat, text: str) -> CardsPlayed:
    return CardsPlayed(seat, in_order(cards(text)), beats=False)


def options(**values: Any) -> Any:
    """No trumps unless something else is said."""
    return GAME.options(**{"trump_option": 2, **values})


def dealt(
    *hands: str, hand: int = 1, dealer: Seat = 0, leader: Seat = 0, asked: Seat | None = None, stock: str = ""
) -> CardsDealt:
    """A deal of chosen cards, a hand for each seat."""
    return CardsDealt(
        hand=hand,
        dealer=dealer,
        leader=leader,
        asked=asked,
        hands=tuple(Hidden((seat,), in_order(cards(text))) for seat, text in enumerate(hands)),
        stock=Hidden((), cards(stock)),
    )


def table(
    *hands: str, own: str = "", leader: Seat = 0, asked: Seat | None = None, stock: str = "", **values: Any
) -> Given:
    """A table just after such a deal of the first hand; ``own`` are the players' own trumps."""
    trumps: Any = tuple(own) or (None,) * len(hands)
    values = {"trump_option": 1, **values} if own else values
    events = (LotsDrawn(0, trumps), dealt(*hands, leader=leader, asked=asked, stock=stock))
    return given(GAME, *events, seats=len(hands), options=options(**values))


def empty_table(seats: int, **values: Any) -> Given:
    """A table before anything was drawn."""
    return given(GAME, seats=seats, options=options(**values))


def lots(first: Seat, seats: int, suits: str = "") -> Drawn:
    """The lots for the dealer and, if named, for the suits."""
    order = (str(first), *(str(seat) for seat in range(seats) if seat != first))
    return Drawn((order, tuple(suits)) if suits else (order,))


def pack(text: str = "") -> Drawn:
    """The 36 cards with ``text`` on top."""
    top = cards(text)
    return Drawn(((*top, *(card for card in PACK if card not in top)),))


def scored(totals: Sequence[int], *, hand: int = 1, eggs: Sequence[Seat] = (), out: Sequence[Seat] = ()) -> HandScored:
    """That hand ``hand`` ended so that these are the jars, and these seats have eggs or leave."""
    none = (0,) * len(totals)
    return HandScored(hand, none, tuple(totals), none, none, tuple(eggs), None, tuple(out))


def last_pot(
    *hands: str,
    piles: Sequence[tuple[Card, ...]],
    before: HandScored | None = None,
    leader: Seat = 0,
    **values: Any,
) -> Given:
    """A table of hand 2 before its last lead: the stock is empty, and these cards have been captured."""
    first = before or scored((0,) * len(hands))
    taken = [PotTaken(seat, held) for seat, held in enumerate(piles) if held or seat == leader]
    taken.sort(key=lambda event: event.seat == leader)
    events = (LotsDrawn(0, (None,) * len(hands)), first, dealt(*hands, hand=2, leader=leader), *taken)
    return given(GAME, *events, seats=len(hands), options=options(**values))


def jars_of(ending: Given, *turns: tuple[Seat, Any]) -> HandScored:
    """How the hand is scored that these turns bring to its end."""
    *before, (seat, last) = turns
    events = ending.after(*before).when(seat, last).events()
    return next(event for event in events if isinstance(event, HandScored))
