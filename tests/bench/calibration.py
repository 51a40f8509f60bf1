"""What machine this is: a line that makes figures of two runs comparable."""

import os
import platform
import time

import msgspec


class Machine(msgspec.Struct, frozen=True):
    """``loops`` are millions of empty loop turns a second of one core, by this Python."""

    system: str
    python: str
    processors: int
    loops: float


def machine() -> Machine:
    turns = 5_000_000
    started = time.perf_counter()
    for _ in range(turns):
        pass
    seconds = time.perf_counter() - started
    return Machine(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        processors=os.cpu_count() or 1,
        loops=round(turns / seconds / 1e6, 1),
    )
