"""What stands behind a request on its connection: each answer belongs to its request, and none is lost."""

import pytest

from services.api.wire import HEAD_BYTES
from tests.api.conftest import Service
from tests.api.lines import connection, head
from tests.waiting import eventually

_HANDSHAKE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="


async def test_what_cannot_be_read_is_answered_after_what_was_asked_before_it(service: Service):
    live, guest = head("GET /health/live"), b'{"name":"Anna"}'
    made = head("POST /v1/players", f"Content-Length: {len(guest)}", "Content-Type: application/json") + guest
    unreadable = (
        (400, b"\x00\x01 nonsense\r\n\r\n"),
        (400, head("POST /v1/players", "Transfer-Encoding: chunked") + b"zz\r\n"),
        (400, head("CONNECT elsewhere:443")),
        (400, head("GET /", *_HANDSHAKE, _KEY)),
        (431, head("GET /", "X-Large: " + HEAD_BYTES * "x")),
    )
    for status, last in unreadable:
        async with connection(service) as line:
            line.send(live, made, live, last, live)
            assert [(await line.told()).status for _ in range(4)] == [200, 201, 200, status]
            assert await line.closed() == b""


async def test_behind_a_request_that_asks_to_upgrade_nothing_is_read_and_nothing_takes_the_place_of_its_answer(
    service: Service,
):
    guest = b'{"name":"Anna"}'
    upgrade = "Connection: Upgrade", "Upgrade: h2c"
    made = head("POST /v1/players", *upgrade, f"Content-Length: {len(guest)}", "Content-Type: application/json") + guest
    for behind in (head("GET /health/live"), made, b"\x00 nonsense"):
        async with connection(service) as line:
            line.send(head("GET /health/live"), made, behind)
            assert [(await line.told()).status for _ in range(2)] == [200, 201]
            assert await line.closed() == b""


async def test_whoever_leaves_ends_the_stream_in_front_of_other_requests(service: Service):
    table = await service.table(3)
    streams = service.context.metrics.streams
    before = streams._value.get()
    async with connection(service) as line:
        line.send(head(f"GET {table.path}/stream"), head("GET /health/live"))
        await line.reader.readuntil(b"event: ")
        assert streams._value.get() == before + 1
    await eventually(lambda: streams._value.get() == before)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_an_answer_before_the_body_has_come_is_not_lost_by_who_goes_on_sending(service: Service, version: str):
    async with connection(service) as line:
        begun = head("POST /v1/players", "Connection: close", "Content-Length: 99999999")
        line.send(begun.replace(b"HTTP/1.1", f"HTTP/{version}".encode()))
        told = await line.told()
        assert (told.status, told.slug) == (413, "too-large")
        line.writer.write(b"x" * 65536)
        await line.writer.drain()
        assert await line.reader.read() == b""  # an end, and no ConnectionResetError
