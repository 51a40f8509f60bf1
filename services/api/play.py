"""Playing: seats, seeds, moves and resigning. The seat is never in a request: it comes from the token."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Controller, Request, Response, delete, get, post

from services.api import samples
from services.api.answers import answer, done_answer, seen_headers, unchanged
from services.api.caller import coming, known_caller, sight
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.moving import game_of, moved
from services.api.problems import trouble
from services.api.reading import (
    AnyRequest,
    context_of,
    decoded,
    expected_versions,
    header,
    idempotency_key,
    no_query,
    path_id,
    raw_body,
    says_nothing,
)
from services.api.refusals import explained
from services.api.schemas import MOVE
from services.api.shapes import (
    BotsRequest,
    Done,
    LegalMoves,
    MoveCheck,
    Nothing,
    RefusedMove,
    SeatRequest,
    SeedRequest,
)
from services.bots import levels_of
from services.matches import Matches
from services.moves import moves_of
from services.requests import Done as Outcome
from services.rights import seat_by

_TAG: Final = "Playing"
_COMMITMENT: Final = "6EiWQd6cJLKk1MLq2ZIB1y9mZk0M2JxUnZ8dQAqWcFk"
_COMMON: Final = ("not-found", "not-your-seat", "wrong-state", "refused", "key-reused")
_DONE: Final = json_answer(200, "It is done, and stored.", Done, "Idempotent-Replay")

_SEAT: Final = Operation(
    name="takeSeat",
    tag=_TAG,
    summary="Take a seat",
    description=(
        "Before the start. When every seat is taken, seats that committed to a seed reveal it with "
        "`POST /v1/matches/{match}/seed`; then the match starts by itself. A seat whose commitment became void commits "
        "anew with the same operation."
    ),
    token="required",  # noqa: S106
    body=SeatRequest,
    optional_body=True,
    body_examples={"any": {}, "own seed": {"seat": 2, "seed_commitment": _COMMITMENT}},
    answers=(_DONE,),
    problems=(*_COMMON, "full"),
)
_LEAVE: Final = Operation(
    name="leaveSeat",
    tag=_TAG,
    summary="Leave my seat",
    description="Before the start. Afterwards a player resigns. A body that says anything is refused.",
    token="required",  # noqa: S106
    answers=(_DONE,),
    problems=("not-found", "not-your-seat", "wrong-state"),
)
_BOTS: Final = Operation(
    name="seatBots",
    tag=_TAG,
    summary="Seat bots",
    description=(
        "The host's to do, before the start: all of the seats or none. Bots play as soon as it is their turn. At level "
        "`random` they make any legal move, at level `heuristic` they play with card sense, from what their seat sees."
    ),
    token="required",  # noqa: S106
    body=BotsRequest,
    body_examples={"two": {"seats": [1, 2], "level": "heuristic"}},
    answers=(_DONE,),
    problems=(*_COMMON, "full", "not-offered"),
)
_SEED: Final = Operation(
    name="revealSeed",
    tag=_TAG,
    summary="Reveal my seed",
    description="The 32 bytes behind the commitment, within 60 seconds after the last seat has committed.",
    token="required",  # noqa: S106
    body=SeedRequest,
    body_examples={"seed": {"seed": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}},
    answers=(_DONE,),
    problems=_COMMON,
)
_LEGAL: Final = Operation(
    name="listMoves",
    tag=_TAG,
    summary="What can I play?",
    description="Every legal move of the caller and, for what suggests itself and is not allowed, the clause why.",
    token="required",  # noqa: S106
    headers=("If-None-Match",),
    answers=(json_answer(200, "The moves.", LegalMoves, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "not-your-seat", "forbidden"),
)
_MOVE: Final = Operation(
    name="makeMove",
    tag=_TAG,
    summary="Make a move",
    description=(
        "The body is one move of the game. `If-Match` names the version that the move was chosen at (or several that "
        "will do): if the match has moved on, nothing happens and the answer has what was missed. A refused attempt "
        "changes nothing."
    ),
    token="required",  # noqa: S106
    body=MOVE,
    body_examples=samples.moves(),
    headers=("If-Match",),
    answers=(_DONE,),
    problems=(*_COMMON, "out-of-turn", "too-late", "version-mismatch"),
)
_CHECK: Final = Operation(
    name="checkMove",
    tag=_TAG,
    summary="Would this move be accepted?",
    description="A dry run: nothing is stored, not even a refusal.",
    token="required",  # noqa: S106
    body=MOVE,
    body_examples=samples.moves(),
    answers=(json_answer(200, "Whether it would, and why not.", MoveCheck),),
    problems=("not-found", "not-your-seat"),
)
_RESIGN: Final = Operation(
    name="resign",
    tag=_TAG,
    summary="Resign",
    description=(
        "From then on the house plays for the seat, which cannot win. Before the start the host calls it off. A body "
        "that says anything is refused."
    ),
    token="required",  # noqa: S106
    body=Nothing,
    optional_body=True,
    body_examples={"nothing": {}},
    answers=(_DONE,),
    problems=("not-found", "not-your-seat", "wrong-state", "key-reused"),
)


class PlayController(Controller):
    path = "/v1/matches/{match:str}"

    @post("/seats", status_code=200, opt=described(_SEAT))
    async def take_seat(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        async def seat(matches: Matches, asked: _Asked) -> Outcome:
            told = decoded(asked.body or b"{}", SeatRequest)
            await coming(request, asked.player)
            return await matches.seat(asked.match, asked.player, told.seat, told.seed_commitment, asked.body, asked.key)

        return await _commanded(request, seat)

    @delete("/seats/me", status_code=200, opt=described(_LEAVE))
    async def leave(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        def leave(matches: Matches, asked: _Asked) -> Awaitable[Outcome]:
            says_nothing(asked.body)
            return matches.leave(asked.match, asked.player, asked.key)

        return await _commanded(request, leave)

    @post("/bots", status_code=200, opt=described(_BOTS))
    async def seat_bots(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        async def seat(matches: Matches, asked: _Asked) -> Outcome:
            told = decoded(asked.body, BotsRequest)
            levels = levels_of(await game_of(context_of(request), asked.match))
            if told.level not in levels:
                offered = ", ".join(levels)
                raise trouble("not-offered", f"no {told.level} bot plays this game; there are these levels: {offered}")
            return await matches.seat_bots(asked.match, asked.player, told.seats, told.level, asked.body, asked.key)

        return await _commanded(request, seat)

    @post("/seed", status_code=200, opt=described(_SEED))
    async def reveal(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        def reveal(matches: Matches, asked: _Asked) -> Awaitable[Outcome]:
            told = decoded(asked.body, SeedRequest)
            return matches.reveal(asked.match, asked.player, told.seed, asked.body, asked.key)

        return await _commanded(request, reveal)

    @get("/moves", opt=described(_LEGAL))
    async def moves(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player = await known_caller(request)
        seen = await sight(request)
        headers = seen_headers(seen, "personal")
        context = context_of(request)
        async with explained(context, seen.match, player.player, header(request, "Accept-Language")):
            legal = moves_of(seen.state, seat_by("listMoves", seen.state, player.player))  # at the version of the ETag
        refused = [RefusedMove(_raw(why.move), why.rulebook, why.clause, why.reason) for why in legal.refused]
        shown = LegalMoves(legal.version, legal.seat, [_raw(move) for move in legal.moves], refused)
        return unchanged(request, headers) or answer(shown, headers=headers)

    @post("/moves", status_code=200, opt=described(_MOVE))
    async def move(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = await _asked(request)  # the long way: see ``shortcut``
        named, context = expected_versions(request), context_of(request)
        return done_answer(
            await moved(context, asked.match, asked.player, asked.body, asked.key, named, asked.language)
        )

    @post("/moves/check", status_code=200, opt=described(_CHECK))
    async def check(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = await _asked(request)
        context = context_of(request)
        async with explained(context, asked.match, asked.player, asked.language):
            check = await context.matches.check(asked.match, asked.player, asked.body)
        shown = MoveCheck(check.legal, check.rulebook or None, check.clause or None, check.reason or None)
        return answer(shown)

    @post("/resign", status_code=200, opt=described(_RESIGN))
    async def resign(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        def resign(matches: Matches, asked: _Asked) -> Awaitable[Outcome]:
            says_nothing(asked.body)
            return matches.resign(asked.match, asked.player, asked.key)

        return await _commanded(request, resign)


class _Asked(NamedTuple):
    """A command as it was sent. ``language`` is what the caller likes to read, as ``Accept-Language`` says it."""

    match: str
    player: str
    key: str | None
    body: bytes
    language: str | None


async def _asked(request: AnyRequest) -> _Asked:
    no_query(request)
    key = idempotency_key(request)
    match = path_id(request, "match")
    player = await known_caller(request)
    return _Asked(match, player.player, key, await raw_body(request), header(request, "Accept-Language"))


async def _commanded(request: AnyRequest, command: Callable[[Matches, _Asked], Awaitable[Outcome]]) -> Response[bytes]:
    """Reads the request, runs the command that it is, and answers with what that led to, or why it is refused."""
    asked = await _asked(request)
    context = context_of(request)
    async with explained(context, asked.match, asked.player, asked.language):
        return done_answer(await command(context.matches, asked))


def _raw(move: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(move))
