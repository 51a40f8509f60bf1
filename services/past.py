"""Matches as they were: the state right after an event that is not the last one."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, TypeAlias

from domain.match import seating
from domain.match.state import State
from services.live import folded
from services.problems import NotFound
from services.store.records import StoredEvent, StoredOpening
from services.store.store import Store

KEPT: Final = 2_048
"""How many states are remembered, of all matches together, to go on from there."""
APART: Final = 128
"""Every so many events of a match a state is remembered: whoever jumps to and fro folds fewer than that."""
_PAGE: Final = 1_000

_Moment: TypeAlias = tuple[State, bytes]
_BEGINNING: Final[_Moment] = (State(), b"")


class Past:
    """States of the past, folded from the store. What is remembered is a copy of the record, which never changes."""

    def __init__(self, store: Store, kept: int = KEPT) -> None:
        self._store = store
        self._kept = kept
        self._count = 0
        self._moments: OrderedDict[str, dict[int, _Moment]] = OrderedDict()

    async def at(self, match: str, version: int) -> tuple[State, bytes]:
        """The state right after event ``version`` and the hash of that event. Raises ``NotFound`` where none is."""
        if version < 1:
            raise NotFound("version of this match")
        known = self._moments.get(match, {})
        found = [known.get(max((at for at in known if at <= version), default=0), _BEGINNING)]
        while (state := found[-1][0]).version < version:
            limit = min(_PAGE, version - state.version)
            events = await self._store.events(match, after=state.version, limit=limit)
            if not events:
                raise NotFound("version of this match" if state.version else "match")
            openings = await self._store.openings(match, after=state.version, until=events[-1].version)
            found += _moments(state, events, openings)
        self._remember(match, found)
        return found[-1]

    async def public(self, state: State, head: bytes) -> tuple[State, bytes]:
        """What whoever has no seat sees of a match that has come to ``state`` (clause 1.6 of the match)."""
        version = seating.public_version(state)
        return (state, head) if version == state.version else await self.at(state.match, version)

    def _remember(self, match: str, found: list[_Moment]) -> None:
        """Keeps those that lie ``APART``, and the last, from where somebody may go on."""
        known = self._moments.pop(match, {})
        kept = known | {moment[0].version: moment for moment in found}
        kept = {at: moment for at, moment in kept.items() if at % APART == 0 or moment is found[-1]}
        self._moments[match] = kept
        self._count += len(kept) - len(known)
        while self._count > self._kept and len(self._moments) > 1:
            self._count -= len(self._moments.popitem(last=False)[1])


def _moments(state: State, events: list[StoredEvent], openings: list[StoredOpening]) -> Iterator[_Moment]:
    """The states after every ``APART`` events of the match, and after the last of ``events``."""
    while events:
        place = APART - state.version % APART
        some, events = events[:place], events[place:]
        opened = [entry for entry in openings if state.version < entry.version <= some[-1].version]
        state = folded(state, some, opened)
        yield state, some[-1].hash
