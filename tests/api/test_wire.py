"""Whoever sends slowly, much or nonsense, or does not read, is answered if that can be, and let go; others play on."""

import asyncio
import json
import resource
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress

import pytest

from services.api.server import SPARE_FILES, within_files
from services.api.wire import FRAGMENTS, HEAD_BYTES, HEADERS, Bounds
from tests.api.conftest import Service, serving
from tests.api.guests import Table
from tests.api.lines import connection, head
from tests.waiting import PATIENCE, eventually

_HANDSHAKE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="


@pytest.fixture(scope="module")
def url(fresh_database: Callable[[], str]) -> str:
    return fresh_database()


@pytest.fixture(scope="module")
async def patient(url: str, redis_url: str) -> AsyncIterator[Service]:
    """A service that waits for whoever is held up by a busy machine."""
    seconds = {"head_seconds": 3600, "body_seconds": 3600, "stall_seconds": 3600}
    async with serving(url, redis_url, ping=3600, **seconds) as service:
        yield service


@pytest.fixture(scope="module")
async def hasty(url: str, redis_url: str) -> AsyncIterator[Service]:
    """One beside it that waits for nobody: for those only who are to be let go."""
    seconds = {"head_seconds": 1, "body_seconds": 1, "stall_seconds": 1}
    async with serving(url, redis_url, ping=0.5, room=8192, **seconds) as service:
        yield service


@pytest.fixture(scope="module")
async def table(patient: Service) -> Table:
    """A match that has been played out: there is much to read of it."""
    table = await patient.table(3, options={"games": 1})
    await table.play_out()
    return table


async def gone(service: Service, open_before: int) -> None:
    await eventually(lambda: service.context.wire.open <= open_before)


