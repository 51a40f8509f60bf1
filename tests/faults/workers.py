"""Workers that die, sleep, start together and stop: F1, F2, F19, F21."""

import asyncio
import time
from contextlib import suppress

import psutil

from domain.match.state import ClockExpired
from tests.faults import record
from tests.faults.trial import Scenario, Trial
from tests.faults.world import Worker

EXIT = 10.0
"""Seconds that a worker may take to stop (F21)."""


async def kill_workers(trial: Trial) -> None:
    """Another worker goes on with the same matches; what was acknowledged by the dead one is there."""
    kills = trial.times(20, 3)
    for _ in range(kills):
        await trial.load.until(trial.chance.randint(3, 12))
        worker = trial.chance.choice(trial.world.workers)
        await worker.kill()
        await trial.load.until(3)  # the others do not wait for it
        await worker.start()
    trial.note(f"{kills} kills")


async def put_to_sleep(trial: Trial) -> None:
    """Others play on in the sleeper's matches; woken, it acts on a memory that is out of date, and must not harm."""
    seconds = trial.times(20, 5)
    sleeper, *_ = trial.world.workers
    latest = max(version for _, version in await _versions(trial))
    sleeper.pause()
    slept = time.monotonic()
    await trial.load.until(20)
    await asyncio.sleep(max(0.0, slept + seconds - time.monotonic()))
    moved = max(version for _, version in await _versions(trial))
    trial.expect(moved > latest, "nobody played on while a worker slept")
    sleeper.go_on()
    trial.over()
    await trial.load.until(60)
    strikes = await _strikes(trial)
    trial.note(f"slept {seconds} s; the clock struck {strikes} times")
    trial.expect(strikes, "the clock never struck, so nothing was shown of it")


async def _versions(trial: Trial) -> list[tuple[str, int]]:
    return [(row[0], row[1]) for row in await trial.world.sql("select stream::text, version from stream")]


async def _strikes(trial: Trial) -> int:
    """How often the clock struck. A turn for which it struck twice is a failure."""
    found = await record.read(trial.world.database_url)
    count = 0
    for match, events in found.events.items():
        turns = [event for event in events if isinstance(event.decoded().body, ClockExpired)]
        count += len(turns)
        if len({event.cmd for event in turns}) != len(turns):
            trial.fail(f"the clock struck twice for one turn of {match}")
    return count


async def start_together(trial: Trial) -> None:
    """They were started at once on an empty database before this began: all are at work, and one migrated it."""
    versions = await trial.world.sql("select version_num from alembic_version")
    trial.expect(len(versions) == 1, f"the database is at {len(versions)} versions at once")
    secrets = await trial.world.sql("select count(*) from server_secret")
    trial.expect(secrets[0][0] == 1, "there is more than one secret of the installation")
    builds = await trial.world.sql("select name, count(*) from projection.build group by name having count(*) <> 1")
    trial.expect(not builds, f"read models were built more than once: {builds}")
    for worker in trial.world.workers:
        for word in ("Traceback", '"error"', "tuple concurrently updated"):
            trial.expect(word not in worker.log, f"worker {worker.number} had trouble when it started: {word}")
    trial.note(f"{len(trial.world.workers)} workers on an empty database")


async def stop_politely(trial: Trial) -> None:
    """SIGTERM with open feeds and moves under way: it ends in time, and nothing it acknowledged is lost."""
    slowest, feeds, rounds = 0.0, trial.times(100, 20), trial.times(6, 2)
    for round_ in range(rounds):
        worker = trial.world.workers[round_ % len(trial.world.workers)]
        readers = [asyncio.create_task(_read_on(worker, match)) for match in _matches(trial, feeds)]
        await trial.load.until(15)
        children = psutil.Process(worker.process.pid).children(recursive=True)
        seconds = await worker.end()
        slowest = max(slowest, seconds)
        trial.expect(worker.process.returncode == 0, f"it ended with {worker.process.returncode}")
        trial.expect(not psutil.wait_procs(children, timeout=5)[1], "it left children behind")
        await asyncio.gather(*readers)
        await trial.load.until(5)
        await worker.start()
    trial.expect(slowest < EXIT, f"a worker took {slowest:.1f} s to stop")
    trial.note(f"{rounds} stops with {feeds} feeds more, the slowest {slowest:.1f} s")


def _matches(trial: Trial, count: int) -> list[str]:
    return [trial.load.matches[place % len(trial.load.matches)] for place in range(count)]


async def _read_on(worker: Worker, match: str) -> None:
    """A plain reader of a stream: until the other side ends it."""
    host, _, port = worker.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /v1/matches/{match}/stream HTTP/1.1\r\nHost: kibitz\r\n\r\n".encode())
    with suppress(OSError):
        while await reader.read(65536):
            pass
    writer.close()


SCENARIOS = [
    Scenario(id="F1", title="kill -9 of a worker in the middle of appends", run=kill_workers),
    Scenario(id="F2", title="a worker sleeps and wakes", run=put_to_sleep, load={"idle": 2}),
    Scenario(
        id="F19",
        title="8 workers start at once on an empty database",
        run=start_together,
        limit=30.0,
        world={"workers": 8, "migrated": False},
    ),
    Scenario(id="F21", title="SIGTERM with open feeds and moves under way", run=stop_politely),
]
