"""A service in this process that waits as long as the tests do.

The store and the feed give up after seconds, so that a caller is told. A test that is not about that must not fail
where a busy machine stood still for as long.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from services import retention
from services.feed import nodes
from services.projector import rebuilds
from services.store import connection, processes, store
from services.store.reading import Asking
from services.store.store import Store
from tests.waiting import PATIENCE


@pytest.fixture(scope="module", autouse=True)
def nobody_gives_up() -> Iterator[None]:
    """For a folder of tests whose ``conftest`` imports it."""
    with patient():
        yield


@contextmanager
def patient() -> Iterator[None]:
    """What is connected in the block waits for ``PATIENCE`` where nobody says for how long."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in (
            (connection, "CONNECT_SECONDS"),
            (store, "CONNECT_SECONDS"),
            (store, "_READY_SECONDS"),
            (processes, "_SECONDS"),
            (processes, "_PARTING_SECONDS"),
            (retention, "PATIENCE"),
            (nodes, "_CONNECT_SECONDS"),
            (nodes, "_ANSWER_SECONDS"),
        ):
            patch.setattr(module, name, PATIENCE)
        for name in ("call_seconds", "patience"):
            patch.setitem(Store.__dict__["connect"].__func__.__kwdefaults__, name, PATIENCE)
        patch.setattr(Asking.ask, "__defaults__", (PATIENCE,))
        patch.setitem(connection.WRITING, "statement_timeout", f"{PATIENCE:.0f}s")
        patch.setattr(rebuilds, "_SWITCH_WAIT", f"{PATIENCE:.0f}s")
        yield
