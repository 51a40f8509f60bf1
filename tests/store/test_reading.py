"""Reading while others write, hold transactions open, give up, or end our connections."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.ids import SHARDS, new_id
from services.store import batch
from services.store.connection import Connection
from services.store.records import Appended, Unavailable
from services.store.store import Store
from tests.store.matches import command, everything, following, match_in
from tests.waiting import eventually


@pytest.fixture
async def session(database_url: str) -> AsyncIterator[Connection]:
    """Another session on the database."""
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.mark.fault(2, 12)
async def test_what_is_not_committed_is_not_read_and_nothing_comes_before_it(store: Store, session: Connection):
    shard = SHARDS[5]
    slow, quick, elsewhere = command(match_in(shard)), command(match_in(shard)), command(match_in(SHARDS[6]))

    held = session.transaction()
    await held.start()
    await batch.send(session, [slow])
    waiting = asyncio.create_task(store.append(quick))
    assert await store.page(shard, 0, 10) == []
    assert await store.heads() == dict.fromkeys(SHARDS, 0)
    await held.commit()

    assert await waiting == Appended(1, 2)
    assert [event.match for event in await store.page(shard, 0, 10)] == [slow.match, quick.match]
    assert await store.append(elsewhere) == Appended(1, 1)


@pytest.mark.fault(3)
async def test_an_append_that_is_rolled_back_leaves_no_hole(store: Store, session: Connection):
    shard = SHARDS[5]
    held = session.transaction()
    await held.start()
    await batch.send(session, [command(match_in(shard), count=3)])
    waiting = asyncio.create_task(store.append(command(match_in(shard))))
    await asyncio.sleep(0)
    await held.rollback()

    assert await waiting == Appended(1, 1)
    assert len(await everything(store)) == 1


@pytest.mark.fault(8)
async def test_a_session_idle_in_its_transaction_holds_nobody_up(store: Store, session: Connection):
    await session.execute("begin isolation level repeatable read; select pg_advisory_lock(1)")
    await session.execute("select count(*) from event")
    move = command(new_id())

    assert await store.append(move) == Appended(1, 1)
    assert await store.append(following(move)) == Appended(2, 2)
    assert len(await everything(store)) == 2


async def test_reads_go_on_after_all_connections_were_ended(store: Store, session: Connection):
    move = command(new_id())
    await store.append(move)
    await asyncio.gather(*(store.events(move.match) for _ in range(8)))

    ended = await session.fetchval(
        "select count(pg_terminate_backend(pid, 50000)) from pg_stat_activity"
        " where application_name = 'kibitz' and datname = current_database()"
    )

    assert ended > 0
    assert len(await store.events(move.match)) == 1


@pytest.mark.fault(60)
async def test_an_answer_that_takes_too_long_is_given_up_and_reaches_nobody_else(store: Store):
    with pytest.raises(Unavailable):
        await store.ask(lambda lent: lent.fetchval("select 'late', pg_sleep(0.5)"), seconds=0.1)

    async def number(which: int) -> object:
        return await store.ask(lambda lent: lent.fetchval("select $1::int", which))

    answers = await asyncio.gather(*map(number, range(20)))
    assert answers == list(range(20))


@pytest.mark.fault(59)
async def test_readers_that_are_cancelled_leave_the_pool_as_it_was(store: Store, session: Connection):
    moves = [command(new_id()) for _ in range(10)]
    await asyncio.gather(*map(store.append, moves))

    for round_ in range(30):
        tasks = [asyncio.create_task(store.events(moves[k % 10].match)) for k in range(30)]
        for _ in range(round_ % 7):
            await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        for k, answer in enumerate(answers):
            if k % 2 == 0 and isinstance(answer, asyncio.CancelledError):
                continue
            assert not isinstance(answer, BaseException)
            assert [event.match for event in answer] == [moves[k % 10].match]

    assert store.pool.get_size() <= 8
    sessions = (
        "select count(*) from pg_stat_activity where application_name = 'kibitz' and datname = current_database()"
    )

    async def few() -> bool:
        return bool(await session.fetchval(sessions) <= 8)

    await eventually(few)  # the server notices a connection that was dropped a moment later
    assert await asyncio.gather(*(store.head(move.match) for move in moves)) == [
        (1, move.events[0].hash) for move in moves
    ]


@pytest.mark.fault("F25")
async def test_a_pool_that_is_all_lent_out_is_said(database_url: str):
    store = await Store.connect(database_url, pool_size=1)

    async with store.pool.acquire():
        with pytest.raises(Unavailable):
            await store.ask(lambda lent: lent.fetchval("select 1"), seconds=0.1)

    await store.ready()
    await store.close()
