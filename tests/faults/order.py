"""The order of events under racing processes and sessions that stay: F18."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

import asyncpg

from services.ids import SHARDS, new_id
from services.store import batch
from services.store.store import Store
from tests.faults.checker import Counts
from tests.faults.trial import Scenario
from tests.faults.world import ROOT, World
from tests.store.matches import command, everything, match_in
from tests.store.test_race import Tail


async def races(seed: int, full: bool) -> tuple[Counts, list[str]]:
    """Eight processes race on a few matches while sessions stay in their transactions and a reader follows.

    Then two sessions: what one has not committed is neither read nor overtaken within its shard.
    """
    counts, processes, attempts = Counts(), 8 if full else 3, 400 if full else 40
    async with World(0) as world, AsyncExitStack() as stack:
        for statement in ("select count(*) from event", "select pg_current_xact_id()", "select pg_advisory_lock(1)"):
            stays = await world.connect()
            stack.push_async_callback(stays.close)
            await stays.execute(f"begin isolation level repeatable read; {statement}")
        store = await Store.connect(world.database_url)
        stack.push_async_callback(store.close)
        tail, over = Tail(store), asyncio.Event()
        following = asyncio.create_task(tail.follow(over))
        matches = [new_id() for _ in range(12)]
        racers = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.store.racer", world.database_url, str(attempts), f"{seed * 100 + k}"),
                *matches,
                cwd=ROOT,
                stdout=asyncio.subprocess.PIPE,
            )
            for k in range(1, processes + 1)
        ]
        outputs = await asyncio.gather(*(racer.communicate() for racer in racers))
        over.set()
        await following
        writers = [writer for output, _ in outputs for writer in json.loads(output)]
        accepted = {digest: version for own, _ in writers for digest, version in own.items()}
        stored = await everything(store)  # raises where a position or a version is missing, or a chain is broken
        seen = [event.hash for event in tail.seen]
        counts.acknowledged = len(accepted)
        counts.lost = len(accepted.keys() - {event.hash.hex() for event in stored})
        counts.doubled = len(seen) - len(set(seen))
        counts.holes = tail.holes + len({event.hash for event in stored} ^ set(seen))
        if counts.lost or counts.doubled or counts.holes or len(accepted) < sum(len(own) for own, _ in writers):
            counts.complain("I2", f"lost {counts.lost}, doubled {counts.doubled}, holes {counts.holes}")
        await _two_sessions(store, world.database_url, counts)
    conflicts = sum(lost for _, lost in writers)
    return counts, [f"{processes} processes, {conflicts} conflicts, {len(seen)} events followed"]


async def _two_sessions(store: Store, url: str, counts: Counts) -> None:
    shard, session = SHARDS[0], await asyncpg.connect(url)
    head = (await store.heads())[shard]
    slow, quick = command(match_in(shard)), command(match_in(shard))
    held = session.transaction()
    await held.start()
    await batch.send(session, [slow])
    waiting = asyncio.create_task(store.append(quick))
    await asyncio.sleep(0.5)
    if waiting.done() or await store.page(shard, head, 10):
        counts.complain("I2", "something was read or stored past an append that was not committed")
    await held.commit()
    await waiting
    if [event.match for event in await store.page(shard, head, 10)] != [slow.match, quick.match]:
        counts.complain("I2", "two appends are not in the order of their commits")
    await session.close()


SCENARIOS = [Scenario(id="F18", title="racing processes, sessions that stay, a reader that follows", alone=races)]
