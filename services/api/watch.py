"""Watching: events, score sheets, the stream, histories and the leaderboard."""

import csv
import io
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Controller, Request, Response, get
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp

from domain.games import GAMES
from domain.hidden import b64u
from services.api.answers import GameId, Limit, ListQuery, Page, answer, seen_headers, unchanged
from services.api.caller import Sight, caller, sight, token_of
from services.api.counting import count
from services.api.describe import JSON, NOT_MODIFIED, Answer, Operation, described, json_answer
from services.api.languages import preferred
from services.api.listed import told_history
from services.api.media import preferred_kind
from services.api.problems import not_understood, trouble
from services.api.reading import AnyConnection, Version, context_of, header, last_event_id, path_id, query
from services.api.readings import fresh_sheet
from services.api.refusals import raws
from services.api.schemas import EVENT
from services.api.shapes import EventPage, Leader, PlayerMatch, ScoreSheet, SheetHand, SheetRuling
from services.api.stream import Stream
from services.api.tables import names_in, seat_names
from services.disclosure import shown
from services.narration import languages, note
from services.problems import NotFound

_TAG: Final = "Watching"
_CSV: Final = "text/csv"

Head = Annotated[
    str,
    msgspec.Meta(
        pattern="^[A-Za-z0-9_-]{43}$",
        description="The `hash` of event `after`: if the match has another one there now, it is a 409.",
    ),
]
After = Annotated[Version, msgspec.Meta(description="The version after which to begin; 0 for the beginning.")]


_FRAME: Final = {
    "title": "Frame",
    "description": "One server-sent event. With `with=table`, its data has `table` beside the keys of the event.",
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$", "description": "The version."},
        "event": {"type": "string", "description": "The type of the event."},
        "data": {"type": "string", "contentMediaType": JSON, "contentSchema": EVENT},
    },
    "required": ["id", "event", "data"],
}


class EventsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    after: After = 0
    limit: Limit = 50


class StreamQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    after: After | None = None
    head: Head | None = None
    extra: Annotated[
        Literal["table"] | None, msgspec.Meta(description="`table`: every frame has the table after its event, too.")
    ] = msgspec.field(default=None, name="with")


class SheetQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Annotated[
        Literal["json", "csv"] | None, msgspec.Meta(description="Stronger than `Accept`; JSON if neither says csv.")
    ] = None


