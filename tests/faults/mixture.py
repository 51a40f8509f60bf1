"""F26: the others at random, several at once, all from one seed."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from tests.faults.database import LANES
from tests.faults.trial import Scenario, Trial
from tests.faults.world import Worker
from tests.store.proxy import Proxy

Harm = Callable[[Trial, Worker, random.Random], Awaitable[None]]


async def _kill(_: Trial, worker: Worker, chance: random.Random) -> None:
    await worker.kill()
    await asyncio.sleep(chance.random())
    await worker.start()


async def _stop(_: Trial, worker: Worker, __: random.Random) -> None:
    await worker.end()
    await worker.start()


async def _sleep(_: Trial, worker: Worker, chance: random.Random) -> None:
    worker.pause()
    await asyncio.sleep(1 + 3 * chance.random())
    worker.go_on()


async def _kill_postgres(trial: Trial, _: Worker, __: random.Random) -> None:
    await trial.world.kill_postgres()
    await trial.world.revive()


async def _terminate_lanes(trial: Trial, _: Worker, __: random.Random) -> None:
    try:
        await trial.world.sql(LANES)
    except Exception as error:
        trial.note(f"lanes could not be terminated: {type(error).__name__}")  # the server was just being killed


async def _lose(_: Trial, worker: Worker, chance: random.Random) -> None:
    assert isinstance(worker.database, Proxy)
    worker.database.lose += chance.randint(1, 3)


async def _lose_silently(_: Trial, worker: Worker, __: random.Random) -> None:
    assert isinstance(worker.database, Proxy)
    worker.database.silent, worker.database.lose = True, 1
    await asyncio.sleep(2)
    worker.database.silent = False


async def _cut_redis(_: Trial, worker: Worker, chance: random.Random) -> None:
    worker.redis.refused = True
    worker.redis.cut()
    await asyncio.sleep(4 * chance.random())
    worker.redis.refused = False


async def _freeze_redis(_: Trial, worker: Worker, chance: random.Random) -> None:
    worker.redis.freeze(chance.choice(["to_server", "to_client"]))
    await asyncio.sleep(4 * chance.random())
    worker.redis.thaw()


async def _kill_redis(trial: Trial, _: Worker, __: random.Random) -> None:
    trial.world.servers.valkey.stop()
    await trial.world.revive()


OF_A_WORKER: dict[str, Harm] = {
    "kill": _kill,
    "stop": _stop,
    "sleep": _sleep,
    "lose answers": _lose,
    "lose one silently": _lose_silently,
    "cut Redis": _cut_redis,
    "freeze Redis": _freeze_redis,
}
OF_ALL: dict[str, Harm] = {
    "kill PostgreSQL": _kill_postgres,
    "terminate lanes": _terminate_lanes,
    "restart Redis": _kill_redis,
}


async def mixed(trial: Trial) -> None:
    """Rounds of one harm to a worker and, each second time, one to all at the same moment."""
    told = []
    for _ in range(trial.times(12, 3)):
        worker = trial.chance.choice(trial.world.workers)
        name = trial.chance.choice(sorted(OF_A_WORKER))
        harms, names = [OF_A_WORKER[name]], [f"{name} ({worker.number})"]
        if trial.chance.random() < 0.5:
            other = trial.chance.choice(sorted(OF_ALL))
            harms, names = [*harms, OF_ALL[other]], [*names, other]
        told.append(" + ".join(names))
        try:
            await asyncio.gather(*(_one(harm, trial, worker) for harm in harms))
            await trial.load.until(5)
        except BaseException:
            print(f"    after {told}", flush=True)
            raise
    trial.note(", ".join(told))


async def _one(harm: Harm, trial: Trial, worker: Worker) -> None:
    own = random.Random(trial.chance.random())
    await asyncio.sleep(own.random() / 2)
    await harm(trial, worker, own)


SCENARIOS = [
    Scenario(
        id="F26",
        title="all of it at random",
        run=mixed,
        limit=20.0,
        world={"losing": True, "workers": 3},
        load={"idle": 1},
    ),
]
