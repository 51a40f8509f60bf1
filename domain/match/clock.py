"""The clock: how long a seat may think, what its turn has taken, and what that leaves in its bank.

All times are in milliseconds. Numbers in comments are clauses of RULES.md.
"""

from typing import Final

from domain.game import Refused, Seat
from domain.match.state import Clock, ClockExpired, State, TimeUsed, to_act

TURN_SECONDS: Final = range(5, 86_401)
BANK_SECONDS: Final = range(86_401)


class TooLate(Refused):
    """The seat was due, but its time was up when it moved."""


def check_bounds(clock: Clock | None) -> None:
    """Raises ``Refused`` (1.4) naming the field and its bounds."""
    if clock is None:
        return
    if clock.turn_seconds not in TURN_SECONDS:
        raise Refused("1.4", f"clock.turn_seconds is from {TURN_SECONDS[0]} to {TURN_SECONDS[-1]}")
    if clock.bank_seconds is not None and clock.bank_seconds not in BANK_SECONDS:
        raise Refused("1.4", f"clock.bank_seconds is from {BANK_SECONDS[0]} to {BANK_SECONDS[-1]}")


def dated(state: State, at: int) -> int:
    """The time of the events of a command that comes at time ``at``: never before the last event (5.7)."""
    return max(at, state.at)


def since(state: State, seat: Seat) -> int | None:
    """When the turn of ``seat`` began; None while it has none, and without a clock."""
    if state.clock is None or seat not in to_act(state):
        return None
    return state.turns[seat] if state.turns else state.at  # 5.1, 5.8


def deadline(state: State, seat: Seat) -> int | None:
    """When the time of ``seat`` is up: after its turn and what its bank has left (5.2). None while it has no turn."""
    begun = since(state, seat)
    if begun is None or state.clock is None:
        return None
    return begun + state.clock.turn_seconds * 1000 + (state.banks[seat] if state.banks else 0)


def first_up(state: State) -> tuple[int, Seat] | None:
    """The earliest deadline and whose it is; among several the lowest seat (5.4). None while no time runs."""
    running = ((deadline(state, seat), seat) for seat in to_act(state))
    return min(((until, seat) for until, seat in running if until is not None), default=None)


def stopped(state: State, seat: Seat, at: int) -> list[TimeUsed]:
    """The clock of ``seat`` is stopped by its move at time ``at``. Raises ``TooLate`` when its time is up (5.5)."""
    until = deadline(state, seat) if state.banks else None
    if until is None:
        return []
    if at >= until:
        raise TooLate("5.5", "this seat's time is up: its move came too late, and the clock makes one for it")
    return [TimeUsed(seat, *_spent(state, seat, at))]


def struck(state: State, seat: Seat, at: int) -> ClockExpired:
    """The clock of ``seat``, whose time is up, strikes at time ``at`` (5.3)."""
    return ClockExpired(seat, *_spent(state, seat, at)) if state.banks else ClockExpired(seat)


def _spent(state: State, seat: Seat, at: int) -> tuple[int, int, int]:
    """How long the turn was, and the bank before and after: it pays for what exceeds the turn's time (5.2, 5.6)."""
    begun, clock = since(state, seat), state.clock
    assert begun is not None, "only a turn that has begun is ended"
    assert clock is not None, "only a clock measures turns"
    used, before = at - begun, state.banks[seat]
    return used, before, max(0, before - max(0, used - clock.turn_seconds * 1000))
