"""The benchmarks run: each measures something, checks its trials, and says what it found. None is timed by a test."""

import asyncio
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from domain.games import GAMES
from services.store.store import Store
from tests.bench import __main__ as bench
from tests.bench import calibration, hands, playouts, simulator, summary
from tests.bench.machine_room import look_through
from tests.bench.paired import Row, compared, in_turn
from tests.bench.scale import SHORT

ROOT = Path(__file__).parents[2]


def run(tmp_path: Path, *figures: str) -> dict:
    """What a short run keeps."""
    out = tmp_path / "latest.json"
    command = [sys.executable, "-m", "tests.bench", "--short", "--out", str(out), *figures]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(out.read_text())


@pytest.mark.parametrize(
    "figures", [("P1", "P2", "P6"), ("P4", "P7", "P8", "H"), ("P5", "P10"), ("P9",), ("P11",)], ids="-".join
)
def test_a_short_run_keeps_a_row_for_every_figure_that_was_asked_for(tmp_path: Path, figures: tuple[str, ...]):
    kept = run(tmp_path, *figures)
    assert {row["id"].rstrip("12") if row["id"][0] == "H" else row["id"] for row in kept["rows"]} == set(figures)
    assert kept["machine"]["loops"] > 0
    for row in kept["rows"]:
        assert {"id", "figure", "value", "unit", "reference", "ratio", "reached"} <= row.keys()
        assert math.isfinite(row["value"])
        assert row["value"] > 0 or row["id"] == "P10"  # so few feeds may find room in what was there before
        assert (row["ratio"] is None) == (row["reference"] == "")


def test_what_make_was_given_for_the_benchmarks_is_not_given_to_the_service_that_they_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ARGS", "--all")
    monkeypatch.setenv("MAKEFLAGS", " -- ARGS=--all")
    assert [row["id"] for row in run(tmp_path, "P11")["rows"]] == ["P11", "P11"]


def test_random_playouts_are_made_of_every_game():
    assert all(playouts.moves_a_second(game, SHORT.moves, 1) > 0 for game in GAMES.values())


def test_the_large_hands_are_what_they_are_said_to_be():
    ass, gifts = hands.eight_copies_and_jokers(), hands.three_gifts()
    assert len(GAMES["whos-the-ass"].legal(ass, ass.turn)) == 8 * 5 + 4 + 1
    assert len(GAMES["osel-three-against-one"].legal(gifts, gifts.due[0])) == 12 * 11 * 10


async def test_the_simulator_plays_the_same_matches_again_for_the_same_seed(fresh_database):
    plan, found = simulator.Plan(events=200, matches=12, seed=3), []
    for processes in (1, 2):
        url = fresh_database()
        loaded = await asyncio.to_thread(simulator.load, url, plan, processes)
        store = await Store.connect(url)
        stored = await look_through(store)
        assert (stored.events, stored.matches) == (loaded.events, 12)
        heads = [await store.head(match) for match in simulator.matches_of(plan)]
        found.append(heads)
        await store.close()
    assert found[0] == found[1]
    assert None not in found[0]


async def test_a_hole_in_the_store_fails_the_trial(fresh_database):
    url = fresh_database()
    await asyncio.to_thread(simulator.load, url, simulator.Plan(events=100, matches=4), 1)
    store = await Store.connect(url)
    shard, _ = max((await store.heads()).items(), key=lambda item: item[1])
    await store.pool.execute("update shard set head = head + 1 where shard = $1", shard)
    with pytest.raises(AssertionError, match=f"shard {shard} ends at"):
        await look_through(store)
    await store.close()


def test_figures_are_medians_of_rounds_in_which_both_take_turns():
    order: list[str] = []
    values = iter([4.0, 8.0, 6.0])

    def ours() -> float:
        order.append("A")
        return next(values)

    def reference() -> float:
        order.append("B")
        return 2.0

    assert in_turn(ours, reference, 3) == (6.0, 2.0, 3.0)
    assert "".join(order) == "ABABAB"


@pytest.mark.parametrize(
    ("ratio", "reached"), [(0.9, "missed"), (1.0, "must"), (1.9, "must"), (2.0, "aim"), (3.0, "aim")]
)
def test_a_ratio_is_held_against_must_and_aim(ratio: float, reached: str):
    assert compared((10, 5, ratio), id="P1", figure="", unit="", reference="x", must=1, aim=2).reached == reached


@pytest.mark.parametrize(("value", "reached"), [(51.0, "missed"), (50.0, "must"), (10.0, "aim")])
def test_of_a_time_less_is_better(value: float, reached: str):
    row = Row(id="P5", figure="", value=value, unit="ms", must=50, aim=10, held="value", at_most=True)
    assert row.reached == reached


def test_what_was_not_measured_has_no_value_and_reaches_nothing(tmp_path: Path):
    row = summary.unmeasured(bench.LONG)
    assert (row.value, row.reached) == (None, "-")


def test_the_page_of_a_day_has_every_row_that_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(summary, "DOCS", tmp_path)
    row = Row(id="P6", figure="a | b", value=7.25, unit="ms", must=20, aim=5, held="value", at_most=True)
    machine = calibration.machine()
    rows = [summary.Line.of(row), summary.Line.of(summary.unmeasured("P9"))]
    summary.keep(summary.Outcome(machine, machine, rows), tmp_path / "latest.json")
    page = summary.write(tmp_path / "latest.json")
    assert page.name == f"{machine.at[:10]}.md"
    text = page.read_text()
    assert machine.line in text
    assert "| P6 | a \\| b | 7.25 | ms |  |  |  | <= 20 | <= 5 | must |  |" in text
    assert "make bench ARGS=P9" in text
