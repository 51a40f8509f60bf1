"""What the events of Who's the Ass? say."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from domain.whos_the_ass.state import (
    CARDS_EACH,
    JOKER,
    AssCardsTaken,
    AssPlayed,
    CardsDealt,
    CardsPlayed,
    HandScored,
    MatchWon,
    Passed,
    RoundWon,
    ScorekeeperChosen,
)
from projections.narration.message import Cards, Count, Everyone, Message, Tally, Who, said


def _dealt(event: CardsDealt) -> tuple[Message, ...]:
    """A hand that is opened for the reader is listed; of the others, and of the cards left out, only the number is."""
    each = CARDS_EACH[len(event.hands)]
    dealt = said(
        "whos-the-ass.CardsDealt",
        hand=event.hand,
        dealer=Who(event.dealer),
        each=Count("card", each),
        starter=Who(event.starter),
    )
    hands = [
        said("whos-the-ass.CardsDealt.hand", who=Who(seat), cards=Cards(hidden.opened))
        for seat, hidden in enumerate(event.hands)
        if not isinstance(hidden.value, msgspec.UnsetType)
    ]
    return dealt, *hands


def _lot(event: ScorekeeperChosen) -> tuple[Message, ...]:
    return (said("whos-the-ass.ScorekeeperChosen", who=Who(event.seat)),)


def _played(event: CardsPlayed) -> tuple[Message, ...]:
    # Number cards say their value themselves; jokers among themselves do not.
    jokers = all(card == JOKER for card in event.cards)
    key = "whos-the-ass.CardsPlayed.jokers" if jokers else "whos-the-ass.CardsPlayed"
    return (said(key, who=Who(event.seat), cards=Cards(event.cards), value=event.value),)


def _passed(event: Passed) -> tuple[Message, ...]:
    return (said("whos-the-ass.Passed", who=Who(event.seat)),)


def _ass(event: AssPlayed) -> tuple[Message, ...]:
    return (said("whos-the-ass.AssPlayed", who=Who(event.seat)),)


def _round(event: RoundWon) -> tuple[Message, ...]:
    discarded = Count("discarded card", event.discarded)
    return (said("whos-the-ass.RoundWon", who=Who(event.seat), value=event.value, discarded=discarded),)


def _took(event: AssCardsTaken) -> tuple[Message, ...]:
    return (said("whos-the-ass.AssCardsTaken", who=Who(event.seat), cards=Cards(event.cards)),)


def _scored(event: HandScored) -> tuple[Message, ...]:
    points, totals = Tally(event.points), Tally(event.totals)
    return (said("whos-the-ass.HandScored", hand=event.hand, points=points, totals=totals, ass=Who(event.ass)),)


def _won(event: MatchWon) -> tuple[Message, ...]:
    winners, totals = Everyone(event.winners), Tally(event.totals)
    return (said("whos-the-ass.MatchWon", plural=len(event.winners), winners=winners, totals=totals),)


MESSAGES: Final[Mapping[type[msgspec.Struct], Callable[[Any], tuple[Message, ...]]]] = {
    CardsDealt: _dealt,
    ScorekeeperChosen: _lot,
    CardsPlayed: _played,
    Passed: _passed,
    AssPlayed: _ass,
    RoundWon: _round,
    AssCardsTaken: _took,
    HandScored: _scored,
    MatchWon: _won,
}

MOVES: Final[frozenset[type[msgspec.Struct]]] = frozenset({CardsPlayed, Passed, AssPlayed})
