"""Group commit: whatever queued while the last batch was under way is the next batch. No timer."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Final

from services.store import batch
from services.store.lane import Lane
from services.store.records import Append, Appended, Conflict, Unavailable

_log: Final = logging.getLogger(__name__)

QUEUE: Final = 4096
"""Commands that may wait. More than that is answered ``Unavailable``: to wait longer would help nobody."""
BATCH: Final = 128
"""Commands that one batch has at most. Where more are under way, the next batch is decided while this one is stored."""
_BATCH_EVENTS: Final = 8192
"""A batch takes no further command once it has as many events; one command alone may have more."""


Observer = Callable[[int, float], None]


_Answer = asyncio.Future[Appended | Conflict]


class _Waiting:
    __slots__ = ("answer", "command", "then")

    def __init__(self, command: Append, then: Callable[[Appended], None] | None, answer: _Answer) -> None:
        self.command = command
        self.then = then
        self.answer = answer

    def settle(self, answer: Appended | Conflict | Exception) -> None:
        if self.then is not None and isinstance(answer, Appended):
            try:
                self.then(answer)
            except Exception:  # noqa: BLE001 - whatever it is, it is no reason for the writer to end
                _log.exception("what was to follow an append failed")
        if self.answer.done():
            return  # whoever asked has gone
        if isinstance(answer, Exception):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)


class Writer:
    """The queue before the lane. ``start`` before the first ``append``, ``close`` at the end."""

    def __init__(self, lane: Lane, *, queue: int = QUEUE) -> None:
        self.lane = lane
        self._limit = queue
        self._queue: deque[_Waiting] = deque()
        self._arrived = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self.batches = 0
        self.commands = 0
        self._observer: Observer | None = None

    @property
    def queued(self) -> int:
        """Commands that wait for the next batch."""
        return len(self._queue)

    def observe(self, observer: Observer) -> None:
        """``observer(commands, seconds)`` is called for each batch that was answered, and with how long that took."""
        self._observer = observer

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="store writer")

    async def append(self, command: Append, then: Callable[[Appended], None] | None = None) -> Appended | Conflict:
        """Appends the events of ``command``, all or none, if its match is where the command expects it.

        Who is cancelled while waiting only stops waiting: the command stays in its batch, and ``then`` is called once
        it is stored, whoever waits. Raises ``ValueError`` for a command that cannot be right, ``Unavailable`` if the
        queue is full or the database stays away.
        """
        batch.check(command)
        if self._closing or self._task is None:
            raise Unavailable("the store is closing")
        if len(self._queue) >= self._limit:
            raise Unavailable("too many moves are waiting to be stored")
        waiting = _Waiting(command, then, self._task.get_loop().create_future())
        self._queue.append(waiting)
        self._arrived.set()
        return await waiting.answer

    async def close(self, seconds: float = 10.0) -> None:
        """Stores what is queued, for ``seconds`` at most; what is left is answered ``Unavailable``."""
        self._closing = True
        self._arrived.set()
        if self._task is not None:
            _, unfinished = await asyncio.wait({self._task}, timeout=seconds)
            for task in unfinished:
                task.cancel()
                await asyncio.wait({task})
            self._task = None
        for waiting in self._queue:
            waiting.settle(Unavailable("the store has closed"))
        self._queue.clear()
        self.lane.close()

    async def _run(self) -> None:
        while self._queue or not self._closing:
            if not self._queue:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            group = self._next()
            self.batches += 1
            self.commands += len(group)
            began = perf_counter()
            try:
                answers = await self.lane.append([waiting.command for waiting in group])
            except BaseException as error:
                for waiting in group:
                    waiting.settle(Unavailable(f"the store stopped: {type(error).__name__}"))
                if not isinstance(error, Exception):
                    raise
                _log.exception("the lane failed")
                continue
            taken = perf_counter() - began
            for waiting, answer in zip(group, answers, strict=True):
                waiting.settle(answer)
            if self._observer is not None:
                self._observer(len(group), taken)

    def _next(self) -> list[_Waiting]:
        """The next batch: in the order of arrival, at most one command for each match; the others keep their places.

        Two commands of one match in one call would expect the same version of it, and fail the whole call.
        """
        group: list[_Waiting] = []
        later: list[_Waiting] = []
        matches: set[str] = set()
        events = 0
        while self._queue and len(group) < BATCH and events < _BATCH_EVENTS:
            waiting = self._queue.popleft()
            match = waiting.command.match
            if match in matches:
                later.append(waiting)
                continue
            matches.add(match)
            events += len(waiting.command.events)
            group.append(waiting)
        self._queue.extendleft(reversed(later))
        return group
