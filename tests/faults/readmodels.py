"""Read models under play: poison, rebuilds, events of newer code, a player who is erased: F15, F16, F17, F23."""

import asyncio
import json
import random
import time
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import msgspec
from redis.asyncio import Redis

from domain.event import START, EventType, Recorded, Registry, canonical_bytes, chained
from domain.hidden import b64u
from domain.match import EVENTS
from projections.projection import AnyProjection
from projections.registry import PROJECTIONS
from services.ids import SHARDS
from services.projector import Projector
from services.projector.rebuilds import RebuildDiffers, RebuildUnderWay
from services.store.records import NewEvent, StoredEvent
from services.store.store import Store
from tests.faults import checker
from tests.faults import record as records
from tests.faults.checker import Counts
from tests.faults.load import Load
from tests.faults.trial import WARM, Scenario, Trial
from tests.faults.world import World
from tests.projections.streams import append, appended, match_in, played
from tests.waiting import PATIENCE

Sick = dict[str, int]
"""Matches that read models cannot take, by the version from which on they cannot."""


async def poison(seed: int, full: bool) -> tuple[Counts, list[str]]:
    """A page with 500 events and more, in which some matches are poisoned: only those are set aside."""
    async with World(2) as world, Load(world, seed) as load:
        await load.until(WARM)
        store = await Store.connect(world.database_url)
        try:
            sick: Sick = {}
            for number, (code, schema) in enumerate(((10, 1), (9999, 1), (10, 7)) * (3 if full else 1)):
                shard = SHARDS[number % 4]
                good, bad = (played(seed + number * 7 + k, match=match_in(shard)) for k in range(2))
                await append(store, good)
                await append(store, bad)
                await _append_event(store, bad.match, code, schema, "HandEnded", {"hand": "not a number"})
                sick[bad.match] = len(bad.log) + 1
                await load.until(3)
            raised, healed = await _fold_that_raises(store, seed)
            began = time.monotonic()
            recovered = await load.recovered(began)
            await load.until(WARM)
            await load.stop()
            counts = await _checked(world, load, sick)
            counts.recovered = recovered
            if not healed:
                counts.complain("I6", "unpark did not heal the match whose fold had raised")
        finally:
            await store.close()
    return counts, [f"{len(sick)} poisoned, {raised} parked by a fold that raised and healed by unpark"]


async def _fold_that_raises(store: Store, seed: int) -> tuple[int, int]:
    """A runner with a fault in a fold parks sound matches; without the fault they are healed."""
    drives = [played(seed + 500 + k, match=match_in(SHARDS[7])) for k in range(6)]
    matches = {drive.match for drive in drives}
    healthy = PROJECTIONS["score_sheets"]

    def fold(row: Any, event: Recorded[Any]) -> Any:
        if event.match in matches and event.type == "HandEnded":
            raise ZeroDivisionError("a fault in the fold")
        return healthy.fold(row, event)

    broken: dict[str, AnyProjection] = {**PROJECTIONS, "score_sheets": replace(healthy, fold=fold)}
    faulty = Projector(store, broken)
    for drive in drives:  # the runners of the workers may be quicker with some of them
        await append(store, drive)
        await faulty.run_once()
    parked = [entry.match for entry in await faulty.parked("score_sheets") if entry.match in matches]
    for match in parked:
        await Projector(store).unpark("score_sheets", match)
    left = [entry for entry in await Projector(store).parked("score_sheets") if entry.match in matches]
    return len(parked), not left


async def _checked(world: World, load: Load, sick: Sick) -> Counts:
    """All that the checker asks, of what is sound; and of what is not, that it is set aside and its chain whole."""
    counts, journal = Counts(), load.journal
    await checker._projected(world, counts)
    record = await records.read(world.database_url)
    counts.matches = len(record.events)
    counts.complaints += [f"clients: {fault}" for fault in journal.faults]
    checker.check_commands(record, journal, counts)
    checker.check_order(record, counts)
    for match in record.events:
        _check_chain(record.events[match], counts)
    rows = await world.sql("select name, match, version from projection.parked")
    parked = {(row[0], str(row[1])): row[2] for row in rows}
    if parked != {(name, match): version for name in PROJECTIONS for match, version in sick.items()}:
        counts.complain("I6", f"set aside are {sorted(parked)}")
    whole = dict(record.events)
    for match, version in sick.items():
        whole[match] = whole[match][: version - 1]
    await _check_rows(world, whole, counts)
    for match in record.events.keys() - set(load.matches):
        del record.events[match]  # no client played it
    checker.check_told(record, journal, counts)
    checker.check_feeds(record, journal, counts)
    await checker.check_audits(load.clients, record, counts)
    return counts


def _check_chain(events: list[StoredEvent], counts: Counts) -> None:
    prev = START
    for event in events:
        if event.prev != prev or event.hash != chained(event.data):
            counts.complain("I4", f"the chain of {event.match} is broken at {event.version}")
        prev = event.hash


