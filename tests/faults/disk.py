"""F11: small file systems, so that a disk can be full. It takes the right to mount; without it the scenario says so."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.embedded.folder import servant
from tests.faults.trial import NotRun, Scenario, Trial

DATA = 24
"""MiB of the file system that the events go to."""
WAL = 112
"""MiB of the one for the log of changes: some segments of 16 MiB and not one more."""
SETTINGS = {"min_wal_size": "32MB", "max_wal_size": "64MB"}


@contextmanager
def small_disks() -> Iterator[dict[str, Path]]:
    """Two file systems, ``data`` and ``wal``, in files; PostgreSQL's account may write to both."""
    folder = Path(tempfile.mkdtemp(prefix="kibitz-disks-"))
    folder.chmod(0o755)
    mounted: list[Path] = []
    try:
        for name, size in (("data", DATA), ("wal", WAL)):
            image, place = folder / f"{name}.img", folder / name
            place.mkdir()
            _run("truncate", "-s", f"{size}M", str(image))
            _run("mkfs.ext4", "-q", "-m", "0", str(image))
            _run("mount", "-o", "loop", str(image), str(place))
            mounted.append(place)
            home = place / "home"
            home.mkdir(mode=0o700)
            account = servant()
            if account is not None:
                os.chown(home, *account)
        yield {place.name: place for place in mounted}
    finally:
        for place in reversed(mounted):
            _run("umount", "-l", str(place))
        shutil.rmtree(folder)


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NotRun(f"there is no {command[0]} here") from error
    if done.returncode:
        raise NotRun(f"no small file system can be made here: {command[0]}: {done.stderr.strip()}")


async def full(trial: Trial) -> None:
    disks: dict[str, Path] = trial.ground
    await _data_full(trial, disks["data"])
    await _wal_full(trial, disks["wal"])


async def _data_full(trial: Trial, disk: Path) -> None:
    """The events' disk is full: moves are answered 503 until there is room, and then go on by themselves."""
    await trial.world.sql(f"create tablespace small location '{disk / 'home'}'")
    for statement in ("alter table event set tablespace small", "alter table opening set tablespace small"):
        await trial.world.sql(statement)
    await trial.load.until(20)
    _fill(disk)
    before = _unknown(trial)
    await _until_refused(trial, 60)
    said = "No space left on device" in trial.world.servers_log()
    trial.expect(said, "the disk was never full")
    (disk / "filler").unlink()
    trial.note(f"data full: {_unknown(trial) - before} answers of 503")
    await trial.load.until(20, 90)


async def _wal_full(trial: Trial, disk: Path) -> None:
    """The log's disk is full: PostgreSQL stops at once (PANIC) and cannot start; freed, it recovers by itself."""
    servers = trial.world.servers
    home = servers.postgres.home / "pg_wal"
    await asyncio.to_thread(servers.postgres.stop)
    shutil.copytree(home, disk / "home", dirs_exist_ok=True, copy_function=_copy_owned)
    for folder in (disk / "home").rglob("*"):
        _own(folder)
    shutil.rmtree(home)
    home.symlink_to(disk / "home")
    await trial.world.revive()
    await trial.load.until(20, 90)
    _fill(disk)
    writing = "select pg_logical_emit_message(false, 'faults', repeat('x', 1000000)) from generate_series(1, 200)"
    try:
        await trial.world.sql(writing)
        trial.fail("the log of changes was never full")
    except Exception as error:
        trial.note(f"log full: {type(error).__name__}")
    trial.expect("PANIC" in trial.world.servers_log(), "PostgreSQL did not stop for want of room for its log")
    (disk / "filler").unlink()
    await trial.world.answers()  # it may come back by itself, if there is room soon enough
    trial.over()
    await trial.load.until(20, 90)


def _copy_owned(source: str, target: str) -> str:
    shutil.copy2(source, target)
    _own(Path(target))
    return target


def _own(path: Path) -> None:
    account = servant()
    if account is not None:
        os.chown(path, *account)


def _fill(disk: Path) -> None:
    """Leaves no room at all."""
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue


def _unknown(trial: Trial) -> int:
    return sum(len(command.unknown) for command in trial.load.journal.commands)


async def _until_refused(trial: Trial, seconds: float) -> None:
    """Until clients were told 503, and nothing is acknowledged any more."""
    for _ in range(int(seconds * 5)):
        acknowledged = trial.load.journal.acknowledged
        await asyncio.sleep(0.2)
        told = any("503" in command.unknown for command in trial.load.journal.commands[-30:])
        if told and trial.load.journal.acknowledged == acknowledged:
            return
    trial.fail("nobody was told 503 while the disk was full")


SCENARIOS = [
    Scenario(
        id="F11",
        title="disks that are full",
        run=full,
        around=small_disks,
        limit=30.0,
        world={"postgres": SETTINGS},
    ),
]
