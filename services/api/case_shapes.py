"""The shapes of disputes, rulings and cases."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from domain.game import Seat
from domain.match.cases import RulingKind
from services.api.problem_types import EventJson
from services.api.shapes import Asked
from services.api.table_shapes import Millis
from services.audit import Finding, Verdict
from services.disputes import ATTEMPTS

EVENTS: Final = 200
"""How many of its events a case shows."""
_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"

Number = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Words = Annotated[str, Meta(pattern=_TEXT, description="Text without control characters but for new lines and tabs.")]


class DisputeRequest(Asked, frozen=True, kw_only=True):
    """What is disputed: the events from ``first`` to ``last``, by version; and what is wrong with them."""

    first: Number
    last: Number
    claim: Annotated[Words, Meta(min_length=1, max_length=2000)]


class RulingRequest(Asked, frozen=True, kw_only=True):
    """A ruling. ``after`` is the number of rulings that the case had when it was read: 0 for the first, 1 for an appeal
    against it. ``hand`` is the one to void, or that an adjustment is about; ``points`` are what each seat's total gets,
    by seat; ``clause`` is ``4.2`` of the game's rule book, or ``match 4.2``. ``winners`` are named only where the
    totals do not settle them (clause 7.11).
    """

    ruling: RulingKind
    reason: Words
    after: Number = 0
    hand: Number | None = None
    points: Annotated[list[Number], Meta(max_length=64)] | None = None
    clause: Annotated[str, Meta(max_length=20)] | None = None
    winners: Annotated[list[Number], Meta(max_length=64)] | None = None


class DisputeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute in short. ``version`` is that of its event, ``rulings`` how many there are on it."""

    dispute: str
    seat: Seat
    first: int
    last: int
    version: int
    rulings: int


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that was refused when the match was at ``version``: evidence, not an event.

    ``late``: another was quicker, or the time was up. ``attempt`` is the request as it came, up to 4 KiB. What another
    seat tries in the hand under way is shown when the hand is over.
    """

    at: Millis
    version: int
    seat: Seat | None
    late: bool
    status: int
    game: str
    clause: str
    clause_text: str
    reason: str
    attempt: str


class CaseRuling(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling: what it says, the points that it added to each seat, and the totals and winners that it led to.

    ``version`` is that of its event. ``points``, ``totals`` and ``winners`` are empty where it changed nothing;
    ``hand`` is 0 and ``clause`` empty where it names none.
    """

    number: int
    version: int
    at: Millis
    ruling: RulingKind
    arbiter: str
    name: str
    reason: str
    hand: int
    points: list[int]
    clause: str
    clause_text: str
    totals: list[int]
    winners: list[Seat]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute with all that belongs to it.

    ``claim`` is empty once the person who wrote it is erased. ``hands`` are those that have been scored and that the
    disputed events touch. ``verdict`` and ``findings`` are what the checks of the audit find in the record, by
    themselves. ``attempts`` are the last ones, ``events`` the first of those disputed, as the caller may see them;
    ``next`` is the ``after`` with which ``GET /v1/matches/{match}/events`` goes on, null if there are no more.
    """

    dispute: str
    match: str
    game: str
    status: Literal["open", "ruled"]
    seat: Seat
    player: str
    name: str
    version: int
    at: Millis
    first: int
    last: int
    claim: str
    hands: list[int]
    verdict: Verdict
    findings: list[Finding]
    limits: list[str]
    attempts: Annotated[list[Attempt], Meta(max_length=ATTEMPTS)]
    rulings: list[CaseRuling]
    events: Annotated[list[EventJson], Meta(max_length=EVENTS)]
    next: int | None