async def _check_rows(world: World, events: dict[str, list[StoredEvent]], counts: Counts) -> None:
    """I6: rows are the folds of these events."""
    for name, projection in PROJECTIONS.items():
        decode = msgspec.json.Decoder(projection.row).decode
        found = {str(row[0]): decode(row[1]) for row in await world.sql(f"select match, body from projection.{name}")}
        expected: dict[str, Any] = {}
        for match, stream in events.items():
            row = None
            for event in stream:
                row = projection.after(row, event.decoded())
            expected[match] = row
        wrong = [match for match in found.keys() | expected.keys() if found.get(match) != expected.get(match)]
        if wrong:
            counts.complain("I6", f"{len(wrong)} rows of {name} are not the folds of their events: {wrong[:3]}")


class ChairMoved(msgspec.Struct, frozen=True):
    """A type of event that only newer code knows."""

    seat: int


NEWER = Registry((*EVENTS.types, EventType(9998, ChairMoved)))


@contextmanager
def _newer_code() -> Iterator[None]:
    """This process is of the newer code."""
    with (
        mock.patch("services.projector.folding.EVENTS", NEWER),
        mock.patch("services.store.records.EVENTS", NEWER),
    ):
        yield


async def rolling_deploy(seed: int, full: bool) -> tuple[Counts, list[str]]:
    """Newer code writes what the workers do not know yet: they set it aside, answer for it, and lose nothing."""
    async with World(2) as world, Load(world, seed) as load:
        await load.until(WARM)
        store = await Store.connect(world.database_url)
        try:
            sick, codes = dict[str, int](), dict[int, int]()
            for number in range(8 if full else 2):
                drive = played(seed + number, match=match_in(SHARDS[number % 16]))
                await append(store, drive)
                await _append_event(store, drive.match, 9998, 1, "ChairMoved", {"seat": 1})
                sick[drive.match] = len(drive.log) + 1
                await load.until(5)
                for worker in world.answering():
                    for tail in ("", "/events", "/score-sheet", "/replay", "/audit", "/export"):
                        answer = await load.clients.http.get(f"{worker.url}/v1/matches/{drive.match}{tail}")
                        codes[answer.status_code] = codes.get(answer.status_code, 0) + 1
            began = time.monotonic()
            recovered = await load.recovered(began)
            await load.until(WARM)
            await load.stop()
            counts = await _checked(world, load, sick)
            counts.recovered = recovered
            if any(code >= 500 and code != 503 for code in codes):
                counts.complain("clients", f"asked for what only newer code knows, a worker answered {codes}")
            with _newer_code():  # the deployment reaches the projector
                newer = Projector(store)
                for entry in await newer.parked():
                    await newer.unpark(entry.projection, entry.match)
                if await newer.parked():
                    counts.complain("I6", "the newer code could not take what it wrote itself")
                await _check_rows(world, (await records.read(world.database_url)).events, counts)
        finally:
            await store.close()
    return counts, [f"{len(sick)} matches with events of newer code; answers {codes}"]


async def _append_event(store: Store, match: str, code: int, schema: int, name: str, body: dict[str, Any]) -> None:
    """One more event behind the last of a match, whatever it is."""
    version, prev = await store.head(match) or (0, START)
    envelope: Recorded[Any] = Recorded(
        match=match,
        version=version + 1,
        at=1_900_000_000_000,
        type=name,
        schema=schema,
        seat="system",
        cmd="of other code",
        prev=b64u(prev),
        body=body,
    )
    data = canonical_bytes(envelope)
    await appended(store, match, version, prev, [NewEvent(code, schema, data, prev, chained(data))], envelope.at)


async def rebuilds(trial: Trial) -> None:
    """Under full load: given up half-way, twice in a row, by two operators at once. Readers notice nothing."""
    store = await Store.connect(trial.world.database_url, pool_size=4)
    over, codes = asyncio.Event(), dict[int, int]()

    async def read() -> None:
        while not over.is_set():
            worker = trial.chance.choice(trial.world.workers)
            for path in ("/v1/matches", f"/v1/matches/{trial.load.matches[0]}/score-sheet"):
                answer = await trial.load.clients.http.get(f"{worker.url}{path}", timeout=PATIENCE)
                codes[answer.status_code] = codes.get(answer.status_code, 0) + 1
            await asyncio.sleep(0.05)

    reading, refused, built = asyncio.create_task(read()), 0, 0
    try:
        for _ in range(trial.times(5, 1)):
            for name in PROJECTIONS:
                async with aclosing(Projector(store, page=20).rebuild(name)) as given_up:
                    async for progress in given_up:
                        if progress.done * 2 > progress.total:
                            break
                for _twice in range(2):
                    first, second = (_rebuilt(store, name) for _ in range(2))
                    done = await asyncio.gather(first, second, return_exceptions=True)
                    wrong = [error for error in done if isinstance(error, BaseException)]
                    refused += sum(isinstance(error, RebuildUnderWay) for error in wrong)
                    built += 2 - len(wrong)
                    trial.expect(
                        all(isinstance(error, RebuildUnderWay) for error in wrong), f"a rebuild of {name}: {wrong}"
                    )
        states = await store.pool.fetch("select name, state from projection.build order by 1")
        trial.expect([tuple(line) for line in states] == [(name, "live") for name in sorted(PROJECTIONS)], f"{states}")
    finally:
        over.set()
        await reading
        await store.close()
    trial.expect(set(codes) <= {200}, f"during rebuilds readers were answered {codes}")
    trial.over()
    trial.note(f"{built} rebuilds, {refused} second operators refused, {sum(codes.values())} readings")


