"""Who is there: the players whose streams are open in this process."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Presence:
    """Whose streams are open in this process: how many for each player of each match; None is a spectator."""

    _open: dict[tuple[str, str | None], int] = field(default_factory=dict)

    def come(self, match: str, player: str | None) -> None:
        self._open[match, player] = self._open.get((match, player), 0) + 1

    def go(self, match: str, player: str | None) -> None:
        left = self._open[match, player] - 1
        if left:
            self._open[match, player] = left
        else:
            del self._open[match, player]

    def has(self, match: str, player: str) -> bool:
        return (match, player) in self._open
