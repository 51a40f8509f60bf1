"""A whole Kibitz as a child process, as ``make serve`` starts it, on a free port and in a folder of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil
import pytest

from tests.waiting import PATIENCE, until

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
KIBITZ = (sys.executable, "-m", "services.cli")
"""Seconds after which something hangs; nothing is measured by it."""


class Kibitz:
    """One ``kibitz serve``. ``url`` is where it answers, once ``ready``."""

    def __init__(self, data: Path, *options: str, pace: float = 0.05, **more: str) -> None:
        self.data = data
        self.out = data.parent / f"out-{time.monotonic_ns()}"
        self.process = start(self.out, "serve", "--port", "0", "--data", str(data), *options, pace=pace, **more)
        self.url = ""

    def ready(self) -> "Kibitz":
        until(lambda: "Ctrl-C stops" in self.said() or self.process.poll() is not None)
        found = re.search(r"is ready on (http://\S+)", self.said())
        assert found, self.said()
        self.url = found[1]
        return self

    def said(self) -> str:
        return self.out.read_text()

    def family(self) -> list[psutil.Process]:
        """The process and all that it has started, as long as it lives."""
        head = psutil.Process(self.process.pid)
        return [head, *head.children(recursive=True)]

    def workers(self) -> list[psutil.Process]:
        """The processes that serve, if they are others than the first."""
        found = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):  # servers are made by programs that come and go
                if "services.cli.worker" in child.cmdline():
                    found.append(child)
        return found

    def log(self) -> list[dict[str, Any]]:
        """The lines of the log file so far, without one that is just being written."""
        whole, _, _ = (self.data / "kibitz.log").read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def client(self, token: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=f"{self.url}/v1", headers=headers, timeout=PATIENCE)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end, and waits until it has."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def start(out: Path, *arguments: str, pace: float = 0.05, **more: str) -> "subprocess.Popen[bytes]":
    """A command of ``kibitz`` with both its outputs in the file ``out``."""
    with out.open("wb") as file:
        return subprocess.Popen(
            [*KIBITZ, *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment() | {"KIBITZ_BOT_PACE": str(pace)} | more,
        )


def environment() -> dict[str, str]:
    """Ours without Kibitz's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("KIBITZ_")} | {"COLUMNS": "120"}


def run(*arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """A command of ``kibitz`` to its end."""
    return subprocess.run(
        [*KIBITZ, *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment() | more,
        check=False,
    )


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, since sockets have to fit in it."""
    made = Path(tempfile.mkdtemp(prefix="kibitz-e2e-"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[..., Kibitz]]:
    """Starts a Kibitz in the same folder each time; whatever is still running at the end is stopped."""
    started: list[Kibitz] = []

    def begin(*options: str, pace: float = 0.05) -> Kibitz:
        started.append(Kibitz(folder / "data", *options, pace=pace))
        return started[-1]

    yield begin
    for kibitz in started:
        kibitz.stop()


@pytest.fixture
def database(empty_database: Callable[[], str]) -> str:
    """The one that ``beside`` starts on."""
    return empty_database()


@pytest.fixture
def beside(folder: Path, database: str, redis_url: str) -> Iterator[Callable[..., Kibitz]]:
    """Starts a Kibitz each time on the same database and Redis, which are none of theirs."""
    urls = {"KIBITZ_DATABASE_URL": database, "KIBITZ_REDIS_URL": redis_url}
    started: list[Kibitz] = []

    def begin(*options: str, pace: float = 0.05, **more: str) -> Kibitz:
        started.append(Kibitz(folder / f"data-{len(started)}", *options, pace=pace, **urls | more))
        return started[-1]

    yield begin
    for kibitz in started:
        if kibitz.process.poll() is None:
            kibitz.process.send_signal(signal.SIGCONT)
        kibitz.stop()


@pytest.fixture(scope="session")
def served() -> Iterator[Kibitz]:
    """One with the demo, for all tests that do not stop it. One dispute in a minute is enough for it."""
    made = Path(tempfile.mkdtemp(prefix="kibitz-e2e-"))
    kibitz = Kibitz(made / "data", KIBITZ_RATE_DISPUTES="1")
    try:
        for _ in range(2):  # it does not wait longer than 30 s for the demo to be there
            if " replay " in kibitz.ready().said():
                break
            kibitz.stop()
            kibitz = Kibitz(made / "data", KIBITZ_RATE_DISPUTES="1")
        assert " replay " in kibitz.ready().said(), kibitz.said()
        yield kibitz
    finally:
        kibitz.stop()
        shutil.rmtree(made)
