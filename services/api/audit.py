"""Auditing: what anybody can check of a match, checked by the server."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Request, Response, get

from domain.game import Seat, Viewer
from domain.games import GAMES
from domain.match import EVENTS
from domain.match.state import ENDS, HandEnded, State
from services import disclosure
from services.api.answers import answer, fingerprint, seen_headers, unchanged
from services.api.caller import sight
from services.api.counting import count
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.disclosing import OPENED, disclosing
from services.api.reading import AnyRequest, context_of, no_query, query
from services.api.shapes import SeatKnowledge
from services.audit import Report, verify
from services.audit import bundle as bundles
from services.audit.bundle import Bundle
from services.audit.knowledge import known_cards
from services.disclosure import whole_commands
from services.problems import Forbidden, NotFound

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


SeatAsked = Annotated[int, msgspec.Meta(ge=0, le=63, description="Whose knowledge; else the caller's own seat.")]
Moment = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1, description="After which event; else after the newest.")]


class KnowledgeQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    seat: SeatAsked | None = None
    at: Moment | None = None


_KNOWLEDGE: Final = Operation(
    name="readKnowledge",
    tag="Auditing",
    summary="What a seat knew",
    description=(
        "What a seat had seen of a hand right after event `at`, and every card that it knew, with the event that this "
        "rests on. The own seat can be asked for at any time; others for hands that are over, or by an arbiter."
    ),
    query=KnowledgeQuery,
    headers=("If-None-Match",),
    answers=(json_answer(200, "What it knew.", SeatKnowledge, "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden", "too-many"),
)


class AuditController(Controller):
    path = "/v1/matches/{match:str}/audit"

    @get("/", opt=described(_AUDIT))
    async def audit(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        return await _of_bundle(request, "auditMatch", lambda bundle: msgspec.json.encode(verify(bundle)))

    @get("/bundle", opt=described(_BUNDLE))
    async def bundle(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        return await _of_bundle(request, "readBundle", lambda bundle: bundle)

    @get("/knowledge", opt=described(_KNOWLEDGE))
    async def knowledge(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, KnowledgeQuery)
        seen = await sight(request)
        seat, at = seen.seat if asked.seat is None else asked.seat, asked.at or seen.state.version
        if seat is None or seat >= len(seen.state.seats):
            raise NotFound("seat in this match")
        if at > seen.state.version:
            raise NotFound("version of this match")
        then, _ = await context_of(request).matches.past.at(seen.match, at)
        if not seen.may_look_back(seat, then):
            raise Forbidden("the hand is not over: what another seat knows of it is shown when it is")
        headers = seen_headers(seen, "personal" if not seen.over else "named", f"{seat}.{at}")
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        await count(request, "reads", seated=seen.seat is not None)
        if not seen.over and seat != seen.seat:
            await disclosing(context_of(request), seen, "readKnowledge", at, at, str(seat))
        return answer(await _known(request, then, seat), headers=headers)


async def _known(request: AnyRequest, then: State, seat: Seat) -> SeatKnowledge:
    """What ``seat`` knew of the hand under way, or of the last one, when the match was as it was ``then``."""
    store = context_of(request).store
    stored = await store.events(then.match, limit=then.version)
    hand = then.hand_under_way or then.ended
    ended = [event.version for event in stored if EVENTS.coded(event.code).cls is HandEnded]
    first = ended[hand - 2] + 1 if hand > 1 else 1
    events = stored[first - 1 :]
    openings = await store.openings(then.match, after=first - 1, until=then.version)
    known = disclosure.openable(openings, seat, then.opened)
    decoded = [event.decoded(known.get(event.version, ())) for event in events]
    opened_by = next((event.version for event in decoded if isinstance(event.body, ENDS) and event.body.hand), None)
    return SeatKnowledge(
        match=then.match,
        seat=seat,
        at=then.version,
        hand=hand,
        first=first,
        events=[msgspec.Raw(data) for data in disclosure.shown(events, openings, seat, then.opened)],
        cards=list(known_cards(decoded, seat, opened_by)),
        table=GAMES[then.game].view(then.play, seat),
    )


async def _of_bundle(request: AnyRequest, operation: str, told: Callable[[bytes], bytes]) -> Response[bytes]:
    """What ``told`` makes of the bundle that the caller may have. A report shows no card: only a bundle is logged."""
    no_query(request)
    seen = await sight(request)
    editions = fingerprint(msgspec.json.encode(bundles.editions(seen.state.game)))
    # Not to be kept for ever, though over: the verifier and the rule books may be newer the next time.
    headers = seen_headers(seen, "named" if seen.over else "personal", f"{editions}{'.all' if seen.arbiter else ''}")
    kept = unchanged(request, headers)
    if kept is not None:
        return kept
    await count(request, "exports" if operation == "readBundle" else "reads", seated=seen.seat is not None)
    store = context_of(request).store
    events = whole_commands(await store.events(seen.match, limit=seen.state.version + 1), seen.state.version)
    openings = await store.openings(seen.match, until=len(events))
    viewer: Viewer = "all" if seen.arbiter else seen.viewer
    if operation == "readBundle" and not seen.over and (seen.arbiter or seen.state.opened):
        shown = "all" if seen.arbiter else OPENED
        await disclosing(context_of(request), seen, operation, 1, len(events), shown)

    def work() -> bytes:
        return told(disclosure.bundle(events, openings, viewer, seen.state.opened))

    return answer(await asyncio.to_thread(work), headers=headers)
