"""Order and batches under the faults that event stores have had: stalled writers, sessions that stay, long appends."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import psutil
import pytest

from domain.match import EVENTS
from services.embedded import Embedded
from services.ids import SHARDS, new_id
from services.store import batch
from services.store.connection import Connection
from services.store.migrate import migrate
from services.store.records import Appended, Conflict, StoredEvent, Unavailable
from services.store.store import Store
from tests.domain.match.drive import Drive
from tests.store.matches import command, everything, following, match_in


@pytest.fixture
async def session(database_url: str) -> AsyncIterator[Connection]:
    """Another session on the database."""
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


class Reader:
    """Follows all shards by position: ``seen`` is what it was given. What is given must go on without a hole."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.seen: list[StoredEvent] = []
        self._at = dict.fromkeys(SHARDS, 0)

    async def read(self) -> None:
        for shard in SHARDS:
            for event in await self.store.page(shard, self._at[shard], 1000):
                self._at[shard] += 1
                assert event.pos == self._at[shard]
                self.seen.append(event)


@pytest.mark.fault(3, 5)
async def test_an_event_of_a_stalled_writer_is_read_however_much_was_stored_meanwhile(
    store: Store, session: Connection, database_url: str
):
    # given a writer that stalls before its commit, as long as a thousand others need
    shard, reader, other = SHARDS[5], Reader(store), await Store.connect(database_url)
    slow, behind = command(match_in(shard)), command(match_in(shard))
    held = session.transaction()
    await held.start()
    await batch.send(session, [slow])
    waiting = asyncio.create_task(store.append(behind))
    for _ in range(20):
        await asyncio.gather(*(other.append(command(match_in(SHARDS[k % 5]))) for k in range(50)))
        await reader.read()
    assert len(reader.seen) == 1000
    assert not waiting.done()
    # when it commits at last
    await held.commit()
    assert await waiting == Appended(1, 2)
    await reader.read()
    # then nothing of its shard was read before it, and it was not passed over
    assert [event.match for event in reader.seen[1000:]] == [slow.match, behind.match]
    assert len(await everything(store)) == 1002
    await other.close()


@pytest.mark.fault(8)
async def test_sessions_that_stay_in_a_transaction_or_hold_a_lock_of_their_own_hold_up_no_reader(
    store: Store, database_url: str
):
    # given sessions that stay for the whole run: with a snapshot, a transaction id, an advisory lock, half a write
    stay = [await asyncpg.connect(database_url) for _ in range(4)]
    await stay[0].execute("begin isolation level serializable; select count(*) from event")
    await stay[1].execute("begin; select pg_current_xact_id()")
    await stay[2].execute("select pg_advisory_lock(1); begin; select pg_advisory_xact_lock(2)")
    await stay[3].execute("begin; insert into player (player, name, role) values ('half', 'Half', 'player')")
    reader = Reader(store)
    moves = [command(new_id()) for _ in range(40)]
    for _ in range(10):
        await asyncio.gather(*map(store.append, moves))
        # then a reader is level with the head after every round
        await reader.read()
        assert len(reader.seen) == sum((await store.heads()).values())
        moves = [following(move) for move in moves]
    assert len(reader.seen) == 400
    for one in stay:
        await one.close()


@pytest.mark.fault(9)
async def test_of_a_batch_that_lost_every_race_no_shard_has_moved(store: Store):
    moves = [command(match_in(shard)) for shard in SHARDS]
    await asyncio.gather(*map(store.append, moves))
    heads = await store.heads()

    answers = await asyncio.gather(*(store.append(command(move.match, text="late")) for move in moves * 5))

    assert set(answers) == {Conflict(1)}
    assert await store.heads() == heads == dict.fromkeys(SHARDS, 1)
    assert await store.append(following(moves[0])) == Appended(2, 2)


@pytest.mark.fault(14)
async def test_nothing_is_acknowledged_before_a_synchronous_standby_has_it(data_folder: Path):
    # given a database whose one synchronous standby is away
    with Embedded(data_folder, sync=False) as servers:
        migrate(servers.database_url)
        store = await Store.connect(servers.database_url)
        hasty = await Store.connect(servers.database_url, call_seconds=0.5, patience=1.0)
        admin = await asyncpg.connect(servers.database_url)
        first, second = command(new_id()), command(new_id())
        assert await store.append(first) == Appended(1, 1)
        await _standby(admin, "away")
        await _until_commits_wait(servers.database_url, admin)
        # when something is appended, then nobody is told that it is stored, nor can it be read
        with pytest.raises(Unavailable):
            await hasty.append(second)
        assert await store.events(second.match) == []
        # when the standby is given up, then the same command is stored once
        await _standby(admin, "")
        answer = await store.append(second)
        assert answer in (Appended(1, 1), Conflict(1))  # the one given up may have gone on without us
        assert [event.hash for event in await store.events(second.match)] == [second.events[0].hash]
        await everything(store)
        await admin.close()
        await store.close()
        await hasty.close()


