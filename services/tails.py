"""The tails of the matches that somebody follows: their newest events, read once for all who follow them here.

However many follow a match, what is new is read from the store once, by whoever asks first; what this very process has
stored it need not read. Who is too slow for a tail reads the store itself. The feed says when to look; one question for
all matches every ``POLL_SECONDS`` makes up for whatever the feed has missed.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Final

import structlog

from domain.match import seating
from domain.match.state import State, evolve
from services.feed import Feed
from services.matches import Matches
from services.store.records import Player, Step, StoredEvent, StoredOpening, Unavailable
from services.store.store import Store

log = structlog.get_logger()

KEPT: Final = 32
"""How many events a tail holds at most."""
KEPT_BYTES: Final = 64 * 1024
"""How many bytes of events a tail holds at most."""
PAGE: Final = 200
POLL_SECONDS: Final = 2.0
_HIDDEN: Final = b'"digest"'
"""Stands in every event that has a hidden value, and so openings."""


Wake = Callable[[], None]


class Tail:
    """The end of one match as somebody follows it: up to now, or with ``source`` up to what the public may see of that.

    ``state`` and ``head`` are those after the last event that was read. ``holders`` are the players behind the tokens
    that are held here, and ``names`` what the players of the match are called: both as they were when that event was
    there already.
    """

    def __init__(self, match: str, store: Store, matches: Matches, source: "Tail | None") -> None:
        self.match = match
        self.state = State()
        self.head = b""
        self.holders: dict[bytes, Player] = {}
        self.names: dict[str, str] | None = None
        self.made: dict[Hashable, bytes] = {}
        self.followers: dict[Wake, bytes | None] = {}
        self.naming = 0
        self._store = store
        self._matches = matches
        self._source = source
        self._steps: deque[Step] = deque()
        self._ahead: list[Step] = []
        self._bytes = 0
        self._known = 0
        self._asked_at = float("-inf")
        self._ask = False
        self._reading: asyncio.Task[None] | None = None

    @property
    def late(self) -> bool:
        """Whether this is what the public sees of a match that may have a delay."""
        return self._source is not None

    @property
    def version(self) -> int:
        return self.state.version

    def heard(self, version: int) -> None:
        """The match is at ``version``, says the feed or the store: whoever follows it is woken to look."""
        if version > max(self._known, self.version):
            self._known = version
            self.wake()

    def stored(self, steps: Sequence[Step]) -> None:
        """What this process has stored need not be read, if it follows on what is known here."""
        last = self._ahead[-1].event.version if self._ahead else self.version
        if steps[0].event.version == last + 1 and len(self._ahead) < PAGE:
            self._ahead += steps

    def wake(self) -> None:
        for wake in tuple(self.followers):
            wake()

    def ask_again(self, older: float) -> None:
        """Has the next ``fresh`` ask whose the tokens are, if that was asked more than ``older`` seconds ago."""
        self._ask = self._ask or asyncio.get_running_loop().time() - self._asked_at > older

    async def fresh(self) -> None:
        """Reads what is known to be new, together with all others who ask meanwhile. Raises ``Unavailable``."""
        while self._behind():
            if self._reading is None or self._reading.done():  # to wait for what is done is not to wait at all
                self._reading = asyncio.create_task(self._read_on())
                self._reading.add_done_callback(_told)
            await asyncio.shield(self._reading)

    def after(self, version: int) -> Sequence[Step] | None:
        """The steps after ``version``; None if they are not held any more."""
        held = len(self._steps)
        missing = max(0, self.version - version)
        return None if missing > held else [self._steps[place] for place in range(held - missing, held)]

    def _behind(self) -> bool:
        if self.version == 0 or self._ask:
            return True
        if self._source is None:
            return self.version < self._known
        return self._source._behind() or self.version < seating.public_version(self._source.state)  # noqa: SLF001

    async def _read_on(self) -> None:
        known, self._ask, until = self._known, False, None
        if self.version == 0:
            self.state, self.head = await self._begin()
        if self._source is not None:
            await self._source.fresh()
            until = seating.public_version(self._source.state)
        while until is None or self.version < until:
            steps = self._next() if until is None else []
            done = bool(steps) and steps[-1].event.version >= self._known
            if not steps:
                limit = PAGE if until is None else min(PAGE, until - self.version)
                steps = await self._read(limit)
                done = len(steps) < limit
            await self._ask_who(steps)
            self._take(steps)
            if done:
                break
        else:
            await self._ask_who()
        if self._known == known > self.version:
            self._known = self.version  # whoever said so was wrong

    def _next(self) -> list[Step]:
        """What this process has stored and nobody here was shown yet, if nothing is missing before it."""
        self._ahead = [step for step in self._ahead if step.event.version > self.version]
        return self._ahead[:] if self._ahead and self._ahead[0].event.version == self.version + 1 else []

    async def _read(self, limit: int) -> list[Step]:
        """What the store has next, at most ``limit`` events."""
        events = await self._store.events(self.match, after=self.version, limit=limit)
        openings: Sequence[StoredOpening] = ()
        if any(_HIDDEN in event.data for event in events):
            openings = await self._store.openings(self.match, after=self.version, until=events[-1].version)
        opened: dict[int, list[StoredOpening]] = {}
        for entry in openings:
            opened.setdefault(entry.version, []).append(entry)
        state, steps = self.state, list[Step]()
        for event in contiguous(self.version, events):
            own = opened.get(event.version, ())
            state = evolve(state, event.decoded([entry.opening for entry in own]))
            steps.append(Step(event, own, state))
        return steps

    async def _begin(self) -> tuple[State, bytes]:
        state, head = await self._matches.head(self.match)
        return (state, head) if self._source is None else await self._matches.past.public(state, head)

    async def _ask_who(self, steps: Sequence[Step] = ()) -> None:
        """Asks after the events are there, and before anybody is shown them: of those too whom ``steps`` seat."""
        if self.naming:
            states = (self.state, *(step.state for step in steps))
            seated = {sitting.player for state in states for sitting in state.seats if sitting is not None}
            self.names = await self._store.names(seated)
        asked = {token for token in self.followers.values() if token is not None}
        found = await self._store.holders(asked) if asked else {}
        came = {token for token in self.followers.values() if token is not None} - asked
        self.holders = {token: self.holders[token] for token in came if token in self.holders} | found
        self._asked_at = asyncio.get_running_loop().time()

    def _take(self, steps: Sequence[Step]) -> None:
        if not steps:
            return
        self.made.clear()
        self._steps += steps
        self._bytes += sum(len(step.event.data) for step in steps)
        self.state, self.head = steps[-1].state, steps[-1].event.hash
        kept = min(KEPT, 2 + 2 * len(self.followers))
        while len(self._steps) > max(kept, 1) or (self._bytes > KEPT_BYTES and len(self._steps) > 1):
            self._bytes -= len(self._steps.popleft().event.data)


def _told(done: "asyncio.Task[None]") -> None:
    if not done.cancelled():
        done.exception()  # whoever waits for it is told


def contiguous(after: int, events: Sequence[StoredEvent]) -> Sequence[StoredEvent]:
    """``events``, which follow on version ``after`` without a hole: the store has broken its word otherwise."""
    for place, event in enumerate(events, start=after + 1):
        if event.version != place:
            raise AssertionError(f"event {place} is missing: the store gave {event.version}")
    return events


class Tails:
    """The tails of one process. A tail lives while somebody follows it."""

    def __init__(self, store: Store, matches: Matches, feed: Feed) -> None:
        self._store = store
        self._matches = matches
        self._tails: dict[tuple[str, bool], Tail] = {}
        matches.listen(self._stored)
        feed.listen(self._hear)

    def __len__(self) -> int:
        """How many tails there are."""
        return len(self._tails)

    @property
    def followers(self) -> int:
        """How many follow one of them; a tail of what the public may see counts as one that follows."""
        return sum(len(tail.followers) for tail in self._tails.values())

    def follow(self, match: str, wake: Wake, token: bytes | None, *, late: bool) -> Tail:
        """The tail of ``match``; ``wake`` is called whenever there may be something new, until ``leave``.

        ``late`` asks for what the public may see. Whose ``token`` it is, is asked with each event.
        """
        tail = self._tail(match, late=late)
        tail.followers[wake] = token
        return tail

    def leave(self, tail: Tail, wake: Wake) -> None:
        tail.followers.pop(wake, None)
        if not tail.followers:
            del self._tails[tail.match, tail.late]
            if tail.late:
                self.leave(self._tails[tail.match, False], tail.wake)

    def wake(self) -> None:
        """Wakes all who follow anything."""
        for tail in tuple(self._tails.values()):
            tail.wake()

    async def run(self) -> None:
        """Until cancelled: asks the store for the version of all these matches, again and again."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._poll()
            except Unavailable as error:
                log.warning("followers wait for the store", error=str(error))

    async def _poll(self) -> None:
        asked = [match for match, late in self._tails if not late]
        if asked:
            for match, version in (await self._store.versions(asked)).items():
                self._hear(match, version)

    def _stored(self, match: str, steps: Sequence[Step]) -> None:
        tail = self._tails.get((match, False))
        if tail is not None:
            tail.stored(steps)

    def _hear(self, match: str, version: int) -> None:
        tail = self._tails.get((match, False))
        if tail is not None:
            tail.heard(version)

    def _tail(self, match: str, *, late: bool) -> Tail:
        known = self._tails.get((match, late))
        if known is not None:
            return known
        source = self._tail(match, late=False) if late else None
        made = self._tails[match, late] = Tail(match, self._store, self._matches, source)
        if source is not None:
            source.followers[made.wake] = None
        return made
