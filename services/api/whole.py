"""HTTP/1.1 as uvicorn speaks it, but an answer leaves in one piece: its head is not sent before its body is there.

To write to a socket is what costs most of a short answer, and whoever waits for it wakes up once instead of twice.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application


class WholeAnswers(HttpToolsProtocol):
    """Streams are as ever: only an answer that says how long it is waits for its body.

    ``answering`` is the request that is being answered, or was last; ``cycle`` is the newest, and may wait behind it.
    """

    answering: RequestResponseCycle | None = None

    @property
    def busy(self) -> bool:
        return self.answering is not None and not self.answering.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        if self.answering is not None and self.busy:  # uvicorn tells only the newest
            nobody_reads(self.answering)
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: "ASGI3Application") -> None:
        self.answering = cycle
        cycle.transport = cast("asyncio.Transport", _Pieces(cycle, self.hang_up))
        super()._start_asgi_task(cycle, app)

    def hang_up(self) -> None:
        """Closes the connection behind its last answer."""
        self.transport.close()


def nobody_reads(cycle: RequestResponseCycle) -> None:
    """Tells whoever answers a request that its caller is gone."""
    cycle.disconnected = True
    cycle.message_event.set()


class _Pieces:
    """What one answer writes to: the connection, with the head held back until the body follows."""

    __slots__ = ("_cycle", "_hang_up", "_head", "_started", "_transport")

    def __init__(self, cycle: RequestResponseCycle, hang_up: Callable[[], None]) -> None:
        self._cycle = cycle
        self._hang_up = hang_up
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
        self._hang_up()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
