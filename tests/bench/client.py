"""A client that costs little, so that what is measured is the server: HTTP/1.1 on one kept connection, asyncio only."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec


class Line:
    """One connection; one request at a time."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None, url
        self._address, self._host = (parts.hostname, parts.port), f"{parts.hostname}:{parts.port}"
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> "Line":
        self._reader, self._writer = await asyncio.open_connection(*self._address)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def post(self, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
        """Status and body of the answer."""
        return await self._ask("POST", path, body, headers)

    async def get(self, path: str) -> tuple[int, bytes]:
        """The same of what is only looked at, by nobody in particular."""
        return await self._ask("GET", path, b"", {})

    async def _ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self._host}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        self._writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
        )
        return status, await self._reader.readexactly(length)

    async def made(self, path: str, body: Any, token: str | None = None) -> Any:
        """The answer to something that must succeed."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        status, answer = await self.post(path, msgspec.json.encode(body), **headers)
        assert status in (200, 201), (status, answer)
        return msgspec.json.decode(answer)
