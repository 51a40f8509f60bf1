"""P2's client: moves that were chosen before, each posted as soon as the one before it is answered."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

from services.store.store import Store
from tests.bench.client import Line
from tests.bench.foreseen import Move, foreseen
from tests.bench.machine_room import look_through

GAME: Final = "whos-the-ass"
SEATS: Final = 4
_MOST: Final = 12_000
"""More moves than are answered in a second."""


async def posted_a_second(url: str, database: str, connections: int, seconds: float) -> float:
    """Acknowledged moves a second at one match for each connection.

    Raises ``AssertionError`` unless the store has each of them and everything in it is sound.
    """
    async with AsyncExitStack() as stack:
        store = await Store.connect(database)
        stack.push_async_callback(store.close)
        lines = [await stack.enter_async_context(Line(url)) for _ in range(connections)]
        tokens, matches = await started(lines)
        most = int(seconds * _MOST / connections)
        plans = [await foreseen(store, match, seed, most) for seed, match in enumerate(matches)]
        before = sum((await store.heads()).values())
        made, events, taken = await _made(lines, matches, plans, tokens, seconds)
        stored = sum((await store.heads()).values()) - before
        assert stored == events, f"{events} events were acknowledged, {stored} are in the store"
        await look_through(store, 4)
        return made / taken


async def started(lines: Sequence[Line]) -> tuple[list[str], list[str]]:
    """The tokens of four players, and a match of all of them that has just started, for each of ``lines``."""
    tokens = [(await lines[0].made("/v1/players", {"name": f"bench {seat}"}))["token"] for seat in range(SEATS)]

    async def one(line: Line) -> str:
        asked = {"game": GAME, "seats": SEATS, "options": {"games": 20}}
        match = str((await line.made("/v1/matches", asked, tokens[0]))["match"])
        for token in tokens:
            await line.made(f"/v1/matches/{match}/seats", {}, token)
        return match

    return tokens, list(await asyncio.gather(*map(one, lines)))


async def _made(
    lines: Sequence[Line],
    matches: Sequence[str],
    plans: Sequence[Sequence[Move]],
    tokens: Sequence[str],
    seconds: float,
) -> tuple[int, int, float]:
    """Moves that were acknowledged, the events that they led to, and the seconds that it took."""
    clock = time.perf_counter
    began, made, events = clock(), 0, 0

    async def keep_moving(line: Line, match: str, plan: Sequence[Move]) -> None:
        nonlocal made, events
        for move in plan:
            if clock() - began >= seconds:
                return
            status, answer = await line.post(
                f"/v1/matches/{match}/moves",
                move.body,
                Authorization=f"Bearer {tokens[move.seat]}",
                Idempotency_Key=f"{match}/{move.version}",
            )
            assert status == 200, answer
            assert b'"version":%d,' % move.after in answer, answer
            made, events = made + 1, events + move.after - move.version
        assert clock() - began >= seconds, "the moves have run out"

    await asyncio.gather(*map(keep_moving, lines, matches, plans))
    return made, events, clock() - began
