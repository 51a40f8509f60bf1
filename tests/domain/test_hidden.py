"""Hidden values: sealed for the record, opened for those they are for, and nothing for anybody else."""

import hashlib
import json
from base64 import urlsafe_b64encode
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.hidden import Hidden, Opening, b64u, canonical, digest_of, disclose, hides, seal, unb64u

quick = settings(deadline=None, max_examples=100)


class Talon(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    cards: Hidden[tuple[str, ...]]


class Dealt(msgspec.Struct, frozen=True):
    """A field of every shape that an event may hide something in."""

    dealer: int
    hands: tuple[Hidden[tuple[str, ...]], ...]
    talon: Talon | None
    gifts: dict[str, Hidden[int]]
    heaps: list[Hidden[str]]


class Passed(msgspec.Struct, frozen=True):
    seat: int
    reasons: tuple[str, ...] = ()


seats = st.frozensets(st.integers(0, 4), max_size=4).map(lambda found: tuple(sorted(found)))
words = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6)
cards = st.lists(st.sampled_from(["10H", "AS", 'a"quote', "\\"]), max_size=4).map(tuple)


def hidden(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(Hidden, seats, values)


def sort(found: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(found.items()))


deals = st.builds(
    Dealt,
    st.integers(0, 4),
    st.lists(hidden(cards), max_size=4).map(tuple),
    st.none() | st.builds(Talon, name=words, cards=hidden(cards)),
    st.dictionaries(st.sampled_from(["left", "right"]), hidden(st.integers(-(2**53), 2**53))).map(sort),
    st.lists(hidden(words), max_size=2),
)


def salt_of(path: str) -> bytes:
    return hashlib.sha256(path.encode()).digest()[:16]


def fields(value: Any) -> list[Hidden[Any]]:
    """Every hidden field of an event, however deep."""
    match value:
        case Hidden():
            return [value]
        case msgspec.Struct():
            return [found for name in value.__struct_fields__ for found in fields(getattr(value, name))]
        case dict():
            return [found for item in value.values() for found in fields(item)]
        case tuple() | list():
            return [found for item in value for found in fields(item)]
        case _:
            return []


def changed(value: Any, viewer: int) -> Any:
    """The same event with another value in each field that ``viewer`` may not see."""
    match value:
        case Hidden(to, known):
            return value if viewer in to else Hidden(to, f"not {known}")
        case msgspec.Struct():
            names = value.__struct_fields__
            return type(value)(**{name: changed(getattr(value, name), viewer) for name in names})
        case dict():
            return {key: changed(item, viewer) for key, item in value.items()}
        case tuple() | list():
            return type(value)(changed(item, viewer) for item in value)
        case _:
            return value


# --- sealing and opening ---


@quick
@given(deals)
def test_a_sealed_event_with_all_openings_put_back_is_the_event_again(event: Dealt):
    sealed, openings = seal(event, salt_of)
    body = disclose(msgspec.json.decode(canonical(sealed)), openings)
    opened = msgspec.convert(body, Dealt)
    assert [field.opened for field in fields(opened)] == [field.opened for field in fields(event)]
    assert [field.to for field in fields(opened)] == [field.to for field in fields(event)]
    assert (opened.dealer, list(opened.gifts)) == (event.dealer, list(event.gifts))


@quick
@given(deals)
def test_each_opening_fits_its_digest_and_says_who_may_have_it(event: Dealt):
    sealed, openings = seal(event, salt_of)
    assert len(openings) == len(fields(sealed)) == len(fields(event))
    for opening, closed, known in zip(openings, fields(sealed), fields(event), strict=True):
        assert opening.to == closed.to == known.to
        assert opening.salt == salt_of(opening.path)
        assert opening.value == json.dumps(known.opened, separators=(",", ":")).encode()
        assert closed.digest == digest_of(opening.salt, opening.value)


@quick
@given(deals)
def test_a_sealed_event_holds_no_value_and_no_salt(event: Dealt):
    sealed, _ = seal(event, salt_of)
    for field in fields(sealed):
        assert field.value is msgspec.UNSET
        assert field.salt is msgspec.UNSET
        with pytest.raises(ValueError, match="sealed"):
            _ = field.opened


def test_the_digest_is_the_base64url_sha_256_of_salt_and_canonical_value():
    sealed, openings = seal(Passed_to_two(), lambda path: b"\x05" * 16)
    written = urlsafe_b64encode(hashlib.sha256(b"\x05" * 16 + b'["10H","AS"]').digest()).decode().rstrip("=")
    assert canonical(sealed) == b'{"cards":{"digest":"%b","to":[0,2]},"name":"n"}' % written.encode()
    assert openings == (Opening("cards", (0, 2), b"\x05" * 16, b'["10H","AS"]'),)


def Passed_to_two() -> Talon:  # noqa: N802 - reads as the event it makes
    return Talon(name="n", cards=Hidden((0, 2), ("10H", "AS")))


def test_the_paths_say_where_the_fields_stand():
    event = Dealt(
        0, (Hidden((0,), ("AS",)), Hidden((1,), ())), Passed_to_two(), {"left": Hidden((), 7)}, [Hidden((), "x")]
    )
    _, openings = seal(event, salt_of)
    assert [opening.path for opening in openings] == ["hands.0", "hands.1", "talon.cards", "gifts.left", "heaps.0"]


def test_what_is_sealed_cannot_be_sealed_again():
    sealed, _ = seal(Passed_to_two(), salt_of)
    with pytest.raises(ValueError, match="sealed"):
        seal(sealed, salt_of)


def test_an_event_without_hidden_fields_is_sealed_as_it_is():
    event = Passed(3, ("none",))
    assert not hides(Passed)
    assert seal(event, salt_of) == (event, ())


def test_some_openings_open_some_fields_and_leave_the_others():
    event = Dealt(0, (Hidden((0,), ("AS",)), Hidden((1,), ("KS",))), None, {}, [])
    sealed, openings = seal(event, salt_of)
    body = disclose(msgspec.json.decode(canonical(sealed)), openings[1:])
    assert body["hands"][0] == {"to": [0], "digest": digest_of(salt_of("hands.0"), b'["AS"]')}
    assert body["hands"][1] == {
        "to": [1],
        "digest": digest_of(salt_of("hands.1"), b'["KS"]'),
        "salt": b64u(salt_of("hands.1")),
        "value": ["KS"],
    }


# --- default deny ---


@quick
@given(deals, st.integers(0, 4))
def test_who_is_not_named_learns_nothing_from_the_record(event: Dealt, viewer: int):
    def seen(each: Any) -> tuple[bytes, list[tuple[str, bytes]]]:
        sealed, openings = seal(each, salt_of)
        data = canonical(sealed)
        for opening in openings:
            if viewer not in opening.to:
                mine = digest_of(opening.salt, opening.value).encode()
                data = data.replace(mine, b"." * len(mine))
        return data, [(opening.path, opening.value) for opening in openings if viewer in opening.to]

    assert seen(event) == seen(changed(event, viewer))


# --- base64url ---


@quick
@given(st.binary())
def test_base64url_comes_back(data: bytes):
    text = b64u(data)
    assert unb64u(text) == data
    assert not set(text) & set("+/= \n")


@pytest.mark.parametrize(
    "text", ["QQ==", "QR", "Q", "QQ\n", " QQ", "Q Q", "+_8", "//8", "QQ!", "QQé", "=", "QUJ", "A" * 5]
)
def test_text_that_base64url_does_not_write_is_refused(text: str):
    with pytest.raises(ValueError):
        unb64u(text)


@quick
@given(st.text(max_size=8))
def test_no_two_texts_stand_for_the_same_bytes(text: str):
    try:
        data = unb64u(text)
    except ValueError:
        return
    assert b64u(data) == text


# --- canonical JSON ---


def test_canonical_text_has_sorted_keys_and_no_spaces():
    value = {"b": [1, -2, True, None], "a": {"z": "x y", "Z": {}}}
    assert canonical(value) == b'{"a":{"Z":{},"z":"x y"},"b":[1,-2,true,null]}'


@quick
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(st.characters(max_codepoint=126)),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
        max_leaves=8,
    )
)
def test_canonical_text_is_that_of_any_other_encoder(value: object):
    data = canonical(value)
    assert data == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    assert all(32 <= byte <= 126 for byte in data)
    assert canonical(msgspec.json.decode(data)) == data


def test_control_characters_are_escaped():
    assert canonical("\x00\n\x1f") == b'"\\u0000\\n\\u001f"'


@pytest.mark.parametrize("value", ["é", "\x7f", "\u2028", {"é": 1}, ["a", {"b": "ж"}]])
def test_text_beyond_printable_ascii_is_refused(value: object):
    with pytest.raises(ValueError, match="ASCII"):
        canonical(value)


@pytest.mark.parametrize("value", [1.0, -0.0, 1e300, float("nan"), float("inf"), [1, [2.5]], {"a": {"b": 0.1}}, (0.5,)])
def test_no_fraction_enters_an_event(value: object):
    with pytest.raises(ValueError, match="integers"):
        canonical(value)


def test_a_set_is_written_in_order():
    assert canonical(frozenset(range(20, 0, -1))) == canonical(list(range(1, 21)))
