"""Replays: an index to jump by, the table after any event, and the whole match to take away."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Controller, Request, Response, get
from litestar.response import Stream

from domain.game import Seat, Viewer
from domain.hidden import b64u
from domain.match import EVENTS
from domain.match.state import State
from services.api.answers import answer, seen_headers, unchanged
from services.api.caller import Sight, sight
from services.api.context import Context
from services.api.counting import count
from services.api.describe import JSON, NOT_MODIFIED, Answer, Operation, described, json_answer
from services.api.disclosing import OPENED, disclosing
from services.api.languages import preferred
from services.api.problems import not_understood
from services.api.reading import context_of, header, no_query, path_number, query
from services.api.readings import fresh_index
from services.api.shapes import Export, ExportSeat, ReplayHand, ReplayIndex, ReplayMark, ReplayStep
from services.api.tables import live_table, names_in, seat_names
from services.disclosure import openable, shown
from services.narration import languages, line_of
from services.problems import Forbidden, NotFound
from services.store.records import StoredEvent, StoredOpening

_TAG: Final = "Watching"
_PAGE: Final = 500
_LINES: Final = "application/jsonl"
_TEXT: Final = "text/plain"
_SEAT: Final = "[0-9]{1,2}|public|all"


class StepQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    seat: (
        Annotated[
            str,
            msgspec.Meta(
                description="A seat, `public` or `all`; else the caller's own.",
                extra_json_schema={"pattern": f"^({_SEAT})$"},
            ),
        ]
        | None
    ) = None


class ExportQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Annotated[
        Literal["json", "jsonl", "txt"],
        msgspec.Meta(description="One JSON document, an event a line, or a transcript to read."),
    ] = "json"


_INDEX: Final = Operation(
    name="readReplayIndex",
    tag=_TAG,
    summary="The index of a replay",
    description="The versions of every hand, and the moments worth jumping to with a line about each.",
    headers=("If-None-Match", "Accept-Language"),
    answers=(json_answer(200, "The index.", ReplayIndex, "ETag", "Cache-Control", "Content-Language"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)
_STEP: Final = Operation(
    name="readReplayStep",
    tag=_TAG,
    summary="The table after an event",
    description=(
        "The table right after event `version`, the event and its text, as a seat, the public or `all` saw it then: "
        "cards that were opened later stay hidden. The own seat and the public can "
        "be asked for at any time; another seat and `all` for hands that are over, or by an arbiter."
    ),
    query=StepQuery,
    headers=("If-None-Match", "Accept-Language"),
    answers=(json_answer(200, "The step.", ReplayStep, "ETag", "Cache-Control", "Content-Language"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)
_EXPORT: Final = Operation(
    name="exportMatch",
    tag=_TAG,
    summary="Take the whole match away",
    description="Everything that the caller may see of the match, as data or as a transcript.",
    query=ExportQuery,
    headers=("If-None-Match", "Accept-Language"),
    answers=(
        Answer(
            status=200,
            means="The match.",
            kinds={JSON: Export, _LINES: None, _TEXT: None},
            headers=("ETag", "Cache-Control", "Content-Language"),
        ),
        NOT_MODIFIED,
    ),
    problems=("not-found", "forbidden", "too-many"),
)


class ReplayController(Controller):
    path = "/v1/matches/{match:str}"

    @get("/replay", opt=described(_INDEX))
    async def index(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        language = preferred(header(request, "Accept-Language"), languages())
        seen = await sight(request)
        context = context_of(request)
        called = await names_in(context.store, seen.state)
        headers = {**seen_headers(seen, "named", f"{language}.{called.tag}"), "Content-Language": language}
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        row = await fresh_index(context, seen.state)
        names = seat_names(seen.state, called.known)
        events = {event.version: event for event in await context.store.events(seen.match, limit=row.versions)}
        entries = await context.store.openings(seen.match, until=row.versions)
        openings = openable(entries, seen.viewer, opened=0)  # what could be seen then: an index is no spoiler
        marks = [
            ReplayMark(
                mark.version, mark.kind, line_of(events[mark.version], openings.get(mark.version, ()), names, language)
            )
            for mark in row.marks
        ]
        hands = [ReplayHand(hand.hand, hand.first, hand.last) for hand in row.hands]
        return answer(ReplayIndex(row.versions, hands, marks), headers=headers)

    @get("/replay/{version:str}", opt=described(_STEP))
    async def step(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, StepQuery)
        version = path_number(request, "version")
        language = preferred(header(request, "Accept-Language"), languages())
        seen = await sight(request)
        if not 1 <= version <= seen.state.version:
            raise NotFound("version of this match")
        context = context_of(request)
        then, _ = await context.matches.past.at(seen.match, version)
        viewer = _viewer(asked, seen, then)
        names = await names_in(context.store, then, seen.state)
        tag = f"{version}.{viewer}.{language}.{names.tag}"
        headers = {**seen_headers(seen, "named", tag), "Content-Language": language}
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        if not seen.over and viewer not in ("public", seen.viewer):
            await disclosing(context, seen, "readReplayStep", version, version, str(viewer))
        (event,) = await context.store.events(seen.match, after=version - 1, limit=1)
        openings = await context.store.openings(seen.match, after=version - 1, until=version)
        (data,) = shown([event], openings, viewer, then.opened)
        text = line_of(
            event,
            openable(openings, viewer, then.opened).get(version, ()),
            seat_names(_seated(then, seen.state), names.known),
            language,
        )
        table = live_table(then, event.hash, viewer, names.known, None)
        return answer(ReplayStep(version, msgspec.Raw(data), table, text), headers=headers)

    @get("/export", opt=described(_EXPORT))
    async def export(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, ExportQuery)
        language = preferred(header(request, "Accept-Language"), languages())
        seen = await sight(request)
        context = context_of(request)
        names = await names_in(context.store, seen.state)
        if asked.format == "jsonl":  # the one format without names
            headers = seen_headers(seen, "plain", f"{asked.format}.{language}")
        else:
            headers = seen_headers(seen, "named", f"{asked.format}.{language}.{names.tag}")
        headers["Content-Language"] = language
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        await count(request, "exports", seated=seen.seat is not None)
        if seen.state.opened and not seen.over:
            await disclosing(context, seen, "exportMatch", 1, seen.state.version, OPENED)
        match asked.format:
            case "json":
                return _streamed(_document(context, seen, names.known), JSON, headers)
            case "jsonl":
                return _streamed(_event_lines(context, seen), _LINES, headers)
            case _:
                lines = _transcript(context, seen, seat_names(seen.state, names.known), language)
                return _streamed(lines, _TEXT, headers)


def _streamed(chunks: AsyncIterator[bytes], media_type: str, headers: dict[str, str]) -> Response[bytes]:
    return Stream(chunks, media_type=media_type, headers=headers)  # type: ignore[return-value] # its content is chunks


def _viewer(asked: StepQuery, seen: Sight, then: State) -> Viewer:
    """Whose view is given. Raises a 400, ``NotFound``, and ``Forbidden`` for cards that are hidden from the caller."""
    if asked.seat is None:
        return seen.viewer
    if not re.fullmatch(_SEAT, asked.seat):
        raise not_understood("seat: a number, public or all")
    viewer: Viewer = "public" if asked.seat == "public" else "all" if asked.seat == "all" else int(asked.seat)
    if isinstance(viewer, int) and viewer >= len(then.seats):
        raise NotFound("seat in this match")
    if seen.may_look_back(viewer, then):
        return viewer
    raise Forbidden("the hand is not over: other seats' cards are shown when it is")


def _seated(then: State, now: State) -> State:
    """Names are those of the seats as the match has them now; a seat that is free now is as it was then."""
    return now if all(now.seats) else then


async def _pages(context: Context, seen: Sight) -> AsyncIterator[tuple[list[StoredEvent], list[StoredOpening]]]:
    """The events of the match up to the version that was seen, with their openings."""
    after = 0
    while after < seen.state.version:
        limit = min(_PAGE, seen.state.version - after)
        events = await context.store.events(seen.match, after=after, limit=limit)
        openings = await context.store.openings(seen.match, after=after, until=events[-1].version)
        yield events, openings
        after = events[-1].version


async def _document(context: Context, seen: Sight, names: dict[str, str]) -> AsyncIterator[bytes]:
    state = seen.state
    seats = [_export_seat(seat, state, names) for seat in range(len(state.seats))]
    options = msgspec.to_builtins(state.options)
    head = b64u(seen.head)
    whole = Export(seen.match, state.game, options, state.status, seats, state.version, head, [])
    yield msgspec.json.encode(whole).removesuffix(b"]}")
    comma = b""
    async for events, openings in _pages(context, seen):
        for data in shown(events, openings, seen.viewer, state.opened):
            yield comma + data
            comma = b","
    yield b"]}"


def _export_seat(seat: Seat, state: State, names: dict[str, str]) -> ExportSeat:
    sitting = state.seats[seat]
    if sitting is None:
        return ExportSeat(seat, None, None)
    return ExportSeat(seat, sitting.player, names.get(sitting.player, ""))


async def _event_lines(context: Context, seen: Sight) -> AsyncIterator[bytes]:
    async for events, openings in _pages(context, seen):
        yield b"".join(data + b"\n" for data in shown(events, openings, seen.viewer, seen.state.opened))


async def _transcript(context: Context, seen: Sight, names: list[str], language: str) -> AsyncIterator[bytes]:
    yield f"{seen.state.game} {seen.match}\n\n".encode()
    async for events, openings in _pages(context, seen):
        opened = openable(openings, seen.viewer, seen.state.opened)
        for event in events:
            gap = "\n" if EVENTS.coded(event.code).mark == "deal" else ""
            text = line_of(event, opened.get(event.version, ()), names, language)
            yield f"{gap}{event.version:5}  {text}\n".encode()
