"""What a request says: its headers, its query and its body, each read strictly. What is not understood is a 400."""

import json
import re
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import InternalServerException

from services.api.context import Context
from services.api.problems import hung_up, not_understood, trouble
from services.api.shapes import Nothing
from services.ids import is_id
from services.problems import NotFound
from services.trail import current

AnyRequest = Request[Any, Any, Any]
AnyConnection = ASGIConnection[Any, Any, Any, Any]
"""A request, or a socket that is being asked for."""
T = TypeVar("T")

Version = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
"""The number of an event, or 0 for before the first."""

_KEY: Final = re.compile(r"[\x20-\x7e]{1,255}")
_MATCHED: Final = re.compile(r'"(0|[1-9][0-9]{0,8})(?:\.[A-Za-z0-9-]+)*"|(0|[1-9][0-9]{0,8})')
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_STEP: Final = re.compile(r"(?<=\.)\w+|\[")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def context_of(request: AnyConnection) -> Context:
    context: Context = request.app.state.context
    return context


def header(request: AnyConnection, name: str) -> str | None:
    """The value of a header. Raises a 400 if it was sent more than once."""
    values = request.headers.getall(name, [])
    if len(values) > 1:
        raise not_understood(f"the header {name} was sent {len(values)} times")
    return values[0].strip() if values else None


def query(request: AnyConnection, kind: type[T]) -> T:
    """The query as a value of type ``kind``. Raises a 400 for what does not fit, does not exist or is said twice."""
    raw = request.scope["query_string"].decode("latin-1")
    try:
        pairs = parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=32)
    except ValueError as error:
        raise not_understood(f"the query is not readable: {error}") from error
    given = dict(pairs)
    if len(given) < len(pairs):
        raise not_understood("a query parameter was given twice")
    if any(_CONTROL.search(value) or value.lower() == "null" for value in given.values()):
        raise not_understood("a query parameter has a control character, or says null: leave it out instead")
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise not_understood(f"query: {_reason(error, kind)}") from error


def no_query(request: AnyRequest) -> None:
    """Raises a 400 if there is a query where none is known."""
    query(request, _NoQuery)


class _NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


async def arrived(request: AnyRequest) -> bytes:
    """The body, whatever it is, when all of it has come. Raises a 413 for more than 64 KiB, and a 400 (which nobody
    reads) if the caller hangs up before its end.
    """
    try:
        return await request.body()
    except InternalServerException as error:
        if not request.is_connected:  # the body was read before: that would be our fault
            raise
        raise hung_up() from error


async def raw_body(request: AnyRequest) -> bytes:
    """The body. Raises what ``arrived`` does, and a 415 for one that says that it is not JSON."""
    body = await arrived(request)
    if body and not says_json(header(request, "Content-Type")):
        raise trouble("unsupported-media-type", "send the body as application/json")
    return body


def says_json(kind: str | None) -> bool:
    """Whether a ``Content-Type`` is that of JSON; what comes without one is taken for it."""
    return kind in (None, "application/json") or kind.partition(";")[0].strip().lower() == "application/json"


def decoded(body: bytes, kind: type[T]) -> T:
    """The body as a value of type ``kind``. Raises a 400 that says where it does not fit, or which key is there twice.

    What is large or comes often has a decoder of its own: this reads the body a second time, to look at its keys.
    """
    try:
        value = msgspec.json.decode(body, type=kind)
        json.loads(body, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise not_understood(f"body: {_reason(error, kind)}") from error
    return value


def _reason(error: Exception, kind: Any) -> str:
    """What does not fit; of a word that is none of those there are, which these are."""
    text = str(error)
    if not (isinstance(error, msgspec.ValidationError) and text.startswith("Invalid enum value")):
        return text
    path = text.partition("`$")[2].rstrip("`")
    words = sorted(_words(msgspec.inspect.type_info(kind), _STEP.findall(path)))
    return f"{text}: {', '.join(words)}" if words else text


def _words(node: msgspec.inspect.Type, path: list[str]) -> set[str]:
    """The words that may stand at a place of a type: ``path`` has the fields on the way, and ``[`` for an item."""
    match node:
        case msgspec.inspect.Metadata(inner):
            return _words(inner, path)
        case msgspec.inspect.UnionType(types):
            return {word for branch in types for word in _words(branch, path)}
        case msgspec.inspect.LiteralType(values) if not path:
            return {str(value) for value in values}
        case msgspec.inspect.StructType(fields=fields) if path:
            return {word for field in fields if field.encode_name == path[0] for word in _words(field.type, path[1:])}
        case msgspec.inspect.ListType(item) | msgspec.inspect.VarTupleType(item) if path:
            return _words(item, path[1:])
    return set()


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:40]!r} stands there twice")
    return found


def says_nothing(body: bytes) -> None:
    """Raises a 400 if the body says anything: nothing that was asked for is passed over in silence."""
    decoded(body or b"{}", Nothing)


def idempotency_key(request: AnyRequest, least: int = 1) -> str | None:
    """The key, which has ``least`` characters at least. Raises a 400 for what is none."""
    return key_in(header(request, "Idempotency-Key"), least)


def key_in(key: str | None, least: int = 1) -> str | None:
    """The same of the text of the header."""
    if key is not None and not (_KEY.fullmatch(key) and len(key) >= least):
        raise not_understood(f"the Idempotency-Key of this request has {least} to 255 printable ASCII characters")
    return key


def expected_versions(request: AnyRequest) -> frozenset[int] | None:
    """The versions that ``If-Match`` names, by ETags of the match or as bare numbers; None if any will do.

    Tags are compared strongly (RFC 9110, section 13.1.1): one that is weak, or not as ours are written, is a 400.
    """
    return versions_in(header(request, "If-Match"))


def versions_in(text: str | None) -> frozenset[int] | None:
    """The same of the text of the header."""
    if text is None or text == "*":
        return None
    found = [_MATCHED.fullmatch(tag.strip(" \t")) for tag in text.split(",")]
    named = frozenset(int(tag[1] or tag[2]) for tag in found if tag is not None)
    if None in found:
        raise not_understood("If-Match names versions: by ETags of this match as they were given, or by number")
    return named


def last_event_id(request: AnyConnection) -> int | None:
    """The version after which a stream goes on."""
    text = header(request, "Last-Event-ID")
    if text is None or text == "":
        return None
    if not _NUMBER.fullmatch(text):
        raise not_understood("Last-Event-ID is the id of a frame of this stream: a version")
    return int(text)


def host_of(request: AnyConnection) -> str:
    """The address that a request comes from, or that a trusted proxy says it does (``forwarded``); empty if unknown."""
    return request.client.host if request.client else ""


def path_id(request: AnyConnection, name: str) -> str:
    """The id of a ``match``, ``player`` or ``dispute`` in the path. Raises ``NotFound`` for what cannot be one."""
    found = known_id(str(request.path_params[name]), name)
    if name == "match":
        current().match = found
    return found


def known_id(text: str, name: str) -> str:
    """The id of a ``match``, ``player`` or ``dispute`` as ids are written. Raises ``NotFound`` for others."""
    text = text.lower()
    if not is_id(text):
        raise NotFound(name)
    return text


def path_number(request: AnyRequest, name: str) -> int:
    """A number in the path. Raises ``NotFound`` for what is none."""
    text = str(request.path_params[name])
    if not (text.isascii() and _NUMBER.fullmatch(text)):
        raise NotFound(name)
    return int(text)
