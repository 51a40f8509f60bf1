"""``kibitz role``: an operator says who rules on disputes, and it is written down."""

import asyncio
import json
import subprocess
import sys
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
from tests.e2e.conftest import ROOT, run

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


def test_whom_an_operator_erases_beside_a_service_that_writes_to_a_pipe_is_named_there(url: str, tmp_path: Path):
    # given one that serves as in a container, with no log in its data folder
    serving = """
import sys
from pathlib import Path
from services.cli.servers import Servers, announced
with announced(Path(sys.argv[1]), "http://127.0.0.1:1", Servers("", "")):
    print("ready", flush=True)
    sys.stdin.read()
"""
    player = new_id()
    apart(lambda: asyncio.run(made(url, player, erased=False)))
    command, pipe = [sys.executable, "-c", serving, str(tmp_path)], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == "ready\n"
        # when an operator erases somebody
        servers = {"KIBITZ_DATABASE_URL": url, "KIBITZ_REDIS_URL": "redis://127.0.0.1:1"}
        done = run("erase", player, "--data", str(tmp_path), **servers)
        _, said = service.communicate("", timeout=60)
    # then the line is where those of the service are
    assert done.returncode == 0, done.stderr
    [line] = map(json.loads, said.splitlines())
    assert (line["event"], line["player"]) == ("a person is erased", player)
    assert not (tmp_path / "kibitz.log").exists()


def test_whom_an_operator_erases_is_kept_beside_the_backups_and_the_log_names_those_who_were_there(
    url: str, tmp_path: Path
):
    player, unknown = new_id(), new_id()
    apart(lambda: asyncio.run(made(url, player, erased=False)))
    servers = {"KIBITZ_DATABASE_URL": url, "KIBITZ_REDIS_URL": "redis://127.0.0.1:1", "KIBITZ_LOG_LEVEL": "error"}
    servers["KIBITZ_BACKUPS"] = str(tmp_path / "backups")
    done = run("erase", player, unknown, "--data", str(tmp_path), **servers)
    assert done.returncode == UNKNOWN, done.stderr
    assert unknown in done.stderr
    assert player not in done.stderr
    [line] = map(json.loads, (tmp_path / "kibitz.log").read_text().splitlines())
    assert (line["event"], line["player"]) == ("a person is erased", player)
    assert (tmp_path / "backups" / "erased").read_text().split() == [player, unknown]
