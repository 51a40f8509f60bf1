"""A match in the memory of one process: a copy of what the store holds, for deciding quickly."""

import asyncio
from collections.abc import Sequence

import msgspec

from domain.match.state import State, evolve
from services.dealer import Dealer
from services.ids import key_part
from services.store.records import Newer, StoredEvent, StoredOpening, by_version


class Answer(msgspec.Struct, frozen=True):
    cmd: str
    first: int
    last: int


class Live:
    """One match in memory: its state, the hash of its last event, and which keys have been answered by which events."""

    __slots__ = ("answers", "dealer", "head", "lock", "state")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.state = State()
        self.head = b""
        self.answers: dict[str, Answer] = {}
        self.dealer: Dealer | None = None

    def add(self, events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> None:
        """Takes in what the store has after the last event known here."""
        self.state, self.head = folded(self.state, events, openings), events[-1].hash
        for event in events:
            known = self.answers.get(key_part(event.cmd))
            first = event.version if known is None else known.first
            self.answers[key_part(event.cmd)] = Answer(event.cmd, first, event.version)

    def take(self, before: State, state: State, head: bytes, cmd: str) -> None:
        """Takes in the events of one command, which led from ``before`` to ``state`` and are stored.

        If more than that was read from the store meanwhile, they are known already.
        """
        if self.state is before:
            self.state, self.head = state, head
            self.answers[key_part(cmd)] = Answer(cmd, before.version + 1, state.version)


def folded(state: State, events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> State:
    """The state after ``events``, all hidden values known. Raises ``Newer`` for an event unknown to this code."""
    opened = by_version(openings)
    for event in events:
        try:
            recorded = event.decoded(opened.get(event.version, ()))
        except KeyError as error:
            raise Newer(f"event {event.version} was written by a newer version of Kibitz", retry_after=5) from error
        state = evolve(state, recorded)
    return state
