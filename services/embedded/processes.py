"""Child processes: started apart from our own signals, found again by where they work, ended in order."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final

import psutil

from services.embedded.folder import Account, EmbeddedError

_LOG_LIMIT: Final = 8 << 20
"""Bytes: a longer log is begun anew at the next start."""
KILL: Final = (signal.SIGKILL, 60.0)
"""For ``end``: nobody can refuse it, but whoever waits for a slow disk, or for a processor, takes its time to go."""

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def package(name: str) -> Path:
    """The folder of an installed package, found without importing it: importing runs code that nobody asked for."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(f"the Python package {name!r} is not installed")
    return Path(spec.submodule_search_locations[0])


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keeps what asks us to stop until the end of the block. It ends us, or raises, at any moment, also between the
    birth of a program and our having it in hand, or in the middle of ending one. Only the main thread is disturbed.
    """
    with ExitStack() as after:
        if threading.current_thread() is threading.main_thread():
            came = list[int]()
            after.callback(_send_again, came)
            for number in _STOPPING:
                handler = signal.getsignal(number)
                if handler not in (signal.SIG_IGN, None):
                    after.callback(signal.signal, number, handler)
                    signal.signal(number, lambda number, _: came.append(number))
        yield


def _send_again(came: Sequence[int]) -> None:
    for number in came[:1]:
        signal.raise_signal(number)


def spawn(arguments: Sequence[str], *, cwd: Path, log: Path, account: Account | None) -> "subprocess.Popen[bytes]":
    """Starts a server. We end it when its time comes. To be called ``undisturbed``."""
    if log.exists() and log.stat().st_size > _LOG_LIMIT:
        log.unlink()
    with log.open("ab") as output:
        return _begun(arguments, cwd, output, account)


def run(arguments: Sequence[str], *, cwd: Path, account: Account | None) -> tuple[int, str]:
    """Runs a program to its end, or to ours: its exit code and what it said."""
    with ExitStack() as after:
        with undisturbed():
            program = after.enter_context(_begun(arguments, cwd, subprocess.PIPE, account))
            after.callback(_kill_all_of, program)
        said, _ = program.communicate()
    return program.returncode, said.decode(errors="replace")


def _kill_all_of(program: "subprocess.Popen[bytes]") -> None:
    """If it still runs, with all that it has begun itself: initdb is several programs, and would leave some behind."""
    if program.poll() is None:
        with undisturbed():
            os.killpg(program.pid, signal.SIGSTOP)  # so that none begins another meanwhile
            head = psutil.Process(program.pid)
            end([head, *head.children(recursive=True)], (KILL,))


def _begun(
    arguments: Sequence[str], cwd: Path, output: int | BinaryIO, account: Account | None
) -> "subprocess.Popen[bytes]":
    """In a session of its own, so that Ctrl-C reaches us and not it."""
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
