"""Traces: what a request is made of, in whose trace it stands, and which share of them is told."""

from dataclasses import replace
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from services.api import create_api
from services.store.records import Unavailable
from services.tracing import Tracer
from tests.api.conftest import Service
from tests.api.guests import Table, ok, seated_table

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
MOVE = "POST /v1/matches/{match}/moves"


class Traced:
    """The application of a running service over again, with a tracer whose spans can be read at once."""

    def __init__(self, service: Service, share: float = 1.0) -> None:
        self._exporter = InMemorySpanExporter()
        tracer = Tracer(SimpleSpanProcessor(self._exporter), share)
        app: Any = create_api(replace(service.context, tracer=tracer))
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://kibitz")

    async def table(self) -> Table:
        table = await seated_table(self.http, 3)
        self._exporter.clear()
        return table

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]


def parent_of(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


async def test_a_move_is_a_span_with_its_phases(service: Service):
    traced = Traced(service)
    table = await traced.table()

    done = await table.step()

    [root] = traced.named(MOVE)
    assert root.attributes is not None
    assert root.attributes["kibitz.match"] == table.match
    assert root.attributes["kibitz.seat"] == done["seat"]
    assert root.attributes["kibitz.command"] == done["events"][0]["cmd"]
    assert root.attributes["http.response.status_code"] == 200
    own = [span for span in traced.spans if parent_of(span) == root.context.span_id]
    assert sorted(span.name for span in own) == ["append", "decide", "publish", "settle"]
    assert {span.context.trace_id for span in own} == {root.context.trace_id}


async def test_a_batch_is_one_span_with_the_phases_of_each_move(service: Service):
    traced = Traced(service)
    tables = [await traced.table(), await traced.table()]
    moves = []
    for table in tables:
        who = await table.due()
        moves.append((who, {"match": table.match, "key": table.match, "move": (await table.legal(who))["moves"][0]}))

    for who, move in moves:
        ok(await who.post("/v1/moves:batch", [move, move | {"move": {"type": "nonsense"}, "key": "other"}]))

    for root in traced.named("POST /v1/moves:batch"):
        assert [span.name for span in traced.spans if parent_of(span) == root.context.span_id].count("append") == 1


async def test_a_request_goes_on_in_the_trace_that_it_comes_with(service: Service):
    traced = Traced(service)
    await traced.http.get("/v1/games", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    await traced.http.get("/v1/games", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    await traced.http.get("/v1/games", headers={"traceparent": "what is this"})

    found, other = traced.named("GET /v1/games")

    assert (found.context.trace_id, parent_of(found)) == (int(TRACE, 16), int(PARENT, 16))
    assert parent_of(other) is None


@pytest.mark.parametrize(("share", "told"), [(0.0, 0), (1.0, 20)])
async def test_a_share_of_all_traces_is_told_whoever_asks_for_more(service: Service, share: float, told: int):
    traced = Traced(service, share)
    for number in range(20):
        sampled = {"traceparent": f"00-{TRACE[:-2]}{number:02x}-{PARENT}-01"}
        assert (await traced.http.get("/v1/games", headers=sampled)).status_code == 200
    assert len(traced.spans) == told


async def test_what_goes_wrong_is_told_by_its_class_alone(service: Service, monkeypatch: pytest.MonkeyPatch):
    traced = Traced(service)
    table = await traced.table()
    who = await table.due()
    moves = (await table.legal(who))["moves"]

    async def away(*_: object) -> None:
        raise Unavailable("10H is in it")

    assert (await who.post(f"{table.path}/moves", {"type": "play", "cards": ["99"]})).status_code == 422
    monkeypatch.setattr(service.context.store, "append", away)
    assert (await who.post(f"{table.path}/moves", moves[0])).status_code == 503

    refused, gone = [span for span in traced.spans if "error.type" in (span.attributes or {})]
    assert (refused.name, dict(refused.attributes or {})) == ("decide", {"error.type": "Refused"})
    assert (gone.name, dict(gone.attributes or {})) == ("append", {"error.type": "Unavailable"})
    [root] = [span for span in traced.named(MOVE) if span.status.status_code == StatusCode.ERROR]
    assert root.attributes is not None
    assert root.attributes["http.response.status_code"] == 503
    assert not any(span.events or span.status.description for span in traced.spans)
