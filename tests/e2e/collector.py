"""A collector of traces on loopback, as OTLP has it: it keeps what it is sent."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector(ThreadingHTTPServer):
    """``bodies`` are the requests as they came."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def spans(self) -> list[Any]:
        """All spans so far."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in list(self.bodies)]
        return [
            span for request in requests for source in request.resource_spans
            for scope in source.scope_spans for span in scope.spans
        ]  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == "/v1/traces"
        self.server.bodies.append(body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def collecting() -> Iterator[Collector]:
    with Collector() as collector:
        thread = Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


def attributes(span: Any) -> dict[str, str | int]:
    """The attributes of a span; each is a text or a whole number."""
    found = {}
    for pair in span.attributes:
        kind = pair.value.WhichOneof("value")
        assert kind in ("string_value", "int_value"), pair
        found[pair.key] = getattr(pair.value, kind)
    return found
