"""The shapes of tables: a match as its viewer sees it, its clock, and a line of the lobby."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from domain.game import Seat
from domain.match.state import Clock, Spectators, Status
from services.api.schemas import TABLE
from services.readmodels import LIMIT

Millis = Annotated[int, Meta(description="Milliseconds since 1970, UTC.")]
TableJson = Annotated[Any, Meta(extra_json_schema=TABLE)]


class SeatAtTable(msgspec.Struct, frozen=True, kw_only=True):
    """``player``, ``name`` and ``kind`` are null while the seat is free. ``custody`` says who keeps the seat's seed.

    ``connected`` says that a stream of this player is open, as far as the answering process knows; bots always are.
    """

    seat: Seat
    player: str | None
    name: str | None
    kind: Literal["human", "bot"] | None
    level: str
    connected: bool
    committed: bool
    revealed: bool
    custody: Literal["own", "server"] | None
    resigned: bool


class SeatClock(msgspec.Struct, frozen=True, kw_only=True):
    """The clock of one seat. ``since`` is when its turn began and ``deadline`` when its time is up; both are null while
    it is not due. ``bank_ms`` is what its bank had when the turn began.
    """

    seat: Seat
    since: Millis | None
    deadline: Millis | None
    bank_ms: int


class ClockView(msgspec.Struct, frozen=True, kw_only=True):
    """``deadline`` is the earliest of the seats'; null while nobody has to move. ``bank_seconds`` is null in a match
    that was opened when clocks had no bank (clause 5.8 of the match).
    """

    turn_seconds: int
    bank_seconds: int | None
    deadline: Millis | None
    seats: list[SeatClock]


class ClockEntry(msgspec.Struct, frozen=True, kw_only=True):
    """How a turn ended: event ``version`` says that it lasted ``used`` milliseconds, and what the bank had ``before``
    and has ``after`` it. ``expired``: the clock struck. Clocks without a bank only tell that they struck.
    """

    version: int
    at: Millis
    seat: Seat
    used: int | None
    before: int | None
    after: int | None
    expired: bool


class ClockLedger(msgspec.Struct, frozen=True, kw_only=True):
    """Turns of a match that have ended, in order. The seconds are null where a match has no clock. ``next`` is the
    cursor of those that follow; null if there are none yet.
    """

    turn_seconds: int | None
    bank_seconds: int | None
    entries: Annotated[list[ClockEntry], Meta(max_length=LIMIT)]
    next: str | None


class LiveTable(msgspec.Struct, frozen=True, kw_only=True):
    """A match as its viewer sees it. ``you`` is the viewer's seat; ``hand`` the hand under way or the last one.

    ``deadline`` is when something happens by itself: a turn passes, a seat is put out, an idle match is abandoned.
    ``watching`` are the open streams of those who have no seat; it may be some seconds late, as ``connected`` may.
    """

    match: str
    game: str
    options: dict[str, Any]
    status: Status
    version: int
    head: str
    at: Millis
    hand: int
    host: str
    spectators: Spectators
    seats: list[SeatAtTable]
    to_act: list[Seat]
    you: Seat | None
    table: TableJson
    scores: list[int]
    winners: list[Seat]
    clock: ClockView | None
    deadline: Millis | None
    watching: int


class LobbySeat(msgspec.Struct, frozen=True, kw_only=True):
    seat: Seat
    player: str | None
    name: str | None
    kind: Literal["human", "bot"] | None


class LobbyMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match as the lobby lists it. It may be a moment late; ``GET /v1/matches/{match}`` is not.

    Of a match with ``spectators: none`` the hand is null and scores and winners are empty: its players read the table.
    """

    match: str
    game: str
    options: dict[str, Any]
    status: Status
    host: str
    spectators: Spectators
    clock: Clock | None
    version: int
    hand: int | None
    seats: list[LobbySeat]
    scores: list[int]
    winners: list[Seat]
    opened: Millis
    at: Millis
