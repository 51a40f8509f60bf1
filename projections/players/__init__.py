"""Players: who sat where in a match and how it ended. From its rows come the histories and the leaderboard.

A row is a match; ``players_matches`` has a line for each player in it, ``players_sums`` counts, for each player and
game of one shard, the matches that were finished and those that were won. Readers add the sums of all shards.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from domain.event import Recorded
from domain.match.cases import HandVoided, ScoreAdjusted
from domain.match.state import (
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatTaken,
)
from projections.players.sql import MATCHES, SUMS, TABLE
from projections.projection import Projection

NAME: Final = "players"
VERSION: Final = 2


class Seated(msgspec.Struct, frozen=True):
    """A player on a seat, by opaque id."""

    seat: int
    player: str
    kind: str
    resigned: bool = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """``status`` is open until the match starts. ``at`` is the time of the last of the events that are counted here."""

    match: str
    game: str
    opened: int
    at: int
    size: int
    status: Literal["open", "playing", "finished", "abandoned"] = "open"
    seats: tuple[Seated, ...] = ()
    hands: int = 0
    totals: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()


def opened(recorded: Recorded[MatchOpened]) -> Row:
    event, at = recorded.body, recorded.at
    return Row(match=recorded.match, game=event.game, opened=at, at=at, size=event.seats, totals=(0,) * event.seats)


def fold(row: Row, recorded: Recorded[Any]) -> Row:
    at = recorded.at
    match recorded.body:
        case SeatTaken(seat, player, kind):
            return replace(row, at=at, seats=(*_without(row, seat), Seated(seat, player, kind)))
        case SeatLeft(seat) | SeatPutOut(seat):
            return replace(row, at=at, seats=_without(row, seat))
        case MatchStarted():
            return replace(row, at=at, status="playing")
        case SeatResigned(seat):
            changed = (replace(s, resigned=True) if s.seat == seat else s for s in row.seats)
            return replace(row, at=at, seats=tuple(changed))
        case HandEnded(hand, _, totals):
            return replace(row, at=at, hands=hand, totals=totals)
        case MatchEnded(winners, totals):
            return replace(row, at=at, status="finished", winners=winners, totals=totals)
        case MatchAbandoned():
            return replace(row, at=at, status="abandoned")
        case HandVoided(totals=totals, winners=winners) | ScoreAdjusted(totals=totals, winners=winners):
            return replace(row, at=at, totals=totals, winners=winners)
        case _:
            return row


def _without(row: Row, seat: int) -> tuple[Seated, ...]:
    return tuple(sitting for sitting in row.seats if sitting.seat != seat)


ONLY: Final[frozenset[type[msgspec.Struct]]] = frozenset(
    {
        MatchOpened,
        SeatTaken,
        SeatLeft,
        SeatPutOut,
        MatchStarted,
        SeatResigned,
        HandEnded,
        MatchEnded,
        MatchAbandoned,
        HandVoided,
        ScoreAdjusted,
    }
)
PROJECTION: Final = Projection(
    name=NAME, version=VERSION, row=Row, only=ONLY, opened=opened, fold=fold, tables=(TABLE, MATCHES, SUMS)
)
