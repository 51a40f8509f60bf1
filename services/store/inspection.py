"""What an operator wants to know of the database itself: its settings, who may do what, what guards the record."""

import re
import time
from typing import Any, Final

import asyncpg
import msgspec

from services.store.connection import CONNECT_SECONDS, LOST, ROLE, Connection
from services.store.migrate import revisions, statements
from services.store.records import Unavailable

_SETTINGS: Final = (
    "server_version",
    "server_version_num",
    "fsync",
    "full_page_writes",
    "synchronous_commit",
    "data_checksums",
    "max_connections",
    "archive_mode",
    "archive_command",
    "archive_library",
    "basic_archive.archive_directory",
)
_RECORD: Final = ("event", "opening", "archive", "disclosure", "appointment")
"""The tables whose rows nobody changes."""
_GUARDING: Final = re.compile(r"create function \w+\(\) returns trigger .*?\$\$(.*?)\$\$", re.DOTALL)
"""What the triggers run, in the migrations."""
_GUARDS: Final = """
    select array(
      select t || '.' || g from unnest($1::text[]) t, (values ('immutable', 27), ('immutable_whole', 34)) g(g, kind)
      where to_regclass('public.' || t) is not null and not exists (
        select from pg_trigger join pg_proc p on p.oid = tgfoid
        where tgrelid = to_regclass('public.' || t) and tgname = g and tgenabled = 'A' and tgtype = kind
          and tgqual is null and p.prosrc = any($2::text[]))
      union all
      select 'event.event_hash' where to_regclass('public.event') is not null and not exists (
        select from pg_constraint
        where conrelid = to_regclass('public.event') and conname = 'event_hash' and convalidated))
"""
_RIGHTS: Final = """
    select array(
      select t || ': ' || r from unnest($1::text[]) t, unnest('{UPDATE,DELETE,TRUNCATE,TRIGGER}'::text[]) r
      where to_regclass('public.' || t) is not null and (has_table_privilege($2, 'public.' || t, r)
        or r = 'UPDATE' and has_any_column_privilege($2, 'public.' || t, 'UPDATE')) order by 1)
"""
_ROLE: Final = "select rolsuper, pg_has_role(oid, 'member') from pg_roles where rolname = $1"
_ARCHIVER: Final = """
    select case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed,
      extract(epoch from clock_timestamp()
        - greatest(coalesce(last_archived_time, stats_reset), pg_postmaster_start_time()))::bigint as since,
      last_archived_wal as put, pg_size_bytes(current_setting('wal_segment_size')) as size,
      (select wal_bytes from pg_stat_wal)::bigint as written,
      case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as under_way
    from pg_stat_archiver
"""
_PIECE: Final = re.compile(r"[0-9A-F]{8}([0-9A-F]{8})([0-9A-F]{8})")
_POSITIONS: Final = """
    select s.shard, s.head, (select count(*) from event e where e.shard = s.shard)
      + (select coalesce(sum(a.last - a.first + 1), 0) from archive a where a.shard = s.shard) as found from shard s
"""
_UNHEADED: Final = """
    select stream from (select shard, stream from event union select shard, stream from archive) e
    where not exists (select from stream s where s.shard = e.shard and s.stream = e.stream) order by stream limit 20
"""


class Archiver(msgspec.Struct, frozen=True):
    """How PostgreSQL's log is put away: ``waiting`` pieces are complete and still here, ``since`` are the seconds for
    which the server runs and none was put away. ``failed`` is the piece that could not be, where that failed last.
    """

    failed: str | None
    waiting: int
    since: int


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """``schema`` is the migration that the database is at, empty for none, and ``newest`` the one that this code has.

    ``role`` says whether there is the role that the service works as, ``may`` whether this user may take it, ``excess``
    which rights over the record it has that it must not have. ``unguarded`` are the triggers and constraints that are
    not there or do not work. ``now`` is the database's time, ``ahead`` how far that is at least ahead of this machine's
    (negative: behind), in milliseconds.
    """

    settings: dict[str, str]
    now: int
    ahead: int
    recovering: bool
    schema: str
    newest: str
    role: bool
    may: bool
    excess: tuple[str, ...]
    unguarded: tuple[str, ...]
    connections: int
    size: int
    archiver: Archiver


