"""A service to throw things at, and how many were thrown."""

import asyncio
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Final

import pytest

from tests.api.conftest import Service, serving
from tests.api.guests import Table

TIMES: Final = int(os.environ.get("KIBITZ_FUZZ", "1"))
"""How many times as many examples as usual."""
_KNOWN: Final = "ASGI callable returned without completing handshake."
"""What uvicorn says of every handshake that is answered with a problem."""


@pytest.fixture(scope="session")
async def target(fresh_database: Callable[[], str], redis_url: str) -> AsyncIterator[Service]:
    """A service behind a proxy that it trusts: this test. It counts, and has plenty."""
    settings: dict[str, Any] = {"trusted_proxies": ("127.0.0.0/8",), "rate_reads": 1_000_000, "rate_feeds": 1_000_000}
    async with serving(fresh_database(), redis_url, cors_origins=("https://front.example",), **settings) as service:
        yield service


@pytest.fixture(scope="session")
async def playing(target: Service) -> Table:
    """A match under way."""
    table = await target.table(3, options={"games": 20})
    for turn in range(30):
        await table.step(turn)
    return table


async def examples(given: Callable[..., Any], one: Callable[..., Coroutine[Any, Any, None]]) -> None:
    """Has ``one`` run here for every example that Hypothesis, which knows no coroutines, finds in a thread.

    ``given`` are its decorators.
    """
    loop = asyncio.get_running_loop()

    def throw(value: Any) -> None:
        asyncio.run_coroutine_threadsafe(one(value), loop).result(60)

    await asyncio.to_thread(given(throw))


@pytest.fixture
def thrown(record_property: Callable[[str, object], None]) -> Iterator[Counter[str]]:
    """Count in here what was thrown and what became of it: pytest's summary says it."""
    counts: Counter[str] = Counter()
    yield counts
    assert counts, "nothing was thrown"
    record_property("thrown", dict(sorted(counts.items())))


@pytest.fixture
def nothing_broke(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """At the end no callback and no application has failed in the server."""
    with caplog.at_level(logging.ERROR):
        yield
    broke = [entry.getMessage() for entry in caplog.records if entry.getMessage() != _KNOWN]
    assert not broke
