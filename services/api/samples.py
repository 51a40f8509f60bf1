"""What the document shows as examples: moves that each game itself lists as legal, and a refusal of its own.

Every game is played from its opening with its default options; where chance is due, its lists stay in the order in
which the game names them. So the examples are true and are the same each time.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from domain.game import DEALER, AnyGame, Drawn, Refused
from domain.games import GAMES

_STEPS: Final = 200
_HINTS: Final = 2


class Refusal(msgspec.Struct, frozen=True):
    """``clause`` of ``game``'s rule book says no; ``legal`` are moves that the seat could make instead."""

    game: str
    clause: str
    legal: tuple[Any, ...]


class Sample(msgspec.Struct, frozen=True):
    """``moves`` has a legal move of each kind that came up, by the name of the kind, as JSON values."""

    moves: Mapping[str, Any]
    refusal: Refusal


@cache
def sample(game: str) -> Sample:
    """The examples of one game."""
    return _played(GAMES[game])


def moves() -> dict[str, Any]:
    """A move of every kind of every game, by game and kind: ``whos-the-ass: play``."""
    return {f"{game}: {kind}": move for game in GAMES for kind, move in sample(game).moves.items()}


def openings() -> dict[str, Any]:
    """Requests to open a match of each game: the shortest one, and one that says everything."""
    found: dict[str, Any] = {}
    for name, game in GAMES.items():
        options = msgspec.to_builtins(game.options())
        found[name] = {"game": name, "seats": game.seats[0]}
        found[f"{name}: everything"] = {
            "game": name,
            "seats": game.seats[-1],
            "options": options,
            "clock": {"turn_seconds": 60},
            "spectators": "open",
        }
    return found


def _played(game: AnyGame) -> Sample:
    table = game.initial(game.options(), game.seats[0])
    found: dict[str, Any] = {}
    refusal: Refusal | None = None
    for _ in range(_STEPS):
        due = game.to_act(table)
        if not due or (refusal is not None and len(found) == len(game.moves)):
            break
        seat = min(due)
        if seat == DEALER:
            table = _after(game, table, seat, Drawn(game.chance(table)))
            continue
        legal = sorted(game.legal(table, seat), key=_telling)
        for move in legal:
            found.setdefault(_kind(move), msgspec.to_builtins(move))
        refusal = refusal or _refusal(game, table, seat, legal)
        table = _after(game, table, seat, legal[0])
    assert refusal is not None, "a game that allows everything has no rules"
    return Sample(dict(sorted(found.items())), refusal)


def _after(game: AnyGame, table: Any, seat: int, move: Any) -> Any:
    for event in game.decide(table, seat, move):
        table = game.evolve(table, event)
    return table


def _refusal(game: AnyGame, table: Any, seat: int, legal: list[Any]) -> Refusal | None:
    for move in game.attempts(table, seat):
        try:
            game.decide(table, seat, move)
        except Refused as refused:
            return Refusal(game.id, refused.clause, tuple(map(msgspec.to_builtins, legal[:_HINTS])))
    return None


def _kind(move: Any) -> str:
    return str(move.__struct_config__.tag)


def _telling(move: Any) -> tuple[int, bytes]:
    """The order of moves as examples: the one that says most comes first."""
    text = msgspec.json.encode(move)
    return -len(text), text
