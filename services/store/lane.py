"""The lane: the one connection that appends, and what becomes of a batch whose outcome is unknown.

The answer to a commit can be lost while the commit is done. So a call ends in one of three ways: answered; surely
rolled back; unknown. After the unknown its connection is ended and never used again; on a new one it is looked up what
is there, and only what is not is sent again, with the same versions, so that nothing can come in twice.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, Protocol, TypeAlias, TypeVar

import asyncpg

from services.store import batch
from services.store.connection import LOST, Connection, rolled_back
from services.store.records import Append, Appended, Conflict, Unavailable

T = TypeVar("T")
Answer: TypeAlias = Appended | Conflict | Exception

_log: Final = logging.getLogger(__name__)
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_OF_ONE_COMMAND: Final = ("22", "23")
"""Classes of errors that one command causes and all of its batch suffer: bad data, a violated constraint."""


class Form(Protocol):
    """How a batch is put to the database: ``batch`` says what these guarantee."""

    async def send(self, connection: Connection, commands: Sequence[Append]) -> list[Appended | Conflict]: ...

    async def held(self, connection: Connection, commands: Sequence[Append]) -> dict[int, Appended]: ...


class _Work:
    """A batch under way. ``doubt`` has the places of the commands that may be in the store without our knowing."""

    def __init__(self, commands: Sequence[Append]) -> None:
        self.commands = commands
        self.answers: dict[int, Answer] = {}
        self.doubt: set[int] = set()

    @property
    def left(self) -> list[int]:
        return [place for place in range(len(self.commands)) if place not in self.answers]

    def at(self, places: Iterable[int]) -> list[Append]:
        return [self.commands[place] for place in places]


class Lane:
    """Owns one connection. ``call_seconds`` limits one call, ``patience`` (seconds) all tries for one batch.

    ``form`` is ``batch``, or ``shard_batch`` where the commands are all of one shard.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        *,
        call_seconds: float = 10.0,
        patience: float = 15.0,
        form: Form = batch,
    ) -> None:
        self._connect = connect
        self._form = form
        self._call_seconds = call_seconds
        self._patience = patience
        self._connection: Connection | None = None
        self.unknown = 0
        """Calls whose outcome was unknown."""
        self.found = 0
        """Commands of such calls that turned out to be in the store."""
        self.down = False
        """Whether the last batch was given up: the next one then gets one try only, so that nobody waits for long."""

    async def append(self, commands: Sequence[Append]) -> list[Answer]:
        """The answer to each command, in their order; each match at most once.

        ``Unavailable`` as an answer means that the database did not come back in time. The command may be in the store:
        whoever needs to know looks up its id. Any other exception: the command was refused and is not in the store.
        """
        clock = asyncio.get_running_loop().time
        latest = clock() + (0 if self.down else self._patience)
        pause = _FIRST_PAUSE
        work = _Work(commands)
        while work.left:
            try:
                await self._attempt(work)
            except Exception as error:  # noqa: BLE001 - whatever it is, the batch has no answer yet
                if clock() + pause > latest:
                    self.down = True
                    _log.error("append given up: %s", type(error).__name__)
                    gone = Unavailable(f"the database is away: {type(error).__name__}", retry_after=2)
                    return [work.answers.get(place, gone) for place in range(len(commands))]
                _log.warning("append not answered, will be tried again: %s", type(error).__name__)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        self.down = False
        return [work.answers[place] for place in range(len(commands))]

    def close(self) -> None:
        self._drop()

    async def _attempt(self, work: _Work) -> None:
        """One try to answer what is left. Raises if some of it cannot be answered now."""
        connection = await self._open()
        if work.doubt:
            await self._look_up(connection, work, [place for place in work.left if place in work.doubt])
        if places := work.left:
            await self._send(connection, work, places)

    async def _send(self, connection: Connection, work: _Work, places: list[int]) -> None:
        try:
            sent = await self._call(connection, self._form.send(connection, work.at(places)))
        except Exception as error:
            if not rolled_back(error, connection):
                self._drop()
                self.unknown += 1
                work.doubt.update(places)
                raise
            if isinstance(error, LOST):
                self._drop()  # a server that only reads may be a standby by now: connecting again may find the other
                raise
            if len(places) > 1 and _one_is_to_blame(error):
                for place in places:
                    await self._send(connection, work, [place])
                return
            _log.exception("append refused by the database")
            work.answers |= dict.fromkeys(places, error)
            return
        answers = dict(zip(places, sent, strict=True))
        unsure = [place for place in places if place in work.doubt and isinstance(answers[place], Conflict)]
        work.answers |= {place: answer for place, answer in answers.items() if place not in unsure}
        if unsure:
            # A call we gave up may have gone on without us and committed after we looked: then the conflict is with
            # ourselves.
            await self._look_up(connection, work, unsure)
            work.answers |= {place: answers[place] for place in unsure if place not in work.answers}

    async def _look_up(self, connection: Connection, work: _Work, places: list[int]) -> None:
        try:
            found = await self._call(connection, self._form.held(connection, work.at(places)))
        except Exception:
            self._drop()
            raise
        self.found += len(found)
        work.answers |= {places[index]: appended for index, appended in found.items()}

    async def _call(self, connection: Connection, call: Awaitable[T]) -> T:
        """The result of ``call``. If it takes too long its connection is ended, not its statement cancelled: a request
        to cancel could hit the statement after it.
        """
        task = asyncio.ensure_future(call)
        try:
            await asyncio.wait({task}, timeout=self._call_seconds)
            if not task.done():
                raise TimeoutError(f"no answer within {self._call_seconds:g} s")
            return task.result()
        finally:
            if not task.done():
                connection.terminate()
                await asyncio.wait({task})
                task.exception()  # known to us: not to be reported as forgotten

    async def _open(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None


def _one_is_to_blame(error: Exception) -> bool:
    return isinstance(error, asyncpg.PostgresError) and (error.sqlstate or "").startswith(_OF_ONE_COMMAND)
