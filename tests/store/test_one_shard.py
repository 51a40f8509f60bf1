"""The same tests for the append of a distributed database, which takes a batch of one shard.

Its function is plain PostgreSQL, so races, lost answers and bad commands are tried on it here as on the other; only
that a call goes to the machine of its shard is Citus's own.
"""

from collections.abc import Callable, Iterator
from types import ModuleType
from urllib.parse import urlsplit

import pytest

from services.ids import SHARDS
from services.store import shard_batch
from services.store.connection import Connection
from services.store.records import Appended, Conflict
from services.store.shard_writers import ShardWriters
from services.store.store import Store
from tests.conftest import sql
from tests.store import test_append, test_batches, test_order, test_race, test_unknown_outcome
from tests.store.matches import command, everything, following, match_in

SAY_SO = "create or replace function is_distributed() returns boolean language sql stable as 'select true'"

OTHERS: dict[ModuleType, set[str]] = {
    test_append: set(),
    test_race: set(),
    test_order: {
        "test_nothing_is_acknowledged_before_a_synchronous_standby_has_it",
        "test_memory_is_flat_over_a_quarter_of_a_million_decodes",
        "test_an_event_of_a_stalled_writer_is_read_however_much_was_stored_meanwhile",
        "test_a_batch_of_nothing_appends_nothing",
    },
    test_batches: {
        "test_commands_that_arrive_together_are_one_batch",
        "test_a_batch_is_bounded_and_the_rest_is_the_next",
        "test_a_batch_has_one_command_of_a_match_and_the_second_waits",
        "test_a_full_queue_is_said_at_once_and_what_was_queued_is_stored",
        "test_commands_of_a_match_keep_their_order",
    },
    test_unknown_outcome: {
        "test_commit_done_and_reply_dropped_is_answered_as_appended",
        "test_no_answer_in_time_ends_the_connection_and_the_command_is_found",
        "test_a_server_killed_under_load_loses_nothing_acknowledged",
        "test_a_database_that_stays_away_is_said_and_comes_back_into_use",
    },
}
"""Where the tests are, and which of them are about one lane, a server of their own, or no append at all."""

for module, left_out in OTHERS.items():
    for name in dir(module):
        fixture = type(getattr(module, name)).__name__ == "FixtureFunctionDefinition"
        if fixture or (name.startswith("test_") and name not in left_out):
            globals()[name] = getattr(module, name)


@pytest.fixture
def database_url(fresh_database: Callable[[], str], servers: tuple[str, str]) -> Iterator[str]:
    """A database that says it is distributed, so that stores on it append by shard."""
    url = fresh_database()
    sql(url, SAY_SO)
    yield url
    sql(servers[0], f"drop database if exists {urlsplit(url).path[1:]} with (force)")


async def test_a_store_on_a_distributed_database_has_a_writer_for_each_shard(store: Store):
    assert store.distributed
    assert isinstance(store.writer, ShardWriters)
    moves = [command(match_in(shard)) for shard in SHARDS for _ in range(3)]

    for move in moves:
        assert isinstance(await store.append(move), Appended)

    assert (store.writer.commands, store.writer.batches, store.writer.queued) == (48, 48, 0)
    assert (store.writer.lane.unknown, store.writer.lane.found, store.writer.lane.down) == (0, 0, False)
    assert await store.versions([move.match for move in moves]) == {move.match: 1 for move in moves}
    assert await store.heads() == dict.fromkeys(SHARDS, 3)


async def test_a_batch_of_one_shard_answers_each_command_by_itself(store: Store, session: Connection):
    old, new, late, ahead = (command(match_in(SHARDS[4]), text=text) for text in "abcd")
    await store.append(old)
    await store.append(late)
    wrong = following(following(ahead))

    sent = await shard_batch.send(session, [following(old, count=2), new, command(late.match, text="z"), wrong])

    assert sent == [Appended(3, 4), Appended(1, 5), Conflict(1), Conflict(0)]
    assert await shard_batch.held(session, [wrong, new, old]) == {1: Appended(1, 5), 2: Appended(1, 1)}
    assert len(await everything(store)) == 5


async def test_a_batch_over_two_shards_is_not_sent(session: Connection):
    with pytest.raises(AssertionError):
        await shard_batch.send(session, [command(match_in(shard)) for shard in SHARDS[:2]])
    assert await shard_batch.send(session, []) == []
    assert await shard_batch.held(session, []) == {}
