"""Commands that work on the database itself: migrations, read models and their parked matches, audits."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from projections.registry import PROJECTIONS
from services import health
from services.audit import Receipt, Report, verify
from services.cli import logs
from services.cli.asked import when_asked_to_stop
from services.cli.failures import UNKNOWN, USAGE, Failure, check_id
from services.cli.servers import Servers, servers
from services.disclosure import bundle
from services.projector import NotParked, Parked, Projector, StillParked
from services.projector.rebuilds import RebuildDiffers, RebuildFailed, RebuildUnderWay
from services.settings import Settings
from services.store.migrate import migrate as bring_up
from services.store.records import Unavailable
from services.store.store import Store

OUT = Console(highlight=False, soft_wrap=True)


def migrate(settings: Settings) -> None:
    with servers(settings) as using:
        bring_up(using.database_url)
    OUT.print("the database has the newest schema")


def project(settings: Settings) -> None:
    with servers(settings, make=False) as using:
        logs.configure(None, settings.log_level)
        asyncio.run(_project(using, Path(settings.data)))


async def _project(using: Servers, data: Path) -> None:
    asked_to_stop = asyncio.Event()
    when_asked_to_stop(asked_to_stop.set)
    async with opened(using.database_url) as store:
        projector = Projector(store)
        await projector.prepare()
        tasks = [asyncio.create_task(work) for work in (projector.run(), _tell(projector, data), asked_to_stop.wait())]
        OUT.print("the read models follow the events; Ctrl-C stops")
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()


async def _tell(projector: Projector, data: Path) -> None:
    """Says in the data folder how ``projector`` is, until cancelled."""
    while True:
        try:
            found = await projector.health()
            still = (f"{name} stands still" for name in (*found.stalled, *found.outdated))
            wrong = "; ".join((*found.alarms, *still))
        except Unavailable as error:
            wrong = str(error)
        with suppress(OSError):  # a full disk is no reason to stop working; the silence will be noticed
            health.tell(data, wrong)
        await asyncio.sleep(health.EVERY)


def rebuild(settings: Settings, name: str | None, *, force: bool) -> None:
    if name is not None:
        _check_read_model(name)
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        asyncio.run(_rebuild(using, [name] if name else list(PROJECTIONS), force=force))


async def _rebuild(using: Servers, names: list[str], *, force: bool) -> None:
    what, unit = TextColumn("{task.description}"), TextColumn("events")
    columns = what, BarColumn(), MofNCompleteColumn(), unit, TimeRemainingColumn()
    async with opened(using.database_url) as store:
        projector = Projector(store)
        await projector.prepare()
        with Progress(*columns, console=OUT) as bars:
            bar = bars.add_task(", ".join(names), total=None)
            try:
                async for progress in projector.rebuild(*names, force=force):
                    bars.update(bar, completed=progress.done, total=progress.total)
            except (RebuildUnderWay, RebuildDiffers, RebuildFailed) as refused:
                raise Failure(str(refused)) from refused
    OUT.print(f"rebuilt and switched: {', '.join(names)}")


def parked(settings: Settings) -> None:
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        found = asyncio.run(_parked(using))
    for entry in found:
        OUT.print(f"{entry.projection}  {entry.match}  from event {entry.version}  {escape(entry.error)}")
    if not found:
        OUT.print("no match is parked")


async def _parked(using: Servers) -> list[Parked]:
    async with opened(using.database_url) as store:
        return await Projector(store).parked()


def unpark(settings: Settings, name: str, match: str) -> None:
    _check_read_model(name)
    check_id(match)
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        taken = asyncio.run(_unpark(using, name, match))
    OUT.print(f"{name} has taken {taken} events of {match} and follows it again")


async def _unpark(using: Servers, name: str, match: str) -> int:
    async with opened(using.database_url) as store:
        try:
            return await Projector(store).unpark(name, match)
        except NotParked as refused:
            raise Failure(str(refused), UNKNOWN) from refused
        except StillParked as refused:
            raise Failure(str(refused)) from refused


def _check_read_model(name: str) -> None:
    if name not in PROJECTIONS:
        raise Failure(f"there is no read model {name}; there are {', '.join(PROJECTIONS)}", USAGE)


def verified(settings: Settings, match: str, receipts: Sequence[Receipt]) -> Report:
    """What the verifier says of a match as it lies in the store, with everything that the store can open."""
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        return verify(asyncio.run(_bundle(using, match)), receipts)


async def _bundle(using: Servers, match: str) -> bytes:
    async with opened(using.database_url) as store:
        events = await store.events(match)
        if not events:
            raise Failure(f"there is no match {match}", UNKNOWN)
        openings = await store.openings(match, until=events[-1].version)
        return bundle(events, openings, "all", 0)


@asynccontextmanager
async def opened(database_url: str) -> AsyncIterator[Store]:
    """The store in a database, until the end of the block."""
    store = await Store.connect(database_url, pool_size=4)
    try:
        yield store
    finally:
        await store.close()
