"""A database distributed by Citus itself, in a container. Run by ``make test-containers``; needs a Docker engine.

Skipped where the image is not there and cannot be pulled.
"""

import asyncio
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest
from testcontainers.community.postgres import PostgresContainer

from services.ids import SHARDS, new_id
from services.projector import Projector
from services.store.distribution import distribute
from services.store.migrate import migrate
from services.store.records import Appended
from services.store.store import Store
from tests.engine.played import audited, finished
from tests.projections.streams import caught_up, checkpoints
from tests.store.matches import everything
from tests.store.racer import race

CITUS = os.environ.get("KIBITZ_TEST_CITUS_IMAGE", "citusdata/citus:13.2")


@pytest.fixture
def image() -> str:
    """The name of an image with Citus that is there."""
    if subprocess.run(["docker", "image", "inspect", CITUS], capture_output=True, check=False).returncode:
        pulled = subprocess.run(["docker", "pull", "--quiet", CITUS], capture_output=True, text=True, check=False)
        if pulled.returncode:
            why = pulled.stderr.strip()
            pytest.skip(f"{CITUS} is not here and cannot be pulled (KIBITZ_TEST_CITUS_IMAGE names another): {why}")
    return CITUS


@pytest.mark.containers
@pytest.mark.timeout(1200)
def test_a_database_that_is_distributed_keeps_its_matches_and_takes_races_and_rebuilds(image: str):
    with PostgresContainer(image, driver=None) as citus:
        url = citus.get_connection_url()
        with ThreadPoolExecutor(1) as apart:
            apart.submit(asyncio.run, _distributed(url)).result()


async def _distributed(url: str) -> None:
    # given a database with a match and its read models
    migrate(url)
    store, match = await Store.connect(url), finished()
    for command in match.appends:
        assert isinstance(await store.append(command), Appended)
    projector = Projector(store)
    await projector.prepare()
    await caught_up(projector)
    before = await everything(store)
    await store.close()
    # when it is distributed
    assert [line async for line in distribute(url)]
    # then each shard id has a range of its own, and every record is there
    connection = await asyncpg.connect(url)
    ranges = [await connection.fetchval("select get_shard_id_for_distribution_column('event', $1)", s) for s in SHARDS]
    assert len(set(ranges)) == len(SHARDS)
    store, other = await Store.connect(url), await Store.connect(url)
    assert store.distributed
    assert await everything(store) == before
    assert audited(await store.events(match.match), await store.openings(match.match)).verdict == "VALID"
    # and writers who race, the read models and a rebuild find what they find on one machine
    matches = [new_id() for _ in range(6)]
    results = await asyncio.gather(*(race((store, other)[k % 2], matches, 60, k) for k in range(8)))
    assert sum(conflicts for _, conflicts in results) > 0
    await everything(store)
    projector = Projector(store)
    await caught_up(projector)
    async for _ in projector.rebuild("replays", force=True):
        pass
    assert await checkpoints(store, "replays") == await store.heads()
    # and nothing that is recorded can be changed
    for attempt in ("delete from event where shard = $1", "update opening set hand = 0 where shard = $1"):
        with pytest.raises(asyncpg.PostgresError):
            await connection.execute(attempt, before[0].shard)
    await connection.close()
    await store.close()
    await other.close()
