"""Events as a viewer may see them: the bytes of the record, with the hidden fields opened that this viewer may open."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from domain.game import Viewer
from domain.hidden import Opening, b64u, disclose
from services.audit import bundled
from services.store.records import StoredEvent, StoredOpening, by_version


def shown(
    events: Iterable[StoredEvent], openings: Collection[StoredOpening], viewer: Viewer, opened: int
) -> list[bytes]:
    """The JSON of each event, ``hash`` added. ``opened`` is the last hand whose cards are open to everybody.

    A hidden field shows ``{to, digest}`` or, opened, ``{to, digest, salt, value}``: without ``salt`` and ``value`` (and
    ``hash``) the JSON, keys sorted, is the record byte for byte, so every viewer can check the same chain.
    """
    known = openable(openings, viewer, opened) if openings else {}
    return [_shown(event, known.get(event.version, ())) for event in events]


def bundle(events: Sequence[StoredEvent], openings: Iterable[StoredOpening], viewer: Viewer, opened: int) -> bytes:
    """The record of a match from its first event on, in one file, with what ``viewer`` may see of it opened.

    Events at the end that are not the whole of a command are the caller's to leave out.
    """
    known = openable(openings, viewer, opened)
    entries = ((version, opening) for version, found in known.items() for opening in found)
    return bundled([event.data for event in events], entries)


def whole_commands(events: Sequence[StoredEvent], until: int) -> Sequence[StoredEvent]:
    """Of ``events``, from the first on, those up to version ``until``, without one that goes on behind it.

    ``events`` have one event more than is asked for, if there is one: a bundle that ends inside a command is not whole.
    """
    last = until
    while 0 < last < len(events) and events[last - 1].cmd == events[last].cmd:
        last -= 1
    return events[:last]


def openable(openings: Iterable[StoredOpening], viewer: Viewer, opened: int) -> dict[int, list[Opening]]:
    """By version, the openings that ``viewer`` may see."""
    return by_version(entry for entry in openings if may_open(entry, viewer, opened))


def may_open(entry: StoredOpening, viewer: Viewer, opened: int) -> bool:
    """Whether ``viewer`` may see the value: it is meant for that seat, or its hand is open. Anything else is denied."""
    return viewer == "all" or viewer in entry.opening.to or 0 < entry.hand <= opened


def _shown(event: StoredEvent, openings: Sequence[Opening]) -> bytes:
    data = event.data
    if openings:
        envelope = msgspec.json.decode(data)
        disclose(envelope["body"], openings)
        data = msgspec.json.encode(envelope, order="sorted")
    return data[:-1] + b',"hash":"' + b64u(event.hash).encode() + b'"}'
