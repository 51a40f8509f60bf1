"""``kibitz backup`` and ``kibitz restore``: the embedded servers' data, put away and made anew somewhere else."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.markup import escape

from services.auditing import Audited, audited
from services.cli.failures import FAILED, USAGE, Failure
from services.cli.operate import OUT, opened
from services.cli.servers import backups_of, check_data, own_servers, serving
from services.embedded import Backups, Embedded
from services.embedded.backups import ARCHIVE_SECONDS
from services.erasures import erased_in, record_in
from services.settings import Settings
from services.store.migrate import migrate

_THEIRS: Final = (
    "is for the embedded servers; docs/operations.md says how servers of your own are backed up and restored"
)


def backup(settings: Settings, folder: str | None, keep: int | None) -> None:
    """A new base in the folder; the oldest ones go. Also beside a ``kibitz serve`` on the same data folder."""
    _embedded(settings, "backup")
    where = Path(folder or settings.backups or "")
    if not (folder or settings.backups):
        raise Failure("name a folder for the backup, or set KIBITZ_BACKUPS", USAGE)
    note = serving(Path(settings.data))
    if note is None:
        check_data(Path(settings.data))
    backups = Backups(where)
    backups.belong(Path(settings.data))
    if note is not None:
        _take(backups, note.database_url, keep or settings.backups_kept)
        return
    with own_servers(settings) as using:
        _take(backups, using.database_url, keep or settings.backups_kept)


def _take(backups: Backups, url: str, keep: int) -> None:
    with OUT.status("copying and checking"):
        base = backups.take(url)
        logged = backups_of(url)
        gone = backups.keep(keep)
    OUT.print(f"a backup, checked: {base.path}", markup=False)
    if logged and Path(logged) == backups.root:
        OUT.print(
            f"with the log beside it every moment since can be restored, up to the last {ARCHIVE_SECONDS} seconds"
        )
    else:
        OUT.print(
            f"it leads to {base.at.isoformat()} and no further: 'kibitz serve' keeps no log there (KIBITZ_BACKUPS)"
        )
    if gone:
        OUT.print(f"removed {len(gone)} older ones, and the log that only they needed")


def restore(settings: Settings, folder: str, at: str | None) -> int:
    """A new data folder as the old one was at that moment. Says what the verifier says of every match in it."""
    _embedded(settings, "restore")
    moment, data = _moment(at), Path(settings.data)
    backups, erased = Backups(Path(folder)), _erased(Path(folder))
    again = 0

    def prepare(url: str) -> None:
        nonlocal again
        migrate(url)
        again = asyncio.run(_erase(url, erased))

    with OUT.status("copying, and taking up the log"):
        restored = backups.restore(data, moment, prepare)
    OUT.print(f"restored {restored.base.path} into {data.absolute()}", markup=False)
    OUT.print(f"the last change in it is of {(restored.last or restored.base.at).isoformat()}")
    if restored.lost is not None:
        OUT.print(
            f"[red]the log breaks off there, and goes on to {restored.lost}: a piece of it is missing or damaged[/]"
        )
    OUT.print(f"erased in it: {again} of the {len(erased)} persons whom {backups.root}/erased names", markup=False)
    with Embedded(data) as servers, OUT.status("verifying") as status:
        done = asyncio.run(_audited(servers.database_url, status.update))
    OUT.print(done.told())
    for wrong in done.wrong:
        OUT.print(f"{wrong.verdict}  {wrong.match}  {escape(wrong.text)}")
    OUT.print("docs/operations.md says what to do before it serves: tokens that were revoked since then are good again")
    return 0 if done.valid and restored.lost is None else FAILED


def _erased(folder: Path) -> list[str]:
    record = record_in(folder)
    try:
        return erased_in(record) if record is not None else []
    except (OSError, ValueError) as error:
        raise Failure(str(error)) from error


async def _erase(url: str, players: Sequence[str]) -> int:
    """How many of them there are in the database at ``url``; no record is kept of what is done again."""
    async with opened(url) as store:
        return sum([await store.erase(player) for player in players])


async def _audited(url: str, tell: Callable[[str], None]) -> Audited:
    done = Audited()
    async with opened(url) as store:
        async for done in audited(store):
            tell(f"verifying: {done.told()}")
    return done


def _embedded(settings: Settings, command: str) -> None:
    if settings.database_url or settings.redis_url:
        raise Failure(f"'kibitz {command}' {_THEIRS}", USAGE)


def _moment(text: str | None) -> datetime | None:
    """Raises ``Failure`` for what is not a moment with its zone."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Failure(f"{text} is not a moment; one is written like 2031-05-17T18:30:00Z", USAGE) from error
    raise Failure(f"{text} has no zone; one ends with Z, or with +02:00", USAGE)
