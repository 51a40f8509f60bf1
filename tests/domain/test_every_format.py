"""The stored format and the options of every game. A new game writes its golden once."""

import os
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from domain import match
from domain.game import AnyGame
from domain.games import GAMES
from domain.match.state import EVENTS as MATCH_EVENTS
from tests.domain.play import some_options

GOLDEN = Path(__file__).parents[1] / "golden"

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@every_game
def test_options_have_defaults_bounds_and_a_description(game: AnyGame):
    schema = msgspec.json.schema(game.options)
    (definition,) = schema["$defs"].values()
    for name, field in definition["properties"].items():
        assert "default" in field, name
        assert field.get("description"), name
        assert field.get("type") != "integer" or {"minimum", "maximum"} <= field.keys(), name
    assert definition["additionalProperties"] is False
    for seats in game.seats:
        game.check(game.options(), seats)
        game.check(some_options(game, seats, random.Random(seats)), seats)


@every_game
def test_the_stored_format_has_not_changed(game: AnyGame):
    """A difference means that old matches may not load."""
    entries = sorted(game.events, key=lambda entry: entry.code)
    _, components = msgspec.json.schema_components([entry.cls for entry in entries])
    names = {str(entry.code): {"type": entry.name, "schema": entry.schema} for entry in entries}
    schema = msgspec.json.format(msgspec.json.encode({"events": names, "$defs": _plain(components)}, order="sorted"))
    golden = GOLDEN / f"{game.id}.events.json"
    if os.environ.get("KIBITZ_WRITE_GOLDEN"):
        golden.write_bytes(schema + b"\n")
    assert golden.read_bytes() == schema + b"\n", (
        "the events of this game are not what is stored: raise the schema number and write an upcaster first; then "
        "KIBITZ_WRITE_GOLDEN=1 python -m pytest tests/domain/test_every_format.py"
    )


def _plain(value: Any) -> Any:
    """A schema without its prose: words may change."""
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items() if key != "description"}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


@every_game
def test_no_event_has_a_float(game: AnyGame):
    kinds = inspect.multi_type_info([entry.cls for entry in game.events])
    assert "FloatType" not in repr(kinds)
    assert "IntType" in repr(kinds)


@every_game
def test_the_codes_and_names_of_events_are_its_own(game: AnyGame):
    assert len({entry.code for entry in game.events}) == len({entry.name for entry in game.events})
    assert {entry.cls for entry in game.events} >= game.draws
    assert all(match.EVENTS.coded(entry.code) is entry for entry in game.events)


@every_game
def test_a_name_stands_for_one_type_of_event_within_a_match(game: AnyGame):
    names = [entry.name for entry in (*MATCH_EVENTS, *game.events)]
    assert len(names) == len(set(names))
