"""``kibitz role`` and ``kibitz erase``: what an operator does to a player. A role that is given is written down."""

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import UUID

from services.cli import logs
from services.cli.failures import UNKNOWN, USAGE, Failure
from services.cli.operate import OUT, opened
from services.cli.servers import Servers, backups_of, servers, serving
from services.erasures import Erasures, record_in
from services.ids import is_id
from services.rights import ROLES
from services.settings import Settings
from services.store.migrate import migrate as bring_up

NAMED: Final = 8
"""So many of those who are not there are named; a restore may have left out thousands."""


def appoint(settings: Settings, player: str, role: str) -> None:
    if role not in ROLES:
        raise Failure(f"there is no role {role}; there are {', '.join(ROLES)}", USAGE)
    try:
        UUID(player)
    except ValueError as error:
        raise Failure(f"there is no player {player}: that is not the id of one", UNKNOWN) from error
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        name = asyncio.run(_appoint(using, player.lower(), role))
    if name is None:
        raise Failure(f"there is no player {player}, or the person is erased", UNKNOWN)
    OUT.print(f"{name} ({player}) now has the role {role}", markup=False)


async def _appoint(using: Servers, player: str, role: str) -> str | None:
    async with opened(using.database_url) as store:
        return await store.appoint(player, role)


def erase(settings: Settings, players: Sequence[str]) -> None:
    """Erases those players; ``-`` stands for ids on stdin."""
    wanted = [one for named in players for one in (sys.stdin.read().split() if named == "-" else [named])]
    for player in wanted:
        if not is_id(player):
            raise Failure(f"there is no player {player}: that is not the id of one", UNKNOWN)
    with servers(settings, make=False) as using:
        logs.configure(_log_of_the_service(Path(settings.data)), "info", shared=True)
        bring_up(using.database_url)
        # Of embedded servers they know best where their backups are; where those of others are, nobody here knows.
        beside = "" if settings.database_url else backups_of(using.database_url)
        record = record_in(beside or settings.backups)
        missing = asyncio.run(_erase(using, record, [player.lower() for player in wanted]))
    OUT.print(f"erased: {len(wanted) - len(missing)} of {len(wanted)}")
    if missing:
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        raise Failure(f"not in this database: {', '.join(missing[:NAMED])}{more}", UNKNOWN)


def _log_of_the_service(data: Path) -> Path | None:
    """Where the service writes, if that is here: whoever restores looks there for whom to erase again. In a container
    that is no file, but what the engine reads of the process that serves.
    """
    file = data / "kibitz.log"
    note = serving(data)
    if note is not None and not file.exists():
        stderr = Path(f"/proc/{note.pid}/fd/2")
        with suppress(OSError):
            if stderr.is_fifo() and os.access(stderr, os.W_OK):
                return stderr
    return file if data.is_dir() else None


async def _erase(using: Servers, record: Path | None, players: Sequence[str]) -> list[str]:
    """Erases them, and gives those whom the database does not know."""
    async with opened(using.database_url) as store:
        erasures = Erasures(store, record)
        return [player for player in players if not await erasures.erase(player)]
