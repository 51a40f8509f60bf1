"""``kibitz shuffles``: the tests of the shuffle as a table, and whether one of them is out of the ordinary."""

import sys
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from domain.games import GAMES
from services.audit.shuffles import ShuffleTest, shuffle_tests
from services.cli.failures import FAILED, USAGE, Failure

LEVEL: Final = 0.001
"""The chance that fair shuffles fail: of all tests together, so each has its share of it."""

_NAMES: Final = {("whos-the-ass", 1, 3): "place of the ass"}

OUT = Console(highlight=False, soft_wrap=True, width=110)


def run(seed: str, decks: int, game: str | None, *, as_json: bool) -> int:
    """Makes the tests and tells them. Returns 0 if all are in the ordinary, else 1."""
    if game is not None and game not in GAMES:
        raise Failure(f"there is no game {game}; there are {', '.join(GAMES)}", USAGE)
    try:
        found = list(shuffle_tests(seed, decks, [game] if game else ()))
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    level = LEVEL / len(found)
    unlikely = [test for test in found if test.p < level]
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
    else:
        OUT.print(_table(found, level))
        OUT.print(
            f"{len(found)} tests over {decks} decks each from seed {seed}; {len(unlikely)} with p below {level:.2g}"
        )
    return FAILED if unlikely else 0


def _table(found: list[ShuffleTest], level: float) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("game", "draw", "what was shuffled", "counted", "chi-square", "freedom", "p"):
        table.add_column(column, no_wrap=True)
    for test in found:
        counted = "top" if test.top else "all places"
        style = "bold red" if test.p < level else ""
        figures = f"{test.statistic:.1f}", str(test.freedom), f"{test.p:.4f}"
        table.add_row(test.game, str(test.draw), _what(test), counted, *figures, style=style)
    return table


def _what(test: ShuffleTest) -> str:
    listed = f"{test.items[0]} to {test.items[-1]}, {len(test.items)}"
    name = _NAMES.get((test.game, test.draw, test.list))
    return f"{name} ({listed})" if name else listed
