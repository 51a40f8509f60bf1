"""Values that only some seats may see, and the digests that everybody sees instead.

An event is one sequence of bytes for everybody. When it is stored, the value of each ``Hidden`` field is replaced by
its digest, ``b64u(SHA-256(salt || canonical value))``; salt and value are kept apart as an *opening*. Whoever holds the
opening can check it against the bytes; whoever does not learns nothing.
"""

import hashlib
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, Generic, NoReturn, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import UNSET
from msgspec.structs import force_setattr

T = TypeVar("T")
E = TypeVar("E", bound=msgspec.Struct)

_DEL: Final = 0x7F  # the one control character that JSON does not escape

_URLSAFE: Final = bytes.maketrans(b"+/", b"-_")

_MOST: Final = 64  # hidden values in one tuple, which has one for each seat: far more seats than any game has


class Hidden(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """A value for the seats in ``to``. Before it is stored it has a value; stored, a digest; opened, all of them."""

    to: tuple[int, ...]
    value: T | msgspec.UnsetType = msgspec.UNSET
    digest: str | msgspec.UnsetType = msgspec.UNSET
    salt: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def opened(self) -> T:
        """The value. Raises ``ValueError`` where only the digest is known."""
        value = self.value
        if value is UNSET:
            raise ValueError("this value is sealed")
        return value


class Opening(msgspec.Struct, frozen=True):
    """What opens one hidden field: where it stands (``hands.0``), who may see it, its salt and its canonical value."""

    path: str
    to: tuple[int, ...]
    salt: bytes
    value: bytes


def b64u(data: bytes) -> str:
    """Base64url without padding (RFC 4648, section 5)."""
    return b64encode(data).translate(_URLSAFE, b"=").decode("ascii")


def unb64u(text: str) -> bytes:
    """The bytes behind ``b64u``. Raises ``ValueError`` on anything that ``b64u`` does not write."""
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if b64u(data) != text:
        raise ValueError("not canonical base64url")
    return data


def unb64u_32(text: str) -> bytes | None:
    """The 32 bytes that ``text`` writes, as every seed, secret, commitment and hash is written; None if it does not."""
    try:
        data = unb64u(text)
    except ValueError:
        return None
    return data if len(data) == 32 else None


def canonical(value: object) -> bytes:
    """JSON with sorted keys, no spaces, integers and printable ASCII only. Raises ``ValueError`` on anything else."""
    data = msgspec.json.encode(value, order="sorted")
    try:
        _WHOLE.decode(data)
    except msgspec.ValidationError as error:
        raise ValueError("an event holds integers only") from error
    if b"null" in data and _has_float(msgspec.to_builtins(value)):  # JSON has it for a float that is not a number
        raise ValueError("an event holds integers only")
    if not data.isascii() or _DEL in data:
        raise ValueError("an event holds printable ASCII only")
    return data


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number} is written with a point or an exponent")


_WHOLE: Final = msgspec.json.Decoder(float_hook=_refuse)
"""Reads any JSON without fractions, and is quicker at it than a regular expression at looking for one."""


def _has_float(plain: object) -> bool:
    match plain:
        case dict():
            return any(map(_has_float, plain.values()))
        case list() | tuple():
            return any(map(_has_float, plain))
        case _:
            return isinstance(plain, float)


def digest_of(salt: bytes, value: bytes) -> str:
    return b64u(hashlib.sha256(salt + value).digest())


def seal(event: E, salt_of: Callable[[str], bytes]) -> tuple[E, tuple[Opening, ...]]:
    """``event`` with every hidden value replaced by its digest, and the openings. ``salt_of`` gives a path's salt."""
    if not hides(type(event)):
        return event, ()
    openings: list[Opening] = []

    def close(path: str, hidden: Hidden[Any]) -> Hidden[Any]:
        salt, value = salt_of(path), canonical(hidden.opened)
        openings.append(Opening(path, hidden.to, salt, value))
        return Hidden(hidden.to, digest=digest_of(salt, value))

    return with_hidden(event, close), tuple(openings)


def disclose(body: dict[str, Any], openings: Iterable[Opening]) -> dict[str, Any]:
    """A decoded event body with ``openings`` put back: each opened field shows ``to, digest, salt, value``."""
    for opening in openings:
        field: Any = body
        for step in opening.path.split("."):
            field = field[int(step)] if isinstance(field, list) else field[step]
        field["salt"], field["value"] = b64u(opening.salt), msgspec.json.decode(opening.value)
    return body


def bare(event: E) -> E:
    """``event`` with values only: what was sealed and opened again equals what was there before."""
    return with_hidden(event, lambda _, hidden: Hidden(hidden.to, hidden.value))


def with_hidden(event: E, change: Callable[[str, Hidden[Any]], Hidden[Any]]) -> E:
    """``event`` with each hidden field as ``change`` makes it from its path and itself."""
    changed: E = _map(event, "", change) if hides(type(event)) else event
    return changed


def reopen(event: msgspec.Struct, openings: Iterable[Opening]) -> bool:
    """Puts the values of ``openings`` into the hidden fields of a sealed ``event``.

    In place: only for an event that was just decoded, which nobody else has seen yet. False where one of them is not
    for a hidden field of the event, nor for an item of a tuple that is one; the event is then of no use any more.
    Raises ``msgspec.ValidationError`` for a value that is not of the field's type.
    """
    places = _places(type(event))
    for opening in openings:
        if opening.path not in places:
            return False
        name, at, read = places[opening.path]
        field = getattr(event, name)
        if at is not None:
            if not isinstance(field, tuple) or at >= len(field):
                return False
            field = field[at]
        if not isinstance(field, Hidden):
            return False
        force_setattr(field, "value", read(opening.value))
    return True


@cache
def hides(kind: Any) -> bool:
    """Whether a value of type ``kind`` can hold a ``Hidden`` field."""
    origin = getattr(kind, "__origin__", kind)
    if isinstance(origin, type) and issubclass(origin, Hidden):
        return True
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return any(hides(hint) for hint in get_type_hints(kind).values())
    return any(hides(part) for part in get_args(kind) if part is not Ellipsis)


@cache
def _hiding(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of ``kind`` that can hold a ``Hidden`` field, or be one."""
    return tuple(name for name, hint in get_type_hints(kind).items() if hides(hint))


@cache
def _places(kind: type[msgspec.Struct]) -> Mapping[str, tuple[str, int | None, Callable[[bytes], Any]]]:
    """For each path at which a hidden value of ``kind`` may stand: the field, its place if the field is a tuple, and
    what reads the value.
    """
    found: dict[str, tuple[str, int | None, Callable[[bytes], Any]]] = {}
    for name, hint in get_type_hints(kind).items():
        for part in (hint, *get_args(hint)):
            if getattr(part, "__origin__", None) is Hidden:
                read = msgspec.json.Decoder(get_args(part)[0]).decode
                found[name] = name, None, read
                found |= {f"{name}.{at}": (name, at, read) for at in range(_MOST)}
    return found


def _map(value: Any, path: str, change: Callable[[str, Hidden[Any]], Hidden[Any]]) -> Any:
    inside = f"{path}." if path else ""
    match value:
        case Hidden():
            return change(path, value)
        case msgspec.Struct():
            parts = {name: _map(getattr(value, name), inside + name, change) for name in _hiding(type(value))}
            return msgspec.structs.replace(value, **parts)
        case tuple() | list():
            return type(value)(_map(item, f"{inside}{place}", change) for place, item in enumerate(value))
        case Mapping():
            return {key: _map(item, inside + key, change) for key, item in value.items()}
        case _:
            return value
