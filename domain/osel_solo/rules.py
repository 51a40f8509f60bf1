"""The rules of Osel, one against the rest: what each seat may do, and what follows when it does.

Numbers in comments are clauses of RULES.md; each has a test of the same number.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, assert_never, cast

from domain.cards import Card, Handings
from domain.game import ALONE, DEALER, Drawn, GameMove, Outcome, OutOfTurn, Refused, Seat, is_drawn_from
from domain.hidden import Hidden
from domain.osel import LOST, PACK, in_order
from domain.osel_solo.score import (
    ANSWERS,
    BEATERS,
    FIRST_LEAD,
    GROUPS,
    first_asked,
    highest,
    is_void,
    ranking,
    results,
    worth,
)
from domain.osel_solo.state import (
    CardPlayed,
    Cards,
    CardsAssigned,
    CardsDealt,
    CardsExchanged,
    CardsGiven,
    CardsLaidAway,
    Event,
    HandScored,
    MatchWon,
    Options,
    Passed,
    PotTaken,
    ReturnChosen,
    SoloDeclared,
    Stage,
    State,
    TalonShared,
    TalonTaken,
    VariantChosen,
    evolve,
    others,
)


class Solo(GameMove, frozen=True, tag="solo"):
    """Play alone against all the others."""


class Pass(GameMove, frozen=True, tag="pass"):
    """Do not play alone."""


class ChooseVariant(GameMove, frozen=True, tag="choose_variant"):
    """With variant 3: play by variant 1 or by variant 2."""

    variant: Literal[1, 2]


class Give(GameMove, frozen=True, tag="give"):
    """With variant 1: one card to each opponent, clockwise."""

    cards: Cards


class LayAway(GameMove, frozen=True, tag="lay_away"):
    """With variant 2: cards for the soloist's own pile, as many as the talon has."""

    cards: Cards


class Exchange(GameMove, frozen=True, tag="exchange"):
    """With four players: one card for each opponent, clockwise, who each return one."""

    cards: Cards


class Return(GameMove, frozen=True, tag="return"):
    """Which of two equally high ordinary cards the soloist gets."""

    card: Card


class Play(GameMove, frozen=True, tag="play"):
    """Lead a card, or play one to the card that was led."""

    card: Card


Move: TypeAlias = Solo | Pass | ChooseVariant | Give | LayAway | Exchange | Return | Play

DUE: Final[Mapping[Stage, tuple[tuple[type[Move], ...], str, str]]] = MappingProxyType(
    {
        "auction": ((Solo, Pass), "3.3", "the auction is on: say solo or pass"),
        "variant": ((ChooseVariant,), "4.5", "choose variant 1 or 2 before you take the talon"),
        "gifts": ((Give,), "4.1", "give each opponent a card"),
        "laying_away": ((LayAway,), "4.3", "lay away as many cards as the talon has"),
        "exchange": ((Exchange,), "5.1", "assign a card to each opponent"),
        "returns": ((Return,), "5.4", "say which of your two highest cards you return"),
        "play": ((Play,), "6.2", "play a card"),
    }
)
"""The moves that a stage waits for, and the clause that says so."""

ANY: Final = frozenset(PACK)

HANDING: Final[Mapping[Stage, type[Give] | type[Exchange]]] = MappingProxyType({"gifts": Give, "exchange": Exchange})


def check(options: Options, seats: int) -> None:
    """Every choice of options fits every other, with three seats and with four."""


def to_act(state: State) -> frozenset[Seat]:
    return ALONE[DEALER] if state.stage == "deal" else frozenset(state.due)


def chance(state: State) -> tuple[tuple[str, ...], ...]:
    """The lot for the first dealer (once), and the 36 cards. (2.1, 2.2)"""
    if state.stage != "deal":
        return ()
    lot = () if state.dealer is not None else (tuple(str(seat) for seat in range(len(state.hands))),)
    return (*lot, PACK)


