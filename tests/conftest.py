"""Servers, databases and stores for tests.

The servers are those of ``KIBITZ_TEST_DATABASE_URL`` and ``KIBITZ_TEST_REDIS_URL`` where given, else embedded ones of
this pytest process, in a folder of their own (so workers of pytest-xdist share nothing). A test that asks for
``database_url`` or ``store`` has a fresh, migrated database to itself.
"""

import asyncio
import logging
import logging.handlers
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import hypothesis
import pytest
import structlog

from services.embedded import Embedded
from services.ids import new_id
from services.store.migrate import migrate
from services.store.store import Store
from tests.store.rows import execute

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # What a shell starts in the background ignores Ctrl-C, and so would all that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "kibitz",
    deadline=None,
    derandomize="KIBITZ_FUZZ" not in os.environ,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("kibitz")
"""The same examples each time, however slow the machine; with ``KIBITZ_FUZZ``, which looks for more, others."""

_AFTER_US = """
import os, shutil, sys
sys.stdin.buffer.read()
if os.path.isdir(sys.argv[1]):
    from pathlib import Path
    from services.embedded import Embedded
    Embedded(Path(sys.argv[1]) / "data").clean_up()
    shutil.rmtree(sys.argv[1])
"""
"""Waits for the end of its input, which comes with our own, however that comes; then ends what we could not."""


@pytest.fixture(autouse=True)
def no_log_handler_outlives_its_test() -> Iterator[None]:
    """A command that runs inside pytest logs to a stream that pytest closes; the next test must not meet it."""
    yield
    for handler in list(logging.root.handlers):
        if type(handler) in (logging.StreamHandler, logging.handlers.RotatingFileHandler):
            logging.root.removeHandler(handler)
            handler.close()


@pytest.fixture(autouse=True)
def no_logger_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that runs inside pytest has loggers keep how it logs; the next test must not be logged that way."""
    configure = structlog.configure
    monkeypatch.setattr(structlog, "configure", lambda **how: configure(**how | {"cache_logger_on_first_use": False}))


@pytest.fixture(scope="session")
def servers() -> Iterator[tuple[str, str]]:
    """The URLs of PostgreSQL (of a user who may create databases) and of the Redis-compatible server."""
    database, redis = os.environ.get("KIBITZ_TEST_DATABASE_URL"), os.environ.get("KIBITZ_TEST_REDIS_URL")
    if database and redis:
        yield database, redis
        return
    folder = Path(tempfile.mkdtemp(prefix="kibitz-test-"))
    with subprocess.Popen(
        [sys.executable, "-c", _AFTER_US, str(folder)],
        stdin=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,
    ) as after:
        try:
            with Embedded(folder / "data", sync=False) as embedded:
                yield database or embedded.database_url, redis or embedded.redis_url
        finally:
            shutil.rmtree(folder)
            after.communicate()


@pytest.fixture(scope="session")
def redis_url(servers: tuple[str, str]) -> str:
    return servers[1]


@pytest.fixture(scope="session")
def fresh_database(servers: tuple[str, str]) -> Iterator[Callable[[], str]]:
    """Makes a migrated database and returns its URL, each time another. All are dropped at the end."""
    admin = servers[0]
    run = new_id().replace("-", "")[-12:]
    made = [f"kibitz_{run}_template"]
    sql(admin, f"create database {made[0]}")
    migrate(with_database(admin, made[0]))

    def make() -> str:
        made.append(f"kibitz_{run}_{len(made)}")
        sql(admin, f"create database {made[-1]} template {made[0]}")
        return with_database(admin, made[-1])

    yield make
    sql(admin, *(f"drop database if exists {name} with (force)" for name in made))


@pytest.fixture(scope="session")
def empty_database(servers: tuple[str, str]) -> Iterator[Callable[[], str]]:
    """Makes a database without any table and returns its URL."""
    made: list[str] = []

    def make() -> str:
        made.append(f"kibitz_empty_{new_id().replace('-', '')}")
        sql(servers[0], f"create database {made[-1]}")
        return with_database(servers[0], made[-1])

    yield make
    sql(servers[0], *(f"drop database if exists {name} with (force)" for name in made))


@pytest.fixture
def data_folder() -> Iterator[Path]:
    """A folder for servers of a test's own. Not below ``tmp_path``: pytest closes that to the servers' user."""
    folder = Path(tempfile.mkdtemp(prefix="kibitz-test-"))
    yield folder / "data"
    shutil.rmtree(folder)


@pytest.fixture
def database_url(fresh_database: Callable[[], str], servers: tuple[str, str]) -> Iterator[str]:
    url = fresh_database()
    yield url
    sql(servers[0], f"drop database if exists {urlsplit(url).path[1:]} with (force)")


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = await Store.connect(database_url)
    yield store
    await store.close()


def with_database(url: str, name: str) -> str:
    """``url`` with another database."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def sql(url: str, *statements: str) -> None:
    """Runs statements one after another on a connection of their own; with or without a running event loop."""
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, execute(url, *statements)).result()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the tests of ``tests/fuzz`` have thrown, and what became of it."""
    told = {
        report.nodeid.rpartition("::")[2]: dict(report.user_properties)["thrown"]
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "teardown" and "thrown" in dict(report.user_properties)
    }
    if told:
        terminalreporter.section("thrown")
    for name, counts in told.items():
        terminalreporter.write_line(f"{name}: {', '.join(f'{count} {what}' for what, count in counts.items())}")
