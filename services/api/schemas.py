"""JSON Schemas of everything that the API takes and gives, made from the types themselves.

``msgspec`` writes the schema of each type. What it cannot know is put together here: that an event is its envelope
around one of many bodies, that a move belongs to a game, that a table is the view of a game.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from typing import Any, Final, Union, get_type_hints

import msgspec

from domain.event import EventType
from domain.game import AnyGame
from domain.games import GAMES
from domain.match.state import EVENTS as MATCH_EVENTS

Schema = dict[str, Any]

_REF: Final = "#/components/schemas/"


def reference(name: str) -> Schema:
    return {"$ref": _REF + name}


EVENT: Final = reference("Event")
MOVE: Final = reference("Move")
TABLE: Final = reference("Table")


def prefix(game: str) -> str:
    """``WhosTheAss`` for ``whos-the-ass``: what the names of a game's schemas begin with."""
    return "".join(part.title() for part in game.split("-"))


class Schemas:
    """The components of the document, and the schema of each of ``kinds`` in terms of them."""

    def __init__(self, kinds: Iterable[Any]) -> None:
        self._kinds = list(kinds)
        bodies = [entry.cls for entry in MATCH_EVENTS]
        found, components = _components([*self._kinds, *bodies], "")
        self._found = found[: len(self._kinds)]
        self.components: dict[str, Schema] = components | dict(_ENVELOPE.values())
        self._add_events("Match", MATCH_EVENTS, found[len(self._kinds) :])
        for game in GAMES.values():
            self._add_game(game)
        of_games = [prefix(game) for game in GAMES]
        self.components["Event"] = _any("An event, as its viewer may see it.", ["Match", *of_games], "Event")
        self.components["Move"] = _any("A move of the game that is being played.", of_games, "Move")
        self.components["Table"] = _any("The game as its viewer sees it.", of_games, "Table")

    def of(self, kind: Any) -> Schema:
        """The schema of one of the kinds that were named; a schema is its own."""
        if isinstance(kind, Mapping):
            return dict(kind)
        return self._found[next(place for place, known in enumerate(self._kinds) if known is kind)]

    def _add_game(self, game: AnyGame) -> None:
        name = prefix(game.id)
        view = get_type_hints(game.view)["return"]
        kinds = [Union[game.moves], game.options, view, *(entry.cls for entry in game.events)]
        (move, options, table, *bodies), components = _components(kinds, name)
        self.components |= components
        self.components[f"{name}Move"] = move
        self.components[f"{name}Table"] = table
        if options != reference(f"{name}Options"):
            self.components[f"{name}Options"] = options
        self._add_events(name, game.events, bodies)

    def _add_events(self, name: str, entries: Sequence[EventType], bodies: Sequence[Schema]) -> None:
        mapping = {}
        for entry, body in zip(entries, bodies, strict=True):
            own = f"{name}{entry.name}Recorded" if name != "Match" else f"{entry.name}Recorded"
            self.components[own] = _recorded(entry, body)
            mapping[entry.name] = _REF + own
        self.components[f"{name}Event"] = {
            "title": f"{name}Event",
            "anyOf": [{"$ref": target} for target in mapping.values()],
            "discriminator": {"propertyName": "type", "mapping": mapping},
        }


def move_schema(game: AnyGame) -> Schema:
    """The JSON Schema of a game's moves, complete in itself."""
    return msgspec.json.schema(Union[game.moves])


def options_schema(game: AnyGame) -> Schema:
    """The JSON Schema of a game's options, with defaults and descriptions, complete in itself."""
    return msgspec.json.schema(game.options)


def query_parameters(kind: type[msgspec.Struct]) -> list[Schema]:
    """The parameters that a query of type ``kind`` has."""
    (_,), found = msgspec.json.schema_components([kind])
    schema = found[kind.__name__]
    parameters = []
    for name, given in schema["properties"].items():
        own = dict(given)
        text = own.pop("description", "")
        if own.get("default", ...) is None:
            del own["default"]
            own = _without_null(own)
        parameter = {"name": name, "in": "query", "description": text, "schema": own}
        if name in schema["required"]:
            parameter["required"] = True
        parameters.append(parameter)
    return parameters


