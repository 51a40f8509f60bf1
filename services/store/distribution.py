"""Tables over several machines, by Citus: where each belongs, and how a database is brought there.

Whatever belongs to a match lies on the machine of its shard, so that every statement and every transaction of a move
needs one machine. What belongs to people or to the processes is small, is asked for by keys that are no shard, and
stays where the clients connect.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Final, Literal, TypeAlias

import asyncpg

from services.ids import SHARDS
from services.store.connection import CONNECT_SECONDS, LOST, Connection
from services.store.records import Unavailable

Place: TypeAlias = Literal["shard", "everywhere", "here"]

PLACES: Final[Mapping[str, Place]] = {
    "shard": "shard",
    "stream": "shard",
    "event": "shard",
    "opening": "shard",
    "archive": "shard",
    "refusal": "shard",
    "match_secret": "shard",
    "disclosure": "shard",
    "projection.checkpoint": "shard",
    "projection.parked": "shard",
    "projection.build": "everywhere",  # joined with the checkpoints; written by rebuilds only
    "player": "here",
    "token": "here",
    "account": "here",
    "sign_in": "here",
    "appointment": "here",
    "claim": "here",  # the key of a creation, before there is a match
    "dispute": "here",  # a person's words, found by the case or the person
    "server_secret": "here",
    "process": "here",
    "presence": "here",
    "alembic_version": "here",
}
"""``shard``: distributed by it, all on one machine that are of one shard. ``everywhere``: a copy on each machine."""

_READ_MODELS: Final = "projection."
"""All other tables in this schema are those of a build of a read model, and distributed by shard."""

_UNPLACED: Final = """
    select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname in ('public', 'projection')
      and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid) order by 1"""
_TRIGGERS: Final = """
    select quote_ident(tgname), pg_get_triggerdef(oid) from pg_trigger
    where tgrelid = $1::text::regclass and not tgisinternal order by tgname"""
_PLACE: Final = """
create or replace function place_by_shard(p_table regclass) returns void language plpgsql as $$
begin
  if not exists (select from pg_dist_partition where logicalrelid = p_table) then
    perform create_distributed_table(p_table::text, 'shard', colocate_with => 'shard');
  end if;
end $$"""
_SAY_SO: Final = "create or replace function is_distributed() returns boolean language sql stable as 'select true'"


class NoCitus(Exception):
    """Not to be distributed: the database has no Citus. Nothing was changed."""


def place_of(table: str) -> Place:
    """Where ``table`` (as ``regclass`` writes it) belongs. Raises ``KeyError`` for one that has no place yet."""
    if table not in PLACES and table.startswith(_READ_MODELS):
        return "shard"
    return PLACES[table]


async def distribute(dsn: str) -> AsyncIterator[str]:
    """Distributes the tables of a migrated database, and says of each where it went; what is there already stays.

    Each table is one transaction, so that after a failure it may simply be called again. Nobody may append meanwhile.
    Raises ``NoCitus`` where there is no such extension, before anything is changed.
    """
    try:
        connection = await asyncpg.connect(
            dsn, timeout=CONNECT_SECONDS, server_settings={"citus.override_table_visibility": "off"}
        )
    except LOST as error:
        raise Unavailable(f"the database cannot be reached: {error}") from error
    try:
        await _with_citus(connection)
        left = {row[0]: place_of(row[0]) for row in await connection.fetch(_UNPLACED)}
        for table, place in sorted(left.items(), key=lambda entry: (entry[0] != "shard", entry)):  # it is the first
            if place != "here":
                await _move(connection, table, place)
            yield f"{table}: {_WORDS[place]}"
        await _functions(connection)
        yield f"appends go to the machine of their shard, one batch for each of the {len(SHARDS)} shards"
    finally:
        await connection.close()


_WORDS: Final[Mapping[Place, str]] = {
    "shard": "distributed by shard",
    "everywhere": "a copy on every machine",
    "here": "stays on this machine",
}


async def _with_citus(connection: Connection) -> None:
    row = await connection.fetchrow(
        "select default_version, current_setting('shared_preload_libraries') like '%citus%'"
        " from pg_available_extensions where name = 'citus'"
    )
    if row is None:
        raise NoCitus("this PostgreSQL does not have the extension Citus: nothing was changed")
    try:
        await connection.execute("create extension if not exists citus")
    except asyncpg.PostgresError as error:
        hint = "" if row[1] else "; it must be in shared_preload_libraries"
        raise NoCitus(f"Citus {row[0]} cannot be loaded here: {error}{hint}. Nothing was changed") from error


async def _move(connection: Connection, table: str, place: Place) -> None:
    """Triggers stand in the way of a table that is distributed; they are made again after, as they were."""
    async with connection.transaction():
        await connection.execute("set local citus.enable_unsafe_triggers = on")
        triggers = await connection.fetch(_TRIGGERS, table)
        for name, _ in triggers:
            await connection.execute(f"drop trigger {name} on {table}")
        if place == "everywhere":
            await connection.execute(f"select create_reference_table('{table}')")
        else:
            beside = "'none', shard_count => 16" if table == "shard" else "'shard'"
            await connection.execute(f"select create_distributed_table('{table}', 'shard', colocate_with => {beside})")
        await connection.execute(f"select truncate_local_data_after_distributing_table('{table}')")
        for name, definition in triggers:
            await connection.execute(definition)
            await connection.execute(f"alter table {table} enable always trigger {name}")


async def _functions(connection: Connection) -> None:
    async with connection.transaction():
        called = await connection.fetchval("select oid::regprocedure::text from pg_proc where proname = 'append_shard'")
        await connection.execute(f"select create_distributed_function('{called}', 'p_shard', colocate_with => 'event')")
        await connection.execute(_PLACE)
        await connection.execute(_SAY_SO)
