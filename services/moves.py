"""Moves as a client sends and gets them: read, tried without effect, listed with the reasons against others."""

from typing import Any, Final, Union

import msgspec

from domain.game import GameMove, Refused, Seat
from domain.games import GAMES
from domain.match import clock, rules
from domain.match.commands import Act
from domain.match.state import State
from services.problems import BadRequest

_TYPED: Final = msgspec.json.Decoder(msgspec.defstruct("Typed", [("type", str)])).decode
"""A union of one move would not ask for its type."""

_READERS: Final = {game.id: msgspec.json.Decoder(Union[game.moves]).decode for game in GAMES.values()}
_ONE_MOVE: Final = frozenset(game.id for game in GAMES.values() if len(game.moves) == 1)


class Check(msgspec.Struct, frozen=True):
    """Whether a move would be accepted now, and the clause and reason if not."""

    legal: bool
    clause: str = ""
    reason: str = ""
    rulebook: str = ""


class RefusedMove(msgspec.Struct, frozen=True):
    move: Any
    clause: str
    reason: str
    rulebook: str


class Moves(msgspec.Struct, frozen=True):
    """Every legal move of a seat, and why the others that suggest themselves are not."""

    version: int
    seat: Seat
    moves: tuple[Any, ...]
    refused: tuple[RefusedMove, ...]


def decode_move(game: str, body: bytes) -> GameMove:
    """The move of ``game`` that ``body`` writes as JSON. Raises ``BadRequest`` for anything else."""
    try:
        if game in _ONE_MOVE:
            _TYPED(body)
        move: GameMove = _READERS[game](body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"not a move of {game}: {error}") from error
    return move


def checked(state: State, seat: Seat, move: GameMove, at: int = 0) -> Check:
    """What the rules would say to ``move`` at time ``at``, or right after the last event."""
    try:
        rules.decide(state, Act(seat, move), clock.dated(state, at))
    except Refused as refused:
        return Check(legal=False, clause=refused.clause, reason=refused.reason, rulebook=refused.rulebook)
    return Check(legal=True)


def moves_of(state: State, seat: Seat) -> Moves:
    """Nothing is legal, and nothing needs a reason, for a seat that is not due."""
    if seat not in rules.to_act(state):
        return Moves(state.version, seat, (), ())
    game = GAMES[state.game]
    tried = ((move, checked(state, seat, move)) for move in game.attempts(state.play, seat))
    refused = [RefusedMove(move, why.clause, why.reason, why.rulebook) for move, why in tried if not why.legal]
    return Moves(state.version, seat, tuple(game.legal(state.play, seat)), tuple(refused))
