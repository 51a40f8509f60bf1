"""A match in the memory of one process: a copy of what the store holds, for deciding quickly."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from domain.event import Recorded
from domain.hidden import Opening
from domain.match import EVENTS, folding
from domain.match.state import State
from services.dealer import Dealer
from services.ids import key_part
from services.store.records import Newer, StoredEvent, StoredOpening, by_version


class Answer(msgspec.Struct, frozen=True):
    cmd: str
    first: int
    last: int


class Answers:
    """Answers by the half of their command id that tells who sent which key. Kept as numbers, in half the memory: there
    is one for every command of every match that is kept, and hardly any is asked for again.
    """

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[int, int] = {}

    def get(self, key: str) -> Answer | None:
        own = _number(key)
        kept = self._kept.get(own)
        if kept is None:
            return None
        rest, versions = divmod(kept, 1 << 64)
        return Answer(str(UUID(int=own << 64 | rest)), versions >> 32, versions & 0xFFFF_FFFF)

    def __setitem__(self, key: str, answer: Answer) -> None:
        self._kept[_number(key)] = _number(answer.cmd[len(key) :]) << 64 | answer.first << 32 | answer.last


def _number(half: str) -> int:
    return int(half.replace("-", ""), 16)


class Live:
    """One match in memory: its state, the hash of its last event, and which keys have been answered by which events."""

    __slots__ = ("answers", "dealer", "head", "lock", "state")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.state = State()
        self.head = b""
        self.answers = Answers()
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
