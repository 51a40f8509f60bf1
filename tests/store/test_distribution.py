"""How a database is distributed, on a stand-in: an extension of that name that refuses what Citus refuses.

What is shown is that everything is asked for, in an order and in a state of the tables in which Citus takes it, and
that nothing is lost or open in between. That data is moved is Citus's own work: ``tests/containers`` has a test of it.
"""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from projections.registry import PROJECTIONS
from services.embedded import Embedded
from services.ids import SHARDS
from services.projector import Projector
from services.store.connection import Connection
from services.store.distribution import PLACES, NoCitus, distribute
from services.store.migrate import migrate
from services.store.records import Appended
from services.store.store import Store
from tests.engine.played import finished
from tests.projections.streams import caught_up, checkpoints, contents
from tests.store.matches import command, everything, match_in

STANDIN = Path(__file__).parent / "standin"


@pytest.fixture
async def url(data_folder: Path) -> AsyncIterator[str]:
    """A migrated database of a server that has the stand-in."""
    where = Path(tempfile.mkdtemp(prefix="kibitz-citus-"))
    shutil.copytree(STANDIN, where / "extension")
    for path in (where, where / "extension", *(where / "extension").iterdir()):
        path.chmod(0o755)
    with Embedded(data_folder, settings={"extension_control_path": f"{where}:$system"}, sync=False) as servers:
        migrate(servers.database_url)
        owner = await asyncpg.connect(servers.database_url)
        await owner.execute("create schema citus; alter database kibitz set search_path = '$user', public, citus")
        await owner.close()
        yield servers.database_url
    shutil.rmtree(where)


@pytest.fixture
async def owner(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


async def distributed(url: str) -> list[str]:
    return [line async for line in distribute(url)]


async def test_a_database_with_matches_is_distributed_and_goes_on(url: str, owner: Connection):
    # given a match that is over, and read models
    store, match = await Store.connect(url), finished()
    for one in match.appends:
        assert isinstance(await store.append(one), Appended)
    projector = Projector(store)
    await projector.prepare()
    await caught_up(projector)
    before = await everything(store)
    await store.close()
    # when it is distributed
    said = await distributed(url)
    # then the shards come first, and every other table of a match lies with them
    called = [row[0] for row in await owner.fetch("select what from citus.called order by at")]
    assert called[0] == "distribute shard by shard with none in 16"
    by_shard = [name for name, place in PLACES.items() if place == "shard" and name != "shard"]
    by_shard += [f"projection.{name}{table.suffix}_1" for name in PROJECTIONS for table in PROJECTIONS[name].tables]
    for table in by_shard:
        assert f"distribute {table} by shard with shard in as many" in called
    assert "everywhere projection.build" in called
    assert called[-1] == "function append_shard by p_shard with event"
    assert len([what for what in called if what.startswith("truncate")]) == len(by_shard) + 2
    assert (
        len(await owner.fetch("select distinct colocationid from citus.pg_dist_partition where partmethod = 'h'")) == 1
    )
    assert "player: stays on this machine" in said
    # and what is recorded is as immutable as before
    for attempt in ("delete from event", "update opening set salt = ''", "truncate event", "truncate archive"):
        with pytest.raises(asyncpg.RestrictViolationError):
            await owner.execute(attempt)
    enabled = await owner.fetch("select tgenabled from pg_trigger where not tgisinternal and tgname like 'immutable%'")
    assert {row[0] for row in enabled} == {b"A"}
    # and a store on it appends by shard
    store = await Store.connect(url)
    assert store.distributed
    assert await everything(store) == before
    for shard in SHARDS:
        assert isinstance(await store.append(command(match_in(shard))), Appended)
    await everything(store)
    await store.close()


async def test_a_rebuild_on_a_distributed_database_places_its_tables_too(url: str, owner: Connection):
    await distributed(url)
    store, match = await Store.connect(url), finished()
    for one in match.appends:
        await store.append(one)
    projector = Projector(store)
    await projector.prepare()
    await caught_up(projector)
    before = await contents(store, "players")

    async for _ in projector.rebuild("players"):
        pass

    assert await contents(store, "players") == before
    assert await checkpoints(store, "players") == await store.heads()
    placed = {row[0] for row in await owner.fetch("select logicalrelid::text from citus.pg_dist_partition")}
    tables = PROJECTIONS["players"].tables
    assert {f"projection.players{table.suffix}_2" for table in tables} <= placed
    await store.close()


async def test_it_may_be_called_again_and_after_a_failure_goes_on_where_it_stopped(url: str, owner: Connection):
    # given a table that Citus will not take
    await owner.execute("create unique index in_the_way on refusal (id)")
    with pytest.raises(asyncpg.RaiseError, match="distribution column"):
        await distributed(url)
    assert not await owner.fetchval("select is_distributed()")
    assert await owner.fetchval("select count(*) from pg_trigger where not tgisinternal") == 10
    # when that is mended, then it goes on, and a third time there is nothing left to do
    await owner.execute("drop index in_the_way")
    await distributed(url)
    assert await owner.fetchval("select is_distributed()")
    known = await owner.fetchval("select count(*) from citus.called where what like 'distribute%'")
    await distributed(url)
    assert await owner.fetchval("select count(*) from citus.called where what like 'distribute%'") == known


async def test_a_table_that_nobody_has_placed_stops_it_before_anything_is_changed(url: str, owner: Connection):
    await owner.execute("create table newcomer (id int)")
    with pytest.raises(KeyError, match="newcomer"):
        await distributed(url)
    assert await owner.fetchval("select count(*) from citus.called") == 0


async def test_without_the_extension_nothing_is_changed(database_url: str):
    with pytest.raises(NoCitus, match="does not have the extension"):
        await distributed(database_url)
