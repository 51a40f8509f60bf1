"""The rules of Osel, fours: what each seat may do, and what follows when it does.

Numbers in comments are clauses of RULES.md; each has a test of the same number.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias, cast

from domain.cards import Card, rank_of
from domain.game import DEALER, Drawn, GameMove, Outcome, OutOfTurn, Refused, Seat, is_drawn_from
from domain.hidden import Hidden
from domain.osel_fours.score import added, best, ranking
from domain.osel_fours.state import (
    FOUR,
    PACK,
    CardChosen,
    CardGiven,
    CardsDealt,
    CardsSwapped,
    Ending,
    Event,
    HandScored,
    MatchWon,
    Options,
    State,
    cards_each,
    evolve,
    fours_in,
    in_order,
    most_fours,
)

CARDS: Final = frozenset(PACK)


class Swap(GameMove, frozen=True, tag="swap"):
    """Put a card of your hand into the swap: give it, give it in answer, or (sealed) choose it."""

    card: Card


Move: TypeAlias = Swap

_SWAPS: Final = {card: Swap(card) for card in PACK}


def check(options: Options, seats: int) -> None:
    """Raises ``Refused`` (3.2) for a target that no hand of so many seats can hold."""
    most = most_fours(seats)
    if options.target != "usual" and options.target > most:
        raise Refused(
            "3.2",
            f"options.target: with {seats} players a hand has {cards_each(seats)} cards, so the target is from 1 to "
            f"{most}, not {options.target}",
        )


def to_act(state: State) -> frozenset[Seat]:
    return state.due


def chance(state: State) -> tuple[tuple[str, ...], ...]:
    """The lot for the first dealer (once), and the 52 cards. (2.1, 2.3, 2.6)"""
    if DEALER not in state.due:
        return ()
    if state.dealer is None:
        return (tuple(str(seat) for seat in range(len(state.hands))), PACK)
    return (PACK,)


def legal(state: State, seat: Seat) -> list[Move]:
    """Every move that ``decide`` accepts from ``seat`` now: any card of its hand."""
    if seat == DEALER or seat not in state.due:
        return []
    return [_SWAPS[card] for card in state.hands[seat]]


def attempts(state: State, seat: Seat) -> list[Move]:
    """A swap of each card that ``seat`` holds, and of the one that it was given and owes an answer to."""
    if seat == DEALER:
        return []
    shown = state.choice is not None and state.options.return_mode == "seen" and seat == state.partner
    received = (state.choice.card,) if state.choice and shown else ()
    return [Swap(card) for card in (*state.hands[seat], *received)]


def fallback(state: State, seat: Seat) -> Move:
    """What is played for an absent seat. (8.2)"""
    ranks = [rank_of(card) for card in state.hands[seat]]
    return min(
        legal(state, seat), key=lambda swap: ranks.count(rank_of(swap.card))
    )  # of equals the lowest: it is first


def outcome(state: State) -> Outcome | None:
    return Outcome(ranking(state.totals)) if state.winners else None


def decide(state: State, seat: Seat, command: Move | Drawn) -> list[Event]:
    if isinstance(command, Drawn) != (seat == DEALER):
        raise Refused("2.6", "the dealer deals and does nothing else, and nobody else deals")
    if state.winners:
        raise OutOfTurn("7.2", "the match is over")
    if isinstance(command, Drawn):
        return _deal(state, command)
    if not state.playing:
        raise OutOfTurn("2.6", "the next hand has not been dealt yet")
    return _swap(state, seat, command.card)


def _deal(state: State, drawn: Drawn) -> list[Event]:
    if state.playing:
        raise OutOfTurn("2.6", "cards are dealt before a hand, not during it")
    if not is_drawn_from(drawn, chance(state)):
        raise Refused("2.6", "what was drawn is not an order of the seats and the cards that were named")
    *lots, cards = drawn.lists
    dealer = int(lots[0][0]) if state.dealer is None else (state.dealer + 1) % len(state.hands)  # 2.1, 2.2
    return _with_consequences(state, _dealt(state, dealer, cast("tuple[Card, ...]", cards)))


def _dealt(state: State, dealer: Seat, cards: Sequence[Card]) -> CardsDealt:
    seats = len(state.hands)
    in_play = seats * cards_each(seats)  # 2.4
    return CardsDealt(
        hand=state.hand + 1,
        dealer=dealer,
        active=(dealer + 1) % seats,  # 4.1
        hands=tuple(
            Hidden((seat,), in_order(cards[(seat - dealer - 1) % seats : in_play : seats]))  # 2.3
            for seat in range(seats)
        ),
        aside=Hidden((), in_order(cards[in_play:])),  # 2.5
    )


def _swap(state: State, seat: Seat, card: Card) -> list[Event]:
    _check_turn(state, seat)
    _check_card(state, seat, card)
    active, partner, choice = state.active, state.partner, state.choice
    if choice is not None:
        given, returned = (card, choice.card) if seat == active else (choice.card, card)
        to = (active, partner)  # 5.3
        swapped = CardsSwapped(state.circuit, active, partner, Hidden(to, given), Hidden(to, returned))
        return [swapped] if _ends_nothing(state, given, returned) else _with_consequences(state, swapped)
    if state.options.return_mode == "seen":
        return [CardGiven(active, partner, Hidden((active, partner), card))]
    return [CardChosen(seat, Hidden((seat,), card))]


def _check_turn(state: State, seat: Seat) -> None:
    if seat in state.due:
        return
    if state.choice is not None and seat == state.choice.seat:
        raise OutOfTurn("4.6", "you have put your card into this swap: now the other of the two is due")
    due = " and ".join(str(seat) for seat in sorted(state.due))
    raise OutOfTurn("4.2", f"it is the turn of seat {due}")


def _check_card(state: State, seat: Seat, card: Card) -> None:
    if card not in CARDS:
        raise Refused("1.1", "there is no such card: a card is a rank, 2 to 10 or J Q K A, and a suit, S H D or C")
    if card in state.hands[seat]:
        return
    if state.choice is not None and card == state.choice.card and state.options.return_mode == "seen":
        raise Refused("4.5", f"{card} is the card that you have just been given: answer with one of your own hand")
    raise Refused("4.7", f"you do not hold {card}")


def _ends_nothing(state: State, given: Card, returned: Card) -> bool:
    """Whether the swap makes no four and is not the last of the last circuit: so it is with nearly all of them."""
    if state.swaps + 1 == state.options.max_circuits * len(state.hands):
        return False
    owned, partners = state.hands[state.active], state.hands[state.partner]
    return len(FOUR[returned].intersection(owned)) < 3 and len(FOUR[given].intersection(partners)) < 3


def _with_consequences(state: State, event: CardsDealt | CardsSwapped) -> list[Event]:
    """The deal or the swap and, when it brings the hand to its end, what follows from that."""
    after = evolve(state, event)
    return [event] if after.ending is None else [event, *_end_of_hand(after, after.ending)]


def _end_of_hand(state: State, by: Ending) -> list[Event]:
    held = [fours_in(hand) for hand in state.hands]
    winner = best(held)  # 6.4, 6.6
    points = tuple(int(seat == winner) for seat in range(len(held)))
    totals = added(state.totals, points)
    fours = () if winner is None else held[winner]
    scored = HandScored(state.hand, points, totals, by, winner, fours)
    if max(totals) < state.options.wins_needed and state.hand < state.options.max_hands:
        return [scored]
    return [scored, MatchWon(ranking(totals)[0], totals)]  # 7.2, 7.3
