"""What Prometheus may ask: counted here, and read from the other parts at the moment of the question."""

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
        self.lag = Gauge(
            "kibitz_projector_lag_events", "Events not yet folded.", ["projection"], registry=self.registry
        )
        self.feed_up = Gauge(
            "kibitz_feed_connected", "1 if other processes are heard at once, 0 if only by polling.",
            registry=self.registry,
        )  # fmt: skip

        self.batches = Counter("kibitz_append_batches", "Batches of commands stored.", registry=self.registry)
        self.commands = Counter("kibitz_append_commands", "Commands in these batches.", registry=self.registry)
        self.queued = Gauge("kibitz_append_queued", "Commands that wait to be stored.", registry=self.registry)
        self.unknown = Counter(
            "kibitz_append_unknown", "Calls to append whose outcome was not known.", registry=self.registry
        )
        self.found = Counter(
            "kibitz_append_found", "Commands of such calls that were found in the store.", registry=self.registry
        )
        self._appended = (0, 0)
        self._doubted = (0, 0)

    def appended(self, batches: int, commands: int, queued: int) -> None:
        """Takes over what the store has counted since it was opened; batch size is commands by batches."""
        known_batches, known_commands = self._appended
        self.batches.inc(batches - known_batches)
        self.commands.inc(commands - known_commands)
        self.queued.set(queued)
        self._appended = (batches, commands)

    def doubted(self, unknown: int, found: int) -> None:
        """Takes over what the lane has counted since it was opened: answers that were lost, and what became of them."""
        known_unknown, known_found = self._doubted
        self.unknown.inc(unknown - known_unknown)
        self.found.inc(found - known_found)
        self._doubted = (unknown, found)

    def text(self) -> bytes:
        """The figures in the text format of Prometheus."""
        return generate_latest(self.registry)
