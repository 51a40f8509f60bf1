"""What Prometheus may ask: counted here, and read from the other parts at the moment of the question."""

from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

MEDIA_TYPE: Final = "text/plain; version=0.0.4"


class Metrics:
    """The figures of one process. ``streams`` is the number of open server-sent event streams."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "kibitz_requests", "Answered requests.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "kibitz_request_seconds",
            "Time to the first byte of an answer.",
            ["method", "route"],
            registry=self.registry,
        )
        self.moves = Counter(
            "kibitz_moves", "Moves by game and by what became of them.", ["game", "result"], registry=self.registry
        )
        self.streams = Gauge("kibitz_open_streams", "Open server-sent event streams.", registry=self.registry)
        self.sockets = Gauge("kibitz_open_sockets", "Open WebSockets.", registry=self.registry)
        self.tails = Gauge(
            "kibitz_followed_matches", "Matches whose newest events are read for followers.", registry=self.registry
        )
        self.lag = Gauge(
            "kibitz_projector_lag_events", "Events not yet folded.", ["projection"], registry=self.registry
        )
        self.feed_up = Gauge(
            "kibitz_feed_connected", "1 if other processes are heard at once, 0 if only by polling.",
            registry=self.registry,
        )  # fmt: skip

        self.feed = Gauge(
            "kibitz_feed_events",
            "Since the start: messages sent, heard and unread, listeners that failed, connections lost.",
            ["what"],
            registry=self.registry,
        )
        self.peers = Gauge("kibitz_processes", "Processes that share the work.", registry=self.registry)
        self.restarts = Counter(
            "kibitz_part_restarts", "Parts of the service that failed and were started again.", ["part"],
            registry=self.registry,
        )  # fmt: skip
        self._restarted: dict[str, int] = {}
        self.batches = Counter("kibitz_append_batches", "Batches of commands stored.", registry=self.registry)
        self.commands = Counter("kibitz_append_commands", "Commands in these batches.", registry=self.registry)
        self.queued = Gauge("kibitz_append_queued", "Commands that wait to be stored.", registry=self.registry)
        self.unknown = Counter(
            "kibitz_append_unknown", "Calls to append whose outcome was not known.", registry=self.registry
        )
        self.found = Counter(
            "kibitz_append_found", "Commands of such calls that were found in the store.", registry=self.registry
        )
        self.too_many = Counter(
            "kibitz_limited", "Requests refused because their address had asked too often.", ["kind"],
            registry=self.registry,
        )  # fmt: skip
        self.connections = Gauge("kibitz_open_connections", "Open connections of clients.", registry=self.registry)
        self.refused = Gauge(
            "kibitz_connection_events",
            "Since the start: connections refused or cut, by why.",
            ["what"],
            registry=self.registry,
        )
        self.counted_together = Gauge(
            "kibitz_limits_shared", "1 if limits are counted by Redis for all processes, 0 if not.",
            registry=self.registry,
        )  # fmt: skip
        self._appended = (0, 0)
        self._doubted = (0, 0)
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

    def appended(self, batches: int, commands: int, queued: int) -> None:
        """Takes over what the store has counted since it was opened; batch size is commands by batches."""
        known_batches, known_commands = self._appended
        self.batches.inc(batches - known_batches)
        self.commands.inc(commands - known_commands)
        self.queued.set(queued)
        self._appended = (batches, commands)

    def limited(self, kind: str) -> None:
        """Counts one request that was one too many."""
        self.too_many.labels(kind).inc()

    def restarted(self, restarts: Mapping[str, int]) -> None:
        """Takes over how often each part was started again since the process began."""
        for part, count in restarts.items():
            self.restarts.labels(part).inc(count - self._restarted.get(part, 0))
        self._restarted = dict(restarts)

    def doubted(self, unknown: int, found: int) -> None:
        """Takes over what the lane has counted since it was opened: answers that were lost, and what became of them."""
        known_unknown, known_found = self._doubted
        self.unknown.inc(unknown - known_unknown)
        self.found.inc(found - known_found)
        self._doubted = (unknown, found)

    def text(self) -> bytes:
        """The figures in the text format of Prometheus."""
        return generate_latest(self.registry)
