"""The feed: "match M is at version n", between the watchers of one process and, by Redis, between processes.

Nothing is lost when a message is: whoever watches a match reads the store after every message and after every
``POLL_SECONDS`` without one. So with Redis gone a feed is late, never wrong.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger()

POLL_SECONDS: Final = 2.0
CHANNEL: Final = "kibitz:versions"
_RETRY_SECONDS: Final = 1.0
_QUIET_SECONDS: Final = 1.0
_SILENT_SECONDS: Final = 5.0
"""A server that has been quiet is asked whether it is there; one that is silent even then counts as gone."""
_ERRORS: Final = (RedisError, OSError, TimeoutError)

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
        self._url = redis_url
        self._watches: dict[str, set[Watch]] = {}
        self._listeners: list[Listener] = []
        self._outbox: dict[str, int] = {}
        self._ready_to_send = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._up = {"send": False, "receive": False}

    @property
    def connected(self) -> bool:
        """Whether other processes are heard and told at once; if not, polling makes it ``POLL_SECONDS`` later."""
        return all(self._up.values())

    @property
    def watchers(self) -> int:
        """How many watches are open in this process."""
        return sum(map(len, self._watches.values()))

    def listen(self, listener: Listener) -> None:
        """``listener(match, version)`` is called for every match that moves, here or in another process."""
        self._listeners.append(listener)

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
            listener(match, version)

    async def _keep(self, work: Callable[[Any], Any], name: str) -> None:
        """Runs ``work`` with a connection of its own, again and again: after an outage it comes back by itself."""
        while True:
            redis = Redis.from_url(self._url, socket_connect_timeout=2, socket_timeout=5, health_check_interval=5)
            try:
                await work(redis)
            except _ERRORS as error:
                if self._up[name]:
                    log.warning("feed lost its connection", way=name, error=str(error))
            except Exception:
                log.exception("feed failed and connects again", way=name)
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
            batch, self._outbox = self._outbox, {}
            async with redis.pipeline(transaction=False) as pipe:
                for match, version in batch.items():
                    await pipe.publish(CHANNEL, f"{match} {version}")  # queued, not sent
                await pipe.execute()

    async def _receive(self, redis: Redis) -> None:
        clock = asyncio.get_running_loop().time
        async with redis.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            self._up["receive"] = True
            heard = clock()
            while True:
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=_QUIET_SECONDS)
                if message is None:
                    if clock() - heard > _SILENT_SECONDS:
                        raise TimeoutError("the server does not answer")
                    await pubsub.ping()
                    continue
                heard = clock()
                if message["type"] == "message":
                    self._hear(message["data"])

    def _hear(self, word: bytes) -> None:
        """A word that makes no sense was not said by one of us: it is passed over, and the feed goes on."""
        match, _, version = word.decode(errors="replace").partition(" ")
        if version.isdecimal() and len(version) < 20:
            self._tell(match, int(version))
        else:
            log.warning("feed heard a word that makes no sense", size=len(word))
