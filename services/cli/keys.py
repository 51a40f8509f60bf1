"""Single keys from a terminal, without waiting for the end of a line."""

import os
import re
import select
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

READ: Final = 256
NAMES: Final = {
    b"\x1b[C": "next", b" ": "next", b"n": "next", b"l": "next", b"\r": "next", b"\n": "next",
    b"\x1b[D": "back", b"p": "back", b"h": "back", b"\x7f": "back",
    b"]": "hand", b"\x1b[B": "hand", b"\x1b[6~": "hand",
    b"[": "hand back", b"\x1b[A": "hand back", b"\x1b[5~": "hand back",
    b"m": "mark", b"M": "mark back",
    b"\x1b[H": "first", b"\x1b[1~": "first", b"g": "first",
    b"\x1b[F": "last", b"\x1b[4~": "last", b"G": "last",
    b"a": "auto", b"+": "faster", b"=": "faster", b"-": "slower", b"s": "seat",
    b"q": "quit", b"\x1b": "quit", b"\x03": "quit", b"\x04": "quit",
}  # fmt: skip

ONE_KEY: Final = re.compile(rb"\x1b\[[0-9;]*[~A-Za-z]|.", re.DOTALL)

Reader = Callable[[float | None], str]


def named(pressed: bytes) -> list[str]:
    """The names of the keys in what a terminal sent at once. Keys without a name are left out."""
    return [NAMES[key] for key in ONE_KEY.findall(pressed) if key in NAMES]


@contextmanager
def keyboard() -> Iterator[Reader]:
    """Reads keys until the end of the block: ``read(seconds)`` gives a name of ``NAMES``, or ``""`` for none in time.

    The end of the input is ``quit``. Raises ``OSError`` where there is no terminal.
    """
    import termios  # noqa: PLC0415 - not on every system; the other commands work there
    import tty  # noqa: PLC0415

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    waiting: deque[str] = deque()  # keys that were pressed faster than they are read

    def read(seconds: float | None) -> str:
        if not waiting:
            ready, _, _ = select.select([file], [], [], seconds)
            if ready:
                pressed = os.read(file, READ)
                waiting.extend(named(pressed) if pressed else ["quit"])
        return waiting.popleft() if waiting else ""

    try:
        tty.setcbreak(file)
        yield read
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
