"""One run as it is kept and shown: the file, the table, and the dated page in docs/bench."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from rich.table import Table

from tests.bench.calibration import Machine
from tests.bench.paired import Row

DOCS: Final = Path("docs/bench")
_HEAD: Final = ("id", "figure", "value", "unit", "reference", "its value", "ratio", "must", "aim", "reached", "note")
_NUMBERS: Final = ("value", "its value", "ratio", "must", "aim")


class Line(Row, frozen=True, kw_only=True):
    """A row with what was reached, in words."""

    reached_: str = msgspec.field(name="reached")

    @classmethod
    def of(cls, row: Row) -> "Line":
        return cls(**msgspec.structs.asdict(row), reached_=row.reached)


class Outcome(msgspec.Struct, frozen=True):
    """One run: the machine before and after it, and every figure."""

    machine: Machine
    after: Machine
    rows: list[Line]


def unmeasured(name: str) -> Row:
    """Stands for a figure that takes too long to be measured unasked."""
    return Row(
        id=name,
        figure="how P1, P6 and P7 change as the store grows",
        value=None,
        unit="",
        note="not measured in this run: make bench ARGS=P9, or ARGS=--all",
    )


def keep(outcome: Outcome, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(outcome)))


def number(value: float | None) -> str:
    """Whole where it is large, with three figures where it is not; empty for none."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cells(row: Line) -> tuple[str, ...]:
    numbers = [number(value) for value in (row.value, row.reference_value, row.ratio)]
    least = "<= " if row.at_most else ""
    asked = [f"{least}{number(line)}" if line is not None else "" for line in (row.must, row.aim)]
    value, against, ratio = numbers
    return row.id, row.figure, value, row.unit, row.reference, against, ratio, *asked, row.reached_, row.note


def table(outcome: Outcome) -> Table:
    shown = Table(title=f"{outcome.machine.line}; afterwards {outcome.after.loops}, load {outcome.after.load}")
    for name in _HEAD:
        shown.add_column(name, justify="right" if name in _NUMBERS else "left")
    for row in outcome.rows:
        shown.add_row(*cells(row))
    return shown


def write(path: Path) -> Path:
    """Writes the run that is kept at ``path`` to the page of its day, and says which that is."""
    outcome = msgspec.json.decode(path.read_bytes(), type=Outcome)
    day = outcome.machine.at[:10]
    lines = [
        f"# Figures of {day}",
        "",
        f"One run. The machine before it: {outcome.machine.line}.",
        f"After it: {outcome.after.loops} million loops/s, load {outcome.after.load}.",
        "[README.md](README.md) says what the columns mean and how to repeat it.",
        "",
        _barred(_HEAD),
        _barred("---:" if name in _NUMBERS else "---" for name in _HEAD),
        *(_barred(cell.replace("|", "\\|") for cell in cells(row)) for row in outcome.rows),
        "",
    ]
    page = DOCS / f"{day}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(lines), encoding="utf-8")
    return page


def _barred(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
