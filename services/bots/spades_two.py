"""Card sense for two-handed Spades: keep high cards and spades, bid what the hand should win, then make the bid.

What the opponent may hold is reckoned from the cards that this seat has not seen: any of them is as likely as another.
"""

import math
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Final, assert_never

from domain.cards import RANKS, Card, rank_of, suit_of
from domain.spades_two.rules import SPADES, Bid, DoubleNil, Exchange, Keep, Move, Play, Reject
from domain.spades_two.state import HAND, PACK
from domain.spades_two.view import View
from services.bots.choosing import best

RANK: Final = {rank: place for place, rank in enumerate(RANKS)}

TRIED: Final = 24
"""So many hands are dealt to the opponent in thought before a bid."""

SAFE_NIL: Final = 0.8
"""Nil is bid if so large a part of these hands leaves this one without a trick when both play low."""

SAFETY: Final = 0.6
"""What a bid stays below the tricks that the hand wins on average: one trick short costs more than a bag."""

BEHIND: Final = 250
"""So many points behind, double nil is the way back."""

NEARLY_WON: Final = 400
"""... if the opponent has that many."""

SURE: Final = 0.6
"""A lead with this chance to win is one to win with."""


def choose(view: View, moves: Sequence[Move], chance: Random) -> Move:
    assert view.turn is not None, "this seat is due"
    match view.stage:
        case "bidding":
            tricks = _bid(view, chance)
            return best(moves, lambda move: -abs(move.tricks - tricks) if isinstance(move, Bid) else -HAND, chance)
        case "play":
            return _play(view, moves, chance)
        case _:
            return best(moves, partial(_before_bidding, view, low=_low(view)), chance)


def _low(view: View) -> bool:
    """Whether this seat wants low cards: it has bid double nil."""
    return view.turn is not None and view.double_nil[view.turn] is True


def _before_bidding(view: View, move: Move, *, low: bool) -> float:
    match move:
        case DoubleNil(declare):
            return float(declare == _desperate(view))
        case Keep() | Reject():
            assert view.drawn is not None, "the drawn card is shown to its seat"
            unseen = _unseen(view)
            average = sum(map(_promise, unseen)) / len(unseen)
            gain = _promise(view.drawn) - average
            return gain * (-1 if low else 1) * (1 if isinstance(move, Keep) else -1)
        case Exchange(cards):
            average = sum(map(_promise, _unseen(view))) / len(_unseen(view))
            return sum(_promise(card) - average for card in cards)
        case Bid() | Play():
            return 0.0
        case _:
            assert_never(move)


def _desperate(view: View) -> bool:
    own, other = view.totals[view.turn or 0], view.totals[1 - (view.turn or 0)]
    return other >= NEARLY_WON and other - own >= BEHIND


def _promise(card: Card) -> float:
    """About how many tricks a card wins, before anything is known of the rest of the hand."""
    rank = RANK[rank_of(card)]
    if suit_of(card) == SPADES:
        return 0.35 + 0.055 * rank
    height = max(0, rank - 6) / 6
    return 0.8 * height * math.sqrt(height) + 0.01 * rank


# --- the bid ---


def _bid(view: View, chance: Random) -> int:
    """The tricks that the hand wins on average, and a little less; or nil, for a hand that can win none."""
    me = view.turn or 0
    hand, unseen = view.hand or (), _unseen(view)
    low = view.double_nil[1 - me] is True
    others = [_drafted(unseen, chance, low=low) for _ in range(TRIED)]
    if sum(_tricks(hand, other, leads=me == view.second, low=True) == 0 for other in others) >= SAFE_NIL * TRIED:
        return 0
    won = [_tricks(hand, other, leads=me == view.second, low=False) for other in others]
    return max(1, round(sum(won) / TRIED - SAFETY))


def _drafted(unseen: Sequence[Card], chance: Random, *, low: bool) -> list[Card]:
    """A hand as a draft makes it: of two cards the first if that is better than most, and otherwise the second."""
    shuffled = chance.sample(unseen, len(unseen))
    average = sum(map(_promise, unseen)) / len(unseen)
    pairs = zip(shuffled[0::2], shuffled[1::2], strict=False)
    hand = [first if (_promise(first) >= average) != low else second for first, second in pairs]
    return (hand + [card for card in shuffled if card not in hand])[:HAND]


