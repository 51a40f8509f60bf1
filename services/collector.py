"""How often Python's garbage collector looks for cycles: it has nothing to do with what is stored, only with pauses."""

import gc
from typing import Final

_YOUNG: Final = 20_000
"""How many more objects there may be before the collector looks for cycles among them: a batch makes thousands."""


def collect_less() -> None:
    """For a process that has started: what is there now stays, so the collector need not look at it again, nor so often
    at what follows. Otherwise it goes through all modules and schemas every few requests, for 50 ms each time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 20, 50)
