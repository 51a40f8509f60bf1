"""Whether shuffles look like chance: chi-square tests of every list that the first draws of a game put in order.

Of each list the places of all cards are counted over many decks, and what lay on top alone. The places of one deck are
not independent of each other: the statistic is (n - 1) / n of Pearson's, with (n - 1)(k - 1) degrees of freedom for k
kinds of card at n places. It has then the mean of its distribution, for packs with equal cards too.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

import msgspec

from domain import fairness
from domain.game import DEALER, AnyGame, Drawn
from domain.games import GAMES

DECKS: Final = range(1000, 1_000_001)
"""How many decks can be tested at once."""
DRAWS: Final = 2
"""Draws that can come before any move: lots, the deal, and another deal where the first one does not count."""
LEAST: Final = 5
"""How often every card must be expected at a place for the statistic to be chi-square."""

_TINY: Final = 1e-300
_EXACT: Final = 1e-14


class ShuffleTest(msgspec.Struct, frozen=True):
    """One list of a draw: ``items`` in the order that the game names them, shuffled ``decks`` times in this test.

    ``top`` says that only the first place was counted. ``p`` is the chance that fair shuffles give a statistic so large
    or larger, with ``freedom`` degrees of freedom.
    """

    game: str
    draw: int
    list: int
    items: tuple[str, ...]
    top: bool
    decks: int
    statistic: float
    freedom: int
    p: float


def shuffle_tests(seed: str, decks: int, games: Sequence[str] = ()) -> Iterator[ShuffleTest]:
    """Tests of ``games``, or of all, by the derivation that matches use. The same ``seed`` gives the same figures.

    Raises ``KeyError`` for a game that there is not and ``ValueError`` for a number of decks outside of ``DECKS``.
    """
    if decks not in DECKS:
        raise ValueError(f"from {DECKS[0]} to {DECKS[-1]} decks can be tested, not {decks}")
    for game in [GAMES[name] for name in games or GAMES]:
        yield from _of_game(game, seed, decks)


def _of_game(game: AnyGame, seed: str, decks: int) -> Iterator[ShuffleTest]:
    items: dict[tuple[int, int], tuple[str, ...]] = {}
    counts: dict[tuple[int, int], Counter[tuple[int, str]]] = {}
    for deck in range(decks):
        for draw, named, drawn in _draws(game, f"{seed}/{game.id}/{deck}"):
            for number, (names, order) in enumerate(zip(named, drawn, strict=True), 1):
                items.setdefault((draw, number), names)
                counts.setdefault((draw, number), Counter()).update(enumerate(order))
    for (draw, number), names in items.items():
        often = counts[draw, number].total() // len(names)
        if often * min(Counter(names).values()) < LEAST * len(names):
            continue
        for top in (False, True):
            places = 1 if top else len(names)
            statistic, freedom = _chi_square(names, counts[draw, number], often, places)
            p = upper_tail(statistic, freedom)
            yield ShuffleTest(game.id, draw, number, names, top, often, round(statistic, 3), freedom, p)


def _draws(game: AnyGame, seed: str) -> Iterator[tuple[int, tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]]:
    """The first draws of a match: their number, the lists as they are named, and as they are drawn."""
    seats = game.seats[-1]
    state = game.initial(game.options(), seats)
    own = [hashlib.sha256(f"{seed}/seat/{seat}".encode()).digest() for seat in range(seats)]
    salt, secret = (hashlib.sha256(f"{seed}/{word}".encode()).digest() for word in ("salt", "secret"))
    key = fairness.hand_key(salt, secret, own)
    for draw in range(1, DRAWS + 1):
        if DEALER not in game.to_act(state):
            return
        named = game.chance(state)
        drawn = fairness.draw(key, 1, draw, named)
        yield draw, named, drawn
        for event in game.decide(state, DEALER, Drawn(drawn)):
            state = game.evolve(state, event)


def _chi_square(items: Sequence[str], counts: Counter[tuple[int, str]], decks: int, places: int) -> tuple[float, int]:
    """Statistic and degrees of freedom of the first ``places`` places: all of them, or one."""
    total, kinds = len(items), Counter(items)
    pearson = sum(
        (counts[place, kind] - expected) ** 2 / expected
        for kind, often in kinds.items()
        for expected in [decks * often / total]
        for place in range(places)
    )
    if places == 1:
        return pearson, len(kinds) - 1
    return pearson * (total - 1) / total, (total - 1) * (len(kinds) - 1)


def upper_tail(statistic: float, freedom: int) -> float:
    """The chance of a chi-square variable of ``freedom`` degrees to be as large as ``statistic`` or larger.

    That is the upper regularized gamma function Q(freedom / 2, statistic / 2): below its mean by the series of P, above
    by Legendre's continued fraction (DLMF 8.7.1 and 8.9.2, evaluated as Lentz does), to about 13 digits.
    """
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for n in count(1):
            term *= x / (a + n)
            total += term
            if term < total * _EXACT:
                return max(0.0, 1 - scale * total)
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    fraction = d
    for n in count(1):
        factor = n * (a - n)
        b += 2
        d = 1 / (factor * d + b or _TINY)
        c = b + factor / c or _TINY
        fraction *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return min(1.0, scale * fraction)
