"""The document says what the service does: complete, valid, the same each time, and every value fits its schema."""

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from litestar.routes import HTTPRoute
from schemathesis.specs.openapi import definitions

from domain.games import GAMES
from domain.match import EVENTS
from services.api.document import document
from services.api.problem_types import TYPES
from services.api.routes import routes
from services.api.samples import sample
from services.api.schemas import prefix
from services.rulebooks import clause_text
from tests.api.conftest import Service
from tests.api.guests import Table, ok

DOCUMENT: dict[str, Any] = json.loads(document())
COMMITTED = Path(__file__).parents[2] / "openapi" / "openapi.json"


def checker(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """A validator of one schema of the document."""
    return jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]}, validate_formats=True)


@cache
def component(name: str) -> jsonschema_rs.Draft202012Validator:
    return checker({"$ref": f"#/components/schemas/{name}"})


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(target), **rest}:
            yield target
            yield from references(rest)
        case dict():
            for item in value.values():
                yield from references(item)
        case list():
            for item in value:
                yield from references(item)


def test_the_committed_document_is_the_one_that_the_code_makes():
    assert COMMITTED.read_bytes() == document(), "kibitz openapi writes openapi/openapi.json anew"


def test_the_document_is_an_openapi_3_1_document():
    assert DOCUMENT["openapi"].startswith("3.1.")
    definitions.OPENAPI_31_VALIDATOR.validate(DOCUMENT)


def test_every_reference_leads_somewhere_and_every_component_is_used():
    used = set(references(DOCUMENT))
    for target in used:
        inside: Any = DOCUMENT
        for step in target.removeprefix("#/").split("/"):
            inside = inside[step]
    mapped = {to for schema in DOCUMENT["components"]["schemas"].values() for to in _mapping(schema).values()}
    for kind in ("schemas", "headers", "examples"):
        for name in DOCUMENT["components"][kind]:
            assert f"#/components/{kind}/{name}" in used | mapped or name.endswith("Options"), name


def _mapping(schema: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = schema.get("discriminator", {}).get("mapping", {})
    return found


def test_every_path_of_the_service_is_in_the_document():
    served = {
        (route.path_format, method.lower())
        for route in routes().routes
        if isinstance(route, HTTPRoute)
        for method in route.methods - {"OPTIONS"}
    }
    assert served == {(path, method) for path, method, _ in operations()}


def test_every_operation_has_a_summary_a_name_of_its_own_and_typed_problems():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(names)) == len(names)
    for path, method, operation in operations():
        assert operation["summary"], path
        assert operation["tags"], path
        for status, answer in operation["responses"].items():
            assert answer["description"], (path, status)
            if status >= "400" and (path, status) != ("/health/ready", "503"):
                assert list(answer["content"]) == ["application/problem+json"], (path, status)
            assert "X-Request-Id" in answer["headers"]
        assert {"400", "503"} <= operation["responses"].keys()
        if method == "post":
            assert "Idempotency-Key" in [parameter["name"] for parameter in operation["parameters"]]
            assert {"413", "415"} <= operation["responses"].keys()
        if operation["security"] == [{"token": []}]:
            assert "401" in operation["responses"]
        if operation.get("requestBody"):
            assert operation["requestBody"]["content"]["application/json"]["examples"], path


def test_every_example_fits_its_schema():
    count = 0
    for path, _, operation in operations():
        contents = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (entry for holder in contents for entry in holder.get("content", {}).values()):
            for name, example in content.get("examples", {}).items():
                known = DOCUMENT["components"]["examples"][name] if "$ref" in example else example
                checker(content["schema"]).validate(known["value"])
                count += 1
            assert path
    assert count > 100


RARE = {
    "spades-two": {"exchange"},
    "osel-trumps": {"claim", "decline"},
    "osel-two-against-one": {"exchange", "return"},
    "osel-three-against-one": {"return"},
}
"""Kinds of move that need a declaration or cards which a few plays without shuffling do not come to."""


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_have_every_kind_of_move_of_a_game_and_the_words_of_its_rule_book(game: str):
    kinds = {str(move.__struct_config__.tag) for move in GAMES[game].moves} - RARE.get(game, set())
    assert sample(game).moves.keys() == kinds
    named = DOCUMENT["paths"]["/v1/matches/{match}/moves"]["post"]["requestBody"]["content"]["application/json"]
    assert {f"{game}: {kind}" for kind in kinds} <= named["examples"].keys()
    told = DOCUMENT["components"]["examples"]["refused"]["value"]
    assert told["clause_text"] == clause_text(told["game"], told["clause"])
    assert told["legal_hint"]