async def _standby(admin: Connection, name: str) -> None:
    await admin.execute("set synchronous_commit = local")
    await admin.execute(f"alter system set synchronous_standby_names = '{name}'")
    await admin.execute("select pg_reload_conf()")
    while await admin.fetchval("show synchronous_standby_names") != name:
        await asyncio.sleep(0.02)


async def _until_commits_wait(url: str, admin: Connection) -> None:
    """Commits wait for a standby when the checkpointer has read the settings, which may be after everybody else."""
    probe = await asyncpg.connect(url)
    waits, pid = "select wait_event = 'SyncRep' from pg_stat_activity where pid = $1", probe.get_server_pid()
    while True:
        commit = asyncio.ensure_future(probe.execute("select pg_logical_emit_message(true, 'test', '')"))
        while not commit.done():
            if await admin.fetchval(waits, pid):
                await admin.execute("select pg_cancel_backend($1)", pid)
                await commit
                await probe.close()
                return
            await asyncio.sleep(0.02)


@pytest.mark.fault(24)
async def test_batches_over_all_shards_in_any_order_never_deadlock(database_url: str, session: Connection):
    stores = [await Store.connect(database_url, pool_size=1) for _ in range(4)]
    matches = [match_in(SHARDS[k % 16]) for k in range(64)]
    before = await session.fetchval("select deadlocks from pg_stat_database where datname = current_database()")

    async def append_all(store: Store, seed: int) -> list[Appended | Conflict]:
        chance = random.Random(seed)
        answers: list[Appended | Conflict] = []
        for round_ in range(8):
            chance.shuffle(matches)
            heads = [(match, *(await store.head(match) or (0, b""))) for match in matches[:40]]
            moves = [command(*head, count=chance.randint(1, 3), text=f"{seed}/{round_}") for head in heads]
            answers += await asyncio.gather(*map(store.append, moves))
        return answers

    answers = await asyncio.gather(*(append_all(store, seed) for seed, store in enumerate(stores)))

    assert all(store.writer.lane.unknown == 0 for store in stores)
    assert {type(answer) for own in answers for answer in own} == {Appended, Conflict}
    await session.execute("select pg_stat_force_next_flush()")
    after = await session.fetchval("select deadlocks from pg_stat_database where datname = current_database()")
    assert after == before
    await everything(stores[0])
    for store in stores:
        await store.close()


@pytest.mark.fault(25)
async def test_a_batch_of_nothing_appends_nothing(store: Store, session: Connection):
    assert await batch.send(session, []) == []
    assert await batch.held(session, []) == {}
    assert await store.heads() == dict.fromkeys(SHARDS, 0)


@pytest.mark.fault(26)
async def test_five_thousand_events_of_one_command_are_read_page_by_page_and_the_match_goes_on(store: Store):
    long = command(new_id(), count=5000)
    neighbours = [command(new_id()) for _ in range(20)]

    answers = await asyncio.gather(*map(store.append, [*neighbours[:10], long, *neighbours[10:]]))

    assert {type(answer) for answer in answers} == {Appended}
    read: list[StoredEvent] = []
    while page := await store.events(long.match, after=len(read), limit=700):
        read += page
    assert [event.hash for event in read] == [event.hash for event in long.events]
    assert isinstance(await store.append(following(long, count=1500)), Appended)
    assert len(await everything(store)) == 6520


@pytest.mark.fault(61)
def test_memory_is_flat_over_a_quarter_of_a_million_decodes():
    drive = Drive()
    drive.open(3)
    for player in ("a", "b", "c"):
        drive.bot(player)
    events = [(logged.code, logged.event.schema, logged.data) for logged in drive.log]

    def decode(times: int) -> None:
        for _ in range(times // len(events)):
            for event in events:
                EVENTS.decode(*event)

    process = psutil.Process()
    decode(50_000)
    before = process.memory_info().vms  # whatever of it a system that is short of memory holds elsewhere
    decode(250_000)
    # a leak of one small object for each would be 12 MB
    assert process.memory_info().vms - before < 8_000_000
