"""Playing: seats, seeds, moves and resigning. The seat is never in a request: it comes from the token."""

from typing import Any, Final

import msgspec
from litestar import Controller, Request, Response, delete, get, post

from domain.hidden import b64u
from services.api.answers import answer, seen_headers, unchanged
from services.api.caller import known_caller, sight
from services.api.context import Context
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.problem_types import PAGES
from services.api.problems import Trouble, trouble
from services.api.reading import (
    AnyRequest,
    context_of,
    decoded,
    expected_version,
    idempotency_key,
    no_query,
    path_id,
    raw_body,
)
from services.api.refusals import explained, raws
from services.api.schemas import MOVE
from services.api.shapes import BotsRequest, Done, LegalMoves, MoveCheck, RefusedMove, SeatRequest, SeedRequest
from services.bots import levels_of
from services.matches import Done as Outcome

_TAG: Final = "Playing"
_GAMES_KEPT: Final = 100_000
_COMMITMENT: Final = "6EiWQd6cJLKk1MLq2ZIB1y9mZk0M2JxUnZ8dQAqWcFk"
_COMMON: Final = ("not-found", "not-your-seat", "wrong-state", "refused", "key-reused")
_DONE: Final = json_answer(200, "It is done, and stored.", Done, "Idempotent-Replay")
_PLAY: Final = {"type": "play", "cards": ["10", "10", "J"]}

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
    problems=_COMMON,
)
_LEAVE: Final = Operation(
    name="leaveSeat",
    tag=_TAG,
    summary="Leave my seat",
    description="Before the start. Afterwards a player resigns.",
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
    problems=(*_COMMON, "not-offered"),
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
        "The body is one move of the game. `If-Match` names the version that the move was chosen at: if the match has "
        "moved on, nothing happens and the answer has what was missed. A refused attempt changes nothing."
    ),
    token="required",  # noqa: S106
    body=MOVE,
    body_examples={"whos-the-ass: play": _PLAY, "whos-the-ass: pass": {"type": "pass"}},
    headers=("If-Match",),
    answers=(_DONE,),
    problems=(*_COMMON, "out-of-turn", "version-mismatch"),
)
_CHECK: Final = Operation(
    name="checkMove",
    tag=_TAG,
    summary="Would this move be accepted?",
    description="A dry run: nothing is stored, not even a refusal.",
    token="required",  # noqa: S106
    body=MOVE,
    body_examples={"whos-the-ass: play": _PLAY},
    answers=(json_answer(200, "Whether it would, and why not.", MoveCheck),),
    problems=("not-found", "not-your-seat"),
)
_RESIGN: Final = Operation(
    name="resign",
    tag=_TAG,
    summary="Resign",
    description="From then on the house plays for the seat, which cannot win. Before the start the host calls it off.",
    token="required",  # noqa: S106
    answers=(_DONE,),
    problems=("not-found", "not-your-seat", "wrong-state", "key-reused"),
)


class PlayController(Controller):
    path = "/v1/matches/{match:str}"

    @post("/seats", status_code=200, opt=described(_SEAT))
    async def take_seat(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, key, body = await _asked(request)
        asked = decoded(body or b"{}", SeatRequest)
        context = context_of(request)
        async with explained(context, match, player):
            done = await context.matches.seat(match, player, asked.seat, asked.seed_commitment, body, key)
        return _answer(done)

    @delete("/seats/me", status_code=200, opt=described(_LEAVE))
    async def leave(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, key, _ = await _asked(request)
        context = context_of(request)
        async with explained(context, match, player):
            done = await context.matches.leave(match, player, key)
        return _answer(done)

    @post("/bots", status_code=200, opt=described(_BOTS))
    async def seat_bots(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, key, body = await _asked(request)
        asked = decoded(body, BotsRequest)
        context = context_of(request)
        levels = levels_of(await _game_of(context, match))
        if asked.level not in levels:
            raise trouble(
                "not-offered", f"no {asked.level} bot plays this game; there are these levels: {', '.join(levels)}"
            )
        async with explained(context, match, player):
            done = await context.matches.seat_bots(match, player, asked.seats, asked.level, body, key)
        return _answer(done)

    @post("/seed", status_code=200, opt=described(_SEED))
    async def reveal(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, key, body = await _asked(request)
        asked = decoded(body, SeedRequest)
        context = context_of(request)
        async with explained(context, match, player):
            done = await context.matches.reveal(match, player, asked.seed, body, key)
        return _answer(done)

    @get("/moves", opt=described(_LEGAL))
    async def moves(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player = await known_caller(request)
        seen = await sight(request)
        headers = seen_headers(seen, "personal")
        context = context_of(request)
        async with explained(context, seen.match, player.player):
            legal = await context.matches.legal(seen.match, player.player)
        refused = [RefusedMove(_raw(why.move), why.rulebook, why.clause, why.reason) for why in legal.refused]
        shown = LegalMoves(legal.version, legal.seat, [_raw(move) for move in legal.moves], refused)
        return unchanged(request, headers) or answer(shown, headers=headers)

    @post("/moves", status_code=200, opt=described(_MOVE))
    async def move(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, key, body = await _asked(request)
        expected = expected_version(request)
        context = context_of(request)
        game = await _game_of(context, match)
        try:
            async with explained(context, match, player, expected):
                done = await context.matches.move(match, player, body, key, expected)
        except Trouble as error:
            context.metrics.moves.labels(game, error.problem.type.removeprefix(PAGES)).inc()
            raise
        context.metrics.moves.labels(game, "replayed" if done.replayed else "accepted").inc()
        return _answer(done)

    @post("/moves/check", status_code=200, opt=described(_CHECK))
    async def check(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, _, body = await _asked(request)
        context = context_of(request)
        async with explained(context, match, player):
            check = await context.matches.check(match, player, body)
        shown = MoveCheck(check.legal, check.rulebook or None, check.clause or None, check.reason or None)
        return answer(shown)

    @post("/resign", status_code=200, opt=described(_RESIGN))
    async def resign(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        match, player, key, _ = await _asked(request)
        context = context_of(request)
        async with explained(context, match, player):
            done = await context.matches.resign(match, player, key)
        return _answer(done)


async def _asked(request: AnyRequest) -> tuple[str, str, str | None, bytes]:
    """Match, player, key and body of a command."""
    no_query(request)
    key = idempotency_key(request)
    match = path_id(request, "match")
    player = await known_caller(request)
    return match, player.player, key, await raw_body(request)


async def _game_of(context: Context, match: str) -> str:
    """The game of a match, which never changes: asked once."""
    known = context.games.get(match)
    if known is None:
        if len(context.games) >= _GAMES_KEPT:
            context.games.clear()
        known = context.games[match] = (await context.matches.state(match)).game
    return known


def _answer(done: Outcome) -> Response[bytes]:
    shown = Done(done.match, done.seat, done.version, b64u(done.head), raws(done.events))
    return answer(shown, headers={"Idempotent-Replay": "true"} if done.replayed else {})


def _raw(move: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(move))
