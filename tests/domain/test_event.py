"""The envelope, the chain, and the register of event types."""

import hashlib
from typing import Any

import msgspec
import pytest

from domain.event import (
    START,
    SYSTEM,
    EventType,
    Recorded,
    Registry,
    canonical_bytes,
    chained,
)
from domain.hidden import Hidden, Opening, b64u, canonical, disclose, seal, with_hidden

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"


class CardLaid(msgspec.Struct, frozen=True):
    seat: int
    card: str


class CardGiven(msgspec.Struct, frozen=True):
    """In its third schema. The first had ``card`` without ``to``; the second ``cards`` without ``open``."""

    seat: int
    cards: Hidden[tuple[str, ...]]
    open: bool


class Passed(msgspec.Struct, frozen=True):
    seat: int


class Knocked(msgspec.Struct, frozen=True):
    seat: int


def second(body: dict[str, Any]) -> dict[str, Any]:
    card = body["card"]
    value = {"value": [card["value"]]} if "value" in card else {}
    return {"seat": body["seat"], "cards": {**card, **value}}


def third(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "open": False}


GIVEN = EventType(7, CardGiven, schema=3, upcasts={1: second, 2: third}, mark="capture")
REGISTRY = Registry((EventType(1, CardLaid), GIVEN, EventType(8, Passed), EventType(9, Knocked)))


def recorded(body: Any, name: str = "", schema: int = 1, **envelope: Any) -> Recorded[Any]:
    facts = {"match": MATCH, "version": 3, "at": 1_700_000_000_123, "seat": 2, "cmd": "c", "prev": "p", **envelope}
    return Recorded(type=name or type(body).__name__, schema=schema, body=body, **facts)


# --- bytes and chain ---


def test_the_bytes_of_an_event_are_exactly_these():
    assert canonical_bytes(recorded(CardLaid(2, "10H"), cmd="b7c0", prev="q83v")) == (
        b'{"at":1700000000123,"body":{"card":"10H","seat":2},"cmd":"b7c0",'
        b'"match":"01890a5d-ac96-774b-bcce-b302099a8057","prev":"q83v","schema":1,"seat":2,"type":"CardLaid","version":3}'
    )


def test_the_service_signs_as_system_and_the_first_event_has_no_prev():
    first = recorded(CardLaid(2, "10H"), seat=SYSTEM, prev=b64u(START), version=1)
    assert b'"prev":""' in canonical_bytes(first)
    assert b'"seat":"system"' in canonical_bytes(first)


def test_a_hash_is_taken_over_a_zero_byte_and_the_bytes():
    assert chained(b"{}") == hashlib.sha256(b"\x00{}").digest()
    assert chained(b"{}") == hashlib.sha256(b"\x00{}").digest()


def test_a_change_of_one_event_changes_every_hash_after_it():
    def heads(card: str) -> list[str]:
        found = [b64u(START)]
        for version in range(1, 5):
            body = CardLaid(0, card if version == 2 else "AS")
            found.append(b64u(chained(canonical_bytes(recorded(body, version=version, prev=found[-1])))))
        return found

    assert [a == b for a, b in zip(heads("KS"), heads("QS"), strict=True)] == [True, True, False, False, False]


# --- the register ---


def test_an_event_is_known_by_its_class_and_by_its_code():
    assert REGISTRY.of(CardLaid(0, "AS")).code == 1
    assert REGISTRY.coded(7) is GIVEN
    assert (GIVEN.name, GIVEN.mark) == ("CardGiven", "capture")


def test_an_event_comes_back_from_its_bytes():
    event = recorded(CardLaid(2, "10H"))
    assert REGISTRY.decode(1, 1, canonical_bytes(event)) == event


def test_a_sealed_event_comes_back_sealed_or_with_its_openings():
    event = CardGiven(1, Hidden((1,), ("AS", "KS")), open=True)
    sealed, openings = seal(event, lambda path: b"\x01" * 16)
    data = canonical_bytes(recorded(sealed, schema=3))
    assert REGISTRY.decode(7, 3, data).body == sealed
    opened = REGISTRY.decode(7, 3, data, openings)
    assert opened.body.cards.opened == ("AS", "KS")
    assert (opened.body.cards.to, opened.body.cards.digest) == ((1,), sealed.cards.digest)
    assert opened == recorded(opened.body, schema=3)


class HandsDealt(msgspec.Struct, frozen=True):
    hands: tuple[Hidden[tuple[str, ...]], ...]
    talon: Hidden[str] | str
    last: Hidden[int]


@pytest.mark.parametrize("talon", [Hidden((), "2S"), "2S"])
@pytest.mark.parametrize("known", [(), (0,), (1, 2), (2, 0, 1)])
def test_what_is_opened_is_what_was_hidden_and_the_rest_stays_sealed(talon: Any, known: tuple[int, ...]):
    registry = Registry((EventType(1, HandsDealt),))
    event = HandsDealt((Hidden((0,), ("AS", "KS")), Hidden((1,), ())), talon, Hidden((0, 1), 7))
    sealed, openings = seal(event, lambda path: path.encode().ljust(16))
    chosen = [openings[place] for place in known]
    opened = registry.decode(1, 1, canonical_bytes(recorded(sealed)), chosen).body
    disclosed = msgspec.convert(disclose(msgspec.json.decode(canonical(sealed)), chosen), HandsDealt)
    assert opened == with_hidden(disclosed, lambda _, hidden: Hidden(hidden.to, hidden.value, hidden.digest))


