"""``kibitz backup`` and ``kibitz restore``: what they refuse, what they leave, and what a base alone can do."""

import errno
import re
import shutil
from pathlib import Path

import pytest

from services.cli.servers import LOGGED, Servers, announced
from services.embedded import Backups, Embedded
from services.embedded.backups import Base
from services.ids import new_id
from services.store.migrate import migrate
from tests.cli.operator import kibitz, put
from tests.store.rows import row
from tests.waiting import until

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KIBITZ_DATABASE_URL", "KIBITZ_REDIS_URL", "KIBITZ_BACKUPS"):
        monkeypatch.delenv(name, raising=False)


def error(capsys: Capture) -> str:
    """The one line that a command has said before it failed."""
    [line] = capsys.readouterr().err.splitlines()
    return line


def made(data: Path, backups: Path, capsys: Capture) -> Base:
    """A base of a new data folder with one match in it; no log is kept."""
    with Embedded(data, sync=False) as servers:
        migrate(servers.database_url)
        put(servers.database_url)
    assert kibitz("backup", str(backups), "--data", str(data)) == 0
    assert "and no further" in capsys.readouterr().out
    [base] = Backups(backups).bases()
    return base


def test_a_base_alone_is_restored_once_into_a_new_folder_and_only_if_it_is_whole(data_folder: Path, capsys: Capture):
    backups, new = data_folder / "backups", data_folder / "new"
    base = made(data_folder / "old", backups, capsys)
    # when it is restored, then its match verifies
    assert kibitz("restore", str(backups), "--data", str(new)) == 0
    assert re.search(r"1 matches with \d+ events: 1 VALID", capsys.readouterr().out)
    # when it is restored into a folder that has a database, then that is refused and the database is as it was
    for folder in (new, data_folder / "old"):
        assert kibitz("restore", str(backups), "--data", str(folder)) == 1
        assert "has a database already" in error(capsys)
    assert kibitz("doctor", "--data", str(new)) == 7
    capsys.readouterr()
    # when somebody else is at it, then a second base is not begun
    with Backups(backups)._alone():
        assert kibitz("backup", str(backups), "--data", str(data_folder / "old")) == 1
        assert "another backup" in error(capsys)
    # when the restored one, or a new one, is to be backed up there, then that is refused
    assert kibitz("backup", str(backups), "--data", str(new)) == 1
    assert "of another data folder" in error(capsys)
    assert Backups(backups).bases() == [base]
    # when a byte of it has changed, then it is refused, and nothing is left of the attempt
    damaged = max((base.path / "base").rglob("*"), key=lambda path: path.stat().st_size if path.is_file() else 0)
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(bytes(content))
    assert kibitz("restore", str(backups), "--data", str(data_folder / "other")) == 1
    assert "pg_verifybackup failed" in error(capsys)
    assert not (data_folder / "other" / "postgres").exists()


@pytest.mark.parametrize(
    ("at", "code", "said"),
    [
        ("tomorrow", 2, "is not a moment; one is written like 2031-05-17T18:30:00Z"),
        ("2031-05-17T18:30:00", 2, "has no zone"),
        ("9999-12-31T23:59:59-12:00", 2, "is not a moment"),
        ("1999-01-01T00:00:00Z", 1, "choose a later moment"),
        ("2131-05-17T18:30:00+02:00", 1, "the log ends before that moment"),
    ],
)
def test_a_moment_that_cannot_be_is_refused_and_nothing_is_left(
    base: Path, data_folder: Path, at: str, code: int, said: str, capsys: Capture
):
    new = data_folder / "new"
    assert kibitz("restore", str(base), "--at", at, "--data", str(new)) == code
    assert said in error(capsys)
    assert not (new / "postgres").exists()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of backups with one base; the servers' user need not enter it."""
    folder = tmp_path_factory.mktemp("backups")
    with Embedded(folder / "data", sync=False) as servers:
        Backups(folder / "backups").take(servers.database_url)
    return folder / "backups"


