"""What a seat knew: every card that it had been shown by some event, and the event that this rests on.

Nothing here knows a game. Which values are cards is said by the types of the events, and whom they were shown to by
``Hidden``: what is not hidden in an event, everybody has seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import msgspec

from domain.cards import Card
from domain.event import Recorded
from domain.game import Seat
from domain.hidden import Hidden

How: TypeAlias = Literal["open", "shown", "opened"]


class KnownCards(msgspec.Struct, frozen=True):
    """Cards that stand at ``path`` in the body of event ``version``, and how the seat came to know them.

    ``open``: everybody saw them with the event. ``shown``: this seat did, by itself or with others. ``opened``: nobody
    but those seats did, until the hand was opened. ``since`` is the event with which this seat knew.
    """

    version: int
    path: str
    how: How
    cards: tuple[str, ...]
    since: int


def known_cards(events: Iterable[Recorded[Any]], seat: Seat, opened_by: int | None) -> Iterator[KnownCards]:
    """What ``seat`` knew after ``events``, those of one hand with all hidden values that it had been shown.

    ``opened_by`` is the version of the event that opened the hand, if one of them did.
    """
    for event in events:
        for path, cards, hidden in _cards(event.body, type(event.body), "", None):
            if hidden is None:
                yield KnownCards(event.version, path, "open", cards, event.version)
            elif seat in hidden.to:
                yield KnownCards(event.version, path, "shown", cards, event.version)
            elif opened_by is not None:
                yield KnownCards(event.version, path, "opened", cards, opened_by)


Found: TypeAlias = tuple[str, tuple[str, ...], Hidden[Any] | None]


def _cards(value: Any, hint: Any, path: str, hidden: Hidden[Any] | None) -> Iterator[Found]:
    """The cards in ``value``, which is of type ``hint``: those of one list together, each with its path."""
    if isinstance(value, Hidden):
        if not isinstance(value.value, msgspec.UnsetType):
            yield from _cards(value.value, get_args(_member(hint, Hidden))[0], path, value)
    elif hint is Card:
        yield path, (value,), hidden
    elif isinstance(value, msgspec.Struct):
        hints = get_type_hints(type(value))
        for name in value.__struct_fields__:
            yield from _cards(getattr(value, name), hints[name], _inside(path, name), hidden)
    elif isinstance(value, tuple | list):
        yield from _listed(value, _member(hint, tuple), path, hidden)
    elif isinstance(value, Mapping):
        kinds = get_args(hint)
        for name, item in value.items():
            yield from _cards(item, kinds[1] if len(kinds) == 2 else Any, _inside(path, name), hidden)
    elif isinstance(value, str) and Card in get_args(hint):
        yield path, (value,), hidden


def _listed(values: Sequence[Any], hint: Any, path: str, hidden: Hidden[Any] | None) -> Iterator[Found]:
    kinds = get_args(hint)
    each = kinds[0] if kinds and kinds[-1] is Ellipsis else None
    if each is Card:
        if values:
            yield path, tuple(values), hidden
        return
    for place, item in enumerate(values):
        kind = each if each is not None else kinds[place] if place < len(kinds) else Any
        yield from _cards(item, kind, _inside(path, str(place)), hidden)


def _member(hint: Any, kind: type) -> Any:
    """Of a union the member of that kind; anything else as it is."""
    if get_origin(hint) is kind:
        return hint
    return next((member for member in get_args(hint) if get_origin(member) is kind), hint)


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
