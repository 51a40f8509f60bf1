"""Sockets of the API, as a client opens them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.api.conftest import Service
from tests.api.guests import Guest
from tests.waiting import PATIENCE


def address(service: Service, path: str, asked: str = "") -> str:
    return f"{service.url.replace('http', 'ws', 1)}{path}/socket{asked}"


@asynccontextmanager
async def socket(
    service: Service, path: str, who: Guest | None = None, asked: str = "", **more: Any
) -> AsyncIterator[ClientConnection]:
    headers = who.auth if who else {}
    patient = {"open_timeout": PATIENCE, "close_timeout": PATIENCE, "ping_interval": None}
    more = patient | {"subprotocols": ["kibitz.v1"], "compression": None, "additional_headers": headers} | more
    async with connect(address(service, path, asked), **more) as opened:
        yield opened


class Heard:
    """What one socket has told: frames, and answers by key."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []

    @property
    def ids(self) -> list[int]:
        return [frame["id"] for frame in self.frames]

    def take(self, text: str | bytes) -> None:
        message = json.loads(text)
        (self.frames if "id" in message else self.answers).append(message)

    async def all(self, opened: ClientConnection) -> "Heard":
        """Until the server closes, however it does."""
        with suppress(ConnectionClosed):
            while True:
                self.take(await opened.recv())
        return self

    async def until_answered(self, opened: ClientConnection, count: int) -> "Heard":
        while len(self.answers) < count:
            self.take(await opened.recv())
        return self

    async def until_version(self, opened: ClientConnection, version: int) -> "Heard":
        while not self.ids or self.ids[-1] < version:
            self.take(await opened.recv())
        return self
