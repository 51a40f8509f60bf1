"""What the events of Osel, fours, say."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from domain.hidden import Hidden
from domain.osel_fours.state import (
    PACK,
    CardChosen,
    CardGiven,
    CardsDealt,
    CardsSwapped,
    HandScored,
    MatchWon,
    cards_each,
)
from projections.narration.message import Cards, Count, Everyone, Message, Tally, Who, Words, said


def _dealt(event: CardsDealt) -> tuple[Message, ...]:
    """Hands, and the cards set aside, are listed where they are opened for the reader; of others only the number is."""
    seats = len(event.hands)
    dealer = Who(event.dealer)
    lot = [said("osel-fours.CardsDealt.lot", dealer=dealer)] if event.hand == 1 else []
    each = Count("card", cards_each(seats))
    dealt = said("osel-fours.CardsDealt", hand=event.hand, dealer=dealer, each=each, active=Who(event.active))
    hands = [
        said("osel-fours.CardsDealt.hand", who=Who(seat), cards=Cards(hidden.opened))
        for seat, hidden in enumerate(event.hands)
        if _is_open(hidden)
    ]
    return *lot, dealt, *_aside(event.aside, len(PACK) % seats), *hands


def _aside(aside: Hidden[Any], number: int) -> tuple[Message, ...]:
    if not number:
        return ()
    left = Count("card set aside", number)
    if _is_open(aside):
        return (said("osel-fours.CardsDealt.aside.open", aside=left, cards=Cards(aside.opened)),)
    return (said("osel-fours.CardsDealt.aside", aside=left),)


def _given(event: CardGiven) -> tuple[Message, ...]:
    who, partner = Who(event.seat), Who(event.partner)
    if _is_open(event.card):
        return (said("osel-fours.CardGiven.open", who=who, partner=partner, card=Cards((event.card.opened,))),)
    return (said("osel-fours.CardGiven", who=who, partner=partner),)


def _chosen(event: CardChosen) -> tuple[Message, ...]:
    if _is_open(event.card):
        return (said("osel-fours.CardChosen.open", who=Who(event.seat), card=Cards((event.card.opened,))),)
    return (said("osel-fours.CardChosen", who=Who(event.seat)),)


def _swapped(event: CardsSwapped) -> tuple[Message, ...]:
    """Both cards are for the same eyes: they are opened together."""
    circuit, who, partner = event.circuit, Who(event.seat), Who(event.partner)
    if not (_is_open(event.given) and _is_open(event.returned)):
        return (said("osel-fours.CardsSwapped", circuit=circuit, who=who, partner=partner),)
    given, returned = Cards((event.given.opened,)), Cards((event.returned.opened,))
    key = "osel-fours.CardsSwapped.open"
    return (said(key, circuit=circuit, who=who, partner=partner, given=given, returned=returned),)


def _scored(event: HandScored) -> tuple[Message, ...]:
    wins = said("osel-fours.wins", totals=Tally(event.totals))
    if event.winner is None:
        return said("osel-fours.HandScored.drawn", hand=event.hand), wins
    scored = said(
        f"osel-fours.HandScored.{event.ending}",
        hand=event.hand,
        winner=Who(event.winner),
        fours=Count("four", len(event.fours)),
        ranks=Words(tuple(f"rank.{rank}" for rank in event.fours)),
    )
    return scored, wins


def _won(event: MatchWon) -> tuple[Message, ...]:
    won = said("osel-fours.MatchWon", plural=len(event.winners), winners=Everyone(event.winners))
    return won, said("osel-fours.wins", totals=Tally(event.totals))


def _is_open(hidden: Hidden[Any]) -> bool:
    return not isinstance(hidden.value, msgspec.UnsetType)


MESSAGES: Final[Mapping[type[msgspec.Struct], Callable[[Any], tuple[Message, ...]]]] = {
    CardsDealt: _dealt,
    CardGiven: _given,
    CardChosen: _chosen,
    CardsSwapped: _swapped,
    HandScored: _scored,
    MatchWon: _won,
}

MOVES: Final[frozenset[type[msgspec.Struct]]] = frozenset({CardGiven, CardChosen, CardsSwapped})
