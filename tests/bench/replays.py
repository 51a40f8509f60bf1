"""P6: the match as it was at a random version of a long one, against reading the same rows and nothing more."""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final
from uuid import UUID

import asyncpg

from services.embedded import Embedded
from services.ids import shard_of
from services.past import Past
from services.store.store import Store
from tests.bench.machine_room import collecting_as_served, found_in, fresh
from tests.bench.paired import Row, compared, medians, percentile
from tests.bench.scale import Scale
from tests.bench.simulator import LONG, Plan, load, matches_of

_EVENTS: Final = "select * from event where shard = $1 and stream = $2 and version <= $3 order by version"
_OPENINGS: Final = "select * from opening where shard = $1 and stream = $2 and version <= $3 order by version, path"


async def replays(database: str, long: Sequence[str], times: int, seed: int) -> dict[str, list[float]]:
    """Milliseconds of each of so many replays: of a match that was not looked at before (``cold``), of one that was
    (``warm``), and of reading the same rows (``read``), in turn for the same match and version.
    """
    chance = random.Random(seed)
    store = await Store.connect(database)
    connection = await asyncpg.connect(database)
    taken: dict[str, list[float]] = {"cold": [], "warm": [], "read": []}
    warm = Past(store)
    for match in long:
        await warm.at(match, LONG)
    try:
        for _ in range(times):
            match, version = chance.choice(long), chance.randint(1, LONG)
            began = time.perf_counter()
            cold, _ = await Past(store).at(match, version)
            cold_done = time.perf_counter()
            key = shard_of(match), UUID(match), version
            rows = await connection.fetch(_EVENTS, *key)
            await connection.fetch(_OPENINGS, *key)
            read_done = time.perf_counter()
            again, _ = await warm.at(match, version)
            done = time.perf_counter()
            assert len(rows) == version
            assert cold == again, f"{match} at {version} is not what it was"
            for name, seconds in (
                ("cold", cold_done - began),
                ("read", read_done - cold_done),
                ("warm", done - read_done),
            ):
                taken[name].append(seconds * 1000)
    finally:
        await connection.close()
        await store.close()
    return taken


def measure_replays(embedded: Embedded, scale: Scale) -> Iterator[Row]:
    database, plan = fresh(embedded), Plan(events=scale.long * LONG, matches=scale.long, long=scale.long)
    load(database, plan)
    with collecting_as_served():
        rounds = [asyncio.run(replays(database, matches_of(plan), scale.replays, seed)) for seed in range(scale.rounds)]
    assert asyncio.run(found_in(database, 2)).matches == scale.long
    for name, what in (("cold", "first look at a match"), ("warm", "a match that is looked at")):
        p99s = [(percentile(taken[name], 99), percentile(taken["read"], 99)) for taken in rounds]
        yield compared(
            medians(p99s),
            id="P6",
            figure=f"replay at a random version of {LONG} events, p99, {what}",
            unit="ms",
            reference="reading the same rows with asyncpg, p99",
            must=20.0,
            aim=5.0,
            held="value",
            at_most=True,
            note=f"p50 {median(percentile(taken[name], 50) for taken in rounds):.1f} ms",
        )
