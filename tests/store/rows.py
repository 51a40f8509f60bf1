"""What is said to a database itself, past the store, and what it says."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import asyncpg

from services.store.connection import Connection
from tests.waiting import eventually


async def execute(url: str, *statements: str) -> None:
    """Runs statements one after another on a connection of their own."""
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await eventually(partial(_executed, connection, statement))
    finally:
        await connection.close()


async def _executed(connection: Connection, statement: str) -> bool:
    """False while sessions that were closed are not gone yet: before, no database of theirs is copied or dropped."""
    try:
        await connection.execute(statement)
    except asyncpg.ObjectInUseError:
        return False
    return True


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
