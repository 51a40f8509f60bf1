"""Redis that dies, hangs, lies; networks that part a worker from its servers: F8, F9, F10."""

import asyncio
import os
import signal
import time

from redis.asyncio import Redis

from services.feed.feed import CHANNEL
from tests.faults.record import COMMITS
from tests.faults.trial import Scenario, Trial
from tests.faults.wire import Wire
from tests.waiting import PATIENCE

POLL = 2.0
"""Seconds after which an open stream looks for itself."""
SLACK = 3.0
"""Seconds that two busy cores may add to that."""


async def redis_dies(trial: Trial) -> None:
    """Commands are accepted as before, streams are late by a poll at most, and the feed is there again afterwards."""
    valkey, seconds = trial.world.servers.valkey, trial.times(60, 4)
    before = await _pace(trial, 3)
    os.kill(valkey.pid, signal.SIGKILL)
    begun = time.time()
    during = await _pace(trial, seconds)
    ended = time.time()
    await trial.world.revive()
    await _feeds_up(trial)
    trial.note(f"{before:.0f} commands/s with Redis, {during:.0f} without it for {seconds} s")
    trial.expect(during > 0, "no command was accepted without Redis")

    async with Redis.from_url(trial.world.servers.redis_url, socket_timeout=PATIENCE) as redis:
        for _ in range(trial.times(5, 2)):
            await redis.client_kill_filter(_type="pubsub")
            await trial.load.until(5)
            await _feeds_up(trial)
        await redis.execute_command("CLIENT", "PAUSE", trial.times(8000, 2000))
        await trial.load.until(10)
        await _feeds_up(trial)
        await redis.config_set("client-output-buffer-limit", "pubsub 32kb 16kb 1")
        for _ in range(trial.times(40, 5)):
            async with redis.pipeline(transaction=False) as pipe:
                for version in range(5000):
                    pipe.publish(CHANNEL, f"nobody {version}")
                await pipe.execute()
        await trial.load.until(10)
        await _feeds_up(trial)
    trial.over()
    late = await _lateness(trial, begun, ended)
    if late:
        trial.note(f"frames without Redis late by {late[len(late) // 2]:.2f} s (half), {late[-1]:.2f} s (most)")
        trial.expect(late[-1] <= POLL + SLACK, f"a stream was {late[-1]:.1f} s late")


async def _pace(trial: Trial, seconds: float) -> float:
    """Acknowledged commands a second."""
    before = trial.load.journal.acknowledged
    await asyncio.sleep(seconds)
    return (trial.load.journal.acknowledged - before) / seconds


async def _feeds_up(trial: Trial) -> None:
    """Until every worker is told of the others' news again."""
    latest = time.monotonic() + PATIENCE
    for worker in trial.world.answering():
        while (await worker.metrics())["kibitz_feed_connected"] != 1:
            if time.monotonic() > latest:
                trial.fail(f"the feed of worker {worker.number} does not come back")
                return
            await asyncio.sleep(0.1)


async def _lateness(trial: Trial, begun: float, ended: float) -> list[float]:
    """How late frames of streams that were open already came between two moments, sorted."""
    moments = {(str(match), version): at for match, version, at in await trial.world.sql(COMMITS)}
    return sorted(
        frame.at - moments[feed.match, frame.id]
        for feed in trial.load.journal.feeds
        for frame in feed.frames
        if feed.connections == 1
        and begun < frame.at < ended
        and moments[feed.match, frame.id] > max(begun, feed.frames[0].at)
    )


async def redis_lies(trial: Trial) -> None:
    """Emptied, full of things of the wrong type, and talkative: nothing that Redis says decides a move."""
    async with Redis.from_url(trial.world.servers.redis_url, socket_timeout=PATIENCE) as redis:
        trial.expect(await redis.dbsize() == 0, "something was kept in Redis")
        for _ in range(trial.times(20, 4)):
            await redis.flushall()
            for name in (CHANNEL, "kibitz", "presence", *(f"match:{match}" for match in trial.load.matches)):
                await redis.delete(name)
                await redis.lpush(name, "of", "the", "wrong", "type")
            for match in trial.load.matches:
                for word in (f"{match} 999999", f"{match} 0", f"{match} -1", f"{match} x", f"{match}", "", "\x00 1"):
                    await redis.publish(CHANNEL, word)
            await redis.publish(CHANNEL, b"\xff\xfe 12")
            await trial.load.until(5)
        await redis.flushall()
    trial.over()
    await _feeds_up(trial)


async def networks_part(trial: Trial) -> None:
    """Each worker in turn from PostgreSQL and from Redis: both ways, one way, cut, refused, slow."""
    done = []
    for _ in range(trial.times(2, 1)):
        for worker in trial.world.workers:
            assert isinstance(worker.database, Wire)
            for name, wire in (("PostgreSQL", worker.database), ("Redis", worker.redis)):
                for ways in (("to_server", "to_client"), ("to_server",), ("to_client",)):
                    wire.freeze(*ways)
                    await asyncio.sleep(trial.times(12, 1) if len(ways) == 1 else trial.times(6, 1))
                    wire.thaw()
                    await trial.load.until(3)
                wire.refused = True
                wire.cut()
                await asyncio.sleep(trial.times(4, 1))
                wire.refused = False
                await trial.load.until(3)
                done.append(name)
    for worker in trial.world.workers:
        worker.database.delay = worker.redis.delay = 0.2  # type: ignore[union-attr]
    await trial.load.until(trial.times(60, 10), seconds=120)
    for worker in trial.world.workers:
        worker.database.delay = worker.redis.delay = 0.0  # type: ignore[union-attr]
    trial.over()
    await _feeds_up(trial)
    trial.note(f"{len(done)} partings of 4 kinds, then 200 ms each way")


SCENARIOS = [
    Scenario(id="F8", title="Redis dies, its subscribers are killed, paused, cut off", run=redis_dies),
    Scenario(id="F9", title="Redis is emptied, of the wrong type, and says nonsense", run=redis_lies),
    Scenario(id="F10", title="the network parts a worker from its servers", run=networks_part, limit=20.0),
]
