"""What the events of Osel, trumps, say."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from domain.cards import Card
from domain.game import Seat
from domain.hidden import Hidden
from domain.osel_trumps.state import (
    HAND,
    CardsDealt,
    CardsLed,
    CardsPlayed,
    ClaimDeclined,
    HandScored,
    HandsRefilled,
    LotsDrawn,
    MatchWon,
    PotTaken,
    TrumpChosen,
)
from projections.narration.message import Cards, Count, Everyone, Message, Tally, Who, Word, said


def _lots(event: LotsDrawn) -> tuple[Message, ...]:
    trumps = [
        said("osel-trumps.LotsDrawn.trumps", who=Who(seat), suit=Word(f"suit.{suit}"))
        for seat, suit in enumerate(event.trumps)
        if suit is not None
    ]
    return said("osel-trumps.LotsDrawn", dealer=Who(event.dealer)), *trumps


def _chosen(event: TrumpChosen) -> tuple[Message, ...]:
    return (said("osel-trumps.TrumpChosen", who=Who(event.seat), suit=Word(f"suit.{event.suit}")),)


def _dealt(event: CardsDealt) -> tuple[Message, ...]:
    """The stock is not listed, even if it is opened: the refills tell it."""
    dealer, leader, each = Who(event.dealer), Who(event.leader), Count("card", HAND)
    dealt = said("osel-trumps.CardsDealt", hand=event.hand, dealer=dealer, each=each, leader=leader)
    return dealt, *_of_cards("osel-trumps.CardsDealt.hand", event.hands), *_asked(event.asked)


def _declined(event: ClaimDeclined) -> tuple[Message, ...]:
    return said("osel-trumps.ClaimDeclined", who=Who(event.seat)), *_asked(event.asked)


def _led(event: CardsLed) -> tuple[Message, ...]:
    key = "osel-trumps.CardsLed.claimed" if event.claimed else "osel-trumps.CardsLed"
    return (said(key, who=Who(event.seat), cards=Cards(event.cards)),)


def _played(event: CardsPlayed) -> tuple[Message, ...]:
    key = "osel-trumps.CardsPlayed.beats" if event.beats else "osel-trumps.CardsPlayed.discard"
    return (said(key, who=Who(event.seat), cards=Cards(event.cards)),)


def _taken(event: PotTaken) -> tuple[Message, ...]:
    return (said("osel-trumps.PotTaken", who=Who(event.seat), cards=Cards(event.cards)),)


def _refilled(event: HandsRefilled) -> tuple[Message, ...]:
    drawn = _of_cards("osel-trumps.HandsRefilled.drawn", event.drawn)
    return said("osel-trumps.HandsRefilled"), *drawn, *_asked(event.asked)


def _scored(event: HandScored) -> tuple[Message, ...]:
    """The pairs without points are told where they may have decided how many jars somebody takes."""
    captured = Tally(event.card_points)
    messages = [said("osel-trumps.HandScored", hand=event.hand, captured=captured)]
    if any(points in (0, 1) and jars for points, jars in zip(event.card_points, event.points, strict=True)):
        messages.append(said("osel-trumps.HandScored.pairs", pairs=Tally(event.pairs)))
    if event.sevens is not None:
        messages.append(said("osel-trumps.HandScored.sevens", who=Who(event.sevens)))
    messages.append(said("osel-trumps.HandScored.jars", jars=Tally(event.points), totals=Tally(event.totals)))
    if event.eggs:
        messages.append(said("osel-trumps.HandScored.eggs", plural=len(event.eggs), players=Everyone(event.eggs)))
    if event.out:
        messages.append(said("osel-trumps.HandScored.out", plural=len(event.out), players=Everyone(event.out)))
    return tuple(messages)


def _won(event: MatchWon) -> tuple[Message, ...]:
    winners, totals = Everyone(event.winners), Tally(event.totals)
    return (said("osel-trumps.MatchWon", plural=len(event.winners), winners=winners, totals=totals),)


def _of_cards(key: str, of_seats: Iterable[Hidden[tuple[Card, ...]]]) -> list[Message]:
    """``key`` for each seat whose cards are opened. A seat that has left the match has none."""
    return [
        said(key, who=Who(seat), cards=Cards(hidden.opened))
        for seat, hidden in enumerate(of_seats)
        if not isinstance(hidden.value, msgspec.UnsetType) and hidden.opened
    ]


def _asked(seat: Seat | None) -> tuple[Message, ...]:
    return () if seat is None else (said("osel-trumps.asked", who=Who(seat)),)


MESSAGES: Final[Mapping[type[msgspec.Struct], Callable[[Any], tuple[Message, ...]]]] = {
    LotsDrawn: _lots,
    TrumpChosen: _chosen,
    CardsDealt: _dealt,
    ClaimDeclined: _declined,
    CardsLed: _led,
    CardsPlayed: _played,
    PotTaken: _taken,
    HandsRefilled: _refilled,
    HandScored: _scored,
    MatchWon: _won,
}

MOVES: Final[frozenset[type[msgspec.Struct]]] = frozenset({TrumpChosen, ClaimDeclined, CardsLed, CardsPlayed})
