"""The other end of ``readers``: a process with open feeds, asked now and then what has come."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import msgspec

from tests.bench.readers import Feed, Heard, Job


class Audience:
    def __init__(self, running: "subprocess.Popen[bytes]") -> None:
        self._running = running
        self.pid = running.pid

    def heard(self) -> Heard:
        """What has come to all feeds since the last time, and how many are open."""
        assert self._running.stdin is not None
        self._running.stdin.write(b"\n")
        self._running.stdin.flush()
        return self.listen()

    def listen(self) -> Heard:
        """The next line of what it says."""
        assert self._running.stdout is not None
        line = self._running.stdout.readline()
        assert line, f"the readers have ended with {self._running.wait()}"
        return msgspec.json.decode(line, type=Heard)


@contextmanager
def audience(url: str, feeds: Sequence[Feed]) -> Iterator[Audience]:
    """All ``feeds`` open, and answered, in a process of their own; closed on leaving."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    command = (sys.executable, "-m", "tests.bench.readers")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        try:
            assert running.stdin is not None
            running.stdin.write(msgspec.json.encode(Job(parts.hostname, parts.port, tuple(feeds))) + b"\n")
            running.stdin.flush()
            there = Audience(running)
            told = there.listen()
            assert told.open == len(feeds), f"of {len(feeds)} feeds {told.open} are open"
            yield there
        finally:
            running.terminate()
            running.wait()
