"""The store as the rest of the service sees it: appending through the writer, everything else through a pool."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Self

import asyncpg

from services.store import batch, shard_batch
from services.store.accounts import Accounts
from services.store.archive import Archive
from services.store.cases import Cases
from services.store.claims import Claims
from services.store.connection import CONNECT_SECONDS, LOST, READING, WRITING, Connection, Pool, role_settings
from services.store.lane import Form, Lane
from services.store.players import Players
from services.store.processes import Processes
from services.store.records import Append, Appended, Conflict, Unavailable
from services.store.refusals import Refusals
from services.store.retention import Retention
from services.store.shard_writers import ShardWriters
from services.store.streams import Streams
from services.store.tokens import BearerTokens
from services.store.writer import QUEUE, Writer

_READY_SECONDS = 2.0
_CLOSE_SECONDS = 3.0
_PARTING_SECONDS = 0.5


class Store(Streams, Archive, Claims, Refusals, Players, BearerTokens, Accounts, Cases, Processes, Retention):
    """One for each process and event loop. ``pool`` is open to readers of other tables; ``writer`` to be watched.

    On a distributed database every statement of a move names its shard, and a batch is of one shard.
    """

    def __init__(self, pool: Pool, writer: Writer | ShardWriters) -> None:
        super().__init__(pool, distributed=isinstance(writer, ShardWriters))
        self.writer = writer

    @classmethod
    async def connect(
        cls,
        dsn: str,
        *,
        pool_size: int = 8,
        queue: int = QUEUE,
        call_seconds: float = 10.0,
        patience: float = 15.0,
    ) -> Self:
        """Connects to a migrated database. Raises ``Unavailable`` if it is away or not migrated.

        ``queue`` bounds the commands that wait, ``call_seconds`` one call to append, ``patience`` all tries for one
        batch after its outcome was unknown.
        """
        try:
            pool, role, distributed = await _pool(dsn, pool_size)
        except Unavailable as error:
            if not isinstance(error.__cause__, TimeoutError):
                raise
            pool, role, distributed = await _pool(dsn, pool_size)  # it was not answered in time: once more
        connect = _lane(dsn, role)
        form: Form = shard_batch if distributed else batch

        def make() -> Writer:
            return Writer(Lane(connect, call_seconds=call_seconds, patience=patience, form=form), queue=queue)

        writer = ShardWriters(make) if distributed else make()
        writer.start()
        return cls(pool, writer)

    async def close(self, seconds: float = _CLOSE_SECONDS) -> None:
        """Stores what is queued, for ``seconds`` at most, then ends all connections. What is not stored by then, or
        asked, is answered ``Unavailable``. May be called again.
        """
        await self.writer.close(seconds)
        try:
            async with asyncio.timeout(_PARTING_SECONDS):
                await self.pool.close()
        except (TimeoutError, *LOST):
            self.pool.terminate()

    async def append(self, command: Append, then: Callable[[Appended], None] | None = None) -> Appended | Conflict:
        """See ``Writer.append``."""
        return await self.writer.append(command, then)

    async def time(self) -> int:
        """The time by the database's clock, in microseconds since 1970, UTC. Raises ``Unavailable``."""
        statement = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint"
        found: int = await self.ask(lambda lent: lent.fetchval(statement))
        return found

    async def ready(self) -> None:
        """Raises ``Unavailable`` unless the store can be read and the last append was not given up."""
        await self.ask(lambda lent: lent.fetchval("select head from shard limit 1"), _READY_SECONDS)
        if self.writer.lane.down:
            raise Unavailable("the last append was given up")


async def _pool(dsn: str, size: int) -> tuple[Pool, Mapping[str, str], bool]:
    """A pool, the setting for its role, and whether the database is distributed. Raises ``Unavailable``."""
    role = await role_settings(dsn)
    try:
        pool = await asyncpg.create_pool(
            dsn,
            min_size=1,
            max_size=size,
            timeout=CONNECT_SECONDS,
            server_settings={**READING, **role},
            reset=_given_back,
        )
        async with pool.acquire() as lent:
            return pool, role, bool(await lent.fetchval("select is_distributed()"))
    except LOST as error:
        raise Unavailable(f"the database cannot be reached: {error}") from error


async def _given_back(connection: Connection) -> None:
    """Nobody leaves settings, cursors or locks on a connection of the pool, so a return need not ask the server."""
    if connection.is_in_transaction():
        await connection.reset()


def _lane(dsn: str, role: Mapping[str, str]) -> Callable[[], Awaitable[Connection]]:
    async def connect() -> Connection:
        return await asyncpg.connect(dsn, timeout=CONNECT_SECONDS, server_settings={**WRITING, **role})

    return connect
