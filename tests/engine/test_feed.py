"""The feed is quick with Redis, late without, and wrong never; it comes back by itself and it stops when told."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from services.feed import Feed
from services.feed.feed import CHANNEL, REST_SECONDS
from tests.engine.test_redis import client_of, connected, heard
from tests.waiting import PATIENCE, eventually

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"


def of_match(listener: Callable[[int], object]) -> Callable[[str, int], None]:
    """Hears of ``MATCH`` alone: other tests' services speak on the same server, clocks of theirs strike."""

    def hear(match: str, version: int) -> None:
        if match == MATCH:
            listener(version)

    return hear


def told(heard: list[int], version: int) -> bool:
    return heard.count(version) == 2


@pytest.fixture
async def two(redis_url: str) -> AsyncIterator[tuple[Feed, Feed]]:
    """As of two processes that hear each other."""
    feeds = Feed(redis_url), Feed(redis_url)
    for feed in feeds:
        await feed.start()
        await connected(feed)
    yield feeds
    for feed in feeds:
        await feed.stop()


async def test_a_watcher_in_another_process_is_told(two: tuple[Feed, Feed]):
    here, there = two
    heard: list[int] = []
    there.listen(of_match(heard.append))
    with there.watch(MATCH) as watch:
        here.publish(MATCH, 7)
        await watch.changed(timeout=PATIENCE)
    assert heard == [7]


async def test_a_watch_remembers_what_came_between_reading_and_waiting(redis_url: str):
    feed = Feed(redis_url)
    with feed.watch("m") as watch:
        feed.publish("m", 1)
        await watch.changed(timeout=3600)


@pytest.mark.fault(43)
async def test_a_watch_without_news_returns_to_be_a_poll(redis_url: str):
    feed = Feed(redis_url)
    with feed.watch("m") as watch:
        await watch.changed(timeout=0.01)
    assert feed.watchers == 0


@pytest.mark.fault(39, 57)
async def test_the_feed_comes_back_after_its_connections_were_cut(redis_url: str):
    feed, other = Feed(redis_url), Feed(redis_url)
    await feed.start()
    await other.start()
    client = client_of(redis_url)
    for _ in range(3):
        await connected(feed)
        await client.client_kill_filter(_type="pubsub")
        await client.client_kill_filter(_type="normal", skipme=True)
        await heard(other, feed)
        await heard(feed, other)
    await client.aclose()
    await feed.stop()
    await other.stop()


async def test_a_feed_without_a_server_neither_waits_nor_fails():
    feed = Feed("redis://127.0.0.1:1")
    await feed.start()
    with feed.watch("m") as watch:
        for version in range(1000):
            feed.publish("m", version)
        await watch.changed(timeout=PATIENCE)
    assert not feed.connected
    await feed.stop()


async def test_a_feed_that_has_just_started_stops(redis_url: str):
    for turns in range(20):
        feed = Feed(redis_url)
        await feed.start()
        for _ in range(turns):
            await asyncio.sleep(0)
        await feed.stop()


async def test_what_cannot_be_read_is_passed_over_and_the_next_message_is_heard(redis_url: str):
    # given a feed that hears the others
    feed, client = Feed(redis_url), client_of(redis_url)
    await feed.start()
    await connected(feed)
    heard: list[int] = []
    feed.listen(of_match(heard.append))
    # when somebody else writes to its channel, and then a process of ours
    wrong: list[Any] = [
        b"",
        b"x",
        b"\xff\xfe",
        b"m x",
        f"{MATCH} x",
        f"{MATCH} -1",
        f"{MATCH} 1.5",
        f"{MATCH}  1",
        MATCH,
        b"[1]" * 9,
    ]
    wrong += [f"{MATCH} {10**30}", "{}", "null null"]
    for data in wrong:
        await client.publish(CHANNEL, data)
    await client.publish(CHANNEL, f"{MATCH} 7")
    # then what was wrong is counted, and the feed goes on
    await eventually(lambda: heard == [7])
    assert feed.counts["unread"] == len(wrong)
    assert feed.connected
    assert feed.counts["lost"] == 0
    await client.aclose()
    await feed.stop()


async def test_what_is_said_of_many_matches_at_once_is_heard_of_each(two: tuple[Feed, Feed]):
    # given two processes
    here, there = two
    told = {f"0190a7c4-0000-7000-8000-{number:012d}": number + 1 for number in range(2500)}
    heard: dict[str, int] = {}
    there.listen(lambda match, version: heard.update({match: version}) if match in told else None)
    # when many matches move at one moment, some of them twice
    for match, version in told.items():
        here.publish(match, version)
        here.publish(match, version + 1)
    # then the other hears of each where it is now
    await eventually(lambda: heard == {match: version + 1 for match, version in told.items()})
    assert there.counts["unread"] == 0


