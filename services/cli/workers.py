"""Watching over the workers of ``kibitz serve --workers``: a dead one is followed by another, and all end together."""

import asyncio
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from typing import Final

import msgspec
import structlog
from msgspec.structs import replace
from prometheus_client.multiprocess import mark_process_dead

from services.cli import logs
from services.cli.asked import when_asked_to_stop
from services.cli.failures import FAULT, Failure
from services.cli.front import Front, Shown
from services.cli.worker import Answers, Job, Word

log = structlog.get_logger()

_COMMAND: Final = (sys.executable, "-m", "services.cli.worker")
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
_STEADY_SECONDS: Final = 10.0
"""Who lived for so long did not die of its start: the next one is started after the shortest pause."""
_STOP_SECONDS: Final = 8.0
"""How long a worker may take to end before it is killed: it takes less if it works at all."""


async def overseen(job: Job, line: socket.socket, front: Front) -> None:
    """Runs as many workers as the settings of ``job`` say, on ``line``, until SIGINT or SIGTERM. One has the demo.

    Raises ``Failure`` if a worker ends before all have answered; later ones are started again, for ever.
    """
    workers = [
        Worker(number, replace(job, demo=job.demo and number == 1, number=number))
        for number in range(1, 1 + job.settings.workers)
    ]
    start, asked_to_stop = _Start(front, len(workers)), asyncio.Event()

    def stop() -> None:
        if asked_to_stop.is_set():  # who asks twice is in a hurry
            for worker in workers:
                worker.tell(signal.SIGTERM)
        asked_to_stop.set()

    when_asked_to_stop(stop)
    running = [asyncio.create_task(worker.run(start)) for worker in workers]
    beside = [asyncio.create_task(asked_to_stop.wait()), asyncio.create_task(logs.turn_pages())]
    try:
        await asyncio.wait({*running, beside[0]}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        line.close()  # whoever comes now is refused at once
        for task in (*running, *beside):
            task.cancel()
        ended = await asyncio.gather(*running, *beside, return_exceptions=True)
    for result in ended:
        if isinstance(result, Exception):
            raise result


class _Start:
    """Tells ``front`` when all of the workers are there for the first time."""

    def __init__(self, front: Front, workers: int) -> None:
        self._front = front
        self._workers = workers
        self._answering: set[int] = set()
        self._there: set[int] = set()
        self._shown: Shown | None = None

    @property
    def over(self) -> bool:
        return len(self._answering) == self._workers

    def hear(self, number: int, word: Word) -> None:
        if isinstance(word, Answers):
            before = self.over
            self._answering.add(number)
            if self.over and not before:
                self._front.answers()
        elif number not in self._there:
            self._there.add(number)
            self._shown = self._shown or word.shown
            if len(self._there) == self._workers:
                self._front.shows(self._shown)


class Worker:
    """A place among the workers, and the process that has it now."""

    def __init__(self, number: int, job: Job) -> None:
        self._number = number
        self._job = job
        self._process: Process | None = None

    def tell(self, number: signal.Signals) -> None:
        """Sends a signal to the process, if there is one."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def run(self, start: _Start) -> None:
        """Runs one process after another, until cancelled; then ends the last. Raises ``Failure`` if it ends before
        ``start`` is over.
        """
        clock, pause = asyncio.get_running_loop().time, _FIRST_PAUSE
        while True:
            began = clock()
            code = await self._once(start)
            mark_process_dead(self._number, self._job.figures)  # type: ignore[no-untyped-call]  # it has nothing open
            if not start.over:
                raise Failure(f"worker {self._number} ended before it answered", code if code > 0 else FAULT)
            pause = _FIRST_PAUSE if clock() - began > _STEADY_SECONDS else min(2 * pause, _LONGEST_PAUSE)
            log.error("a worker ended and is started again", worker=self._number, code=code, seconds=pause)
            await asyncio.sleep(pause)

    async def _once(self, start: _Start) -> int:
        """One process from start to end: its exit code. Signals of the terminal reach us and not it."""
        process = self._process = await asyncio.create_subprocess_exec(
            *_COMMAND, stdin=PIPE, stdout=PIPE, pass_fds=(self._job.line,), start_new_session=True
        )
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(msgspec.json.encode(self._job) + b"\n")
            async for line in process.stdout:
                start.hear(self._number, msgspec.json.decode(line, type=Word))
            return await process.wait()
        finally:
            if process.returncode is None:
                await self._end(process)

    async def _end(self, process: Process) -> None:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)  # a stopped one would not notice
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            log.warning("a worker did not end and is killed", worker=self._number, pid=process.pid)
            process.kill()
            await process.wait()
