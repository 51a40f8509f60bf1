"""How events and openings lie in the archive: those of one match packed together, without what follows from the rest.

A packed event is its position (as the step from the one before), the code of its type, and its canonical bytes without
``prev``. The rest of a row follows: versions count up, ``prev`` is the hash of the event before, the hash is that of
the bytes, which also say time, schema and command. Packing is format 1: MessagePack, then zlib.
"""

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final
from uuid import UUID

import msgspec

from domain.event import chained
from domain.hidden import Opening, b64u
from services.store.records import StoredEvent, StoredOpening

FORMAT: Final = 1
_LEVEL: Final = 9
"""Packed once, read for ever: the few milliseconds for the best of zlib are well spent."""
_PREV: Final = b'"prev":"'


class Damaged(Exception):
    """What lies in the archive is not what was put there."""


class Segment(msgspec.Struct, frozen=True):
    """A row of the archive: the events of ``match`` from version ``first`` on, the hash before and that of the last."""

    shard: int
    match: str
    first: int
    prev: bytes
    hash: bytes
    events: bytes
    openings: bytes = b""
    format: int = FORMAT


class _Event(msgspec.Struct, frozen=True, array_like=True):
    step: int
    code: int
    text: bytes


class _Opening(msgspec.Struct, frozen=True, array_like=True):
    version: int
    hand: int
    path: str
    to: tuple[int, ...]
    salt: bytes
    value: bytes


class _Said(msgspec.Struct, frozen=True):
    """What the bytes of an event say that has a column of its own in the table of events."""

    at: int
    cmd: str
    match: str
    schema: int
    version: int


_EVENTS: Final = msgspec.msgpack.Decoder(list[_Event])
_OPENINGS: Final = msgspec.msgpack.Decoder(list[_Opening])
_SAID: Final = msgspec.json.Decoder(_Said)


def pack(events: Sequence[StoredEvent], openings: Iterable[StoredOpening]) -> Segment:
    """The segment of these events, which follow one another in one match, and of their openings.

    Raises ``ValueError`` if they cannot be read out of it again exactly as they are.
    """
    head, last = events[0], events[-1]
    places = [0, *(event.pos for event in events)]
    packed = [
        _Event(after - before, event.code, _without_prev(event.data))
        for event, (before, after) in zip(events, pairwise(places), strict=True)
    ]
    kept = [
        _Opening(
            entry.version, entry.hand, entry.opening.path, entry.opening.to, entry.opening.salt, entry.opening.value
        )
        for entry in openings
    ]
    segment = Segment(
        head.shard, head.match, head.version, head.prev, last.hash, _squeezed(packed), _squeezed(kept) if kept else b""
    )
    try:
        exact = events_of(segment) == list(events)
    except (Damaged, ValueError):
        exact = False
    if not exact:
        raise ValueError(f"the events of {head.match} from {head.version} on cannot be packed without loss")
    return segment


def events_of(segment: Segment) -> list[StoredEvent]:
    """The events in a segment, ascending. Raises ``Damaged`` if they are of another place or match, or their chain
    does not lead to the segment's hash.
    """
    pos, prev, found = 0, segment.prev, list[StoredEvent]()
    try:
        packed = _EVENTS.decode(_spread(segment, segment.events))
        for entry in packed:
            pos += entry.step
            data = _with_prev(entry.text, prev)
            digest, said = chained(data), _SAID.decode(data)
            cmd = str(UUID(said.cmd))
            found.append(
                StoredEvent(
                    segment.shard,
                    pos,
                    said.match,
                    said.version,
                    entry.code,
                    said.schema,
                    cmd,
                    said.at,
                    data,
                    prev,
                    digest,
                )
            )
            prev = digest
    except (zlib.error, ValueError) as error:
        raise Damaged(
            f"the archive of {segment.match} from event {segment.first} on cannot be read: {error}"
        ) from error
    for version, event in enumerate(found, segment.first):
        if (event.match, event.version) != (segment.match, version):
            raise Damaged(f"event {version} of {segment.match} is another one in the archive")
    if prev != segment.hash:
        raise Damaged(f"the chain of {segment.match} from event {segment.first} on is broken in the archive")
    return found


def openings_of(segment: Segment) -> list[StoredOpening]:
    """The openings in a segment, in the order in which they were packed. Raises ``Damaged``."""
    if not segment.openings:
        return []
    try:
        packed = _OPENINGS.decode(_spread(segment, segment.openings))
    except (zlib.error, ValueError) as error:
        raise Damaged(f"the openings of {segment.match} cannot be read in the archive: {error}") from error
    return [StoredOpening(entry.version, entry.hand, _opening(entry)) for entry in packed]


def _opening(entry: _Opening) -> Opening:
    return Opening(entry.path, entry.to, entry.salt, entry.value)


def _squeezed(entries: object) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(entries), _LEVEL)


def _spread(segment: Segment, data: bytes) -> bytes:
    if segment.format != FORMAT:
        raise ValueError(f"format {segment.format} is newer than this code")
    return zlib.decompress(data)


def _without_prev(data: bytes) -> bytes:
    """Canonical bytes with an empty ``prev``. Behind it stand numbers and the type: the last one is the envelope's."""
    before, mark, after = data.rpartition(_PREV)
    return before + mark + after[after.find(b'"') :]


def _with_prev(text: bytes, prev: bytes) -> bytes:
    before, mark, after = text.rpartition(_PREV)
    return before + mark + b64u(prev).encode() + after
