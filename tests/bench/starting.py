"""P11: ``make serve`` on a machine that is set up: seconds from the command to the first answered request."""

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import psutil

from tests.bench.client import Line
from tests.bench.paired import Row
from tests.bench.scale import Scale
from tests.making import unmade
from tests.waiting import PATIENCE, free_port

ROOT: Final = Path(__file__).parents[2]
_ASKED: Final = "/v1/matches"


def started(data: Path) -> float:
    """Seconds until the lobby is answered; then the service is ended, with everything that it has started."""
    port = free_port()
    make = shutil.which("make")
    assert make is not None, "make serve needs make"
    settings = unmade() | {"KIBITZ_DATA": str(data), "PORT": str(port)}
    began = time.perf_counter()
    with subprocess.Popen(
        [make, "--no-print-directory", "serve"],
        cwd=ROOT,
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        try:
            asyncio.run(_answered(f"http://127.0.0.1:{port}", running))
            return time.perf_counter() - began
        finally:
            if running.poll() is None:
                for child in psutil.Process(running.pid).children():  # make waits for it; it ends what it has started
                    child.terminate()
            running.wait(PATIENCE)


async def _answered(url: str, running: "subprocess.Popen[bytes]") -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            assert running.poll() is None, f"make serve ended with {running.returncode}"
            try:
                async with Line(url) as line:
                    status, answer = await line.get(_ASKED)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.005)
                continue
            assert status == 200, answer
            return


def measure_starts(scale: Scale) -> Iterator[Row]:
    """Of a folder that has a database, and of an empty one, in turn."""
    again, first = [], []
    with TemporaryDirectory(prefix="kibitz-bench-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        started(home / "again")
        for number in range(scale.rounds):
            first.append(started(home / f"first-{number}"))
            again.append(started(home / "again"))
    for what, taken in (("as before", again), ("with an empty data folder", first)):
        yield Row(
            id="P11",
            figure=f"make serve, {what}, to the first answered request",
            value=median(taken),
            unit="s",
            must=5.0,
            aim=2.0,
            held="value",
            at_most=True,
            note=f"from {min(taken):.1f} to {max(taken):.1f} s",
        )