async def test_a_busy_process_says_now_and_then_where_its_matches_are(two: tuple[Feed, Feed]):
    here, there = two
    heard: list[int] = []
    there.listen(of_match(heard.append))
    clock = asyncio.get_running_loop().time
    began = clock()
    # when a match moves more often than can be said
    for version in range(1, 201):
        here.publish(MATCH, version)
        await asyncio.sleep(0.001)
    # then the other hears of it once after each rest, and at last where it is
    await eventually(lambda: heard[-1:] == [200])
    assert len(heard) <= (clock() - began) / REST_SECONDS + 1


async def test_a_listener_that_fails_keeps_nobody_from_hearing(two: tuple[Feed, Feed]):
    here, there = two
    heard: list[int] = []

    def fails(version: int) -> None:
        raise ZeroDivisionError(version)

    for feed in (here, there):
        feed.listen(of_match(fails))
        feed.listen(of_match(heard.append))
    with there.watch(MATCH) as watch:
        for version in (1, 2):
            here.publish(MATCH, version)
            await watch.changed(timeout=PATIENCE)
            await eventually(partial(told, heard, version))  # who says it is not told again by Redis
    assert (here.counts["failed"], there.counts["failed"]) == (2, 2)


async def test_a_connection_that_is_cut_for_not_reading_comes_back(redis_url: str):
    # given a feed that Redis cuts off as soon as a little is waiting for it
    feed, client = Feed(redis_url), client_of(redis_url)
    await feed.start()
    await connected(feed)
    limit = "client-output-buffer-limit"
    before = (await client.config_get(limit))[limit]
    await client.config_set(limit, "pubsub 4096 4096 1")
    try:
        # when more is published at once than that
        for _ in range(20):
            await client.publish(CHANNEL, b"x" * 100_000)
        await eventually(lambda: feed.counts["lost"] >= 1)
    finally:
        await client.config_set(limit, str(before))
    # then it is cut, says so, and comes back
    await connected(feed)
    other = Feed(redis_url)
    await other.start()
    await connected(other)
    await heard(other, feed)
    await connected(feed)
    assert feed.detail == "at once"
    await client.aclose()
    await feed.stop()
    await other.stop()


async def test_a_process_that_was_held_up_itself_does_not_take_the_server_for_gone(redis_url: str, monkeypatch):
    # given a feed that takes a server for gone that says nothing for more than two seconds
    monkeypatch.setattr("services.feed.feed._PING_SECONDS", 1)
    here, there = Feed(redis_url), Feed(redis_url)
    for feed in (here, there):
        await feed.start()
        await connected(feed)

    async def held_up() -> bool:
        """Whether it is still the same connection after its own process did not get to listen for longer."""
        await connected(here)
        before = here.counts["lost"]
        time.sleep(4)  # noqa: ASYNC251 - nothing goes on in this process
        await heard(there, here)
        return here.counts["lost"] == before

    # then it goes on with the connection that it has: unless it was the server that stood still just then
    assert await held_up() or await held_up() or await held_up()
    await here.stop()
    await there.stop()


async def test_a_server_that_falls_silent_is_left_and_found_again(redis_url: str, monkeypatch):
    # given a line to Redis that stays open but on which nothing comes any more
    monkeypatch.setattr("services.feed.feed._PING_SECONDS", 1)
    address = urlsplit(redis_url)
    held = asyncio.Event()
    held.set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await held.wait()
                writer.write(data)
                await writer.drain()
        writer.close()

    async def line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if address.scheme == "unix":
            there, back = await asyncio.open_unix_connection(address.path)
        else:
            there, back = await asyncio.open_connection(address.hostname, address.port)
        await asyncio.gather(pump(reader, back), pump(there, writer))

    proxy = await asyncio.start_server(line, "127.0.0.1", 0)
    port = proxy.sockets[0].getsockname()[1]
    feed = Feed(f"redis://127.0.0.1:{port}")
    await feed.start()
    await connected(feed)
    # when it is silent, then the feed says so
    held.clear()
    await eventually(lambda: not feed.connected)
    assert feed.detail.startswith("by polling only")
    # and when it speaks again, the feed is back
    held.set()
    await connected(feed)
    await feed.stop()
    proxy.close()
