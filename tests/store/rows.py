"""What a database says itself, past the store."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg


def rows(url: str, statement: str, *arguments: Any) -> list[asyncpg.Record]:
    """The rows of a statement on a connection of its own; with or without a running event loop."""

    async def fetch() -> list[asyncpg.Record]:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetch(statement, *arguments)
        finally:
            await connection.close()

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, fetch()).result()


def row(url: str, statement: str, *arguments: Any) -> asyncpg.Record:
    """The only row of it."""
    [one] = rows(url, statement, *arguments)
    return one
