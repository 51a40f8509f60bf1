"""Statements on the pool: with a time limit, a second try after a lost connection, and ``Unavailable`` after that."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from services.store.connection import LOST, Lent, Pool
from services.store.records import Unavailable

T = TypeVar("T")

SECONDS: Final = 10.0
_PAUSE: Final = 0.05


class Asking:
    """What every part of the store that uses the pool stands on."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    async def ask(self, question: Callable[[Lent], Awaitable[T]], seconds: float = SECONDS) -> T:
        """The answer of ``question`` on a connection of the pool. It may be put twice, so twice must do no harm.

        Raises ``Unavailable`` if there is no answer within ``seconds`` or the database is away. A connection on which
        an answer was not waited for is dropped: what comes on it later would be taken for the answer to another.
        """
        try:
            async with asyncio.timeout(seconds):
                try:
                    return await self._once(question)
                except LOST:
                    await self.pool.expire_connections()
                    await asyncio.sleep(_PAUSE)
                    return await self._once(question)
        except TimeoutError as error:
            raise Unavailable(f"the database did not answer within {seconds:g} s") from error
        except LOST as error:
            raise Unavailable(f"the database is away: {error}") from error

    async def _once(self, question: Callable[[Lent], Awaitable[T]]) -> T:
        async with self.pool.acquire() as connection:
            try:
                return await question(connection)
            except (asyncio.CancelledError, TimeoutError):
                connection.terminate()
                raise
