"""A table as text for a terminal. It knows no game: what a view has for each seat is a column, the rest a line each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from services.cli.frame import Frame
from services.cli.source import Index, Step

SUITS: Final = {"S": ("♠", "bold"), "H": ("♥", "bold red"), "D": ("♦", "red"), "C": ("♣", "bold green")}
PLAIN: Final = {"J": ("joker", "bold magenta"), "ASS": ("ASS", "bold white on red")}
CARD: Final = re.compile(r"(10|[2-9JQKA])([SHDC])|[1-9]|1[0-3]|J|ASS")
ALREADY_SHOWN: Final = ("totals", "winners", "turn")
KEYS: Final = ("→ ← event", "] [ hand", "m M mark", "Home End", "a play", "+ - speed", "s seat", "q quit")


def card(name: str) -> Text:
    if name in PLAIN:
        return Text(*PLAIN[name])
    if name[-1] in SUITS:
        sign, style = SUITS[name[-1]]
        return Text(name[:-1] + sign, style)
    return Text(name, "bold cyan")


def cards(names: Iterable[str]) -> Text:
    return Text(" ").join(card(name) for name in names)


def shown(value: Any) -> Text:
    """Any value of a view: cards as cards, what is not there as a dash, groups with dots between, of a record its
    fields that say something.
    """
    match value:
        case None | "" | []:
            return Text("-", "dim")
        case bool():
            return Text("yes" if value else "no")
        case list() if all(isinstance(item, str) and CARD.fullmatch(item) for item in value):
            return cards(value)
        case list():
            return Text(" · ", "dim").join(shown(item) for item in value)
        case dict():
            return Text(", ").join(_entry(key, item) for key, item in value.items() if says_something(item))
        case str() if CARD.fullmatch(value) and not value.isdigit():
            return card(value)
        case _:
            return Text(str(value))


def says_something(value: Any) -> bool:
    """Whether a field of a view is worth a word. 0 is: it may be a seat."""
    return value is not None and value is not False and value not in ("", [], {})


def _entry(name: str, value: Any) -> Text:
    return Text(label(name), "dim") if value is True else Text.assemble((f"{label(name)} ", "dim"), shown(value))


def label(name: str) -> str:
    return name.replace("_", " ")


def columns(step: Step, seat: str) -> dict[str, list[Any]]:
    """What the game's view has for each seat: lists of groups or numbers with one for each, what says whose it is,
    and the cards of the seat through whose eyes one looks.
    """
    view, count = step.table.get("table") or {}, len(step.table["seats"])
    found: dict[str, list[Any]] = {}
    for name, value in view.items():
        match value:
            case [{"seat": int()}, *_]:
                found[name] = [[] for _ in range(count)]
                for entry in value:
                    found[name][entry["seat"]].append({key: part for key, part in entry.items() if key != "seat"})
            case [list() | int(), *_] if len(value) == count and name not in ALREADY_SHOWN:
                found[name] = value
            case [str(), *_] if name == "hand" and seat.isdigit():
                found[name] = [value if row == int(seat) else None for row in range(count)]
            case _:
                pass
    return found


def seats(step: Step, names: Sequence[str], seat: str) -> Table:
    """One row for each seat: who is due, the name, and every column that the game's view has for each seat."""
    table = step.table
    per_seat = columns(step, seat)
    grid = Table(expand=True, box=None, padding=(0, 1), header_style="dim")
    banks = bank_column(table)
    for heading in ("", "seat", "player", *banks, *map(label, per_seat), "points"):
        grid.add_column(heading, overflow="fold", justify="right" if heading in ("seat", "bank", "points") else "left")
    due, winners = table.get("to_act", ()), table.get("winners", ())
    for row, sitting in enumerate(table["seats"]):
        sign = Text("★", "yellow") if row in winners else Text("▶", "green") if row in due else Text("")
        name = names[row] if sitting["player"] else "(free)"
        who = Text(name, "" if sitting["player"] else "dim")
        if sitting.get("resigned"):
            who.append(" resigned", "red")
        cells = [*(bank[row] for bank in banks.values()), *(shown(value[row]) for value in per_seat.values())]
        grid.add_row(sign, str(row), who, *cells, str(table["scores"][row]))
    return grid


def bank_column(table: Mapping[str, Any]) -> dict[str, list[Text]]:
    """What each seat's bank has left, in minutes and seconds; nothing where clocks have none."""
    clock = table.get("clock") or {}
    if not clock.get("bank_seconds"):
        return {}
    left = [entry["bank_ms"] // 1000 for entry in clock["seats"]]
    return {"bank": [Text(f"{seconds // 60}:{seconds % 60:02}", "" if seconds else "red") for seconds in left]}


def facts(step: Step, seat: str) -> Text:
    """What the game's view has for the table as a whole; what it leaves empty is left out."""
    view, per_seat = step.table.get("table") or {}, columns(step, seat)
    parts = [
        Text.assemble((f"{label(name)} ", "dim"), shown(value))
        for name, value in view.items()
        if name not in per_seat and name not in ALREADY_SHOWN and says_something(value)
    ]
    return Text("   ").join(parts)


def screen(match: str, index: Index, step: Step, names: Sequence[str], seat: str, status: str) -> RenderableType:
    """The whole screen for one step of a match. However small it is, the sentence and the keys stay on it."""
    table = step.table
    who = {"public": "as the public saw it", "all": "all cards"}.get(seat, f"as seat {seat} saw it")
    title = f"{table['game']}  {match}"
    head = Text.assemble(
        (f"event {step.version} of {index.versions}", "bold"),
        f"   hand {table.get('hand', 0)}   {table['status']}   ",
        (who, "dim"),
        ("   " + status if status else "", "green"),
    )
    bar = ProgressBar(total=max(1, index.versions), completed=step.version)
    return Frame(
        title=title,
        head=Group(head, bar),
        middle=Group(seats(step, names, seat), Text(""), facts(step, seat)),
        foot=Text(step.text, "bold yellow"),
        keys=KEYS,
    )


def page(step: Step, names: Sequence[str], seat: str) -> RenderableType:
    """One step below the other, for a pipe or ``--all``."""
    line = Text.assemble((f"#{step.version}  ", "dim"), (step.text, "bold"))
    return Group(line, seats(step, names, seat), facts(step, seat), Text(""))
