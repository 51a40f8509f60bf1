"""How a command hears that it is asked to stop: by what a signal raises, or in its event loop where it has one."""

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_ASKING: Final = (signal.SIGINT, signal.SIGTERM)
_FROM_OUTSIDE: Final = (signal.SIGTERM, signal.SIGHUP)
_AGAIN: Final = 0.02
"""Seconds."""


def heed() -> None:
    """From now on whoever ends this process from outside, or closes its terminal, raises ``SystemExit`` in it, as
    Ctrl-C raises ``KeyboardInterrupt``: the servers that a command has started are ended by it.
    """
    for number in _FROM_OUTSIDE:
        if signal.getsignal(number) is signal.SIG_DFL:  # and not one that is to be overheard
            signal.signal(number, _stop)
    sys.unraisablehook = _unheard


def ignore() -> None:
    """From now on nobody asks: it is over, and Python takes its time to end."""
    for number in (*_FROM_OUTSIDE, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


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


def _stop(number: int, _: FrameType | None) -> NoReturn:
    for each in _FROM_OUTSIDE:
        signal.signal(each, signal.SIG_IGN)  # what was begun is brought to its end
    raise SystemExit(128 + number)


def _unheard(what: "UnraisableHookArgs") -> None:
    """What a signal raises while an object goes (a module's lock after its import, for one) ends nothing: Python only
    says so. Then the signal comes again a moment later.
    """
    match what.exc_value:
        case SystemExit(code=int(code)) if code - 128 in _FROM_OUTSIDE:
            number = code - 128
            signal.signal(number, _stop)
        case KeyboardInterrupt():
            number = signal.SIGINT
        case _:
            sys.__unraisablehook__(what)
            return
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, _AGAIN)
