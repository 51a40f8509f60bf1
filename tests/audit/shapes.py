"""The fields of every type of event, as ``openapi/verifier/events.js`` writes them down for its readers."""

import json
from typing import Any

import msgspec
from msgspec import inspect

from domain.event import EventType
from domain.games import GAMES
from domain.hidden import Hidden
from domain.match.state import EVENTS as MATCH_EVENTS

HEAD = """\
// Every type of event that a match can have: its schema and the fields of its body. `name?` may be missing.
// Made from the types of the service by `python -m tests.audit.vectors`; not to be changed by hand.
"""


def written() -> str:
    """The text of ``events.js``."""
    books = {"match": MATCH_EVENTS} | {game.id: game.events for game in GAMES.values()}
    return f"{HEAD}export const EVENTS = {{\n{''.join(_book(name, book) for name, book in books.items())}}};\n"


def _book(name: str, types: tuple[EventType, ...]) -> str:
    lines = (f"    {entry.name}: {json.dumps([entry.schema, _kind(entry.cls)])}," for entry in types)
    return f"  {json.dumps(name)}: {{\n" + "\n".join(lines) + "\n  },\n"


def _kind(cls: Any) -> Any:
    return _written(inspect.type_info(cls))


def _written(kind: inspect.Type) -> Any:
    match kind:
        case inspect.StructType(cls=cls) if cls is Hidden or getattr(cls, "__origin__", None) is Hidden:
            return ["hidden"]
        case inspect.StructType(cls=cls, fields=fields):
            written = {field.encode_name + ("" if field.required else "?"): _written(field.type) for field in fields}
            if cls.__struct_config__.omit_defaults:  # what is None is left out, so there is no null to be read
                return {name: _without_null(kind) if name.endswith("?") else kind for name, kind in written.items()}
            return written
        case inspect.Metadata(type=inner):
            return _written(inner)
        case inspect.UnionType(types=types):
            return ["any", *map(_written, types)]
        case inspect.LiteralType(values=values):
            return ["one", *values]
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return ["list", _written(item)]
        case inspect.DictType(value_type=value):
            return ["map", _written(value)]
        case inspect.IntType():
            return "int"
        case inspect.StrType(pattern=str(pattern)):
            return ["like", pattern]
        case inspect.StrType():
            return "text"
        case inspect.BoolType():
            return "bool"
        case inspect.NoneType():
            return "null"
        case _:
            raise msgspec.ValidationError(f"events.js has no word for {kind}")


def _without_null(kind: Any) -> Any:
    if not isinstance(kind, list) or kind[0] != "any":
        return kind
    kinds = [other for other in kind[1:] if other != "null"]
    return kinds[0] if len(kinds) == 1 else ["any", *kinds]
