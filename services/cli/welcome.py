"""What ``kibitz serve`` says when it is ready: where to look, and what to paste."""

import os
import shlex
import sys
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from services.cli.front import Shown
from services.settings import Settings


def say(console: Console, settings: Settings, url: str, shown: Shown | None, *, own_servers: bool) -> None:
    """``own_servers``: the data is in the data folder, which has nothing but the log if the servers are others'."""
    where = f"data in {_folder(settings)}" if own_servers else "data where KIBITZ_DATABASE_URL says"
    console.print(f"\n[bold]Kibitz {version('kibitz')} is ready on {url}[/bold]  ({where})\n")
    for name, text in _lines(settings, url, shown):  # not in a table: what is to be pasted must not be broken up
        console.print(f"  [dim]{name:<28}[/dim]{escape(text)}")
    console.print("\nCtrl-C stops everything.\n")


def _lines(settings: Settings, url: str, shown: Shown | None) -> list[tuple[str, str]]:
    lines = [
        ("play and watch in a browser", url),
        ("API, with a page to try it", f"{url}/docs"),
    ]
    if shown is not None:
        busy, over = shown.playing, shown.finished
        lines += [
            ("a bot table in a terminal", f"curl -N {url}/v1/matches/{busy}/stream"),
            ("a score sheet", f"{url}/v1/matches/{over}/score-sheet"),
            ("a replay in the terminal", f"{_command()} replay {over}{_data(settings)}"),
            ("an audit", f"{url}/v1/matches/{over}/audit"),
        ]
    return lines


def _command() -> str:
    """How this very command is called from where one is."""
    name = Path(sys.argv[0])
    relative = os.path.relpath(name)
    return shlex.quote(relative if len(relative) < len(str(name)) else str(name))


def _folder(settings: Settings) -> str:
    """The data folder, so that one sees that it is one."""
    there = Path(settings.data)
    return escape(str(there) if there.is_absolute() or there.parts[:1] == ("..",) else f"./{there}")


def _data(settings: Settings) -> str:
    return "" if settings.data == Settings().data else f" --data {shlex.quote(settings.data)}"
