"""A running projector while the database goes away and comes back."""

import asyncio
from pathlib import Path

import asyncpg

from services.embedded import Embedded
from services.projector import Projector
from services.store.migrate import migrate
from services.store.store import Store
from tests.projections.streams import append, assert_exact, played, streams
from tests.waiting import eventually


async def test_a_running_projector_is_woken_and_survives_the_loss_of_its_connections(store: Store, database_url: str):
    projector = Projector(store, interval=0.05)
    running = asyncio.create_task(projector.run())
    admin = await asyncpg.connect(database_url)
    drives = [played(seed) for seed in range(20, 24)]

    async def behind_nothing() -> bool:
        return not any((await projector.lag()).values())

    for drive in drives:
        half = len(drive.log) // 2
        await append(store, drive, 0, half)
        projector.wake()
        await eventually(behind_nothing)
        for _ in range(2):
            await admin.execute(
                "select pg_terminate_backend(pid, 50000) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid() and application_name = 'kibitz'"
            )
            await asyncio.sleep(0.01)
        await append(store, drive, half)
        projector.wake()
    await eventually(behind_nothing)
    assert not running.done()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await admin.close()
    await assert_exact(store, streams(*drives))


async def test_a_running_projector_comes_back_after_the_database_was_away(data_folder: Path):
    with Embedded(data_folder, sync=False) as servers:
        migrate(servers.database_url)
        store = await Store.connect(servers.database_url)
        projector = Projector(store, interval=0.05)
        await projector.prepare()
        running = asyncio.create_task(projector.run())
        drives = [played(seed) for seed in range(30, 33)]

        async def behind_nothing() -> bool:
            return not any((await projector.lag()).values())

        for drive, end in zip(drives, (servers.postgres.stop, servers.postgres.kill), strict=False):
            await append(store, drive)
            await eventually(behind_nothing)
            await asyncio.to_thread(end)
            await asyncio.sleep(0.3)  # a few polls that fail
            await asyncio.to_thread(servers.revive)
        await append(store, drives[2])
        await eventually(behind_nothing)
        await assert_exact(store, streams(*drives))
        assert not running.done()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await store.close()