def _without_null(schema: Schema) -> Schema:
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if "enum" in schema:
        return {**schema, "enum": [value for value in schema["enum"] if value is not None]}
    if len(kinds) != 1:
        return schema
    return {**kinds[0], **{key: value for key, value in schema.items() if key != "anyOf"}}


def _components(kinds: Sequence[Any], name: str) -> tuple[tuple[Schema, ...], dict[str, Schema]]:
    found, components = msgspec.json.schema_components(kinds, ref_template=_REF + name + "{name}")
    renamed = {name + old: name + _readable(old) for old in components}

    def tidy(value: Any) -> Any:
        match value:
            case dict():
                return {key: tidy(item) for key, item in value.items()}
            case list() | tuple():
                return [tidy(item) for item in value]
            case str() if value.startswith(_REF):
                target = value.removeprefix(_REF)
                return _REF + renamed.get(target, target)
            case str():
                return value.replace("``", "`")
            case _:
                return value

    tidied = {renamed[name + old]: tidy(schema) for old, schema in components.items()}
    for own, schema in tidied.items():
        if "title" in schema:
            schema["title"] = own
    return tuple(tidy(schema) for schema in found), tidied


def _readable(name: str) -> str:
    """``HiddenTupleCard`` for ``Hidden_tuple_domain.cards.Card__...__``."""
    if re.fullmatch(r"\w+", name) and "_" not in name:
        return name
    parts = [part.rpartition(".")[2] for part in re.split(r"[^A-Za-z0-9.]+", name)]
    return "".join(part[:1].upper() + part[1:] for part in parts if part)


def _any(text: str, prefixes: Iterable[str], suffix: str) -> Schema:
    return {"title": suffix, "description": text, "anyOf": [reference(name + suffix) for name in prefixes]}


_ENVELOPE: Final[Mapping[str, tuple[str, Schema]]] = {
    "at": ("EventTime", {"type": "integer", "description": "Milliseconds since 1970, UTC."}),
    "cmd": (
        "EventCommand",
        {"type": "string", "format": "uuid", "description": "The command that this event followed from."},
    ),
    "hash": (
        "EventHash",
        {
            "type": "string",
            "pattern": "^[A-Za-z0-9_-]{43}$",
            "description": "SHA-256 over a zero byte and the canonical bytes of the event.",
        },
    ),
    "match": ("EventMatch", {"type": "string", "format": "uuid", "description": "The match that it is of."}),
    "prev": (
        "EventBefore",
        {
            "type": "string",
            "pattern": "^([A-Za-z0-9_-]{43})?$",
            "description": "The hash of the event before; empty at the first.",
        },
    ),
    "schema": ("EventSchema", {"type": "integer", "minimum": 1, "description": "The format that `body` has."}),
    "seat": (
        "EventSeat",
        {
            "anyOf": [{"type": "integer", "minimum": 0}, {"const": "system"}],
            "description": "Who acted: a seat, or the service.",
        },
    ),
    "version": ("EventVersion", {"type": "integer", "minimum": 1, "description": "Its number in the match."}),
}
"""The fields that every event has around its body, each with the name of its component."""


def _recorded(entry: EventType, body: Schema) -> Schema:
    properties = {field: reference(name) for field, (name, _) in _ENVELOPE.items()}
    properties |= {"body": body, "type": {"const": entry.name}}
    properties = dict(sorted(properties.items()))
    required = list(properties)
    properties["table"] = {
        **reference("LiveTable"),
        "description": "The table after the event: only in a stream that was asked for it.",
    }
    return {
        "title": entry.name,
        "description": cleandoc(entry.cls.__doc__ or "").replace("``", "`"),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
