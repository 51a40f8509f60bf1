"""The players that are programs. They have player ids like everybody else, the same in every installation."""

from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5


class Bot(NamedTuple):
    player: str
    name: str


_NAMES: Final = (
    "Ada", "Blaise", "Carlo", "Daniel", "Emmy", "Fermat", "Girolamo", "Huygens", "Ilse", "Jakob", "Kolya", "Leonhard",
    "Maria",
)  # fmt: skip

BOTS: Final = tuple(Bot(str(uuid5(NAMESPACE_URL, f"kibitz:bot:{name}")), f"{name} (bot)") for name in _NAMES)
"""One for each seat of the largest table: a player sits on one seat of a match only."""
