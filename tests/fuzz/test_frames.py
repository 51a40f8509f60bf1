"""Whatever is sent into an open socket: it is answered, or the socket is closed with a code that is no fault."""

import asyncio
import struct
from collections import Counter

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tests.api.conftest import Service
from tests.api.guests import Table
from tests.api.lines import connection, head
from tests.fuzz.conftest import TIMES, examples
from tests.fuzz.test_moves import JSON

pytestmark = pytest.mark.usefixtures("nothing_broke")

_HANDSHAKE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
_CLOSE = b"\x88\x82\0\0\0\0\x03\xe8"
_EXAMPLES = settings(max_examples=150 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))


def framed(first: int, payload: bytes) -> bytes:
    """A frame with a mask of zeros; ``first`` is its first byte."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack("!H", size)
    return bytes([first]) + length + bytes(4) + payload


def closings(said: bytes) -> list[int]:
    """The codes of the close frames among the frames of a server."""
    found, at = [], 0
    while at + 2 <= len(said):
        opcode, size, at = said[at] & 15, said[at + 1] & 127, at + 2
        if size == 126:
            size, at = struct.unpack_from("!H", said, at)[0], at + 2
        elif size == 127:
            size, at = struct.unpack_from("!Q", said, at)[0], at + 8
        if opcode == 8:
            found.append(struct.unpack_from("!H", said, at)[0] if size >= 2 else 1005)
        at += size
    return found


async def test_every_frame_is_answered_or_closes_the_socket(target: Service, playing: Table, thrown: Counter[str]):
    fields = {"key": some.text(max_size=5), "move": JSON, "expected": JSON}
    messages = (
        some.binary(max_size=300)
        | JSON.map(msgspec.json.encode)
        | some.fixed_dictionaries({}, optional=fields).map(msgspec.json.encode)
        | some.fixed_dictionaries({"key": some.just("k"), "move": JSON}).map(msgspec.json.encode)
    )
    texts = messages.map(lambda data: framed(0x81, data))
    frames = some.builds(framed, some.integers(0, 255), messages)
    auth = f"Authorization: {playing.guests[0].auth['Authorization']}"

    async def throw(sent: list[bytes]) -> None:
        async with connection(target) as line:
            line.send(head(f"GET {playing.path}/socket?after=1", *_HANDSHAKE, _KEY, auth))
            assert (await line.reader.readuntil(b"\r\n\r\n")).split()[1] == b"101"
            line.send(*sent, _CLOSE)
            ending = asyncio.create_task(line.closed())
            await asyncio.wait({ending}, timeout=0.5)
            line.writer.write_eof()  # a frame that claims more than was sent is waited for
            said = await ending
        codes = closings(said)
        assert 1011 not in codes
        thrown[f"closed with {codes[-1]}" if codes else "closed"] += 1

    some_of_each = some.lists(texts | frames | some.binary(max_size=20), min_size=1, max_size=6)
    await examples(lambda test: _EXAMPLES(given(some_of_each)(test)), throw)
    assert (await target.http.get("/health/live")).status_code == 200
