"""The events of one command before they are stored: decided, sealed, chained, and followed by what the match is due."""

from typing import Any

import msgspec
from msgspec.structs import replace

from domain.event import SYSTEM, Actor, Recorded, canonical_bytes, chained
from domain.hidden import Opening, b64u, hides, seal
from domain.match import EVENTS, clock, commands, rules
from domain.match.state import OWN, SeatTaken, State, evolve
from services.dealer import Dealer
from services.ids import shard_of
from services.store.records import Append, Appended, NewEvent, Step, StoredEvent, StoredOpening


class Draft:
    """Takes commands one after another; ``state`` and ``head`` are those after the last event.

    ``at`` is the time of all its events, in milliseconds since 1970, never before that of the event it follows.
    """

    def __init__(self, match: str, state: State, head: bytes, dealer: Dealer, cmd: str, at: int) -> None:
        self._match = match
        self._before = (state.version, head)
        self._dealer = dealer
        self._cmd = cmd
        self._events: list[NewEvent] = []
        self._states: list[State] = []
        self.at = clock.dated(state, at)
        self.state = state
        self.head = head

    def take(self, command: commands.Command, actor: Actor) -> None:
        """Decides ``command`` and adds its events. Raises ``Refused``; then the draft is as it was."""
        for event in rules.decide(self.state, command, self.at):
            self._record(event, event.seat if isinstance(event, SeatTaken) else actor)

    def settle(self) -> None:
        """Does what the match is due from the service, until it waits for a seat, for people, or is over."""
        while (duty := rules.duty(self.state)) is not None:
            self.take(self._dealer.do(self.state, duty, self.at), SYSTEM)

    def append(self) -> Append:
        version, head = self._before
        return Append(self._match, version, head, self._cmd, self.at, tuple(self._events))

    def steps(self, appended: Appended) -> list[Step]:
        """The events as the store has them, once it has, each with the state that it led to."""
        match, cmd, at, shard = self._match, self._cmd, self.at, shard_of(self._match)
        version, pos = self._before[0] + 1, appended.pos - len(self._events) + 1
        return [
            Step(
                StoredEvent(shard, pos + k, match, version + k, e.code, e.schema, cmd, at, e.data, e.prev, e.hash),
                [StoredOpening(version + k, e.hand, opening) for opening in e.openings],
                self._states[k],
            )
            for k, e in enumerate(self._events)
        ]

    def _record(self, event: Any, actor: Actor) -> None:
        state, version = self.state, self.state.version + 1
        kind: type[msgspec.Struct] = type(event)
        sealed: Any = event
        openings: tuple[Opening, ...] = ()
        if hides(kind):
            sealed, openings = seal(event, lambda path: self._dealer.salt(state, version, path))
        entry = EVENTS.of(event)
        envelope: Recorded[Any] = Recorded(
            match=self._match,
            version=version,
            at=self.at,
            type=entry.name,
            schema=entry.schema,
            seat=actor,
            cmd=self._cmd,
            prev=b64u(self.head),
            body=sealed,
        )
        data = canonical_bytes(envelope)
        digest = chained(data)
        hand = 0 if kind in OWN else state.ended + 1
        self._events.append(NewEvent(entry.code, entry.schema, data, self.head, digest, openings, hand))
        self.state = evolve(state, envelope if sealed is event else replace(envelope, body=event))
        self._states.append(self.state)
        self.head = digest
