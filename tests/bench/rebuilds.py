"""P7: all projections built anew by one process, against reading the same events and decoding each."""

import asyncio
import time
from collections.abc import Iterator
from typing import Final

from projections.registry import PROJECTIONS
from services.embedded import Embedded
from services.ids import SHARDS
from services.projector import Projector
from services.store.store import Store
from tests.bench.machine_room import found_in, fresh
from tests.bench.paired import Row, compared, in_turn
from tests.bench.scale import Scale
from tests.bench.simulator import Plan, load
from tests.store.rows import execute

_PAGE: Final = 8_000
_OUTDATED: Final = "update projection.build set version = 0"
"""As if the code had changed: the next build then goes to the very end, whatever the live one has taken."""


async def rebuilt_a_second(database: str) -> float:
    """Events a second, each counted once, while every projection is built anew, compared and switched to."""
    store = await Store.connect(database, pool_size=4)
    try:
        projector = Projector(store)
        events = sum((await store.heads()).values())
        began = time.perf_counter()
        async for _ in projector.rebuild(*PROJECTIONS):
            pass
        taken = time.perf_counter() - began
        assert set((await projector.lag()).values()) == {0}, "a build has not taken all events"
        assert not await projector.parked(), "a match was set aside"
    finally:
        await store.close()
    return events / taken


async def decoded_a_second(database: str) -> float:
    """Events a second that are read in pages, as the service reads them, and decoded, and nothing more."""
    store = await Store.connect(database)
    try:
        began, events = time.perf_counter(), 0
        for shard in SHARDS:
            at = 0
            while page := await store.page(shard, at, _PAGE):
                for event in page:
                    event.decoded()
                events, at = events + len(page), page[-1].pos
        return events / (time.perf_counter() - began)
    finally:
        await store.close()


async def prepare(database: str) -> None:
    """Gives every projection an empty first build, which counts as outdated."""
    store = await Store.connect(database)
    try:
        await Projector(store).prepare()
    finally:
        await store.close()
    await outdate(database)


async def outdate(database: str) -> None:
    await execute(database, _OUTDATED)


def measure_rebuilds(embedded: Embedded, scale: Scale) -> Iterator[Row]:
    database = fresh(embedded)
    loaded = load(
        database, Plan(events=scale.rebuilt, matches=max(8, scale.rebuilt // 20), long=scale.rebuilt // 20_000)
    )
    asyncio.run(prepare(database))
    asyncio.run(rebuilt_a_second(database))  # from now on each build is compared with the one before it
    found = in_turn(
        lambda: asyncio.run(rebuilt_a_second(database)), lambda: asyncio.run(decoded_a_second(database)), scale.rounds
    )
    assert asyncio.run(found_in(database)).events == loaded.events
    yield compared(
        found,
        id="P7",
        figure=f"rebuild of all {len(PROJECTIONS)} projections, one process",
        unit="events/s",
        reference="reading and decoding the same events",
        must=0.2,
        aim=0.5,
        note=f"{loaded.events:,} events in {loaded.matches:,} matches, compared with the build before and switched",
    )
