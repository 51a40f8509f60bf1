"""The data folder: who holds it, what lies where in it, and under which account its servers run."""

import errno
import fcntl
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

_LONGEST_SOCKET: Final = 100
"""Bytes in the path of a Unix socket: systems allow 104 to 108."""
_LONGEST_NAME: Final = "/.s.PGSQL.5432.lock"
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


class EmbeddedError(Exception):
    """Why the embedded servers cannot run, in one line for people."""


class Account(NamedTuple):
    uid: int
    gid: int


def servant() -> Account | None:
    """The account the servers run under: as root an unprivileged one, since PostgreSQL refuses root; else our own."""
    if os.geteuid() != 0:
        return None
    for name in ("nobody", "daemon"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedError("PostgreSQL does not run as root, and this system has no account 'nobody' to run it under")


def let_pass(path: Path) -> None:
    """Adds the right to pass (``o+x``, no more) to the folders above ``path`` where it is missing."""
    for parent in path.resolve().parents:
        mode = parent.stat().st_mode
        if not mode & 0o001:
            parent.chmod(mode & 0o7777 | 0o001)


def put(path: Path, data: bytes) -> None:
    """Makes the file at ``path`` say ``data``: whole, or what it said before, also where the disk is full or we are
    killed. Raises ``OSError``.
    """
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


class Folder:
    """A data folder, held by one process at a time.

    The hold is a lock of the operating system on ``kibitz.lock``: it ends with the process however that ends, so no
    lock is ever stale. The number in the file is only there to be told.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.account: Account | None = None
        self._sockets: Path | None = None
        self._lock: int | None = None

    @property
    def taken(self) -> bool:
        return self._lock is not None

    @property
    def sockets(self) -> Path:
        """Where the Unix sockets are; a folder of its own under the system's, where the data folder's path is long."""
        if self._sockets is None:
            raise EmbeddedError("the embedded servers are not started")
        return self._sockets

    def log(self, name: str) -> Path:
        return self.root / f"{name}.log"

    def take(self) -> None:
        if self.taken:
            raise EmbeddedError(f"the data folder {self.root} is in use by this process already")
        with self.plainly():
            self.root.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.root / "kibitz.lock", os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(lock, 20).decode("ascii", "replace").strip()
                os.close(lock)
                whose = f" (process {holder})" if holder else ""
                raise EmbeddedError(f"the data folder {self.root} is in use by another Kibitz{whose}") from None
            self._lock = lock
            try:
                os.truncate(lock, 0)
                os.write(lock, str(os.getpid()).encode())
                self._prepare()
            except BaseException:
                self.leave()
                raise

    def leave(self) -> None:
        """The lock file stays: to remove it would let two processes lock two files of one name."""
        if self._sockets is not None and not self._sockets.is_relative_to(self.root):
            shutil.rmtree(self._sockets, ignore_errors=True)
        self._sockets = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def own(self, path: Path) -> Path:
        """Makes ``path`` a folder that only the servers' account may enter."""
        path.mkdir(mode=0o700, exist_ok=True)
        path.chmod(0o700)
        if self.account is not None:
            os.chown(path, *self.account)
        return path

    def _prepare(self) -> None:
        self.account = servant()
        sockets = self.root / "run"
        if len(os.fsencode(sockets)) + len(_LONGEST_NAME) > _LONGEST_SOCKET or "," in str(sockets):
            # A comma would part the path into two hosts.
            sockets = Path(tempfile.mkdtemp(prefix="kibitz-"))
        self._sockets = sockets
        self.own(sockets)
        if self.account is not None:
            let_pass(sockets)
            let_pass(self.root / "run")

    @contextmanager
    def plainly(self) -> Iterator[None]:
        """Turns what the operating system refuses into one line."""
        try:
            yield
        except OSError as error:
            where = error.filename2 or error.filename or self.root
            if error.errno in _FULL:
                raise EmbeddedError(f"the disk is full: no space left to write {where}") from error
            if error.errno in _FORBIDDEN:
                raise EmbeddedError(f"no permission to write {where}") from error
            raise EmbeddedError(f"cannot use the data folder {self.root}: {error}") from error

    def complaint(self, text: str) -> str:
        """The one line of a server's output that says why it stopped."""
        if "No space left on device" in text:
            return f"the disk is full: no space left to write {self.root}"
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        telling = [line for line in lines if any(word in line for word in ("FATAL", "PANIC", "error:", "rror"))]
        return (telling or lines or ["it said nothing"])[-1]