async def inspected(dsn: str) -> Facts:
    """Looks at a database, migrated or not, and changes nothing. Raises ``Unavailable`` with the reason."""
    connection = await _connected(dsn)
    try:
        return await _inspected(connection)
    except (*LOST, asyncpg.PostgresError) as error:
        raise Unavailable(f"the database cannot be asked: {error}") from error
    finally:
        await connection.close()


async def _inspected(connection: Connection) -> Facts:
    asked = _here()
    now = await connection.fetchval("select (extract(epoch from clock_timestamp()) * 1000)::bigint")
    answered = _here()
    role = await connection.fetchrow(_ROLE, ROLE)
    guarded = await connection.fetchval(_GUARDS, list(_RECORD), _GUARDING.findall("".join(statements())))
    return Facts(
        settings={name: value for name in _SETTINGS if (value := await _setting(connection, name)) is not None},
        now=now,
        ahead=surely_ahead(asked, now, answered),
        recovering=await connection.fetchval("select pg_is_in_recovery()"),
        schema=await _schema(connection),
        newest=revisions()[-1],
        role=role is not None,
        may=role is not None and role[1],
        excess=tuple(await connection.fetchval(_RIGHTS, list(_RECORD), ROLE)) if role is not None else (),
        unguarded=tuple(sorted(guarded)),
        connections=await connection.fetchval(
            "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        ),
        size=await connection.fetchval("select pg_database_size(current_database())"),
        archiver=await _archiver(connection),
    )


def surely_ahead(asked: int, told: int, answered: int) -> int:
    """How far a clock is ahead at least that told its time at some moment between the two of our own: 0 if it may go
    right. A question that was long under way is no clock that goes wrong.
    """
    return max(told - answered, min(0, told - asked))


def _here() -> int:
    return time.time_ns() // 1_000_000


async def _archiver(connection: Connection) -> Archiver:
    row = await connection.fetchrow(_ARCHIVER)
    assert row is not None, "a view of one row"
    put, now = (_PIECE.match(row[name] or "") for name in ("put", "under_way"))
    if now is None:  # a standby puts nothing away
        waiting = 0
    elif row["put"] is None:  # nothing yet, of all that was written since it counts
        waiting = row["written"] // row["size"]
    else:
        waiting = _number(now, row["size"]) - _number(put, row["size"]) - 1 if put is not None else 0
    return Archiver(row["failed"], max(waiting, 0), row["since"])


def _number(piece: re.Match[str], size: int) -> int:
    """The place of a piece in the log."""
    return int(piece[1], 16) * ((1 << 32) // size) + int(piece[2], 16)


async def setting_of(dsn: str, name: str) -> str | None:
    """A setting of the server; None for one that it does not know. Raises ``Unavailable``."""
    connection = await _connected(dsn)
    try:
        return await _setting(connection, name)
    finally:
        await connection.close()


async def miscounted(dsn: str) -> list[tuple[int, int, int]]:
    """Shards whose head is not the number of events that are there: shard, head, and how many there are."""
    connection = await _connected(dsn)
    try:
        rows = await connection.fetch(_POSITIONS)
        return [(shard, head, found) for shard, head, found in rows if head != found]
    finally:
        await connection.close()


async def unheaded(dsn: str) -> list[str]:
    """Matches of which there are events and no head: nobody finds them. Every event is read for it."""
    connection = await _connected(dsn)
    try:
        return [str(row[0]) for row in await connection.fetch(_UNHEADED)]
    finally:
        await connection.close()


async def _setting(connection: Connection, name: str) -> str | None:
    found: str | None = await connection.fetchval("select current_setting($1, true)", name)
    return found


async def _schema(connection: Connection) -> str:
    if await connection.fetchval("select to_regclass('alembic_version') is null"):
        return ""
    rows: list[Any] = await connection.fetch("select version_num from alembic_version")
    return ", ".join(row[0] for row in rows)


async def _connected(dsn: str) -> Connection:
    try:
        return await asyncpg.connect(
            dsn, timeout=CONNECT_SECONDS, server_settings={"application_name": "kibitz doctor"}
        )
    except (*LOST, asyncpg.PostgresError, ValueError) as error:  # a wrong password, no such database, no address
        raise Unavailable(f"the database cannot be reached: {str(error) or type(error).__name__}") from error
