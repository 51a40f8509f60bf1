"""A store whose read models have their first builds, as the service's own start makes them."""

from collections.abc import AsyncIterator

import pytest

from services.projector import Projector
from services.store.store import Store
from tests.patience import nobody_gives_up  # noqa: F401 - a fixture


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = await Store.connect(database_url)
    await Projector(store).prepare()
    yield store
    await store.close()
