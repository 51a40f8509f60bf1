"""The answer to a commit is lost: what was done is found, what was not is done, and nothing is done twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from services.embedded import Embedded
from services.ids import new_id, shard_of
from services.store.connection import Connection
from services.store.lane import Lane
from services.store.migrate import migrate
from services.store.records import Append, Appended, Conflict, Unavailable
from services.store.store import Store
from tests.store.matches import command, everything, following
from tests.store.proxy import Proxy
from tests.waiting import eventually


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[Proxy]:
    async with Proxy(database_url) as proxy:
        yield proxy


@pytest.fixture
async def through(proxy: Proxy) -> AsyncIterator[Store]:
    """A store whose connections go through the proxy."""
    store = await Store.connect(proxy.url)
    yield store
    await store.close()


async def play(store: Store, over: asyncio.Event) -> list[Append]:
    """Plays a match of its own until it is over: what was acknowledged, in order. Fails on any other answer."""
    acknowledged: list[Append] = []
    move = command(new_id(), count=2)
    while not over.is_set():
        answer = await store.append(move)
        assert isinstance(answer, Appended), answer
        assert answer.version == move.expected + len(move.events)
        acknowledged.append(move)
        move = following(move)
    return acknowledged


async def check(store: Store, played: list[list[Append]]) -> None:
    """Every acknowledged command has its events in the store, once, and there is nothing else."""
    stored = [event.hash for event in await everything(store)]
    assert sorted(stored) == sorted(event.hash for match in played for move in match for event in move.events)


@pytest.fixture
async def admin(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@asynccontextmanager
async def locked(database_url: str, match: str) -> AsyncIterator[None]:
    """While another session holds the lock of the match's shard."""
    blocker = await asyncpg.connect(database_url)
    async with blocker.transaction():
        await blocker.execute("select from shard where shard = $1 for update", shard_of(match))
        yield
    await blocker.close()


async def until_waiting(admin: Connection, sessions: int) -> None:
    """Until so many sessions of the database wait for a lock."""
    waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"

    async def so() -> bool:
        return bool(await admin.fetchval(waiting) == sessions)

    await eventually(so)


@pytest.mark.fault(17)
async def test_commit_done_and_reply_dropped_is_answered_as_appended(proxy: Proxy, through: Store, store: Store):
    proxy.lose = 1
    moves = [command(new_id(), count=k % 3 + 1) for k in range(30)]

    answers = await asyncio.gather(*map(through.append, moves))

    assert [answer.version for answer in answers] == [len(move.events) for move in moves]
    assert proxy.lost == 1
    assert proxy.appends == 1
    assert (through.writer.lane.unknown, through.writer.lane.found) == (1, 30)
    await check(store, [moves])


@pytest.mark.fault(17, "F4")
async def test_replies_dropped_again_and_again_lose_and_double_nothing(proxy: Proxy, through: Store, store: Store):
    over = asyncio.Event()
    playing = [asyncio.create_task(play(through, over)) for _ in range(6)]

    for lost in range(1, 6):
        proxy.lose = 1
        while proxy.lost < lost:
            await asyncio.sleep(0.01)
    over.set()

    played = await asyncio.gather(*playing)
    assert through.writer.lane.unknown >= 5
    assert through.writer.lane.found >= 5
    await check(store, played)


async def test_a_conflict_in_a_batch_whose_reply_was_dropped_is_still_a_conflict(
    proxy: Proxy, through: Store, store: Store
):
    first, loser, other = command(new_id()), command(new_id()), command(new_id())
    await store.append(first)
    proxy.lose = 1

    answers = await asyncio.gather(
        through.append(command(first.match, text="another")), through.append(loser), through.append(other)
    )

    assert answers[0] == Conflict(1)
    assert [answer.version for answer in answers[1:]] == [1, 1]
    await check(store, [[first, loser, other]])


