"""One worker of ``kibitz serve --workers``: what ``services.cli.workers`` starts, and what the two say to each other.

The first line of its input is its job; the input ends when the process that started it does, and then it ends, too.
What it writes to its output are words about how far it has come.
"""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
import uvloop

from services.api.metrics import count_together
from services.cli import logs, web
from services.cli.failures import told
from services.cli.front import Shown
from services.settings import Settings

_IN: Final = 0
_OUT: Final = 1


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """``line`` is the descriptor of the socket to serve on; ``log`` the file for log lines, None for stderr.

    The workers count together in files in the folder ``figures``, each with its ``number``.
    """

    settings: Settings
    line: int
    demo: bool
    log: str | None
    figures: str
    number: int = 0


class Answers(msgspec.Struct, frozen=True, tag="answers"):
    """Requests are answered."""


class Shows(msgspec.Struct, frozen=True, tag="shows"):
    """All is there; ``shown`` if it has the demo."""

    shown: Shown | None


Word: TypeAlias = Answers | Shows


def run() -> None:
    """Does the job until SIGTERM, or until whoever gave it is gone."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    logs.configure(None if job.log is None else Path(job.log), job.settings.log_level, shared=True)
    count_together(job.figures, job.number)
    with socket.socket(fileno=job.line) as line, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        line.setblocking(False)
        runner.run(_serve(job, line))


async def _serve(job: Job, line: socket.socket) -> None:
    asyncio.get_running_loop().add_reader(_IN, _parent_gone)
    await web.serve(job.settings, line, _Parent(), demo=job.demo)


def _parent_gone() -> None:
    """Nothing comes after the job, so what can be read is the end."""
    asyncio.get_running_loop().remove_reader(_IN)
    os.kill(os.getpid(), signal.SIGTERM)


class _Parent:
    """Whoever started this process, as one to be told."""

    def answers(self) -> None:
        self._say(Answers())

    def shows(self, shown: Shown | None) -> None:
        self._say(Shows(shown))

    @staticmethod
    def _say(word: Word) -> None:
        try:
            os.write(_OUT, msgspec.json.encode(word) + b"\n")
        except BrokenPipeError:
            return  # its end is noticed by the input


if __name__ == "__main__":
    sys.exit(told(run))
