"""The short way of a move: ``POST /v1/matches/{match}/moves`` past the router, where the request is as plain as can be.

Whatever is unusual about a request, even a header that is there twice, sends it the long way before anything of it is
read. So the two ways differ in what they cost and in nothing else: what a move is and how it is answered stands in
``moving``, ``answers`` and ``problems``, for both.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from services.api.answers import JSON, done_json
from services.api.caller import mover, token_in
from services.api.context import Context
from services.api.moving import moved
from services.api.problems import Trouble, hung_up, tell
from services.api.reading import key_in, known_id, says_json, versions_in
from services.problems import NotFound
from services.rights import RIGHTS

PATH: Final = "/v1/matches/{match}/moves"
_OPERATION: Final = "makeMove"
_BEFORE, _AFTER = PATH.split("{match}")
_LENGTH: Final = len(_BEFORE) + 36 + len(_AFTER)
_UNUSUAL: Final = frozenset((b"transfer-encoding", b"content-encoding", b"expect"))
_JSON: Final = JSON.encode()
_HEADERS: Final = ((b"content-type", _JSON),)


class _Asked(NamedTuple):
    """A move as it was sent, all but the body."""

    match: str
    token: bytes
    key: str | None
    named: frozenset[int] | None
    language: str | None


class Shortcut:
    """Wraps the router, which reads bodies of at most ``limit`` bytes."""

    def __init__(self, router: ASGIApp, context: Context, limit: int) -> None:
        self._router = router
        self._context = context
        self._limit = limit
        self._open = _OPERATION in RIGHTS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = self._plain(scope) if scope["type"] == ScopeType.HTTP and self._open else None
        if asked is None:
            await self._router(scope, receive, send)
            return
        scope["path_template"] = PATH
        try:
            headers, answer = await self._moved(asked, await _body(receive))
        except Exception as error:  # noqa: BLE001 - told as everywhere; what is our own fault is in the log
            await tell(send, error, asked.language)
        else:
            length = b"content-length", str(len(answer)).encode()
            await send({"type": "http.response.start", "status": 200, "headers": [*headers, length]})
            await send({"type": "http.response.body", "body": answer, "more_body": False})

    async def _moved(self, asked: _Asked, body: bytes) -> tuple[Iterable[tuple[bytes, bytes]], bytes]:
        player = await mover(self._context, asked.token)
        match, key, named, language = asked.match, asked.key, asked.named, asked.language
        done = await moved(self._context, match, player.player, body, key, named, language)
        return ((*_HEADERS, (b"idempotent-replay", b"true")) if done.replayed else _HEADERS), done_json(done)

    def _plain(self, scope: HTTPScope) -> _Asked | None:
        """What is asked for; None for what is not a move, or is unusual, or wrong."""
        path = scope["path"]
        if not (
            len(path) == _LENGTH
            and path.startswith(_BEFORE)
            and path.endswith(_AFTER)
            and scope["method"] == "POST"
            and not scope["query_string"]
        ):
            return None
        raw = list(scope["headers"])
        headers = dict(raw)
        length, kind = headers.get(b"content-length", b""), headers.get(b"content-type")
        if (
            len(headers) < len(raw)  # one is there twice
            or not _UNUSUAL.isdisjoint(headers)
            or not (0 < len(length) < 7 and length.isdigit() and int(length) <= self._limit)
            or not (kind == _JSON or says_json(_text(kind)))
        ):
            return None
        try:
            match, token = (
                known_id(path[len(_BEFORE) : -len(_AFTER)], "match"),
                token_in(_text(headers.get(b"authorization"))),
            )
            key, named = key_in(_text(headers.get(b"idempotency-key"))), versions_in(_text(headers.get(b"if-match")))
        except (Trouble, NotFound):
            return None
        return None if token is None else _Asked(match, token, key, named, _text(headers.get(b"accept-language")))


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1").strip()


async def _body(receive: Receive) -> bytes:
    message: Any = await receive()
    body: bytes = message.get("body", b"")
    while message.get("more_body", False):
        message = await receive()
        body += message.get("body", b"")
    if message["type"] != "http.request":
        raise hung_up()
    return body
