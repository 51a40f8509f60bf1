"""How the OpenAPI 3.1 document is written from handlers and types: nothing in it is written twice."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any, Final

import msgspec
from litestar.handlers import HTTPRouteHandler
from litestar.routes import BaseRoute, HTTPRoute

from domain.games import GAMES
from services.api.describe import JSON, Answer, Operation
from services.api.problem_types import PAGES, TYPES, Problem, ProblemType, RuleProblem
from services.api.problems import MEDIA_TYPE
from services.api.samples import sample
from services.api.schemas import Schemas, query_parameters, reference
from services.api.table_shapes import LiveTable
from services.narration import languages
from services.rulebooks import clause_text

_ABOUT: Final = """\
An event-sourced card-game service: it deals, referees and scores, and lets anybody replay a match move by move and
audit a disputed hand.

* **Who you are**: `POST /v1/players` gives a guest identity at once; send its token as `Authorization: Bearer ...`.
  It ends some day: `GET /v1/me` says when, `POST /v1/me/tokens` gives another. Where `GET /v1/sign-in` offers it, one
  signs in.
  Reading public things needs no token; where one could matter, a token that is not valid is refused.
* **What goes wrong** is told as `application/problem+json` (RFC 9457) with a stable `type`; `GET /problems` lists them.
  `detail` is in English, `title` in the language that `Accept-Language` likes best.
* **Idempotency-Key** on every POST: the same key with the same body gives the first answer again, with
  `Idempotent-Replay: true`. A dry run stores nothing and needs no key.
* **ETag** on every GET of a match: send it as `If-None-Match` to learn whether something has changed, or as
  `If-Match` with a move to make it at that version only. A tag has the names in the answer in it: when one changes or
  goes, what was kept is not valid any more.
* **Bodies** are read strictly: an unknown key, a key that stands there twice (but for moves, where the last one
  counts), a body for what takes none are refused.
* **Lists** take `limit` and `cursor`; the answer has `items` and `next`.
* **X-Request-Id** is taken over if it has 1 to 64 letters, digits, dots, dashes and underscores, and answered always.
* **RateLimit** headers tell of what is counted by address, with a 429 and with what was not one too many: new guests,
  matches and disputes; streams, sockets, audits and exports by whoever has no seat in the match. Nothing that a player
  at a table needs is counted.
* **Slow and large** requests: a head or a body that does not come to its end in time is answered 408, a head of more
  than 32 KiB 431, and a connection too many 503 or, of one address, 429; then the connection is closed.
