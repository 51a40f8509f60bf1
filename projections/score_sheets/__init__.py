"""Score sheets: one row a match, with a line for every hand that was scored and one for every ruling."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.event import Recorded
from domain.match.cases import DisputeRuled, HandVoided, RulingKind, ScoreAdjusted
from domain.match.state import (
    ClockExpired,
    HandEnded,
    MatchEnded,
    MatchOpened,
    SeatResigned,
)
from projections.hands import DRAWS
from projections.projection import Projection, rows_table

NAME: Final = "score_sheets"
VERSION: Final = 2


class Note(msgspec.Struct, frozen=True, array_like=True):
    """Something worth a word beside a hand: ``resigned`` or ``clock``, the seat, and how often."""

    kind: str
    seat: int
    times: int = 1


class HandLine(msgspec.Struct, frozen=True):
    """``first`` and ``last`` are the versions of the hand's deal and of its end; points and totals are a seat each.

    They stay as they were written; ``void`` says that a ruling has taken the points away again.
    """

    hand: int
    first: int
    last: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    notes: tuple[Note, ...] = ()
    void: bool = False


class RulingLine(msgspec.Struct, frozen=True):
    """A ruling, by the version of its event: ``points`` are what it added, ``totals`` and ``winners`` those after it.

    ``hand`` is 0 and ``clause`` empty where it names none.
    """

    version: int
    dispute: str
    ruling: RulingKind
    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    clause: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """``first`` and ``notes`` belong to the hand under way; ``first`` is 0 between hands."""

    match: str
    game: str
    hands: tuple[HandLine, ...] = ()
    totals: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    rulings: tuple[RulingLine, ...] = ()
    first: int = 0
    notes: tuple[Note, ...] = ()


def opened(recorded: Recorded[MatchOpened]) -> Row:
    return Row(match=recorded.match, game=recorded.body.game, totals=(0,) * recorded.body.seats)


def fold(row: Row, recorded: Recorded[Any]) -> Row:
    event = recorded.body
    match event:
        case ClockExpired(seat):
            return replace(row, notes=_noted(row.notes, "clock", seat))
        case SeatResigned(seat):
            return replace(row, notes=_noted(row.notes, "resigned", seat))
        case HandEnded(hand, points, totals):
            line = HandLine(hand, row.first, recorded.version, points, totals, row.notes)
            return replace(row, hands=(*row.hands, line), totals=totals, first=0, notes=())
        case MatchEnded(winners, totals):
            return replace(row, winners=winners, totals=totals)
        case DisputeRuled() | HandVoided() | ScoreAdjusted():
            return _ruled(row, recorded)
        case _ if type(event) in DRAWS and not row.first:
            return replace(row, first=recorded.version)
        case _:
            return row


def _ruled(row: Row, recorded: Recorded[Any]) -> Row:
    """A ruling begins its line; what it changes, the event after it, completes the line."""
    event = recorded.body
    if isinstance(event, DisputeRuled):
        nothing = (0,) * len(row.totals)
        line = RulingLine(
            recorded.version, event.dispute, event.ruling, event.hand, nothing, row.totals, row.winners, event.clause
        )
        return replace(row, rulings=(*row.rulings, line))
    points, hands = event.points, row.hands
    if isinstance(event, HandVoided):
        points = tuple(-number for number in points)
        hands = tuple(replace(line, void=line.void or line.hand == event.hand) for line in hands)
    line = replace(row.rulings[-1], points=points, totals=event.totals, winners=event.winners)
    rulings = (*row.rulings[:-1], line)
    return replace(row, hands=hands, rulings=rulings, totals=event.totals, winners=event.winners)


def _noted(notes: tuple[Note, ...], kind: str, seat: int) -> tuple[Note, ...]:
    for place, note in enumerate(notes):
        if (note.kind, note.seat) == (kind, seat):
            return (*notes[:place], replace(note, times=note.times + 1), *notes[place + 1 :])
    return (*notes, Note(kind, seat))


ONLY: Final[frozenset[type[msgspec.Struct]]] = DRAWS | {
    MatchOpened,
    ClockExpired,
    SeatResigned,
    HandEnded,
    MatchEnded,
    DisputeRuled,
    HandVoided,
    ScoreAdjusted,
}
PROJECTION: Final = Projection(
    name=NAME, version=VERSION, row=Row, only=ONLY, opened=opened, fold=fold, tables=(rows_table(),)
)