@pytest.mark.parametrize("path", ["hands.2", "hands.x", "hands", "hands.0.to", "seat", "last.0", "", "."])
def test_an_opening_for_no_hidden_field_is_refused(path: str):
    registry = Registry((EventType(1, HandsDealt),))
    sealed, _ = seal(HandsDealt((Hidden((0,), ()), Hidden((1,), ())), "2S", Hidden((), 7)), lambda path: bytes(16))
    with pytest.raises((LookupError, ValueError, TypeError)):
        registry.decode(1, 1, canonical_bytes(recorded(sealed)), [Opening(path, (), bytes(16), b"7")])


def test_a_value_of_another_type_than_its_field_is_refused():
    registry = Registry((EventType(1, HandsDealt),))
    sealed, _ = seal(HandsDealt((), "2S", Hidden((), 7)), lambda path: bytes(16))
    with pytest.raises(msgspec.ValidationError):
        registry.decode(1, 1, canonical_bytes(recorded(sealed)), [Opening("last", (), bytes(16), b'"7"')])


def test_an_old_event_is_lifted_step_by_step_to_the_newest_schema():
    sealed = {"to": [1], "digest": "d"}
    first = canonical(recorded({"seat": 1, "card": sealed}, "CardGiven", 1))
    older = canonical(recorded({"seat": 1, "cards": sealed}, "CardGiven", 2))
    for schema, data in ((1, first), (2, older)):
        lifted = REGISTRY.decode(7, schema, data)
        assert lifted.body == CardGiven(1, Hidden((1,), digest="d"), open=False)
        assert (lifted.schema, lifted.version, lifted.prev) == (3, 3, "p")


def test_an_old_event_is_opened_where_its_own_schema_hid_the_value():
    class OldGiven(msgspec.Struct, frozen=True):
        seat: int
        card: Hidden[str]

    sealed, openings = seal(OldGiven(1, Hidden((1,), "AS")), lambda path: b"\x01" * 16)
    data = canonical(recorded(sealed, "CardGiven", 1))
    assert [opening.path for opening in openings] == ["card"]
    assert REGISTRY.decode(7, 1, data, openings).body.cards.opened == ("AS",)


@pytest.mark.parametrize("code", [0, 2, 99])
def test_a_code_that_was_never_written_is_unknown(code: int):
    with pytest.raises(KeyError):
        REGISTRY.coded(code)
    with pytest.raises(KeyError):
        REGISTRY.decode(code, 1, b"{}")


@pytest.mark.parametrize("schema", [0, 4])
def test_a_schema_that_was_never_written_is_unknown(schema: int):
    event = recorded(CardGiven(1, Hidden((1,), digest="d"), open=True), schema=schema)
    with pytest.raises(KeyError):
        REGISTRY.decode(7, schema, canonical_bytes(event))


@pytest.mark.fault(62)
def test_bytes_are_not_taken_for_an_event_of_another_type_with_the_same_fields():
    data = canonical_bytes(recorded(Passed(1)))
    assert REGISTRY.decode(8, 1, data).body == Passed(1)
    with pytest.raises(msgspec.ValidationError, match="is not Knocked"):
        REGISTRY.decode(9, 1, data)


@pytest.mark.fault(62)
def test_bytes_are_not_taken_for_another_schema_than_they_name():
    data = canonical_bytes(recorded(CardGiven(1, Hidden((1,), digest="d"), open=True), schema=3))
    with pytest.raises(msgspec.ValidationError, match="schema 3"):
        REGISTRY.decode(7, 2, data)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"at":1}', b"\xff", b'{"seat":"nobody"}'])
def test_bytes_that_are_no_event_are_refused(data: bytes):
    with pytest.raises(msgspec.DecodeError):
        REGISTRY.decode(1, 1, data)


def test_a_body_that_does_not_fit_its_type_is_refused():
    with pytest.raises(msgspec.ValidationError):
        REGISTRY.decode(1, 1, canonical(recorded({"seat": "2", "card": "AS"}, "CardLaid")))


@pytest.mark.parametrize(
    "types",
    [
        (EventType(1, CardLaid), EventType(1, Passed)),
        (EventType(1, CardLaid), EventType(2, CardLaid)),
    ],
)
def test_two_types_share_neither_a_code_nor_a_class(types: tuple[EventType, ...]):
    with pytest.raises(ValueError, match="share"):
        Registry(types)


@pytest.mark.parametrize("upcasts", [{}, {2: third}, {1: second, 3: third}, {0: second, 1: second, 2: third}])
def test_every_older_schema_must_be_lifted_to_the_next(upcasts: dict[int, Any]):
    with pytest.raises(ValueError, match="lift"):
        Registry((EventType(7, CardGiven, schema=3, upcasts=upcasts),))
