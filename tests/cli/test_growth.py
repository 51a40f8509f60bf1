"""``kibitz archive`` and ``kibitz distribute``, as an operator calls them."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import asyncpg
import pytest

from projections.registry import PROJECTIONS
from services import retention
from services.projector import builds
from services.store.store import Store
from tests.cli.operator import kibitz, project, within
from tests.engine.played import Played

Capture = pytest.CaptureFixture[str]


def test_a_finished_match_is_archived_and_verifies_as_before(url: str, stored: Played, capsys: Capture):
    within(url, project)
    capsys.readouterr()

    assert kibitz("archive", "--before", "0m") == 0

    said = capsys.readouterr().out
    assert f"archived 1 matches with {len(stored.events)} events" in said
    assert f"the archive: {len(stored.events)} events" in said
    assert kibitz("verify", stored.match) == 0
    assert kibitz("archive", "--before", "0m") == 0
    assert "nothing to archive" in capsys.readouterr().out


def test_nothing_is_archived_while_a_read_model_is_behind_and_the_line_names_it(
    url: str, stored: Played, capsys: Capture
):
    capsys.readouterr()

    assert kibitz("archive", "--before", "0m") == 1

    (line,) = capsys.readouterr().err.splitlines()
    assert f"{stored.match} is not archived: live_tables, players, replays, score_sheets has not" in line
    assert within(url, lambda store: store.archive_size())[0] == 0


@pytest.mark.parametrize("command", [["archive", "--before", "0m"], ["retain"]])
def test_what_a_killed_rebuild_has_left_holds_up_nothing_and_one_that_is_under_way_does(
    command: list[str], url: str, stored: Played, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(retention, "PATIENCE", 0.1)
    within(url, project)
    within(url, _begun)
    with held(url, "select pg_advisory_lock(hashtext('kibitz rebuild'), hashtext('replays'))"):
        assert kibitz(*command) == 1
        assert "replays" in capsys.readouterr().err
    # when it is killed, which it does not clear away by itself
    assert kibitz(*command) == 0
    assert within(url, _builds) == [1]
    assert kibitz("rebuild", "replays") == 0


async def _begun(store: Store) -> None:
    replays = PROJECTIONS["replays"]
    for statement in (*builds.create(replays, 2), *builds.enter(replays, 2, "building")):
        await store.pool.execute(statement)


async def _builds(store: Store) -> list[int]:
    return [line[0] for line in await store.pool.fetch("select build from projection.build where name = 'replays'")]


@contextmanager
def held(url: str, statement: str) -> Iterator[None]:
    """A session in which that was said, until the end of the block."""
    with ThreadPoolExecutor(1) as apart, asyncio.Runner() as runner:
        connection = apart.submit(runner.run, asyncpg.connect(url)).result()
        try:
            apart.submit(runner.run, connection.execute(statement)).result()
            yield
        finally:
            apart.submit(runner.run, connection.close()).result()
            apart.submit(runner.close).result()


def test_what_is_not_old_enough_is_left_by_default_and_by_the_setting(
    url: str, stored: Played, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    within(url, project)
    monkeypatch.setenv("KIBITZ_ARCHIVE_AFTER", "999999d")
    assert kibitz("archive") == 0
    assert "nothing to archive" in capsys.readouterr().out


@pytest.mark.parametrize("age", ["soon", "90", "-1d", "1w", ""])
def test_an_age_that_is_none_is_exit_code_2(age: str, url: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture):
    assert kibitz("archive", "--before", age or " ") == 2
    monkeypatch.setenv("KIBITZ_ARCHIVE_AFTER", age)
    assert kibitz("archive") == 2
    assert "Traceback" not in capsys.readouterr().err


def test_where_there_is_no_citus_it_is_said_and_nothing_changes(url: str, stored: Played, capsys: Capture):
    capsys.readouterr()

    assert kibitz("distribute") == 6

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("kibitz: this PostgreSQL does not have the extension Citus: nothing was changed")
    assert not within(url, _distributed)
    assert within(url, lambda store: store.events(stored.match))


async def _distributed(store: Store) -> bool:
    return store.distributed