async def alive(service: Service) -> None:
    """Asks on a new connection, again if a service that waits for nobody has not waited for this, either."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with connection(service) as line:
                line.send(head("GET /health/live"))
                with suppress(asyncio.IncompleteReadError):
                    if (told := await line.told()).status != 408:
                        break
    assert json.loads(told.body)["alive"]


@pytest.mark.parametrize(
    "begun", [b"G", b"\r\n", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: kibitz\r\nX-Slow: "], ids=repr
)
async def test_a_head_that_does_not_end_is_a_408(hasty: Service, begun: bytes):
    async with connection(hasty) as line:
        line.send(begun)
        told = await line.told()
        assert (told.status, told.slug) == (408, "too-slow")
        assert told.headers["connection"] == "close"
        assert await line.closed() == b""


async def test_two_hundred_who_send_a_byte_now_and_then_are_let_go_and_hold_up_nobody(hasty: Service):
    before = hasty.context.wire.open

    async def slowly() -> int:
        async with connection(hasty) as line:
            answer = asyncio.create_task(line.told())
            for byte in b"GET /health/live HTTP/1.1\r\nX-Slow: " + b"slow" * 1000:
                line.send(bytes([byte]))
                await asyncio.wait({answer}, timeout=0.1)
                if answer.done():
                    break
            return (await answer).status

    slow = asyncio.gather(*(slowly() for _ in range(200)))
    while not slow.done():
        await alive(hasty)
        await asyncio.sleep(0.1)
    assert set(await slow) == {408}
    await gone(hasty, before + 1)


async def test_a_connection_on_which_nothing_is_said_is_closed(hasty: Service):
    async with connection(hasty) as line:
        assert await line.closed() == b""


async def test_a_body_that_does_not_end_is_a_408_and_changes_nothing(hasty: Service):
    body = b'{"name": "Slow"}'
    for framing in (f"Content-Length: {len(body)}", "Transfer-Encoding: chunked"):
        async with connection(hasty) as line:
            line.send(head("POST /v1/players", framing), body[:5] if "Length" in framing else b"5\r\n" + body[:5])
            told = await line.told()
            assert (told.status, told.slug) == (408, "too-slow")
            await line.closed()
    await alive(hasty)


@pytest.mark.parametrize(
    "sent",
    [
        head("GET /health/live", "X-Large: " + "x" * HEAD_BYTES),
        head("GET /health/live", *(f"X-{number}: x" for number in range(HEADERS + 1))),
        head("GET /health/live?" + "x" * 9000),
        b"GET /health/live HTTP/1.1\r\nX-Large: " + b"x" * 10 * HEAD_BYTES,
        head("GET /v1/matches/x/socket", *_HANDSHAKE, _KEY, "X-Large: " + "x" * 8200),
    ],
    ids=["one header", "many headers", "address", "no end", "handshake"],
)
async def test_a_head_that_is_too_large_is_a_431(patient: Service, sent: bytes):
    async with connection(patient) as line:
        line.send(sent)
        told = await line.told()
        assert (told.status, told.slug) == (431, "head-too-large")
        await line.closed()


async def test_a_head_as_large_as_it_may_be_is_read(patient: Service):
    async with connection(patient) as line:
        line.send(head("GET /health/live", "X-Large: " + "x" * (HEAD_BYTES - 200)))
        assert (await line.told()).status == 200


async def test_what_is_no_request_is_a_400_with_a_problem(patient: Service):
    for nonsense in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"HELO there\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        head("CONNECT kibitz:443"),
        head("CONNECT /", "Connection: Upgrade", "Upgrade: websocket"),
    ):
        async with connection(patient) as line:
            line.send(nonsense)
            told = await line.told()
            assert (told.status, told.slug) == (400, "not-understood")
            await line.closed()


async def test_requests_behind_one_another_on_one_connection_are_answered_in_turn(patient: Service):
    async with connection(patient) as line:
        line.send(*[head("GET /health/live"), head("GET /problems/too-slow"), head("GET /nowhere")] * 5)
        assert [(await line.told()).status for _ in range(15)] == [200, 200, 404] * 5


@pytest.mark.parametrize("asked", [(), ("Connection: Upgrade", "Upgrade: h2c")], ids=["plain", "upgrade"])
@pytest.mark.parametrize(
    "then",
    [
        head("CONNECT /"),
        head("GET /health/live", *(f"X-{number}: x" for number in range(HEADERS + 1))),
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01",
        head("POST /v1/players", "Transfer-Encoding: chunked") + b"nonsense\r\n",
    ],
    ids=["a tunnel", "many headers", "nonsense", "noise", "a body of nonsense"],
)
async def test_no_answer_is_given_to_another_request_than_it_is_for(
    patient: Service, asked: tuple[str, ...], then: bytes
):
    async with connection(patient) as line:
        line.send(head("GET /problems/too-slow", *asked), then)
        told = await line.closed()
        assert told == b"" or told.startswith(b"HTTP/1.1 200")


async def test_a_body_without_end_is_a_413_and_is_not_listened_to_any_longer(patient: Service):
    before = patient.context.wire.open
    async with connection(patient) as line:
        line.send(head("POST /v1/players", "Transfer-Encoding: chunked"))
        for _ in range(40):
            line.send(b"1000\r\n", b" " * 4096, b"\r\n")
        told = await line.told()
        assert (told.status, told.slug) == (413, "too-large")
        await line.closed()
    await gone(patient, before)
    async with connection(patient) as line:
        line.send(head("POST /v1/players", "Content-Length: 99999999999"))
        assert (await line.told()).slug == "too-large"
        await line.closed()


async def test_headers_behind_a_body_are_not_taken_for_headers(patient: Service):
    who = await patient.guest()
    async with connection(patient) as line:
        line.send(
            head("POST /v1/matches", "Transfer-Encoding: chunked", "Trailer: Authorization"),
            b'14\r\n{"game":"spades-two"}\r\n0\r\n'.replace(b"14", b"15"),
            f"Authorization: {who.auth['Authorization']}\r\n\r\n".encode(),
        )
        assert (await line.told()).status == 401


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "HEAD"])
async def test_whoever_asks_to_upgrade_with_another_method_than_get_is_answered_as_without(
    patient: Service, table: Table, method: str
):
    path, body = f"{table.path}/moves", b'{"move":"play"}'
    headers = (f"Content-Length: {len(body)}", "Content-Type: application/json", "Idempotency-Key: upgrade")
    for asked in (
        ("Connection: Upgrade", "Upgrade: websocket"),
        (*_HANDSHAKE, _KEY),
        ("Connection: Upgrade", "Upgrade: h2c"),
    ):
        async with connection(patient) as line:
            line.send(head(f"{method} {path}", *asked, *headers), body)
            begun = await line.reader.readuntil(b"\r\n\r\n")
            assert int(begun.split()[1]) == {"POST": 401, "HEAD": 401}.get(method, 405)
            assert b"connection: close" in begun.lower()
            await line.closed()


async def test_a_move_is_made_whatever_it_says_of_upgrades(patient: Service):
    table = await patient.table(3)
    who = await table.due()
    body = json.dumps((await table.legal(who))["moves"][0]).encode()
    async with connection(patient) as line:
        line.send(
            head(
                f"POST {table.path}/moves", "Connection: Upgrade", "Upgrade: websocket", f"Content-Length: {len(body)}",
                f"Authorization: {who.auth['Authorization']}",
            ),
            body,
        )  # fmt: skip
        assert (await line.told()).status == 200


async def test_what_is_no_handshake_is_answered(patient: Service, table: Table):
    path = f"GET {table.path}/socket"
    for headers in (_HANDSHAKE, (*_HANDSHAKE, "Sec-WebSocket-Key: short"), (*_HANDSHAKE[:2], _KEY)):
        async with connection(patient) as line:
            line.send(head(path, *headers))
            assert (await line.reader.readuntil(b"\r\n\r\n")).split()[1] in (b"400", b"426")
            await line.closed()


def frame(opcode: int, data: bytes = b"", *, fin: bool = True, length: int | None = None) -> bytes:
    """A masked frame (with a mask of zeros); ``length`` is what it claims."""
    size = len(data) if length is None else length
    first = bytes([(0x80 if fin else 0) | opcode])
    if size < 126:
        return first + bytes([0x80 | size]) + bytes(4) + data
    if size < 65536:
        return first + b"\xfe" + struct.pack("!H", size) + bytes(4) + data
    return first + b"\xff" + struct.pack("!Q", size) + bytes(4) + data


@pytest.mark.parametrize(
    "sent",
    [
        frame(1, length=2**40),
        frame(1, b"x" * 40_000, fin=False) + frame(0, b"x" * 40_000),
        frame(1, b"{", fin=False) + frame(0, fin=False) * (FRAGMENTS + 1),
    ],
    ids=["a frame that says it is large", "a large message in two frames", "a message without end"],
)
async def test_a_message_that_is_too_large_closes_with_1009_before_it_is_there(patient: Service, sent: bytes):
    playing = await patient.table(3)
    async with connection(patient) as line:
        line.send(head(f"GET {playing.path}/socket", *_HANDSHAKE, _KEY))
        assert (await line.reader.readuntil(b"\r\n\r\n")).split()[1] == b"101"
        line.send(sent)
        said = await line.closed()
        assert struct.pack("!H", 1009) in said


async def silent(service: Service, request: bytes) -> socket.socket:
    """Asks, on a connection with little room, and never reads."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(line, ("127.0.0.1", int(service.url.rpartition(":")[2])))
    await loop.sock_sendall(line, request)
    return line


