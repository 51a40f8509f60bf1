"""Operating: is it alive, is it ready, what does it count; the document, its page, and the pages of the problems."""

from importlib import resources
from typing import Any, Final

import msgspec
from litestar import Controller, Request, Response, get

from services.api import metrics
from services.api.answers import answer, fingerprint, unchanged
from services.api.context import Context
from services.api.describe import NOT_MODIFIED, Answer, Operation, described, json_answer
from services.api.languages import preferred
from services.api.problem_types import PAGES, TYPES, ProblemType
from services.api.reading import context_of, header, no_query
from services.api.shapes import Alive, Part, Readiness
from services.api.titles import LANGUAGES, words
from services.problems import NotFound
from services.store.records import Unavailable

_TAG: Final = "Operating"
_HTML: Final = "text/html"
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES: Final = {"docs.js": "text/javascript", "docs.css": "text/css"}


class ProblemPage(msgspec.Struct, frozen=True):
    """A type of problem: what its address says."""

    type: str
    status: int
    title: str
    meaning: str


_LIVE: Final = Operation(
    name="isAlive",
    tag=_TAG,
    summary="Is the process alive?",
    token="none",  # noqa: S106 - no token is needed
    answers=(json_answer(200, "It is.", Alive),),
)
_READY: Final = Operation(
    name="isReady",
    tag=_TAG,
    summary="Is the service ready?",
    description="Ready means: the database answers and the read models follow. Without the feed it is only slower.",
    token="none",  # noqa: S106
    answers=(json_answer(200, "It is.", Readiness), json_answer(503, "It is not.", Readiness, "Retry-After")),
)
_METRICS: Final = Operation(
    name="readMetrics",
    tag=_TAG,
    summary="Figures for Prometheus",
    token="none",  # noqa: S106
    answers=(Answer(status=200, means="The figures of this process.", kinds={"text/plain": None}),),
)
_DOCUMENT: Final = Operation(
    name="readDocument",
    tag=_TAG,
    summary="This document",
    token="none",  # noqa: S106
    answers=(json_answer(200, "The OpenAPI document.", dict[str, Any], "ETag", "Cache-Control"), NOT_MODIFIED),
)
_DOCS: Final = Operation(
    name="readDocs",
    tag=_TAG,
    summary="The document as a page",
    description="Works without any other server.",
    token="none",  # noqa: S106
    answers=(Answer(status=200, means="The page.", kinds={"text/html": None}),),
)
_FILE: Final = Operation(
    name="readDocsFile",
    tag=_TAG,
    summary="What the page needs",
    token="none",  # noqa: S106
    answers=(Answer(status=200, means="The file.", kinds={"text/javascript": None, "text/css": None}),),
    problems=("not-found",),
)
_PROBLEMS: Final = Operation(
    name="listProblems",
    tag=_TAG,
    summary="The types of problems",
    token="none",  # noqa: S106
    headers=("Accept-Language",),
    answers=(json_answer(200, "All of them.", list[ProblemPage], "Content-Language"),),
)
_PROBLEM: Final = Operation(
    name="readProblem",
    tag=_TAG,
    summary="What a type of problem means",
    token="none",  # noqa: S106
    headers=("Accept-Language",),
    answers=(json_answer(200, "The type.", ProblemPage, "Content-Language"),),
    problems=("not-found",),
)


class OperateController(Controller):
    @get("/health/live", opt=described(_LIVE))
    async def live(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        return answer(Alive(alive=True))

    @get("/health/ready", opt=described(_READY))
    async def ready(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        found = await _readiness(request)
        return answer(found, 200 if found.ready else 503, {} if found.ready else {"Retry-After": "1"})

    @get("/metrics", opt=described(_METRICS))
    async def metrics(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        context = context_of(request)
        context.metrics.feed_up.set(context.feed.connected)
        for what, count in context.feed.counts.items():
            context.metrics.feed.labels(what).set(count)
        context.metrics.tails.set(len(context.tails))
        context.metrics.connections.set(context.wire.open)
        context.metrics.counted_together.set(context.limits.together)
        for what, count in context.wire.counts.items():
            context.metrics.refused.labels(what).set(count)
        writer = context.store.writer
        context.metrics.peers.set(context.peers.count)
        context.metrics.restarted(context.parts.restarts)
        context.metrics.appended(writer.batches, writer.commands, writer.queued)
        context.metrics.doubted(writer.lane.unknown, writer.lane.found)
        try:
            for projection, lag in (await context.projector.lag()).items():
                context.metrics.lag.labels(projection).set(lag)
        except Unavailable:
            context.metrics.lag.clear()
        return answer(context.metrics.text(), media_type=metrics.MEDIA_TYPE)

    @get("/openapi.json", opt=described(_DOCUMENT))
    async def document(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        data: bytes = request.app.state.document()
        headers = {"ETag": f'"{fingerprint(data)}"', "Cache-Control": "public, max-age=300"}
        return unchanged(request, headers) or answer(data, headers=headers)

    @get("/docs", opt=described(_DOCS))
    async def docs(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        return answer(_file("index.html"), headers={"Content-Security-Policy": _PAGE_POLICY}, media_type=_HTML)

    @get("/docs/{file:str}", opt=described(_FILE))
    async def docs_file(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        name = str(request.path_params["file"])
        if name not in _FILES:
            raise NotFound("file")
        return answer(_file(name), media_type=_FILES[name])

    @get("/problems", opt=described(_PROBLEMS))
    async def problems(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        language = preferred(header(request, "Accept-Language"), LANGUAGES)
        return answer([_page(kind, language) for kind in TYPES.values()], headers=_in(language))

    @get("/problems/{slug:str}", opt=described(_PROBLEM))
    async def problem(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        language = preferred(header(request, "Accept-Language"), LANGUAGES)
        kind = TYPES.get(str(request.path_params["slug"]))
        if kind is None:
            raise NotFound("type of problem")
        return answer(_page(kind, language), headers=_in(language))


async def _readiness(request: Request[Any, Any, Any]) -> Readiness:
    context = context_of(request)
    feed = Part(context.feed.connected, context.feed.detail)
    peers = Part(context.peers.heard, f"{context.peers.count} at work")
    parts = _parts(context)
    try:
        await context.store.ready()
        health = await context.projector.health()
    except Unavailable as error:
        away = Part(ok=False, detail="unknown")
        database = Part(ok=False, detail=str(error))
        return Readiness(ready=False, database=database, projector=away, feed=feed, peers=peers, parts=parts)
    behind = f"{max(health.lag.values(), default=0)} events behind"
    wrong = [*health.alarms, *(f"{name} stands still" for name in (*health.stalled, *health.outdated))]
    projector = Part(health.healthy, "; ".join([behind, *wrong]))
    answers = Part(ok=True, detail="answers")
    return Readiness(ready=health.healthy, database=answers, projector=projector, feed=feed, peers=peers, parts=parts)


def _parts(context: Context) -> Part:
    ailing, again = context.parts.ailing, sum(context.parts.restarts.values())
    said = f"{', '.join(context.parts.restarts)}; started again {again} times"
    return Part(not ailing, f"{said}; lately {', '.join(ailing)}" if ailing else said)


def _file(name: str) -> bytes:
    return (resources.files("services.api") / "docs" / name).read_bytes()


def _page(kind: ProblemType, language: str) -> ProblemPage:
    return ProblemPage(PAGES + kind.slug, kind.status, *words(kind, language))


def _in(language: str) -> dict[str, str]:
    return {"Content-Language": language, "Vary": "Accept-Language"}