* Every GET answers HEAD too, but for the stream. Query parameters that do not exist are refused like unknown fields.
"""

_PATHS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "match": ("The id of a match.", {"type": "string", "format": "uuid"}),
    "player": ("The id of a player.", {"type": "string", "format": "uuid"}),
    "token": ("The id of a token, which is not the token.", {"type": "string", "format": "uuid"}),
    "game": ("The id of a game, or `match` for the rules around every game.", {"type": "string"}),
    "dispute": ("The id of a dispute.", {"type": "string", "format": "uuid"}),
    "version": ("The number of an event, from 1.", {"type": "integer", "minimum": 1}),
    "file": ("The name of a file.", {"type": "string"}),
    "asset": ("The path of a file below `web/`.", {"type": "string"}),
    "module": ("The name of a module.", {"type": "string"}),
    "slug": ("The last part of a problem's `type`.", {"type": "string"}),
}
_ONE_TAG: Final = r'("(0|[1-9][0-9]{0,8})(\.[A-Za-z0-9-]+)*"|0|[1-9][0-9]{0,8})'
_SPOKEN: Final = ", ".join(f"`{code}`" for code in languages())
_ASKED: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "Idempotency-Key": (
        "Makes the request repeatable: 1 to 255 printable ASCII characters, best a random UUID.",
        {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    ),
    "If-Match": (
        "The version that the move is for: an ETag of the match as it was given, or its number; several with commas.",
        {"type": "string", "pattern": rf"^(\*|{_ONE_TAG}([ \t]*,[ \t]*{_ONE_TAG})*)$"},
    ),
    "If-None-Match": ("The ETag of what the caller has.", {"type": "string"}),
    "Last-Event-ID": ("The id of the last frame that was read.", {"type": "string", "pattern": "^[0-9]{0,9}$"}),
    "Accept-Language": (
        f"What the caller likes to read, with weights: {_SPOKEN}. What is not translated is in English.",
        {"type": "string"},
    ),
}
_GIVEN: Final[Mapping[str, str]] = {
    "ETag": "The version, the viewer and what else the answer depends on.",
    "Cache-Control": "How long whoever may keep the answer.",
    "Content-Language": "The language of the texts; if there are several, all of them.",
    "Location": "The path of what was made.",
    "Idempotent-Replay": "`true` if the request had been answered before.",
    "RateLimit-Limit": "How many requests of this kind one address may send at once, and again in each minute.",
    "RateLimit-Remaining": "How many of them are left now.",
    "RateLimit-Reset": "Seconds after which all of them are there again.",
    "Retry-After": "Seconds after which to ask again.",
    "WWW-Authenticate": "What the operation needs (RFC 6750).",
    "X-Request-Id": "The id of the request, in every line of the log.",
}
_LIMITS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_OF_PROBLEMS: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After", *_LIMITS),
    503: ("Retry-After",),
}
_METHODS: Final = ("get", "post", "patch", "delete")
_ORDER: Final = ("Games and rules", "Players", "Playing", "Watching", "Auditing", "Operating")


def written(routes: Iterable[BaseRoute]) -> bytes:
    """The document of these routes as JSON text, always the same for the same code."""
    operations = sorted(_operations(routes), key=lambda entry: (entry[0], _METHODS.index(entry[1])))
    schemas = Schemas(_kinds([operation for _, _, operation in operations]))
    paths: dict[str, dict[str, Any]] = {}
    for path, method, operation in operations:
        paths.setdefault(path, {})[method] = _described(path, method, operation, schemas)
    told = {slug for _, method, operation in operations for slug in _problems_of(method, operation)}
    whole = {
        "openapi": "3.1.0",
        "info": {
            "title": "Kibitz",
            "version": metadata.version("kibitz"),
            "summary": "Card games as events: play, watch, replay, audit.",
            "description": _ABOUT,
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in _ORDER],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.components.items())),
            "headers": {name: _header(text) for name, text in _GIVEN.items()},
            "examples": {kind.slug: _told(kind) for kind in TYPES.values() if kind.slug in told},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return json.dumps(whole, indent=2, ensure_ascii=False).encode() + b"\n"


def _operations(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, str, Operation]]:
    for route in routes:
        if not isinstance(route, HTTPRoute):
            continue
        for handler in route.route_handlers:
            operation = handler.opt.get("operation")
            if isinstance(operation, Operation):
                yield route.path_format, _method(handler), operation


def _method(handler: HTTPRouteHandler) -> str:
    (method,) = handler.http_methods
    return method.lower()


def _kinds(operations: Sequence[Operation]) -> list[Any]:
    """Every type that an operation takes or gives, in a fixed order, and those of the problems."""
    kinds: list[Any] = [LiveTable, Problem, *(kind.shape for kind in TYPES.values())]
    for operation in operations:
        named = [operation.body, *(kind for answer in operation.answers for kind in answer.kinds.values())]
        kinds += [kind for kind in named if kind is not None and not isinstance(kind, Mapping)]
    unique: list[Any] = []
    for kind in kinds:
        if not any(kind is known for known in unique):
            unique.append(kind)
    return unique


def _described(path: str, method: str, operation: Operation, schemas: Schemas) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    if operation.description:
        found["description"] = operation.description
    found["parameters"] = list(_parameters(path, method, operation))
    if operation.body is not None:
        found["requestBody"] = _body(operation, schemas)
    found["responses"] = dict(sorted(_responses(method, operation, schemas).items()))
    if operation.token == "required":  # noqa: S105 - a choice of words, not a secret
        found["security"] = [{"token": []}]
    else:
        found["security"] = [{}, {"token": []}] if operation.token == "optional" else []  # noqa: S105
    return found


def _parameters(path: str, method: str, operation: Operation) -> Iterator[dict[str, Any]]:
    for part in path.split("/"):
        if part.startswith("{"):
            name = part[1:-1]
            text, schema = _PATHS[name]
            yield {"name": name, "in": "path", "required": True, "description": text, "schema": schema}
    if operation.query is not None:
        yield from query_parameters(operation.query)
    asked = ("Idempotency-Key", *operation.headers) if method == "post" else operation.headers
    if any(issubclass(TYPES[slug].shape, RuleProblem) for slug in operation.problems):
        asked = (*asked, "Accept-Language")  # it chooses the words of the clause
    for name in asked:
        text, schema = _ASKED[name]
        if name == "Idempotency-Key" and operation.key_length > 1:
            least = operation.key_length
            text, schema = f"{text} Here {least} at least.", {**schema, "minLength": least}
        yield {"name": name, "in": "header", "description": text, "schema": schema}


def _body(operation: Operation, schemas: Schemas) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": schemas.of(operation.body)}
    if operation.body_examples:
        content["examples"] = {name: {"value": value} for name, value in operation.body_examples.items()}
    return {"required": not operation.optional_body, "content": {JSON: content}}


def _responses(method: str, operation: Operation, schemas: Schemas) -> dict[str, Any]:
    found = {str(answer.status): _answer(answer, schemas) for answer in operation.answers}
    if "too-many" in operation.problems:
        for told in (found[status] for status in ("200", "201") if status in found):
            told["headers"] |= _headers(_LIMITS)
    by_status: dict[int, list[ProblemType]] = {}
    for slug in _problems_of(method, operation):
        kind = TYPES[slug]
        if kind not in by_status.setdefault(kind.status, []):
            by_status[kind.status].append(kind)
    for status, kinds in by_status.items():
        told = _problem(status, kinds)
        if str(status) in found:
            found[str(status)]["content"] |= told["content"]
        else:
            found[str(status)] = told
    return found


def _problems_of(method: str, operation: Operation) -> Iterator[str]:
    """What every operation of its kind can answer, and what this one can."""
    yield "not-understood"
    if operation.token != "none":  # noqa: S105
        yield "unauthenticated"
    if operation.body is not None or method in ("post", "delete"):
        yield from ("too-large", "unsupported-media-type")
    yield from operation.problems
    yield "unavailable"


def _answer(answer: Answer, schemas: Schemas) -> dict[str, Any]:
    found: dict[str, Any] = {"description": answer.means, "headers": _headers(answer.headers)}
    if answer.kinds:
        found["content"] = {media: _content(kind, schemas) for media, kind in answer.kinds.items()}
    return found


def _content(kind: Any, schemas: Schemas) -> dict[str, Any]:
    return {"schema": {"type": "string"} if kind is None else schemas.of(kind)}


def _problem(status: int, kinds: list[ProblemType]) -> dict[str, Any]:
    examples = {kind.slug: {"$ref": f"#/components/examples/{kind.slug}"} for kind in kinds}
    shapes = list(dict.fromkeys(kind.shape.__name__ for kind in kinds))
    schema = reference(shapes[0]) if len(shapes) == 1 else {"anyOf": [reference(name) for name in shapes]}
    return {
        "description": " ".join(f"{kind.title.rstrip('?')} (`{kind.slug}`)." for kind in kinds),
        "headers": _headers((*_OF_PROBLEMS.get(status, ()), "Content-Language")),
        "content": {MEDIA_TYPE: {"schema": schema, "examples": examples}},
    }


def _told(kind: ProblemType) -> dict[str, Any]:
    """An example of a problem: its fixed parts, and values of the right shape for the rest."""
    refused = sample(next(iter(GAMES))).refusal
    told: dict[str, Any] = {
        "game": refused.game,
        "clause": refused.clause,
        "clause_text": clause_text(refused.game, refused.clause),
        "version": 17,
        "legal_hint": refused.legal,
        "events": [],
    }
    names = {field.name for field in msgspec.structs.fields(kind.shape)}
    fixed = {"type": PAGES + kind.slug, "title": kind.title, "status": kind.status, "detail": kind.meaning}
    return {"summary": kind.title, "value": fixed | {name: told[name] for name in told if name in names}}


def _headers(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, "X-Request-Id")}


def _header(text: str) -> dict[str, Any]:
    return {"description": text, "schema": {"type": "string"}}
