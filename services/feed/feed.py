"""The feed: "match M is at version n", between the watchers of one process and, by Redis, between processes.

Nothing is lost when a message is: whoever watches a match reads the store after every message and after every
``POLL_SECONDS`` without one. So with Redis gone a feed is late, never wrong. And nothing that comes over Redis, whoever
sent it, ends the feed: what cannot be read is counted and passed over.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from time import perf_counter
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.feed.nodes import Nodes

log = structlog.get_logger()

POLL_SECONDS: Final = 2.0
CHANNEL: Final = "kibitz:versions"
_RETRY_SECONDS: Final = 1.0
_PING_SECONDS: Final = 5
"""After how much silence Redis is asked whether it is still there; after twice that, the connection is made anew."""
_ERRORS: Final = (RedisError, OSError, TimeoutError)
_SAID: Final = re.compile(r"^([0-9a-f-]{36}) ([1-9][0-9]{0,8})$", re.MULTILINE)
"""A line of what one process says to the others: a match and its version."""
_LINES: Final = 1000
"""How many lines one message has at most."""
REST_SECONDS: Final = 0.02
"""How long a process says nothing after a message. A message costs every process as much as some hundred lines; so who
has much to say says it fifty times a second, and of each match only where it is by then.
"""
_OWN: Final = 64
"""How many messages of one's own are known again when they come back."""

Listener = Callable[[str, int], None]


