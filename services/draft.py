"""The events of one command before they are stored: decided, sealed, chained, and followed by what the match is due."""

from typing import Any

from msgspec.structs import replace

from domain.event import SYSTEM, Actor, Recorded, canonical_bytes, chained
from domain.hidden import b64u, seal
from domain.match import EVENTS, clock, commands, rules
from domain.match.state import Event as MatchEvent
from domain.match.state import SeatTaken, State, evolve
from services.dealer import Dealer
from services.ids import shard_of
from services.store.records import Append, Appended, NewEvent, StoredEvent, StoredOpening


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

    def stored(self, appended: Appended) -> list[StoredEvent]:
        """The events as the store has them, once it has."""
        version, _ = self._before
        first = appended.pos - len(self._events) + 1
        return [
            StoredEvent(
                shard=shard_of(self._match),
                pos=first + place,
                match=self._match,
                version=version + 1 + place,
                code=event.code,
                schema=event.schema,
                cmd=self._cmd,
                at=self.at,
                data=event.data,
                prev=event.prev,
                hash=event.hash,
            )
            for place, event in enumerate(self._events)
        ]

    def openings(self) -> list[StoredOpening]:
        version, _ = self._before
        return [
            StoredOpening(version + 1 + place, event.hand, opening)
            for place, event in enumerate(self._events)
            for opening in event.openings
        ]

    def _record(self, event: Any, actor: Actor) -> None:
        state, version = self.state, self.state.version + 1
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
        hand = 0 if isinstance(event, MatchEvent) else state.ended + 1
        self._events.append(NewEvent(entry.code, entry.schema, data, self.head, digest, openings, hand))
        self.state = evolve(state, replace(envelope, body=event))
        self.head = digest
