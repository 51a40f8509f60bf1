"""A match in one file: everything that an audit needs, for whoever may see it. docs/audit-format.md describes it.

The events are the bytes of the record; all else is there to read them by, and is checked against them.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, TypeVar

import msgspec

from domain.event import chained
from domain.game import Seat
from domain.games import GAMES
from domain.hidden import Opening, b64u

T = TypeVar("T")

FORMAT: Final = "kibitz-bundle/1"
MOST_BYTES: Final = 256 * 1024 * 1024
"""A bundle larger than that is not read: a match of 512 hands has about a tenth of it."""
_BOOK: Final = "match"


class BundleOpening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Opens the hidden field at ``path`` of event ``version``. ``value`` is its canonical JSON, as text."""

    version: int
    path: str
    to: tuple[Seat, ...]
    salt: str
    value: str


class BundleKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published secret, as the event that ends its hand has it."""

    hand: int
    secret: str


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule book by the id of its game, or ``match``, and the SHA-256 of its English text, base64url."""

    game: str
    sha256: str


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``events`` are the canonical texts, in their order; ``openings`` those that whoever asked may see.

    ``match``, ``game``, ``seats`` and ``options`` repeat the first event, ``versions`` and ``head`` the last one,
    ``keys`` the published secrets in the order of their hands.
    """

    format: Literal["kibitz-bundle/1"]
    match: str
    game: str
    seats: int
    options: dict[str, int | str | bool]
    versions: int
    head: str
    rulebooks: tuple[Edition, ...]
    events: tuple[str, ...]
    openings: tuple[BundleOpening, ...]
    keys: tuple[BundleKey, ...]


class Unreadable(ValueError):
    """Not a bundle. Its text is a plain sentence."""


class _Problem(msgspec.Struct, frozen=True):
    type: str
    title: str
    status: int
    detail: str = ""


_DECODER: Final = msgspec.json.Decoder(Bundle)
_SPACE: Final = re.compile(rb'("(?:[^"\\]++|\\.)*+")|[ \t\r\n]+')


def read(data: bytes) -> Bundle:
    """The bundle that ``data`` writes. Raises ``Unreadable`` for anything else.

    White space aside, ``data`` must be what it is when it is written again: two readers must not find two things in it.
    """
    if len(data) > MOST_BYTES:
        raise Unreadable(f"The bundle has {len(data)} bytes; at most {MOST_BYTES} are read.")
    try:
        bundle, again = _DECODER.decode(data), msgspec.json.encode(msgspec.json.decode(data))
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise Unreadable(_told(data) or f"This is not a bundle: {error}.") from error
    if data != again and _SPACE.sub(rb"\1", data) != again:
        raise Unreadable("This is not plain JSON: a key stands there twice, or the like.")
    return bundle


def _told(data: bytes) -> str | None:
    """What a service answered in the place of a bundle (a problem, RFC 9457), which was then kept as one; else None."""
    try:
        problem = msgspec.json.decode(data, type=_Problem)
    except (ValueError, RecursionError):
        return None
    said = "".join(filter(str.isprintable, problem.detail or problem.title))[:200]
    return f"This is not a bundle but a refusal to give one ({problem.status}): {said}."


def bundled(events: Sequence[bytes], openings: Iterable[tuple[int, Opening]]) -> bytes:
    """The bundle of a record: its events from the first on, with ``openings`` by version.

    Writes down what it is given and judges nothing: of a record that is damaged, too, there is a bundle.
    """
    first = _said(events[0]) if events else {}
    opened = _asked(first.get("body"), dict)
    game = _asked(opened.get("game"), str)
    bundle = Bundle(
        format=FORMAT,
        match=_asked(first.get("match"), str),
        game=game,
        seats=_asked(opened.get("seats"), int),
        options=_asked(opened.get("options"), dict),
        versions=len(events),
        head=b64u(chained(events[-1])) if events else "",
        rulebooks=editions(game),
        events=tuple(event.decode("latin-1") for event in events),
        openings=tuple(
            BundleOpening(version, opening.path, opening.to, b64u(opening.salt), opening.value.decode("latin-1"))
            for version, opening in openings
        ),
        keys=tuple(_keys(events)),
    )
    return msgspec.json.encode(bundle)


def _keys(events: Sequence[bytes]) -> Iterator[BundleKey]:
    for event in events:
        if b'"secret":"' in event:
            body = _asked(_said(event).get("body"), dict)
            hand, secret = _asked(body.get("hand"), int), _asked(body.get("secret"), str)
            if hand and secret:
                yield BundleKey(hand, secret)


def _said(event: bytes) -> dict[str, Any]:
    try:
        return _asked(msgspec.json.decode(event), dict)
    except (ValueError, RecursionError):
        return {}


def _asked(value: Any, kind: type[T]) -> T:
    """``value`` if it is of that kind; else its emptiest value."""
    return value if isinstance(value, kind) else kind()


def editions(game: str) -> tuple[Edition, ...]:
    """The rule books by which a match of ``game`` is judged here: that of the match, and that of the game."""
    return Edition(_BOOK, _hashed(_BOOK)), Edition(game, _hashed(GAMES[game].folder) if game in GAMES else "")


@cache
def _hashed(folder: str) -> str:
    text = (resources.files("domain") / folder / "RULES.md").read_bytes()
    return b64u(hashlib.sha256(text).digest())