class Watch:
    """One watcher of one match. Register first, then read the store, then wait: no change can be missed."""

    def __init__(self) -> None:
        self._moved = asyncio.Event()

    def poke(self) -> None:
        self._moved.set()

    async def changed(self, timeout: float = POLL_SECONDS) -> None:  # noqa: ASYNC109 - to time out is to poll
        """Returns when the match may have moved, at the latest after ``timeout`` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._moved.wait()
        self._moved.clear()


class Feed:
    """Tells watchers and listeners of this process, and the other processes, which match has moved."""

    def __init__(self, redis_url: str) -> None:
        """``redis_url`` is that of a server, or names nodes of a cluster (``nodes.py``)."""
        self._nodes = Nodes(redis_url)
        self._watches: dict[str, set[Watch]] = {}
        self._listeners: list[Listener] = []
        self._outbox: dict[str, int] = {}
        self._own: dict[bytes, float] = {}
        self._observer: Callable[[float], None] | None = None
        self._ready_to_send = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._up = {"send": False, "receive": False}
        self._trouble = ""
        self.counts = Counter[str]()
        """How often each of these happened: ``sent`` and ``heard`` messages, ``unread`` ones, ``failed`` listeners,
        ``lost`` connections."""

    @property
    def connected(self) -> bool:
        """Whether other processes are heard and told at once; if not, polling makes it ``POLL_SECONDS`` later."""
        return all(self._up.values())

    @property
    def detail(self) -> str:
        """A word about the state of the feed."""
        if self.connected:
            return "at once"
        ways = {"send": "telling", "receive": "hearing"}
        missing = " and ".join(word for way, word in ways.items() if not self._up[way])
        return "by polling only: no " + missing + (f" ({self._trouble})" if self._trouble else "")

    @property
    def watchers(self) -> int:
        """How many watches are open in this process."""
        return sum(map(len, self._watches.values()))

    def listen(self, listener: Listener) -> None:
        """``listener(match, version)`` is called for every match that moves, here or in another process."""
        self._listeners.append(listener)

    def observe(self, observer: Callable[[float], None]) -> None:
        """``observer(seconds)`` is called whenever a message of one's own comes back from Redis: it took so long."""
        self._observer = observer

    @contextmanager
    def watch(self, match: str) -> Iterator[Watch]:
        watch = Watch()
        self._watches.setdefault(match, set()).add(watch)
        try:
            yield watch
        finally:
            watches = self._watches[match]
            watches.discard(watch)
            if not watches:
                del self._watches[match]

    def publish(self, match: str, version: int) -> None:
        """Says that ``match`` is at ``version``. Never waits and never fails; only the newest version is sent on."""
        self._tell(match, version)
        if self._up["send"]:  # otherwise the others poll; an outage must not pile up messages
            self._outbox[match] = version
            self._ready_to_send.set()

    async def start(self) -> None:
        self._tasks = [
            asyncio.create_task(self._keep(self._send, "send")),
            asyncio.create_task(self._keep(self._receive, "receive")),
        ]

    async def stop(self) -> None:
        running = set(self._tasks)
        while running:  # more than once, since a client that is just connecting may swallow a cancellation
            for task in running:
                task.cancel()
            _, running = await asyncio.wait(running, timeout=0.5)

    def _tell(self, match: str, version: int) -> None:
        for watch in self._watches.get(match, ()):
            watch.poke()
        for listener in self._listeners:
            try:
                listener(match, version)
            except Exception:
                self.counts["failed"] += 1
                log.exception("a listener of the feed failed", match=match, version=version)

    async def _keep(self, work: Callable[[Any], Any], name: str) -> None:
        """Runs ``work`` with a connection of its own, again and again: after an outage it comes back by itself.

        In a cluster each time with the next node, so that one that is lost is left.
        """
        for turn in count():
            redis = self._nodes.client(turn)
            try:
                await self._nodes.learn(redis)
                await work(redis)
            except Exception as error:  # nothing may end the feed; what is not an outage is a fault
                self._trouble = type(error).__name__
                if not isinstance(error, _ERRORS):
                    log.exception("the feed failed and begins again", way=name)
                elif self._up[name]:
                    log.warning("the feed lost its connection", way=name, error=str(error))
                self.counts["lost"] += self._up[name]
            finally:
                self._up[name] = False
                with suppress(*_ERRORS):
                    await redis.aclose()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _send(self, redis: Redis) -> None:
        await redis.ping()
        self._up["send"] = True
        while True:
            await self._ready_to_send.wait()
            self._ready_to_send.clear()
            lines = [f"{match} {version}" for match, version in self._outbox.items()]
            self._outbox = {}
            for first in range(0, len(lines), _LINES):
                message = "\n".join(lines[first : first + _LINES])
                self._remember(message.encode())
                await redis.publish(CHANNEL, message)
            self.counts["sent"] += len(lines)
            await asyncio.sleep(REST_SECONDS)

    async def _receive(self, redis: Redis) -> None:
        async with redis.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            silent = 0  # seconds in which we listened: one who was held up himself cannot say what he has missed
            while True:
                message = await pubsub.get_message(timeout=1.0)
                silent = 0 if message is not None else silent + 1
                if message is not None:
                    self._hear(message)
                elif silent > 2 * _PING_SECONDS:
                    raise TimeoutError("Redis has fallen silent")
                elif silent == _PING_SECONDS:
                    await pubsub.ping()

    def _remember(self, message: bytes) -> None:
        """To know it again when it comes back."""
        self._own[message] = perf_counter()
        if len(self._own) > _OWN:
            del self._own[next(iter(self._own))]

    def _hear(self, message: dict[str, Any]) -> None:
        """One message, of whatever kind and from whomever."""
        if message["type"] == "subscribe":
            self._up["receive"] = True
        elif message["type"] == "message" and message["data"] in self._own:
            sent = self._own.pop(message["data"])  # who is here was told when it happened
            if self._observer is not None:
                self._observer(perf_counter() - sent)
        elif message["type"] == "message":
            text = message["data"].decode(errors="replace")
            said = _SAID.findall(text)
            if unread := text.count("\n") + 1 - len(said):
                self.counts["unread"] += unread
                log.warning("the feed heard what it cannot read", size=len(text))
            self.counts["heard"] += len(said)
            for match, version in said:
                self._tell(match, int(version))
