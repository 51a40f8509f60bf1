"""``python -m tests.bench [P1 P2 ...]``: measures, prints one table, and keeps it in build/bench/latest.json.

Without names it measures everything but P9, whose store takes many minutes to load, and says so: name P9, or give
``--all``. ``--summary`` measures nothing: it writes what was measured last to docs/bench/DATE.md.
"""

import argparse
import asyncio
import signal
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console

from services.embedded import Embedded
from tests.bench import summary
from tests.bench.audits import measure_audits
from tests.bench.calibration import machine
from tests.bench.engine import measure_engine
from tests.bench.feeds import measure_feeds
from tests.bench.growth import measure_growth
from tests.bench.hands import measure_hands
from tests.bench.machine_room import durability, servers
from tests.bench.memory import measure_memory
from tests.bench.paired import Row
from tests.bench.playouts import measure_folds, measure_playouts
from tests.bench.rebuilds import measure_rebuilds
from tests.bench.replays import measure_replays
from tests.bench.rest import measure_rest
from tests.bench.scale import SHORT, Scale
from tests.bench.starting import measure_starts

FOLDER = Path("build/bench")
LATEST = FOLDER / "latest.json"
LOCK = "requirements-bench.lock"

SERVED: dict[str, Callable[[Embedded, Scale], Iterator[Row]]] = {
    "P1": measure_engine,
    "P2": measure_rest,
    "P6": measure_replays,
    "P7": measure_rebuilds,
    "P10": measure_memory,
}
"""What is measured on servers that all of these share, each on databases of its own."""
ALONE: dict[str, Callable[[Scale], Iterator[Row]]] = {
    "P3": lambda scale: measure_playouts(open_spiel(), scale),
    "P4": measure_folds,
    "P5": measure_feeds,
    "P8": measure_audits,
    "P9": measure_growth,
    "P11": measure_starts,
    "H": measure_hands,
}
FIGURES = (*(f"P{number}" for number in range(1, 12)), "H")
LONG = "P9"


def open_spiel() -> Path:
    """The Python of an environment that has OpenSpiel, made by the first run: nothing of Kibitz needs it."""
    home = FOLDER / "venv"
    python = home / "bin" / "python"
    if not (home / LOCK).exists():
        venv.create(home, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", LOCK]
        subprocess.run(command, check=True)
        (home / LOCK).touch()
    return python


def measure(wanted: list[str], scale: Scale, console: Console) -> Iterator[Row]:
    if any(name in wanted for name in SERVED):
        with servers() as embedded:
            said = asyncio.run(durability(embedded.database_url))
            console.print("PostgreSQL", ", ".join(f"{name} {value}" for name, value in said.items()))
            for name in filter(wanted.__contains__, SERVED):
                yield from SERVED[name](embedded, scale)
    for name in filter(wanted.__contains__, ALONE):
        yield from ALONE[name](scale)


def scaled(asked: argparse.Namespace) -> Scale:
    given = {name: getattr(asked, name) for name in Scale.__struct_fields__ if getattr(asked, name) is not None}
    return replace(SHORT if asked.short else Scale(), **given)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="P", help=f"of {', '.join(FIGURES)}; all but P9 if none is named")
    parser.add_argument("--all", action="store_true", help="P9, too: 2 million events are loaded first")
    parser.add_argument("--short", action="store_true", help="only to see that it runs: the figures mean nothing")
    parser.add_argument("--out", type=Path, default=LATEST, help="where the table is kept")
    parser.add_argument("--summary", action="store_true", help="write the table that is kept to docs/bench/DATE.md")
    for name in Scale.__struct_fields__:
        parser.add_argument(f"--{name}", type=Scale.__annotations__[name], help=f"[default: {getattr(Scale(), name)}]")
    asked = parser.parse_args()
    unknown = [name for name in asked.figures if name not in FIGURES]
    if unknown:
        parser.error(f"there is no figure {', '.join(unknown)}")
    console = Console(width=200)
    if asked.summary:
        console.print(f"written: {summary.write(asked.out)}")
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # nothing that was started is left
    wanted = asked.figures or [name for name in FIGURES if name != LONG or asked.all]
    before = machine()
    console.print(before.line)
    rows = []
    for row in measure(wanted, scaled(asked), console):
        rows.append(row)
        console.print(f"{row.id} {row.figure}: {summary.number(row.value)} {row.unit} ({row.reached})", markup=False)
    rows.sort(key=lambda row: FIGURES.index(row.id) if row.id in FIGURES else len(FIGURES))
    if not asked.figures and not asked.all:
        rows.append(summary.unmeasured(LONG))
    outcome = summary.Outcome(before, machine(), [summary.Line.of(row) for row in rows])
    console.print(summary.table(outcome))
    summary.keep(outcome, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
