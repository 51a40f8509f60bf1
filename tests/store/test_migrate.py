"""Migrations: from an empty database, by many at once, and again."""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import alembic.command
import asyncpg
import pytest

from services.ids import SHARDS, new_id
from services.projector import Projector
from services.store import batch
from services.store.migrate import migrate
from services.store.records import Append, Appended, Unavailable
from services.store.store import Store
from tests.engine.played import Played
from tests.store.matches import command, everything
from tests.store.proxy import Proxy


def migrated_by_eight(url: str, tmp_path: Path) -> None:
    """Eight processes bring the database to the newest schema at once; none of them says or wants anything."""
    program = f"from services.store.migrate import migrate; migrate({url!r})"

    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for _ in range(8)
    ]
    said = [process.communicate()[0] for process in started]

    assert said == [b""] * 8
    assert [process.returncode for process in started] == [0] * 8


@pytest.mark.fault(28, "F19")
def test_eight_processes_migrate_an_empty_database_at_once(empty_database: Callable[[], str], tmp_path: Path):
    url = empty_database()

    migrated_by_eight(url, tmp_path)

    async def use() -> None:
        store = await Store.connect(url)
        assert await store.append(command(new_id())) == Appended(1, 1)
        await store.close()

    asyncio.run(use())


def test_eight_processes_migrate_an_old_database_at_once_and_what_it_holds_stays(
    empty_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # given a database as it was before there was an archive, with a match in it
    url, match = empty_database(), Played({"games": 1}, 3)
    match.seat_all()
    upgrade = alembic.command.upgrade
    with monkeypatch.context() as older:
        older.setattr(alembic.command, "upgrade", lambda config, _: upgrade(config, "0004"))
        migrate(url)

    async def old(commands: Sequence[Append]) -> None:
        connection = await asyncpg.connect(url)
        for one in commands:
            await batch.send(connection, [one])
        await connection.close()

    asyncio.run(old(match.appends))

    migrated_by_eight(url, tmp_path)

    async def use() -> None:
        store = await Store.connect(url)
        assert [event.data for event in await store.events(match.match)] == [event.data for event in match.events]
        assert await store.openings(match.match) == match.openings
        known = len(match.appends)
        match.play_out()
        for one in match.appends[known:]:
            assert isinstance(await store.append(one), Appended)
        await everything(store)
        await store.close()

    asyncio.run(use())


async def test_migrating_waits_for_a_server_that_says_that_it_is_starting(empty_database: Callable[[], str]):
    async with Proxy(empty_database()) as proxy:
        proxy.starting = 3
        await asyncio.to_thread(migrate, proxy.url)
        assert proxy.starting == 0
        store = await Store.connect(proxy.url)
        assert await store.heads() == dict.fromkeys(SHARDS, 0)
        await store.close()


def test_migrating_again_changes_nothing_and_says_nothing(
    empty_database: Callable[[], str], capfd: pytest.CaptureFixture[str]
):
    url = empty_database()

    def logs() -> tuple[int, int, list[logging.Handler], bool]:
        root, ours = logging.getLogger(), logging.getLogger("services.store.lane")
        return root.level, ours.level, list(root.handlers), ours.disabled

    before = logs()

    migrate(url)
    migrate(url)

    assert capfd.readouterr() == ("", "")
    assert logs() == before


async def test_migrating_works_where_an_event_loop_runs(empty_database: Callable[[], str]):
    url = empty_database()

    migrate(url)

    store = await Store.connect(url)
    await store.ready()
    await store.close()


async def test_a_store_on_a_database_that_is_not_migrated_is_unavailable(empty_database: Callable[[], str]):
    with pytest.raises(Unavailable, match="migrations"):
        await Store.connect(empty_database())


async def test_a_store_on_a_database_of_an_older_schema_is_unavailable(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
):
    url, upgrade = empty_database(), alembic.command.upgrade
    monkeypatch.setattr(alembic.command, "upgrade", lambda config, _: upgrade(config, "0005"))
    migrate(url)
    with pytest.raises(Unavailable, match="migrations"):
        await Store.connect(url)


async def test_a_database_of_a_newer_schema_is_left_as_it_is_and_that_is_said(empty_database: Callable[[], str]):
    url = empty_database()
    migrate(url)
    connection = await asyncpg.connect(url)
    await connection.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(Unavailable, match="newer"):
        migrate(url)
    assert await connection.fetchval("select version_num from alembic_version") == "9999"
    await connection.close()


async def test_a_store_on_no_database_is_unavailable(tmp_path: Path):
    with pytest.raises(Unavailable):
        await Store.connect(f"postgresql://kibitz@/kibitz?host={tmp_path}")


async def test_an_account_with_no_rights_but_those_of_the_service_starts_on_a_migrated_database(database_url: str):
    # given the database of another account, and one that may no more than the service
    name = f"service_{new_id().replace('-', '')}"
    owner = await asyncpg.connect(database_url)
    await owner.execute(f"create role {name} login password 's3cr3t' in role kibitz_app")
    parts = urlsplit(database_url)
    url = parts._replace(netloc=f"{name}:s3cr3t@{parts.netloc.rpartition('@')[2]}").geturl()
    try:
        # when it starts as every process does
        migrate(url)
        store = await Store.connect(url)
        # then it can do its work
        assert await store.append(command(new_id())) == Appended(1, 1)
        await Projector(store).prepare()
        await store.close()
        # and nothing else
        connection = await asyncpg.connect(url)
        for attempt in (
            "delete from event",
            "drop table event",
            "create table mine ()",
            "update alembic_version set version_num = 1",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(attempt)
        await connection.close()
    finally:
        await owner.execute(f"drop role {name}")
        await owner.close()
