"""Connections to PostgreSQL: how they are made, and what an error on one says about the fate of its statement."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import asyncpg

from services.store.records import Unavailable

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]
    Pool: TypeAlias = asyncpg.Pool[asyncpg.Record]
    Lent: TypeAlias = PoolConnectionProxy[asyncpg.Record]
else:
    Connection = Pool = Lent = Any

ROLE: Final = "kibitz_app"
"""The role the service works as: it may add events and openings, and do nothing else to them."""

CONNECT_SECONDS: Final = 5.0

_SETTINGS: Final = {
    "application_name": "kibitz",
    "citus.override_table_visibility": "off",  # on Citus, preparing is slow with it; elsewhere it means nothing
    "default_transaction_isolation": "read committed",  # append sees what was committed while it waited for its locks
}
READING: Final = _SETTINGS | {"statement_timeout": "60s"}
WRITING: Final = _SETTINGS | {"application_name": "kibitz lane", "statement_timeout": "5s", "jit": "off"}

LOST: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.InsufficientResourcesError,
    asyncpg.QueryCanceledError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.FeatureNotSupportedError,  # of all that is asked here: a table without log, on a server in recovery
    asyncpg.LockNotAvailableError,
)
"""What passes: the server went, is coming, is full or too slow. The same statement may succeed in a moment."""


async def role_settings(dsn: str) -> Mapping[str, str]:
    """The setting that makes a connection work as ``ROLE``, if this user may; nothing otherwise.

    Raises ``Unavailable`` where the server cannot be reached or the database is not migrated.
    """
    try:
        connection = await asyncpg.connect(dsn, timeout=CONNECT_SECONDS)
        try:
            migrated, may = await connection.fetchrow(
                # by what the newest migration made
                "select to_regprocedure('forget_claims(uuid, integer)') is not null,"
                " exists (select from pg_roles where rolname = $1 and pg_has_role(oid, 'member'))",
                ROLE,
            ) or (False, False)
        finally:
            connection.terminate()
    except LOST as error:
        raise Unavailable(f"the database cannot be reached: {error}") from error
    if not migrated:
        raise Unavailable("the database has not what this code needs yet: run the migrations first")
    return {"role": ROLE} if may else {}


def rolled_back(error: BaseException, connection: Connection) -> bool:
    """Whether the statement that ended with ``error`` surely did nothing. Everything else is an unknown outcome.

    Sure is what the server itself reports as an error of the statement on a connection that goes on, and what asyncpg
    could not even send. A shutdown, a lost connection, a time-out, a cancellation, or something of asyncpg's own say
    nothing about whether the server had committed before.
    """
    if not isinstance(error, asyncpg.PostgresError) or connection.is_closed():
        return False
    if isinstance(error, asyncpg.DataError) and severity(error) is None:
        return True  # raised by asyncpg while it put the arguments into bytes
    state = error.sqlstate or ""
    doubtful = state.startswith(("08", "57P")) or state == "40003"  # statement_completion_unknown
    return severity(error) == "ERROR" and not doubtful


def severity(error: asyncpg.PostgresError) -> str | None:
    """``ERROR``, ``FATAL``, ``PANIC`` as the server said it, or ``None`` where it did not."""
    said = getattr(error, "severity_en", None) or getattr(error, "severity", None)
    return said if isinstance(said, str) else None
