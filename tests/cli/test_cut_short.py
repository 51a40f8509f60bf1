"""Commands that are cut short: by a signal, by a disk that is full, or by a kill at a bad moment."""

import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from services.embedded import Backups, EmbeddedError, backups
from services.embedded.processes import living_in
from tests.e2e.conftest import ROOT, run, start
from tests.waiting import PATIENCE, until


@contextmanager
def heeding(number: int) -> Iterator[None]:
    """Whoever runs the tests may be deaf to it, as under nohup; a command started here is not, though it would be."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_asked_to_stop_ends_the_servers_that_it_has_started(data_folder: Path, number: int):
    # given a command that has started the servers of a data folder, and what it works with
    data, kept = data_folder / "data", data_folder / "backups"
    data_folder.mkdir()
    data_folder.chmod(0o711)
    assert run("migrate", "--data", str(data)).returncode == 0
    with heeding(number):
        command = start(data_folder / "out", "backup", str(kept), "--data", str(data))
    try:
        until(lambda: living_in(data / "postgres", "postgres") or command.poll() is not None)
        # when it is asked to stop
        command.send_signal(number)
        code = command.wait(PATIENCE)
    finally:
        command.kill()
        command.wait()
    # then it says so by its exit code, and nothing is left running
    assert code == 128 + number, (data_folder / "out").read_text()
    assert living_in(data / "postgres", "postgres") == []
    assert living_in(data / "valkey", "valkey-server") == []


ASKED_IN_PASSING = """
import os, sys, time, weakref
from services.cli import commands
class Thing:
    def __set_name__(self, *_):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(0)
def goes():
    thing = Thing()
    going = weakref.ref(thing, lambda _: ANOTHER.__set_name__())
    del thing
def is_made():
    type("Class", (), {"thing": ANOTHER})
def command(_):
    globals()[sys.argv[2]]()
    while True:
        time.sleep(0.01)
ANOTHER = Thing()
commands._command = command
commands.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("moment", ["goes", "is_made"])
def test_a_command_that_is_asked_to_stop_while_an_object_goes_or_a_class_is_made_stops_all_the_same(
    number: int, moment: str
):
    script = [sys.executable, "-c", ASKED_IN_PASSING, str(int(number)), moment]
    with heeding(number):
        command = subprocess.Popen(script, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        _, said = command.communicate(timeout=PATIENCE)
    finally:
        command.kill()
        command.communicate()
    assert (command.returncode, said) == (128 + number, "")


@contextmanager
def no_room() -> Iterator[None]:
    """Nothing more can be written to a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_backups_stay_those_of_their_data_folder_when_there_was_no_room_to_say_so(tmp_path: Path):
    data, store = tmp_path / "data", Backups(tmp_path / "backups")
    store.belong(data)
    kept = [path.read_bytes() for path in (data / "backups.id", store.root / "backups.id")]
    with no_room(), suppress(EmbeddedError):
        store.belong(data)
    store.belong(data)
    assert [path.read_bytes() for path in (data / "backups.id", store.root / "backups.id")] == kept
    # and a first time for which there was no room is one that did not happen
    other = tmp_path / "other"
    with no_room(), pytest.raises(EmbeddedError):
        Backups(tmp_path / "more").belong(other)
    Backups(tmp_path / "more").belong(other)


def base_of(store: Backups, day: int) -> Path:
    """A folder as one of a base is called, with something in it."""
    folder = store.root / "base" / datetime(2031, 5, day, tzinfo=UTC).strftime("%Y%m%dT%H%M%SZ")
    for name in ("backup_label", "global/1", "pg_wal/2"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    return folder


def test_a_base_of_which_only_half_was_removed_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = Backups(tmp_path)
    folders = [base_of(store, day) for day in (1, 2, 3)]
    whole: Callable[[Path], None] = shutil.rmtree

    def killed(folder: Path) -> None:
        (folder / "backup_label").unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        store.keep(1)
    monkeypatch.setattr(shutil, "rmtree", whole)

    assert [base.path for base in store.bases()] == folders[2:]
    store.keep(1)
    assert list((tmp_path / "base").iterdir()) == folders[2:]


def test_of_a_base_that_was_not_completed_nothing_is_left_to_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store, started = Backups(tmp_path), list[Path]()

    def cut_short(_: Path, __: str, *arguments: str) -> None:
        new = Path(arguments[arguments.index("-D") + 1])
        (new / "global").mkdir(parents=True)
        started.append(new)
        raise KeyboardInterrupt

    monkeypatch.setattr(backups, "_run", cut_short)
    with pytest.raises(KeyboardInterrupt):
        store.take("postgresql://kibitz@/kibitz?host=/nowhere")
    assert len(started) == 1
    assert [path.name for path in (tmp_path / "base").iterdir()] == ["lock"]
