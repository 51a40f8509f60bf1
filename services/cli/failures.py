"""Errors as the command line shows them: one sentence that says what to do, and an exit code."""

import errno
import os
import sys
from collections.abc import Callable
from typing import Final

from services.embedded import EmbeddedError
from services.ids import is_id
from services.store.records import Unavailable

FAILED: Final = 1
USAGE: Final = 2
AWAY: Final = 3
UNKNOWN: Final = 4
UNREADABLE: Final = 5
NO_CITUS: Final = 6
WARNED: Final = 7
UNWELL: Final = 8
FAULT: Final = 70
INTERRUPTED: Final = 130

_SERVERS: Final = {
    "asyncpg": "the database",
    "sqlalchemy": "the database",
    "alembic": "the migration",
    "redis": "Redis",
}
"""By the library whose error it is. They are not imported here: most commands do without them."""
_DISK: Final = "the disk is full: free some space and start again; nothing that was acknowledged is lost"


class Failure(Exception):
    """Ends the command. ``code`` is its exit code."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code


def check_id(match: str) -> None:
    """Raises ``Failure`` for what cannot be the id of a match: there is no such match, either."""
    if not is_id(match):
        raise Failure(f"there is no match {match}: that is not the id of one", UNKNOWN)


def explained(error: BaseException) -> Failure:
    """What to tell about ``error``, whatever it is. A fault of Kibitz itself gets a code of its own."""
    match error:
        case Failure():
            return error
        case BaseExceptionGroup():
            return explained(error.exceptions[0])
        case Unavailable():
            return Failure(f"the store cannot answer now: {error}", AWAY)
        case EmbeddedError():
            return Failure(str(error))
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return Failure(_DISK)
        case ConnectionError() | TimeoutError():
            return Failure(f"a server does not answer: {str(error) or type(error).__name__}", AWAY)
        case OSError():
            return Failure(str(error))
        case _ if _library(error) in _SERVERS:
            return Failure(f"{_SERVERS[_library(error)]} refuses: {error}", AWAY)
        case _:
            return Failure(f"a fault in Kibitz, please report it: {type(error).__name__}: {error}", FAULT)


def told(work: Callable[[], object]) -> int:
    """Does ``work``. Its exit code; whatever goes wrong is said in one line on stderr."""
    try:
        code = work()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        asked = error.__cause__  # what a signal raises while a class is made, Python wraps up as an error of that
        if isinstance(asked, KeyboardInterrupt):
            return INTERRUPTED
        if isinstance(asked, SystemExit):
            raise asked from None
        failure = explained(error)
        sys.stderr.write(f"kibitz: {' '.join(str(failure).split())}\n")
        if failure.code == FAULT and os.environ.get("KIBITZ_TRACEBACK"):
            raise
        return failure.code
    return code if isinstance(code, int) else 0


def _library(error: BaseException) -> str:
    return type(error).__module__.partition(".")[0]
