"""Puts the parts together: the only place that knows them all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from services.api import figures
from services.api.addresses import Proxies
from services.api.context import Context
from services.api.limits import KINDS, Limits
from services.api.presence import Presence
from services.api.server import within_files
from services.api.tokens import Tokens
from services.api.wire import Bounds, Wire
from services.bots import Bots
from services.clock import Clock, SharedTime
from services.disputes import Disputes
from services.erasures import Erasures, record_in
from services.feed import Buckets, Feed
from services.matches import Matches
from services.openid import Provider
from services.parts import Parts
from services.peers import Peers
from services.projector import Projector
from services.readmodels import ReadModels
from services.roster import BOTS
from services.settings import Settings, seconds_in
from services.store.store import Store
from services.tails import Tails
from services.tracing import Tracer, tracer


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Context]:
    """Everything of one process but the web server, connected and at work; on leaving, stopped in reverse order.

    The database must be migrated. ``closing`` of the context is set first, so that open streams can end.
    """
    async with AsyncExitStack() as stack:
        spans = _tracer(settings, stack)
        store = await Store.connect(settings.database_url)
        stack.push_async_callback(store.close)
        await store.ensure_players(BOTS)
        time = SharedTime(store.time)
        await time.measure()
        feed = Feed(settings.redis_url)
        await feed.start()
        stack.push_async_callback(feed.stop)
        buckets = Buckets(settings.redis_url)
        stack.push_async_callback(buckets.close)
        secret = await store.server_secret()
        matches = Matches(store, feed, secret, time.now_ms)
        tails = Tails(store, matches, feed)
        peers = Peers(store)
        stack.push_async_callback(peers.leave)
        await peers.beat()
        readmodels, projector = ReadModels(store), Projector(store, mine=peers.mine)
        await projector.prepare()
        feed.listen(lambda _match, _version: projector.wake())
        presence = Presence(store, peers.id)
        bots = Bots(matches, readmodels, feed, settings.bot_pace, peers.mine)
        peers.listen(bots.look_again)
        clock = Clock(readmodels, matches, time.now_ms, mine=peers.mine)
        parts = Parts()
        stack.push_async_callback(parts.stop)
        for name, work in (
            ("time", time.run),
            ("peers", peers.run),
            ("projector", projector.run),
            ("bots", bots.run),
            ("clock", clock.run),
            ("tails", tails.run),
            ("presence", presence.run),
        ):
            parts.start(name, work)
        context = Context(
            store=store,
            erasures=Erasures(store, record_in(settings.backups)),
            matches=matches,
            disputes=Disputes(store, matches, secret),
            feed=feed,
            tails=tails,
            readmodels=readmodels,
            projector=projector,
            peers=peers,
            bots=bots,
            tokens=Tokens(store.player_of),
            token_life=float(seconds_in(settings.token_life)),
            provider=_provider(settings, stack),
            cors_origins=settings.cors_origins,
            hsts_seconds=settings.hsts_seconds,
            limits=Limits(
                {kind: getattr(settings, f"rate_{kind}") for kind in KINDS}, buckets, alone=settings.rate_alone
            ),
            wire=Wire(_bounds(settings), Proxies(settings.trusted_proxies)),
            presence=presence,
            parts=parts,
            now=time.now_ms,
            tracer=spans,
        )
        context.store.writer.observe(context.metrics.stored)
        context.feed.observe(context.metrics.returned)
        parts.start("figures", partial(figures.run, context))
        context.closing.tell = tails.wake
        stack.callback(context.closing.set)
        yield context


def _tracer(settings: Settings, stack: AsyncExitStack) -> Tracer | None:
    spans = tracer(settings)
    if spans is not None:
        stack.push_async_callback(asyncio.to_thread, spans.close)
    return spans


def _provider(settings: Settings, stack: AsyncExitStack) -> Provider | None:
    if not settings.oidc_issuer:
        return None
    provider = Provider(
        settings.oidc_issuer,
        settings.oidc_client_id,
        settings.oidc_client_secret,
        settings.oidc_redirect_uri,
        settings.oidc_scope,
    )
    stack.push_async_callback(provider.close)
    return provider


def _bounds(settings: Settings) -> Bounds:
    return within_files(
        Bounds(
            connections=settings.connections,
            each=settings.address_connections,
            head=settings.head_seconds,
            body=settings.body_seconds,
            stalled=settings.stall_seconds,
        )
    )
