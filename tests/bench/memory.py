"""P10: by how much one worker grows for each match that it keeps in memory, and for each open feed.

Some matches and some feeds come first, so that what is needed once is not counted. The feeds follow matches that are in
memory already; nobody moves.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

import psutil

from services.embedded import Embedded
from services.projector import Projector
from services.store.store import Store
from tests.bench.audience import audience
from tests.bench.client import Line
from tests.bench.machine_room import found_in, fresh
from tests.bench.paired import Row
from tests.bench.readers import Feed
from tests.bench.rest import serving
from tests.bench.scale import Scale
from tests.bench.simulator import Plan, load, matches_of

_EVENTS: Final = 40
"""How many events an idle match has had."""
_FIRST: Final = 10
"""One in so many comes first, uncounted."""
_PER_MATCH: Final = 10


async def _caught_up(database: str) -> None:
    """Brings the projections up, so that the service does not do it while it is weighed."""
    store = await Store.connect(database)
    try:
        projector = Projector(store)
        await projector.prepare()
        while await projector.run_once():
            pass
    finally:
        await store.close()


async def _looked_at(url: str, matches: Sequence[str]) -> None:
    async with Line(url) as line:
        for match in matches:
            status, answer = await line.get(f"/v1/matches/{match}")
            assert status == 200, answer


def _kib(pid: int, settle: float) -> float:
    time.sleep(settle)
    return psutil.Process(pid).memory_info().rss / 1024


def _feeds(matches: Sequence[str], count: int) -> list[Feed]:
    return [
        Feed(number, f"/v1/matches/{match}/stream?after=1", "")
        for number, match in enumerate(matches[place % len(matches)] for place in range(count))
    ]


def _weighed(database: str, redis: str, matches: Sequence[str], scale: Scale) -> tuple[float, float]:
    """KiB for each idle match and for each open feed, of one service that has just started."""
    feeds, settle = scale.open, scale.settle
    first = max(1, len(matches) // _FIRST)
    followed = matches[: max(1, feeds // _PER_MATCH)]
    with serving(database, redis) as (url, service):
        asyncio.run(_looked_at(url, matches[-first:]))
        before = _kib(service.pid, settle)
        asyncio.run(_looked_at(url, matches[:-first]))
        idle = (_kib(service.pid, settle) - before) / (len(matches) - first)
        with audience(url, _feeds(matches[-first:], max(1, feeds // _FIRST))):
            before = _kib(service.pid, settle)
            with audience(url, _feeds(followed, feeds)) as there:
                feed = (_kib(service.pid, settle) - before) / feeds
                assert there.heard().open == feeds, "a feed was closed"
    return idle, feed


def measure_memory(embedded: Embedded, scale: Scale) -> Iterator[Row]:
    database = fresh(embedded)
    plan = Plan(events=scale.idle * _EVENTS, matches=scale.idle)
    loaded = load(database, plan)
    asyncio.run(_caught_up(database))
    matches = matches_of(plan)
    found = [_weighed(database, embedded.redis_url, matches, scale) for _ in range(scale.rounds)]
    there = asyncio.run(found_in(database))
    assert (there.events, there.matches) == (loaded.events, loaded.matches)
    for place, what, note in (
        (0, f"memory per idle match, {scale.idle:,} of {_EVENTS} events", "of all games"),
        (1, f"memory per open feed, {scale.open:,} on one worker", f"{_PER_MATCH} feeds a match"),
    ):
        yield Row(
            id="P10",
            figure=what,
            value=median(pair[place] for pair in found),
            unit="KiB",
            must=64.0,
            aim=16.0,
            held="value",
            at_most=True,
            note=note,
        )
