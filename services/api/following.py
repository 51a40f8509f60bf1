"""Following a match: what one reader may see of it, event by event, each once and in order, from any version on.

A follower is pulled: it takes what the tail of its match has, or reads the store where the tail does not reach, and
then goes on. A reader that stops reading holds one page in memory and no queue; later it goes on and misses nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Self

import msgspec
import structlog

from domain.game import Viewer
from domain.match import EVENTS
from domain.match.state import State, evolve
from services.api.caller import Sight, seen_by
from services.api.context import Context
from services.api.tables import live_table, players_of
from services.disclosure import shown
from services.problems import Forbidden
from services.store.records import Player, Step, StoredEvent, StoredOpening, Unavailable
from services.tails import contiguous

log = structlog.get_logger()

PAGE: Final = 100
PAGE_BYTES: Final = 32 * 1024
"""How much is made at once for one reader, if a single event is not more than that."""
HEARTBEAT_SECONDS: Final = 15.0
"""After how long a silent reader is asked anew whether it may still read."""
PARTING_SECONDS: Final = 1.0
"""How long a reader that has stopped reading may hold up the end, in seconds."""

Form = Callable[[int, str, bytes], bytes]
"""How a frame is written: from the version, the type and the JSON of an event."""


class Unwelcome(Exception):
    """The follower may not see the match any more; the message says why."""


class Follower:
    """One reader of one match. ``after`` is the version that it has seen; ``ended`` says that nothing will follow.

    ``token`` is the hash of the one that was sent: the follower does not outlive it. It is a context manager: inside it
    shows as connected, and afterwards nothing of it is left.
    """

    __slots__ = (
        "_asked", "_context", "_form", "_limit", "_live", "_moved", "_seen", "_state", "_tables", "_tail", "_token",
        "after", "gone", "match",
    )  # fmt: skip

    def __init__(
        self, context: Context, seen: Sight, token: bytes | None, after: int, form: Form, *, tables: bool
    ) -> None:
        self.match = seen.match
        self.after = after
        self.gone = False
        self._context = context
        self._seen = seen
        self._token = token
        self._form = form
        self._tables = tables
        self._moved = asyncio.Event()
        self._asked = token is None
        self._state: State | None = None
        self._limit: asyncio.Timeout | None = None
        self._live = False

    def __enter__(self) -> Self:
        self._context.presence.come(self.match, self._player)
        self._join(late=self._seen.late)
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        self._context.presence.go(self.match, self._player)

    @property
    def ended(self) -> bool:
        """Whether the match is over and its last event was read."""
        return self._tail.state.over and self.after >= self._tail.version

    @property
    def parting(self) -> bool:
        """Whether it is time to end: the reader is gone, or the service ends."""
        return self.gone or self._context.closing.is_set()

    def wake(self) -> None:
        """There may be something new, or it is time to end: then a reader that does not read is not waited for."""
        self._moved.set()
        if self._limit is not None and self.parting:
            self._limit.reschedule(asyncio.get_running_loop().time() + PARTING_SECONDS)

    def part(self) -> None:
        """The reader is gone."""
        self.gone = True
        self.wake()

    async def wait(self, seconds: float) -> None:
        """Until there may be something new, or it is time to end, but no longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._moved.wait()
        self._moved.clear()

    async def send(self, writing: Awaitable[None]) -> None:
        """Waits for one write, but not for a reader that does not read when it is time to end.

        Raises ``TimeoutError`` then. One write is waited for at a time.
        """
        try:
            async with asyncio.timeout(PARTING_SECONDS if self.parting else None) as self._limit:
                await writing
        finally:
            self._limit = None

    async def read(self, *, checking: bool = False) -> list[bytes]:
        """The frames that follow; none if nothing has happened or the store is away.

        Whether the reader may still read is asked before anything is shown, and without that if ``checking``. Raises
        ``Unwelcome`` if not.
        """
        try:
            return await self._read(checking=checking)
        except Unavailable as error:
            log.warning("a follower waits for the store", match=self.match, error=str(error))
            return []
        except Forbidden as error:
            raise Unwelcome(str(error)) from error

    async def _read(self, *, checking: bool) -> list[bytes]:
        if checking and self._token is not None:
            self._tail.ask_again(HEARTBEAT_SECONDS / 2)
        await self._tail.fresh()
        seen = await self._sight(anew=not self._asked)
        if seen.late is not self._tail.late:  # has sat down before the start, or become an arbiter
            self._leave()
            self._join(late=seen.late)
            return await self._read(checking=checking)
        steps = self._tail.after(self.after)
        return await self._caught_up() if steps is None else await self._taken(steps, seen.viewer)

    async def _sight(self, *, anew: bool) -> Sight:
        """Who reads, as of now: whoever watches may have taken a seat, have left it or have been erased."""
        tail, player = self._tail, None
        if self._token is not None:
            known = await self._context.store.holders([self._token]) if anew else tail.holders
            player = known.get(self._token)
            if player is None:
                raise Unwelcome("the token was revoked")
            tail.holders[self._token] = player
            self._asked = True
        return seen_by(tail.state, tail.head, player)

    async def _taken(self, steps: Sequence[Step], viewer: Viewer) -> list[bytes]:
        """Frames of the newest events, each made once for all who look with the same eyes."""
        tail, frames, size = self._tail, list[bytes](), 0
        self._state = None
        if steps and self._live and not tail.late:
            self._context.metrics.followed((self._context.now() - steps[-1].event.at) / 1000)
        self._live = True
        if self._tables and steps and tail.names is None:
            tail.names = await self._context.store.names(players_of([tail.state]))
        if self._tables and steps:
            await self._context.presence.look(self.match)
        for step in steps:
            key = step.event.version, viewer, tail.state.opened, self._form, self._tables
            frame = tail.made.get(key)
            if frame is None:
                state = step.state if self._tables else None
                frame = tail.made[key] = self._frame(step.event, step.openings, viewer, state, tail.names or {})
            frames.append(frame)
            self.after = step.event.version
            size += len(frame)
            if size > PAGE_BYTES:
                break
        return frames

    async def _caught_up(self) -> list[bytes]:
        """Frames of older events, from the store."""
        context, store, tail = self._context, self._context.store, self._tail
        events = await store.events(self.match, after=self.after, limit=min(PAGE, tail.version - self.after))
        contiguous(self.after, events)
        openings = await store.openings(self.match, after=self.after, until=events[-1].version)
        viewer = (await self._sight(anew=True)).viewer
        names: dict[str, str] = {}
        if self._tables:
            names = await store.names(players_of([tail.state]))
            await context.presence.look(self.match)
            if self._state is None or self._state.version != self.after:
                self._state = (await context.matches.past.at(self.match, self.after))[0] if self.after else State()
        frames, size = list[bytes](), 0
        for event in events:
            own = [entry for entry in openings if entry.version == event.version]
            if self._state is not None and self._tables:
                self._state = evolve(self._state, event.decoded([entry.opening for entry in own]))
            frames.append(self._frame(event, own, viewer, self._state if self._tables else None, names))
            self.after = event.version
            size += len(frames[-1])
            if size > PAGE_BYTES:
                break
        return frames

    def _frame(
        self,
        event: StoredEvent,
        openings: Sequence[StoredOpening],
        viewer: Viewer,
        state: State | None,
        names: dict[str, str],
    ) -> bytes:
        """``state`` is the match after the event if the table is to be told, too."""
        (data,) = shown([event], openings, viewer, self._tail.state.opened)
        if state is not None:
            table = live_table(state, event.hash, viewer, names, self._context.presence)
            data = data[:-1] + b',"table":' + msgspec.json.encode(table) + b"}"
        return self._form(event.version, EVENTS.coded(event.code).name, data)

    @property
    def _player(self) -> str | None:
        """Whom it makes present: a spectator is nobody in particular."""
        player: Player | None = self._seen.player
        return None if player is None else player.player

    def _join(self, *, late: bool) -> None:
        tail = self._tail = self._context.tails.follow(self.match, self.wake, self._token, late=late)
        tail.naming += self._tables
        if self._token is not None and self._seen.player is not None:
            tail.holders.setdefault(self._token, self._seen.player)

    def _leave(self) -> None:
        self._tail.naming -= self._tables
        self._context.tails.leave(self._tail, self.wake)
