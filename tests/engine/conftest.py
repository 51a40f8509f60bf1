"""What the tests of the engine share."""

from collections.abc import AsyncIterator

import pytest

from services.feed import Feed
from tests.patience import nobody_gives_up  # noqa: F401 - a fixture


@pytest.fixture
async def feed(redis_url: str) -> AsyncIterator[Feed]:
    feed = Feed(redis_url)
    await feed.start()
    yield feed
    await feed.stop()
