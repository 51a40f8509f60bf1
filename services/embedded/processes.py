"""Child processes: started apart from our own signals, found again by where they work, ended in order."""

import os
import signal
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import psutil

from services.embedded.folder import Account, EmbeddedError

_LOG_LIMIT: Final = 8 << 20
"""Bytes: a longer log is begun anew at the next start."""
KILL: Final = (signal.SIGKILL, 60.0)
"""For ``end``: nobody can refuse it, but whoever waits for a slow disk, or for a processor, takes its time to go."""


def package(name: str) -> Path:
    """The folder of an installed package, found without importing it: importing runs code that nobody asked for."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(f"the Python package {name!r} is not installed")
    return Path(spec.submodule_search_locations[0])


def spawn(arguments: Sequence[str], *, cwd: Path, log: Path, account: Account | None) -> "subprocess.Popen[bytes]":
    """Starts a server in a session of its own, so that Ctrl-C reaches us and not it: we end it when its time comes."""
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.unlink()
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - the programs are those of the wheels
            list(arguments),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=_environment(),
            user=account and account.uid,
            group=account and account.gid,
            extra_groups=account and [],
        )


def run(arguments: Sequence[str], *, cwd: Path, account: Account | None) -> tuple[int, str]:
    """Runs a program to its end: its exit code and what it said."""
    done = subprocess.run(  # noqa: S603
        list(arguments),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=_environment(),
        check=False,
        user=account and account.uid,
        group=account and account.gid,
        extra_groups=account and [],
    )
    return done.returncode, done.stdout.decode(errors="replace")


def living_in(folder: Path, *names: str) -> list[psutil.Process]:
    """The processes called one of ``names`` that work in ``folder``: a server of this folder and of no other."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.name() in names and Path(process.cwd()) == folder:
                found.append(process)
        except psutil.Error:
            continue  # ended meanwhile, or not ours to look at, and so not a server of ours
    return found


def end(processes: Sequence[psutil.Process], signals: Sequence[tuple[signal.Signals, float]]) -> None:
    """Sends the signals one after another, each with its time in seconds to take effect, until all are gone.

    Raises ``EmbeddedError`` if some outlive the last. A number that now belongs to another process is never signalled.
    """
    left = list(processes)
    for number, seconds in signals:
        for process in left:
            try:
                process.send_signal(number)
            except psutil.NoSuchProcess:
                continue
        _, left = psutil.wait_procs(left, timeout=seconds)
        if not left:
            return
    raise EmbeddedError(f"process {left[0].pid} does not end")


def _environment() -> dict[str, str]:
    """Ours without what would steer PostgreSQL, and with messages in a language that can be searched."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return kept | {"LC_ALL": "C"}
