"""What clients wrote down: every command before it was sent and after it was answered, every frame, every reading."""

import time
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["open", "seat", "bots", "move"]


@dataclass(frozen=True)
class Answer:
    """``at`` is the client's time in seconds since 1970."""

    status: int
    body: Any
    worker: int
    at: float


@dataclass
class Command:
    """One command with its key, however often it was sent. ``answers`` has those that say what became of it."""

    key: str
    player: str
    kind: Kind
    path: str
    body: bytes
    token: str
    match: str = ""
    sent: list[tuple[float, int]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def acknowledged(self) -> bool:
        return any(answer.status < 300 for answer in self.answers)

    @property
    def refused(self) -> bool:
        return any(400 <= answer.status < 500 for answer in self.answers)


@dataclass(frozen=True)
class Told:
    """A table, or the moves of a seat, as a client was told them. ``seat`` is None for whoever only watches."""

    match: str
    seat: int | None
    what: Literal["table", "moves"]
    body: Any


@dataclass(frozen=True)
class Frame:
    """One frame of a stream. ``id`` and ``type`` are those of the frame, ``at`` the client's time of its arrival."""

    id: int
    type: str
    body: Any
    at: float


@dataclass
class Feed:
    """Everything that one reader was sent of one match, over all its connections. With ``tables`` it asks for the table
    after each event, too, which then is among what was told.
    """

    match: str
    seat: int | None
    tables: bool = False
    frames: list[Frame] = field(default_factory=list)
    connections: int = 0


@dataclass
class Journal:
    commands: list[Command] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    feeds: list[Feed] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What no client should ever get: a 500, an answer that cannot be read."""
    acks: list[tuple[float, int]] = field(default_factory=list)
    """When (monotonic seconds) a command was acknowledged, and by which worker."""

    @property
    def acknowledged(self) -> int:
        return len(self.acks)

    def ack(self, worker: int) -> None:
        self.acks.append((time.monotonic(), worker))


def now() -> float:
    return time.time()