def _tricks(own: Sequence[Card], other: Sequence[Card], *, leads: bool, low: bool) -> int:
    """How many tricks ``own`` wins if both play to win, or both to lose (``low``)."""
    hands, leader, won, broken = [list(own), list(other)], 0 if leads else 1, 0, False
    while hands[0]:
        plain = [card for card in hands[leader] if broken or suit_of(card) != SPADES] or hands[leader]
        led = min(plain, key=_power) if low else max(plain, key=_in_side_suits)
        answering = hands[1 - leader]
        allowed = [card for card in answering if suit_of(card) == suit_of(led)] or answering
        topping = [card for card in allowed if _tops(card, led)]
        losing = [card for card in allowed if not _tops(card, led)]
        answer = max(losing or topping, key=_power) if low else min(topping or losing, key=_power)
        broken = broken or SPADES in (suit_of(led), suit_of(answer))
        hands[leader].remove(led)
        answering.remove(answer)
        leader = 1 - leader if answer in topping else leader
        won += leader == 0
    return won


def _in_side_suits(card: Card) -> tuple[int, bool]:
    return RANK[rank_of(card)], suit_of(card) != SPADES


def _tops(card: Card, led: Card) -> bool:
    if suit_of(card) == suit_of(led):
        return RANK[rank_of(card)] > RANK[rank_of(led)]
    return suit_of(card) == SPADES


def _power(card: Card) -> int:
    """The order in which cards are spared: any spade after any other card."""
    return RANK[rank_of(card)] + len(RANKS) * (suit_of(card) == SPADES)


# --- the tricks ---


def _play(view: View, moves: Sequence[Move], chance: Random) -> Move:
    wins = _wants_trick(view)
    weigh = _lead if not view.trick else _answer
    unseen = _may_be_held(view)

    def worth(move: Move) -> float:
        return weigh(view, unseen, move.card, wins=wins) if isinstance(move, Play) else 0.0

    return best(moves, worth, chance)


def _wants_trick(view: View) -> bool:
    """Whether this seat is better off with the trick than without it."""
    me = view.turn or 0
    left = view.hand_sizes[me]
    need, rival = _missing(view, me), _missing(view, 1 - me)
    spoiling = rival > 0 and _winners(view) > left - rival
    if 0 < need <= left:
        return True
    return spoiling


def _missing(view: View, seat: int) -> int:
    """How many tricks ``seat`` still has to win for its bid; 0 or less once it has them."""
    bid = view.bids[seat]
    return (bid if isinstance(bid, int) else 0) - view.tricks[seat]


def _winners(view: View) -> int:
    """How many cards of this hand nothing can beat that the opponent may hold."""
    unseen = _may_be_held(view)
    return sum(_stands(view, unseen, card) > 0.9 for card in view.hand or ())


def _lead(view: View, unseen: Sequence[Card], card: Card, *, wins: bool) -> float:
    stands = _stands(view, unseen, card)
    if not wins:
        return -stands - 0.01 * _power(card)
    if stands >= SURE:
        return 1 + stands - 0.001 * _power(card)
    length = sum(suit_of(other) == suit_of(card) for other in view.hand or ())
    return -0.05 * _power(card) - 0.02 * length


def _answer(view: View, unseen: Sequence[Card], card: Card, *, wins: bool) -> float:
    tops = _tops(card, view.trick[0])
    if wins:
        return tops - 0.01 * _power(card)
    if tops:
        return -1 + 0.01 * _power(card)
    return _stands(view, unseen, card) + 0.01 * _power(card)


def _stands(view: View, unseen: Sequence[Card], card: Card) -> float:
    """The chance that the opponent cannot beat ``card`` if it is led."""
    cards = min(view.hand_sizes[1 - (view.turn or 0)], len(unseen))
    suit = suit_of(card)
    of_suit = [other for other in unseen if suit_of(other) == suit]
    higher = sum(_tops(other, card) for other in of_suit)
    none_higher = _none_of(higher, len(unseen), cards)
    if suit == SPADES:
        return none_higher
    spades = sum(suit_of(other) == SPADES for other in unseen)
    void = _none_of(len(of_suit), len(unseen), cards)
    return max(0.0, none_higher - void * (1 - _none_of(spades, len(unseen) - len(of_suit), cards)))


def _none_of(marked: int, pool: int, drawn: int) -> float:
    """The chance that none of ``marked`` cards is among ``drawn`` of ``pool``."""
    return math.comb(pool - marked, drawn) / math.comb(pool, drawn) if drawn <= pool else 0.0


def _unseen(view: View) -> list[Card]:
    """The cards that this seat has never seen in this hand of cards."""
    seen = {*(view.hand or ()), *view.trick}
    for cards in (*view.rejected, *view.skipped, *view.thrown, *(trick.cards for trick in view.played)):
        seen.update(cards or ())
    if view.drawn is not None:
        seen.add(view.drawn)
    return [card for card in PACK if card not in seen]


def _may_be_held(view: View) -> list[Card]:
    """The unseen cards that the opponent may hold: none of a suit that it could not follow."""
    me = view.turn
    void = {
        suit_of(trick.cards[0])
        for trick in view.played
        if trick.leader == me and suit_of(trick.cards[0]) != suit_of(trick.cards[1])
    }
    return [card for card in _unseen(view) if suit_of(card) not in void]
