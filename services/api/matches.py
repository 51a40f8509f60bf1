"""Matches: opening one, the lobby, and the live table."""

from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Controller, Request, Response, get, post

from domain.game import Refused
from domain.games import GAMES
from services.api import samples
from services.api.answers import GameId, ListQuery, Page, answer, done_answer, fingerprint, seen_headers, unchanged
from services.api.caller import caller, coming, known_caller, sight
from services.api.counting import count
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.listed import as_seen, listed
from services.api.problems import not_understood
from services.api.reading import context_of, decoded, header, idempotency_key, no_query, query, raw_body
from services.api.refusals import refused_opening
from services.api.shapes import Done
from services.api.table_shapes import LiveTable, LobbyMatch
from services.api.tables import live_table, players_of
from services.requests import OpenRequest

_TAG: Final = "Playing"


class LobbyQuery(ListQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    status: Annotated[
        Literal["open", "revealing", "playing", "finished", "abandoned"] | None,
        msgspec.Meta(description="`open`: seats are free, or seeds are being revealed (`revealing` lists only these)."),
    ] = None
    game: GameId | None = None


_OPEN: Final = Operation(
    name="openMatch",
    tag=_TAG,
    summary="Open a match",
    description=(
        "The caller is the host and may take a seat like everybody else. Options that are not named take their "
        "defaults; `GET /v1/games` has them. A `clock` gives each turn `turn_seconds` and each seat `bank_seconds` for "
        "all its turns together, 0 if they are not named. `spectators: none` keeps everybody out who has no seat; with "
        "`delayed:N` they see a running match as it was N events ago."
    ),
    token="required",  # noqa: S106
    body=OpenRequest,
    body_examples=samples.openings(),
    answers=(json_answer(201, "The match is open.", Done, "Location", "Idempotent-Replay"),),
    problems=("refused", "key-reused", "too-many"),
)
_LOBBY: Final = Operation(
    name="listMatches",
    tag=_TAG,
    summary="The lobby",
    description=(
        "Matches, the newest first. Of one without spectators nobody is told hand, scores and winners here; one that "
        "is watched with a delay stands as it was then."
    ),
    query=LobbyQuery,
    answers=(json_answer(200, "The matches.", Page[LobbyMatch]),),
)
_TABLE: Final = Operation(
    name="readTable",
    tag=_TAG,
    summary="The live table",
    description="The match as the caller sees it now: a player with the cards of the own seat, anybody else without.",
    headers=("If-None-Match",),
    answers=(json_answer(200, "The table.", LiveTable, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)


class MatchesController(Controller):
    path = "/v1/matches"

    @post("/", opt=described(_OPEN))
    async def open(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key = idempotency_key(request)
        player = await known_caller(request)
        body = await raw_body(request)
        asked = decoded(body, OpenRequest)
        context = context_of(request)
        await count(request, "matches")
        await coming(request, player.player)
        try:
            done = await context.matches.open(player.player, asked, body, key)
        except Refused as refused:
            context.metrics.refused(refused)
            raise refused_opening(refused, header(request, "Accept-Language")) from refused
        return done_answer(done, 201, {"Location": f"/v1/matches/{done.match}"})

    @get("/", opt=described(_LOBBY))
    async def lobby(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, LobbyQuery)
        player = await caller(request)
        if asked.game is not None and asked.game not in GAMES:
            raise not_understood("game: there is no such game; GET /v1/games lists them")
        context = context_of(request)
        page = await context.readmodels.lobby(asked.status, asked.game, asked.limit, asked.cursor)
        ids = {seat.player for row in page.items for seat in row.seats if seat.player}
        names = await context.store.names(ids) if ids else {}
        return answer(Page([listed(await as_seen(context, row, player), names) for row in page.items], page.next))

    @get("/{match:str}", opt=described(_TABLE))
    async def table(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        seen = await sight(request)
        context = context_of(request)
        names = await context.store.names(players_of([seen.state]))
        await context.presence.look(seen.match)
        found = answer(live_table(seen.state, seen.head, seen.viewer, names, context.presence))
        headers = seen_headers(seen, "personal", fingerprint(found.content))
        found.headers.update(headers)
        return unchanged(request, headers) or found
