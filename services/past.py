"""Matches as they were: the state right after an event that is not the last one."""

from collections import OrderedDict
from typing import Final

from domain.match import seating
from domain.match.state import State
from services.live import folded
from services.problems import NotFound
from services.store.store import Store

KEPT: Final = 512
"""Of how many matches a state is remembered, to go on from there."""
_PAGE: Final = 1_000


class Past:
    """States of the past, folded from the store. What is remembered is a copy of the record, which never changes."""

    def __init__(self, store: Store, kept: int = KEPT) -> None:
        self._store = store
        self._kept = kept
        self._states: OrderedDict[str, tuple[State, bytes]] = OrderedDict()

    async def at(self, match: str, version: int) -> tuple[State, bytes]:
        """The state right after event ``version`` and the hash of that event. Raises ``NotFound`` where none is."""
        if version < 1:
            raise NotFound("version of this match")
        state, head = self._states.get(match, (State(), b""))
        if state.version > version:
            state, head = State(), b""
        while state.version < version:
            limit = min(_PAGE, version - state.version)
            events = await self._store.events(match, after=state.version, limit=limit)
            if not events:
                raise NotFound("version of this match" if state.version else "match")
            last = events[-1].version
            openings = await self._store.openings(match, after=state.version, until=last)
            state, head = folded(state, events, openings), events[-1].hash
        self._states[match] = state, head
        self._states.move_to_end(match)
        while len(self._states) > self._kept:
            self._states.popitem(last=False)
        return state, head

    async def public(self, state: State, head: bytes) -> tuple[State, bytes]:
        """What whoever has no seat sees of a match that has come to ``state`` (clause 1.6 of the match)."""
        version = seating.public_version(state)
        return (state, head) if version == state.version else await self.at(state.match, version)