async def test_a_socket_that_does_not_read_is_cut_when_it_has_not_answered_a_ping(hasty: Service, patient: Service):
    long = await patient.table(3, options={"games": 5})
    for turn in range(100):
        await long.step(turn)
    before, stalled = hasty.context.wire.open, hasty.context.wire.counts["stalled"]
    lines = [await silent(hasty, head(f"GET {long.path}/socket?with=table", *_HANDSHAKE, _KEY)) for _ in range(10)]
    try:
        await eventually(lambda: hasty.context.wire.counts["stalled"] >= stalled + 10)
        await gone(hasty, before)
        await eventually(lambda: hasty.feeds == 0)
    finally:
        for line in lines:
            line.close()
    await alive(hasty)


@pytest.mark.parametrize("tail", ["/stream?with=table", "/export", "/audit/bundle"])
async def test_a_reader_that_does_not_read_is_cut(hasty: Service, table: Table, tail: str):
    before, stalled = hasty.context.wire.open, hasty.context.wire.counts["stalled"]
    many = b"".join([head(f"GET {table.path}{tail}")] * 200)  # more than the system keeps for one who does not read
    line = await silent(hasty, many)
    try:
        await eventually(lambda: hasty.context.wire.counts["stalled"] > stalled)
        await gone(hasty, before)
    finally:
        line.close()
    await eventually(lambda: hasty.feeds == 0)
    await alive(hasty)


