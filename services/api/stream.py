"""The stream of a match: its events as server-sent events, written to one reader as fast as that one reads."""

import asyncio
from typing import Any, Final

import structlog
from litestar.types import Receive, Scope, Send

from services.api.caller import Sight
from services.api.context import Context
from services.api.following import HEARTBEAT_SECONDS, Follower, Unwelcome

log = structlog.get_logger()

_HEARTBEAT: Final = b": still here\n\n"
_RETRY: Final = b"retry: 1000\n\n"
_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


def frame(version: int, kind: str, data: bytes) -> bytes:
    """One server-sent event."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (version, kind.encode(), data)


class Stream:
    """One open stream, as an ASGI application. ``after`` is the version after which it begins.

    ``token`` is the hash of the one that it was asked for with: the stream does not outlive it.
    """

    def __init__(self, context: Context, seen: Sight, token: bytes | None, after: int, *, tables: bool) -> None:
        self._context = context
        self._follower = Follower(context, seen, token, after, frame, tables=tables)

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Runs until the match is over, the reader is gone or not welcome any more, or the service ends."""
        follower = self._follower
        self._context.metrics.streams.inc()
        leaving = asyncio.create_task(_gone(receive, follower))
        try:
            with follower:
                await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
                await self._write(send)
                await self._send(send, b"", more=False)
        except TimeoutError:
            log.info("a reader had stopped reading", match=follower.match, after=follower.after)
        except Exception:
            log.exception("a stream broke off", match=follower.match, after=follower.after)
        finally:
            self._context.metrics.streams.dec()
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)

    async def _write(self, send: Send) -> None:
        """Frames as long as there are some to come, and a comment when there was nothing for long."""
        follower, clock = self._follower, asyncio.get_running_loop()
        await self._send(send, _RETRY)
        written = clock.time()
        while not (follower.parting or follower.ended):
            left = written + HEARTBEAT_SECONDS - clock.time()
            try:
                frames = await follower.read(checking=left <= 0)
            except Unwelcome as error:
                log.info("a stream ends before its match", match=follower.match, after=follower.after, why=str(error))
                return
            if not frames and left > 0:
                if not follower.ended:
                    await follower.wait(left)
                continue
            await self._send(send, b"".join(frames) or _HEARTBEAT)
            written = clock.time()

    async def _send(self, send: Send, data: bytes, *, more: bool = True) -> None:
        await self._follower.send(send({"type": "http.response.body", "body": data, "more_body": more}))


async def _gone(receive: Receive, follower: Follower) -> None:
    """Tells the follower when its reader is gone."""
    message: Any = await receive()
    while message["type"] != "http.disconnect":
        message = await receive()
    follower.part()
