"""A proxy before PostgreSQL that can lose the answer to an append: the commit is done, and nobody is told."""

import asyncio
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import parse_qs, urlsplit

_SAID = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
_STARTING = b"E" + (len(_SAID) + 4).to_bytes(4, "big") + _SAID
"""ErrorResponse with cannot_connect_now (PostgreSQL, 54.7 and appendix A)."""


@dataclass
class Line:
    """One client and its connection to the server; ``appends`` are its prepared statements that call append."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    appends: set[bytes] = field(default_factory=set)
    appending: bool = False


class Proxy:
    """Listens on loopback; ``url`` leads through it.

    ``lose`` counts the answers to appends that are still to be lost: each connection is cut when the answer has come.
    With ``silent`` it is not cut; the client waits for an answer that never comes. With ``cut_early`` the client's side
    is cut as soon as the append is sent, and the server's is kept, as when a network goes between the two. ``starting``
    counts the connections that are still told that the server is starting, as one in recovery from a crash says.
    """

    def __init__(self, upstream: str) -> None:
        self.upstream = urlsplit(upstream)
        self.lose = 0
        self.silent = False
        self.cut_early = False
        self.starting = 0
        self.lost = 0
        self.appends = 0
        self._lines: list[Line] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        for line in self._lines:
            line.client.transport.abort()
            line.server.transport.abort()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def url(self) -> str:
        at = self.upstream
        return f"postgresql://{at.username}:{at.password or ''}@127.0.0.1:{self.port}{at.path}?sslmode=disable"

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())  # type: ignore[arg-type]
        if self.starting:
            self.starting -= 1
            await reader.read(1000)
            client.write(_STARTING)
            await client.drain()
            client.close()
            return
        try:
            answers, server = await self._connect()
        except OSError:  # the server is away, and so are we
            client.transport.abort()
            return
        line = Line(client, server)
        self._lines.append(line)
        ways = [asyncio.create_task(self._ask(reader, line)), asyncio.create_task(self._answer(answers, line))]
        try:
            await asyncio.wait(ways)
        finally:
            client.transport.abort()
            server.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        query = parse_qs(self.upstream.query)
        if "host" in query:
            path = f"{query['host'][0]}/.s.PGSQL.{query.get('port', ['5432'])[0]}"
            return await asyncio.open_unix_connection(path)
        return await asyncio.open_connection(self.upstream.hostname, self.upstream.port or 5432)

    async def _ask(self, reader: asyncio.StreamReader, line: Line) -> None:
        """From client to server, message by message."""
        try:
            size = await reader.readexactly(4)  # the first has no type
            line.server.write(size + await reader.readexactly(int.from_bytes(size, "big") - 4))
            while True:
                kind, body = await _message(reader)
                if kind[:1] == b"P" and b" append" in body:
                    line.appends.add(body.split(b"\0")[0])
                if kind[:1] == b"B" and body.split(b"\0")[1] in line.appends:
                    line.appending = True
                    self.appends += 1
                line.server.write(kind + body)
                if kind[:1] == b"S" and line.appending and self.lose and self.cut_early:
                    self.lose -= 1
                    self.lost += 1
                    line.client.transport.abort()
                    return
        except (OSError, asyncio.IncompleteReadError):
            line.server.transport.abort()

    async def _answer(self, answers: asyncio.StreamReader, line: Line) -> None:
        """From server to client; what belongs to one answer is held back until it is complete."""
        try:
            held = b""
            while True:
                kind, body = await _message(answers)
                held += kind + body
                if line.appending and kind[:1] != b"Z":
                    continue
                if line.appending and not self.cut_early:
                    line.appending = False
                    if self.lose:
                        self.lose -= 1
                        self.lost += 1
                        if self.silent:
                            held = b""
                            continue
                        return
                line.client.write(held)
                held = b""
                if line.client.transport.is_closing():
                    return  # nobody is there any more: the server is told, now that it has answered
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            line.client.transport.abort()


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Type and length of a message of the protocol, and the rest of it."""
    head = await reader.readexactly(5)
    return head, await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