async def test_a_process_has_so_many_connections_and_no_more(database_url: str, redis_url: str):
    async with serving(database_url, redis_url, connections=3) as service:
        async with connection(service) as one, connection(service) as two, connection(service) as three:
            for line in (one, two, three):
                line.send(head("GET /health/live"))
                assert (await line.told()).status == 200
            async with connection(service) as four:
                told = await four.told()
                assert (told.status, told.slug) == (503, "unavailable")
                assert int(told.headers["retry-after"]) > 0
                await four.closed()
            one.send(head("GET /health/live"))
            assert (await one.told()).status == 200
        await gone(service, 0)
        await alive(service)
        assert service.context.wire.counts["full"] == 1


async def test_an_address_has_so_many_connections_and_a_socket_is_one(database_url: str, redis_url: str):
    async with serving(database_url, redis_url, address_connections=2) as service:
        async with connection(service) as one, connection(service) as two:
            two.send(head("GET /health/live"))
            assert (await two.told()).status == 200
            one.send(head("GET /v1/matches/none/socket", *_HANDSHAKE, _KEY))
            assert (await one.told()).slug == "not-found"
            await one.closed()
            async with connection(service) as three, connection(service) as four:
                three.send(head("GET /health/live"))
                assert (await three.told()).status == 200
                told = await four.told()
                assert (told.status, told.slug) == (429, "too-many")
        await gone(service, 0)
        assert not service.context.wire._of


async def test_behind_a_trusted_proxy_each_client_has_so_many_feeds(database_url: str, redis_url: str):
    trusted = ("127.0.0.0/8",)
    async with serving(database_url, redis_url, address_connections=2, trusted_proxies=trusted) as service:
        path = (await service.table(3)).path
        mine, yours = "X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: 6.6.6.6, 198.51.100.8, 127.0.0.9"
        async with AsyncExitStack() as lines:

            async def asked(request: bytes) -> int:
                line = await lines.enter_async_context(connection(service))
                line.send(request)
                return int((await line.reader.readuntil(b"\r\n\r\n")).split()[1])

            def streams(whose: str) -> bytes:
                return head(f"GET {path}/stream", whose)

            def sockets(whose: str) -> bytes:
                return head(f"GET {path}/socket", *_HANDSHAKE, _KEY, whose)

            # when one client has a stream and a socket through the proxy, and nobody is counted as the proxy
            assert [await asked(streams(mine)), await asked(sockets(mine))] == [200, 101]
            # then that client has no more, and another has
            assert [await asked(streams(mine)), await asked(sockets(mine))] == [429, 429]
            assert [await asked(streams(yours)), await asked(sockets(yours))] == [200, 101]
            assert [await asked(streams(yours)), await asked(head("GET /health/live"))] == [429, 200]
        await gone(service, 1)  # that of the test's own client
        await eventually(lambda: set(service.context.wire._of) == {"127.0.0.1"})


async def test_a_body_that_comes_with_the_rest_of_its_head_is_not_taken_for_the_head(service: Service):
    who = await service.guest()
    body = json.dumps({"game": "spades-two", "seats": 2}).encode() + b" " * 60_000
    for pause in (0, 10, 200):
        asked = head("POST /v1/matches", f"Authorization: {who.auth['Authorization']}", f"Content-Length: {len(body)}")
        async with connection(service) as line:
            line.send(asked[:pause])
            await asyncio.sleep(0.05)
            line.send(asked[pause:], body)
            assert (await line.told()).status == 201


def test_no_more_connections_are_let_in_than_there_may_be_files(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    bounds = Bounds(connections=10_000, each=1000, head=10, body=30, stalled=60)
    assert within_files(bounds).connections == 1024 - SPARE_FILES
    assert within_files(bounds._replace(connections=100)).connections == 100
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert within_files(bounds).connections == 10_000
