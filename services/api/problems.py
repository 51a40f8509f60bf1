"""How what goes wrong is told: exceptions become problems (RFC 9457), and nothing else leaves the service."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException

from domain.game import OutOfTurn, Refused
from domain.match.clock import TooLate
from domain.match.seating import NotYours
from services.api.languages import preferred
from services.api.problem_types import PAGES, TYPES, Problem, TurnProblem
from services.api.titles import LANGUAGES, words
from services.problems import BadRequest, Forbidden, Full, KeyReused, NotFound, status_of
from services.store.records import Unavailable

log = structlog.get_logger()

MEDIA_TYPE: Final = "application/problem+json"
LANGUAGE: Final = "en"
"""The language of details. Titles, and the clauses of rule books, are in others, too."""


class Trouble(Exception):
    """A problem on its way to the caller, with the headers that go with it."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.headers = dict(headers or {})


def trouble(slug: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> Trouble:
    """The problem of type ``slug``; ``more`` are the keys that its shape adds."""
    kind = TYPES[slug]
    problem = kind.shape(type=PAGES + slug, title=kind.title, status=kind.status, detail=detail, **more)
    return Trouble(problem, headers)


def not_understood(detail: str) -> Trouble:
    return trouble("not-understood", detail)


def hung_up() -> Trouble:
    """What nobody reads, since nobody is there."""
    return not_understood("the body ended before its end: the caller has hung up")


def slug_of(refused: Refused) -> str:
    """The type of problem that a refusal is."""
    match refused:
        case NotYours():
            return "not-your-seat"
        case OutOfTurn():
            return "out-of-turn"
        case TooLate():
            return "too-late"
        case _:
            return "wrong-state" if status_of(refused) == 409 else "refused"


def refusal(
    refused: Refused, clause_text: str, language: str, version: int, hint: list[msgspec.Raw], events: list[msgspec.Raw]
) -> Trouble:
    """What a rule says no to, with the clause it rests on; ``language`` is that of the clause."""
    slug = slug_of(refused)
    more: dict[str, Any] = {"events": events} if TYPES[slug].shape is TurnProblem else {}
    return trouble(
        slug,
        refused.reason,
        {} if language == LANGUAGE else {"Content-Language": f"{LANGUAGE}, {language}"},
        game=refused.rulebook,
        clause=refused.clause,
        clause_text=clause_text,
        version=version,
        legal_hint=hint,
        **more,
    )


def unauthenticated(detail: str, *, sent: bool) -> Trouble:
    """401. ``sent`` says whether there was a token at all (RFC 6750, section 3)."""
    challenge = 'Bearer realm="kibitz"' + (', error="invalid_token"' if sent else "")
    return trouble("unauthenticated", detail, {"WWW-Authenticate": challenge})


def answer(error: Trouble, accept: str | None = None) -> Response[bytes]:
    """The answer that tells of ``error``, its title in the best of the languages that ``accept`` names."""
    problem, language = _titled(error.problem, accept)
    spoken = (*error.headers.get("Content-Language", LANGUAGE).split(", "), language)
    own = {"Content-Language": ", ".join(dict.fromkeys(spoken)), "Cache-Control": "no-store", "Vary": "Accept-Language"}
    return Response(
        msgspec.json.encode(problem),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=error.headers | own,
    )


def answer_for(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The answer to any exception: what is not known here is the service's own fault, and says no more than that."""
    return answer(_trouble_of(error), request.headers.get("Accept-Language"))


async def tell(
    send: Callable[[Any], Awaitable[None]], error: Exception, accept: str | None, kind: str = "http"
) -> None:
    """Sends the same answer past the framework, in messages of ASGI; ``kind`` is ``websocket`` to a handshake."""
    told = answer(_trouble_of(error), accept)
    headers = {**told.headers, "Content-Type": str(told.media_type), "Content-Length": str(len(told.content))}
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    start = "websocket.http.response" if kind == "websocket" else "http.response"
    await send({"type": f"{start}.start", "status": told.status_code, "headers": raw})
    await send({"type": f"{start}.body", "body": told.content, "more_body": False})


def problem_of(error: Exception, accept: str | None) -> Problem:
    """The problem that ``error`` is, to stand in an answer that has more to tell."""
    return _titled(_trouble_of(error).problem, accept)[0]


def _titled(problem: Problem, accept: str | None) -> tuple[Problem, str]:
    """The problem with its title in the best of the languages that ``accept`` names, and that language."""
    language = preferred(accept, LANGUAGES)
    title = words(TYPES[problem.type.removeprefix(PAGES)], language).title
    return msgspec.structs.replace(problem, title=title), language


def _trouble_of(error: Exception) -> Trouble:
    match error:
        case Trouble():
            return error
        case BadRequest():
            return not_understood(str(error))
        case NotFound():
            return trouble("not-found", str(error))
        case Forbidden():
            return trouble("forbidden", str(error))
        case Full():
            return trouble("full", str(error))
        case KeyReused():
            return trouble("key-reused", str(error))
        case Unavailable():
            return trouble("unavailable", str(error), {"Retry-After": str(error.retry_after)})
        case HTTPException():
            return _of_framework(error)
        case _:
            log.error("a request could not be answered", exc_info=error)
            return trouble("internal", "the request could not be answered")


def _of_framework(error: HTTPException) -> Trouble:
    match error.status_code:
        case 404:
            return trouble("not-found", "there is nothing at this path")
        case 405:
            headers = {name.title(): value for name, value in (error.headers or {}).items()}
            return trouble("method-not-allowed", "the path does not know this method", headers)
        case 413:
            return trouble("too-large", "the body has more than 65536 bytes")
        case status if status < 500:
            return not_understood(error.detail)
        case _:
            log.error("a request could not be answered", exc_info=error)
            return trouble("internal", "the request could not be answered")
