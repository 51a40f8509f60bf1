"""A writer among others on the same matches: in a process of its own (``python -m tests.store.racer``) or a task."""

import asyncio
import json
import random
import sys
from collections.abc import Sequence

from services.store.records import Appended
from services.store.store import Store
from tests.patience import patient
from tests.store.matches import command


async def race(store: Store, matches: Sequence[str], attempts: int, seed: int) -> tuple[dict[str, int], int]:
    """Appends to matches picked by ``seed``: the last hash of every accepted command with its version; conflicts."""
    pick = random.Random(seed)
    accepted: dict[str, int] = {}
    conflicts = 0
    for attempt in range(attempts):
        match = pick.choice(matches)
        version, prev = await store.head(match) or (0, b"")
        await asyncio.sleep(0)
        move = command(match, version, prev, count=pick.randint(1, 3), text=f"{seed}/{attempt}")
        answer = await store.append(move)
        if isinstance(answer, Appended):
            assert answer.version == version + len(move.events)
            accepted[move.events[-1].hash.hex()] = answer.version
        else:
            assert answer.version > version
            conflicts += 1
    return accepted, conflicts


async def main(url: str, attempts: int, seed: int, matches: Sequence[str]) -> None:
    with patient():
        store = await Store.connect(url, pool_size=2)
        results = await asyncio.gather(*(race(store, matches, attempts, 100 * seed + k) for k in range(2)))
        await store.close()
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
