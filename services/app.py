"""Puts the parts together: the only place that knows them all."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import structlog

from services.api.context import Context
from services.api.limits import Limit, Limits
from services.bots import Bots
from services.clock import Clock, SharedTime
from services.disputes import Disputes
from services.feed import Feed
from services.matches import Matches
from services.past import Past
from services.projector import Projector
from services.readmodels import ReadModels
from services.roster import BOTS
from services.settings import Settings
from services.store.store import Store
from services.tails import Tails

log = structlog.get_logger()

RESTART_SECONDS: Final = 1.0


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Context]:
    """Everything of one process but the web server, connected and at work; on leaving, stopped in reverse order.

    The database must be migrated. ``closing`` of the context is set first, so that open streams can end.
    """
    async with AsyncExitStack() as stack:
        store = await Store.connect(settings.database_url)
        stack.push_async_callback(store.close)
        await store.ensure_players(BOTS)
        time = SharedTime(store.time)
        await time.measure()
        feed = Feed(settings.redis_url)
        await feed.start()
        stack.push_async_callback(feed.stop)
        secret = await store.server_secret()
        matches = Matches(store, feed, secret, time.now_ms)
        past = Past(store)
        tails = Tails(store, matches, past, feed)
        readmodels, projector = ReadModels(store), Projector(store)
        await projector.prepare()
        feed.listen(lambda _match, _version: projector.wake())
        bots = Bots(matches, readmodels, feed, settings.bot_pace)
        clock = Clock(readmodels, matches, time.now_ms)
        for name, work in (
            ("time", time.run),
            ("projector", projector.run),
            ("bots", bots.run),
            ("clock", clock.run),
            ("tails", tails.run),
        ):
            task = asyncio.create_task(_kept_going(name, work))
            stack.push_async_callback(_ended, task)
        context = Context(
            store=store,
            matches=matches,
            disputes=Disputes(store, matches, secret),
            feed=feed,
            past=past,
            tails=tails,
            readmodels=readmodels,
            projector=projector,
            cors_origins=settings.cors_origins,
            limits=Limits(Limit(settings.rate_players), Limit(settings.rate_reads)),
        )
        context.closing.tell = tails.wake
        stack.callback(context.closing.set)
        yield context


async def _kept_going(name: str, work: Callable[[], Awaitable[None]]) -> None:
    """Runs ``work`` for ever: what it did not foresee is logged, and it begins again."""
    while True:
        try:
            await work()
        except Exception:
            log.exception("a part of the service failed and is started again", part=name)
        await asyncio.sleep(RESTART_SECONDS)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
