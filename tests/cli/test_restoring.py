"""``kibitz restore`` where it is killed, where the log breaks off, ends or forks, and where somebody was erased."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from services.cli.servers import Servers, announced
from services.embedded import Backups, Embedded, EmbeddedError
from services.embedded.processes import living_in
from services.ids import new_id, token_hash
from services.store.migrate import migrate
from services.store.records import Player
from services.store.store import Store
from tests.cli.operator import kibitz, put, within
from tests.cli.test_backups import error
from tests.e2e.conftest import ROOT, run
from tests.store.rows import row
from tests.waiting import until

Capture = pytest.CaptureFixture[str]

KILLED_COPYING = """
import os, shutil, sys
from pathlib import Path
from services.embedded import Backups
left = [3]
copy = shutil.copy2
def killed(source, target):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
    copy(source, target)
shutil.copy2 = killed
Backups(Path(sys.argv[1])).restore(Path(sys.argv[2]), None, lambda url: None)
"""
KILLED_AT_THE_END = """
import os, sys
from pathlib import Path
from services.embedded import Backups
Backups(Path(sys.argv[1])).restore(Path(sys.argv[2]), None, lambda url: os.kill(os.getpid(), 9))
"""


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KIBITZ_DATABASE_URL", "KIBITZ_REDIS_URL", "KIBITZ_BACKUPS"):
        monkeypatch.delenv(name, raising=False)


class Kept(NamedTuple):
    """Backups with three matches played since the base: when each was over, and the piece of the log that has it."""

    backups: Backups
    moments: list[datetime]
    pieces: list[Path]

    def copied(self, folder: Path) -> "Kept":
        """The same in another folder, there to be damaged."""
        shutil.copytree(self.backups.root, folder)
        return Kept(Backups(folder), self.moments, [folder / "wal" / piece.name for piece in self.pieces])


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    folder = Path(tempfile.mkdtemp(prefix="kibitz-test-"))
    folder.chmod(0o711)
    found = Kept(Backups(folder / "backups"), [], [])
    with Embedded(folder / "old", settings=found.backups.archiving(), sync=False) as servers:
        url = servers.database_url
        migrate(url)
        found.backups.take(url)
        for _ in range(3):
            put(url)
            found.moments.append(row(url, "select clock_timestamp()")[0])
            row(url, "select pg_current_xact_id()")  # by the next change PostgreSQL sees that a moment is reached
            found.pieces.append(switched(found.backups, url))
    yield found
    shutil.rmtree(folder)


def switched(backups: Backups, url: str) -> Path:
    """The piece of the log under way, put away as it is."""
    piece = backups.log / row(url, "select pg_walfile_name(pg_switch_wal())")[0]
    until(piece.exists)
    return piece


@pytest.mark.parametrize("script", [KILLED_COPYING, KILLED_AT_THE_END])
def test_a_restore_that_is_killed_leaves_nothing_that_is_taken_for_a_cluster_and_is_begun_anew(
    kept: Kept, data_folder: Path, script: str, capsys: Capture
):
    new, root = data_folder / "new", str(kept.backups.root)
    # when it is killed while it copies, or just before the cluster is put in its place
    killed = subprocess.run([sys.executable, "-c", script, root, str(new)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    # then there is no database, nobody makes an empty one in its place, and it is said what that is
    assert not (new / "postgres").exists()
    assert kibitz("doctor", "--data", str(new)) == 8
    assert "was cut short" in re.sub(r"\s+", " ", capsys.readouterr().out)
    assert kibitz("retain", "--data", str(new)) == 1
    assert f"then begin it again, or remove {new / 'restoring'}" in error(capsys)
    with pytest.raises(EmbeddedError, match="was cut short"):
        Embedded(new).start()
    assert not (new / "postgres").exists()
    # and when it is begun again, then it ends well and nothing of the first is left, no server either
    assert kibitz("restore", root, "--data", str(new)) == 0
    assert re.search(r"3 matches with \d+ events: 3 VALID", capsys.readouterr().out)
    assert not (new / "restoring").exists()
    assert living_in(new / "restoring" / "postgres", "postgres") == []


def test_the_account_of_the_servers_can_put_nothing_in_the_way_of_who_restores(kept: Kept, data_folder: Path):
    kept, hidden = kept.copied(data_folder / "backups"), data_folder / "hidden"
    # given something among the log that only who restores may read
    hidden.write_text("a secret")
    hidden.chmod(0o600)
    hidden_before = hidden.stat()
    (kept.backups.log / f"00000001{'F' * 16}").symlink_to(hidden)
    new = data_folder / "new"

    def looked(_: str) -> None:
        # then what is restored is made where nobody else makes files, and holds no copy of that
        made = (new / "restoring").stat()
        assert (made.st_uid, made.st_mode & 0o022) == (os.geteuid(), 0)
        assert [path for path in (new / "restoring" / "log").iterdir() if path.is_symlink()]
        assert not [path for path in new.rglob(f"*{'F' * 16}") if not path.is_symlink()]

    kept.backups.restore(new, kept.moments[0], looked)
    after = hidden.stat()
    assert (after.st_uid, after.st_mode) == (hidden_before.st_uid, hidden_before.st_mode)


def missing(pieces: list[Path]) -> None:
    pieces[1].unlink()


def damaged_in_the_middle(pieces: list[Path]) -> None:
    _overwrite(pieces[1])


def damaged_at_the_end(pieces: list[Path]) -> None:
    _overwrite(pieces[2])


def _overwrite(piece: Path) -> None:
    content = bytearray(piece.read_bytes())
    content[200:8_000] = bytes(7_800)
    piece.write_bytes(bytes(content))


@pytest.mark.parametrize("harm", [missing, damaged_in_the_middle, damaged_at_the_end])
def test_a_log_that_breaks_off_is_told_and_not_taken_for_all(
    kept: Kept, data_folder: Path, harm: Callable[[list[Path]], None], capsys: Capture
):
    kept = kept.copied(data_folder / "backups")

    def restored(name: str, *options: str) -> int:
        return kibitz("restore", str(kept.backups.root), "--data", str(data_folder / name), *options)

    # when a piece is lost, then a restore to the end says where it breaks off, and of when the last change is
    harm(kept.pieces)
    assert restored("end") == 1
    told = capsys.readouterr().out
    assert f"the log breaks off there, and goes on to {kept.pieces[2].name}" in told
    assert re.search(r"([12]) matches with \d+ events: \1 VALID", told)
    found = re.search(r"the last change in it is of (\S+)", told)
    assert found
    assert datetime.fromisoformat(found[1]) < kept.moments[2]
    # and a moment behind that is refused, with how far it leads, while one before it is reached
    assert restored("behind", "--at", kept.moments[2].isoformat()) == 1
    said = error(capsys)
    assert "the log breaks off before that moment, with its last change of " in said
    assert kept.pieces[2].name in said
    assert not (data_folder / "behind" / "postgres").exists()
    assert restored("before", "--at", kept.moments[0].isoformat()) == 0
    assert re.search(r"1 matches with \d+ events: 1 VALID", capsys.readouterr().out)


def test_a_moment_behind_the_end_of_a_whole_log_is_refused_with_how_far_it_leads(
    kept: Kept, data_folder: Path, capsys: Capture
):
    new = data_folder / "new"
    assert kibitz("restore", str(kept.backups.root), "--data", str(new), "--at", "2131-05-17T18:30:00Z") == 1
    found = re.search(r"the log ends before that moment, with its last change of (\S+): name none", error(capsys))
    assert found
    assert kept.moments[2] < datetime.fromisoformat(found[1])
    assert not (new / "postgres").exists()


def test_a_log_that_has_forked_is_refused_until_it_is_said_which_history_is_meant(
    kept: Kept, data_folder: Path, capsys: Capture
):
    backups = kept.copied(data_folder / "backups").backups
    root = str(backups.root)
    # given a restored cluster whose log somebody has put beside the old one's
    assert kibitz("restore", root, "--at", kept.moments[0].isoformat(), "--data", str(data_folder / "fork")) == 0
    with Embedded(data_folder / "fork", settings=backups.archiving(), sync=False) as servers:
        put(servers.database_url)
        later = switched(backups, servers.database_url)
    assert later.name.startswith("00000002")
    capsys.readouterr()
    for options in ((), ("--at", kept.moments[1].isoformat())):
        assert kibitz("restore", root, "--data", str(data_folder / "new"), *options) == 1
        assert "has forked" in (said := error(capsys))
        assert "00000001, 00000002" in said
    # when one of them is moved away, then the other is restored, to its end and to a moment
    away = data_folder / "away"
    away.mkdir()
    for piece in backups.log.glob("00000002*"):
        shutil.move(piece, away)
    assert kibitz("restore", root, "--data", str(data_folder / "all")) == 0
    assert re.search(r"3 matches with \d+ events: 3 VALID", capsys.readouterr().out)
    at = kept.moments[1].isoformat()
    assert kibitz("restore", root, "--at", at, "--data", str(data_folder / "some")) == 0
    assert re.search(r"2 matches with \d+ events: 2 VALID", capsys.readouterr().out)


def test_what_is_restored_is_backed_up_and_restored_like_the_first(kept: Kept, data_folder: Path, capsys: Capture):
    second = Backups(data_folder / "second")
    assert kibitz("restore", str(kept.backups.root), "--data", str(data_folder / "new")) == 0
    with Embedded(data_folder / "new", settings=second.archiving(), sync=False) as servers:
        second.take(servers.database_url)
        put(servers.database_url)
        moment = row(servers.database_url, "select clock_timestamp()")[0].isoformat()
        put(servers.database_url)
        switched(second, servers.database_url)
    capsys.readouterr()
    assert kibitz("restore", str(second.root), "--at", moment, "--data", str(data_folder / "newer")) == 0
    assert re.search(r"4 matches with \d+ events: 4 VALID", capsys.readouterr().out)


def people(url: str, *ids: str) -> list[Player | None]:
    async def asked(store: Store) -> list[Player | None]:
        return [await store.player(one) for one in ids]

    return within(url, asked)


def add(url: str, player: str, name: str) -> None:
    within(url, lambda store: store.add_player(player, name, token_hash(player)))


def test_who_was_erased_after_the_moment_is_erased_in_what_is_restored(data_folder: Path, capsys: Capture):
    old, backups = data_folder / "old", Backups(data_folder / "backups")
    stays, goes, comes = new_id(), new_id(), new_id()
    record = backups.root / "erased"
    # given two persons before the moment, and one who came after it
    with Embedded(old, settings=backups.archiving(), sync=False) as servers:
        url = servers.database_url
        migrate(url)
        backups.take(url)
        add(url, stays, "Anna")
        add(url, goes, "Ben")
        moment = row(url, "select clock_timestamp()")[0].isoformat()
        add(url, comes, "Cili")
        # when two of them are erased, then that is kept beside the backups, wherever one believes these to be
        with announced(old, "http://127.0.0.1:1", Servers(url, servers.redis_url)):
            for player, believed in ((goes, ""), (comes, str(data_folder / "others"))):
                assert run("erase", player, "--data", str(old), KIBITZ_BACKUPS=believed).returncode == 0
        assert record.read_text().split() == [goes, comes]
        assert record.stat().st_mode & 0o777 == 0o600
    shutil.rmtree(old)
    # and when all is restored as it was before, then they do not come back
    capsys.readouterr()
    assert kibitz("restore", str(backups.root), "--at", moment, "--data", str(data_folder / "new")) == 0
    assert "erased in it: 1 of the 2 persons" in capsys.readouterr().out
    with Embedded(data_folder / "new", sync=False) as servers:
        found = people(servers.database_url, stays, goes, comes)
        assert found == [Player(stays, "Anna", "player"), Player(goes, "", "player"), None]
        assert row(servers.database_url, "select count(*) from token where player = $1", goes)[0] == 0
    # and what is no record is not passed over
    record.write_text(f"{goes}\nsomebody\n")
    assert kibitz("restore", str(backups.root), "--data", str(data_folder / "third")) == 1
    assert "a line that is not the id of a player: somebody" in error(capsys)
    assert not (data_folder / "third").exists()
