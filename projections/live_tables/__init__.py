"""Live tables: one row a match, with what the lobby shows and what the clock and the bots look for.

It knows no game: it follows the events of the match itself, and every event moves ``version``, ``at`` and ``deadline``.
"""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.event import Recorded
from domain.match.cases import HandVoided, ScoreAdjusted
from domain.match.rules import OPEN_MS, REVEAL_MS
from domain.match.state import (
    Clock,
    ClockExpired,
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatTaken,
    SeedCommitted,
    Spectators,
    Status,
    TimeUsed,
)
from projections.hands import DRAWS
from projections.live_tables.sql import TABLE
from projections.projection import Projection

NAME: Final = "live_tables"
VERSION: Final = 3


class SeatRow(msgspec.Struct, frozen=True):
    """``player`` is an opaque id, empty while the seat is free; then ``kind`` is empty too."""

    seat: int
    player: str = ""
    kind: str = ""
    committed: bool = False


class Timing(msgspec.Struct, frozen=True, array_like=True):
    """A seat under a clock with a bank. Its turn cannot have begun before ``after``; ``bank`` is what it has left."""

    after: int
    bank: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Times are in milliseconds since 1970. ``hand`` is the hand under way or the last one, as in the match's view.

    ``deadline`` is when the clock may strike, None for never; while a match with a bank is played, no clock strikes
    before. ``under_way`` says that ``hand`` has not ended, ``since`` when ``status`` became what it is. ``timing`` has
    an entry for each seat that a clock with a bank can run for, None for one that has resigned.
    """

    match: str
    game: str
    options: dict[str, Any]
    host: str
    spectators: Spectators
    clock: Clock | None
    seats: tuple[SeatRow, ...]
    opened: int
    status: Status = "open"
    hand: int = 0
    under_way: bool = False
    since: int = 0
    scores: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    bots: bool = False
    version: int = 0
    at: int = 0
    deadline: int | None = None
    timing: tuple[Timing | None, ...] = ()


def fold(row: Row, recorded: Recorded[Any]) -> Row:
    if type(recorded.body) in ONLY:
        before, row = row.status, _changed(row, recorded.body)
        row = _timed(row, recorded.body, recorded.at)
        if row.status != before:
            row = replace(row, since=recorded.at)
    return replace(row, version=recorded.version, at=recorded.at, deadline=_deadline(row, recorded.at))


def opened(recorded: Recorded[MatchOpened]) -> Row:
    event = recorded.body
    return Row(
        match=recorded.match,
        game=event.game,
        options=event.options,
        host=event.host,
        spectators=event.spectators,
        clock=event.clock,
        seats=tuple(SeatRow(seat) for seat in range(event.seats)),
        opened=recorded.at,
        scores=(0,) * event.seats,
    )


def _changed(row: Row, event: Any) -> Row:
    match event:
        case SeatTaken(seat, player, kind, commitment):
            return _seated(row, SeatRow(seat, player, kind, committed=bool(commitment)))
        case SeatLeft(seat):
            return _seated(row, SeatRow(seat))
        case SeedCommitted(seat):
            return _seated(row, replace(row.seats[seat], committed=True))
        case SeatPutOut(seat):
            seats = tuple(replace(sitting, committed=False) for sitting in row.seats)
            return _seated(replace(row, seats=seats), SeatRow(seat))
        case MatchStarted():
            return replace(row, status="playing")
        case HandEnded(hand, _, totals):
            return replace(row, hand=hand, under_way=False, scores=totals)
        case MatchEnded(winners, totals):
            return replace(row, status="finished", winners=winners, scores=totals)
        case MatchAbandoned():
            return replace(row, status="abandoned")
        case HandVoided(totals=totals, winners=winners) | ScoreAdjusted(totals=totals, winners=winners):
            return replace(row, winners=winners, scores=totals)
        case _ if type(event) in DRAWS and not row.under_way:
            return replace(row, hand=row.hand + 1, under_way=True)
        case _:
            return row


def _timed(row: Row, event: Any, at: int) -> Row:
    match event:
        case MatchStarted() if row.clock is not None and row.clock.bank_seconds is not None:
            return replace(row, timing=(Timing(at, row.clock.bank_seconds * 1000),) * len(row.seats))
        case TimeUsed(seat, after=bank) | ClockExpired(seat, after=int(bank)):
            return _timing(row, seat, Timing(at, bank))
        case SeatResigned(seat) if row.timing:
            return _timing(row, seat, None)
        case HandEnded():
            return replace(row, timing=tuple(timing and Timing(at, timing.bank) for timing in row.timing))
        case _:
            return row


def _timing(row: Row, seat: int, timing: Timing | None) -> Row:
    return replace(row, timing=(*row.timing[:seat], timing, *row.timing[seat + 1 :]))


def _seated(row: Row, changed: SeatRow) -> Row:
    seats = (*row.seats[: changed.seat], changed, *row.seats[changed.seat + 1 :])
    status: Status = "revealing" if all(sitting.committed for sitting in seats) else "open"
    return replace(row, seats=seats, status=status, bots=any(sitting.kind == "bot" for sitting in seats))


def _deadline(row: Row, at: int) -> int | None:
    """What ``domain.match.rules.deadline`` says of the same match, once the service has done what it owes the match.

    Between the events of one command only the game knows whether the service is due; nobody waits there. Nor is it
    known here who is due, and that matters to clocks with a bank: for them this is the earliest that it can be.
    """
    match row.status:
        case "open":
            return at + (REVEAL_MS if all(sitting.player for sitting in row.seats) else OPEN_MS)
        case "revealing":
            return row.since + REVEAL_MS
        case "playing" if row.clock is not None:
            turn = row.clock.turn_seconds * 1000
            if not row.timing:
                return at + turn
            return min((timing.after + turn + timing.bank for timing in row.timing if timing), default=None)
        case _:
            return None


ONLY: Final[frozenset[type[msgspec.Struct]]] = DRAWS | {
    MatchOpened,
    SeatTaken,
    SeatLeft,
    SeedCommitted,
    SeatPutOut,
    MatchStarted,
    TimeUsed,
    ClockExpired,
    SeatResigned,
    HandEnded,
    MatchEnded,
    MatchAbandoned,
    HandVoided,
    ScoreAdjusted,
}
PROJECTION: Final = Projection(
    name=NAME, version=VERSION, row=Row, only=ONLY, newest=True, opened=opened, fold=fold, tables=(TABLE,)
)
