"""What the document shows as examples: moves that each game itself lists as legal, and a refusal of its own.

Every game is played from its opening a few times, with its default options and with others; where chance is due, its
lists stay in the order in which the game names them. So the examples are true and are the same each time.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import inspect

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


def batched() -> dict[str, Any]:
    """One of several moves."""
    move = next(iter(sample(next(iter(GAMES))).moves.values()))
    return {"match": "01890a5d-ac96-774b-bcce-b302099a8057", "key": "move-17", "move": move, "expected": 17}


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
    """Plays until every kind of move has come up, or every choice of options has been tried."""
    found: dict[str, Any] = {}
    refusals: list[Refusal] = []
    for options in _choices(game):
        for seats in (game.seats[0], game.seats[-1]):
            if len(found) < len(game.moves) or not refusals:
                _play(game, game.initial(options, seats), found, refusals)
    return Sample(dict(sorted(found.items())), refusals[0])


def _choices(game: AnyGame) -> Iterator[Any]:
    """The default options, then every other value of each option that names its values."""
    yield game.options()
    for field in inspect.type_info(game.options).fields:  # type: ignore[attr-defined]
        kind = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
        for value in kind.values if isinstance(kind, inspect.LiteralType) else ():
            options = msgspec.convert({field.name: value}, game.options)
            with suppress(Refused):
                game.check(options, game.seats[0])
                game.check(options, game.seats[-1])
                yield options


def _play(game: AnyGame, table: Any, found: dict[str, Any], refusals: list[Refusal]) -> None:
    made: Counter[str] = Counter()
    for _ in range(_STEPS):
        due = game.to_act(table)
        if not due:
            return
        seat = min(due)
        if seat == DEALER:
            table = _after(game, table, seat, Drawn(game.chance(table)))
            continue
        legal = sorted(game.legal(table, seat), key=_telling)
        for move in legal:
            found.setdefault(_kind(move), msgspec.to_builtins(move))
        if not refusals:
            refusals += _refused(game, table, seat, legal)
        move = min(legal, key=lambda move: made[_kind(move)])
        made[_kind(move)] += 1
        table = _after(game, table, seat, move)


def _after(game: AnyGame, table: Any, seat: int, move: Any) -> Any:
    for event in game.decide(table, seat, move):
        table = game.evolve(table, event)
    return table


def _refused(game: AnyGame, table: Any, seat: int, legal: list[Any]) -> Iterator[Refusal]:
    for move in game.attempts(table, seat):
        try:
            game.decide(table, seat, move)
        except Refused as refused:
            yield Refusal(game.id, refused.clause, tuple(map(msgspec.to_builtins, legal[:_HINTS])))


def _kind(move: Any) -> str:
    return str(move.__struct_config__.tag)


def _telling(move: Any) -> tuple[int, bytes]:
    """The order of moves as examples: the one that says most comes first."""
    text = msgspec.json.encode(move)
    return -len(text), text
