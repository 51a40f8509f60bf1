"""The feed under the faults that Redis clients have had: cut, silent, flushed, slow, and a storm of cancellations."""

import asyncio
import gc
import os
import signal
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from services.embedded.folder import Folder
from services.embedded.valkey import Valkey
from services.feed import Feed
from services.feed.feed import CHANNEL
from services.ids import new_id
from tests.waiting import PATIENCE, eventually


@pytest.fixture
async def valkey(data_folder: Path) -> AsyncIterator[Valkey]:
    """A server of the test's own, which it may end."""
    folder = Folder(data_folder)
    folder.take()
    server = Valkey(folder)
    server.start()
    yield server
    server.stop()
    folder.leave()


def client_of(url: str) -> Redis:
    """A client that waits as long as the tests do."""
    return Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)


async def connected(feed: Feed, *, is_: bool = True) -> None:
    await eventually(lambda: feed.connected == is_)


async def heard(sender: Feed, receiver: Feed) -> None:
    """Until what ``sender`` publishes now arrives at ``receiver`` through the server."""
    got, match = asyncio.Event(), new_id()
    receiver.listen(lambda told, _: got.set() if told == match else None)

    def told() -> bool:
        sender.publish(match, 1)
        return got.is_set()

    await eventually(told)


@pytest.mark.fault(46, 57)
async def test_after_an_outage_of_the_server_both_ways_come_back_and_it_stops(valkey: Valkey):
    here, there, match = Feed(valkey.url), Feed(valkey.url), new_id()
    await here.start()
    await there.start()
    for _ in range(3):
        await connected(here)
        await connected(there)
        await heard(here, there)
        valkey.stop()
        for version in range(1000):
            here.publish(match, version + 1)  # neither waits nor fails
        await connected(here, is_=False)
        await connected(there, is_=False)
        valkey.start()
    await connected(here)
    await connected(there)
    await heard(here, there)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(here.stop(), there.stop())


@pytest.mark.fault(39, 57)
async def test_a_server_that_hangs_without_a_word_is_noticed_and_used_again(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("services.feed.feed._PING_SECONDS", 1)
    here, there, match = Feed(valkey.url), Feed(valkey.url), new_id()
    await here.start()
    await there.start()
    for _ in range(2):  # a second drop is noticed as the first was
        await connected(here)
        await connected(there)
        os.kill(valkey.pid, signal.SIGSTOP)
        try:
            here.publish(match, 1)
            await connected(here, is_=False)
            await connected(there, is_=False)
        finally:
            os.kill(valkey.pid, signal.SIGCONT)
        await heard(here, there)
    await asyncio.gather(here.stop(), there.stop())


@pytest.mark.fault(58)
async def test_a_subscriber_cut_off_for_its_slowness_comes_back_and_is_told_the_newest(valkey: Valkey):
    # given a server that cuts off subscribers with more than a little in their buffers
    admin = client_of(valkey.url)
    await admin.config_set("client-output-buffer-limit", "pubsub 32kb 16kb 1")
    feed, match = Feed(valkey.url), new_id()
    await feed.start()
    await connected(feed)
    before = {client["id"] for client in await admin.client_list(_type="pubsub")}
    # when more comes than it takes, since its process does not get to read
    pipe = admin.pipeline(transaction=False)
    for version in range(20_000):
        pipe.publish(CHANNEL, f"{match} {version + 1}")
    loop_is_held = asyncio.create_task(pipe.execute())
    with feed.watch(match) as watch:
        await loop_is_held
        for _ in range(20):
            async with admin.pipeline(transaction=False) as more:
                for version in range(2000):
                    more.publish(CHANNEL, f"{match} {version + 1}")
                await more.execute()
        await watch.changed(timeout=PATIENCE)
    # then a watcher was woken, and afterwards words arrive as before
    other = Feed(valkey.url)
    await other.start()
    await connected(other)
    await heard(other, feed)
    assert before
    await admin.aclose()
    await asyncio.gather(feed.stop(), other.stop())


@pytest.mark.fault(56)
async def test_a_storm_of_cancelled_feeds_gives_nobody_what_was_meant_for_another(valkey: Valkey):
    # given a listener, and senders that are stopped in the middle of whatever they do, and nobody else
    listener, got = Feed(valkey.url), dict[str, list[int]]()
    listener.listen(lambda match, version: got.setdefault(match, []).append(version))
    await listener.start()
    await connected(listener)
    sent = {new_id(): sender * 1000 + 1 for sender in range(60)}

    async def send(match: str, version: int) -> None:
        feed = Feed(valkey.url)
        await feed.start()
        try:
            for step in range(version % 7000 // 1000 + 1):
                feed.publish(match, version + step)
                await asyncio.sleep(0.001 * step)
        finally:
            await feed.stop()

    tasks = [asyncio.create_task(send(*item)) for item in sent.items()]
    for count, task in enumerate(tasks):
        if count % 3 == 0:
            await asyncio.sleep(0)
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    last = Feed(valkey.url)
    await last.start()
    await connected(last)
    await heard(last, listener)
    # then every word that was heard is one that was said
    for match, versions in got.items():
        if match in sent:
            assert all(sent[match] <= version < sent[match] + 7 for version in versions)
    assert len(got.keys() - sent.keys()) == 1  # the last word
    await asyncio.gather(last.stop(), listener.stop())


@pytest.mark.fault(47, 48)
async def test_a_hundred_thousand_watches_opened_and_closed_leave_no_memory_behind(redis_url: str):
    feed = Feed(redis_url)

    def open_and_close(times: int) -> None:
        for number in range(times):
            with feed.watch(f"match {number}"), feed.watch(f"match {number}"):
                feed.publish(f"match {number}", 1)

    open_and_close(1000)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    open_and_close(50_000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert feed.watchers == 0
    assert after - before < 100_000


@pytest.mark.fault(48, 49)
async def test_whoever_comes_as_the_last_one_goes_is_told(redis_url: str):
    feed = Feed(redis_url)
    told = 0

    async def come_and_go(number: int) -> None:
        nonlocal told
        for turn in range(50):
            with feed.watch("m") as watch:
                if (number + turn) % 5 == 0:
                    continue  # gone before anything was said
                feed.publish("m", turn)
                await watch.changed(timeout=PATIENCE)
                told += 1
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(come_and_go(number)) for number in range(20)]
    for task in tasks[::4]:
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert told >= 15 * 40
    assert feed.watchers == 0


@pytest.mark.fault(43, "F9")
async def test_words_that_make_no_sense_do_not_end_the_feed(redis_url: str):
    # given a feed, and somebody else who writes to its channel
    feed = Feed(redis_url)
    await feed.start()
    await connected(feed)
    client = client_of(redis_url)
    for word in (b"", b"m", b"m x", b"\xff\xfe 1", b"m 1 2", b"m -1", b"m " + b"9" * 5000, b"m \xc2\xb2"):
        await client.publish(CHANNEL, word)
    # then it goes on
    other = Feed(redis_url)
    await other.start()
    await connected(other)
    await heard(other, feed)
    assert not any(task.done() for task in feed._tasks)
    await client.aclose()
    await asyncio.gather(feed.stop(), other.stop())
