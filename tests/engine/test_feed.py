"""The feed is quick with Redis, late without, and wrong never; it comes back by itself and it stops when told."""

import asyncio
from contextlib import suppress

import pytest
from redis.asyncio import Redis

from services.feed import Feed


async def connected(feed: Feed) -> None:
    async with asyncio.timeout(20):
        while not feed.connected:
            await asyncio.sleep(0.02)


async def test_a_watcher_in_another_process_is_told(redis_url: str):
    here, there = Feed(redis_url), Feed(redis_url)
    await here.start()
    await there.start()
    await connected(here)
    await connected(there)
    heard: list[tuple[str, int]] = []
    there.listen(lambda match, version: heard.append((match, version)))
    with there.watch("m") as watch:
        here.publish("m", 7)
        await watch.changed(timeout=20)
    assert heard == [("m", 7)]
    await here.stop()
    await there.stop()


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
    feed = Feed(redis_url)
    await feed.start()
    client = Redis.from_url(redis_url)
    for _ in range(3):
        await connected(feed)
        await client.client_kill_filter(_type="pubsub")
        await client.client_kill_filter(_type="normal", skipme=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                while feed.connected:
                    feed.publish("m", 1)
                    await asyncio.sleep(0.02)
    await connected(feed)
    await client.aclose()
    await feed.stop()


async def test_a_feed_without_a_server_neither_waits_nor_fails():
    feed = Feed("redis://127.0.0.1:1")
    await feed.start()
    with feed.watch("m") as watch:
        for version in range(1000):
            feed.publish("m", version)
        await watch.changed(timeout=60)
    assert not feed.connected
    await feed.stop()


async def test_a_feed_that_has_just_started_stops(redis_url: str):
    for turns in range(20):
        feed = Feed(redis_url)
        await feed.start()
        for _ in range(turns):
            await asyncio.sleep(0)
        await feed.stop()