def legal(state: State, seat: Seat) -> Sequence[Move]:
    """Every move that ``decide`` accepts from ``seat`` now. Cards to lay away are listed once, in order."""
    if seat not in state.due:
        return []
    hand = state.hands[seat]
    match state.stage:
        case "play":
            allowed = _allowed(state, hand)
            return [Play(card) for card in hand if card in allowed]
        case "auction":
            return [Solo(), Pass()]
        case "variant":
            return [ChooseVariant(1), ChooseVariant(2)]
        case "gifts" | "exchange":
            return Handings(HANDING[state.stage], hand, len(state.hands) - 1)
        case "laying_away":
            return [LayAway(cards) for cards in combinations(hand, len(state.talon))]
        case _:
            return [Return(card) for card in highest(hand)]


def attempts(state: State, seat: Seat) -> list[Move]:
    """The plain moves of the auction while it is on; then for each card of ``seat`` the plainest move with it."""
    if seat == DEALER:
        return []
    hand, opponents = state.hands[seat], len(state.hands) - 1
    more = hand + hand
    match state.stage:
        case "auction":
            return [Solo(), Pass()]
        case "variant":
            return [ChooseVariant(1), ChooseVariant(2)]
        case "gifts" | "exchange":
            return [HANDING[state.stage](more[place : place + opponents]) for place in range(len(hand))]
        case "laying_away":
            sets = dict.fromkeys(in_order(more[place : place + len(state.talon)]) for place in range(len(hand)))
            return [LayAway(cards) for cards in sets]
        case "returns":
            return [Return(card) for card in hand]
        case _:
            return [Play(card) for card in hand]


def fallback(state: State, seat: Seat) -> Move:
    """What is played for an absent seat. (9.2)"""
    hand, opponents = state.hands[seat], len(state.hands) - 1
    least = sorted(hand, key=worth)
    match state.stage:
        case "auction":
            return Pass()
        case "variant":
            return ChooseVariant(2)
        case "gifts" | "exchange":
            return HANDING[state.stage](tuple(least[:opponents]))
        case "laying_away":
            return LayAway(in_order(least[-len(state.talon) :]))
        case "returns":
            return Return(highest(hand)[0])
        case _:
            playable = [card for card in hand if card in _allowed(state, hand)]
            return Play(min(_beating(state, playable) or playable, key=worth))


def outcome(state: State) -> Outcome | None:
    return Outcome(ranking(state.totals)) if state.winners else None


def decide(state: State, seat: Seat, command: Move | Drawn) -> list[Event]:
    if isinstance(command, Drawn) != (seat == DEALER):
        raise Refused("2.8", "the dealer deals and does nothing else, and nobody else deals")
    if state.winners:
        raise OutOfTurn("8.2", "the match is over")
    if isinstance(command, Drawn):
        return _deal(state, command)
    if state.stage == "deal":
        raise OutOfTurn("2.8", "the cards have not been dealt yet")
    answers, clause, reason = DUE[state.stage]
    if seat not in state.due:
        raise OutOfTurn(clause, f"it is the turn of seat {' and '.join(map(str, state.due))}")
    if type(command) not in answers:
        raise Refused(clause, reason)
    match command:
        case Play():
            return _play(state, seat, command.card)
        case Solo():
            agreed = state.options.variant
            return _take_talon(state, SoloDeclared(seat, None if agreed == 3 else agreed))  # 4.5
        case Pass():
            return _pass(state, seat)
        case ChooseVariant(variant):
            return _take_talon(state, VariantChosen(seat, variant))
        case Give(cards):
            _check_cards(state.hands[seat], cards, len(state.hands) - 1, "4.1")
            return [CardsGiven(seat, _to_opponents(seat, cards))]
        case LayAway(cards):
            _check_cards(state.hands[seat], cards, len(state.talon), "4.3")
            return _take_talon(state, CardsLaidAway(seat, Hidden((seat,), in_order(cards))))
        case Exchange(cards):
            _check_cards(state.hands[seat], cards, len(state.hands) - 1, "5.1")
            return _exchange(state, seat, cards)
        case Return(card):
            return _return(state, seat, card)
        case _:
            assert_never(command)


