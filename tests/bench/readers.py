"""Many open feeds in a process of their own: ``python -m tests.bench.readers``.

The first line of its input is its job. It opens all feeds and writes a line when each is answered; for every line after
that it writes one with what has come since the last. It ends with its input.
"""

import asyncio
import re
import sys
import time
from typing import Final

import msgspec

from tests.bench.rest import many_files

_FRAME: Final = re.compile(rb"id: (\d+)\nevent: \w+\ndata: [^\n]*\n\n")
_AT_ONCE: Final = 100


class Feed(msgspec.Struct, frozen=True):
    """A stream to open: its path, whose token it is asked for with (none: nobody's), and a number for its match."""

    match: int
    path: str
    token: str


class Job(msgspec.Struct, frozen=True):
    host: str
    port: int
    feeds: tuple[Feed, ...]


class Heard(msgspec.Struct, frozen=True):
    """What has come: for each frame its feed, its version and when it was there, in seconds since 1970.

    ``open`` is how many feeds are.
    """

    frames: list[tuple[int, int, float]]
    open: int


class Reader(asyncio.Protocol):
    """One stream, read as it comes."""

    def __init__(self, number: int, feed: Feed, host: str, frames: list[tuple[int, int, float]]) -> None:
        self._number, self._feed, self._host, self._frames = number, feed, host, frames
        self._rest = b""
        self.answered = asyncio.get_running_loop().create_future()
        self.open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        who = f"Authorization: Bearer {self._feed.token}\r\n" if self._feed.token else ""
        transport.write(f"GET {self._feed.path} HTTP/1.1\r\nHost: {self._host}\r\n{who}\r\n".encode())
        self.open = True

    def data_received(self, data: bytes) -> None:
        now = time.time()
        if not self.answered.done():
            assert data.startswith(b"HTTP/1.1 200 "), data
            self.answered.set_result(None)
        data, end = self._rest + data, 0
        for found in _FRAME.finditer(data):
            self._frames.append((self._number, int(found[1]), now))
            end = found.end()
        self._rest = data[end:]

    def connection_lost(self, error: Exception | None) -> None:
        self.open = False
        if not self.answered.done():
            self.answered.set_exception(error or ConnectionResetError("a feed was not answered"))


async def main() -> None:
    loop, lines = asyncio.get_running_loop(), asyncio.StreamReader(limit=2**26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    job = msgspec.json.decode(await lines.readline(), type=Job)
    frames: list[tuple[int, int, float]] = []
    readers: list[Reader] = []

    async def opened(number: int, feed: Feed) -> None:
        _, reader = await loop.create_connection(
            lambda: Reader(number, feed, f"{job.host}:{job.port}", frames), job.host, job.port
        )
        readers.append(reader)
        await reader.answered

    for first in range(0, len(job.feeds), _AT_ONCE):
        some = enumerate(job.feeds[first : first + _AT_ONCE], first)
        await asyncio.gather(*(opened(number, feed) for number, feed in some))
    _say(frames, readers)
    while await lines.readline():
        _say(frames, readers)


def _say(frames: list[tuple[int, int, float]], readers: list[Reader]) -> None:
    heard = Heard(frames, sum(reader.open for reader in readers))
    sys.stdout.buffer.write(msgspec.json.encode(heard) + b"\n")
    sys.stdout.buffer.flush()
    frames.clear()


if __name__ == "__main__":
    many_files()
    asyncio.run(main())
