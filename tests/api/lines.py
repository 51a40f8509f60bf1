"""Connections as bytes: what a client can do that no library does."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.api.conftest import Service


@dataclass
class Told:
    """An answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def slug(self) -> str:
        assert self.headers["content-type"] == "application/problem+json"
        problem: dict[str, Any] = json.loads(self.body)
        assert problem["status"] == self.status
        return str(problem["type"].rpartition("/")[2])


@dataclass
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    read: bytes = field(default=b"")

    def send(self, *parts: bytes) -> None:
        """Hands it to the system; a side that has closed is found out when it is read."""
        with suppress(ConnectionError):
            self.writer.write(b"".join(parts))

    async def told(self) -> Told:
        """The next answer, which has a length."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        line, *rest = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (text.partition(": ") for text in rest if text)}
        body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Told(int(line.split()[1]), headers, body)

    async def closed(self) -> bytes:
        """Waits until the other side has ended it, however; what it had still to say."""
        rest = b""
        with suppress(ConnectionError):
            while data := await self.reader.read(65536):
                rest += data
        return rest


@asynccontextmanager
async def connection(service: Service) -> AsyncIterator[Connection]:
    place = urlsplit(service.url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        yield Connection(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def head(line: str, *headers: str) -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", "Host: kibitz", *headers, "", ""]).encode()
