"""``python -m tests.faults [F1 F4 ...] [--seed N]``: runs the scenarios, prints the table, fails if one of them did."""

import argparse
import asyncio
import signal
import sys

from tests.faults.catalogue import SCENARIOS
from tests.faults.trial import Result, run

HEAD = ("scenario", "acknowledged", "lost", "doubled", "holes", "leaked", "recovered s", "verdict", "notes")


def row(result: Result) -> tuple[str, ...]:
    counts = result.counts
    numbers = (counts.acknowledged, counts.lost, counts.doubled, counts.holes, counts.leaked)
    shown = ("-",) * 5 if result.not_run else tuple(map(str, numbers))
    recovered = "-" if result.not_run else f"{counts.recovered:.1f}"
    notes = result.not_run or "; ".join(
        [*result.notes, f"{counts.unknown} sent again", f"{counts.frames} frames", f"{result.seconds:.0f} s"]
    )
    return (f"{result.scenario.id} {result.scenario.title}", *shown, recovered, result.verdict, notes)


def print_table(results: list[Result]) -> None:
    lines = [HEAD, *map(row, results)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEAD) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*cells, line[-1]]).rstrip())


async def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="F", help=f"of {', '.join(SCENARIOS)}; all if none is named")
    parser.add_argument("--seed", type=int, default=1, help="of the clients' choices and of what befalls when")
    parser.add_argument("--short", action="store_true", help="fewer faults, as in make test")
    asked = parser.parse_args()
    unknown = [name for name in asked.scenarios if name not in SCENARIOS]
    if unknown:
        parser.error(f"there is no scenario {', '.join(unknown)}")
    me = asyncio.current_task()
    assert me is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, me.cancel)  # nothing that was started is left
    results = []
    try:
        for name in asked.scenarios or SCENARIOS:
            print(f"{name} {SCENARIOS[name].title} (seed {asked.seed}) ...", flush=True)
            results.append(await run(SCENARIOS[name], asked.seed, full=not asked.short))
            for complaint in results[-1].counts.complaints[:20]:
                print(f"    {complaint}", flush=True)
            print(f"    {results[-1].verdict} in {results[-1].seconds:.0f} s", flush=True)
    finally:
        print()
        print_table(results)
    return any(result.verdict == "FAILED" for result in results)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
