"""Migrations: alembic keeps the order and the version; each revision is a plain SQL file in ``migrations/sql``.

A new migration is ``migrations/sql/NNNN_name.sql`` and a revision ``migrations/versions/NNNN_name.py`` that calls
``run_file("NNNN_name.sql")`` in ``upgrade``. Tables it creates are open to the service's role by default privileges.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

import asyncpg

from services.store.records import Unavailable

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_LOCK: Final = 0x6B69_6269_747A  # "kibitz"
_SEEN: Final = """do $$ begin
  if exists (select from pg_roles where rolname = 'kibitz_app') then
    grant select on alembic_version to kibitz_app;
  end if;
end $$"""
"""So that an account with no rights but the service's sees that there is nothing to migrate."""
_OPEN: Final = """do $$ begin
  if to_regclass('alembic_version') is not null and exists (select from pg_roles where rolname = 'kibitz_app') then
    alter default privileges in schema public grant select, insert, update, delete, truncate on tables to kibitz_app;
    alter default privileges in schema public grant usage on sequences to kibitz_app;
  end if;
end $$"""
"""Default privileges are an account's own: who migrates a dump of another's has none. The first migration gives them
only after its own tables, in which the service may not do all that.
"""
_STARTING_SECONDS: Final = 30.0
_PAUSE: Final = 0.2


def migrate(dsn: str) -> None:
    """Brings the database to the newest schema; does nothing where it is there already.

    All or nothing, in one transaction. Any number of processes may call it at once: the first does the work, the others
    wait for it. May be called with or without a running event loop, and blocks. Raises what asyncpg and alembic raise,
    and ``Unavailable`` if a newer version of Kibitz has been here.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="migrate") as apart:
        apart.submit(asyncio.run, _migrate(dsn)).result()


async def _migrate(dsn: str) -> None:
    if await _is_newest(dsn):
        return
    from sqlalchemy import text  # noqa: PLC0415 - half a second, which no start but the first need wait for
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: _connected(dsn), poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            # Held until the transaction ends. Two transactions that create a role or a function meet in the catalogue.
            await connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            await connection.execute(text(_OPEN))
            await connection.run_sync(_upgrade)
            await connection.execute(text(_SEEN))
    finally:
        await engine.dispose()


def revisions() -> list[str]:
    """The revisions that this code knows, in their order."""
    return sorted(path.name.split("_", 1)[0] for path in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def statements() -> list[str]:
    """What the revisions run, each in plain SQL, in their order."""
    return [path.read_text(encoding="utf-8") for path in sorted((_MIGRATIONS / "sql").glob("[0-9]*.sql"))]


async def _is_newest(dsn: str) -> bool:
    """Whether the database is at the last of our revisions: then alembic has nothing to say.

    Raises ``Unavailable`` if it is at one that this code does not know.
    """
    known = revisions()
    connection = await _connected(dsn)
    try:
        if await connection.fetchval("select to_regclass('alembic_version') is null"):
            return False
        at = [row[0] for row in await connection.fetch("select version_num from alembic_version")]
        if not set(at) <= set(known):
            raise Unavailable(f"the database was brought to schema {', '.join(at)} by a newer version of Kibitz")
        return at == known[-1:]
    finally:
        await connection.close()


async def _connected(dsn: str) -> "asyncpg.Connection[asyncpg.Record]":
    """A connection, also to a server that says that it is starting: it is waited for, within reason."""
    latest = time.monotonic() + _STARTING_SECONDS
    while True:
        try:
            return await asyncpg.connect(dsn, server_settings={"application_name": "kibitz migrate"})
        except asyncpg.CannotConnectNowError:
            if time.monotonic() > latest:
                raise
            await asyncio.sleep(_PAUSE)


def _upgrade(connection: "Connection") -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def run_file(name: str) -> None:
    """Runs a file of ``migrations/sql`` in the transaction of the migration: for revisions."""
    from alembic import op  # noqa: PLC0415

    statements = (_MIGRATIONS / "sql" / name).read_text(encoding="utf-8")
    # By way of asyncpg itself: through SQLAlchemy every statement is prepared, and only one at a time can be.
    op.get_bind().connection.dbapi_connection.run_async(lambda raw: raw.execute(statements))  # type: ignore[union-attr]
