"""``kibitz doctor``: looks at everything that an installation stands on, changes nothing, and says what to do."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.markup import escape
from rich.table import Table

from services import doctor
from services.auditing import Audited, audited
from services.cli.failures import FAULT, UNWELL, USAGE, WARNED, Failure, explained
from services.cli.operate import OUT
from services.cli.servers import Servers, servers
from services.doctor import Finding
from services.embedded import Backups, EmbeddedError
from services.feed.nodes import Nodes
from services.projector import Projector
from services.settings import Settings
from services.store.inspection import Facts, inspected, miscounted, unheaded
from services.store.records import Unavailable
from services.store.store import Store

ALL: Final = "all"
_SIGNS: Final = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "error": "[red]ERROR[/]"}
_FOLDERS: Final = "--data names the folder of the servers, KIBITZ_BACKUPS that of its backups and of no other's"
_PREFIX: Final = "KIBITZ_"
_OTHERS: Final = {"TOKEN", "TRACEBACK", "CHROMIUM", "TEST_DATABASE_URL", "TEST_REDIS_URL"}
"""Variables that are no settings of the service."""


def run(given: Callable[[], Settings], matches: str, *, as_json: bool) -> int:
    """Tells the findings, for people or as JSON. Returns the exit code: 0, or whether there are warnings or errors."""
    most = _count(matches)
    found = doctor.of_settings(_unknown(os.environ))
    try:
        settings = given()
        with _looking(quiet=as_json), servers(settings, make=False) as using:
            found += asyncio.run(_everything(settings, using, most))
    except (Failure, EmbeddedError) as error:
        if isinstance(error, Failure) and error.code == USAGE:
            found = [finding for finding in found if finding.state != "ok"]  # it said that every setting fits
            found.append(Finding("settings", "error", str(error), "docs/cli.md says what fits"))
        else:
            found.append(Finding("servers", "error", str(error), _FOLDERS))
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
    else:
        _print(found)
    states = {finding.state for finding in found}
    return UNWELL if "error" in states else WARNED if "warning" in states else 0


@contextmanager
def _looking(*, quiet: bool) -> Iterator[None]:
    if quiet:
        yield
        return
    with OUT.status("looking"):
        yield


async def _everything(settings: Settings, using: Servers, most: int | None) -> list[Finding]:
    try:
        facts = await inspected(using.database_url)
    except Unavailable as error:
        advice = "start it, or correct KIBITZ_DATABASE_URL; moves are answered with a 503 meanwhile"
        found = [Finding("postgresql", "error", str(error), advice)]
    else:
        found = doctor.of_database(facts)
        found += _backups(settings, facts)
        found += await _inside(using, facts, most)
    found += doctor.of_redis(await Nodes(using.redis_url).reached())
    return [*found, *_disks(settings, using)]


async def _inside(using: Servers, facts: Facts, most: int | None) -> list[Finding]:
    """What only a database with the schema of this code can be asked."""
    if facts.schema != facts.newest:
        return []
    try:
        store = await Store.connect(using.database_url, pool_size=2)
    except Unavailable as error:
        return [doctor.of_fault("store", str(error))]
    try:
        return [
            *await _told("read models", _read_models(store)),
            *await _told("matches", _matches(store, using.database_url, most)),
        ]
    finally:
        await store.close()


async def _told(what: str, work: Coroutine[Any, Any, list[Finding]]) -> list[Finding]:
    """What ``work`` finds; where the database refuses it, that is the finding."""
    try:
        return await work
    except Exception as error:
        failure = explained(error)
        if failure.code == FAULT:
            raise
        return [doctor.of_fault(what, " ".join(str(failure).split()))]


async def _read_models(store: Store) -> list[Finding]:
    return doctor.of_read_models(await Projector(store).health())


async def _matches(store: Store, url: str, most: int | None) -> list[Finding]:
    done = Audited()
    async for so_far in audited(store, most):
        done = so_far
    if most is not None:
        return doctor.of_matches(done, [], [], every=False)
    return doctor.of_matches(done, await miscounted(url), await unheaded(url), every=True)


def _backups(settings: Settings, facts: Facts) -> list[Finding]:
    """The bases of an embedded PostgreSQL that puts its log away; where others have theirs nobody here knows."""
    log = facts.settings.get("basic_archive.archive_directory")
    if settings.database_url or not log:
        return []
    bases = Backups(Path(log).parent).bases()
    return doctor.of_backups(bases[-1].at if bases else None, facts.now)


def _disks(settings: Settings, using: Servers) -> Iterator[Finding]:
    folders = {"the data folder": settings.data, "the backups": settings.backups}
    if using.embedded is None and settings.database_url:
        del folders["the data folder"]  # the database is elsewhere: its disk is not to be seen from here
    for what, folder in folders.items():
        try:
            if folder and Path(folder).exists():
                usage = shutil.disk_usage(folder)
                yield doctor.of_disk(what, usage.free, usage.total)
        except OSError as error:
            yield Finding("disk", "error", f"{folder} cannot be seen: {error.strerror}", "run it as who may see it")


def _unknown(environment: Mapping[str, str]) -> list[str]:
    known = {field.name.upper() for field in msgspec.structs.fields(Settings)} | _OTHERS
    given = (name.removeprefix(_PREFIX) for name in sorted(environment) if name.startswith(_PREFIX))
    return [_PREFIX + name for name in given if name not in known and name.removesuffix("_FILE") not in known]


def _count(text: str) -> int | None:
    if text == ALL:
        return None
    if text.isdecimal() and len(text) < 9:
        return int(text)
    raise Failure(f"--matches is a number or {ALL}, not {text}", USAGE)


def _print(found: list[Finding]) -> None:
    table = Table("check", "", "", box=None, pad_edge=False, header_style="dim")
    for finding in found:
        advice = f"\n[dim]{escape(finding.advice)}[/]" if finding.advice else ""
        table.add_row(finding.check, _SIGNS[finding.state], escape(finding.text) + advice)
    OUT.print(table)
