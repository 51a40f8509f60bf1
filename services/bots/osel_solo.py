"""Card sense for Osel, one against the rest: solo with a strong hand, points to where they are captured.

A card is weighed by the points that it is likely to capture, or to bring to the own side, less what it would have been
good for later. What others may hold is reckoned from the cards that this seat has not seen.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import comb, prod
from random import Random
from types import MappingProxyType
from typing import Final, assert_never

from domain.cards import Card, rank_of
from domain.game import Seat
from domain.osel import PACK, POINTS
from domain.osel_solo.rules import ChooseVariant, Exchange, Give, LayAway, Move, Pass, Play, Return, Solo
from domain.osel_solo.score import BEATERS
from domain.osel_solo.state import others
from domain.osel_solo.view import View
from services.bots.choosing import best

SOLO: Final[Mapping[int, float]] = MappingProxyType({3: 66.0, 4: 56.0})
"""The promise of a hand that plays alone, by the number of players. In about one deal of ten somebody has it.

With so much, half of the soloists get more than par by variant 2, where the points are laid away. By variant 1 hardly
any hand does; which of them was agreed on is not in the view.
"""

STRONG: Final = 13.0
"""What a card is worth in the hand that nothing can beat, in points, besides its own."""

HELD: Final = 0.5
"""How much of its own points a card in the hand is worth: how often they are captured in the end."""

WILLING: Final = 0.9
"""How often a player who can beat does."""

ADDED: Final = 2.0
"""The points that each player who is still to come adds to the pot."""


def choose(view: View, moves: Sequence[Move], chance: Random) -> Move:
    return best(moves, partial(_worth, view, _kept(view)), chance)


def _worth(view: View, kept: Mapping[Card, float], move: Move) -> float:
    match move:
        case Solo():
            return _promise(view.hand or ()) - SOLO[len(view.hand_sizes)]
        case Pass():
            return 0.0
        case ChooseVariant(variant):
            return float(variant == 2)  # the points that are laid away are safe
        case Give(cards) | Exchange(cards):
            return -sum(kept[card] + 0.2 * POINTS[rank_of(card)] for card in cards)
        case LayAway(cards):
            return sum(POINTS[rank_of(card)] - kept[card] for card in cards)
        case Return(card):
            return -kept[card]
        case Play(card):
            return _played(view, card) - kept[card]
        case _:
            assert_never(move)


def _promise(hand: Sequence[Card]) -> float:
    """What ``hand`` would be good for alone: its points, and a little for each pot that it can take."""
    pots = sum((1 - len(BEATERS[card]) / len(PACK)) ** 3 for card in hand)
    return sum(POINTS[rank_of(card)] for card in hand) + 3 * pots


def _kept(view: View) -> dict[Card, float]:
    """What each card of the hand would be worth later: its points, and the pots that it could take."""
    unseen = _unseen(view)
    share = 1 / max(1, len(unseen))
    return {
        card: HELD * POINTS[rank_of(card)] + STRONG * share * sum(card in BEATERS[other] for other in unseen)
        for card in view.hand or ()
    }


def _played(view: View, card: Card) -> float:
    """The points that ``card`` and the pot bring to the own side on average."""
    pot = sum(POINTS[rank_of(turn.card)] for turn in view.pot) + POINTS[rank_of(card)]
    on_top = view.to_beat is None or card in BEATERS[view.to_beat]
    top = card if on_top else view.to_beat
    me = view.due[0]
    taker = me if on_top else view.taker
    assert top is not None, "a card is on top after every play"
    side = _side(view, me)
    to_come = _to_come(view, me)
    if taker in side:
        stays = prod(1 - WILLING * _can_beat(view, seat, top) for seat in to_come if seat not in side)
        return stays * (pot + ADDED * len(to_come))
    own = [seat for seat in to_come if seat in side]
    return (1 - prod(1 - WILLING * _can_beat(view, seat, top) for seat in own)) * pot


def _can_beat(view: View, seat: Seat, top: Card) -> float:
    """The chance that ``seat`` holds a card that beats ``top``."""
    unseen = _unseen(view)
    beaters = sum(card in BEATERS[top] for card in unseen)
    held = min(view.hand_sizes[seat], len(unseen))
    return 1 - comb(len(unseen) - beaters, held) / comb(len(unseen), held)


def _to_come(view: View, me: Seat) -> tuple[Seat, ...]:
    """Who is due after this seat in this pot."""
    return others(me, len(view.hand_sizes))[: len(view.hand_sizes) - 1 - len(view.pot)]


def _side(view: View, me: Seat) -> tuple[Seat, ...]:
    """The seats whose captured cards count together with those of this one."""
    if view.soloist is None or view.soloist == me:
        return (me,)
    return tuple(seat for seat in range(len(view.hand_sizes)) if seat != view.soloist)


def _unseen(view: View) -> list[Card]:
    """The cards that this seat does not see. Captured cards are face down, and not remembered."""
    seen = {*(view.hand or ()), *(view.laid_away or ()), *(turn.card for turn in view.pot)}
    return [card for card in PACK if card not in seen]
