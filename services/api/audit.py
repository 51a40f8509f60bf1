"""Auditing: what anybody can check of a match, checked by the server."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec
from litestar import Controller, Request, Response, get

from domain.game import Viewer
from services import disclosure
from services.api.answers import answer, fingerprint, seen_headers, unchanged
from services.api.caller import sight
from services.api.counting import count_read
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.reading import AnyRequest, context_of, no_query
from services.audit import Report, verify
from services.audit import bundle as bundles
from services.audit.bundle import Bundle
from services.disclosure import whole_commands

_AUDIT: Final = Operation(
    name="auditMatch",
    tag="Auditing",
    summary="Audit a match",
    description=(
        "Does it all again from the bundle that the caller may have: bytes, hash chain, seeds, deals, openings, every "
        "move and every score. A check whose `ok` is null was not made, or not to its end. `limits` says what this "
        "audit cannot show; of a hand under way that is its deal and its play."
    ),
    headers=("If-None-Match",),
    answers=(json_answer(200, "The report.", Report, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden", "too-many"),
)


_BUNDLE: Final = Operation(
    name="readBundle",
    tag="Auditing",
    summary="Take everything away that an audit needs",
    description=(
        "One JSON file: the events byte for byte, the openings that the caller may see, and what they are to be read "
        "by. `kibitz verify FILE` checks it without this server; docs/audit-format.md says how to write a verifier. Of "
        "a hand under way, what is for others is not opened; nothing that should be open is missing for that."
    ),
    headers=("If-None-Match",),
    answers=(json_answer(200, "The bundle.", Bundle, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden", "too-many"),
)


class AuditController(Controller):
    path = "/v1/matches/{match:str}/audit"

    @get("/", opt=described(_AUDIT))
    async def audit(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        return await _of_bundle(request, lambda bundle: msgspec.json.encode(verify(bundle)))

    @get("/bundle", opt=described(_BUNDLE))
    async def bundle(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        return await _of_bundle(request, lambda bundle: bundle)


async def _of_bundle(request: AnyRequest, told: Callable[[bytes], bytes]) -> Response[bytes]:
    """What ``told`` makes of the bundle that the caller may have."""
    no_query(request)
    seen = await sight(request)
    editions = fingerprint(msgspec.json.encode(bundles.editions(seen.state.game)))
    headers = seen_headers(seen, "personal" if not seen.over else "plain", editions)
    kept = unchanged(request, headers)
    if kept is not None:
        return kept
    count_read(request, seated=seen.seat is not None)
    store = context_of(request).store
    events = whole_commands(await store.events(seen.match, limit=seen.state.version + 1), seen.state.version)
    openings = await store.openings(seen.match, until=len(events))
    viewer: Viewer = "all" if seen.arbiter else seen.viewer

    def work() -> bytes:
        return told(disclosure.bundle(events, openings, viewer, seen.state.opened))

    return answer(await asyncio.to_thread(work), headers=headers)
