"""A wire between a worker and a server: bytes both ways, and what can befall them: cut, frozen, slow, refused."""

import asyncio
from collections.abc import Callable
from typing import Self


class Wire:
    """Listens on a loopback port of its own and leads to a server's Unix socket.

    While ``refused``, new connections are closed at once. While frozen (``to_server``, ``to_client``: one way each),
    bytes are held and come when it thaws. ``delay`` holds every piece up for so many seconds. ``cut`` ends what there
    is; so one way can be lost without the other's noticing.
    """

    def __init__(self, socket: Callable[[], str]) -> None:
        self._socket = socket
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._free = {"to_server": asyncio.Event(), "to_client": asyncio.Event()}
        self.refused = False
        self.delay = 0.0
        self.port = 0
        self.thaw()

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        self.thaw()
        self.cut()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)

    def cut(self) -> None:
        """Ends every connection that is open now, both sides at once."""
        for writer in self._open:
            writer.transport.abort()

    def freeze(self, *ways: str) -> None:
        """Holds back all bytes on these ways (``to_server``, ``to_client``; both if none is named)."""
        for way in ways or self._free:
            self._free[way].clear()

    def thaw(self) -> None:
        for free in self._free.values():
            free.set()

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self.refused:
            client.transport.abort()
            return
        try:
            answers, server = await asyncio.open_unix_connection(self._socket())
        except OSError:
            client.transport.abort()
            return
        ends = {client, server}
        self._open |= ends
        ways = [
            asyncio.create_task(self._pump(reader, server, "to_server")),
            asyncio.create_task(self._pump(answers, client, "to_client")),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for writer in ends:
                writer.transport.abort()
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._open -= ends

    async def _pump(self, source: asyncio.StreamReader, to: asyncio.StreamWriter, way: str) -> None:
        try:
            while data := await source.read(65536):
                await self._free[way].wait()
                if self.delay:
                    await asyncio.sleep(self.delay)
                to.write(data)
                await to.drain()
        except OSError:
            return
