"""Commands as an operator calls them, and looks into the database that they work on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from services.cli import commands
from services.projector import Projector
from services.store.store import Store
from tests.engine.played import Played, finished
from tests.projections.streams import caught_up

T = TypeVar("T")


def kibitz(*arguments: str) -> int:
    """Runs a command as its process would: in a thread that has no event loop yet.

    Not one that says where log lines go: other tests' would go there, too. ``tests.e2e.conftest.run`` is for such.
    """
    before = list(logging.root.handlers)
    with ThreadPoolExecutor(1) as apart:
        code = apart.submit(commands.run, list(arguments)).result()
    assert logging.root.handlers == before, f"kibitz {arguments[0]} says where log lines go"
    return code


def within(url: str, work: Callable[[Store], Awaitable[T]]) -> T:
    """What ``work`` gives with a store of its own."""

    async def run() -> T:
        store = await Store.connect(url)
        try:
            return await work(store)
        finally:
            await store.close()

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, run()).result()


def put(url: str) -> Played:
    """A finished match of long ago, put into a database; not yet in any read model."""
    played = finished()

    async def store(store: Store) -> None:
        for command in played.appends:
            await store.append(command)
        await Projector(store).prepare()

    within(url, store)
    return played


async def project(store: Store) -> None:
    await caught_up(Projector(store))
