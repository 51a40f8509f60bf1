"""Many moves in one request, for bots and importers; and how one of several moves is answered."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec
import structlog
from litestar import Controller, Request, Response, post

from domain.game import Seat
from domain.hidden import b64u
from services.api import samples
from services.api.answers import answer
from services.api.caller import known_caller
from services.api.context import Context
from services.api.describe import Operation, described, json_answer
from services.api.moving import moved
from services.api.problem_types import MISSED, AnyProblem, EventJson
from services.api.problems import problem_of
from services.api.reading import context_of, decoded, header, idempotency_key, known_id, no_query, raw_body
from services.api.refusals import Allowance, raws
from services.api.shapes import Asked
from services.requests import Done
from services.trail import begin, current

log = structlog.get_logger()

MOST: Final = 256
"""How many moves one request has at most."""

AnyMove = Annotated[
    msgspec.Raw,
    msgspec.Meta(extra_json_schema={"description": "A `Move` of the match. What is none is refused alone."}),
]
Key = Annotated[
    str, msgspec.Meta(min_length=1, max_length=255, pattern=r"^[ -~]+$(?!\n)", description="As `Idempotency-Key`.")
]
Expected = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1, description="The version that the move is for; else any.")]


class SocketMove(Asked, frozen=True, kw_only=True):
    """One move that is sent through a socket."""

    key: Key
    move: AnyMove
    expected: Expected | None = None


class BatchMove(SocketMove, frozen=True, kw_only=True):
    """One move of several."""

    match: str


class MoveResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the move with that key: ``status`` is 200, and what it led to is there, or ``problem`` is.

    ``replayed`` says that the key had been answered before.
    """

    key: str | None
    status: int
    seat: Seat | msgspec.UnsetType | None = msgspec.UNSET
    version: int | msgspec.UnsetType = msgspec.UNSET
    head: str | msgspec.UnsetType = msgspec.UNSET
    events: list[EventJson] | msgspec.UnsetType = msgspec.UNSET
    replayed: bool | msgspec.UnsetType = msgspec.UNSET
    problem: AnyProblem = msgspec.UNSET


class BatchResult(MoveResult, frozen=True, kw_only=True):
    """What became of one of several moves."""

    match: str


Batch = Annotated[list[BatchMove], msgspec.Meta(min_length=1, max_length=MOST)]
Results = Annotated[list[BatchResult], msgspec.Meta(max_length=MOST)]

_BATCH: Final = Operation(
    name="makeMoves",
    tag="Playing",
    summary="Make many moves",
    description=(
        "Moves in any number of matches, 256 at most. Those in one match are made in the order given, those in "
        "different matches together. Each is what a single move with its `key` as `Idempotency-Key`, and `expected` in "
        "`If-Match`, would be: made once, however often it is sent, as long as the bytes of the move are the same. The "
        "answer has a result for each, in the order given: `status` 200 and what the move led to, or the "
        "`status` and `problem` that it would have been answered with alone; but all conflicts of one answer together "
        f"carry {MISSED} missed events at most, and `GET .../events` has the others. One that is refused holds up no "
        "other. "
        "What is not understood as a whole changes nothing."
    ),
    token="required",  # noqa: S106
    body=Batch,
    body_examples={"one": [samples.batched()]},
    answers=(json_answer(200, "A result for each move.", Results),),
)


class BatchController(Controller):
    path = "/v1"

    @post("/moves:batch", status_code=200, opt=described(_BATCH))
    async def moves(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        idempotency_key(request)
        player = await known_caller(request)
        asked = decoded(await raw_body(request), Batch)
        accept, context = header(request, "Accept-Language"), context_of(request)
        in_match: dict[str, list[int]] = {}
        for place, item in enumerate(asked):
            in_match.setdefault(item.match.lower(), []).append(place)
        found: dict[int, BatchResult] = {}
        allowance = Allowance()

        async def one_after_another(places: Sequence[int]) -> None:
            for place in places:
                found[place] = await _result(context, player.player, asked[place], accept, allowance)

        await asyncio.gather(*(one_after_another(places) for places in in_match.values()))
        return answer([found[place] for place in range(len(asked))])


async def _result(
    context: Context, player: str, item: BatchMove, accept: str | None, allowance: Allowance
) -> BatchResult:
    outer = current()
    begin(outer.request_id, outer.span)
    try:
        match = known_id(item.match, "match")
        named = None if item.expected is None else frozenset((item.expected,))
        done = await moved(context, match, player, bytes(item.move), item.key, named, accept, allowance)
    except Exception as error:  # noqa: BLE001 - told as everywhere; what is our own fault is in the log
        told = refused(item.key, error, accept)
    else:
        told = answered(item.key, done)
    log.info("moved", status=told.status)
    return BatchResult(match=item.match, **{name: getattr(told, name) for name in told.__struct_fields__})


def answered(key: str, done: Done) -> MoveResult:
    """A move that was made."""
    return MoveResult(
        key=key,
        status=200,
        seat=done.seat,
        version=done.version,
        head=b64u(done.head),
        events=raws(done.events),
        replayed=done.replayed,
    )


def refused(key: str | None, error: Exception, accept: str | None) -> MoveResult:
    """A move that was not made, and why; the title is in the best of the languages that ``accept`` names."""
    problem = problem_of(error, accept)
    return MoveResult(key=key, status=problem.status, problem=problem)
