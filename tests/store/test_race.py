"""Writers race on shared matches while a reader follows by position: one winner a version, nothing missed."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from services.ids import SHARDS, new_id
from services.store.records import Appended, Conflict, StoredEvent
from services.store.store import Store
from tests.store.matches import command, everything
from tests.store.racer import race

ROOT = Path(__file__).parents[2]


class Tail:
    """Follows every shard by position, as a projection does. ``holes`` counts pages that did not go on as they must."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.seen: list[StoredEvent] = []
        self.holes = 0
        self._at = dict.fromkeys(SHARDS, 0)

    async def follow(self, until: asyncio.Event) -> None:
        done = False
        while not done:
            done = until.is_set()  # asked before reading: the last round comes after the last append
            for shard in SHARDS:
                while page := await self.store.page(shard, self._at[shard], 7):
                    expected = range(self._at[shard] + 1, self._at[shard] + 1 + len(page))
                    self.holes += [event.pos for event in page] != list(expected)
                    self._at[shard] = page[-1].pos
                    self.seen += page


async def check(store: Store, tail: Tail, accepted: list[dict[str, int]]) -> None:
    stored = await everything(store)
    assert tail.holes == 0
    assert sorted(tail.seen, key=lambda event: (event.shard, event.pos)) == stored
    winners = {digest: version for writer in accepted for digest, version in writer.items()}
    assert len(winners) == sum(map(len, accepted))
    last_of_command = {event.cmd: (event.hash.hex(), event.version) for event in stored}
    assert dict(last_of_command.values()) == winners


@pytest.mark.fault(1, 3, 4, 10, 11, 12, 16, "F18")
async def test_eight_writers_of_two_stores_and_a_tailing_reader(store: Store, database_url: str):
    other, reading = await Store.connect(database_url), await Store.connect(database_url)
    matches = [new_id() for _ in range(6)]
    tail, over = Tail(reading), asyncio.Event()
    following = asyncio.create_task(tail.follow(over))

    results = await asyncio.gather(*(race((store, other)[k % 2], matches, 60, k) for k in range(8)))
    over.set()
    await following

    assert sum(conflicts for _, conflicts in results) > 0
    assert store.writer.lane.unknown == other.writer.lane.unknown == 0
    await check(store, tail, [accepted for accepted, _ in results])
    await other.close()
    await reading.close()


@pytest.mark.fault(1, 3, 4, 10, 11, 12, 16, "F18")
async def test_eight_writers_in_four_processes_and_a_tailing_reader(store: Store, database_url: str):
    matches = [new_id() for _ in range(6)]
    tail, over = Tail(store), asyncio.Event()
    following = asyncio.create_task(tail.follow(over))

    racers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.store.racer", database_url, "60", str(seed), *matches),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        for seed in range(1, 5)
    ]
    outputs = await asyncio.gather(*(racer.communicate() for racer in racers))
    over.set()
    await following

    assert [racer.returncode for racer in racers] == [0] * 4
    results = [writer for output, _ in outputs for writer in json.loads(output)]
    assert len(results) == 8
    assert sum(conflicts for _, conflicts in results) > 0
    await check(store, tail, [accepted for accepted, _ in results])


@pytest.mark.fault(4, 13, 27)
async def test_of_eight_racers_for_one_version_exactly_one_wins(store: Store, database_url: str):
    stores = [store, *[await Store.connect(database_url, pool_size=1) for _ in range(7)]]
    match = new_id()

    for _ in range(20):
        version, prev = await store.head(match) or (0, b"")
        moves = [command(match, version, prev, text=str(k)) for k in range(8)]

        answers = await asyncio.gather(*(own.append(move) for own, move in zip(stores, moves, strict=True)))

        assert sorted(answers, key=str) == [Appended(version + 1, version + 1), *[Conflict(version + 1)] * 7]

    assert len(await everything(store)) == 20
    for other in stores[1:]:
        await other.close()
