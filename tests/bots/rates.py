"""How often heuristic bots win against random ones: ``python -m tests.bots.rates [--matches 400] [GAME ...]``.

Prints a line for each table and exits with 1 if a rate is not clearly above the fair share.
"""

import argparse
import sys
from collections.abc import Mapping
from statistics import median
from typing import Final

from tests.bots.table import Rate, Table, rate

TABLES: Final[Mapping[str, Mapping[str, Table]]] = {
    "whos-the-ass": {
        "two of four": Table(4, (0, 2)),
        "one against five": Table(6, (0,)),
    },
    "spades-two": {"one against one": Table(2, (0,))},
    "osel-fours": {
        "two of four": Table(4, (0, 2)),
        "one against one, five fours": Table(2, (0,), {"target": 5}),
    },
    "osel-trumps": {
        "one against two": Table(3, (0,)),
        "pair against pair": Table(4, (0, 2), {"teams": "pairs"}),
        "two of four, trumps for all": Table(4, (0, 1), {"trump_option": 3}),
    },
    "osel-two-against-one": {
        "one against two": Table(3, (0,)),
        "one against two, variant 2": Table(3, (0,), {"variant": 2}),
    },
    "osel-three-against-one": {
        "two of four": Table(4, (0, 1)),
        "one against three, variant 2": Table(4, (0,), {"variant": 2}),
    },
}
"""Who plays against whom, by game. Heuristic bots move on by one seat from match to match."""

MARGIN: Final = 0.25
"""So far above the fair share a rate has to be."""


def line(game: str, name: str, found: Rate) -> str:
    return (
        f"{game}, {name}: {found.won:g} of {found.matches} matches won, {found.rate:.1%} (fair: {found.fair:.1%}); "
        f"hands: median {median(found.hands):g}, most {max(found.hands)}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(TABLES)}; all if none is named")
    parser.add_argument("--matches", type=int, default=400)
    asked = parser.parse_args()
    if unknown := set(asked.games) - set(TABLES):
        parser.error(f"no such game: {', '.join(sorted(unknown))}")
    clear = True
    for game in asked.games or TABLES:
        for name, table in TABLES[game].items():
            found = rate(game, table, asked.matches)
            clear = clear and found.rate >= found.fair + MARGIN
            print(line(game, name, found), flush=True)
    return 0 if clear else 1


if __name__ == "__main__":
    sys.exit(main())
