"""Seats and seeds: who sits where, and what each seat adds to the deals, before the match starts.

Numbers in comments are clauses of RULES.md.
"""

from typing import Any

from domain import fairness
from domain.game import Refused, Seat, Viewer
from domain.hidden import b64u, unb64u_32
from domain.match.commands import CommitSeed, Duty, MustCommit, MustReveal, MustStart, TakeSeat
from domain.match.state import SeatLeft, SeatPutOut, SeatState, SeatTaken, SeedCommitted, SeedRevealed, State


class WrongState(Refused):
    """The match is not in a state in which this can be done; a seat is taken, or not."""


class NotYours(Refused):
    """Only another player may do this."""


def seat_of(state: State, player: str) -> Seat | None:
    for seat, sitting in enumerate(state.seats):
        if sitting is not None and sitting.player == player:
            return seat
    return None


def viewer_of(seat: Seat | None) -> Viewer:
    """How somebody on ``seat`` sees the match; without one, as the public does."""
    return "public" if seat is None else seat


def public_version(state: State) -> int:
    """How far whoever has no seat sees a match that has come to ``state``: the number of an event (1.6)."""
    if state.spectators == "open" or not state.started or state.over:
        return state.version
    if state.spectators == "none":
        return state.started  # that it is played is no secret
    return max(state.started, state.version - int(state.spectators.removeprefix("delayed:")))


def free_seat(state: State, seat: Seat | None) -> Seat | None:
    """``seat`` if it is free, or the lowest free seat if None was asked for (2.2); None if there is no such seat."""
    free = (place for place, sitting in enumerate(state.seats) if sitting is None and seat in (None, place))
    return next(free, None)


def lost_commitment(state: State, seat: Seat | None) -> bool:
    """Whether the seat is taken but must commit anew (3.4)."""
    sitting = None if seat is None else state.seats[seat]
    return state.status == "open" and sitting is not None and not sitting.commitment


def own_seat(state: State, player: str) -> Seat:
    """The seat that ``player`` sits on. Raises ``NotYours`` for everybody else. (4.1)"""
    seat = seat_of(state, player)
    if seat is None:
        raise NotYours("4.1", "this player has no seat in this match")
    return seat


def sitting_on(state: State, seat: Seat) -> SeatState:
    sitting = state.seats[seat]
    assert sitting is not None, "every seat of a running match is taken"
    return sitting


def take_seat(state: State, command: TakeSeat) -> list[Any]:
    if command.kind == "bot" and command.by != state.host:
        raise NotYours("2.6", "only the host seats bots")
    if state.status in ("playing", "finished", "abandoned"):
        raise WrongState("2.1", "seats are taken before the start only")
    if seat_of(state, command.player) is not None:
        raise WrongState("2.3", "this player already has a seat in this match")
    if command.seat is not None and command.seat not in range(len(state.seats)):
        raise Refused("2.2", f"the seats of this match are 0 to {len(state.seats) - 1}")
    seat = free_seat(state, command.seat)
    if seat is None:
        raise WrongState("2.2", "every seat is taken" if command.seat is None else "that seat is taken")
    _check_commitment(state, command.commitment)
    return [SeatTaken(seat, command.player, command.kind, command.commitment, command.custody, command.level)]


def leave_seat(state: State, player: str) -> list[Any]:
    seat = own_seat(state, player)
    match state.status:
        case "open":
            return [SeatLeft(seat, player)]
        case "revealing":
            return [SeatPutOut(seat, player)]
        case _:
            raise WrongState("2.5", "a seat can be left before the start only")


def commit(state: State, command: CommitSeed) -> list[Any]:
    if not lost_commitment(state, command.seat):
        raise WrongState("3.4", "only a seat whose commitment is void commits anew")
    _check_commitment(state, command.commitment)
    return [SeedCommitted(command.seat, command.commitment, command.custody)]


def _check_commitment(state: State, text: str) -> None:
    if unb64u_32(text) is None:
        raise Refused("2.4", "a commitment is the SHA-256 of a seed: 32 bytes, base64url without padding")
    if text in state.void or any(sitting and sitting.commitment == text for sitting in state.seats):
        raise Refused("3.6", "this commitment was made before in this match; a seed serves once")


def reveal(state: State, seat: Seat, text: str) -> list[Any]:
    if state.status != "revealing":
        raise WrongState("3.1", "seeds are revealed after every seat has committed and before the start")
    sitting = sitting_on(state, seat)
    if sitting.seed:
        raise WrongState("3.2", "this seat has revealed its seed")
    seed = unb64u_32(text)
    if seed is None or b64u(fairness.commitment(seed)) != sitting.commitment:
        raise Refused("3.2", "the seed (32 bytes, base64url without padding) does not fit the commitment")
    return [SeedRevealed(seat, text, sitting.custody)]


def server_commitment(state: State) -> Duty | None:
    kept = (seat for seat, sitting in enumerate(state.seats) if sitting and sitting.custody == "server")
    return next((MustCommit(seat) for seat in kept if lost_commitment(state, seat)), None)


def server_seed(state: State) -> Duty | None:
    hidden = [(seat, sitting) for seat, sitting in enumerate(state.seats) if sitting is not None and not sitting.seed]
    if not hidden:
        return MustStart()
    return next((MustReveal(seat) for seat, sitting in hidden if sitting.custody == "server"), None)
