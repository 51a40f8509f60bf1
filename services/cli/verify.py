"""``kibitz verify`` of a file: a bundle and receipts in, the report out. It needs no server and no settings."""

import json
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from services.audit import EXIT_CODES, Receipt, Report, verify
from services.audit.bundle import MOST_BYTES
from services.cli.failures import UNREADABLE, Failure

OUT = Console(highlight=False, soft_wrap=True)
STDIN: Final = "-"

_STYLES: Final = {"VALID": "bold green", "INCOMPLETE": "bold yellow"}
_SIGNS: Final = {True: "[green]ok[/]", False: "[red]FAIL[/]", None: "[yellow]not made[/]"}


def run(bundle: str, receipts: str | None, *, as_json: bool) -> int:
    """Verifies the bundle in that file, tells the report, and returns the exit code of its verdict."""
    if bundle == receipts == STDIN:
        raise Failure("the bundle and the receipts cannot both come from stdin", UNREADABLE)
    return tell(verify(_read(bundle), receipts_in(receipts)), as_json=as_json)


def receipts_in(name: str | None) -> list[Receipt]:
    """The receipts in a file; none without one. Raises ``Failure`` for a file that has anything else in it.

    The file is a JSON array, or has a JSON object a line: answers to moves as they came, or what was kept of them.
    """
    if name is None:
        return []
    try:
        text = _read(name).decode()
        values = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in _lines(text)]
        return [msgspec.convert(value, Receipt) for value in values]
    except (ValueError, RecursionError) as error:
        raise Failure(
            f"{name} has no receipts, which are objects with version and head: {error}", UNREADABLE
        ) from error


def tell(report: Report, *, as_json: bool) -> int:
    """Prints the report, for people or as JSON. Returns the exit code of its verdict."""
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report)).decode() + "\n")
        return EXIT_CODES[report.verdict]
    style = _STYLES.get(report.verdict, "bold red")
    OUT.print(f"[{style}]{report.verdict}[/]  {escape(report.game)}  {escape(report.match)}")
    OUT.print(f"{report.versions} events, head {report.head}\n")
    OUT.print(_checks(report))
    if report.hands:
        OUT.print(_hands(report))
    for limit in report.limits:
        OUT.print(f"[dim]note: {escape(limit)}[/]")
    return EXIT_CODES[report.verdict]


def _checks(report: Report) -> Table:
    table = Table("check", "", "event", "", box=None, pad_edge=False, header_style="dim")
    for check in report.checks:
        table.add_row(check.code, _SIGNS[check.ok], str(check.version or ""), escape(check.text))
    return table


def _hands(report: Report) -> Table:
    """Hands that stand alike one after another share a line."""
    table = Table("hands", "seats with a seed of their own", "", box=None, pad_edge=False, header_style="dim")
    rows: list[list[Any]] = []
    for hand in report.hands:
        told = [", ".join(map(str, hand.own)) or "none", "opened" if hand.opened else "not opened"]
        if rows and rows[-1][2:] == told:
            rows[-1][1] = hand.hand
        else:
            rows.append([hand.hand, hand.hand, *told])
    for first, last, own, opened in rows:
        table.add_row(str(first) if first == last else f"{first} to {last}", own, opened)
    return table


def _read(name: str) -> bytes:
    """What is in the file, or comes on stdin: one byte more than a verifier reads, at most."""
    try:
        if name == STDIN:
            return sys.stdin.buffer.read(MOST_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Failure(f"{name} cannot be read: {error.strerror or error}", UNREADABLE) from error


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
