"""The commands that work on a database, and how commands fail: one line and an exit code."""

import asyncio
import errno
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from domain.games import GAMES
from projections.registry import PROJECTIONS
from services.app import running
from services.audit.report import HELD, Report
from services.audit.shuffles import ShuffleTest
from services.cli.failures import explained
from services.cli.servers import Servers, announced, serving
from services.demo import FINISHED, TABLES, Demo
from services.embedded import EmbeddedError
from services.ids import new_id
from services.settings import Settings
from services.store.records import Unavailable
from tests.cli.operator import kibitz
from tests.conftest import sql
from tests.waiting import PATIENCE

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def laid_out(fresh_database: Callable[[], str], redis_url: str) -> tuple[str, list[str], list[str]]:
    """A database with the demo in it, its finished matches and those at play."""
    settings = Settings(database_url=fresh_database(), redis_url=redis_url, bot_pace=3600)

    async def lay_out() -> tuple[list[str], list[str]]:
        async with running(settings) as context:
            demo = Demo(context.store, context.matches, context.feed, context.readmodels, context.projector)
            task = asyncio.create_task(demo.run())
            await asyncio.wait_for(demo.ready(), PATIENCE)
            await asyncio.wait_for(demo.complete(), 200)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return demo.finished, demo.playing

    with ThreadPoolExecutor(1) as apart:
        finished, playing = apart.submit(asyncio.run, lay_out()).result()
    return settings.database_url, finished, playing


@pytest.fixture
def finished(laid_out: tuple[str, list[str], list[str]], redis_url: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("KIBITZ_DATABASE_URL", laid_out[0])
    monkeypatch.setenv("KIBITZ_REDIS_URL", redis_url)
    return laid_out[1]


@pytest.fixture
def playing(laid_out: tuple[str, list[str], list[str]], finished: list[str]) -> list[str]:
    return laid_out[2]


def test_the_demo_lays_out_every_exhibit(finished: list[str], playing: list[str]):
    assert len(set(finished)) == len(FINISHED)
    assert len(set(playing)) == len(TABLES)


def test_the_demo_has_a_table_and_a_finished_match_of_every_game():
    assert {exhibit.game for exhibit in TABLES} == {exhibit.game for exhibit in FINISHED} == set(GAMES)


def test_version_says_the_installed_version(capsys: Capture):
    assert kibitz("version") == 0
    assert capsys.readouterr().out == f"{version('kibitz')}\n"


def test_help_names_every_command(capsys: Capture):
    assert kibitz("--help") == 0
    said = capsys.readouterr().out
    for name in (
        "serve",
        "migrate",
        "projector",
        "rebuild",
        "parked",
        "unpark",
        "archive",
        "distribute",
        "verify",
        "shuffles",
        "openapi",
        "replay",
        "version",
    ):
        assert f"\n  {name} " in said


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["replay"],
        ["serve", "--port", "70000"],
        ["replay", new_id(), "--seat", "foo"],
        ["replay", new_id(), "--speed", "0"],
        ["replay", new_id(), "--token", "T\u00f3ken"],
    ],
)
def test_what_is_not_understood_is_exit_code_2(arguments: list[str], capsys: Capture):
    assert kibitz(*arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_setting_that_does_not_fit_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture):
    monkeypatch.setenv("KIBITZ_PORT", "many")
    assert kibitz("migrate") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_one_address_without_the_other_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Capture):
    monkeypatch.setenv("KIBITZ_DATABASE_URL", "postgresql://kibitz@127.0.0.1/kibitz")
    monkeypatch.delenv("KIBITZ_REDIS_URL", raising=False)
    assert kibitz("migrate") == 2
    assert "KIBITZ_REDIS_URL" in capsys.readouterr().err


def test_an_address_of_a_cluster_without_a_node_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Capture):
    monkeypatch.setenv("KIBITZ_DATABASE_URL", "postgresql://kibitz@127.0.0.1/kibitz")
    monkeypatch.setenv("KIBITZ_REDIS_URL", "redis+cluster://")
    assert kibitz("migrate") == 2
    assert "KIBITZ_REDIS_URL does not fit" in capsys.readouterr().err


def test_migrate_may_be_called_again(finished: list[str], capsys: Capture):
    assert kibitz("migrate") == 0
    assert kibitz("migrate") == 0


def test_verify_of_a_finished_match_is_valid(finished: list[str], capsys: Capture):
    assert kibitz("verify", finished[0]) == 0
    said = capsys.readouterr().out
    assert "VALID" in said
    assert finished[0] in said


def test_what_is_neither_a_file_nor_an_id_cannot_be_verified(capsys: Capture):
    assert kibitz("verify", "not-an-id") == 5
    assert capsys.readouterr().err == "kibitz: not-an-id cannot be read: No such file or directory\n"


def test_the_report_can_be_had_as_json(finished: list[str], capsys: Capture):
    assert kibitz("verify", finished[0], "--json") == 0
    told = msgspec.json.decode(capsys.readouterr().out, type=Report)
    assert (told.match, told.verdict) == (finished[0], "VALID")
    assert [check.code for check in told.checks] == list(HELD)