def test_a_log_that_is_kept_is_kept_by_every_command_until_the_operator_ends_it(
    data_folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    # given a data folder whose log goes to the backups
    data, backups = data_folder / "old", data_folder / "backups"
    monkeypatch.setenv("KIBITZ_BACKUPS", str(backups))
    assert kibitz("migrate", "--data", str(data)) == 0
    # when a command would start its servers without them, then it is told what to set, and starts none
    monkeypatch.delenv("KIBITZ_BACKUPS")
    for command in (["migrate"], ["rebuild"], ["erase", new_id()]):
        assert kibitz(*command, "--data", str(data)) == 1
        assert f"the log goes to {backups}" in error(capsys)
    # and when the operator ends it, then the log goes nowhere
    (data / LOGGED).unlink()
    assert kibitz("migrate", "--data", str(data)) == 0


def test_bases_beyond_those_that_are_kept_go_with_the_log_that_only_they_needed(
    data_folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    backups = Backups(data_folder / "backups")
    with Embedded(data_folder / "old", settings=backups.archiving(), sync=False) as servers:
        url = servers.database_url
        migrate(url)
        for _ in range(3):
            backups.take(url)
            put(url)
            written = row(url, "select pg_walfile_name(pg_switch_wal())")[0]
            until((backups.log / written).exists)
        oldest, _, newest = backups.bases()
        pieces = {path.name for path in backups.log.iterdir()}
        first = oldest.first
        assert first in pieces
        gone = backups.keep(1)
    assert len(gone) == 2
    assert backups.bases() == [newest]
    assert first not in {path.name for path in backups.log.iterdir()}
    # and what is left leads to everything
    assert kibitz("restore", str(backups.root), "--data", str(data_folder / "new")) == 0
    assert re.search(r"3 matches with \d+ events: 3 VALID", capsys.readouterr().out)


def test_a_data_folder_without_a_database_is_not_backed_up_and_none_is_made(data_folder: Path, capsys: Capture):
    assert kibitz("backup", str(data_folder / "backups"), "--data", str(data_folder / "nothing")) == 1
    assert "no Kibitz data" in error(capsys)
    assert not data_folder.exists()


def test_what_serves_with_a_database_elsewhere_is_not_backed_up_here(data_folder: Path, capsys: Capture):
    away = Servers("postgresql://kibitz:hush@127.0.0.1:1/kibitz", "redis://127.0.0.1:1")
    with announced(data_folder, "http://127.0.0.1:1", away):
        assert kibitz("backup", str(data_folder / "backups"), "--data", str(data_folder)) == 1
    said = error(capsys)
    assert "elsewhere" in said
    assert "hush" not in said


def test_a_disk_that_fills_is_named_and_nothing_is_left_of_the_attempt(
    base: Path, data_folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", source, None, target)

    monkeypatch.setattr(shutil, "copy2", full)
    assert kibitz("restore", str(base), "--data", str(data_folder / "new")) == 1
    said = error(capsys)
    assert f"the disk is full: no space left to write {data_folder / 'new'}" in said
    assert len(said) < 400
    assert not (data_folder / "new" / "restoring").exists()


def test_without_a_folder_or_with_servers_of_ones_own_it_is_said_what_to_do(
    data_folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    assert kibitz("backup", "--data", str(data_folder)) == 2
    assert "KIBITZ_BACKUPS" in error(capsys)
    assert kibitz("restore", str(data_folder / "none"), "--data", str(data_folder)) == 1
    assert "there is no backup" in error(capsys)
    monkeypatch.setenv("KIBITZ_DATABASE_URL", "postgresql://nowhere/")
    monkeypatch.setenv("KIBITZ_REDIS_URL", "redis://nowhere")
    for command in (("backup", "to"), ("restore", "from")):
        assert kibitz(*command) == 2
        assert "docs/operations.md" in error(capsys)
    assert not data_folder.exists()
