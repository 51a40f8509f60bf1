"""PostgreSQL that dies, restarts, stalls, and whose answers are lost: F3 to F7."""

import asyncio
import os
import signal
import time
from typing import Any

from tests.faults.trial import Scenario, Trial
from tests.store.proxy import Proxy
from tests.waiting import PATIENCE

LANES = (
    "select pg_terminate_backend(pid) from pg_stat_activity"
    " where application_name = 'kibitz lane' and datname = current_database()"
)
STALL = """
create table stall (seconds float8 not null);
create function stall() returns trigger language plpgsql security definer as $$
begin
  perform pg_sleep(seconds) from public.stall;
  return null;
end $$;
create trigger stall before insert on event for each statement execute function stall();
"""


async def kill_postgres(trial: Trial) -> None:
    kills, slowest = trial.times(20, 3), 0.0
    for _ in range(kills):
        await trial.load.until(trial.chance.randint(1, 15))
        await asyncio.sleep(trial.chance.random() * 0.05)
        await trial.world.kill_postgres()
        await trial.world.revive()
        slowest = max(slowest, await trial.load.recovered(time.monotonic()))
    trial.note(f"{kills} kills, the slowest recovery {slowest:.1f} s")


async def lose_answers(trial: Trial) -> None:
    """The commit is done and its answer is dropped, for one worker after another."""
    losses = trial.times(40, 6)
    for number in range(losses):
        proxy = _proxy(trial, number)
        await _lose_one(trial, proxy)
        await trial.load.until(trial.chance.randint(1, 6))
    figures = [await worker.metrics() for worker in trial.world.workers]
    unknown = sum(figure["kibitz_append_unknown_total"] for figure in figures)
    found = sum(figure["kibitz_append_found_total"] for figure in figures)
    trial.expect(found > 0, "no lost answer was that of a commit")
    trial.expect(unknown >= losses, f"{losses} answers were lost, and {unknown:g} outcomes were unknown to the lanes")
    trial.note(f"{losses} answers lost, {unknown:g} unknown, {found:g} commands found committed")


async def orphans(trial: Trial) -> None:
    """The client's side is cut while the statement waits for a lock; it goes on and commits, and nobody is told."""
    cuts = trial.times(8, 2)
    for number in range(cuts):
        proxy = _proxy(trial, number)
        connection = await trial.world.connect()
        try:
            async with connection.transaction():
                await connection.execute("lock table event in share mode")
                proxy.cut_early = True
                await _lose_one(trial, proxy)
                await _waiting(trial, 2)  # the orphan, and whoever sends the batch again
        finally:
            proxy.cut_early = False
            await connection.close()
        await trial.load.until(5)
    trial.note(f"{cuts} orphans")


async def restarts(trial: Trial) -> None:
    slowest = 0.0
    for number in (signal.SIGINT, signal.SIGQUIT)[: trial.times(2, 1)]:
        await trial.load.until(10)
        await trial.world.restart_postgres(number)
        slowest = max(slowest, await trial.load.recovered(time.monotonic()))
    ended = 0
    for _ in range(trial.times(10, 2)):
        await asyncio.sleep(1.0)
        ended += len(await trial.world.sql(LANES))
    trial.expect(slowest < 3, f"it took {slowest:.1f} s until moves were stored again")
    trial.note(f"fast and immediate restart, the slowest recovery {slowest:.1f} s; {ended} lanes terminated")


async def stalls(trial: Trial) -> None:
    """A statement that takes longer than anybody waits, and a backend that stands still with its locks."""
    connection = await trial.world.connect()
    try:
        await connection.execute(STALL)
        before = await _lanes(trial)
        await connection.execute("insert into stall values (10)")
        await asyncio.sleep(trial.times(12, 6))
        await connection.execute("delete from stall")
        await trial.load.until(20)
        await _stop_a_backend(trial)
        trial.over()
        await trial.load.until(20)
        left = before & await _lanes(trial)
        trial.note(f"{len(before - left)} of {len(before)} lanes were given up")
    finally:
        await connection.close()


async def _stop_a_backend(trial: Trial) -> None:
    """SIGSTOP to the backend of a lane for longer than its client waits (10 s), then SIGCONT."""
    lanes = await _lanes(trial)
    stopped = trial.chance.choice(sorted(lanes))
    os.kill(stopped, signal.SIGSTOP)
    try:
        await asyncio.sleep(12)
    finally:
        os.kill(stopped, signal.SIGCONT)
    latest = time.monotonic() + 10
    while stopped in await _lanes(trial):
        if time.monotonic() > latest:
            trial.fail("the connection that gave no answer in time is still in use")
            return
        await asyncio.sleep(0.1)


async def _lanes(trial: Trial) -> set[int]:
    rows = await trial.world.sql("select pid from pg_stat_activity where application_name = 'kibitz lane'")
    return {row[0] for row in rows}


def _proxy(trial: Trial, number: int) -> Proxy:
    proxy = trial.world.workers[number % len(trial.world.workers)].database
    assert isinstance(proxy, Proxy)
    return proxy


async def _lose_one(trial: Trial, proxy: Proxy) -> None:
    lost, latest = proxy.lost, time.monotonic() + PATIENCE
    proxy.lose = 1
    while proxy.lost == lost:
        assert time.monotonic() < latest, "no append came by"
        await asyncio.sleep(0.005)


async def _waiting(trial: Trial, sessions: int) -> None:
    """Until so many sessions wait for a lock."""
    query = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
    latest = time.monotonic() + 4  # below the time limit of a statement of the lane
    rows: list[Any] = []
    while time.monotonic() < latest:
        rows = await trial.world.sql(query)
        if rows[0][0] >= sessions:
            return
        await asyncio.sleep(0.02)
    trial.fail(f"{rows} sessions waited for a lock, not {sessions}")


SCENARIOS = [
    Scenario(id="F3", title="kill -9 of PostgreSQL under load", run=kill_postgres),
    Scenario(id="F4", title="the commit is done, its answer is dropped", run=lose_answers, world={"losing": True}),
    Scenario(id="F5", title="a statement whose client is cut off", run=orphans, world={"losing": True}),
    Scenario(id="F6", title="restarts of PostgreSQL, lanes terminated", run=restarts, limit=3.0),
    Scenario(id="F7", title="statements that take longer than anybody waits", run=stalls),
]
