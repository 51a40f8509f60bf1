"""Card sense for Who's the Ass?: big groups early, low singles kept for ass rounds, jokers late but not too late.

A hand is weighed by what it would cost if the game ended now, and by how many turns it takes to play it out. A move is
worth what it takes off that weight, and the chance to start the next round.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from math import comb, exp
from random import Random
from typing import Final

from domain.cards import Card, without
from domain.whos_the_ass.rules import Move, Pass, Play
from domain.whos_the_ass.score import minus_points
from domain.whos_the_ass.state import ASS, HIGHEST, JOKER, VALUES
from domain.whos_the_ass.view import View
from services.bots.choosing import best

OUT: Final = 1000.0
"""An empty hand: the game is over, and this seat has no minus points."""

TURN: Final = 4.0
"""A group less to be played."""

JOKER_TURN: Final = 1.0
"""A joker is soon rid of: it joins any group, and alone it cannot be beaten."""

LEAD: Final = 7.0
"""To start the next round."""

RIVAL_LOADED: Final = 4.0
"""Somebody else takes the cards of an ass round."""

WILLING: Final = 0.8
"""How often a player who can raise does."""


def choose(view: View, moves: Sequence[Move], chance: Random) -> Move:
    weigh = _in_ass_round if view.ass_round else _in_normal_round
    return best(moves, partial(weigh, view, _weight(view, view.hand or ())), chance)


def _weight(view: View, hand: tuple[Card, ...]) -> float:
    """What it costs to hold ``hand``: the more the closer somebody is to the end."""
    nearest = min(size for seat, size in enumerate(view.hand_sizes) if seat != view.turn)
    of_points = 0.25 + 0.75 / max(1, nearest)
    groups = len(set(hand) - {JOKER})
    return of_points * minus_points(hand) + TURN * groups + JOKER_TURN * hand.count(JOKER) if hand else -OUT


def _in_normal_round(view: View, before: float, move: Move) -> float:
    if isinstance(move, Pass):
        return 0.0
    hand = view.hand or ()
    gain = before - _weight(view, without(hand, move.cards))
    if move.cards == (ASS,):
        return gain + RIVAL_LOADED
    size, value = len(move.cards), VALUES[move.cards[0]]
    return gain + LEAD * _unbeaten(_sizes_to_come(view), size, value)


def _in_ass_round(view: View, before: float, move: Move) -> float:
    assert isinstance(move, Play), "nobody passes in an ass round"
    hand = view.hand or ()
    value = move.declared if move.declared is not None else VALUES[move.cards[0]]
    taken = _taken(value, max(turn.value for turn in view.turns), len(_sizes_to_come(view)))
    gain = before - _weight(view, without(hand, move.cards))
    on_table = tuple(card for turn in view.turns for card in turn.cards)
    return (1 - taken) * gain - taken * (_weight(view, (*hand, *on_table)) - before)


def _sizes_to_come(view: View) -> tuple[int, ...]:
    """How many cards each of those holds who are due after this seat in the round."""
    assert view.turn is not None, "this seat is due"
    seats = len(view.hand_sizes)
    after = seats - len(view.turns) - 1
    return tuple(view.hand_sizes[(view.turn + step) % seats] for step in range(1, after + 1))


def _unbeaten(others: tuple[int, ...], size: int, value: int) -> float:
    """The chance that none of ``others`` raises ``size`` cards of ``value``."""
    chance = 1.0
    for cards in others:
        chance *= 1 - WILLING * _can_raise(cards, size, value)
    return chance


@lru_cache(maxsize=4096)
def _can_raise(cards: int, size: int, value: int) -> float:
    """The chance that a hand of so many ``cards``, of which nothing is known, can raise.

    Groups of one number are counted as if every card were drawn by itself, and one joker may help.
    """
    if value == HIGHEST or cards < size:
        return 0.0
    of_number, of_joker = 8 / 110, 5 / 110
    jokers = 1 - (1 - of_joker) ** cards
    whole, short = _at_least(cards, size, of_number), _at_least(cards, size - 1, of_number)
    each = whole + jokers * (short - whole) if size > 1 else whole
    singly = jokers if size == 1 else 0.0
    return 1 - (1 - singly) * exp(-(13 - value) * each)


def _at_least(cards: int, wanted: int, share: float) -> float:
    fewer = sum(comb(cards, count) * share**count * (1 - share) ** (cards - count) for count in range(wanted))
    return 1 - fewer


def _taken(value: int, highest: int, after: int) -> float:
    """The chance that a card of ``value`` takes an ass round in which ``after`` more play, who try to stay low."""
    if value < highest or (after and value == 1):
        return 0.0
    return float(((value - 1) / 13) ** (0.6 * after)) if after else 1.0
