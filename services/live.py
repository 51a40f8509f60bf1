"""A match in the memory of one process: a copy of what the store holds, for deciding quickly."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.event import Recorded
from domain.hidden import Opening
from domain.match import EVENTS, folding
from domain.match.state import State
from services.dealer import Dealer
from services.ids import key_number
from services.store.records import Newer, StoredEvent, StoredOpening, by_version


class Live:
    """One match in memory: its state, the hash of its last event, and which keys have been answered, as numbers.

    By which events a key was answered is in the store: there is a key for every command of every match that is kept,
    and hardly any is asked for again.
    """

    __slots__ = ("answered", "dealer", "head", "lock", "state")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.state = State()
        self.head = b""
        self.answered: set[int] = set()
        self.dealer: Dealer | None = None

    def add(self, events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> None:
        """Takes in what the store has after the last event known here."""
        self.state, self.head = folded(self.state, events, openings), events[-1].hash
        self.answered.update(key_number(event.cmd) for event in events)

    def take(self, before: State, state: State, head: bytes, key: int) -> None:
        """Takes in the events of the command with ``key``, which led from ``before`` to ``state`` and are stored.

        If more than that was read from the store meanwhile, they are known already.
        """
        if self.state is before:
            self.state, self.head = state, head
            self.answered.add(key)


def folded(state: State, events: Iterable[StoredEvent], openings: Iterable[StoredOpening]) -> State:
    """The state after ``events``, all hidden values known. Raises ``Newer`` for an event unknown to this code."""
    return folding.folded(state, _decoded(events, by_version(openings)))


def _decoded(events: Iterable[StoredEvent], opened: Mapping[int, Sequence[Opening]]) -> Iterator[Recorded[Any]]:
    for event in events:
        try:
            recorded = EVENTS.decode(event.code, event.schema, event.data, opened.get(event.version, ()))
        except KeyError as error:
            raise Newer(f"event {event.version} was written by a newer version of Kibitz", retry_after=5) from error
        yield recorded
