"""Card sense for Osel, fours: keep the ranks that are nearest to a four, and give from the least useful.

Players who all give their scarcest rank can lock each other for ever: each waits for what another keeps. So now and
then a bot parts with something else.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from domain.cards import RANKS, SUITS, rank_of
from domain.osel_fours.rules import Move
from domain.osel_fours.view import View
from services.bots.choosing import best

WAVER: Final = 0.1
"""How often a rank that is being collected is given up for another."""

STUBBORN: Final = 0.93
"""With two players: how often the last card of a rank is kept back. Always would lock them for ever."""


def choose(view: View, moves: Sequence[Move], chance: Random) -> Move:
    hand = view.hand or ()
    shown = () if view.card is None or view.card in hand else (view.card,)
    counts = Counter(map(rank_of, (*hand, *shown)))
    wanted = _collected(view, counts, chance)
    stubborn = _only_two(view) and chance.random() < STUBBORN

    def worth(move: Move) -> int:
        rank = rank_of(move.card)
        completes = stubborn and counts[rank] == 1
        return -counts[rank] - len(SUITS) * ((rank in wanted) + completes)

    return best(moves, worth, chance)


def _only_two(view: View) -> bool:
    """With two players the other one has what this one has not: the last card of a rank would complete a four."""
    return len(view.hand_sizes) == 2


def _collected(view: View, counts: Counter[str], chance: Random) -> frozenset[str]:
    """The ranks to be kept: as many as the target, those with the most cards, with a little doubt about each.

    Of equals any, so that not all collect the same ones; but with two players the highest, which decide a tie.
    """
    doubt = {rank: chance.random() < WAVER and counts[rank] < len(SUITS) for rank in RANKS}
    taste = {rank: -RANKS.index(rank) if _only_two(view) else chance.random() for rank in RANKS}
    order = sorted(counts, key=lambda rank: (doubt[rank], -counts[rank], taste[rank]))
    return frozenset(order[: view.target])
