"""``kibitz role``: an operator says who rules on disputes, and it is written down."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from services.cli import commands
from services.cli.failures import UNKNOWN, USAGE
from services.ids import new_id, token_hash
from services.store.players import OPERATOR
from services.store.records import Player
from services.store.store import Store
from tests.e2e.conftest import run

Capture = pytest.CaptureFixture[str]


def apart(work: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


async def made(url: str, player: str, *, erased: bool) -> Player | None:
    """The player as the database has it, made if it is not there."""
    store = await Store.connect(url)
    try:
        await store.add_player(player, "Judit", token_hash(player))
        if erased:
            await store.erase(player)
        return await store.player(player)
    finally:
        await store.close()


async def appointments(url: str) -> list[tuple[str, str, str, str]]:
    """Who was given which role, by whom, the newest first."""
    store = await Store.connect(url)
    try:
        return [(one.by, one.player, one.before, one.role) for one in await store.appointments(10)]
    finally:
        await store.close()


def test_an_operator_appoints_an_arbiter_and_takes_the_role_away_again(url: str, capsys: Capture):
    player = new_id()
    for role in ("arbiter", "player"):
        apart(lambda: asyncio.run(made(url, player, erased=False)))
        assert apart(partial(commands.run, ["role", player, role])) == 0
        assert f"Judit ({player}) now has the role {role}" in capsys.readouterr().out
        assert apart(lambda: asyncio.run(made(url, player, erased=False))) == Player(player, "Judit", role)
    told = apart(lambda: asyncio.run(appointments(url)))
    assert told == [(OPERATOR, player, "arbiter", "player"), (OPERATOR, player, "player", "arbiter")]


def test_nobody_unknown_or_erased_gets_a_role_and_no_role_is_made_up(url: str, capsys: Capture):
    gone = new_id()
    apart(lambda: asyncio.run(made(url, gone, erased=True)))
    for player in (gone, new_id(), "somebody"):
        assert apart(partial(commands.run, ["role", player, "arbiter"])) == UNKNOWN
    assert apart(lambda: commands.run(["role", gone, "king"])) == USAGE
    assert "there is no role king" in capsys.readouterr().err


def test_whom_an_operator_erases_is_kept_beside_the_backups_and_the_log_names_those_who_were_there(
    url: str, tmp_path: Path
):
    player, unknown = new_id(), new_id()
    apart(lambda: asyncio.run(made(url, player, erased=False)))
    servers = {"KIBITZ_DATABASE_URL": url, "KIBITZ_REDIS_URL": "redis://127.0.0.1:1", "KIBITZ_LOG_LEVEL": "error"}
    servers["KIBITZ_BACKUPS"] = str(tmp_path / "backups")
    done = run("erase", player, unknown, "--data", str(tmp_path), **servers)
    assert done.returncode == UNKNOWN, done.stderr
    [line] = map(json.loads, (tmp_path / "kibitz.log").read_text().splitlines())
    assert (line["event"], line["player"]) == ("a person is erased", player)
    assert (tmp_path / "backups" / "erased").read_text().split() == [player, unknown]
