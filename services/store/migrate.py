"""Migrations: alembic keeps the order and the version; each revision is a plain SQL file in ``migrations/sql``.

A new migration is ``migrations/sql/NNNN_name.sql`` and a revision ``migrations/versions/NNNN_name.py`` that calls
``run_file("NNNN_name.sql")`` in ``upgrade``. Tables it creates are open to the service's role by default privileges.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import asyncpg
from alembic import command, op
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 0x6B69_6269_747A  # "kibitz"


def migrate(dsn: str) -> None:
    """Brings the database to the newest schema; does nothing where it is there already.

    All or nothing, in one transaction. Any number of processes may call it at once: the first does the work, the others
    wait for it. May be called with or without a running event loop, and blocks. Raises what asyncpg and alembic raise.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="migrate") as apart:
        apart.submit(asyncio.run, _migrate(dsn)).result()


async def _migrate(dsn: str) -> None:
    async def connect() -> "asyncpg.Connection[asyncpg.Record]":
        return await asyncpg.connect(dsn, server_settings={"application_name": "kibitz migrate"})

    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            # Held until the transaction ends. Two transactions that create a role or a function meet in the catalogue.
            await connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            await connection.run_sync(_upgrade)
    finally:
        await engine.dispose()


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def run_file(name: str) -> None:
    """Runs a file of ``migrations/sql`` in the transaction of the migration: for revisions."""
    statements = (_MIGRATIONS / "sql" / name).read_text(encoding="utf-8")
    # By way of asyncpg itself: through SQLAlchemy every statement is prepared, and only one at a time can be.
    op.get_bind().connection.dbapi_connection.run_async(lambda raw: raw.execute(statements))  # type: ignore[union-attr]
