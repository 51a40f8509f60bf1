"""The socket of a match: the frames of its stream out, and moves in, each answered by its key."""

import asyncio
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import structlog
from litestar import Controller, Request, Response, WebSocket, get, websocket
from litestar.exceptions import WebSocketDisconnect

from services.api.batch import Key, MoveResult, SocketMove, answered, refused
from services.api.caller import Sight, holder, mover, sight_of, token_of
from services.api.context import Context
from services.api.counting import count
from services.api.describe import Answer, Operation, described
from services.api.following import HEARTBEAT_SECONDS, Follower, Unwelcome
from services.api.moving import moved
from services.api.problems import not_understood, tell, trouble, unauthenticated
from services.api.reading import AnyConnection, context_of, decoded, header, last_event_id, path_id, query
from services.api.watch import StreamQuery, started_after
from services.ids import token_hash
from services.problems import Forbidden
from services.trail import begin, current

log = structlog.get_logger()

PROTOCOL: Final = "kibitz.v1"
FRAME_BYTES: Final = 64 * 1024
"""The longest message that is read. For a longer one the server closes with 1009."""
PING_SECONDS: Final = 20.0
"""How often a silent reader is pinged, and how long it may take to answer."""
OVER, BINARY, UNWELCOME, FAULT, ENDING = 1000, 1003, 1008, 1011, 1012
_BEARER: Final = "bearer."
_ROUTE: Final = "/v1/matches/{match}/socket"
_LEFT: Final = (OSError, WebSocketDisconnect)
"""What is raised where the other side is gone."""

_SOCKET: Final = Operation(
    name="openSocket",
    tag="Watching",
    summary="Follow a match and play in it, over a WebSocket",
    description=(
        "A WebSocket (RFC 6455) with the subprotocol `kibitz.v1`. The token is sent as `Authorization`, or, where a "
        "page cannot, as one more subprotocol `bearer.` with the token behind it. Every message is one JSON text.\n\n"
        '**Out**: the frames of the stream, `{"id": version, "event": type, "data": {...}}`, from the same version on '
        "and under the same conditions.\n\n"
        '**In**: moves, `{"key": "...", "move": {...}, "expected": version}`; `expected` may be left out, and is what '
        "`If-Match` is for a single move. `key` is the `Idempotency-Key`: the same key, here or in a request, is the "
        "same move. Moves are made one after another in the order in which they were sent, and each is answered by its "
        'key: `{"key", "status": 200, "seat", "version", "head", "events", "replayed"}`, or `{"key", "status", '
        '"problem"}`. Several may be sent at once: while one is made the next ones wait, and are not read.\n\n'
        "**The end** is told by the close code: 1000 the match is over and its last event was sent; 1003 a binary "
        "message; 1008 the token was revoked, or the match has no spectators any more; 1009 a message over 65536 "
        "bytes; 1012 the service ends or starts anew: connect again with `after` and `head` of the last frame, and "
        "send again what was not answered, with the same keys. Before the handshake what is wrong is answered as to "
        "any request."
    ),
    query=StreamQuery,
    headers=("Last-Event-ID",),
    answers=(Answer(status=101, means="The socket is open."),),
    problems=("not-found", "forbidden", "ahead-of-match", "upgrade-required", "too-many"),
)


