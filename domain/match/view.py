"""What a viewer sees of a match: everything but the cards that the game hides from that viewer."""

from typing import Any

import msgspec

from domain.game import Seat, Viewer
from domain.games import GAMES
from domain.match.rules import to_act
from domain.match.state import Clock, Spectators, State, Status


class SeatView(msgspec.Struct, frozen=True):
    """``player`` and ``kind`` are empty while the seat is free."""

    seat: Seat
    player: str
    kind: str
    level: str
    committed: bool
    revealed: bool
    custody: str
    resigned: bool


class MatchView(msgspec.Struct, frozen=True, kw_only=True):
    """``hand`` is the number of the hand under way or, between hands, of the last one; ``table`` is the game's view."""

    match: str
    game: str
    options: dict[str, Any]
    status: Status
    version: int
    at: int
    hand: int
    host: str
    spectators: Spectators
    clock: Clock | None
    seats: tuple[SeatView, ...]
    to_act: tuple[Seat, ...]
    scores: tuple[int, ...]
    winners: tuple[Seat, ...]
    table: Any


def view(state: State, viewer: Viewer) -> MatchView:
    game = GAMES[state.game]
    return MatchView(
        match=state.match,
        game=state.game,
        options=msgspec.to_builtins(state.options),
        status=state.status,
        version=state.version,
        at=state.at,
        hand=state.ended + (1 if state.draws else 0),
        host=state.host,
        spectators=state.spectators,
        clock=state.clock,
        seats=tuple(_seat(state, seat) for seat in range(len(state.seats))),
        to_act=tuple(sorted(to_act(state))),
        scores=state.totals,
        winners=state.winners,
        table=game.view(state.play, viewer),
    )


def _seat(state: State, seat: Seat) -> SeatView:
    sitting = state.seats[seat]
    if sitting is None:
        return SeatView(seat, "", "", "", committed=False, revealed=False, custody="", resigned=False)
    return SeatView(
        seat,
        sitting.player,
        sitting.kind,
        sitting.level,
        committed=bool(sitting.commitment),
        revealed=bool(sitting.seed),
        custody=sitting.custody,
        resigned=sitting.resigned,
    )
