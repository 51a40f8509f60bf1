"""The wire: how long a connection may keep this process waiting, how much it may send unasked, and how many there are.

uvicorn has a time limit for idle connections and none for slow ones: a head that never ends, a body that comes by the
byte, and a reader that does not read would stay for ever. Here each connection notes what it waits for and since when,
and once a second all are looked at (``Server``). What is too slow or too much is answered like everything else, and
then the connection is closed.
"""

import asyncio
from collections import Counter
from typing import Any, Final, NamedTuple

import httptools
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from services.api.addresses import Proxies, network
from services.api.problems import Trouble, answer, trouble
from services.api.whole import WholeAnswers, nobody_reads

HEAD_BYTES: Final = 32 * 1024
"""The longest head of a request: its line and its headers."""
HEADERS: Final = 100
"""How many headers it has at most."""
LINE_BYTES: Final = 8000
"""The longest address, and the longest header of a handshake: its reader takes no longer ones."""
WIRE_BYTES: Final = 512 * 1024
"""What a body may take on the wire, whatever it says: a body of 64 KiB in the smallest sensible chunks takes less."""
LINGER_SECONDS: Final = 2.0
"""How long what still comes is taken and thrown away after the last answer, so that the answer is read."""
_UPGRADING: Final = (b"connection", b"upgrade", b"http2-settings")
FRAGMENTS: Final = 1000
"""Of how many frames a message of a socket consists at most."""


class Bounds(NamedTuple):
    """``connections`` in all, ``each`` of one address (0: any number). The others are seconds: for a ``head``, for a
    ``body``, and for a reader that takes nothing (``stalled``).
    """

    connections: int
    each: int
    head: float
    body: float
    stalled: float


class Wire:
    """The connections of one process. ``counts`` says how often each of these happened: ``full`` and ``crowded``
    (refused, of all or of one address; ``proxies`` may have any number), ``slow`` heads and bodies, ``large`` ones,
    ``stalled`` readers, ``unreadable`` requests.
    """

    def __init__(self, bounds: Bounds, proxies: Proxies) -> None:
        self.bounds = bounds
        self.proxies = proxies
        self.open = 0
        self.counts = Counter[str]()
        self._of: Counter[str] = Counter()

    def come(self, host: str) -> None:
        """One more connection. It has to ``go``, whether or not it is refused."""
        self.open += 1
        self.join(host)

    def go(self, host: str) -> None:
        self.open -= 1
        self.leave(host)

    def join(self, host: str) -> None:
        """One more of an address, on a connection that is counted already. It has to ``leave``."""
        self._of[network(host)] += 1

    def leave(self, host: str) -> None:
        who = network(host)
        self._of[who] -= 1
        if not self._of[who]:
            del self._of[who]

    def refusal(self, host: str) -> Trouble | None:
        """What to answer an address whose newest connection is one too many, of all or of its own."""
        if self.open > self.bounds.connections:
            self.counts["full"] += 1
            return trouble("unavailable", "this process has no connection to spare", {"Retry-After": "5"})
        return None if host in self.proxies else self.crowded(host)

    def crowded(self, host: str) -> Trouble | None:
        """What to answer an address whose newest connection is one too many of its own."""
        if 0 < self.bounds.each < self._of[network(host)]:
            self.counts["crowded"] += 1
            detail = f"one address may have {self.bounds.each} connections at a time"
            return trouble("too-many", detail, {"Retry-After": "5"})
        return None


class _Refused(Exception):
    """Ends the reading of what is not wanted; it has been answered."""


class _Connection(asyncio.Protocol):
    """What requests and sockets have in common: ``wire`` counts them, and knows who takes what is written to them."""

    config: Any
    transport: asyncio.Transport
    client: tuple[str, int] | None

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.wire: Wire = self.config.wire
        self._host = ""
        self._unread = 0
        self._stuck = 0.0
        self._cut = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._host = self.client[0] if self.client else ""
        self.wire.come(self._host)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.wire.go(self._host)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread = 0

    def stalls(self, now: float) -> bool:
        """Whether a reader that has much to read has taken nothing for too long. Asked once a second."""
        size = self.transport.get_write_buffer_size()
        if size < self._unread or self._unread == 0:  # a little was read, or there is something for the first time
            self._unread, self._stuck = size, now
            return False
        return now - self._stuck > self.wire.bounds.stalled

    def leaves(self, now: float) -> bool:
        """Whether a connection that is closed on our side has been so for long enough: it has time to read."""
        if self.transport.get_write_buffer_size():
            self._cut = 0.0
            return self.stalls(now)
        self._cut = self._cut or now
        return now - self._cut > LINGER_SECONDS

    def cut(self, why: str = "") -> None:
        """Ends the connection at once, whatever has not been read."""
        if why:
            self.wire.counts[why] += 1
        self.transport.abort()


