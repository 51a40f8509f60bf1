"""P9: what becomes of P1, P6 and P7 when a store grows from thousands of events to millions.

Two databases on one server, loaded by the simulator with matches of all games; each figure is measured on the one and
on the other in turn. The first trial of P7 builds from nothing what the later ones replace.
"""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from services.embedded import Embedded
from tests.bench.engine import engine_moves
from tests.bench.machine_room import collecting_as_served, drop, found_in, fresh, servers
from tests.bench.paired import Row, compared, in_turn, percentile
from tests.bench.rebuilds import outdate, prepare, rebuilt_a_second
from tests.bench.replays import replays
from tests.bench.scale import Scale
from tests.bench.simulator import Loaded, Plan, load, matches_of

_LONG: Final = 1_000
"""One match in so many is a long one; P6 needs one at least."""
_SHARED_BUFFERS: Final = "1GB"


def _plans(scale: Scale) -> tuple[Plan, Plan]:
    few = max(4, scale.small * scale.matches // scale.large)
    small = Plan(events=scale.small, matches=few, long=max(1, few // _LONG))
    return small, Plan(events=scale.large, matches=scale.matches, long=max(1, scale.matches // _LONG))


def measure_growth(scale: Scale) -> Iterator[Row]:
    with servers(shared_buffers=_SHARED_BUFFERS, max_wal_size="4GB") as embedded:
        small_plan, large_plan = _plans(scale)
        small, large = fresh(embedded), fresh(embedded)
        few, many = load(small, small_plan), load(large, large_plan)
        for database, loaded in ((small, few), (large, many)):
            found = asyncio.run(found_in(database, 8))
            assert (found.events, found.matches) == (loaded.events, loaded.matches), (found, loaded)
        yield Row(
            id="P9",
            figure=f"loaded by the simulator: {many.events:,} events, {many.matches:,} matches",
            value=many.rate,
            unit="events/s",
            note=f"{many.commands:,} commands and {many.openings:,} openings in {many.seconds:.0f} s",
        )
        yield from _compared(embedded, scale, (small, small_plan, few), (large, large_plan, many))


def _compared(
    embedded: Embedded, scale: Scale, little: tuple[str, Plan, Loaded], much: tuple[str, Plan, Loaded]
) -> Iterator[Row]:
    (small, small_plan, few), (large, large_plan, many) = little, much

    def replaying(database: str, plan: Plan, long: int) -> float:
        with collecting_as_served():
            taken = asyncio.run(replays(database, matches_of(plan)[:long], scale.replays, 1))
        return 1000 / percentile(taken["cold"], 99)

    def rebuilding(database: str) -> float:
        asyncio.run(outdate(database))
        return asyncio.run(rebuilt_a_second(database))

    def moving(database: str) -> float:
        return engine_moves(database, embedded.redis_url, scale.seconds, 1)

    def on_a_copy(database: str) -> float:
        copy = fresh(embedded, like=database)  # what a trial adds would be more than is there
        try:
            return moving(copy)
        finally:
            drop(embedded, copy)

    for database in (small, large):
        asyncio.run(prepare(database))
    figures: tuple[tuple[str, str, Callable[[], float], Callable[[], float]], ...] = (
        ("P6: replays a second, one at a time, by the p99 of a first look at one match", "replays/s",
         lambda: replaying(large, large_plan, 1), lambda: replaying(small, small_plan, 1)),
        (f"P6: the same at one of {large_plan.long} long matches, against the {small_plan.long} there", "replays/s",
         lambda: replaying(large, large_plan, large_plan.long), lambda: replaying(small, small_plan, small_plan.long)),
        ("P7: rebuild of all projections, one process", "events/s",
         lambda: rebuilding(large), lambda: rebuilding(small)),
        ("P1: durable moves through the engine", "moves/s",
         lambda: moving(large), lambda: on_a_copy(small)),
    )  # fmt: skip
    for figure, unit, ours, reference in figures:
        yield compared(
            in_turn(ours, reference, scale.rounds),
            id="P9",
            figure=f"{figure}, with {many.events:,} events stored",
            unit=unit,
            reference=f"the same with {few.events:,}",
            must=0.8,
            aim=1.0,
        )