class LeaderQuery(ListQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    game: GameId | None = None


_EVENTS: Final = Operation(
    name="listEvents",
    tag=_TAG,
    summary="The events",
    description=(
        "What happened, as the caller may see it. A hidden value shows `{to, digest}`; whoever may see it gets `salt` "
        "and `value` too. Without these two and `hash`, keys sorted, an event is the record byte for byte."
    ),
    query=EventsQuery,
    headers=("If-None-Match",),
    answers=(json_answer(200, "A page of events.", EventPage, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)
_STREAM: Final = Operation(
    name="streamEvents",
    tag=_TAG,
    summary="Follow a match",
    description=(
        "Server-sent events: `id` is the version, `event` the type, `data` the event as the caller may see it. Begins "
        "after `Last-Event-ID`, or `after`, or at the beginning, however long ago that was. With `head`, too, it is "
        "made sure that this is still the same record: a service that was restored from a backup may have gone on from "
        "less than a client has seen, with other events. A comment every 15 seconds "
        "keeps the line open. The stream ends after the last event of a match; if it ends before, go on from the last "
        "id. Events that were sent are not sent again when a hand is opened: the `HandEnded` event has its secret. It "
        "ends, too, when the caller's token is revoked, or when a match without spectators starts without the caller."
    ),
    query=StreamQuery,
    headers=("Last-Event-ID",),
    answers=(
        Answer(status=200, means="The stream.", kinds={"text/event-stream": _FRAME}),
        Answer(status=204, means="The match is over and its last event was seen: an `EventSource` stops here."),
    ),
    problems=("not-found", "forbidden", "ahead-of-match", "too-many"),
)
_SHEET: Final = Operation(
    name="readScoreSheet",
    tag=_TAG,
    summary="The score sheet",
    description=(
        "Points and totals hand by hand, and what rulings changed, as JSON or as a table (CSV) by `Accept` or `format`."
    ),
    query=SheetQuery,
    headers=("If-None-Match", "Accept-Language"),
    answers=(
        Answer(
            status=200,
            means="The score sheet.",
            kinds={JSON: ScoreSheet, _CSV: None},
            headers=("ETag", "Cache-Control", "Content-Language"),
        ),
        NOT_MODIFIED,
    ),
    problems=("not-found", "forbidden"),
)
_HISTORY: Final = Operation(
    name="listPlayerMatches",
    tag=_TAG,
    summary="A player's matches",
    description=(
        "The newest first. Of a match that the caller may not watch, `hands`, `score` and `won` are null; one that is "
        "watched with a delay stands as it was then."
    ),
    query=ListQuery,
    answers=(json_answer(200, "The matches.", Page[PlayerMatch]),),
    problems=("not-found",),
)
_LEADERS: Final = Operation(
    name="readLeaderboard",
    tag=_TAG,
    summary="The leaderboard",
    description="Players by matches won; among equals, who needed fewer stands first.",
    query=LeaderQuery,
    answers=(json_answer(200, "The players.", Page[Leader]),),
)


class WatchController(Controller):
    path = "/v1"

    @get("/matches/{match:str}/events", opt=described(_EVENTS))
    async def events(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, EventsQuery)
        seen = await sight(request)
        more = asked.after + asked.limit < seen.state.version  # then nothing can be added to this page
        headers = seen_headers(seen, "settled" if more else "plain")
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        store = context_of(request).store
        limit = max(0, min(asked.limit, seen.state.version - asked.after))
        events = await store.events(seen.match, after=asked.after, limit=limit)
        last = events[-1].version if events else asked.after
        openings = await store.openings(seen.match, after=asked.after, until=last) if events else []
        found = raws(tuple(shown(events, openings, seen.viewer, seen.state.opened)))
        return answer(EventPage(found, last if more else None), headers=headers)

    @get("/matches/{match:str}/stream", opt=described(_STREAM))
    async def stream(self, request: Request[Any, Any, Any]) -> ASGIApp:
        asked = query(request, StreamQuery)
        seen, token = await sight(request), token_of(request)
        after = await started_after(request, asked, seen)
        if seen.over and after == seen.state.version:
            return ASGIResponse(status_code=204)  # tells an EventSource not to come back
        await count(request, "feeds", seated=seen.seat is not None)
        return Stream(context_of(request), seen, token, after, tables=asked.extra == "table")

    @get("/matches/{match:str}/score-sheet", opt=described(_SHEET))
    async def score_sheet(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, SheetQuery)
        language = preferred(header(request, "Accept-Language"), languages())
        seen = await sight(request)
        liked = preferred_kind(header(request, "Accept"), JSON, _CSV)
        as_csv = asked.format == "csv" or (asked.format is None and liked == _CSV)
        names = await names_in(context_of(request).store, seen.state)
        tag = f"{language}.{'csv' if as_csv else 'json'}.{names.tag}"
        headers = {**seen_headers(seen, "named", tag), "Content-Language": language}
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        sheet = await _sheet(request, seen, seat_names(seen.state, names.known), language)
        if as_csv:
            return answer(_table(sheet), headers=headers, media_type=_CSV)
        return answer(sheet, headers=headers)

    @get("/players/{player:str}/matches", opt=described(_HISTORY))
    async def history(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, ListQuery)
        looking = await caller(request)
        player, context = path_id(request, "player"), context_of(request)
        if await context.store.player(player) is None:
            raise NotFound("player")
        page = await context.readmodels.matches_of(player, asked.limit, asked.cursor)
        return answer(Page(await told_history(context, page.items, player, looking), page.next))

    @get("/leaderboard", opt=described(_LEADERS))
    async def leaders(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, LeaderQuery)
        await caller(request)
        if asked.game is not None and asked.game not in GAMES:
            raise not_understood("game: there is no such game; GET /v1/games lists them")
        context = context_of(request)
        page = await context.readmodels.leaderboard(asked.game, asked.limit, asked.cursor)
        names = await context.store.names([row.player for row in page.items])
        rows = [Leader(row.player, names.get(row.player, ""), row.finished, row.won) for row in page.items]
        return answer(Page(rows, page.next))


async def started_after(request: AnyConnection, asked: StreamQuery, seen: Sight) -> int:
    """The version after which a stream begins. Raises a 409 for one that is not there for the caller yet, or is another
    one than the caller has seen.
    """
    last = last_event_id(request)
    after = last if last is not None else asked.after or 0
    if after > seen.state.version:
        detail = f"the match is at version {seen.state.version}, not yet at {after}"
        raise trouble("ahead-of-match", detail, version=seen.state.version, events=[])
    if asked.head is not None and not await _is_head(request, asked.head, asked.after or 0, seen):
        detail = f"event {asked.after} of the match is another one than you have seen: the service was restored"
        raise trouble("ahead-of-match", detail, version=seen.state.version, events=[])
    return after


async def _is_head(request: AnyConnection, head: str, version: int, seen: Sight) -> bool:
    """Whether that is the hash of that event. Raises a 400 where none is named."""
    if not version:
        raise not_understood("head is the hash of event after: name that, too")
    if version > seen.state.version:
        return False
    [event] = await context_of(request).store.events(seen.match, after=version - 1, limit=1)
    return b64u(event.hash) == head


async def _sheet(request: Request[Any, Any, Any], seen: Sight, names: list[str], language: str) -> ScoreSheet:
    state = seen.state
    row = await fresh_sheet(context_of(request), state)
    hands = [
        SheetHand(
            hand=line.hand,
            first=line.first,
            last=line.last,
            points=list(line.points),
            totals=list(line.totals),
            notes=[note(entry, names, language) for entry in line.notes],
            void=line.void,
        )
        for line in row.hands
    ]
    rulings = [msgspec.convert(line, SheetRuling, from_attributes=True) for line in row.rulings]
    titles = [name or f"Seat {seat}" for seat, name in enumerate(names)]
    return ScoreSheet(seen.match, state.game, titles, hands, rulings, list(row.totals), list(row.winners))


def _table(sheet: ScoreSheet) -> bytes:
    """The sheet as RFC 4180 has it: a line for each hand and each ruling, two columns for each seat.

    Names cannot become formulas.
    """
    out = io.StringIO()
    lines = csv.writer(out)
    names = [f"'{name}" if name[:1] in "=+-@\t\r" else name for name in sheet.seats]
    columns = [f"{name} {what}" for name in names for what in ("points", "total")]
    lines.writerow(["hand", "first", "last", *columns, "notes"])
    for hand in sheet.hands:
        figures = [figure for pair in zip(hand.points, hand.totals, strict=True) for figure in pair]
        notes = [*hand.notes, *(["void"] if hand.void else [])]
        lines.writerow([hand.hand, hand.first, hand.last, *figures, "; ".join(notes)])
    for ruling in sheet.rulings:
        figures = [figure for pair in zip(ruling.points, ruling.totals, strict=True) for figure in pair]
        about = " ".join(filter(None, [ruling.ruling, str(ruling.hand or ""), ruling.clause]))
        lines.writerow(["ruling", ruling.version, ruling.version, *figures, about])
    return out.getvalue().encode()