def test_every_type_of_problem_is_answered_by_some_operation_or_by_every_path_or_before_there_is_a_request():
    told = {target.rpartition("/")[2] for target in references(DOCUMENT["paths"]) if "/examples/" in target}
    assert TYPES.keys() - told == {"method-not-allowed", "internal", "too-slow", "head-too-large"}


@pytest.mark.fault(63)
@pytest.mark.parametrize("game", GAMES)
def test_moves_of_a_game_fit_their_schema_and_others_do_not(game: str):
    own = component(f"{prefix(game)}Move")
    union = component("Move")
    kinds = {move.__struct_config__.tag for move in GAMES[game].moves}
    if len(kinds) > 1:
        mapping = DOCUMENT["components"]["schemas"][f"{prefix(game)}Move"]["discriminator"]["mapping"]
        assert set(mapping) == kinds
    wrongs: tuple[Any, ...] = ({}, {"type": "fly"}, {"type": "play"}, {"type": "pass", "extra": 1}, [], None, "pass")
    for wrong in wrongs:
        assert not own.is_valid(wrong)
        assert not union.is_valid(wrong)


@pytest.mark.fault(63)
async def test_every_event_move_table_and_answer_of_real_matches_fits_its_schema(service: Service):
    seen: set[str] = set()
    event, move = component("Event"), component("Move")
    own_event, own_move = component("WhosTheAssEvent"), component("WhosTheAssMove")
    table_of, moves_of, done = component("LiveTable"), component("LegalMoves"), component("Done")
    tables = [await _played(service, seed) for seed in range(3)]
    for table in tables:
        for path, name in (
            ("score-sheet", "ScoreSheet"),
            ("replay", "ReplayIndex"),
            ("audit", "Report"),
            ("export", "Export"),
            ("events", "EventPage"),
        ):
            component(name).validate(ok(await table.http.get(f"{table.path}/{path}")))
        table_of.validate(await table.seen())
        events = ok(await table.http.get(f"{table.path}/export"))["events"]
        for entry in events:
            event.validate(entry)
            kind = entry["type"]
            (own_event if EVENTS.coded(_code(kind)).code > 99 else component("MatchEvent")).validate(entry)
            seen.add(kind)
        step = ok(await table.http.get(f"{table.path}/replay/{len(events) // 2}", params={"seat": "all"}))
        component("ReplayStep").validate(step)
    table = await service.table(4)
    for choice in range(30):
        who = await table.due()
        told = await table.legal(who)
        moves_of.validate(told)
        for entry in told["moves"]:
            move.validate(entry)
            own_move.validate(entry)
        for seat in range(4):
            table_of.validate(await table.seen(seat))
        done.validate(await table.step(choice))
    assert seen >= {entry.name for entry in GAMES["whos-the-ass"].events}
    assert seen >= {
        "MatchOpened",
        "SeatTaken",
        "SeedRevealed",
        "MatchStarted",
        "HandEnded",
        "MatchEnded",
        "SeatResigned",
    }


def _code(name: str) -> int:
    return next(entry.code for entry in EVENTS.types if entry.name == name)


async def _played(service: Service, seed: int) -> Table:
    """A match played at random in which, the second time, somebody resigns."""
    chance = random.Random(seed)
    table = await service.table(3, own_seeds=seed == 0, options={"games": 2})
    for count in range(1000):
        if (await table.seen())["status"] != "playing":
            return table
        if seed == 1 and count == 5:
            ok(await table.guests[0].post(f"{table.path}/resign"))
        elif (await table.seen())["status"] == "playing":
            moves = (await table.legal(await table.due()))["moves"]
            lead = {"type": "play", "cards": ["ASS"]}
            choice = moves.index(lead) if lead in moves else chance.randrange(len(moves))
            await table.step(choice)
    raise AssertionError("the match does not end")


@pytest.mark.fault(63)
def test_every_stored_type_of_event_has_a_schema_that_takes_it_sealed_and_opened():
    """The fault of generators: unions and tags. Each type is named by the discriminator, and by no other's schema."""
    mapping: dict[str, str] = {}
    for name in ("MatchEvent", *(f"{prefix(game)}Event" for game in GAMES)):
        mapping |= DOCUMENT["components"]["schemas"][name]["discriminator"]["mapping"]
    assert set(mapping) == {entry.name for entry in EVENTS.types}
    for name, target in mapping.items():
        schema = DOCUMENT["components"]["schemas"][target.rpartition("/")[2]]
        assert schema["properties"]["type"] == {"const": name}
        assert schema["additionalProperties"] is False
