"""What the tests of the engine share."""

from collections.abc import AsyncIterator, Iterator

import pytest

from services.feed import Feed
from tests.patience import patient


@pytest.fixture(scope="module", autouse=True)
def nobody_gives_up() -> Iterator[None]:
    with patient():
        yield


@pytest.fixture
async def feed(redis_url: str) -> AsyncIterator[Feed]:
    feed = Feed(redis_url)
    await feed.start()
    yield feed
    await feed.stop()
