"""The figures of the whole process: what its parts have counted by themselves, and what is so at this moment."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from services.api.context import Context
from services.store.records import Unavailable

TAKE_SECONDS: Final = 1.0
"""How often a process says what its parts have counted: another one of those that count together may be asked."""


async def run(context: Context) -> None:
    """Until cancelled: keeps the figures of this process up to date for those that count together."""
    while True:
        take(context)
        await asyncio.sleep(TAKE_SECONDS)


async def text(context: Context) -> bytes:
    """All figures, as of now."""
    take(context)
    return context.metrics.text(_Moment(await _now(context)))


def take(context: Context) -> None:
    """Takes over what the parts have counted."""
    metrics, writer = context.metrics, context.store.writer
    metrics.feed_up.set(context.feed.connected)
    metrics.tails.set(len(context.tails))
    metrics.queued.set(writer.queued)
    metrics.connections.set(context.wire.open)
    metrics.limits_shared.set(context.limits.together)
    metrics.take_over(metrics.ended_connections, {(what,): count for what, count in context.wire.counts.items()})
    metrics.take_over(metrics.feed, {(what,): count for what, count in context.feed.counts.items()})
    metrics.take_over(metrics.bot_moves, context.bots.counts)
    metrics.take_over(metrics.restarts, {(part,): count for part, count in context.parts.restarts.items()})
    metrics.take_over(metrics.batches, {(): writer.batches})
    metrics.take_over(metrics.commands, {(): writer.commands})
    metrics.take_over(metrics.unknown, {(): writer.lane.unknown})
    metrics.take_over(metrics.found, {(): writer.lane.found})


async def _now(context: Context) -> list[Metric]:
    """What is so whoever is asked: of the database, and of the processes that work on it."""
    processes = GaugeMetricFamily("kibitz_processes", "Processes that share the work.", context.peers.count)
    up = GaugeMetricFamily("kibitz_database_up", "1 if the database answers and takes what is appended.")
    try:
        await context.store.ready()
        behind, since = await context.projector.lag(), await context.projector.since()
        parked = dict.fromkeys(behind, 0)
        for entry in await context.projector.parked():
            parked[entry.projection] = parked.get(entry.projection, 0) + 1
    except Unavailable:
        up.add_metric([], 0)
        return [processes, up]
    up.add_metric([], 1)
    now = context.now()
    ages = {name: max(0.0, (now - since.get(name, now)) / 1000) for name in behind}
    return [
        processes,
        up,
        _by_projection("kibitz_projector_lag_events", "Events not yet folded.", behind),
        _by_projection("kibitz_projector_lag_seconds", "Age of the oldest event not yet folded.", ages),
        _by_projection("kibitz_projector_parked", "Matches that a read model has set aside.", parked),
    ]


def _by_projection(name: str, text: str, values: dict[str, int] | dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=["projection"])
    for projection, value in values.items():
        family.add_metric([projection], value)
    return family


class _Moment(Collector):
    def __init__(self, found: Iterable[Metric]) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        yield from self._found
