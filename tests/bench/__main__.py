"""``python -m tests.bench [P1 P2 ...]``: measures, prints one table, and keeps it in build/bench/latest.json.

Not measured yet: P5 to P11. What open feeds cost (P5, P10) is asked of ``python -m tests.bench.open_feeds`` by itself.
"""

import argparse
import asyncio
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from services.embedded import Embedded
from tests.bench.calibration import Machine, machine
from tests.bench.engine import measure_engine
from tests.bench.machine_room import durability, servers
from tests.bench.paired import Row
from tests.bench.playouts import measure_folds, measure_playouts
from tests.bench.rest import measure_rest

FOLDER = Path("build/bench")
LOCK = "requirements-bench.lock"
FIGURES = ("P1", "P2", "P3", "P4")


class Outcome(msgspec.Struct, frozen=True):
    """One run: on what machine, and every figure."""

    machine: Machine
    rows: list[Row]


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


def measure(asked: argparse.Namespace) -> Iterator[Row]:
    rounds, seconds, moves = asked.rounds, asked.seconds, asked.moves
    alone: dict[str, Callable[[], Iterator[Row]]] = {
        "P3": lambda: measure_playouts(open_spiel(), rounds, moves),
        "P4": lambda: measure_folds(rounds, moves),
    }
    served: dict[str, Callable[[Embedded], Iterator[Row]]] = {
        "P1": lambda embedded: measure_engine(embedded, rounds, seconds),
        "P2": lambda embedded: measure_rest(embedded, rounds, seconds),
    }
    wanted = asked.figures or FIGURES
    if any(name in wanted for name in served):
        with servers() as embedded:
            print("PostgreSQL", asyncio.run(durability(embedded.database_url)))
            for name in filter(wanted.__contains__, served):
                yield from served[name](embedded)
    for name in filter(wanted.__contains__, alone):
        yield from alone[name]()


def shown(rows: list[Row]) -> Table:
    table = Table(title="figures of one run; what counts is the ratio")
    for name in ("id", "figure", "value", "unit", "reference", "its value", "ratio", "must", "aim", "reached"):
        table.add_column(name, justify="right" if name in ("value", "its value", "ratio", "must", "aim") else "left")
    for row in rows:
        numbers = (row.reference_value, row.ratio, row.must, row.aim)
        reference, ratio, must, aim = ("" if number is None else f"{number:,.2f}" for number in numbers)
        value = f"{row.value:,.0f}"
        table.add_row(row.id, row.figure, value, row.unit, row.reference, reference, ratio, must, aim, row.verdict)
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="P", help=f"of {', '.join(FIGURES)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=5, help="of ours and the reference in turn")
    parser.add_argument("--seconds", type=int, default=5, help="of each trial with servers")
    parser.add_argument("--moves", type=int, default=20_000, help="of each trial without")
    asked = parser.parse_args()
    unknown = [name for name in asked.figures if name not in FIGURES]
    if unknown:
        parser.error(f"there is no figure {', '.join(unknown)}")
    console = Console(width=160)
    before = machine()
    console.print(f"{before.system}, {before.processors} processors, {before.python}, {before.loops} million loops/s")
    rows = []
    for row in measure(asked):
        rows.append(row)
        console.print(f"{row.id} {row.figure}: {row.value:,.0f} {row.unit}, ratio {row.ratio or 0:.2f}")
    console.print(shown(rows))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "latest.json").write_bytes(msgspec.json.format(msgspec.json.encode(Outcome(before, rows))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
