"""Group commit: what is in a batch, who is answered what, and what a caller can do to it."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from domain.event import chained
from services.ids import SHARDS, new_id
from services.store.records import Append, Appended, Conflict, NewEvent, Unavailable
from services.store.store import Store
from services.store.writer import BATCH
from tests.store.matches import AT, command, everything, following, match_in
from tests.waiting import PATIENCE


@pytest.fixture
async def narrow(database_url: str) -> AsyncIterator[Store]:
    """A store whose queue has three places."""
    store = await Store.connect(database_url, queue=3)
    yield store
    await store.close()


def forged() -> Append:
    return Append(new_id(), 0, b"", new_id(), AT, (NewEvent(101, 1, b"bytes", b"", chained(b"others")),))


async def test_commands_that_arrive_together_are_one_batch(store: Store):
    commands = [command(new_id()) for _ in range(100)]

    answers = await asyncio.gather(*map(store.append, commands))

    assert all(isinstance(answer, Appended) for answer in answers)
    assert (store.writer.batches, store.writer.commands) == (1, 100)


async def test_a_batch_is_bounded_and_the_rest_is_the_next(store: Store):
    await asyncio.gather(*(store.append(command(new_id())) for _ in range(2 * BATCH + 1)))

    assert (store.writer.batches, store.writer.commands) == (3, 2 * BATCH + 1)
    assert len(await everything(store)) == 2 * BATCH + 1


async def test_a_batch_has_one_command_of_a_match_and_the_second_waits(store: Store):
    first = command(new_id())
    second, other = following(first), command(new_id())

    answers = await asyncio.gather(store.append(first), store.append(second), store.append(other))

    assert [answer.version for answer in answers] == [1, 2, 1]
    assert store.writer.batches == 2


async def test_commands_of_a_match_keep_their_order(store: Store):
    chain = [command(new_id())]
    for _ in range(9):
        chain.append(following(chain[-1]))

    answers = await asyncio.gather(*map(store.append, chain))

    assert answers == [Appended(k, k) for k in range(1, 11)]


async def test_every_command_gets_its_own_answer_whatever_the_order_of_rows(store: Store):
    stored = [command(match_in(shard), count=k + 1) for k, shard in enumerate(SHARDS)]
    await asyncio.gather(*map(store.append, stored))
    mixed = [following(done) if k % 2 else command(done.match) for k, done in enumerate(reversed(stored))]

    answers = await asyncio.gather(*map(store.append, mixed))

    for k, (done, answer) in enumerate(zip(reversed(stored), answers, strict=True)):
        size = len(done.events)
        assert answer == (Appended(size + 1, size + 1) if k % 2 else Conflict(size))


async def test_a_command_the_database_refuses_does_not_take_its_batch_with_it(store: Store):
    good = [command(new_id()) for _ in range(4)]

    answers = await asyncio.gather(*map(store.append, [*good[:2], forged(), *good[2:]]), return_exceptions=True)

    assert [type(answer) for answer in answers] == [Appended, Appended, asyncpg.CheckViolationError, Appended, Appended]
    assert store.writer.lane.unknown == 0
    assert len(await everything(store)) == 4


@pytest.mark.fault(13)
async def test_a_match_that_stands_in_the_table_already_is_not_appended_twice(store: Store, database_url: str):
    # A row that no append wrote: the stream does not know of it, so only the primary key can say no.
    taken, good = command(new_id()), command(new_id())
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "insert into event select $1, $2, 1, 1000, 101, 1, $3, 0, 'x', '', sha256('\\x00'::bytea || 'x')",
        SHARDS[int(taken.match[-1], 16)],
        taken.match,
        taken.cmd,
    )
    await connection.close()

    answers = await asyncio.gather(store.append(taken), store.append(good), return_exceptions=True)

    assert [type(answer) for answer in answers] == [asyncpg.UniqueViolationError, Appended]


@pytest.mark.fault("F25")
async def test_a_full_queue_is_said_at_once_and_what_was_queued_is_stored(narrow: Store):
    answers = await asyncio.gather(*(narrow.append(command(new_id())) for _ in range(5)), return_exceptions=True)

    assert [type(answer) for answer in answers] == [Appended, Appended, Appended, Unavailable, Unavailable]
    assert isinstance(answers[-1], Unavailable)
    assert answers[-1].retry_after > 0
    assert len(await everything(narrow)) == 3
    assert isinstance(await narrow.append(command(new_id())), Appended)


async def test_a_caller_that_is_cancelled_does_not_cancel_the_batch(store: Store):
    commands = [command(new_id()) for _ in range(20)]
    tasks = [asyncio.create_task(store.append(one)) for one in commands]
    await asyncio.sleep(0)
    while store.writer.batches == 0:
        await asyncio.sleep(0)

    for task in tasks[::2]:
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(answer) for answer in answers] == [asyncio.CancelledError, Appended] * 10
    assert len(await everything(store)) == 20


async def test_a_caller_that_is_cancelled_in_the_queue_leaves_the_others_their_answers(store: Store):
    first = command(new_id())
    chain = [first, following(first)]
    chain.append(following(chain[-1]))
    tasks = [asyncio.create_task(store.append(one)) for one in chain]
    await asyncio.sleep(0)

    tasks[1].cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(answer) for answer in answers] == [Appended, asyncio.CancelledError, Appended]
    assert [event.version for event in await store.events(first.match)] == [1, 2, 3]


async def test_closing_stores_what_is_queued(database_url: str, store: Store):
    closing = await Store.connect(database_url)
    tasks = [asyncio.create_task(closing.append(command(new_id()))) for _ in range(300)]
    await asyncio.sleep(0)

    await closing.close(PATIENCE)

    answers = await asyncio.gather(*tasks)
    assert all(isinstance(answer, Appended) for answer in answers)
    assert len(await everything(store)) == 300


async def test_a_closed_store_takes_nothing_more(database_url: str):
    closed = await Store.connect(database_url)
    await closed.close()

    with pytest.raises(Unavailable):
        await closed.append(command(new_id()))