def test_the_shuffle_of_every_game_passes_its_tests_and_the_same_seed_gives_the_same_figures(capsys: Capture):
    assert kibitz("shuffles", "--decks", "1000", "--json") == 0
    first = msgspec.json.decode(capsys.readouterr().out, type=list[ShuffleTest])
    assert {test.game for test in first} == set(GAMES)
    assert kibitz("shuffles", "--decks", "1000", "--game", "osel-trumps", "--json") == 0
    again = msgspec.json.decode(capsys.readouterr().out, type=list[ShuffleTest])
    assert again == [test for test in first if test.game == "osel-trumps"]


@pytest.mark.parametrize("arguments", [["--decks", "10"], ["--decks", "2000000"], ["--game", "whist"]])
def test_shuffles_that_cannot_be_tested_are_not_understood(arguments: list[str], capsys: Capture):
    assert kibitz("shuffles", *arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_verify_of_a_match_at_play_is_valid(playing: list[str]):
    assert [kibitz("verify", match) for match in playing] == [0] * len(playing)


def test_verify_of_an_unknown_match_is_exit_code_4(finished: list[str], capsys: Capture):
    unknown = new_id()
    assert kibitz("verify", unknown) == 4
    assert unknown in capsys.readouterr().err


@pytest.mark.parametrize("command", [["replay"], ["unpark", "score_sheets"]])
def test_what_is_no_id_is_the_id_of_no_match(command: list[str], capsys: Capture):
    assert kibitz(*command, "not-an-id") == 4
    assert capsys.readouterr().err == "kibitz: there is no match not-an-id: that is not the id of one\n"


def test_a_seat_that_cannot_be_one_is_told_by_a_sentence(capsys: Capture):
    assert kibitz("replay", new_id(), "--seat", "foo") == 2
    assert capsys.readouterr().err == "kibitz: --seat is the number of a seat, public or all, and not foo\n"


@pytest.mark.parametrize(
    "command",
    [
        ["verify", new_id()],
        ["replay", new_id()],
        ["rebuild"],
        ["projector"],
        ["parked"],
        ["unpark", "score_sheets", new_id()],
    ],
    ids=lambda command: command[0],
)
def test_a_command_that_reads_says_that_a_folder_has_no_data_and_makes_none(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
):
    monkeypatch.delenv("KIBITZ_DATABASE_URL", raising=False)
    monkeypatch.delenv("KIBITZ_REDIS_URL", raising=False)
    for folder in (tmp_path, tmp_path / "absent"):
        assert kibitz(*command, "--data", str(folder)) == 1
        assert f"no Kibitz data in {folder};" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_verify_finds_an_opening_that_was_changed_behind_the_back_of_the_store(
    laid_out: tuple[str, list[str], list[str]], finished: list[str], capsys: Capture
):
    changed = f"update opening set salt = decode(repeat('00', 16), 'hex') where stream = '{finished[1]}'"
    sql(laid_out[0], f"alter table opening disable trigger user; {changed}")
    assert kibitz("verify", finished[1]) == 40
    assert "INVALID" in capsys.readouterr().out


def test_verify_finds_that_an_opening_is_missing(
    laid_out: tuple[str, list[str], list[str]], finished: list[str], capsys: Capture
):
    sql(laid_out[0], f"alter table opening disable trigger user; delete from opening where stream = '{finished[2]}'")
    assert kibitz("verify", finished[2]) == 20
    assert "INCOMPLETE" in capsys.readouterr().out


def test_rebuild_builds_every_read_model_anew(finished: list[str], capsys: Capture):
    assert kibitz("rebuild") == 0
    said = capsys.readouterr().out
    for name in PROJECTIONS:
        assert name in said
    assert kibitz("rebuild", "replays") == 0


def test_rebuild_of_an_unknown_read_model_names_those_there_are(finished: list[str], capsys: Capture):
    assert kibitz("rebuild", "weather") == 2
    assert "live_tables" in capsys.readouterr().err


def test_replay_where_nothing_answers_is_one_line(capsys: Capture):
    with socket.socket() as silent:  # nobody listens there, and nobody else can
        silent.bind(("127.0.0.1", 0))
        assert kibitz("replay", new_id(), "--url", f"http://127.0.0.1:{silent.getsockname()[1]}") == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_a_note_of_somebody_who_is_gone_is_not_believed(tmp_path: Path):
    with announced(tmp_path, "http://127.0.0.1:1", Servers("postgresql://", "redis://")):
        note = serving(tmp_path)
        assert note is not None
        assert note.url == "http://127.0.0.1:1"
        left = (tmp_path / "serving.json").read_bytes()
    assert serving(tmp_path) is None
    (tmp_path / "serving.json").write_bytes(left.replace(f'"pid":{note.pid}'.encode(), b'"pid":1'))
    assert serving(tmp_path) is None
    (tmp_path / "serving.json").write_text("not a note")
    assert serving(tmp_path) is None


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 1, "the disk is full"),
        (EmbeddedError("the data folder is in use"), 1, "in use"),
        (Unavailable("the queue is full"), 3, "the queue is full"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), 3, "does not answer"),
        (ExceptionGroup("several", [Unavailable("away"), ValueError()]), 3, "away"),
        (KeyError("surprise"), 70, "a fault in Kibitz"),
    ],
)
def test_every_error_has_a_sentence_and_a_code(error: Exception, code: int, words: str):
    failure = explained(error)
    assert failure.code == code
    assert words in str(failure)
