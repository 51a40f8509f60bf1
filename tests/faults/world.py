"""A world of its own for a scenario: PostgreSQL and Valkey, some ``kibitz serve`` before them, a wire to each."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import asyncpg
import httpx
import psutil

from services.cli.failures import AWAY
from services.embedded import Embedded, EmbeddedError
from services.store.migrate import migrate
from tests.faults.wire import Wire
from tests.store.proxy import Proxy
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
POOL = 8
"""Connections of a worker's pool; one more is its lane."""


class Worker:
    """One ``kibitz serve`` on the servers of the world, reached only by its wires."""

    def __init__(self, number: int, folder: Path, database: Wire | Proxy, redis: Wire, more: dict[str, str]) -> None:
        self.number = number
        self.database = database
        self.redis = redis
        self.url = ""
        self.stopped = False
        self._folder = folder / f"worker-{number}"
        self._folder.mkdir()
        self._more = more
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None
        return self._process

    @property
    def answering(self) -> bool:
        """Whether there is any use in asking it."""
        return bool(self.url) and self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        """What it has logged since its last start."""
        return self._out.read_text(errors="replace")

    @property
    def _out(self) -> Path:
        return self._folder / f"out-{self._starts}"

    def launch(self, **more: str) -> None:
        """Starts it; ``ready`` waits until it answers."""
        database = self.database.url if isinstance(self.database, Proxy) else _postgresql(self.database.port)
        ours = {
            "KIBITZ_DATABASE_URL": database,
            "KIBITZ_REDIS_URL": f"redis://127.0.0.1:{self.redis.port}",
            "KIBITZ_BOT_PACE": "0.05",
            "KIBITZ_RATE_PLAYERS": "0",
            "KIBITZ_RATE_MATCHES": "0",
            "KIBITZ_RATE_FEEDS": "0",
            "KIBITZ_RATE_DISPUTES": "0",
            "KIBITZ_RATE_READS": "0",
            "KIBITZ_RATE_EXPORTS": "0",
            "KIBITZ_ADDRESS_CONNECTIONS": "0",
            "COLUMNS": "120",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KIBITZ_")}
        self.url, self._starts = "", self._starts + 1
        options = ["--no-demo", "--port", "0", "--data", str(self._folder), "--log", "-"]
        with self._out.open("wb") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "services.cli", "serve", *options],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=kept | ours | self._more | more,
                start_new_session=True,
            )

    async def ready(self) -> None:
        """Returns when it answers. Raises ``AssertionError`` with its output if it never does."""
        latest = time.monotonic() + PATIENCE
        while (found := re.search(r"is ready on (http://\S+)\s", self.log)) is None:
            assert self.process.poll() is None, self.log[-2000:]
            assert time.monotonic() < latest, self.log[-2000:]
            await asyncio.sleep(0.05)
        self.url = found[1]

    async def start(self, **more: str) -> None:
        """Starts it until it answers, as whoever supervises it does: it ends at once where its servers are away."""
        latest = time.monotonic() + PATIENCE
        while True:
            self.launch(**more)
            try:
                return await self.ready()
            except AssertionError:
                if self.process.poll() != AWAY or time.monotonic() > latest:
                    raise

    def pause(self) -> None:
        """SIGSTOP: it stands still until ``go_on``, and nobody is told."""
        self.process.send_signal(signal.SIGSTOP)
        self.stopped = True

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.stopped = False

    async def kill(self) -> None:
        """``kill -9``."""
        self.process.kill()
        await asyncio.to_thread(self.process.wait)
        self.url = ""

    async def end(self) -> float:
        """SIGTERM; the seconds until it had ended. One that does not end is killed, and ``PATIENCE`` returned."""
        begun = time.monotonic()
        if self._process is None:
            return 0.0
        if self.stopped:
            self.go_on()
        if self._process.poll() is None:
            self._process.terminate()
        try:
            await asyncio.to_thread(self._process.wait, PATIENCE)
        except subprocess.TimeoutExpired:
            await self.kill()
            return PATIENCE
        self.url = ""
        return time.monotonic() - begun

    def usage(self) -> dict[str, float]:
        """Memory in MiB, and how many files and threads are open."""
        seen = psutil.Process(self.process.pid)
        return {"memory": seen.memory_info().rss / 2**20, "files": seen.num_fds(), "threads": seen.num_threads()}

    async def metrics(self) -> dict[str, float]:
        """Its figures, by name (with labels, as Prometheus reads them)."""
        async with httpx.AsyncClient(timeout=PATIENCE) as http:
            text = (await http.get(f"{self.url}/metrics")).text
        pairs = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}


