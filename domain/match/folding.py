"""Folding a run of events of a match at once, as a match is read from the store."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from domain.event import Recorded
from domain.games import GAMES
from domain.match.state import State, evolve

_MOVES_ON: Final = {
    game.id: {entry.cls: game.evolve for entry in game.events if entry.cls not in game.draws} for game in GAMES.values()
}
"""For each game its events that are no draws, and what moves it on by one: the match only notes when that was."""

_NONE: Final[Mapping[type, Callable[[Any, Any], Any]]] = {}


def folded(state: State, events: Iterable[Recorded[Any]]) -> State:
    """The state after ``events``: that of ``evolve``, one after another.

    Most events only move the game on, and nobody asks for the states between them: so the match takes note of a run of
    them once, at its end.
    """
    moves_on, play, last = _moves_on(state), state.play, None
    for recorded in events:
        body = recorded.body
        if type(body) in moves_on:
            play, last = moves_on[type(body)](play, body), recorded
            continue
        if last is not None:
            state, last = replace(state, version=last.version, at=last.at, play=play), None
        state = evolve(state, recorded)
        moves_on, play = _moves_on(state), state.play
    return state if last is None else replace(state, version=last.version, at=last.at, play=play)


def _moves_on(state: State) -> Mapping[type, Callable[[Any, Any], Any]]:
    """The events that the match may leave to its game: none where each sets the time of a seat."""
    return _NONE if state.turns else _MOVES_ON.get(state.game, _NONE)
