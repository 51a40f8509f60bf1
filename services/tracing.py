"""Traces of requests, sent by OTLP to a collector: the extra ``kibitz[otel]``. Without it nothing of this is loaded.

A span says what the log says: route, status, match, seat and command. What an exception says may be a card, so of one
only the class is told.
"""

import os
from typing import TYPE_CHECKING, Any, Final, Self

from services.settings import Settings
from services.trail import Phase, Trail

if TYPE_CHECKING:
    from opentelemetry import trace as api
    from opentelemetry.sdk.trace import SpanProcessor

_EXPORT_SECONDS: Final = 2.0
"""How long the collector may take, unless ``OTEL_EXPORTER_OTLP_TIMEOUT`` says otherwise. One that is away costs spans,
never requests, and a stop not more than this.
"""


class Tracer:
    """Makes the spans of requests and hands them to ``processor``: of ``share`` of all traces, by their ids.

    A request that comes with a ``traceparent`` (W3C Trace Context) goes on in that trace if it is sampled there, too.
    """

    def __init__(self, processor: "SpanProcessor", share: float = 1.0) -> None:
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased  # noqa: PLC0415
        from opentelemetry.trace import set_span_in_context  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        chosen = TraceIdRatioBased(share)
        self._provider = TracerProvider(
            sampler=ParentBased(chosen, remote_parent_sampled=chosen),
            resource=Resource.create({"service.name": "kibitz"}),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("kibitz")
        self._propagator = TraceContextTextMapPropagator()
        self._inside = set_span_in_context

    def request(self, method: str, traceparent: str | None) -> "RequestSpan | None":
        """The span of a request that begins now; None if it is not among those that are told."""
        from opentelemetry.trace import SpanKind  # noqa: PLC0415

        parent = None if traceparent is None else self._propagator.extract({"traceparent": traceparent})
        span = self._tracer.start_span(method, context=parent, kind=SpanKind.SERVER)
        return RequestSpan(self._tracer, span, self._inside(span), method) if span.is_recording() else None

    def close(self) -> None:
        """Sends what is left, and no more after that. Blocks for some seconds at most."""
        self._provider.shutdown()


class RequestSpan:
    """See ``services.trail.Span``."""

    def __init__(self, tracer: "api.Tracer", span: "api.Span", inside: Any, method: str) -> None:
        self._tracer = tracer
        self._span = span
        self._inside = inside
        self._method = method

    @property
    def trace(self) -> str:
        return f"{self._span.get_span_context().trace_id:032x}"

    def child(self, name: str) -> Phase:
        return _Phase(self._tracer.start_span(name, context=self._inside))

    def end(self, route: str, status: int, trail: Trail) -> None:
        """The request is answered, with what ``trail`` has come to know. Ending it again changes nothing."""
        if not self._span.is_recording():
            return
        self._span.update_name(f"{self._method} {route}")
        said: dict[str, str | int] = {
            "http.request.method": self._method,
            "http.route": route,
            "http.response.status_code": status,
        }
        self._span.set_attributes(said | {f"kibitz.{name}": value for name, value in trail.known().items()})
        if status >= 500:
            self._span.set_status(_failed())
        self._span.end()


class _Phase:
    def __init__(self, span: "api.Span") -> None:
        self._span = span

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._span.set_attribute("error.type", kind.__name__)
            self._span.set_status(_failed())
        self._span.end()


def _failed() -> Any:
    from opentelemetry.trace import StatusCode  # noqa: PLC0415

    return StatusCode.ERROR


def tracer(settings: Settings) -> Tracer | None:
    """The tracer that the settings ask for; None without an endpoint. Raises ``ImportError`` without the extra."""
    if not settings.otlp_endpoint:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    seconds = None if os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else _EXPORT_SECONDS  # which it reads itself
    endpoint = f"{settings.otlp_endpoint.rstrip('/')}/v1/traces"
    return Tracer(BatchSpanProcessor(OTLPSpanExporter(endpoint, timeout=seconds)), settings.trace_share)
