"""Strangers with seeds of their own play every game over HTTP, and audit it with both verifiers, as they would: from a
file, each verifier in a process of its own.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from tests.api.conftest import Service
from tests.api.guests import Table, ok, seated_table
from tests.audit.bundles import ROOT
from tests.audit.in_node import VERIFY, executable

SHORT: dict[str, dict[str, Any]] = {
    "whos-the-ass": {"games": 1},
    "spades-two": {"target": 100, "max_hands": 1},
    "osel-fours": {"target": 5, "max_hands": 2, "max_circuits": 5},
}
MOVES_AT_MOST = 60
CLOCKS: tuple[dict[str, Any] | None, ...] = (None, {"turn_seconds": 60, "bank_seconds": 60})


async def printed(*command: str | Path) -> tuple[int | None, str]:
    """The exit code of a process, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    told, _ = await process.communicate()
    return process.returncode, told.decode()


async def play(table: Table) -> int:
    """First legal moves, so many of them; then all but one give up."""
    for count in range(MOVES_AT_MOST):
        if (await table.seen())["status"] != "playing":
            return count
        await table.step(count)
    for who in table.guests:
        if (await table.seen())["status"] == "playing":
            ok(await who.post(f"{table.path}/resign"))
    return MOVES_AT_MOST


@pytest.mark.parametrize("clock", CLOCKS, ids=["no clock", "a bank"])
@pytest.mark.parametrize("game", GAMES)
async def test_a_match_of_strangers_is_valid_by_both_verifiers(
    service: Service, game: str, clock: dict[str, Any] | None, tmp_path: Path
):
    seats = GAMES[game].seats[0]
    timed = {} if clock is None else {"clock": clock}
    options = {"options": SHORT[game]} if game in SHORT else {}
    table = await seated_table(service.http, seats, own_seeds=True, game=game, **options, **timed)
    moves = await play(table)
    assert (await table.seen())["status"] in ("finished", "abandoned")
    file = tmp_path / "bundle.json"
    file.write_bytes((await service.http.get(f"{table.path}/audit/bundle")).content)

    code, told = await printed(sys.executable, "-m", "services.cli", "verify", file)
    assert code == 0, told
    assert "VALID" in told
    if (node := executable()) is not None:
        code, said = await printed(node, VERIFY, file)
        assert code == 0, said
        own = f"seeds of their own from seats {', '.join(map(str, range(seats)))}"
        assert own in said, said
        print(f"{game}, clock {clock}: {moves} moves, {said.splitlines()[-1]}")
    audit = ok(await service.http.get(f"{table.path}/audit"))
    assert audit["verdict"] == "VALID"
    assert audit["hands"], "every hand is named with the seats that brought a seed of their own"
    assert all(hand["own"] == list(range(seats)) for hand in audit["hands"])
