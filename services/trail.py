"""The trail of a request: what every log line and span says of it, however deep in the service it is made.

The outermost layer begins one; whoever learns of the match, the seat or the command writes it down here, and need know
nothing of logs and traces. What is not a request (a bot, the clock) leaves a trail that nobody reads.
"""

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol

from domain.game import Seat

Phase = AbstractContextManager[object]

_NOTHING: Final[Phase] = nullcontext()


class Span(Protocol):
    """The span of a request. ``trace`` is the id of the trace that it belongs to, in hexadecimal."""

    @property
    def trace(self) -> str: ...

    def child(self, name: str) -> Phase:
        """The span of a phase of the request, as long as a ``with`` block lasts."""


class Trail:
    """What is known of one request so far: ids that are public anyway, never a card, a seed or a token."""

    __slots__ = ("command", "match", "request_id", "seat", "span")

    def __init__(self, request_id: str = "", span: Span | None = None) -> None:
        self.request_id = request_id
        self.span = span
        self.match = ""
        self.seat: Seat | None = None
        self.command = ""

    def phase(self, name: str) -> Phase:
        """A phase of the request, as long as a ``with`` block lasts. Costs next to nothing where nobody traces."""
        return _NOTHING if self.span is None else self.span.child(name)

    def known(self) -> dict[str, str | int]:
        """What is known so far, by the names that it has in log lines."""
        found: dict[str, str | int] = {"request_id": self.request_id}
        if self.match:
            found["match"] = self.match
        if self.seat is not None:
            found["seat"] = self.seat
        if self.command:
            found["command"] = self.command
        return found


_trail: ContextVar[Trail | None] = ContextVar("trail", default=None)


def begin(request_id: str, span: Span | None = None) -> Trail:
    """A new trail, which is the current one from here on, for whatever is called or started."""
    trail = Trail(request_id, span)
    _trail.set(trail)
    return trail


def current() -> Trail:
    """The trail of the request that is being served; outside of one, a trail that nobody reads."""
    return _trail.get() or Trail()


def told() -> dict[str, str | int]:
    """What a log line says of the request that is being served: nothing outside of one."""
    trail = _trail.get()
    if trail is None:
        return {}
    said = trail.known()
    if trail.span is not None:
        said["trace"] = trail.span.trace
    return said
