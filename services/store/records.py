"""What goes into the store and what comes out of it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from domain.event import Recorded
from domain.hidden import Opening
from domain.match import EVENTS
from domain.match.state import State
from services.rights import Role


class NewEvent(msgspec.Struct, frozen=True):
    """One event to be stored. ``data`` are its canonical bytes, ``hash`` their hash, ``prev`` the hash before.

    ``openings`` open its hidden fields; ``hand`` is the hand they belong to, 0 where there are none.
    """

    code: int
    schema: int
    data: bytes
    prev: bytes
    hash: bytes
    openings: tuple[Opening, ...] = ()
    hand: int = 0


class Append(msgspec.Struct, frozen=True):
    """The events of one command, for one match: they follow event number ``expected``, whose hash is ``prev``."""

    match: str
    expected: int
    prev: bytes
    cmd: str
    at: int
    events: tuple[NewEvent, ...]


class Appended(msgspec.Struct, frozen=True):
    """``version`` of the last event of the command, ``pos`` its position in the shard."""

    version: int
    pos: int


class Conflict(msgspec.Struct, frozen=True):
    """Nothing was stored: the match is at ``version``."""

    version: int


class StoredEvent(msgspec.Struct, frozen=True):
    shard: int
    pos: int
    match: str
    version: int
    code: int
    schema: int
    cmd: str
    at: int
    data: bytes
    prev: bytes
    hash: bytes

    def decoded(self, openings: Collection[Opening] = ()) -> Recorded[Any]:
        """The event itself, with ``openings`` in its hidden fields. Raises what the register of events raises."""
        return EVENTS.decode(self.code, self.schema, self.data, openings)


class StoredOpening(msgspec.Struct, frozen=True):
    """An opening with the version of its event and the hand in which it is hidden."""

    version: int
    hand: int
    opening: Opening


class Step(NamedTuple):
    """One event with its openings, and the match right after it."""

    event: StoredEvent
    openings: Sequence[StoredOpening]
    state: State


def by_version(openings: Iterable[StoredOpening]) -> dict[int, list[Opening]]:
    """The openings of each event that has any."""
    found: dict[int, list[Opening]] = {}
    for entry in openings:
        found.setdefault(entry.version, []).append(entry.opening)
    return found


class Refusal(msgspec.Struct, frozen=True):
    """An attempt that was refused: evidence, not an event. ``body`` is the request as it came, cut at 4 KiB."""

    match: str
    at: int
    player: str
    seat: int | None
    version: int
    cmd: str
    status: int
    game: str
    clause: str
    reason: str
    body: bytes


class Player(msgspec.Struct, frozen=True):
    """``name`` is empty once the person is erased."""

    player: str
    name: str
    role: Role


class Unavailable(Exception):
    """The store cannot answer now; nothing is known to be lost. ``retry_after`` is in seconds."""

    def __init__(self, reason: str, retry_after: int = 1) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Newer(Unavailable):
    """A match holds an event that only newer code knows, as during a deployment: a process of that code can answer."""
