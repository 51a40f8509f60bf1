"""A real service for the tests of the API: uvicorn on a loopback port, PostgreSQL and a Redis-compatible server."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import structlog
import uvicorn

from services.api import Context, create_api
from services.api.socket import FRAME_BYTES
from services.app import running
from services.cli.whole import WholeAnswers
from services.settings import Settings
from tests.api.guests import Guest, Table, guest, seated_table

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


@dataclass(frozen=True)
class Service:
    """A running service: where it answers, what it is made of, and a client without a token."""

    url: str
    context: Context
    http: httpx.AsyncClient

    async def guest(self, name: str = "Anna") -> Guest:
        return await guest(self.http, name)

    async def table(self, seats: int = 3, **request: Any) -> Table:
        """A match that is being played, with a guest on every seat."""
        return await seated_table(self.http, seats, **request)


_QUICK = {"bot_pace": 0.0, "rate_players": 0, "rate_reads": 0}
"""Bots do not think, and all the guests of the tests come from one address."""


@asynccontextmanager
async def serving(database_url: str, redis_url: str, **settings: Any) -> AsyncIterator[Service]:
    """A service of one process on a free port."""
    async with running(Settings(database_url=database_url, redis_url=redis_url, **_QUICK | settings)) as context:
        app = create_api(context)
        config = uvicorn.Config(
            app,
            host="127.0.0.1",
            port=0,
            http=WholeAnswers,
            log_config=None,
            lifespan="off",
            access_log=False,
            timeout_keep_alive=75,
            ws="websockets-sansio",
            ws_max_size=FRAME_BYTES,
            ws_per_message_deflate=False,
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as http:
            try:
                yield Service(url, context, http)
            finally:
                context.closing.set()
                server.should_exit = True
                await task


@pytest.fixture(scope="session")
async def service(fresh_database: Callable[[], str], redis_url: str) -> AsyncIterator[Service]:
    """One service for all tests that do not disturb each other: every test has guests and matches of its own."""
    async with serving(fresh_database(), redis_url, cors_origins=("https://front.example",)) as service:
        yield service
