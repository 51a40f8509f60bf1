"""Waiting for what has to come, however long a busy machine takes for it; and ports that nobody listens on."""

import asyncio
import random
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from inspect import isawaitable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE: Final = 120.0
"""Seconds after which something hangs."""
_CHANCE: Final = random.SystemRandom()  # the other may be set to one beginning in every process


def until(condition: Callable[[], T]) -> T:
    """What ``condition`` says as soon as it holds; fails when it never does."""
    latest = time.monotonic() + PATIENCE
    while not (said := condition()):
        assert time.monotonic() < latest, "it never came to that"
        time.sleep(0.02)
    return said


async def eventually(condition: Callable[[], object]) -> None:
    """Goes on as soon as ``condition`` holds, or what it gives when it is awaited; fails when it never does."""
    async with asyncio.timeout(PATIENCE):
        while True:
            said = condition()
            if await said if isawaitable(said) else said:
                return
            await asyncio.sleep(0.02)


def free_ports(count: int) -> list[int]:
    """Ports of this machine on which nobody listens, each another one.

    None is of those that a system gives to whoever names none: so nobody is given one before it is used.
    """
    sockets: list[socket.socket] = []
    try:
        while len(sockets) < count:
            with suppress(OSError):
                sockets.append(_bound(_CHANCE.randrange(10_000, 30_000)))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _bound(port: int) -> socket.socket:
    one = socket.socket()
    try:
        one.bind(("127.0.0.1", port))
    except OSError:
        one.close()
        raise
    return one


def free_port() -> int:
    return free_ports(1)[0]