class SocketController(Controller):
    path = "/v1/matches/{match:str}/socket"

    @get("/", opt=described(_SOCKET))
    async def not_upgraded(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        query(request, StreamQuery)
        last_event_id(request)
        raise trouble("upgrade-required", "this path is a WebSocket", {"Upgrade": "websocket"})

    @websocket("/", opt=described(_SOCKET))
    async def socket(self, socket: WebSocket[Any, Any, Any]) -> None:
        await socket.receive()  # that it would like to connect
        try:
            session = await _asked(socket)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told as everywhere
            with suppress(*_LEFT):
                await tell(socket.send, error, socket.headers.get("Accept-Language"), "websocket")
            return
        await session.run()


async def _asked(socket: WebSocket[Any, Any, Any]) -> "_Session":
    """Reads the handshake as any request. Raises what a request is answered with."""
    context = context_of(socket)
    asked = query(socket, StreamQuery)
    match = path_id(socket, "match")
    offered = list(socket.scope["subprotocols"])
    if offered and PROTOCOL not in offered:
        raise not_understood(f"offer the subprotocol {PROTOCOL}, beside the one that may have the token")
    _check_origin(socket, context)
    token = _token(socket, offered)
    player = None if token is None else await holder(context, token)
    seen = await sight_of(context, match, player)
    after = await started_after(socket, asked, seen)
    await count(socket, "feeds", seated=seen.seat is not None)
    return _Session(socket, seen, token, after, tables=asked.extra == "table", protocol=PROTOCOL if offered else None)


def _token(socket: AnyConnection, offered: list[str]) -> bytes | None:
    """The hash of the token, which comes in a header or among the subprotocols. Raises a 401 for what is none."""
    found = [text.removeprefix(_BEARER) for text in offered if text.startswith(_BEARER)]
    in_header = token_of(socket)
    if not found:
        return in_header
    if in_header is not None or len(found) > 1 or not 0 < len(found[0]) <= 512:
        raise unauthenticated("send one token: as Authorization, or as the subprotocol bearer.TOKEN", sent=True)
    return token_hash(found[0])


def _check_origin(socket: AnyConnection, context: Context) -> None:
    """Pages from elsewhere are let in by name, as they are for requests; what is no page has no origin."""
    origin = header(socket, "Origin")
    if origin is None or "*" in context.cors_origins or origin in context.cors_origins:
        return
    with suppress(ValueError):  # what is no address is nobody's
        if urlsplit(origin).netloc == header(socket, "Host"):
            return
    raise Forbidden("pages of this origin are not let in")


def frame(version: int, kind: str, data: bytes) -> bytes:
    """One event as a message."""
    return b'{"id":%d,"event":"%s","data":%s}' % (version, kind.encode(), data)


class _Session:
    """One open socket: a follower that writes, and beside it one who reads moves and makes them."""

    def __init__(
        self,
        socket: WebSocket[Any, Any, Any],
        seen: Sight,
        token: bytes | None,
        after: int,
        *,
        tables: bool,
        protocol: str | None,
    ) -> None:
        self._socket = socket
        self._context = context_of(socket)
        self._token = token
        self._request_id = current().request_id
        self._protocol = protocol
        self._language = header(socket, "Accept-Language")
        self._follower = Follower(self._context, seen, token, after, frame, tables=tables)
        self._sending = asyncio.Lock()
        self._moving = asyncio.Lock()
        self._binary = False

    async def run(self) -> None:
        """Runs until the match is over, the reader is gone or not welcome any more, or the service ends."""
        follower = self._follower
        self._context.metrics.sockets.inc()
        listening: asyncio.Task[None] | None = None
        try:
            with follower:
                await self._socket.send({"type": "websocket.accept", "subprotocol": self._protocol, "headers": []})
                listening = asyncio.create_task(self._listen())
                code, reason = await self._write()
                async with self._moving:  # what is being done is answered first
                    listening.cancel()
                    await asyncio.gather(listening, return_exceptions=True)
                if not follower.gone:
                    await self._close(code, reason)
        except (TimeoutError, *_LEFT):
            log.debug("a socket was gone or had stopped reading", match=follower.match, after=follower.after)
        except Exception:
            log.exception("a socket broke off", match=follower.match, after=follower.after)
            await asyncio.gather(self._close(FAULT, ""), return_exceptions=True)
        finally:
            self._context.metrics.sockets.dec()
            if listening is not None:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _write(self) -> tuple[int, str]:
        """Sends frames as long as there are some to come; then the code to close with, and why."""
        follower = self._follower
        clock = asyncio.get_running_loop()
        written = clock.time()
        while not (follower.parting or follower.ended or self._binary):
            left = written + HEARTBEAT_SECONDS - clock.time()
            try:
                frames = await follower.read(checking=left <= 0)
            except Unwelcome as error:
                return UNWELCOME, str(error)
            for text in frames:
                await self._send(text)
            if frames or left <= 0:
                written = clock.time()
            elif not follower.ended:
                await follower.wait(left)
        if self._binary:
            return BINARY, "messages are JSON texts"
        return (OVER, "the match is over") if follower.ended else (ENDING, f"go on after {follower.after}")

    async def _listen(self) -> None:
        """Makes the moves that come, one after another; while one is made, the next is not read."""
        while True:
            message: Any = await self._socket.receive()
            if message["type"] != "websocket.receive":
                self._follower.part()
                return
            if message.get("text") is None:
                self._binary = True
                self._follower.wake()
                return
            async with self._moving:
                try:
                    await self._send(await self._answer(message["text"].encode()))
                except (TimeoutError, *_LEFT):
                    self._follower.part()
                    return

    async def _answer(self, text: bytes) -> bytes:
        """What one message leads to. Nothing that a client sends ends the socket here."""
        tracer = self._context.tracer
        span = None if tracer is None else tracer.request("MOVE", None)
        trail = begin(self._request_id, span)
        told = await self._result(text)
        log.info("moved", status=told.status)
        if span is not None:
            span.end(_ROUTE, told.status, trail)
        return msgspec.json.encode(told)

    async def _result(self, text: bytes) -> MoveResult:
        try:
            asked = decoded(text, SocketMove)
            player = await mover(self._context, self._token)
            named = None if asked.expected is None else frozenset((asked.expected,))
            match, body = self._follower.match, bytes(asked.move)
            done = await moved(self._context, match, player.player, body, asked.key, named, self._language)
        except Exception as error:  # noqa: BLE001 - told as everywhere; what is our own fault is in the log
            return refused(_key_in(text), error, self._language)
        return answered(asked.key, done)

    async def _send(self, text: bytes) -> None:
        message: Any = {"type": "websocket.send", "bytes": None, "text": text.decode()}
        async with self._sending:
            await self._follower.send(self._socket.send(message))

    async def _close(self, code: int, reason: str) -> None:
        async with self._sending:
            await self._follower.send(self._socket.close(code, reason))


class _Keyed(msgspec.Struct, frozen=True):
    """What can be read of a message that is not understood."""

    key: Key


def _key_in(text: bytes) -> str | None:
    """The key of a message, whatever else is wrong with it; None if that cannot be read either."""
    try:
        return msgspec.json.decode(text, type=_Keyed).key
    except (ValueError, RecursionError):
        return None
