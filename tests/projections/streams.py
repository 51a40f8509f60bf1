"""Matches for the tests of projections: played at random in memory, and put into a store in pieces."""

import random
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import asyncpg
import msgspec

from domain.event import START, Recorded, canonical_bytes, chained
from domain.hidden import b64u
from domain.match import EVENTS, rules
from projections.projection import AnyProjection
from projections.registry import PROJECTIONS
from services.ids import SHARDS, new_id, shard_of
from services.projector import Projector, builds
from services.store.records import Append, Appended, NewEvent, Unavailable
from services.store.store import Store
from tests.domain.match.drive import Drive, commitment_of
from tests.waiting import eventually


def match_in(shard: int) -> str:
    """The id of a new match in that shard."""
    return f"{new_id()[:-1]}{SHARDS.index(shard):x}"


def played(seed: int, *, match: str | None = None, moves: int | None = None, players: int | None = None) -> Drive:
    """A short match: people and bots, sometimes a clock, sometimes somebody who leaves, is put out or resigns."""
    chance = random.Random(seed)
    drive = Drive(match=match or new_id(), at=1_700_000_000_000 + seed * 1000)
    seats = players or chance.randint(3, 5)
    clock, bank = chance.choice([(None, None), (30, None), (30, 60)])
    drive.open(seats, clock=clock, bank=bank, games=chance.randint(1, 2))
    _sit_down(drive, chance, seats)
    for _ in drive.play(chance.choice, moves):
        if drive.state.status == "playing" and chance.random() < 0.01:
            _disturb(drive, chance)
    return drive


def _sit_down(drive: Drive, chance: random.Random, seats: int) -> None:
    people = [f"player-{chance.randint(0, 5)}-{seat}" for seat in range(seats)]
    drive.sit("somebody else")
    drive.leave("somebody else")
    for seat, name in enumerate(people):
        if seat and chance.random() < 0.4:
            drive.bot(f"bot {name}")
        else:
            drive.sit(name)
    if chance.random() < 0.3:
        _put_out(drive)
    for sitting in drive.state.seats:
        assert sitting is not None
        if sitting.custody == "own":
            drive.reveal(sitting.player, int(sitting.commitment == commitment_of(sitting.player, 1)))
    assert drive.state.status == "playing"


def _put_out(drive: Drive) -> None:
    """The first seat does not reveal in time, the others commit anew, and its player sits down again."""
    waiting = [sitting.player for sitting in drive.state.seats if sitting is not None and sitting.custody == "own"]
    drive.expire(rules.REVEAL_MS)
    gone = waiting[0]
    for player in waiting[1:]:
        drive.commit(player, 1)
    drive.sit(gone, round_=1)


def _disturb(drive: Drive, chance: random.Random) -> None:
    until = rules.deadline(drive.state)
    if until is not None and chance.random() < 0.5:
        drive.expire(until - drive.at)
        return
    seat = chance.randrange(len(drive.state.seats))
    sitting = drive.state.seats[seat]
    if sitting is not None and not sitting.resigned and sitting.kind == "human":
        drive.resign(sitting.player)


def recorded(drive: Drive) -> list[Recorded[Any]]:
    """The events as a projection gets them: hidden fields closed."""
    return [EVENTS.decode(logged.code, logged.event.schema, logged.data) for logged in drive.log]


def streams(*drives: Drive) -> dict[str, list[Recorded[Any]]]:
    """The same by match."""
    return {drive.match: recorded(drive) for drive in drives}


def rows_of(projection: AnyProjection, events: Iterable[Recorded[Any]]) -> dict[str, Any]:
    """The rows after ``events``: what every build has to have."""
    rows: dict[str, Any] = {}
    for event in events:
        rows[event.match] = projection.after(rows.get(event.match), event)
    return rows


async def append(store: Store, drive: Drive, first: int = 0, last: int | None = None) -> None:
    """Puts the events of ``drive`` with ``first < version <= last`` into the store, as one command."""
    part = drive.log[first:last]
    before = chained(drive.log[first - 1].data) if first else START
    events, prev = [], before
    for logged in part:
        digest = chained(logged.data)
        events.append(
            NewEvent(logged.code, logged.event.schema, logged.data, prev, digest, logged.openings, logged.hand)
        )
        prev = digest
    await appended(store, drive.match, first, before, events, drive.log[0].event.at)


