"""The shapes of what goes in and out. A key that is named here stays; keys may be added."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from domain.game import Seat
from domain.match.cases import RulingKind
from domain.match.state import Status
from services.api.names import LONGEST, UNFIT
from services.api.problem_types import EventJson, MoveJson
from services.api.table_shapes import LiveTable, Millis, TableJson
from services.audit.knowledge import KnownCards
from services.readmodels import LIMIT

Name = Annotated[
    str,
    Meta(
        description=f"1 to {LONGEST} characters, counted as they are kept: composed (NFC), without space around them. "
        "Some of it can be seen, and nothing controls, turns or hides the text around it.",
        extra_json_schema={"minLength": 1, "pattern": rf"^[^{UNFIT}]*[^\s{UNFIT}][^{UNFIT}]*$"},
    ),
]
SEATS: Final = 64
"""A match has so many at most, whatever the game."""
SeatAsked = Annotated[int, Meta(ge=0, le=SEATS - 1, description="Seats are numbered from 0, clockwise.")]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the bodies: a field that is not known is a 400."""


class Bounds(msgspec.Struct, frozen=True):
    min: int
    max: int


class GameInfo(msgspec.Struct, frozen=True):
    """A game. ``options`` and ``moves`` are JSON Schemas; ``rulebook`` is the address of its rules.

    ``bots`` are the levels at which bots play it, the plainest first.
    """

    id: str
    title: str
    seats: Bounds
    options: dict[str, Any]
    moves: dict[str, Any]
    rulebook: str
    bots: list[str]


class NewPlayer(Asked, frozen=True, kw_only=True):
    """Who you want to be called. Names need not be unique."""

    name: Name


class Person(msgspec.Struct, frozen=True):
    """A player as everybody knows them. ``name`` is empty for one who was erased."""

    player: str
    name: str


class Nothing(Asked, frozen=True, kw_only=True):
    """The operation needs to be told nothing: send no body, or an empty object."""


class SeatRequest(Asked, frozen=True, kw_only=True):
    """``seat`` left out: the lowest free one. ``seed_commitment``: SHA-256 of 32 bytes that you keep to yourself and
    reveal when every seat is taken; left out, the server keeps a seed for you.
    """

    seat: SeatAsked | None = None
    seed_commitment: str | None = None


class BotsRequest(Asked, frozen=True, kw_only=True):
    """The seats that bots are to take, all or none of them. A game says in the list of games which levels it has."""

    seats: Annotated[list[SeatAsked], Meta(min_length=1, max_length=SEATS)]
    level: Literal["random", "heuristic"] = "random"


class SeedRequest(Asked, frozen=True, kw_only=True):
    """The 32 bytes behind your commitment, base64url without padding."""

    seed: str


class Done(msgspec.Struct, frozen=True):
    """What a command led to: its events as the caller may see them; ``version`` and ``head`` right after them."""

    match: str
    seat: Seat | None
    version: int
    head: str
    events: list[EventJson]


class RefusedMove(msgspec.Struct, frozen=True):
    """A move that suggests itself and is not allowed now, and the clause of ``game``'s rule book that it breaks."""

    move: MoveJson
    game: str
    clause: str
    reason: str


class LegalMoves(msgspec.Struct, frozen=True):
    """Every legal move of the caller at ``version``, none if it is not the caller's turn."""

    version: int
    seat: Seat
    moves: list[MoveJson]
    refused: list[RefusedMove]


class MoveCheck(msgspec.Struct, frozen=True):
    """Whether the move would be accepted now; if not, the clause of ``game``'s rule book that it breaks."""

    legal: bool
    game: str | None
    clause: str | None
    reason: str | None


class EventPage(msgspec.Struct, frozen=True):
    """``next`` is the ``after`` of the page that follows; null if there is none yet."""

    events: Annotated[list[EventJson], Meta(max_length=LIMIT)]
    next: int | None


class SheetHand(msgspec.Struct, frozen=True):
    """One hand: the versions of its deal and its end, the points of each seat in it, and the totals after it."""

    hand: int
    first: int
    last: int
    points: list[int]
    totals: list[int]
    notes: list[str]
    void: bool


class SheetRuling(msgspec.Struct, frozen=True):
    """A ruling: the points that it added to each seat, or took away, and the totals and winners after it."""

    version: int
    dispute: str
    ruling: RulingKind
    hand: int
    points: list[int]
    totals: list[int]
    winners: list[Seat]
    clause: str


class ScoreSheet(msgspec.Struct, frozen=True):
    """``totals`` and ``winners`` are those that count now, rulings included; ``seats`` has the name on each seat.

    Points and totals of a hand are those of its end; ``void`` says that a ruling has taken its points away.
    """

    match: str
    game: str
    seats: list[str]
    hands: list[SheetHand]
    rulings: list[SheetRuling]
    totals: list[int]
    winners: list[Seat]


class ReplayHand(msgspec.Struct, frozen=True):
    hand: int
    first: int
    last: int


class ReplayMark(msgspec.Struct, frozen=True):
    """A version worth jumping to."""

    version: int
    kind: str
    text: str


class ReplayIndex(msgspec.Struct, frozen=True):
    """``versions`` is the newest version."""

    versions: int
    hands: list[ReplayHand]
    marks: list[ReplayMark]


class ReplayStep(msgspec.Struct, frozen=True):
    """Event ``version``, the table right after it, and what happened in words."""

    version: int
    event: EventJson
    table: LiveTable
    text: str


class SeatKnowledge(msgspec.Struct, frozen=True):
    """What ``seat`` knew right after event ``at``. ``hand`` is the hand of that event and ``first`` its first version:
    of the hands before, every card had been opened.

    ``events`` are those from ``first`` to ``at`` as that seat had seen them, ``cards`` what they show of cards and how
    it came to know them, ``table`` what it saw of the game.
    """

    match: str
    seat: Seat
    at: int
    hand: int
    first: int
    events: list[EventJson]
    cards: list[KnownCards]
    table: TableJson


class ExportSeat(msgspec.Struct, frozen=True):
    seat: Seat
    player: str | None
    name: str | None


class Export(msgspec.Struct, frozen=True):
    """A whole match. ``head`` is the hash of its last event."""

    match: str
    game: str
    options: dict[str, Any]
    status: Status
    seats: list[ExportSeat]
    version: int
    head: str
    events: list[EventJson]


class PlayerMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that a player has or had a seat in. Null is what the caller may not know of it."""

    match: str
    game: str
    status: str
    seat: Seat
    seats: int
    hands: int | None
    score: int | None
    won: bool | None
    resigned: bool
    opened: Millis
    at: Millis


class Leader(msgspec.Struct, frozen=True):
    """``finished`` counts the matches played to their end, ``won`` those that were won, alone or with others."""

    player: str
    name: str
    finished: int
    won: int


class Part(msgspec.Struct, frozen=True):
    """Whether one part of the service works, and a word about it."""

    ok: bool
    detail: str


class Readiness(msgspec.Struct, frozen=True):
    """``ready`` says whether this process should get requests. Without a feed it should: it is only slower.

    ``peers`` are the processes that share the work; ``parts`` is what works beside the requests in this one: not ``ok``
    for a minute after one of them had to be started again.
    """

    ready: bool
    database: Part
    projector: Part
    feed: Part
    peers: Part
    parts: Part


class Alive(msgspec.Struct, frozen=True):
    alive: bool
