"""How a command that works until it is asked to stop hears of that."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Final

_ASKING: Final = (signal.SIGINT, signal.SIGTERM)


def when_asked_to_stop(tell: Callable[[], object]) -> None:
    """From now on ``tell`` is called in the running loop at each SIGINT and SIGTERM; once that is closed they do
    nothing, since what was begun is brought to its end. (A loop's own handlers go with it: the next signal would kill
    us while we end the servers, and leave these.)
    """
    loop = asyncio.get_running_loop()

    def heard(*_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell)

    for number in _ASKING:
        signal.signal(number, heard)