async def append_poison(store: Store, match: str, code: int = 10, schema: int = 1, after: int | None = None) -> None:
    """Puts an event behind the match's last that no projection can take: its body fits no type."""
    head = await store.head(match)
    version, prev = head or (0, START)
    assert after is None or after == version
    envelope: Recorded[Any] = Recorded(
        match=match,
        version=version + 1,
        at=1_700_000_000_000,
        type="HandEnded",
        schema=schema,
        seat="system",
        cmd="poison",
        prev=b64u(prev),
        body={"hand": "not a number"},
    )
    data = canonical_bytes(envelope)
    await appended(store, match, version, prev, [NewEvent(code, schema, data, prev, chained(data))], envelope.at)


async def appended(store: Store, match: str, expected: int, prev: bytes, events: list[NewEvent], at: int) -> None:
    done = await store.append(Append(match, expected, prev, new_id(), at, tuple(events)))
    assert isinstance(done, Appended), done


async def caught_up(projector: Projector) -> int:
    """Runs until nothing moves any more; how many events were taken."""
    total = 0
    while moved := await projector.run_once():
        total += moved
    return total


async def level(projector: Projector) -> None:
    """Runs until every read model has everything. The lock of a connection that was ended goes a moment later."""

    async def behind_nothing() -> bool:
        with suppress(Unavailable):
            await caught_up(projector)
            return not any((await projector.lag()).values())
        return False

    await eventually(behind_nothing)


async def contents(store: Store, name: str) -> dict[str, list[tuple[Any, ...]]]:
    """All that readers find in the tables of a projection, by table, sorted."""
    found = {}
    for table in PROJECTIONS[name].tables:
        lines = await store.pool.fetch(f"select * from projection.{name}{table.suffix}")
        found[table.suffix] = sorted(tuple(line) for line in lines)
    return found


async def checkpoints(store: Store, name: str) -> dict[int, int]:
    """The checkpoints of the live build, by shard; its number is of no interest."""
    (build,) = builds.assembled(await store.pool.fetch(builds.LIVE, "live", name), PROJECTIONS)
    return dict(build.positions)


async def assert_exact(
    store: Store, events: Mapping[str, list[Recorded[Any]]], projections: Iterable[str] = PROJECTIONS
) -> None:
    """Every projection has exactly the rows that its fold gives for these events of these matches, and no more."""
    for name in projections:
        projection = PROJECTIONS[name]
        expected: dict[str, Any] = {}
        for stream in events.values():
            expected |= rows_of(projection, stream)
        lines = await store.pool.fetch(f"select shard, match, body from projection.{name}")
        actual = {str(line["match"]): msgspec.json.decode(line["body"], type=projection.row) for line in lines}
        assert actual == expected, name
        assert all(line["shard"] == shard_of(str(line["match"])) for line in lines)
    if "players" in projections:
        await _assert_sums(store, events)


async def lose_locks(database_url: str) -> None:
    """Ends the sessions that hold a lock of a rebuild, and waits until they, and their locks with them, are gone."""
    text = (
        "select pg_terminate_backend(l.pid, 50000) from pg_locks l join pg_database d on d.oid = l.database"
        " where l.locktype = 'advisory' and d.datname = current_database()"
    )
    admin = await asyncpg.connect(database_url)
    ended = [line[0] for line in await admin.fetch(text)]
    await admin.close()
    assert ended == [True]


async def _assert_sums(store: Store, events: Mapping[str, list[Recorded[Any]]]) -> None:
    finished: dict[str, int] = {}
    won: dict[str, int] = {}
    seated: set[tuple[str, str]] = set()
    for match, stream in events.items():
        for row in rows_of(PROJECTIONS["players"], stream).values():
            for sitting in row.seats:
                seated.add((match, sitting.player))
                if row.status == "finished":
                    finished[sitting.player] = finished.get(sitting.player, 0) + 1
                    won[sitting.player] = won.get(sitting.player, 0) + (sitting.seat in row.winners)
    text = "select player, sum(finished)::int, sum(won)::int from projection.players_sums group by player"
    sums = {line[0]: (line[1], line[2]) for line in await store.pool.fetch(text)}
    assert sums == {player: (count, won[player]) for player, count in finished.items()}
    lines = await store.pool.fetch("select match, player from projection.players_matches")
    assert {(str(line[0]), line[1]) for line in lines} == seated
    assert len(lines) == len(seated)
