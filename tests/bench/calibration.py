"""What machine this is, and how quick it is now: a line that makes figures of two runs comparable."""

import os
import platform
import time
from datetime import UTC, datetime
from statistics import median

import msgspec

_TURNS = 5_000_000
_TRIES = 3


class Machine(msgspec.Struct, frozen=True):
    """``loops`` are millions of empty loop turns a second of one core, by this Python; ``load`` is that of the last
    minute: what others do here, when a run begins.
    """

    at: str
    system: str
    python: str
    processors: int
    loops: float
    load: float

    @property
    def line(self) -> str:
        return (
            f"{self.at}, {self.system}, {self.processors} processors, {self.python}, {self.loops} million loops/s, "
            f"load {self.load}"
        )


def machine() -> Machine:
    return Machine(
        at=datetime.now(UTC).isoformat(timespec="minutes"),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        processors=os.cpu_count() or 1,
        loops=round(median(_loops() for _ in range(_TRIES)), 1),
        load=round(os.getloadavg()[0], 2),
    )


def _loops() -> float:
    started = time.perf_counter()
    for _ in range(_TURNS):
        pass
    return _TURNS / (time.perf_counter() - started) / 1e6