def _deal(state: State, drawn: Drawn) -> list[Event]:
    named = chance(state)
    if not named:
        raise OutOfTurn("2.8", "cards are dealt before a hand, not during it")
    if not is_drawn_from(drawn, named):
        raise Refused("2.8", "what was drawn is not an order of the seats and cards that were named")
    *lots, cards = drawn.lists
    if state.dealer is None:
        dealer = int(lots[0][0])
    elif state.hand > state.scored:
        dealer = state.dealer  # 2.5
    else:
        dealer = state.opener  # 2.1
    seats, pack = len(state.hands), cast("Cards", cards)
    order = (*others(dealer, seats), dealer)
    dealt = len(pack) - seats  # 2.2, 2.3
    hands = [in_order(pack[order.index(seat) : dealt : seats]) for seat in range(seats)]
    void = is_void(hands, state.options.redeal)  # 2.4
    return [
        CardsDealt(
            hand=state.scored + 1,
            dealer=dealer,
            void=void,
            asked=None if void else first_asked(hands, order),
            hands=tuple(Hidden((seat,), hand) for seat, hand in enumerate(hands)),
            talon=Hidden((), pack[dealt:]),
        )
    ]


def _take_talon(state: State, event: SoloDeclared | VariantChosen | CardsLaidAway) -> list[Event]:
    """``event``, and the talon to the soloist if that is next: in variant 2 only after laying away. (4.1, 4.3)"""
    if not isinstance(event, CardsLaidAway) and event.variant != 1:
        return [event]
    return [event, TalonTaken(event.seat, Hidden((event.seat,), in_order(state.talon)))]


def _pass(state: State, seat: Seat) -> list[Event]:
    left = [other for other in _dealing_order(state) if other != seat and other not in state.passed]
    if left:
        return [Passed(seat, first_asked(state.hands, left))]
    return [Passed(seat, None), _share(state)]  # 3.6


def _share(state: State) -> TalonShared:
    taken = dict(zip(_dealing_order(state), state.talon, strict=True))
    return TalonShared(
        cards=tuple(Hidden((seat,), taken[seat]) for seat in sorted(taken)),
        leader=next(seat for seat, card in taken.items() if FIRST_LEAD in (*state.hands[seat], card)),
    )  # 4.8


def _dealing_order(state: State) -> tuple[Seat, ...]:
    assert state.dealer is not None, "somebody has dealt"
    return (*others(state.dealer, len(state.hands)), state.dealer)


def _check_cards(hand: Cards, cards: Cards, number: int, clause: str) -> None:
    if len(cards) != number:
        raise Refused(clause, f"name {number} cards, not {len(cards)}")
    for card in cards:
        _check_held(hand, card)
    if len(set(cards)) < number:
        raise Refused("2.9", "each card is there once")


def _check_held(hand: Cards, card: Card) -> None:
    if card in hand:
        return
    if card not in PACK:
        raise Refused("1.1", "there is no such card: cards are 6 to 10, J, Q, K and A, with the suit S, H, D or C")
    raise Refused("2.9", f"you do not hold {card}")


def _to_opponents(soloist: Seat, cards: Cards, *, shown: bool = True) -> tuple[Hidden[Card], ...]:
    """The soloist's cards for the others, clockwise; each is ``shown`` to its receiver too, or not yet. (4.2, 5.6)"""
    receivers = others(soloist, len(cards) + 1)
    return tuple(
        [Hidden((soloist, seat) if shown else (soloist,), card) for seat, card in zip(receivers, cards, strict=True)]
    )


def _exchange(state: State, seat: Seat, cards: Cards) -> list[Event]:
    opponents = others(seat, len(state.hands))
    asked = tuple([other for other in opponents if len(highest(state.hands[other])) > 1])
    return _when_settled(state, CardsAssigned(seat, _to_opponents(seat, cards, shown=False), asked))


