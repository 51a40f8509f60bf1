"""A real service for the tests of the API: uvicorn on a loopback port, PostgreSQL and a Redis-compatible server."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import structlog

from services.api import Context, create_api
from services.api.limits import KINDS
from services.api.server import Config, Server
from services.api.socket import PING_SECONDS
from services.app import running
from services.settings import Settings
from tests.api.guests import Guest, Table, guest, ok, seated_table
from tests.waiting import PATIENCE, eventually

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

    async def caught_up(self) -> None:
        """Returns when the read models, and so all lists, have what is stored."""
        async with asyncio.timeout(PATIENCE):
            while any((await self.context.projector.lag()).values()):
                self.context.projector.wake()
                await asyncio.sleep(0.02)

    @property
    def feeds(self) -> int:
        """How many streams and sockets are open."""
        metrics = self.context.metrics
        return int(metrics.streams._value.get() + metrics.sockets._value.get())

    async def rows(self, path: str, **asked: Any) -> list[dict[str, Any]]:
        """The whole list at ``path``, once it has what is stored: other tests fill the first pages of a service."""
        await self.caught_up()
        items: list[dict[str, Any]] = []
        page: dict[str, Any] = {"next": ""}
        while (cursor := page["next"]) is not None:
            page = ok(await self.http.get(path, params=asked | ({"cursor": cursor} if cursor else {})))
            assert len(page["items"]) <= asked.get("limit", 200)
            items += page["items"]
        return items


_QUICK = {"bot_pace": 0.0, "address_connections": 0, **{f"rate_{kind}": 0 for kind in KINDS}}
"""Bots do not think, and all the guests of the tests come from one address."""


@asynccontextmanager
async def serving(
    database_url: str, redis_url: str, ping: float = PING_SECONDS, room: int = 0, **settings: Any
) -> AsyncIterator[Service]:
    """A service of one process on a free port. Of what a client does not read the system keeps ``room`` bytes, or what
    it likes.
    """
    async with running(Settings(database_url=database_url, redis_url=redis_url, **_QUICK | settings)) as context:
        config = Config(create_api(context), context.wire, host="127.0.0.1", port=0, lifespan="off", ping=ping)
        server = Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        line = server.servers[0].sockets[0]
        port = line.getsockname()[1]
        if room:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)  # whoever is let in inherits it
        url = f"http://127.0.0.1:{port}"
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, limits=limits) as http:
            try:
                yield Service(url, context, http)
            finally:
                context.closing.set()
                server.should_exit = True
                await task


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many cells of the table of rights were asked for, and by how many requests."""
    asked = [
        [value for name, value in report.user_properties if name == "rights"]
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
    ]
    told = [value for cell in asked for value in cell]
    if told:
        cells, refused = sum(map(bool, asked)), told.count("refused")
        allowed = len(told) - refused
        terminalreporter.write_line(
            f"rights: {cells} cells by {len(told)} requests, {refused} refused, {allowed} allowed"
        )


@pytest.fixture(scope="session")
async def common(fresh_database: Callable[[], str], redis_url: str) -> AsyncIterator[Service]:
    """One service for all tests that do not disturb each other: every test has guests and matches of its own."""
    async with serving(fresh_database(), redis_url, cors_origins=("https://front.example",)) as service:
        yield service


@pytest.fixture
async def service(common: Service) -> Service:
    """The common one, when whoever followed a match in the test before has been noticed to be gone."""
    await eventually(lambda: (common.feeds, common.context.tails.followers) == (0, 0))
    return common