NEW, IDLE, HEAD, BODY, READ, ENDING = range(6)
"""What a connection waits for: its first byte; another request; the end of a head; of a body; our answer; its end."""


class Line(_Connection, WholeAnswers):
    """One connection with requests on it, bounded."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._phase, self._since, self._came = NEW, 0.0, 0
        self._asked: RequestResponseCycle | None = None  # whose body is on its way
        self._farewell = b""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._turn(NEW)
        why = self.wire.refusal(self._host)
        if why is not None:
            self._end(why)
        if self.wire.open > 2 * self.wire.bounds.connections:
            self.cut()  # so many that not even this can be told

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._phase = ENDING

    def data_received(self, data: bytes) -> None:
        phase = self._phase
        if phase == ENDING:
            return
        if phase == HEAD and self._came > HEAD_BYTES:
            self._too_large()
            return
        if phase == BODY and self._came > WIRE_BYTES:
            self._end(trouble("too-large", "the body takes too much on the wire"), "large")
            return
        self._came = len(data) if phase <= IDLE else self._came + len(data)
        self._read(data)
        if self._phase <= IDLE:  # empty lines, which may stand before a head
            self._turn(HEAD)
        elif not self._since:
            self._since = self.loop.time()

    def _read(self, data: bytes) -> None:
        """As uvicorn reads, but what it only warns of is answered here."""
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            if self._phase != ENDING:  # or it was stopped here, and answered
                self._end(trouble("not-understood", "this is not a request of HTTP/1.1"), "unreadable")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._phase > IDLE:
            self._came = 0  # it is not known how much of what has come is of this one
        self._phase, self._since = HEAD, 0.0  # of when is only asked if there is something to wait for
        self._asked = None

    def on_headers_complete(self) -> None:
        if self._is_too_large():
            self._too_large()
            raise _Refused
        if not self.parser.should_upgrade():
            self._phase, self._since = BODY, 0.0
            super().on_headers_complete()
            self._asked = self.cycle
            self.headers = []  # what stands behind a body changes nothing any more

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            self._phase, self._asked = READ, None
            super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.busy:  # with the next one
            return
        if self._phase in (BODY, ENDING):
            self._last()  # answered before its end: what still comes would be taken for nothing
        elif self._phase == READ:
            self._phase = IDLE

    def hang_up(self) -> None:
        """Who is still sending reads the answer first: closed at once, the connection would take it along."""
        if self._phase == BODY:
            self._last()
        else:
            super().hang_up()

    def _upgrade(self, rest: bytes) -> None:
        """The parser has read a head that asks for another protocol, and takes the ``rest`` for that one.

        Only a GET of HTTP/1.1 is a handshake (RFC 6455, section 4.1). Whatever else it is, is read again without the
        headers that ask. It is the last request of its connection.
        """
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            self._end(trouble("not-understood", "this is no proxy"), "unreadable")
        elif method == b"GET" and version == "1.1" and self._should_upgrade():
            self.scope["method"] = "GET"
            self._shake_hands()
        else:
            kept = [b"%s: %s" % (name, value) for name, value in self.headers if name not in _UPGRADING]
            line = b" ".join((method, self.url, b"HTTP/1.1"))
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's own
            self._read(b"\r\n".join([line, *kept, b"connection: close", b"", rest]))

    def _shake_hands(self) -> None:
        if self.busy:
            self._end(trouble("not-understood", "a handshake does not follow a request at once"), "unreadable")
        elif any(len(name) + len(value) + 2 > LINE_BYTES for name, value in self.headers):
            self._too_large()
        else:
            self.wire.go(self._host)  # and comes again as a socket, which is not asked whether it is one too many
            self.handle_websocket_upgrade()

    def look(self, now: float) -> None:
        """Ends what has taken too long. Called once a second."""
        held = now - self._since
        if (self._phase == ENDING and not self.busy) or self.transport.is_closing():
            if self.leaves(now):
                self.cut()
        elif self.flow.write_paused:
            if self.stalls(now):
                self.cut("stalled")
        elif self.flow.read_paused or (self._phase == HEAD and self.busy):
            self._since = now  # it waits for us
        elif self._phase == NEW and held > self.wire.bounds.head:
            self._last()
        elif self._phase == HEAD and held > self.wire.bounds.head:
            self._end(trouble("too-slow", f"the head took more than {self.wire.bounds.head:g} seconds"), "slow")
        elif self._phase == BODY and held > self.wire.bounds.body:
            self._end(trouble("too-slow", f"the body took more than {self.wire.bounds.body:g} seconds"), "slow")

    def shutdown(self) -> None:
        if self._phase != ENDING:
            super().shutdown()
        elif self.busy and self.answering is not None:
            self.answering.keep_alive = False
        else:
            self.cut()

    def _turn(self, phase: int) -> None:
        self._phase, self._since, self._came = phase, self.loop.time(), 0

    def _is_too_large(self) -> bool:
        """Whether the head is. It need not be weighed where no more has come than it may weigh."""
        if len(self.headers) > HEADERS or len(self.url) > LINE_BYTES:
            return True
        if 0 < self._came <= HEAD_BYTES:
            return False
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > HEAD_BYTES

    def _too_large(self) -> None:
        detail = f"a head has {HEAD_BYTES} bytes and {HEADERS} headers at most, an address {LINE_BYTES} bytes"
        self._end(trouble("head-too-large", detail), "large")

    def _end(self, why: Trouble, counted: str = "") -> None:
        """Answers what cannot be waited for, and closes: when all that was asked before it is answered. What has begun
        to be answered cannot be answered otherwise any more.
        """
        if counted:
            self.wire.counts[counted] += 1
        asked, self._phase = self._asked, ENDING
        if asked is not None:
            nobody_reads(asked)
            if asked is not self.answering:
                self.pipeline.popleft()
            elif asked.response_started:
                self.cut()
                return
            else:
                self.answering = None
        self._farewell = _told(why)
        if not self.busy:
            self._last()

    def _last(self) -> None:
        """No more is read, or written; it is closed when what was written is read, or soon."""
        self._turn(ENDING)
        self._unset_keepalive_if_required()
        if not self.transport.is_closing():
            if self._farewell:
                self.transport.write(self._farewell)
            self.transport.write_eof()
        self._farewell = b""


class Socket(_Connection, WebSocketsSansIOProtocol):
    """One WebSocket, bounded."""

    def handle_parser_exception(self) -> None:
        if self.handshake_initiated:
            super().handle_parser_exception()
            return
        self._not_a_handshake()

    def handle_cont(self, event: Any) -> None:
        if len(self.frames) >= FRAGMENTS:
            self.conn.fail(1009, "too many frames")
            super().handle_parser_exception()
            return
        super().handle_cont(event)

    def keepalive_timeout(self) -> None:
        """Whoever does not answer a ping does not read: nothing is left to wait for but what is on its way."""
        super().keepalive_timeout()
        self.wire.counts["stalled"] += 1
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def look(self, now: float) -> None:
        """Ends what has taken too long. Called once a second."""
        if self.transport.is_closing():
            if self.leaves(now):
                self.cut()
        elif not self.handshake_initiated:
            self._not_a_handshake()
        elif not self.writable.is_set() and self.stalls(now):
            self.cut("stalled")

    def _not_a_handshake(self) -> None:
        self.wire.counts["unreadable"] += 1
        self.transport.write(_told(trouble("not-understood", "this is not a handshake of RFC 6455")))
        self.transport.close()


def _told(why: Trouble) -> bytes:
    """An answer before there is a request to answer, byte for byte."""
    told = answer(why)
    headers = {**told.headers, "Content-Type": str(told.media_type), "Content-Length": str(len(told.content))}
    lines = [f"HTTP/1.1 {why.problem.status} Refused", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + told.content
