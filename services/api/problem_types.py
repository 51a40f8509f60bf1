"""Every type of problem that the API tells of, with its page (RFC 9457)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from services.api.schemas import EVENT, MOVE, reference

PAGES: Final = "/problems/"
MISSED: Final = 200
"""How many of the events that a client has missed an answer carries at most: that of a batch in all its conflicts."""

EventJson = Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema=EVENT)]
MoveJson = Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema=MOVE)]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something went wrong. ``type`` is the stable address of its page; ``detail`` is about this very request."""

    type: str
    title: str
    status: int
    detail: str


class RuleProblem(Problem, frozen=True, kw_only=True):
    """A rule says no. ``game`` names the rule book (``match`` for the rules around every game), ``clause`` the clause.

    ``version`` is that of the match; ``legal_hint`` has some moves that the caller could make instead.
    """

    game: str
    clause: str
    clause_text: str
    version: int
    legal_hint: list[MoveJson]


class TurnProblem(RuleProblem, frozen=True, kw_only=True):
    """A rule says: not now. ``events`` are those after the version that the caller named in ``If-Match``."""

    events: Annotated[list[EventJson], msgspec.Meta(max_length=MISSED)]


class VersionProblem(Problem, frozen=True, kw_only=True):
    """The match is at ``version``; ``events`` are those after the version that the caller named."""

    version: int
    events: Annotated[list[EventJson], msgspec.Meta(max_length=MISSED)]


AnyProblem = Annotated[
    Any,
    msgspec.Meta(
        extra_json_schema={
            "anyOf": [reference(kind.__name__) for kind in (Problem, RuleProblem, TurnProblem, VersionProblem)]
        }
    ),
]
"""A problem within an answer."""


class ProblemType(msgspec.Struct, frozen=True):
    """One type of problem: what its page says."""

    slug: str
    status: int
    title: str
    meaning: str
    shape: type[Problem] = Problem


_TYPES: Final = (
    ProblemType(
        slug="not-understood",
        status=400,
        title="The request is not understood",
        meaning="A body that is not JSON or not of the shape that the document gives, a field or a query parameter "
        "that does not exist, a value out of bounds, a header sent twice. `detail` says where.",
    ),
    ProblemType(
        slug="unauthenticated",
        status=401,
        title="Who are you?",
        meaning="The operation needs a bearer token, or the token that was sent is not one, or not any more. POST "
        "/v1/players gives one.",
    ),
    ProblemType(
        slug="not-your-seat",
        status=403,
        title="That is for somebody else to do",
        meaning="Only somebody else may do this: the player on the seat, the host, or an arbiter.",
        shape=RuleProblem,
    ),
    ProblemType(
        slug="forbidden",
        status=403,
        title="That is not for you to see",
        meaning="The match has no spectators, or what was asked for is not, or not yet, for the caller to see.",
    ),
    ProblemType(
        slug="not-found",
        status=404,
        title="There is no such thing",
        meaning="No match, player, game, version or path of that name.",
    ),
    ProblemType(
        slug="method-not-allowed",
        status=405,
        title="The path does not know this method",
        meaning="The header `Allow` lists those that it knows.",
    ),
    ProblemType(
        slug="out-of-turn",
        status=409,
        title="It is not your turn",
        meaning="Another seat is due. Nothing has changed.",
        shape=TurnProblem,
    ),
    ProblemType(
        slug="too-late",
        status=409,
        title="Your time was up",
        meaning="The move came after the seat's deadline. It does not count, whether or not the clock has made its own "
        "move yet. Nothing has changed.",
        shape=TurnProblem,
    ),
    ProblemType(
        slug="wrong-state",
        status=409,
        title="Not in this state of the match",
        meaning="The match has not started, or is over; the seat is taken; the seed is revealed; the "
        "dispute has been ruled on meanwhile. Nothing has changed.",
        shape=TurnProblem,
    ),
    ProblemType(
        slug="full",
        status=409,
        title="There is no room for more",
        meaning="Nothing grows without end: a match has so many rulings, and before it begins so many events. `detail` "
        "says how many. Nothing has changed.",
    ),
    ProblemType(
        slug="ahead-of-match",
        status=409,
        title="The match is not that far",
        meaning="`Last-Event-ID` or `after` names a version that the match has not reached, or `head` an event that it "
        "has not got (any more: the service was restored). Fetch the table anew and follow from its version.",
        shape=VersionProblem,
    ),
    ProblemType(
        slug="version-mismatch",
        status=412,
        title="The match has moved on",
        meaning="`If-Match` named another version than the match is at. `events` has what the caller has missed.",
        shape=VersionProblem,
    ),
    ProblemType(
        slug="too-slow",
        status=408,
        title="The request took too long to arrive",
        meaning="The head or the body of a request was not complete in time. Connect again and send it in one go.",
    ),
    ProblemType(
        slug="too-large",
        status=413,
        title="The body is too large",
        meaning="A body has 65536 bytes at most.",
    ),
    ProblemType(
        slug="unsupported-media-type",
        status=415,
        title="The body is not JSON",
        meaning="Send `Content-Type: application/json`.",
    ),
    ProblemType(
        slug="head-too-large",
        status=431,
        title="The head of the request is too large",
        meaning="A head has 32768 bytes and 100 headers at most, and an address 8000 bytes.",
    ),
    ProblemType(
        slug="upgrade-required",
        status=426,
        title="This path is a WebSocket",
        meaning="The path answers the handshake of a WebSocket (RFC 6455) only.",
    ),
    ProblemType(
        slug="refused",
        status=422,
        title="The rules say no",
        meaning="`clause` and `clause_text` say which rule; `legal_hint` has moves that would be accepted. Nothing "
        "has changed.",
        shape=RuleProblem,
    ),
    ProblemType(
        slug="sign-in-refused",
        status=422,
        title="You are not signed in",
        meaning="The sign-in was not begun here, or too long ago, or has been finished; or the provider does not say "
        "who that is, or says it in a way that is not to be believed. Begin anew.",
    ),
    ProblemType(
        slug="key-reused",
        status=422,
        title="The key was used for another request",
        meaning="An `Idempotency-Key` stands for one request. Take a new key for a new request.",
    ),
    ProblemType(
        slug="not-offered",
        status=422,
        title="That is not offered here",
        meaning="The request is sound, but what it asks for does not exist for this game.",
    ),
    ProblemType(
        slug="too-many",
        status=429,
        title="Not so often",
        meaning="One address may make so many guests in a minute, open so many matches and disputes, follow, audit and "
        "export so many matches at which it has no seat, and have so many connections at a time. `Retry-After` says "
        "when to ask again. Moves are never counted.",
    ),
    ProblemType(
        slug="unavailable",
        status=503,
        title="Try again in a moment",
        meaning="The store cannot answer now. `Retry-After` says when to ask again; with the same `Idempotency-Key` "
        "nothing happens twice.",
    ),
    ProblemType(
        slug="internal",
        status=500,
        title="Kibitz has made a mistake",
        meaning="This is a fault of the service. The log has it under the request id of the answer.",
    ),
)

TYPES: Final[Mapping[str, ProblemType]] = {entry.slug: entry for entry in _TYPES}
