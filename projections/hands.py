"""Where a hand begins: at the first event in which its cards are dealt."""

from typing import Final

import msgspec

from domain.games import GAMES

DRAWS: Final[frozenset[type[msgspec.Struct]]] = frozenset().union(*(game.draws for game in GAMES.values()))
"""The types of event that use up a draw. The first of them after the start, or after a hand, begins a hand."""
