"""Fixtures for commands that work on a database."""

import pytest

from tests.cli.operator import put
from tests.engine.played import Played


@pytest.fixture
def url(database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A migrated database of the test's own, which the settings name."""
    monkeypatch.setenv("KIBITZ_DATABASE_URL", database_url)
    monkeypatch.setenv("KIBITZ_REDIS_URL", redis_url)
    return database_url


@pytest.fixture
def stored(url: str) -> Played:
    """A finished match of long ago in the database, not yet in any read model."""
    return put(url)
