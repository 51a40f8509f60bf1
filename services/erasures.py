"""Persons are erased, and their ids are kept beside the backups: what is restored from before erases them again."""

import asyncio
import errno
import fcntl
import os
from pathlib import Path

import structlog

from services.ids import is_id
from services.store.records import Unavailable
from services.store.store import Store

log = structlog.get_logger()


def record_in(backups: str | Path) -> Path | None:
    """The file in a folder of backups with the ids of the erased, one a line; None for no folder."""
    return Path(backups).absolute() / "erased" if backups else None


def erased_in(record: Path) -> list[str]:
    """Whom a record names, each once. Raises ``ValueError`` where it has something else than ids, and ``OSError``."""
    ids = record.read_text(encoding="ascii", errors="replace").split() if record.exists() else []
    for one in ids:
        if not is_id(one):
            raise ValueError(f"{record} has a line that is not the id of a player: {one[:40]}")
    return list(dict.fromkeys(map(str.lower, ids)))


class Erasures:
    """``record`` is the file that names the erased; None where nobody keeps backups."""

    def __init__(self, store: Store, record: Path | None) -> None:
        self._store = store
        self._record = record

    async def erase(self, player: str) -> bool:
        """Whether there is such a player, who then is erased for good. The id is kept first, so that nobody comes back.

        Raises ``Unavailable``, also where the id cannot be kept: then nobody is erased.
        """
        if self._record is not None:
            try:
                await asyncio.to_thread(_keep, self._record, player)
            except OSError as error:
                log.warning("an erasure cannot be kept", file=str(self._record), error=error.strerror)
                raise Unavailable(f"the record of erasures cannot be written: {player} is not erased") from error
        known = await self._store.erase(player)
        if known:
            log.warning("a person is erased", player=player)
        return known


def _keep(record: Path, player: str) -> None:
    """On the disk when this returns, as a whole line; not at all where there is no room for it."""
    record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(record, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = os.fstat(file).st_size
        ended = not before or os.pread(file, 1, before - 1) == b"\n"  # not so after a loss of power, or an editor
        line = (f"{player}\n" if ended else f"\n{player}\n").encode("ascii")
        if os.write(file, line) < len(line):
            os.truncate(file, before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file)
    finally:
        os.close(file)
    if not before:
        folder = os.open(record.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
