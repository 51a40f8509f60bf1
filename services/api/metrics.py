"""What Prometheus may ask of a process: what is counted, and how. ``figures`` collects what other parts have counted.

Labels have few values, all of them words of ours: routes, games, clauses, results. No match, no player, no card.
"""

import os
from collections.abc import Mapping
from typing import Any, Final, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.values import MultiProcessValue

from domain.game import Refused
from services.rulebooks import clause_text

MEDIA_TYPE: Final = "text/plain; version=0.0.4"
_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where the library keeps the figures of several processes."""
_REQUEST_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
_APPEND_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 15)
_BATCH: Final = (1, 2, 4, 8, 16, 32, 64, 128)
_FEED_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


def count_together(folder: str, number: int) -> None:
    """From now on this process counts together with others, as the one with that ``number``: in files in ``folder``.

    Whoever has the number after it goes on where it stopped. To be called before the first ``Metrics``.
    """
    os.environ[_FOLDER] = folder
    values.ValueClass = MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]


class Metrics:
    """The figures of one process, or of all that count together."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._totals: dict[tuple[str, ...], float] = {}
        self.requests = self._counter("kibitz_requests", "Answered requests.", "method", "route", "status")
        self.seconds = self._histogram(
            "kibitz_request_seconds", "Time to the first byte of an answer.", _REQUEST_SECONDS, "method", "route"
        )
        self.moves = self._counter("kibitz_moves", "Moves by game and by what became of them.", "game", "result")
        self.bot_moves = self._counter("kibitz_bot_moves", "The same of moves that bots made.", "game", "result")
        self.refusals = self._counter(
            "kibitz_refused", "What the rules did not allow, by the clause that says so.", "rulebook", "clause"
        )
        self.too_many = self._counter(
            "kibitz_limited", "Requests refused because their address had asked too often.", "kind"
        )
        self.streams = self._gauge("kibitz_open_streams", "Open server-sent event streams.")
        self.sockets = self._gauge("kibitz_open_sockets", "Open WebSockets.")
        self.tails = self._gauge("kibitz_followed_matches", "Matches whose newest events are read for followers.")
        self.feed_up = self._gauge(
            "kibitz_feed_connected", "1 if Redis carries the feed, 0 if it is by polling only.", mode="livemin"
        )
        self.feed = self._counter(
            "kibitz_feed_events", "Messages sent, heard and unread, listeners that failed, connections lost.", "what"
        )
        self.feed_lag = self._histogram(
            "kibitz_feed_lag_seconds", "From when a move came until its frame was there for a reader.", _FEED_SECONDS
        )
        self.feed_trip = self._histogram(
            "kibitz_feed_round_trip_seconds", "A message of the feed to Redis and back.", _FEED_SECONDS
        )
        self.restarts = self._counter(
            "kibitz_part_restarts", "Parts of the service that failed and were started again.", "part"
        )
        self.batches = self._counter("kibitz_append_batches", "Batches of commands stored.")
        self.commands = self._counter("kibitz_append_commands", "Commands in these batches.")
        self.batch_size = self._histogram("kibitz_append_batch_commands", "Commands in one batch.", _BATCH)
        self.append_seconds = self._histogram(
            "kibitz_append_seconds", "From when a batch left until it was answered.", _APPEND_SECONDS
        )
        self.queued = self._gauge("kibitz_append_queued", "Commands that wait to be stored.")
        self.unknown = self._counter("kibitz_append_unknown", "Calls to append whose outcome was not known.")
        self.found = self._counter("kibitz_append_found", "Commands of such calls that were found in the store.")
        self.connections = self._gauge("kibitz_open_connections", "Open connections of clients.")
        self.ended_connections = self._counter(
            "kibitz_connection_events", "Connections refused or cut, by why.", "what"
        )
        self.limits_shared = self._gauge(
            "kibitz_limits_shared", "1 if limits are counted by Redis for all processes, 0 if not.", mode="livemin"
        )
        self._of_requests: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._of_moves: dict[tuple[str, str], Counter] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts one request; ``seconds`` passed until its answer began."""
        key = method, route, status
        known = self._of_requests.get(key)
        if known is None:
            known = self.requests.labels(method, route, str(status)), self.seconds.labels(method, route)
            self._of_requests[key] = known
        known[0].inc()
        known[1].observe(seconds)

    def moved(self, game: str, result: str) -> None:
        """Counts one move by what became of it."""
        known = self._of_moves.get((game, result))
        if known is None:
            known = self._of_moves[game, result] = self.moves.labels(game, result)
        known.inc()

    def refused(self, refused: Refused) -> None:
        """Counts what a rule did not allow. A clause that no rule book has is ``none``: so labels stay few."""
        try:
            clause_text(refused.rulebook, refused.clause, "en")
        except KeyError:
            self.refusals.labels("none", "none").inc()
        else:
            self.refusals.labels(refused.rulebook, refused.clause).inc()

    def limited(self, kind: str) -> None:
        """Counts one request that was one too many."""
        self.too_many.labels(kind).inc()

    def followed(self, seconds: float) -> None:
        """One frame is there for a reader, so long after its move came."""
        self.feed_lag.observe(max(0.0, seconds))

    def returned(self, seconds: float) -> None:
        """A message of the feed came back from Redis after so long."""
        self.feed_trip.observe(seconds)

    def stored(self, commands: int, seconds: float) -> None:
        """One batch of so many commands was answered after so long."""
        self.batch_size.observe(commands)
        self.append_seconds.observe(seconds)

    def take_over(self, counter: Counter, totals: Mapping[Any, float]) -> None:
        """Brings ``counter`` up to what another part has counted since this process began, by label values."""
        [name] = (family.name for family in counter.describe())
        for labels, total in totals.items():
            known = self._totals.get((name, *labels), 0.0)
            (counter.labels(*labels) if labels else counter).inc(total - known)
            self._totals[name, *labels] = total

    def text(self, now: Collector) -> bytes:
        """The figures in the text format of Prometheus, and those that ``now`` gives of this moment."""
        moment = CollectorRegistry()
        moment.register(now)
        return generate_latest(self._counted()) + generate_latest(moment)

    def _counted(self) -> CollectorRegistry:
        if not values.ValueClass._multiprocess:  # noqa: SLF001 - it has no other name
            return self.registry
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return registry

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, mode: Literal["livesum", "livemin"] = "livesum") -> Gauge:
        return Gauge(name, text, registry=self.registry, multiprocess_mode=mode)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(name, text, labels, registry=self.registry, buckets=buckets)
