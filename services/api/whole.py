"""HTTP/1.1 as uvicorn speaks it, but an answer leaves in one piece: its head is not sent before its body is there.

To write to a socket is what costs most of a short answer, and whoever waits for it wakes up once instead of twice.
"""

import asyncio
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application


class WholeAnswers(HttpToolsProtocol):
    """Streams are as ever: only an answer that says how long it is waits for its body."""

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: "ASGI3Application") -> None:
        cycle.transport = cast("asyncio.Transport", _Pieces(cycle))
        super()._start_asgi_task(cycle, app)


class _Pieces:
    """What one answer writes to: the connection, with the head held back until the body follows."""

    __slots__ = ("_cycle", "_head", "_started", "_transport")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._transport = cycle.transport
        self._started = False
        self._head = b""

    def write(self, data: bytes) -> None:
        if self._started:
            head, self._head = self._head, b""
            self._transport.write(head + data if head else data)
            return
        self._started = True
        cycle = self._cycle
        if cycle.chunked_encoding is False and cycle.scope["method"] != "HEAD":
            self._head = data
        else:  # nothing may follow, or who knows when
            self._transport.write(data)

    def close(self) -> None:
        self.write(b"")
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
