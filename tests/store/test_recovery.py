"""A server that is in recovery, as a standby is until it takes over: what it cannot do yet is a matter of time."""

from pathlib import Path

import asyncpg
import pytest

from services.embedded import Embedded
from services.ids import new_id
from services.store.migrate import migrate
from services.store.records import Appended, Unavailable
from services.store.store import Store
from tests.store.matches import command


@pytest.mark.fault("F22")
async def test_what_a_standby_cannot_do_before_it_takes_over_is_unavailable_and_then_done(data_folder: Path):
    # given a server that follows another, with a match in it
    with Embedded(data_folder, sync=False) as servers:
        migrate(servers.database_url)
        store = await Store.connect(servers.database_url)
        before = command(new_id())
        assert await store.append(before) == Appended(1, 1)
        await store.close()
    (servers.postgres.home / "standby.signal").touch()
    with Embedded(data_folder, sync=False) as servers:
        store = await Store.connect(servers.database_url, patience=0)  # one try, that takes as long as it takes
        process, after = new_id(), command(new_id())
        # when it is asked to write, or for what it keeps in memory only (error 0A000), then that is not there yet
        for asked in (
            store.append(after),
            store.beat(process, 5),
            store.presence(before.match, process, 5),
        ):
            with pytest.raises(Unavailable):
                await asked
        assert [event.hash for event in await store.events(before.match)] == [before.events[0].hash]
        # when it takes over, then all of it is done
        admin = await asyncpg.connect(servers.database_url)
        await admin.execute("select pg_promote()")
        await admin.close()
        assert isinstance(await store.append(after), Appended)
        assert await store.beat(process, 5) == frozenset()
        assert await store.presence(before.match, process, 5) == {}
        await store.close()
