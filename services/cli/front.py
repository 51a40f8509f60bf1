"""Who is told how far a start has come, and of what: known before what serves is loaded."""

from typing import Protocol

import msgspec


class Shown(msgspec.Struct, frozen=True):
    """What the demo has to look at: a match at a table of bots, and one that is over."""

    playing: str
    finished: str


class Front(Protocol):
    """Who is told how far a start has come."""

    def answers(self) -> None:
        """Requests are answered."""

    def shows(self, shown: Shown | None) -> None:
        """All is there, the demo too if there is one and it is laid out."""
