"""What is recorded stays as it is: tried as the owner of the tables and as the role the service works as."""

from collections.abc import AsyncIterator, Callable

import asyncpg
import pytest

from domain.hidden import Opening
from services.ids import new_id
from services.store.connection import ROLE, Connection
from services.store.lane import Lane
from services.store.records import Append
from services.store.store import Store
from tests.store.matches import command

TRIES = [
    "update event set body = 'x', hash = sha256('\\x00'::bytea || 'x')",
    "update event set at = at + 1",
    "update event set type = type where version = 1",
    "delete from event",
    "truncate event",
    "truncate event, opening",
    "update opening set value = '[]'",
    "delete from opening",
    "truncate opening",
    "insert into event select * from event on conflict (shard, stream, version) do update set at = 0",
    "merge into event e using event f on e.hash = f.hash when matched then delete",
]
APP_ONLY = [
    "alter table event disable trigger all",
    "drop table opening",
    "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
    "set session_replication_role = replica",
    "update refusal set clause = ''",
    "delete from refusal",
    "update match_secret set secret = ''",
    "update server_secret set secret = ''",
    "delete from stream",
    "delete from player",
    "insert into shard values (7)",
]


@pytest.fixture(scope="module")
def url(fresh_database: Callable[[], str]) -> str:
    """One database for all these attempts: none of them may leave a trace."""
    return fresh_database()


@pytest.fixture(scope="module")
async def store(url: str) -> AsyncIterator[Store]:
    store = await Store.connect(url)
    yield store
    await store.close()


@pytest.fixture(scope="module")
async def stored(store: Store) -> Append:
    move = command(new_id(), count=2, openings=(Opening("hand", (0,), b"s" * 16, b"[]"),))
    await store.append(move)
    return move


@pytest.fixture
async def owner(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


async def unchanged(store: Store, move: Append) -> bool:
    events = [event.data for event in await store.events(move.match)]
    return events == [event.data for event in move.events] and len(await store.openings(move.match)) == 1


@pytest.mark.parametrize("attempt", TRIES)
async def test_the_owner_of_the_tables_cannot_change_what_is_recorded(
    store: Store, owner: Connection, stored: Append, attempt: str
):
    with pytest.raises(asyncpg.RestrictViolationError):
        await owner.execute(attempt)
    assert await unchanged(store, stored)


async def test_replication_mode_does_not_open_a_way_round_the_triggers(store: Store, owner: Connection, stored: Append):
    await owner.execute("set session_replication_role = replica")
    for attempt in TRIES:
        with pytest.raises(asyncpg.RestrictViolationError):
            await owner.execute(attempt)
    assert await unchanged(store, stored)


@pytest.mark.parametrize("attempt", TRIES + APP_ONLY)
async def test_the_role_of_the_service_has_no_right_to_change_it(
    store: Store, owner: Connection, stored: Append, attempt: str
):
    await owner.execute(f"set role {ROLE}")
    with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError)):
        await owner.execute(attempt)
    assert await unchanged(store, stored)


async def test_the_store_works_as_the_role_of_the_service(store: Store, stored: Append, owner: Connection):
    assert await store.ask(lambda lent: lent.fetchval("select current_user")) == ROLE
    lane = store.writer.lane
    assert isinstance(lane, Lane)
    assert lane._connection is not None
    assert await lane._connection.fetchval("select current_user") == ROLE


async def test_other_users_of_the_server_have_no_rights_at_all(owner: Connection, stored: Append):
    ours = "relkind = 'r' and relnamespace = 'public'::regnamespace"
    tables = [table for (table,) in await owner.fetch(f"select oid::regclass::text from pg_class where {ours}")]
    assert {"event", "opening", "stream", "shard", "token"} <= set(tables)
    for table in tables:
        granted = "select has_table_privilege('public', $1, 'select, insert, update, delete, truncate')"
        assert await owner.fetchval(granted, table) is False, table


@pytest.mark.parametrize(
    ("column", "value"),
    [("version", "0"), ("version", "-1"), ("pos", "0"), ("prev", "'\\x00'"), ("hash", "sha256('x')"), ("hash", "''")],
)
async def test_the_database_takes_no_event_that_cannot_be(owner: Connection, column: str, value: str):
    good = {"version": "1", "pos": "1", "prev": "''", "hash": "sha256('\\x00'::bytea || 'x')"} | {column: value}

    with pytest.raises(asyncpg.CheckViolationError):
        await owner.execute(
            "insert into event (shard, stream, version, pos, type, schema, cmd, at, body, prev, hash) values"
            f" (0, gen_random_uuid(), {good['version']}, {good['pos']}, 1, 1, gen_random_uuid(), 0, 'x',"
            f" {good['prev']}, {good['hash']})"
        )


async def test_one_version_and_one_position_are_taken_once(owner: Connection, stored: Append):
    shard, stream, pos = await owner.fetchrow("select shard, stream, pos from event limit 1") or (0, "", 0)
    insert = (
        "insert into event (shard, stream, version, pos, type, schema, cmd, at, body, prev, hash) values"
        " ($1, $2, $3, $4, 1, 1, gen_random_uuid(), 0, 'x', sha256('x'), sha256('\\x00'::bytea || 'x'))"
    )

    with pytest.raises(asyncpg.UniqueViolationError, match="event_pkey"):
        await owner.execute(insert, shard, stream, 2, 1000)
    with pytest.raises(asyncpg.UniqueViolationError, match="pos"):
        await owner.execute(insert, shard, stream, 1000, pos)
