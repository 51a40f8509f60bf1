"""uvicorn as Kibitz uses it: how it is set up, and the look at all connections once a second (``wire``)."""

import asyncio
import resource
from typing import Any, Final

import uvicorn
from litestar.types import ASGIApp

from services.api.socket import FRAME_BYTES, PING_SECONDS
from services.api.wire import Bounds, Line, Socket, Wire

KEEP_ALIVE: Final = 75
"""Seconds that an idle connection stays open: longer than clients keep theirs, so that they close first."""
SPARE_FILES: Final = 128
"""How many files are kept back for what is no connection of a client: the database, the feed, the log."""
_TICKS: Final = 10
"""uvicorn ticks ten times a second."""


class Config(uvicorn.Config):
    """Serves ``app`` on connections that ``wire`` counts and bounds."""

    def __init__(self, app: ASGIApp, wire: Wire, *, ping: float = PING_SECONDS, **more: Any) -> None:
        super().__init__(
            app,
            http=Line,
            ws=Socket,
            ws_max_size=FRAME_BYTES,
            ws_ping_interval=ping,
            ws_ping_timeout=ping,
            ws_per_message_deflate=False,  # it would cost more memory than all the rest of a socket
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # ``forwarded`` sees to that
            timeout_keep_alive=KEEP_ALIVE,
            **more,
        )
        self.wire = wire


class Server(uvicorn.Server):
    """Looks at every connection once a second."""

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Line | Socket):
                    connection.look(now)
        return await super().on_tick(counter)


def within_files(bounds: Bounds) -> Bounds:
    """The same with no more connections than this process may have files: the next one would be taken and not heard."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return bounds
    return bounds._replace(connections=min(bounds.connections, max(1, most - SPARE_FILES)))