@pytest.mark.fault(18, 60, "F7")
async def test_no_answer_in_time_ends_the_connection_and_the_command_is_found(
    proxy: Proxy, through: Store, store: Store
):
    first = command(new_id())
    await through.append(first)
    lane = through.writer.lane
    assert isinstance(lane, Lane)
    before, lane._call_seconds = lane._connection, 1.0
    proxy.lose, proxy.silent = 1, True
    second = following(first)

    answer = await through.append(second)

    assert isinstance(answer, Appended)
    assert before is not None
    assert before.is_closed()
    assert lane._connection is not before
    assert through.writer.lane.found == 1
    await check(store, [[first, second]])


@pytest.mark.fault("F5")
async def test_an_append_that_goes_on_without_us_is_not_taken_for_the_move_of_another(
    proxy: Proxy, through: Store, store: Store, database_url: str, admin: Connection
):
    move = command(new_id())
    proxy.lose, proxy.cut_early = 1, True

    # when the first call is cut off while it waits for its lock, and the second waits behind it
    async with locked(database_url, move.match):
        task = asyncio.create_task(through.append(move))
        await until_waiting(admin, 2)

    assert await task == Appended(1, 1)
    assert proxy.appends == 2
    await check(store, [[move]])


@pytest.mark.fault("F6")
async def test_lanes_that_are_terminated_under_load_lose_and_double_nothing(
    database_url: str, store: Store, admin: Connection
):
    other, over = await Store.connect(database_url), asyncio.Event()
    playing = [asyncio.create_task(play(both, over)) for both in (store, other) for _ in range(5)]

    kills = 0
    while kills < 20 or store.writer.lane.unknown + other.writer.lane.unknown == 0:
        await asyncio.sleep(0.02)
        kills += await admin.fetchval(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            " where application_name = 'kibitz lane' and datname = current_database()"
        )
    over.set()

    played = await asyncio.gather(*playing)
    await check(store, played)
    await other.close()


@pytest.mark.fault(18, "F3")
async def test_a_server_killed_under_load_loses_nothing_acknowledged(data_folder: Path):
    with Embedded(data_folder) as embedded:
        migrate(embedded.database_url)
        store = await Store.connect(embedded.database_url)
        over = asyncio.Event()
        playing = [asyncio.create_task(play(store, over)) for _ in range(8)]

        # when it is killed once at any moment, and once while a batch has surely been sent and not been answered
        while store.writer.batches < 20:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(embedded.postgres.kill)
        await asyncio.to_thread(embedded.revive)
        batches = store.writer.batches
        while store.writer.batches < batches + 20:
            await asyncio.sleep(0.01)
        admin = await asyncpg.connect(embedded.database_url)
        blocker = await asyncpg.connect(embedded.database_url)
        await blocker.execute("begin; lock table event")
        await until_waiting(admin, 1)
        unknown = store.writer.lane.unknown
        await asyncio.to_thread(embedded.postgres.kill)
        await asyncio.to_thread(embedded.revive)
        over.set()

        played = await asyncio.gather(*playing)
        assert store.writer.lane.unknown > unknown
        await check(store, played)
        await store.close()


async def test_a_database_that_stays_away_is_said_and_comes_back_into_use(data_folder: Path):
    with Embedded(data_folder, sync=False) as embedded:
        migrate(embedded.database_url)
        store = await Store.connect(embedded.database_url, patience=0.3)
        move = command(new_id())
        await store.append(move)
        embedded.postgres.kill()

        for _ in range(2):
            with pytest.raises(Unavailable):
                await store.append(following(move))
        with pytest.raises(Unavailable):
            await store.ready()
        await asyncio.to_thread(embedded.revive)

        answer = await store.append(following(move))
        assert answer == Appended(2, 2)
        await store.ready()
        await store.close()


async def test_a_statement_the_server_cancels_is_tried_again(store: Store, database_url: str, admin: Connection):
    move = command(new_id())
    await store.append(move)

    async with locked(database_url, move.match):
        task = asyncio.create_task(store.append(following(move)))
        await until_waiting(admin, 1)
        await admin.execute(
            "select pg_cancel_backend(pid) from pg_stat_activity"
            " where application_name = 'kibitz lane' and datname = current_database()"
        )

    assert await task == Appended(2, 2)
    assert store.writer.lane.unknown == 0
