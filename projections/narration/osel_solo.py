"""What the events of Osel, one against the rest, say: of both its forms."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from domain.hidden import Hidden
from domain.osel import PACK, PAR
from domain.osel_solo.state import (
    CardPlayed,
    CardsAssigned,
    CardsDealt,
    CardsExchanged,
    CardsGiven,
    CardsLaidAway,
    HandScored,
    MatchWon,
    Passed,
    PotTaken,
    ReturnChosen,
    SoloDeclared,
    TalonShared,
    TalonTaken,
    VariantChosen,
    others,
)
from projections.narration.message import Cards, Count, Everyone, Message, Tally, Who, said


def _dealt(event: CardsDealt) -> tuple[Message, ...]:
    """Hands and the talon are listed where they are opened for the reader. The first dealer was chosen by lot."""
    seats = len(event.hands)
    dealer, each = Who(event.dealer), Count("card", len(PACK) // seats - 1)
    key = "osel-solo.CardsDealt.first" if event.hand == 1 else "osel-solo.CardsDealt"
    hands = [
        said("osel-solo.CardsDealt.hand", who=Who(seat), cards=Cards(hidden.opened))
        for seat, hidden in enumerate(event.hands)
        if _is_open(hidden)
    ]
    talon = [said("osel-solo.CardsDealt.talon", cards=Cards(event.talon.opened))] if _is_open(event.talon) else []
    if event.asked is None:
        then = said("osel-solo.CardsDealt.void", dealer=dealer)
    else:
        then = said("osel-solo.CardsDealt.asked", asked=Who(event.asked))
    return said(key, hand=event.hand, dealer=dealer, each=each), *hands, *talon, then


def _passed(event: Passed) -> tuple[Message, ...]:
    asked = [] if event.asked is None else [said("osel-solo.Passed.asked", asked=Who(event.asked))]
    return said("osel-solo.Passed", who=Who(event.seat)), *asked


def _declared(event: SoloDeclared) -> tuple[Message, ...]:
    if event.variant is None:
        return (said("osel-solo.SoloDeclared.open", who=Who(event.seat)),)
    return (said("osel-solo.SoloDeclared", who=Who(event.seat), variant=event.variant),)


def _chosen(event: VariantChosen) -> tuple[Message, ...]:
    return (said("osel-solo.VariantChosen", who=Who(event.seat), variant=event.variant),)


def _taken(event: TalonTaken) -> tuple[Message, ...]:
    return (_of_cards("osel-solo.TalonTaken", event.seat, event.cards),)


def _given(event: CardsGiven) -> tuple[Message, ...]:
    to_each = _to_each("osel-solo.CardsGiven.card", event.seat, event.cards)
    return said("osel-solo.CardsGiven", who=Who(event.seat)), *to_each


def _laid_away(event: CardsLaidAway) -> tuple[Message, ...]:
    return (_of_cards("osel-solo.CardsLaidAway", event.seat, event.cards),)


def _assigned(event: CardsAssigned) -> tuple[Message, ...]:
    to_each = _to_each("osel-solo.CardsAssigned.card", event.seat, event.cards)
    assigned = (said("osel-solo.CardsAssigned", who=Who(event.seat)), *to_each)
    if not event.asked:
        return assigned
    return *assigned, said("osel-solo.CardsAssigned.asked", plural=len(event.asked), asked=Everyone(event.asked))


def _returned(event: ReturnChosen) -> tuple[Message, ...]:
    if _is_open(event.card):
        return (said("osel-solo.ReturnChosen.card", who=Who(event.seat), card=Cards((event.card.opened,))),)
    return (said("osel-solo.ReturnChosen", who=Who(event.seat)),)


def _exchanged(event: CardsExchanged) -> tuple[Message, ...]:
    """What a player gets and what that player returns are for the same eyes: they are opened together."""
    opponents = others(event.seat, len(event.given) + 1)
    swaps = [
        said(
            "osel-solo.CardsExchanged.cards",
            who=Who(opponent),
            given=Cards((given.opened,)),
            returned=Cards((returned.opened,)),
        )
        for opponent, given, returned in zip(opponents, event.given, event.returned, strict=True)
        if _is_open(given) and _is_open(returned)
    ]
    return said("osel-solo.CardsExchanged", who=Who(event.seat)), *swaps


def _shared(event: TalonShared) -> tuple[Message, ...]:
    cards = [
        said("osel-solo.TalonShared.card", who=Who(seat), card=Cards((hidden.opened,)))
        for seat, hidden in enumerate(event.cards)
        if _is_open(hidden)
    ]
    return said("osel-solo.TalonShared"), *cards, said("osel-solo.TalonShared.leader", leader=Who(event.leader))


def _played(event: CardPlayed) -> tuple[Message, ...]:
    key = "osel-solo.CardPlayed" if event.beats else "osel-solo.CardPlayed.discard"
    return (said(key, who=Who(event.seat), card=Cards((event.card,))),)


def _pot(event: PotTaken) -> tuple[Message, ...]:
    return (said("osel-solo.PotTaken", who=Who(event.seat), cards=Cards(event.cards)),)


def _scored(event: HandScored) -> tuple[Message, ...]:
    """The pairs without points are told where they decided how many jars a side takes."""
    messages = [said("osel-solo.HandScored", hand=event.hand, captured=Tally(event.card_points))]
    if event.soloist is None:
        sides = event.card_points
    else:
        own = event.card_points[event.soloist]
        sides = (own, sum(event.card_points) - own)
        result = "even" if own == PAR[2] else "won" if own > PAR[2] else "lost"
        messages.append(
            said(f"osel-solo.HandScored.{result}", soloist=Who(event.soloist), own=sides[0], partners=sides[1])
        )
    if 0 in sides or (len(sides) == 4 and 1 in sides):
        messages.append(said("osel-solo.HandScored.pairs", pairs=Tally(event.pairs)))
    if event.paid:
        messages.append(said("osel-solo.HandScored.paid", players=Everyone(event.paid)))
    if event.sevens is not None:
        messages.append(said("osel-solo.HandScored.sevens", who=Who(event.sevens)))
    messages.append(said("osel-solo.HandScored.jars", jars=Tally(event.points), totals=Tally(event.totals)))
    if event.eggs:
        messages.append(said("osel-solo.HandScored.eggs", players=Everyone(event.eggs)))
    return tuple(messages)


def _won(event: MatchWon) -> tuple[Message, ...]:
    winners, totals = Everyone(event.winners), Tally(event.totals)
    return (said("osel-solo.MatchWon", plural=len(event.winners), winners=winners, totals=totals),)


def _of_cards(key: str, seat: int, cards: Hidden[Any]) -> Message:
    """``key`` for cards that the reader may not see; with ``.cards``, the cards as well."""
    if not _is_open(cards):
        return said(key, who=Who(seat))
    return said(f"{key}.cards", who=Who(seat), cards=Cards(cards.opened))


def _to_each(key: str, soloist: int, cards: tuple[Hidden[Any], ...]) -> list[Message]:
    """``key`` for each opponent, clockwise, whose card from the soloist the reader may see."""
    opponents = others(soloist, len(cards) + 1)
    return [
        said(key, who=Who(opponent), card=Cards((hidden.opened,)))
        for opponent, hidden in zip(opponents, cards, strict=True)
        if _is_open(hidden)
    ]


def _is_open(hidden: Hidden[Any]) -> bool:
    return not isinstance(hidden.value, msgspec.UnsetType)


MESSAGES: Final[Mapping[type[msgspec.Struct], Callable[[Any], tuple[Message, ...]]]] = {
    CardsDealt: _dealt,
    Passed: _passed,
    SoloDeclared: _declared,
    VariantChosen: _chosen,
    TalonTaken: _taken,
    CardsGiven: _given,
    CardsLaidAway: _laid_away,
    CardsAssigned: _assigned,
    ReturnChosen: _returned,
    CardsExchanged: _exchanged,
    TalonShared: _shared,
    CardPlayed: _played,
    PotTaken: _pot,
    HandScored: _scored,
    MatchWon: _won,
}

MOVES: Final[frozenset[type[msgspec.Struct]]] = frozenset(
    {Passed, SoloDeclared, VariantChosen, CardsGiven, CardsLaidAway, CardsAssigned, ReturnChosen, CardPlayed}
)
