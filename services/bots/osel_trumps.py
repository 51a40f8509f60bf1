"""Card sense for Osel, trumps: points go where they will be captured, and strong cards are not wasted on poor pots.

A move is weighed by the points that it is likely to capture, less what the cards would have been good for later. What
others may hold is reckoned from the cards that this seat has not seen. The view does not say by which of the options
``beat_rank`` and ``equal_rank`` cards beat; the bot reckons with the usual ones.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import comb, prod
from random import Random
from typing import Final, assert_never

from domain.cards import Card, rank_of
from domain.game import Seat
from domain.osel import PACK, POINTS, SENIOR_AND_JUNIOR, Beating, beaters
from domain.osel_trumps.rules import ChooseTrump, Claim, Decline, Move, Play
from domain.osel_trumps.score import beats_all
from domain.osel_trumps.state import Cards
from domain.osel_trumps.view import View
from services.bots.choosing import best

STRONG: Final = 7.0
"""What a card is worth in the hand that nothing can beat, in points, besides its own."""

HELD: Final = 0.7
"""How much of its own points a card in the hand is worth: how often they are captured in the end."""

WILLING: Final = 0.8
"""How often a player who can beat does."""

ADDED: Final = 1.5
"""The points that each player who is still to come adds to the pot, for each card."""


def choose(view: View, moves: Sequence[Move], chance: Random) -> Move:
    return best(moves, partial(_worth, view), chance)


def _worth(view: View, move: Move) -> float:
    match move:
        case ChooseTrump():
            return 0.0  # no card has been dealt: one suit is as good as another
        case Claim():
            return _led(view, view.hand or ())
        case Decline():
            return 0.0
        case Play(cards) if not view.pot:
            return _led(view, cards)
        case Play(cards):
            return _replied(view, cards)
        case _:
            assert_never(move)


def _led(view: View, cards: Sequence[Card]) -> float:
    return _expected(view, cards, 0) - _kept(view, cards)


def _replied(view: View, cards: Cards) -> float:
    pot = sum(POINTS[rank_of(card)] for turn in view.pot for card in turn.cards)
    if beats_all(cards, view.to_beat, _beaters(view, view.turn or 0)):
        return _expected(view, cards, pot) - _kept(view, cards)
    points = pot + _points(cards)
    return (points * _partner_keeps(view) if view.taker in _side(view) else 0.0) - _kept(view, cards)


def _expected(view: View, cards: Sequence[Card], pot: int) -> float:
    """The points that ``cards`` capture on average when they are on top."""
    to_come = _to_come(view)
    stays = prod(1 - WILLING * _can_beat(view, seat, cards) for seat in to_come if seat not in _side(view))
    return stays * (pot + _points(cards) + ADDED * len(cards) * len(to_come))


def _kept(view: View, cards: Sequence[Card]) -> float:
    """What ``cards`` would be worth in the hand: their points, and the pots that they could take."""
    unseen = _unseen(view)
    by = _beaters(view, view.turn or 0)
    worth = 0.0
    for card in cards:
        beaten = sum(card in by[other] for other in unseen) / max(1, len(unseen))
        worth += HELD * POINTS[rank_of(card)] + STRONG * beaten
    return worth


def _can_beat(view: View, seat: Seat, cards: Sequence[Card]) -> float:
    """The chance that ``seat`` can beat all of ``cards``, as if each of them were beaten by itself."""
    unseen, by = _unseen(view), _beaters(view, seat)
    held = min(view.hand_sizes[seat], len(unseen))
    chance = 1.0
    for place, card in enumerate(cards):
        left = max(0, len(by[card].intersection(unseen)) - place)
        pool, drawn = len(unseen) - place, held - place
        if drawn <= 0 or pool < drawn:
            return 0.0
        chance *= 1 - comb(pool - left, drawn) / comb(pool, drawn)
    return chance


def _beaters(view: View, seat: Seat) -> Mapping[Card, frozenset[Card]]:
    """For each card those that beat it when ``seat`` lays them, by the trumps that everybody knows."""
    if view.trump_option == 5:
        return beaters(Beating(levels=SENIOR_AND_JUNIOR))
    own = view.own_trumps[seat]
    return beaters(Beating(levels=dict.fromkeys(view.trumps if own is None else own, 1)))


def _to_come(view: View) -> tuple[Seat, ...]:
    """Who is due after this seat in this pot."""
    me = view.turn or 0
    seats = len(view.hand_sizes)
    done = {turn.seat for turn in view.pot} | {me, *view.left}
    order = ((me + step) % seats for step in range(1, seats))
    return tuple(seat for seat in order if seat not in done)


def _side(view: View) -> tuple[Seat, ...]:
    me = view.turn or 0
    return next((pair for pair in view.partners if me in pair), (me,))


def _partner_keeps(view: View) -> float:
    return prod(1 - WILLING * _can_beat(view, seat, view.to_beat) for seat in _to_come(view))


def _points(cards: Sequence[Card]) -> int:
    return sum(POINTS[rank_of(card)] for card in cards)


def _unseen(view: View) -> list[Card]:
    """The cards that are not in this hand and not in the pot. Captured cards are face down, and not remembered."""
    seen = {*(view.hand or ()), *(card for turn in view.pot for card in turn.cards)}
    return [card for card in PACK if card not in seen]
