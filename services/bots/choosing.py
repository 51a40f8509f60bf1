"""What a way of choosing is, and what all of them share."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias, TypeVar

Move = TypeVar("Move")

Choose: TypeAlias = Callable[[Any, Sequence[Any], Random], Any]
"""``choose(view, moves, chance)``: one of ``moves``, which are all that the seat may do now and are never empty.

``view`` is the game's view of the seat. The same view, moves and state of ``chance`` give the same choice.
"""


def best(moves: Sequence[Move], worth: Callable[[Move], float], chance: Random) -> Move:
    """The move of the highest ``worth``; of several, any."""
    worths = [worth(move) for move in moves]
    highest = max(worths)
    return chance.choice([move for move, own in zip(moves, worths, strict=True) if own == highest])


def at_random(_: Any, moves: Sequence[Any], chance: Random) -> Any:
    """Any of the moves: the level ``random``."""
    return chance.choice(moves)
