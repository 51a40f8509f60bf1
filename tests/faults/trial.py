"""A scenario and its run: a world, a load, what the scenario does to them, and what the checker says afterwards."""

import asyncio
import random
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from tests.faults.checker import Counts, check
from tests.faults.load import Load
from tests.faults.world import POOL, World
from tests.patience import patient
from tests.waiting import PATIENCE

WARM = 30
"""Acknowledged commands before the fault, and after it."""
GROWN = 150.0
"""MiB that a worker may be bigger at the end than when the load began: its caches and the matches it keeps."""


class NotRun(Exception):
    """The scenario cannot be run here, and why."""


@dataclass
class Trial:
    """What a scenario gets. ``chance`` comes from the seed; ``full`` is false for the short form in ``make test``.

    ``notes`` are told in the table. ``over`` marks the end of the fault, from which recovery is measured; without it
    that is the end of the scenario. ``fail`` is a complaint of the scenario itself.
    """

    world: World
    load: Load
    chance: random.Random
    full: bool
    notes: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    ended: float | None = None
    ground: Any = None
    """What the scenario's ``around`` gave."""

    def note(self, text: str) -> None:
        self.notes.append(text)

    def fail(self, text: str) -> None:
        self.complaints.append(text)

    def expect(self, holds: object, text: str) -> None:
        if not holds:
            self.fail(text)

    def over(self) -> None:
        self.ended = time.monotonic()

    def times(self, full: int, short: int) -> int:
        return full if self.full else short


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """``run`` does the harm while the load plays. ``limit`` is how many seconds recovery may take (I8).

    ``world`` are keywords of ``World``, ``load`` of ``Load``. A scenario with ``alone`` makes its own worlds and does
    its own checking: it gets the seed and whether it is full, and gives counts and notes.
    """

    id: str
    title: str
    run: Callable[[Trial], Awaitable[None]] | None = None
    alone: Callable[[int, bool], Awaitable[tuple[Counts, list[str]]]] | None = None
    limit: float = 10.0
    world: Mapping[str, Any] = field(default_factory=dict)
    load: Mapping[str, Any] = field(default_factory=dict)
    around: Callable[[], AbstractContextManager[Any]] | None = None
    """What stands before the world is made and goes after it has gone. May raise ``NotRun``."""
    closes: bool = True
    """Whether the workers are expected to be as they were afterwards (I9)."""


@dataclass(frozen=True)
class Result:
    scenario: Scenario
    counts: Counts
    notes: list[str]
    seconds: float
    not_run: str = ""

    @property
    def verdict(self) -> str:
        if self.not_run:
            return "not run"
        return "FAILED" if self.counts.complaints else "passed"


async def run(scenario: Scenario, seed: int, *, full: bool = True) -> Result:
    """Runs a scenario to its verdict. Whatever it raises besides ``NotRun`` is a failure, too."""
    begun = time.monotonic()
    try:
        with patient():  # what the checker asks the database, and not what the workers do
            if scenario.alone is not None:
                counts, notes = await scenario.alone(seed, full)
            else:
                counts, notes = await _under_load(scenario, seed, full=full)
    except NotRun as why:
        return Result(scenario, Counts(), [], time.monotonic() - begun, str(why))
    except Exception as error:
        traceback.print_exc()
        counts, notes = Counts(), []
        counts.complain("scenario", f"{type(error).__name__}: {error}")
    return Result(scenario, counts, notes, time.monotonic() - begun)


async def _under_load(scenario: Scenario, seed: int, *, full: bool) -> tuple[Counts, list[str]]:
    assert scenario.run is not None
    around = scenario.around or nullcontext
    with around() as ground:
        return await _in_a_world(scenario, scenario.run, ground, seed, full=full)


async def _in_a_world(
    scenario: Scenario, harm: Callable[[Trial], Awaitable[None]], ground: Any, seed: int, *, full: bool
) -> tuple[Counts, list[str]]:
    async with World(**scenario.world) as world:
        before = {worker.number: worker.usage() for worker in world.workers}
        async with Load(world, seed, **scenario.load) as load:
            trial = Trial(world, load, random.Random(f"{scenario.id}/{seed}"), full, ground=ground)
            await load.until(WARM)
            await harm(trial)
            ended = trial.ended or time.monotonic()
            recovered = await load.recovered(ended)
            await load.until(WARM)
            await load.stop()
            counts = await check(world, load.clients)
            counts.recovered = recovered
        if recovered > scenario.limit:
            counts.complain("I8", f"recovery took {recovered:.1f} s, more than {scenario.limit:g}")
        counts.complaints += trial.complaints
        if scenario.closes:
            await check_closed(world, before, counts)
        counts.complaints += logged_faults(world)
        return counts, trial.notes


async def check_closed(world: World, before: Mapping[int, Mapping[str, float]], counts: Counts) -> None:
    """I9: no stream, no queue, no session and not much memory is left of what was, once the workers have noticed."""
    latest = time.monotonic() + PATIENCE
    while left := await _left(world, before):
        if time.monotonic() > latest:
            counts.complaints += left
            return
        await asyncio.sleep(0.5)


async def _left(world: World, before: Mapping[int, Mapping[str, float]]) -> list[str]:
    counts = Counts()
    for worker in world.answering():
        seen, usage, first = await worker.metrics(), worker.usage(), before.get(worker.number)
        for name in ("kibitz_open_streams", "kibitz_append_queued"):
            if seen[name]:
                counts.complain("I9", f"worker {worker.number}: {name} is {seen[name]:g}")
        if first is not None and usage["memory"] > first["memory"] + GROWN:
            counts.complain(
                "I9", f"worker {worker.number} grew from {first['memory']:.0f} to {usage['memory']:.0f} MiB"
            )
        if first is not None and usage["files"] > first["files"] + POOL + 4:
            counts.complain(
                "I9", f"worker {worker.number} has {usage['files']:g} open files, {first['files']:g} before"
            )
    rows = await world.sql(
        "select application_name, count(*), count(*) filter (where state like 'idle in%' or wait_event_type = 'Lock')"
        " from pg_stat_activity where datname = 'kibitz' and application_name like 'kibitz%' group by 1"
    )
    workers = len(world.answering())
    for name, sessions, stuck in rows:
        most = workers if name == "kibitz lane" else workers * POOL
        if sessions > most or stuck:
            counts.complain("I9", f"{sessions} sessions of {name!r} ({most} at most), {stuck} of them stuck")
    return counts.complaints


_FAULTS = (
    "a part of the service failed",
    "a request could not be answered",
    "the lane failed",
    "append refused by the database",
    "a stream broke off",
)


def logged_faults(world: World) -> list[str]:
    """What the workers logged as a fault of their own: the first line of each kind, and the end of its traceback."""
    return [
        f"log of worker {worker.number}: {line[:300]} ... {line[300:][-600:]}"
        for worker in world.workers
        for mark in _FAULTS
        for line in [next((line for line in worker.log.splitlines() if mark in line), "")]
        if line
    ]
