"""The stream of a match: its events as server-sent events, from any version on, each exactly once and in order.

A stream is pulled: it registers with the feed, reads from the store, writes, and only then reads on. A reader that
stops reading holds one page in memory and no queue; when it goes on, it goes on in the store.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
import structlog
from litestar.types import Receive, Scope, Send

from domain.game import Viewer
from domain.hidden import Opening
from domain.match import EVENTS
from domain.match.state import MatchAbandoned, MatchEnded, State, evolve
from services.api.caller import Sight, seen_by
from services.api.context import Context
from services.api.tables import live_table, players_of
from services.disclosure import shown
from services.problems import Forbidden
from services.store.records import StoredEvent, Unavailable, by_version

log = structlog.get_logger()

PAGE: Final = 100
HEARTBEAT_SECONDS: Final = 15.0
POLL_SECONDS: Final = 2.0
_PARTING_SECONDS: Final = 1.0
_HEARTBEAT: Final = b": still here\n\n"
_RETRY: Final = b"retry: 1000\n\n"
_LAST: Final = (MatchEnded, MatchAbandoned)


class Stream:
    """One open stream, as an ASGI application. ``after`` is the version after which it begins.

    ``token`` is the hash of the one that it was asked for with: the stream does not outlive it.
    """

    def __init__(self, context: Context, seen: Sight, token: bytes | None, after: int, *, tables: bool) -> None:
        self._context = context
        self._seen = seen
        self._token = token
        self._after = after
        self._tables = _Tables(context) if tables else None
        self._ended = False

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Runs until the match is over, the reader is gone or not welcome any more, or the service ends."""
        player = self._seen.player.player if self._seen.player else None
        self._context.metrics.streams.inc()
        self._context.presence.come(self._seen.match, player)
        try:
            await self._run(receive, send)
        finally:
            self._context.metrics.streams.dec()
            self._context.presence.go(self._seen.match, player)

    async def _run(self, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        writing = asyncio.create_task(self._write(send))
        leaving = asyncio.create_task(_gone(receive))
        closing = asyncio.create_task(self._context.closing.wait())
        try:
            await asyncio.wait({writing, leaving, closing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended = writing.done()
            for task in (writing, leaving, closing):
                task.cancel()
            results = await asyncio.gather(writing, leaving, closing, return_exceptions=True)
        if ended and isinstance(results[0], Exception):
            log.error("a stream broke off", match=self._seen.match, after=self._after, exc_info=results[0])
        with suppress(TimeoutError):  # a reader that has stopped reading is not waited for
            async with asyncio.timeout(_PARTING_SECONDS):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send) -> None:
        clock = asyncio.get_running_loop()
        await self._send(send, _RETRY)
        written = clock.time()
        with self._context.feed.watch(self._seen.match) as watch:
            while not self._ended:
                left = written + HEARTBEAT_SECONDS - clock.time()
                frames = await self._read(checking=left <= 0)
                if frames is None:
                    return
                if not frames and left > 0:
                    await watch.changed(min(left, POLL_SECONDS))
                    continue
                await self._send(send, frames or _HEARTBEAT)
                written = clock.time()

    @staticmethod
    async def _send(send: Send, data: bytes) -> None:
        await send({"type": "http.response.body", "body": data, "more_body": True})

    async def _read(self, *, checking: bool) -> bytes | None:
        """The frames that follow; empty if nothing has happened or the store is away, None when the stream must end.

        Whether the reader may still read is asked before anything is shown, and without that if ``checking``.
        """
        try:
            events = await self._context.store.events(self._seen.match, after=self._after, limit=PAGE)
            _check_contiguous(self._after, events)
            viewer, opened = await self._viewer() if events or checking else ("public", 0)
            frames = await self._framed(events, viewer, opened) if events else b""
        except Unavailable as error:
            log.warning("a stream waits for the store", match=self._seen.match, error=str(error))
            return b""
        except (Forbidden, _Revoked) as error:
            log.info("a stream ends before its match", match=self._seen.match, after=self._after, why=str(error))
            return None
        if events:
            self._after = events[-1].version
            self._ended = EVENTS.coded(events[-1].code).cls in _LAST
        return frames

    async def _viewer(self) -> tuple[Viewer, int]:
        """Who reads, and how many hands are open to everybody, as of now: whoever watches may have taken a seat, have
        left it or have been erased. Raises ``Forbidden`` for whoever may not see the match any more.
        """
        player = None
        if self._token is not None:
            player = await self._context.store.player_of(self._token)
            if player is None:
                raise _Revoked("the token was revoked")
        state = await self._context.matches.state(self._seen.match)
        return seen_by(state, player).viewer, state.opened

    async def _framed(self, events: Sequence[StoredEvent], viewer: Viewer, ended: int) -> bytes:
        """``ended`` is the number of hands that are open to everybody."""
        match, last = self._seen.match, events[-1].version
        openings = await self._context.store.openings(match, after=self._after, until=last)
        frames = []
        opened = by_version(openings)
        if self._tables is not None:
            self._tables.forget_names()
        for event, data in zip(events, shown(events, openings, viewer, ended), strict=True):
            text = data
            if self._tables is not None:
                table = await self._tables.after(event, opened.get(event.version, ()), viewer)
                text = data[:-1] + b',"table":' + table + b"}"
            name = EVENTS.coded(event.code).name
            frames.append(b"id: %d\nevent: %s\ndata: %s\n\n" % (event.version, name.encode(), text))
        return b"".join(frames)


class _Revoked(Exception):
    """The token that the stream was asked for with is none any more."""


def _check_contiguous(after: int, events: Sequence[StoredEvent]) -> None:
    for place, event in enumerate(events, start=after + 1):
        if event.version != place:
            raise AssertionError(f"event {place} is missing: the store gave {event.version}")


class _Tables:
    """The table after each event, folded step by step."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._state = State()
        self._names: dict[str, str] = {}

    def forget_names(self) -> None:
        """They are asked for anew: players change their names, and go."""
        self._names.clear()

    async def after(self, event: StoredEvent, openings: Sequence[Opening], viewer: Viewer) -> bytes:
        """``openings`` are all those of the event."""
        context, match = self._context, event.match
        if self._state.version != event.version - 1:
            before = event.version - 1
            self._state = await context.matches.state(match, before) if before else State()
        self._state = evolve(self._state, event.decoded(openings))
        new = players_of([self._state]) - self._names.keys()
        if new:
            self._names |= await context.store.names(new)
        await context.presence.look(match)
        table = live_table(self._state, event.hash, viewer, self._names, context.presence)
        return msgspec.json.encode(table)


async def _gone(receive: Receive) -> None:
    """Returns when the reader is gone."""
    message: Any = await receive()
    while message["type"] != "http.disconnect":
        message = await receive()
