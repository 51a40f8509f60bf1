"""The ledger of time: how long each turn of a match was, and what it left in the bank."""

from typing import Any, Final

from litestar import Controller, Request, Response, get

from domain.match.state import EVENTS, ClockExpired, TimeUsed
from services.api.answers import ListQuery, answer, seen_headers, unchanged
from services.api.caller import sight
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.reading import Version, context_of, query
from services.api.table_shapes import ClockEntry, ClockLedger
from services.cursors import key_in, page_of
from services.store.records import StoredEvent

_CODES: Final = tuple(entry.code for entry in EVENTS if entry.cls in (TimeUsed, ClockExpired))

_LEDGER: Final = Operation(
    name="readClock",
    tag="Watching",
    summary="The ledger of time",
    description=(
        "Every turn that has ended: how long it was, by the times of the events, and what the seat's bank had before "
        "and after, in pages. The clocks that run now are in the live table."
    ),
    query=ListQuery,
    headers=("If-None-Match",),
    answers=(json_answer(200, "The ledger.", ClockLedger, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)


class ClockController(Controller):
    path = "/v1/matches/{match:str}/clock"

    @get("/", opt=described(_LEDGER))
    async def ledger(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, ListQuery)
        (after,) = key_in(asked.cursor, tuple[Version]) or (0,)
        seen = await sight(request)
        headers = seen_headers(seen, "plain")
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        limits = seen.state.clock
        events: list[StoredEvent] = []
        if limits is not None:
            events = await context_of(request).store.events(seen.match, after, asked.limit + 1, _CODES)
        events = [event for event in events if event.version <= seen.state.version]
        page, more = page_of(events, asked.limit, lambda event: (event.version,))
        told = ClockLedger(
            turn_seconds=None if limits is None else limits.turn_seconds,
            bank_seconds=None if limits is None else limits.bank_seconds,
            entries=[_entry(event) for event in page],
            next=more,
        )
        return answer(told, headers=headers)


def _entry(stored: StoredEvent) -> ClockEntry:
    body: TimeUsed | ClockExpired = stored.decoded().body
    return ClockEntry(
        version=stored.version,
        at=stored.at,
        seat=body.seat,
        used=body.used,
        before=body.before,
        after=body.after,
        expired=isinstance(body, ClockExpired),
    )
