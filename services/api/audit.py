"""Auditing: what anybody can check of a match, checked by the server."""

import asyncio
from typing import Any, Final

from litestar import Controller, Request, Response, get

from services.api.answers import answer, seen_headers, unchanged
from services.api.caller import sight
from services.api.counting import count_read
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.reading import context_of, no_query
from services.audit import Report, audit

_AUDIT: Final = Operation(
    name="auditMatch",
    tag="Auditing",
    summary="Audit a match",
    description=(
        "Reads the record from the store and does it all again: bytes, hash chain, secrets, deals, openings, every "
        "move and every score. `limits` says what no audit of this kind can show."
    ),
    headers=("If-None-Match",),
    answers=(json_answer(200, "The report.", Report, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden", "too-many"),
)


class AuditController(Controller):
    path = "/v1/matches/{match:str}/audit"

    @get("/", opt=described(_AUDIT))
    async def audit(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        seen = await sight(request)
        headers = seen_headers(seen, "personal" if not seen.over else "plain")
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        count_read(request, seated=seen.seat is not None)
        store = context_of(request).store
        events = await store.events(seen.match, limit=seen.state.version)
        openings = await store.openings(seen.match, until=seen.state.version)
        report = await asyncio.to_thread(audit, seen.match, events, openings)
        return answer(report, headers=headers)
