"""Which PostgreSQL and Redis a command works with: those named by the settings, or those of the data folder."""

import asyncio
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
import psutil

from services.cli.failures import USAGE, Failure
from services.embedded import Backups, Embedded, has_database
from services.embedded.folder import put
from services.settings import Settings
from services.store.inspection import setting_of

NOTE: Final = "serving.json"
LOGGED: Final = "backups.folder"
"""The file of a data folder that names the folder of backups to which its PostgreSQL puts its log."""
_SCHEMES: Final = ("postgresql", "postgres")
_HOST: Final = re.compile(r"(\[[^]]*\]|[^:]*)(?::([0-9]{1,6}))?")
_PORTS: Final = range(1, 65536)


class Serving(msgspec.Struct, frozen=True):
    """What a serving Kibitz leaves in its data folder, so that other commands find its servers."""

    pid: int
    born: float
    url: str
    database_url: str
    redis_url: str


class Servers(msgspec.Struct, frozen=True):
    """``embedded`` are servers that this process has started and ends; None if they are somebody else's."""

    database_url: str
    redis_url: str
    embedded: Embedded | None = None


@contextmanager
def servers(settings: Settings, *, make: bool = True) -> Iterator[Servers]:
    """Servers that run until the end of the block: outside ones, those of a living ``kibitz serve``, or new ones.

    Raises ``Failure`` if only one of the two addresses is set, and without ``make`` where there is no database yet;
    ``EmbeddedError`` if they do not start.
    """
    outside = outside_servers(settings)
    if outside is not None:
        yield outside
        return
    note = serving(Path(settings.data))
    if note is not None:
        yield Servers(note.database_url, note.redis_url)
        return
    if not make:
        check_data(Path(settings.data))
    with own_servers(settings) as own:
        yield own


def check_data(data: Path) -> None:
    """Raises ``Failure`` if no Kibitz has made a database in ``data``. Makes nothing."""
    try:
        found = has_database(data)
    except OSError as error:
        raise Failure(f"{data} cannot be read: {error.strerror}") from error
    if not found:
        raise Failure(f"no Kibitz data in {data.absolute()}; --data names another folder, and 'kibitz serve' makes one")


@contextmanager
def own_servers(settings: Settings) -> Iterator[Servers]:
    """As ``servers``, but a data folder that somebody else uses is an ``EmbeddedError``."""
    outside = outside_servers(settings)
    if outside is not None:
        yield outside
        return
    with Embedded(Path(settings.data), settings=_archiving(settings)) as embedded:
        yield Servers(embedded.database_url, embedded.redis_url, embedded)


def _archiving(settings: Settings) -> Mapping[str, str]:
    """The settings by which the embedded PostgreSQL puts its log beside the backups, if there are to be any.

    Raises ``Failure`` where an earlier start did so and this one would not: after a hole in the log no backup leads on.
    """
    data = Path(settings.data)
    logged = data / LOGGED
    if settings.backups:
        backups = Backups(Path(settings.backups))
        backups.belong(data)
        put(logged, os.fsencode(backups.root))
        return backups.archiving()
    if logged.exists():
        folder = os.fsdecode(logged.read_bytes())
        raise Failure(f"the log goes to {folder}: set KIBITZ_BACKUPS to it, or remove {logged} if it is to end there")
    return {}


def backups_of(database_url: str) -> str:
    """The folder of backups to which an embedded server puts its log, whoever has started it; empty for none."""
    log = asyncio.run(setting_of(database_url, "basic_archive.archive_directory"))
    return str(Path(log).parent) if log else ""


def outside_servers(settings: Settings) -> Servers | None:
    if bool(settings.database_url) != bool(settings.redis_url):
        raise Failure("set both KIBITZ_DATABASE_URL and KIBITZ_REDIS_URL, or neither", USAGE)
    from services.feed.nodes import Nodes  # noqa: PLC0415 - most commands do without Redis

    try:
        if settings.redis_url:
            Nodes(settings.redis_url)
    except ValueError as error:
        raise Failure(f"KIBITZ_REDIS_URL does not fit: {error}", USAGE) from error
    if settings.database_url and not _readable(settings.database_url):
        # What stands where a port should may be half of a password with a slash in it, and is not repeated.
        text = (
            "no host and port behind postgresql:// can be read in it; "
            "a / # ? or @ in a password is written %2F %23 %3F %40"
        )
        raise Failure(f"KIBITZ_DATABASE_URL does not fit: {text}", USAGE)
    return Servers(settings.database_url, settings.redis_url) if settings.database_url else None


def _readable(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    found = [_HOST.fullmatch(host) for host in parts.netloc.rpartition("@")[2].split(",")]
    return parts.scheme in _SCHEMES and all(host and int(host[2] or 1) in _PORTS for host in found)


@contextmanager
def announced(data: Path, url: str, using: Servers) -> Iterator[None]:
    """Says in the data folder, until the end of the block, that this process serves it."""
    note = data / NOTE
    me = psutil.Process()
    told = Serving(me.pid, me.create_time(), url, using.database_url, using.redis_url)
    data.mkdir(mode=0o700, parents=True, exist_ok=True)  # with outside servers nobody has made it
    note.unlink(missing_ok=True)
    note.touch(mode=0o600)  # an outside address may hold a password
    note.write_bytes(msgspec.json.encode(told))
    try:
        yield
    finally:
        if serving(data) == told:  # with outside servers another may serve the same folder, and has said so since
            note.unlink(missing_ok=True)


def serving(data: Path) -> Serving | None:
    """Who serves ``data`` now; None if nobody does, whatever a killed one has left there."""
    try:
        note = msgspec.json.decode((data / NOTE).read_bytes(), type=Serving)
        alive = psutil.Process(note.pid)
        return note if alive.is_running() and abs(alive.create_time() - note.born) < 1 else None
    except (OSError, msgspec.MsgspecError, psutil.Error):
        return None