def _return(state: State, seat: Seat, card: Card) -> list[Event]:
    _check_held(state.hands[seat], card)
    if card not in highest(state.hands[seat]):
        raise Refused("5.2", "you return your highest card: one of the two that are equally high")
    return _when_settled(state, ReturnChosen(seat, Hidden((seat,), card), state.assigned[0].giver))


def _when_settled(state: State, event: CardsAssigned | ReturnChosen) -> list[Event]:
    """``event`` and, if nobody has to choose any more, all the cards change hands. (5.3, 5.5)"""
    after = evolve(state, event)
    if after.due:
        return [event]
    soloist = after.assigned[0].giver
    given = tuple(transfer.card for transfer in after.assigned)
    chosen = {transfer.giver: transfer.card for transfer in after.returned}
    returned = tuple(chosen.get(seat, highest(state.hands[seat])[0]) for seat in others(soloist, len(state.hands)))
    return [event, CardsExchanged(soloist, _to_opponents(soloist, given), _to_opponents(soloist, returned))]


def _allowed(state: State, hand: Cards) -> frozenset[Card]:
    """The cards of the pack that whoever holds ``hand`` may play, if it holds them. (6.1, 6.9 to 6.11)"""
    top = state.top
    if top is None:
        return ANY
    led, beating = state.pot[0].card, BEATERS[top.card]
    if state.options.must_beat == "on" and not beating.isdisjoint(hand):
        return beating
    return ANY if GROUPS[led].isdisjoint(hand) else ANSWERS[led][top.card]


def _beating(state: State, cards: Iterable[Card]) -> Cards:
    """Those of ``cards`` that beat the card on top; none before the lead. (6.3)"""
    top = state.top
    return () if top is None else tuple(card for card in cards if card in BEATERS[top.card])


def _play(state: State, seat: Seat, card: Card) -> list[Event]:
    hand = state.hands[seat]
    _check_held(hand, card)
    if card not in _allowed(state, hand):
        if state.options.must_beat == "on" and _beating(state, hand):
            raise Refused("6.11", "you can beat the card on top, and at this table you have to")
        led = state.pot[0].card
        raise Refused("6.9", f"{card} does not beat the card on top: play a card of the group of {led}, or beat it")
    top = state.top
    played = CardPlayed(seat, card, top is None or card in BEATERS[top.card])
    pot = (*state.pot, played)
    if len(pot) < len(state.hands):
        return [played]
    taken = PotTaken(seat if played.beats or top is None else top.seat, tuple([turn.card for turn in pot]))  # 6.12
    if len(hand) > 1:
        return [played, taken]
    return [played, taken, *_end_of_hand(evolve(evolve(state, played), taken))]  # 6.13


def _end_of_hand(state: State) -> list[Event]:
    captured = [pile + state.laid_away if seat == state.soloist else pile for seat, pile in enumerate(state.piles)]
    sevens = state.sevens if state.options.four_sevens == "on" else None
    seats = results(captured, state.soloist, state.eggs, sevens)
    points = tuple(result.jars for result in seats)
    totals = tuple(total + more for total, more in zip(state.totals, points, strict=True))  # 8.1
    scored = HandScored(
        hand=state.hand,
        points=points,
        totals=totals,
        soloist=state.soloist,
        card_points=tuple(result.card_points for result in seats),
        pairs=tuple(result.pairs for result in seats),
        paid=tuple(seat for seat, result in enumerate(seats) if result.row and seat in state.eggs),
        eggs=tuple(seat for seat, result in enumerate(seats) if result.over == 0),  # 7.9
        sevens=sevens if sevens is not None and seats[sevens].over > 0 else None,  # 7.10
    )
    return [scored, MatchWon(ranking(totals)[0], totals)] if max(totals) >= LOST else [scored]  # 8.2
