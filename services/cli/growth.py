"""``kibitz archive``, ``retain`` and ``distribute``: what keeps a store small, and takes it over several machines."""

import asyncio

from services import archiving, retention
from services.archiving import Archived, Behind, NotHere
from services.cli.failures import NO_CITUS, USAGE, Failure
from services.cli.operate import OUT, opened
from services.cli.servers import Servers, servers
from services.projector import Projector
from services.retention import Forgotten, Keep
from services.settings import Settings, seconds_in
from services.store.distribution import NoCitus
from services.store.distribution import distribute as spread
from services.store.migrate import migrate as bring_up


def archive(settings: Settings, before: str | None) -> None:
    age = _age(before or settings.archive_after)
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        asyncio.run(_archive(using, age))


async def _archive(using: Servers, age: int) -> None:
    done = Archived()
    async with opened(using.database_url) as store:
        try:
            until = await store.time() // 1000 - age
            await Projector(store).tidy()
            with OUT.status("looking for finished matches") as status:
                async for done in archiving.archive(store, until):
                    status.update(f"{done.matches} matches, {done.events} events")
            events, size = await store.archive_size()
        except (Behind, NotHere) as refused:
            raise Failure(str(refused)) from refused
        finally:
            OUT.print(_told(done))
    if events:
        OUT.print(f"the archive: {events} events in {size} bytes on disk, {size / events:.0f} an event")


def retain(settings: Settings) -> None:
    keep = Keep(
        *(_age(text) if text else None for text in (settings.keep_refusals, settings.keep_keys, settings.keep_guests))
    )
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        done = asyncio.run(_retain(using, keep))
    OUT.print(f"forgotten: {done.refusals} refused attempts, {done.keys} keys, {done.guests} guests")


async def _retain(using: Servers, keep: Keep) -> Forgotten:
    async with opened(using.database_url) as store:
        projector = Projector(store)
        await projector.prepare()  # whoever asks them for traces finds them there, if only empty and behind
        await projector.tidy()
        try:
            return await retention.retain(store, await store.time() // 1000, keep)
        except retention.Behind as refused:
            raise Failure(str(refused)) from refused


def _told(done: Archived) -> str:
    if not done.events:
        return "nothing to archive"
    a_row, packed = done.rows_bytes / done.events, done.packed_bytes / done.events
    return (
        f"archived {done.matches} matches with {done.events} events: {a_row:.0f} bytes an event in rows, "
        f"{packed:.0f} now (its openings included, indexes not)"
    )


def distribute(settings: Settings) -> None:
    with servers(settings, make=False) as using:
        bring_up(using.database_url)
        try:
            asyncio.run(_distribute(using))
        except NoCitus as refused:
            raise Failure(f"{refused}; docs/scale.md says what it takes", NO_CITUS) from refused


async def _distribute(using: Servers) -> None:
    async for line in spread(using.database_url):
        OUT.print(line)


def _age(text: str) -> int:
    """Milliseconds, from ``90d``, ``12h`` or ``30m``. Raises ``Failure``."""
    try:
        return seconds_in(text) * 1000
    except ValueError as wrong:
        raise Failure(str(wrong), USAGE) from wrong
