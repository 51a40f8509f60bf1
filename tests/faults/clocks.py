"""F13: one worker's wall clock is wrong, steps, and crosses the end of summer time."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults import record
from tests.faults.trial import NotRun, Scenario, Trial

STEPS = ("+0", "+3600", "-3600", "-1", "+0", "@2026-10-25 02:59:55", "+1")
"""An hour fast and slow, a second that comes twice, right, the night in which an hour comes twice, a leap second."""
OFF = 30.0
"""Seconds that an event's time may be off: far more than a commit under load takes, far less than the steps."""
PLACES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib")


def library() -> Path:
    """libfaketime for programs with threads. Raises ``NotRun`` where there is none."""
    named = os.environ.get("FAKETIME_LIBRARY")
    if named:
        return Path(named)
    for place in PLACES:
        for found in sorted(Path(place).glob("**/faketime/libfaketimeMT.so.1")):
            return found
    raise NotRun("libfaketime is not installed (Debian: apt install faketime; FAKETIME_LIBRARY names its library)")


@contextmanager
def fake_clock() -> Iterator[Path]:
    """A file that says how wrong the clock is."""
    library()
    with tempfile.TemporaryDirectory(prefix="kibitz-clock-") as folder:
        path = Path(folder) / "faketime"
        path.write_text("+0\n")
        yield path


async def wrong_clock(trial: Trial) -> None:
    """The order of a match is that of its versions, and its time never goes back, whoever wrote last."""
    path: Path = trial.ground
    wrong = trial.world.workers[-1]
    await wrong.end()
    await wrong.start(
        LD_PRELOAD=str(library()),
        FAKETIME_TIMESTAMP_FILE=str(path),
        FAKETIME_NO_CACHE="1",
        DONT_FAKE_MONOTONIC="1",
        FAKETIME_DONT_FAKE_MONOTONIC="1",
        TZ="Europe/Budapest",
    )
    for step in STEPS[: trial.times(len(STEPS), 3)]:
        path.write_text(f"{step}\n")  # noqa: ASYNC240 - a few bytes
        await trial.load.until(30)
        await asyncio.sleep(0.5)
    first, last = await _off(trial)
    trial.expect(first >= -OFF and last <= OFF, f"times of events are {first:.1f} to {last:+.1f} s off the commit")
    trial.note(f"steps {', '.join(STEPS)}; times of events from {first:.1f} s to {last:+.1f} s off the commit")


async def _off(trial: Trial) -> tuple[float, float]:
    """How far the times in the events are from the true times of their commits, in seconds: least and most."""
    found = await record.read(trial.world.database_url)
    off = [
        event.at / 1000 - found.committed[match][event.version]
        for match, events in found.events.items()
        for event in events
    ]
    return min(off), max(off)


SCENARIOS = [Scenario(id="F13", title="a worker whose clock is wrong", run=wrong_clock, around=fake_clock)]
