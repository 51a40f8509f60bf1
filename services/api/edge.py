"""The outermost layer: request ids, security headers, CORS, HEAD, and the count of what was answered."""

import re
from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import Final, TypeAlias

import structlog
from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from services.api.counting import told_of
from services.api.metrics import Metrics
from services.ids import new_id
from services.tracing import Tracer
from services.trail import begin

log = structlog.get_logger()

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Headers as ASGI has them."""

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS: Final = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
_KNOWN: Final = frozenset(_METHODS.split(", "))
_OTHER: Final = "OTHER"
CHANGING: Final = frozenset({"POST", "PATCH", "DELETE"})
"""The methods of requests that change something, and so leave a line in the log when they are done."""
_MAY_SEND: Final = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
_MAY_READ: Final = (
    "Content-Language, ETag, Idempotent-Replay, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
    "Retry-After, WWW-Authenticate, X-Request-Id"
)
_ALLOWED: Final = b"access-control-allow-origin"
_EXPOSED: Final = b"access-control-expose-headers", _MAY_READ.encode()
_VARY: Final = b"vary", b"Origin"
_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
"""What every answer has unless its operation says otherwise."""
_OURS: Final = frozenset((*(name for name, _ in _ALWAYS), b"x-request-id", _ALLOWED, _EXPOSED[0], _VARY[0]))
"""The names of all that is added here."""


def _id_in(headers: Mapping[bytes, bytes]) -> str:
    """The request id that was given, if it can be one; else a new one."""
    given = headers.get(b"x-request-id", b"").decode("latin-1")
    return given if given and _ID.fullmatch(given) else new_id()


def answers_head(path: str) -> bool:
    """Whether a path (or its template) that knows GET knows HEAD too: all but the stream, which has no end."""
    return not path.rstrip("/").endswith("/stream")


def allowed(path: str, known: Iterable[str]) -> str:
    """What ``Allow`` says of a path whose handlers are for the methods ``known``."""
    methods = set(known)
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods and answers_head(path) else methods))


class Edge:
    """Wraps the whole application, its errors included.

    ``origins`` may call from a browser; ``*`` means any. ``methods`` are those that each path template knows.
    ``tracer`` makes a span of each request. With ``hsts_seconds`` browsers are told to keep to HTTPS for so long.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        origins: Sequence[str],
        methods: Mapping[str, Iterable[str]],
        tracer: Tracer | None = None,
        hsts_seconds: int = 0,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._tracer = tracer
        self._origins = frozenset(origins)
        self._allow = {path: allowed(path, known) for path, known in methods.items()}
        self._hsts = ((b"strict-transport-security", b"max-age=%d" % hsts_seconds),) if hsts_seconds else ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            if scope["type"] == ScopeType.WEBSOCKET:
                begin(_id_in(dict(scope["headers"])))
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        span = None
        if self._tracer is not None:
            parent = headers.get(b"traceparent")
            method = scope["method"] if scope["method"] in _KNOWN else _OTHER
            span = self._tracer.request(method, None if parent is None else parent.decode("latin-1"))
        request_id = _id_in(headers)
        trail = begin(request_id, span)
        own = ((b"x-request-id", request_id.encode()), *self._hsts, *self._cors(headers.get(b"origin")))
        answered = _Answered(scope, send, own, self._metrics, self._allow)
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
            await answered.preflight()
            return
        try:
            await self._app(answered.scope, receive, answered.send)
        finally:
            if span is not None:
                span.end(answered.route, answered.status, trail)

    def _cors(self, origin: bytes | None) -> Headers:
        if not self._origins:
            return ()
        if "*" in self._origins:
            return (_ALLOWED, b"*"), _EXPOSED
        if origin is None or origin.decode("latin-1") not in self._origins:
            return (_VARY,)
        return (_ALLOWED, origin), _EXPOSED, _VARY


class _Answered:
    """One request on its way out. A HEAD is answered as the GET would be, without the body."""

    def __init__(self, scope: HTTPScope, send: Send, own: Headers, metrics: Metrics, allow: Mapping[str, str]) -> None:
        self.scope = scope
        self._send = send
        self._own = own
        self._metrics = metrics
        self._allow = allow
        self._method = str(scope["method"])
        self._began = perf_counter()
        self.status = 0
        self.route = "none"
        if self._method == "HEAD" and answers_head(scope["path"]):
            self.scope = {**scope, "method": "GET"}  # the router knows no HEAD; the server must know that it is one

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._complete(message)
        elif message["type"] == "http.response.body" and self._method == "HEAD":
            message = {**message, "body": b""}
        await self._send(message)

    async def preflight(self) -> None:
        """The answer to a browser that asks what it may send. An origin that is not allowed gets no permission."""
        allowed = any(name == _ALLOWED for name, _ in self._own)
        asked = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _MAY_SEND,
            "Access-Control-Max-Age": "600",
        }
        headers = [(name.encode(), value.encode()) for name, value in (asked if allowed else {}).items()]
        await self.send({"type": "http.response.start", "status": 204, "headers": headers})
        await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    def _complete(self, message: Message) -> None:
        raw: list[tuple[bytes, bytes]] = list(message["headers"])  # type: ignore[typeddict-item]
        message["headers"] = raw  # type: ignore[typeddict-unknown-key]
        there = {name for name, _ in raw}
        if _OURS.isdisjoint(there):
            raw += _ALWAYS
            raw += self._own
        else:
            raw += [pair for pair in (*_ALWAYS, *self._own) if pair[0] not in there]
        raw += told_of(self.scope)
        if b"vary" in there and _VARY in self._own:
            headers = MutableScopeHeaders.from_message(message)
            headers["Vary"] += f", {_VARY[1].decode()}"
        status: int = message["status"]  # type: ignore[typeddict-item]
        route = self.scope.get("path_template") or "none"
        self.status, self.route = status, route
        if self._method == "OPTIONS" and route in self._allow:
            MutableScopeHeaders.from_message(message)["Allow"] = self._allow[route]
        if status == 405:  # no route was found, only what the path knows
            headers = MutableScopeHeaders.from_message(message)
            headers["Allow"] = allowed(str(self.scope["path"]), set(headers.get("Allow", "").split(", ")))
        method = self._method if self._method in _KNOWN else _OTHER
        self._metrics.answered(method, route, status, perf_counter() - self._began)
        write = log.error if status >= 500 else log.info if status >= 400 or method in CHANGING else log.debug
        write("answered", method=method, route=route, status=status)