async def _rebuilt(store: Store, name: str) -> None:
    async for _ in Projector(store, page=100).rebuild(name):
        pass


async def erasure(trial: Trial) -> None:
    """Players are erased while read models are rebuilt and replays read: the name is gone, and nothing else is."""
    chance = trial.chance
    store = await Store.connect(trial.world.database_url, pool_size=4)
    over = asyncio.Event()

    async def rebuild() -> None:
        while not over.is_set():
            for name in PROJECTIONS:
                try:
                    await _rebuilt(store, name)
                except RebuildDiffers as error:
                    trial.fail(str(error))

    rebuilding = asyncio.create_task(rebuild())
    try:
        for number in range(trial.times(12, 2)):
            await _erased(trial, chance, f"Vanishing{number}{chance.randrange(10**6)}")
    finally:
        over.set()
        await rebuilding
        await store.close()
    async with Redis.from_url(trial.world.servers.redis_url, socket_timeout=PATIENCE) as redis:
        trial.expect(await redis.dbsize() == 0, "something is kept in Redis")
    trial.over()
    trial.note(f"{trial.times(12, 2)} players erased")


async def _erased(trial: Trial, chance: random.Random, name: str) -> None:
    """A match of one player and bots, read all the while; then the player is erased."""
    clients = trial.load.clients
    who = await clients.guest(chance, name)
    url = trial.world.workers[0].url
    auth = {"Authorization": f"Bearer {who[1]}"}
    opened = await clients.http.post(
        f"{url}/v1/matches", json={"game": "whos-the-ass", "seats": 3, "options": {"games": 1}}, headers=auth
    )
    path = opened.headers["location"]
    await clients.http.post(f"{url}{path}/seats", json={"seat": 0}, headers=auth)
    await clients.http.post(f"{url}{path}/bots", json={"seats": [1, 2], "level": "random"}, headers=auth)
    await clients.http.post(f"{url}{path}/resign", headers=auth)
    tails = ("", "/replay", "/score-sheet", "/export?format=txt", "/export")

    async def read() -> dict[str, str]:
        worker = chance.choice(trial.world.workers)
        return {tail: (await clients.http.get(f"{worker.url}{path}{tail}", timeout=PATIENCE)).text for tail in tails}

    trial.expect(name in (await read())[""], f"{name} is not seen at all")
    before = await _others(trial, name)
    jsonl = (await clients.http.get(f"{url}{path}/events?limit=200")).json()["events"]
    reading = [asyncio.create_task(read()) for _ in range(4)]
    gone = await clients.http.delete(f"{url}/v1/me", headers=auth)
    trial.expect(gone.status_code == 204, f"to erase was answered {gone.status_code}")
    await asyncio.gather(*reading)
    for _ in range(4):
        trial.expect(not any(name in text for text in (await read()).values()), f"{name} is still told")
    trial.expect(await _others(trial, name) == before, "another player was touched")
    now = (await clients.http.get(f"{url}{path}/events?limit=200")).json()["events"]
    trial.expect(now[: len(jsonl)] == jsonl, "an event changed")
    for table, column in (("event", "body"), ("opening", "value"), ("projection.live_tables", "body")):
        asked = f"select count(*) from {table} where position($1::bytea in {column}) > 0"
        rows = await trial.world.sql(asked, name.encode())
        trial.expect(rows[0][0] == 0, f"{name} is in {table}")
    verdict = (await clients.http.get(f"{url}{path}/audit", timeout=PATIENCE)).json()
    trial.expect(verdict["verdict"] in ("VALID", "INCOMPLETE"), json.dumps(verdict)[:300])


async def _others(trial: Trial, name: str) -> list[str]:
    """The rows of everybody who was there before, this one aside."""
    rows = await trial.world.sql(
        "select p::text from player p where not erased and name not like 'Guest%' and name <> $1 order by 1", name
    )
    return [row[0] for row in rows]


SCENARIOS = [
    Scenario(id="F15", title="poison in a page of good events", alone=poison),
    Scenario(id="F16", title="rebuilds under load: given up, twice, two at once", run=rebuilds),
    Scenario(id="F17", title="newer code writes what old workers do not know", alone=rolling_deploy),
    Scenario(id="F23", title="players erased during rebuild and replay", run=erasure),
]
