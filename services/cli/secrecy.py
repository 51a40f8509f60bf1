"""What a log line must not say, and does not: the last guard before a line is written.

The lines of Kibitz are written so that there is nothing to guard: ids, routes, numbers, words of ours. What goes wrong
is another matter. What an exception says may be the card that was not in the hand, or the row that PostgreSQL would not
take. So an exception is told by its class and by where it happened, and what it says only if it comes from a server or
the system; and lines from ``warning`` on, and those of libraries, are looked through for what looks like a secret.
"""

import re
import sys
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Any, Final

from structlog.types import EventDict

from services.embedded import EmbeddedError
from services.store.records import Unavailable

HIDDEN: Final = "(hidden)"
"""What stands for what is left out."""

_ROOT: Final = Path(__file__).parents[2]
_SPEAKING: Final = (OSError, Unavailable, EmbeddedError)
"""Whose words come from a server or the system, never from a hand or a request."""
_DEEPEST: Final = 12
"""How many of the innermost calls are told."""
_CHAINED: Final = 4
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43,}={0,2}|(?<![0-9a-fA-F])[0-9a-fA-F]{64,}(?![0-9a-fA-F])")
"""32 bytes or more in base64url or hexadecimal: tokens, secrets, seeds, and hashes with them."""
_SALT: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?=[a-z0-9_-]*[A-Z])(?=[A-Z0-9_-]*[a-z])(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])"
)
"""16 bytes in base64url, unless by chance they look like a word."""
_CARD: Final = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9JQKA])[SHDC](?![A-Za-z0-9])|\bASS\b")
_DETAIL: Final = re.compile(r"\s*(?:DETAIL|Failing row|Key \().*", re.DOTALL)
"""Where PostgreSQL begins to show rows."""
_QUIET: Final = frozenset({"debug", "info"})
_OURS: Final = frozenset({"exception", "logger", "_record", "_from_structlog"})
"""What has no words of others, or none any more."""


def without_words(_: object, __: str, line: EventDict) -> EventDict:
    """A processor of structlog: puts ``exception`` in the place of ``exc_info``."""
    given = line.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        line["exception"] = told(error)
    return line


def told(error: BaseException) -> str:
    """An exception by its class and by where it happened, and those behind it; what it says only if it may be said."""
    lines: list[str] = []
    behind: BaseException | None = error
    while behind is not None and len(lines) < _CHAINED:
        words = f": {hidden(_first_line(str(behind)))}" if isinstance(behind, _SPEAKING) else _state_of(behind)
        lines.append(f"{type(behind).__name__}{words} at {_where(behind.__traceback__)}")
        behind = behind.__cause__ or (None if behind.__suppress_context__ else behind.__context__)
    return "; after ".join(lines)


def _state_of(error: BaseException) -> str:
    state = getattr(error, "sqlstate", None)  # the code of an error of PostgreSQL
    return f" {state}" if isinstance(state, str) else ""


def _where(trace: TracebackType | None) -> str:
    calls = [f"{_place(frame.f_code.co_filename)}:{line} {frame.f_code.co_name}" for frame, line in walk_tb(trace)]
    return " < ".join(reversed(calls[-_DEEPEST:])) or "no place"


def _place(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_ROOT)) if path.is_relative_to(_ROOT) else "/".join(path.parts[-2:])


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def looked_through(_: object, __: str, line: EventDict) -> EventDict:
    """A processor of structlog: hides, in lines from ``warning`` on, whatever looks like a secret or a card."""
    return line if line.get("level") in _QUIET else _looked_through(line)


def foreign(_: object, __: str, line: EventDict) -> EventDict:
    """The same for a line of a library, whatever its level; of the first line only: asyncio shows exceptions behind."""
    return _looked_through({**line, "event": _first_line(str(line["event"]))})


def _looked_through(line: EventDict) -> EventDict:
    return {name: value if name in _OURS else hidden(value) for name, value in line.items()}


def hidden(value: Any) -> Any:
    """``value`` without what looks like a secret, a card, or a row of a table."""
    if isinstance(value, str):
        found = _DETAIL.sub("", value)
        for pattern in (_SECRET, _SALT, _CARD):
            found = pattern.sub(HIDDEN, found)
        return found
    return value if isinstance(value, int | float | None) else HIDDEN
