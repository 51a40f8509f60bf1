"""Disputes: a player opens a case, an arbiter rules on it, and after the match anybody can read it."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Controller, Request, Response, get, post

from domain.match.cases import DisputeState
from domain.match.rulings import case_of, touched
from domain.match.state import State
from services.api.answers import Kind, ListQuery, Page, answer, fingerprint, seen_headers, unchanged
from services.api.caller import Sight, caller, known_caller, sight, sight_of
from services.api.case_shapes import EVENTS, Attempt, Case, CaseRuling, DisputeLine, DisputeRequest, RulingRequest
from services.api.context import Context
from services.api.counting import count
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.reading import (
    AnyRequest,
    Version,
    context_of,
    decoded,
    header,
    idempotency_key,
    no_query,
    path_id,
    query,
    raw_body,
)
from services.api.refusals import clause_words, explained, raws
from services.cursors import key_in, page_of
from services.disclosure import shown
from services.disputes import OF_RULINGS, RULINGS, Ruled, Ruling, attempts_in, book_of, findings, rulings_on
from services.problems import Forbidden, NotFound
from services.requests import Done
from services.rights import RIGHTS
from services.store.cases import Claim
from services.store.records import Player, Refusal

_TAG: Final = "Auditing"
_REFUSED: Final = ("not-found", "not-your-seat", "wrong-state", "refused", "key-reused")

_OPEN: Final = Operation(
    name="openDispute",
    tag=_TAG,
    summary="Dispute what happened",
    description=(
        "By a player who has a seat in the match, from its start until 14 days after its end. The answer is the case, "
        "with what the checks of the audit find by themselves. The claim stands beside the record, not in it: it goes "
        "when the person is erased. What may be ruled, and what a ruling changes, is chapter 7 of "
        "`GET /v1/games/match/rulebook`."
    ),
    token="required",  # noqa: S106
    body=DisputeRequest,
    body_examples={"a trick": {"first": 41, "last": 44, "claim": "Seat 1 had a spade and did not follow suit."}},
    answers=(json_answer(201, "The case.", Case, "Location", "ETag", "Cache-Control", "Idempotent-Replay"),),
    problems=(*_REFUSED, "forbidden", "too-many"),
)
_LIST: Final = Operation(
    name="listDisputes",
    tag=_TAG,
    summary="The disputes of a match",
    description="In the order in which they were opened.",
    query=ListQuery,
    headers=("If-None-Match",),
    answers=(json_answer(200, "The disputes.", Page[DisputeLine], "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)
_CASE: Final = Operation(
    name="readDispute",
    tag=_TAG,
    summary="A case",
    description=(
        "The claim, the disputed events, what the audit finds, attempts that were refused or late, and the rulings. "
        "Before the match is over its players and arbiters may read it, afterwards everybody who may see the match."
    ),
    headers=("If-None-Match", "Accept-Language"),
    answers=(json_answer(200, "The case.", Case, "ETag", "Cache-Control", "Content-Language"), NOT_MODIFIED),
    problems=("not-found", "forbidden", "too-many"),
)
_RULE: Final = Operation(
    name="ruleOnDispute",
    tag=_TAG,
    summary="Rule on a dispute",
    description=(
        "By an arbiter who has no seat in the match. A ruling is a new event, never an edit: `upheld` changes nothing, "
        "`void_hand` takes away the points of a hand, `adjust` adds points to totals. An appeal is one more ruling on "
        "the same case: `after` says how many the arbiter knows of, and if there are more, nothing happens (409). "
        f"A match has {RULINGS} rulings at most."
    ),
    token="required",  # noqa: S106
    body=RulingRequest,
    body_examples={
        "upheld": {"ruling": "upheld", "reason": "The trick was scored as the rules say."},
        "void": {"ruling": "void_hand", "hand": 2, "reason": "The deal of this hand cannot be checked."},
        "adjust": {
            "ruling": "adjust",
            "points": [0, -2, 2],
            "clause": "match 4.3",
            "reason": "A move out of turn was accepted.",
        },
        "appeal": {
            "ruling": "adjust",
            "after": 1,
            "points": [0, 2, -2],
            "clause": "match 4.3",
            "reason": "It was not.",
        },
    },
    answers=(
        json_answer(200, "The case, as it is after the ruling.", Case, "ETag", "Cache-Control", "Idempotent-Replay"),
    ),
    problems=(*_REFUSED, "forbidden", "full"),
)


class DisputesController(Controller):
    path = "/v1"

    @post("/matches/{match:str}/disputes", opt=described(_OPEN))
    async def open(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key, match = idempotency_key(request), path_id(request, "match")
        player = await known_caller(request)
        body = await raw_body(request)
        asked = decoded(body, DisputeRequest)
        await count(request, "disputes")
        context, likes = context_of(request), header(request, "Accept-Language")
        async with explained(context, match, player.player, likes):
            dispute, done = await context.disputes.open(
                match, player.player, asked.first, asked.last, asked.claim, body, key
            )
        return await _as_of(request, player, dispute, done, 201, {"Location": f"/v1/disputes/{dispute}"})

    @get("/matches/{match:str}/disputes", opt=described(_LIST))
    async def listed(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, ListQuery)
        seen = await sight(request)
        headers = seen_headers(seen, "named")  # what was just opened is on it at once, though the match be over
        (after,) = key_in(asked.cursor, tuple[Version]) or (0,)
        cases = [case for case in seen.state.disputes if case.version > after]
        page, more = page_of(cases, asked.limit, lambda case: (case.version,))
        lines = [msgspec.convert(case, DisputeLine, from_attributes=True) for case in page]
        return unchanged(request, headers) or answer(Page(lines, more), headers=headers)

    @get("/disputes/{dispute:str}", opt=described(_CASE))
    async def case(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        dispute, player = path_id(request, "dispute"), await caller(request)
        context = context_of(request)
        claim = await context.disputes.claim(dispute)
        seen = await sight_of(context, claim.match, player)
        case, likes = _readable(seen, dispute), header(request, "Accept-Language")
        beside = await _beside(context, seen, claim, case)
        headers = _headers(seen, beside, likes)
        kept = unchanged(request, headers)
        if kept is not None:
            return kept
        await count(request, "reads", seated=seen.seat is not None)
        return answer(await _case(context, seen, case, seen.state, beside, likes), headers=headers)

    @post("/disputes/{dispute:str}/rulings", status_code=200, opt=described(_RULE))
    async def rule(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key, dispute = idempotency_key(request), path_id(request, "dispute")
        player = await known_caller(request)
        body = await raw_body(request)
        asked = decoded(body, RulingRequest)
        ruling = Ruling(
            ruling=asked.ruling,
            reason=asked.reason,
            after=asked.after,
            hand=asked.hand or 0,
            points=tuple(asked.points or ()),
            clause=asked.clause or "",
            winners=tuple(asked.winners or ()),
        )
        context = context_of(request)
        claim = await context.disputes.claim(dispute)
        async with explained(context, claim.match, player.player, header(request, "Accept-Language")):
            done = await context.disputes.rule(dispute, player, ruling, body, key)
        return await _as_of(request, player, dispute, done, 200, {})


async def _as_of(
    request: AnyRequest, player: Player, dispute: str, done: Done, status: int, more: Mapping[str, str]
) -> Response[bytes]:
    """The case right after ``done``: the same again when the request is sent again, whatever has followed."""
    context, likes = context_of(request), header(request, "Accept-Language")
    claim = await context.disputes.claim(dispute)
    seen = await sight_of(context, claim.match, player)
    then, _ = await context.matches.past.at(claim.match, done.version)
    case = case_of(then, dispute)
    if case is None:
        raise NotFound("dispute")
    beside = await _beside(context, seen, claim, case, until=then.at)
    found = await _case(context, seen, case, then, beside, likes)
    again = {"Idempotent-Replay": "true"} if done.replayed else {}
    return answer(found, status, {**_headers(seen, beside, likes), **more, **again})


def _readable(seen: Sight, dispute: str) -> DisputeState:
    """The case, if the caller may read it. Raises ``NotFound`` and ``Forbidden``."""
    case = case_of(seen.state, dispute)
    if case is None:
        raise NotFound("dispute")
    if not seen.may("readDispute"):
        raise Forbidden(RIGHTS["readDispute"].no)
    return case


class _Beside(NamedTuple):
    """What a case shows beside events: claim and names can go, and an attempt is no event."""

    claim: Claim
    names: dict[str, str]
    rulings: list[Ruled]
    attempts: list[Refusal]


async def _beside(context: Context, seen: Sight, claim: Claim, case: DisputeState, until: int | None = None) -> _Beside:
    """``case`` says how many of the rulings are shown; attempts are those ``until`` then."""
    rulings = rulings_on(case.dispute, await context.store.events(seen.match, codes=OF_RULINGS))[: case.rulings]
    names = await context.store.names({claim.player, *(ruling.arbiter for ruling in rulings)})
    asked = attempts_in(case, seen.state, seen.seat)
    if until is not None:
        asked = asked._replace(until=until)
    return _Beside(claim, names, rulings, await context.store.refusals(seen.match, asked))


def _headers(seen: Sight, beside: _Beside, likes: str | None) -> dict[str, str]:
    """The tag has what is no event, too."""
    known = (beside.claim.text, beside.names, [(entry.at, entry.cmd, len(entry.body)) for entry in beside.attempts])
    tag = fingerprint(msgspec.json.encode(known, order="deterministic"))
    _, language = clause_words(seen.state.game, "1.1", likes)
    kind: Kind = "named" if seen.over else "personal"
    return {**seen_headers(seen, kind, f"{language}.{tag}"), "Content-Language": language}


async def _case(
    context: Context, seen: Sight, case: DisputeState, then: State, beside: _Beside, likes: str | None
) -> Case:
    """The case as it is in the state ``then``, as ``seen`` may see it."""
    match, store = seen.match, context.store
    events = await store.events(match, limit=then.version)
    openings = await store.openings(match, until=then.version)
    report = await findings(events, openings)
    disputed = events[case.first - 1 : min(case.last, case.first - 1 + EVENTS)]
    own = [entry for entry in openings if case.first <= entry.version <= case.last]
    claim, names, rulings, attempts = beside
    return Case(
        dispute=case.dispute,
        match=match,
        game=then.game,
        status="ruled" if case.rulings else "open",
        seat=case.seat,
        player=claim.player,
        name=names.get(claim.player, ""),
        version=case.version,
        at=events[case.version - 1].at,
        first=case.first,
        last=case.last,
        claim=claim.text,
        hands=[number for number, _ in touched(then, case.first, case.last)],
        verdict=report.verdict,
        findings=list(report.checks),
        limits=list(report.limits),
        attempts=[_attempt(entry, likes) for entry in attempts],
        rulings=[_ruling(ruling, then.game, names, likes) for ruling in rulings],
        events=raws(tuple(shown(disputed, own, seen.viewer, seen.state.opened))),
        next=disputed[-1].version if disputed[-1].version < case.last else None,
    )


def _attempt(entry: Refusal, likes: str | None) -> Attempt:
    late = entry.status == 412 or (entry.game == "match" and entry.clause.startswith("5."))
    return Attempt(
        at=entry.at,
        version=entry.version,
        seat=entry.seat,
        late=late,
        status=entry.status,
        game=entry.game,
        clause=entry.clause,
        clause_text=clause_words(entry.game, entry.clause, likes)[0],
        reason=entry.reason,
        attempt=entry.body.decode("utf-8", "replace"),
    )


def _ruling(ruling: Ruled, game: str, names: Mapping[str, str], likes: str | None) -> CaseRuling:
    book, number = book_of(game, ruling.clause)
    return CaseRuling(
        number=ruling.number,
        version=ruling.version,
        at=ruling.at,
        ruling=ruling.ruling,
        arbiter=ruling.arbiter,
        name=names.get(ruling.arbiter, ""),
        reason=ruling.reason,
        hand=ruling.hand,
        points=list(ruling.points),
        clause=ruling.clause,
        clause_text=clause_words(book, number, likes)[0] if number else "",
        totals=list(ruling.totals),
        winners=list(ruling.winners),
    )
