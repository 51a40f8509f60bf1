"""How well bots can play each game."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from services.bots import osel_fours, osel_solo, osel_trumps, spades_two, whos_the_ass
from services.bots.choosing import Choose, at_random

RANDOM: Final = "random"
HEURISTIC: Final = "heuristic"

HEURISTICS: Final[Mapping[str, Choose]] = MappingProxyType(
    {
        "whos-the-ass": whos_the_ass.choose,
        "spades-two": spades_two.choose,
        "osel-fours": osel_fours.choose,
        "osel-trumps": osel_trumps.choose,
        "osel-two-against-one": osel_solo.choose,
        "osel-three-against-one": osel_solo.choose,
    }
)
"""Card sense, by the id of the game."""


def levels_of(game: str) -> tuple[str, ...]:
    """The levels at which bots play the game with this id, the plainest first."""
    return (RANDOM, HEURISTIC) if game in HEURISTICS else (RANDOM,)


def chooser(game: str, level: str) -> Choose:
    """How a bot of ``level`` chooses in ``game``. Raises ``KeyError`` for a level that the game does not have."""
    return at_random if level == RANDOM else {HEURISTIC: HEURISTICS[game]}[level]