class World:
    """An asynchronous context: on entering everything runs, on leaving nothing that was started is left.

    With ``losing`` the wires to PostgreSQL are those that can lose an answer to append (``tests/store/proxy.py``).
    ``data`` names another folder for the servers; ``postgres`` are settings of PostgreSQL, ``environment`` variables of
    the workers.
    """

    def __init__(
        self,
        workers: int = 2,
        *,
        losing: bool = False,
        migrated: bool = True,
        data: Path | None = None,
        postgres: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kibitz-faults-"))
        settings = {"track_commit_timestamp": "on", **(postgres or {})}
        self.servers = Embedded(data or self.folder / "data", settings=settings, sync=False)
        self.workers: list[Worker] = []
        self.elsewhere = ""
        """The URL of another server to which the wires now lead: a standby that was promoted."""
        self._count = workers
        self._losing = losing
        self._migrated = migrated
        self._environment = dict(environment or {})
        self._stack = AsyncExitStack()

    @property
    def database_url(self) -> str:
        """PostgreSQL itself, not by a wire."""
        return self.elsewhere or self.servers.database_url

    async def __aenter__(self) -> Self:
        try:
            self._stack.callback(shutil.rmtree, self.folder)
            await asyncio.to_thread(self.servers.start)
            self._stack.push_async_callback(asyncio.to_thread, self.servers.stop)
            if self._migrated:
                await asyncio.to_thread(migrate, self.database_url)
            for _ in range(self._count):
                await self.hire()
            await asyncio.gather(*(worker.start() for worker in self.workers))
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def hire(self) -> Worker:
        """One more worker with its wires, not started yet."""
        database: Wire | Proxy
        if self._losing:
            database = await self._stack.enter_async_context(Proxy(self.database_url))
        else:
            database = await self._stack.enter_async_context(Wire(lambda: socket_of(self.database_url)))
        redis = await self._stack.enter_async_context(Wire(lambda: self.servers.redis_url.removeprefix("unix://")))
        worker = Worker(len(self.workers), self.folder, database, redis, self._environment)
        self._stack.push_async_callback(worker.end)
        self.workers.append(worker)
        return worker

    def answering(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.answering]

    async def kill_postgres(self) -> None:
        """``kill -9`` of the postmaster and of all its children."""
        await asyncio.to_thread(self.servers.postgres.kill)

    async def restart_postgres(self, number: signal.Signals) -> None:
        """Fast (SIGINT) or immediate (SIGQUIT) shutdown of the postmaster, and a start."""
        os.kill(self.servers.postgres.pid, number)
        while self.servers.postgres.running():
            await asyncio.sleep(0.02)
        await self.revive()

    async def revive(self) -> None:
        """Starts again whichever server has died."""
        await asyncio.to_thread(self.servers.revive)

    async def answers(self) -> None:
        """Returns when PostgreSQL answers, which is started again if it has ended. Raises after ``PATIENCE``."""
        latest = time.monotonic() + PATIENCE
        while True:
            try:
                await self.revive()
                await self.sql("select 1")
            except (OSError, EmbeddedError, asyncpg.PostgresError, asyncpg.InterfaceError):
                if time.monotonic() > latest:
                    raise
                await asyncio.sleep(0.1)
            else:
                return

    def servers_log(self) -> str:
        """What PostgreSQL has said."""
        return (self.servers.postgres.home.parent / "postgres.log").read_text(errors="replace")

    async def connect(self) -> "asyncpg.Connection[asyncpg.Record]":
        return await asyncpg.connect(self.database_url, server_settings={"application_name": "faults"})

    async def sql(self, statement: str, *arguments: Any) -> list[Any]:
        """The rows of a statement on a connection of its own."""
        connection = await self.connect()
        try:
            return list(await connection.fetch(statement, *arguments))
        finally:
            await connection.close()


def _postgresql(port: int) -> str:
    return f"postgresql://kibitz@127.0.0.1:{port}/kibitz?sslmode=disable"


def socket_of(url: str) -> str:
    """The Unix socket that a URL of an embedded PostgreSQL names."""

    query = parse_qs(urlsplit(url).query)
    return f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}"
