"""What the events of two-handed Spades say."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from domain.cards import Card
from domain.game import Seat
from domain.hidden import Hidden
from domain.spades_two.state import (
    BidPlaced,
    CardDrawn,
    CardKept,
    CardPlayed,
    CardRejected,
    CardsThrown,
    DoubleNilAnswered,
    HandScored,
    MatchWon,
    ReplacementsDrawn,
    SpadesBroken,
    StockShuffled,
    TrickWon,
)
from projections.narration.message import Cards, Count, Message, Tally, Who, said


def _shuffled(event: StockShuffled) -> tuple[Message, ...]:
    """The stock is not listed, even if it is opened: the draft tells it card by card."""
    first, second = Who(event.first), Who(1 - event.first)
    return (said("spades-two.StockShuffled", hand=event.hand, first=first, second=second),)


def _answered(event: DoubleNilAnswered) -> tuple[Message, ...]:
    answer = "yes" if event.declared else "no"
    return (said(f"spades-two.DoubleNilAnswered.{answer}", who=Who(event.seat)),)


def _drawn(event: CardDrawn) -> tuple[Message, ...]:
    return (_of_a_card("spades-two.CardDrawn", event.seat, event.card),)


def _kept(event: CardKept) -> tuple[Message, ...]:
    return (
        _of_a_card("spades-two.CardKept", event.seat, event.card),
        _of_a_card("spades-two.CardKept.skipped", event.seat, event.skipped),
    )


def _rejected(event: CardRejected) -> tuple[Message, ...]:
    return (
        _of_a_card("spades-two.CardRejected", event.seat, event.rejected),
        _of_a_card("spades-two.CardRejected.taken", event.seat, event.taken),
    )


def _thrown(event: CardsThrown) -> tuple[Message, ...]:
    if event.count == 0:
        return (said("spades-two.CardsThrown.none", who=Who(event.seat)),)
    return (_of_cards("spades-two.CardsThrown", event.seat, event.count, event.cards),)


def _replaced(event: ReplacementsDrawn) -> tuple[Message, ...]:
    return (_of_cards("spades-two.ReplacementsDrawn", event.seat, event.count, event.cards),)


def _bid(event: BidPlaced) -> tuple[Message, ...]:
    if event.tricks == 0:
        return (said("spades-two.BidPlaced.nil", who=Who(event.seat)),)
    return (said("spades-two.BidPlaced", who=Who(event.seat), tricks=Count("trick", event.tricks)),)


def _played(event: CardPlayed) -> tuple[Message, ...]:
    return (said("spades-two.CardPlayed", who=Who(event.seat), card=Cards((event.card,))),)


def _broken(event: SpadesBroken) -> tuple[Message, ...]:
    return (said("spades-two.SpadesBroken", who=Who(event.seat)),)


def _trick(event: TrickWon) -> tuple[Message, ...]:
    return (said("spades-two.TrickWon", who=Who(event.seat), cards=Cards(event.cards), tricks=Tally(event.tricks)),)


def _scored(event: HandScored) -> tuple[Message, ...]:
    """Bid and tricks of each seat, who is fined for bags, and then the columns of the score sheet."""
    results: list[Message] = []
    for seat, (bid, tricks) in enumerate(zip(event.bids, event.tricks, strict=True)):
        who, won = Who(seat), Count("trick", tricks)
        match bid:
            case "double_nil":
                results.append(said("spades-two.HandScored.double_nil", who=who, tricks=won))
            case 0:
                results.append(said("spades-two.HandScored.nil", who=who, tricks=won))
            case _:
                results.append(said("spades-two.HandScored.bid", who=who, bid=bid, tricks=won))
    fines = [
        said("spades-two.HandScored.penalty", who=Who(seat), points=Count("point", penalty))
        for seat, penalty in enumerate(event.penalties)
        if penalty
    ]
    points, bags, totals = Tally(event.points), Tally(event.bags), Tally(event.totals)
    return (
        said("spades-two.HandScored", hand=event.hand),
        *results,
        *fines,
        said("spades-two.HandScored.sheet", points=points, bags=bags, totals=totals),
    )


def _won(event: MatchWon) -> tuple[Message, ...]:
    (winner,) = event.winners
    return (said("spades-two.MatchWon", who=Who(winner), totals=Tally(event.totals)),)


def _of_a_card(key: str, seat: Seat, card: Hidden[Card] | Card) -> Message:
    """``key`` for a card that the reader may not see; with ``.card``, the card as well."""
    shown = card.value if isinstance(card, Hidden) else card
    if isinstance(shown, msgspec.UnsetType):
        return said(key, who=Who(seat))
    return said(f"{key}.card", who=Who(seat), card=Cards((shown,)))


def _of_cards(key: str, seat: Seat, count: int, cards: Hidden[tuple[Card, ...]]) -> Message:
    """The same for several cards; how many they are, everybody may know."""
    if isinstance(cards.value, msgspec.UnsetType):
        return said(key, who=Who(seat), count=Count("card", count))
    return said(f"{key}.cards", who=Who(seat), cards=Cards(cards.opened))


MESSAGES: Final[Mapping[type[msgspec.Struct], Callable[[Any], tuple[Message, ...]]]] = {
    StockShuffled: _shuffled,
    DoubleNilAnswered: _answered,
    CardDrawn: _drawn,
    CardKept: _kept,
    CardRejected: _rejected,
    CardsThrown: _thrown,
    ReplacementsDrawn: _replaced,
    BidPlaced: _bid,
    CardPlayed: _played,
    SpadesBroken: _broken,
    TrickWon: _trick,
    HandScored: _scored,
    MatchWon: _won,
}

MOVES: Final[frozenset[type[msgspec.Struct]]] = frozenset(
    {DoubleNilAnswered, CardKept, CardRejected, CardsThrown, BidPlaced, CardPlayed}
)
