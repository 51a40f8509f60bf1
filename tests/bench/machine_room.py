"""Servers to measure on, and the check that nothing was lost while it was fast."""

import asyncio
import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import asyncpg
import msgspec

from services.collector import collect_less
from services.embedded import Embedded
from services.ids import new_id
from services.store.migrate import migrate
from services.store.store import Store
from tests.engine.played import audited
from tests.store.rows import execute


class Found(msgspec.Struct, frozen=True):
    """What lies in a store after a trial."""

    events: int
    matches: int


@contextmanager
def servers(**settings: str) -> Iterator[Embedded]:
    """PostgreSQL and Valkey of our own, with every promise of durability kept, in a folder that goes afterwards.

    ``settings`` are further ones of PostgreSQL.
    """
    with (
        TemporaryDirectory(prefix="kibitz-bench-") as folder,
        Embedded(Path(folder) / "data", settings=settings) as embedded,
    ):
        yield embedded


@contextmanager
def collecting_as_served() -> Iterator[None]:
    """The garbage collector does what it does in a service, and not what suits a program of a moment."""
    usual = gc.get_threshold()
    collect_less()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def fresh(embedded: Embedded, like: str = "") -> str:
    """The URL of a new, migrated database: an empty one, or a copy of the one at the URL ``like``."""
    name = f"bench_{new_id().replace('-', '')[-12:]}"
    copied = f" template {urlsplit(like).path.lstrip('/')}" if like else ""
    asyncio.run(execute(embedded.database_url, f"create database {name}{copied}"))
    url = embedded.postgres.url_of(name)
    migrate(url)
    return url


def drop(embedded: Embedded, url: str) -> None:
    """Gives the disk back that a database of ``fresh`` takes."""
    name = urlsplit(url).path.lstrip("/")
    asyncio.run(execute(embedded.database_url, f"drop database {name} with (force)"))


async def durability(url: str) -> dict[str, str]:
    """The settings that speed is often bought with. Raises ``AssertionError`` where one is not on."""
    connection = await asyncpg.connect(url)
    try:
        said = {name: await connection.fetchval(f"show {name}") for name in ("fsync", "synchronous_commit")}
        said["server"] = await connection.fetchval("show server_version")
    finally:
        await connection.close()
    assert (said["fsync"], said["synchronous_commit"]) == ("on", "on"), said
    return said


async def look_through(store: Store, sample: int = 16, after: Mapping[int, int] | None = None) -> Found:
    """What has come into a store after the positions ``after``, all of it without.

    Raises ``AssertionError`` unless positions and versions have no holes, no match is there twice, and a sample of the
    matches is valid by the audit. Matches that went on after ``after`` go on from the version that they had.
    """
    matches: dict[str, int] = {}
    events = 0
    for shard, head in (await store.heads()).items():
        at = (after or {}).get(shard, 0)
        while page := await store.page(shard, at, 5000):
            for event in page:
                assert event.pos == at + 1, f"shard {shard} has a hole after {at}"
                known = matches.get(event.match, event.version - 1 if after else 0)
                assert event.version == known + 1, f"{event.match} has a hole"
                matches[event.match], at = event.version, event.pos
            events += len(page)
        assert at == head, f"shard {shard} ends at {at}, not at {head}"
    for match in sorted(matches)[:: max(1, len(matches) // sample)][:sample]:
        report = audited(await store.events(match), await store.openings(match))
        assert report.verdict == "VALID", report
    return Found(events, len(matches))


async def found_in(database: str, sample: int = 4, after: Mapping[int, int] | None = None) -> Found:
    """What has come into a database: see ``look_through``."""
    store = await Store.connect(database)
    try:
        return await look_through(store, sample, after)
    finally:
        await store.close()
