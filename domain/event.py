"""An event as it is recorded: the envelope, its canonical bytes, the hash chain, and the register of event types."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import msgspec

from domain.hidden import Hidden, Opening, canonical, disclose, reopen, with_hidden

SYSTEM: Final = "system"
Actor: TypeAlias = int | Literal["system"]
"""Who acted: a seat, or the service itself (the deal, the clock, a resigned seat's moves)."""

START: Final = b""
"""``prev`` of the first event of a stream."""

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


E = TypeVar("E")


class EventType(msgspec.Struct, frozen=True):
    """One stored type of event.

    ``code`` is the number it is stored under, for ever its own; ``name`` its name in the bytes; ``schema`` counts its
    changes; ``upcasts`` has, for each older schema, the function that lifts a body to the next one; ``mark`` is the
    kind under which a replay lists it.
    """

    code: int
    cls: type[msgspec.Struct]
    mark: str | None = None
    schema: int = 1
    upcasts: Mapping[int, Upcast] = {}

    @property
    def name(self) -> str:
        return self.cls.__name__


class Recorded(msgspec.Struct, Generic[E], frozen=True, kw_only=True, gc=False):
    """An event with its envelope.

    ``at`` is in milliseconds since 1970, UTC; ``prev`` is the hash before in base64url, ``""`` at first. The fields
    stand in the order of the canonical bytes: so they are read quickest. ``gc=False``, here and where there are many:
    no cycle runs through what was read from bytes, so the garbage collector need not look at it.
    """

    at: int
    body: E
    cmd: str
    match: str
    prev: str
    schema: int
    seat: Actor
    type: str
    version: int


def chained(data: bytes) -> bytes:
    """The hash of one event: SHA-256 over ``0x00`` and its canonical bytes."""
    return hashlib.sha256(b"\0" + data).digest()


def canonical_bytes(recorded: Recorded[Any]) -> bytes:
    """The record itself: what is stored, hashed and handed out. ``body`` must be sealed."""
    return canonical(recorded)


class Registry:
    """Every event type there is, by its code and by its class."""

    def __init__(self, types: Iterable[EventType]) -> None:
        self.types = tuple({id(entry): entry for entry in types}.values())  # two forms of one game list the same ones
        self._by_code = {entry.code: entry for entry in self.types}
        self._by_class = {entry.cls: entry for entry in self.types}
        if not len(self._by_code) == len(self._by_class) == len(self.types):
            raise ValueError("two event types share a code or a class")
        for entry in self.types:
            if set(entry.upcasts) != set(range(1, entry.schema)):
                raise ValueError(f"{entry.name} does not lift every older schema to the next")
        # Decoding straight into the type is several times faster than by way of a dict; most events allow it.
        self._readers = {
            entry.code: (entry.schema, entry.name, msgspec.json.Decoder(Recorded[entry.cls]).decode)  # type: ignore[name-defined]
            for entry in self.types
        }

    def of(self, event: msgspec.Struct) -> EventType:
        return self._by_class[type(event)]

    def coded(self, code: int) -> EventType:
        """Raises ``KeyError`` for a code that no version of Kibitz has written."""
        return self._by_code[code]

    def decode(self, code: int, schema: int, data: bytes, openings: Collection[Opening] = ()) -> Recorded[Any]:
        """The event behind canonical bytes, lifted to its newest schema, its hidden fields with what ``openings`` hold.

        An opened field has its value beside its digest; the salt, which only a check needs, stays with the opening.
        Raises ``KeyError`` for an unknown code or schema and ``msgspec.ValidationError`` for bytes that do not fit.
        """
        newest, name, read = self._readers[code]
        if schema != newest:
            return self._lifted(self._by_code[code], schema, data, openings)
        recorded: Recorded[Any] = read(data)
        if recorded.type != name or recorded.schema != schema:
            raise _misfit(recorded, name, schema)
        if openings and not reopen(recorded.body, openings):
            return self._lifted(self._by_code[code], schema, data, openings)
        return recorded

    def _lifted(self, entry: EventType, schema: int, data: bytes, openings: Collection[Opening]) -> Recorded[Any]:
        """As ``decode``, by way of a dict, on which openings and upcasts work whatever they change."""
        if schema not in range(1, entry.schema + 1):
            raise KeyError(f"no version of Kibitz has written {entry.name} in schema {schema}")
        envelope = _ENVELOPE.decode(data)
        if envelope.type != entry.name or envelope.schema != schema:
            raise _misfit(envelope, entry.name, schema)
        opened = disclose(envelope.body, openings)
        steps = [entry.upcasts[older] for older in range(schema, entry.schema)]
        lifted = reduce(lambda body, step: step(body), steps, opened)
        body = with_hidden(
            msgspec.convert(lifted, entry.cls), lambda _, hidden: Hidden(hidden.to, hidden.value, hidden.digest)
        )
        return msgspec.structs.replace(envelope, body=body, schema=entry.schema)


_ENVELOPE: Final = msgspec.json.Decoder(Recorded[dict[str, Any]])


def _misfit(recorded: Recorded[Any], name: str, schema: int) -> msgspec.ValidationError:
    """What the bytes say of themselves must be what they are taken for: many types have the same fields."""
    return msgspec.ValidationError(f"{recorded.type} in schema {recorded.schema} is not {name} in {schema}")
