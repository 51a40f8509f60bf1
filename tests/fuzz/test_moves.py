"""Whatever bytes are sent for a move: they are a move of the game, which the rules take or refuse, or they are none."""

import random
from collections import Counter
from functools import cache
from itertools import islice
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from domain.game import DEALER, AnyGame, Refused
from domain.games import GAMES
from services.moves import decode_move
from services.problems import BadRequest
from tests.domain.play import start, steps
from tests.fuzz.conftest import TIMES

JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=12),
    lambda inner: some.lists(inner, max_size=5) | some.dictionaries(some.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)
_CARDS = some.sampled_from(["AS", "10H", "2C", "joker", "13", "1", "ass", "KD", "QQ", "", "7", "0", "red joker"])


@cache
def states(game: str) -> list[tuple[Any, Any, Any]]:
    """States of random play in which a seat is due, with that seat and what it did."""
    matches = (islice(steps(GAMES[game], start(GAMES[game], seed), seed), 150) for seed in range(3))
    return [(step.before, step.seat, step.command) for match in matches for step in match if step.seat != DEALER]


def shaped(game: AnyGame) -> some.SearchStrategy[bytes]:
    """JSON that has the fields of a move, each with something that may fit."""
    value = JSON | _CARDS | some.lists(_CARDS, max_size=14) | some.integers(-3, 16)

    def one(kind: type[Any]) -> some.SearchStrategy[Any]:
        names = [name for name in get_type_hints(kind) if not name.startswith("_")]
        tag = kind.__struct_config__.tag
        body = some.fixed_dictionaries({"type": some.just(tag)}, optional=dict.fromkeys(names, value))
        return body | some.builds(
            lambda whole, more: whole | more, body, some.dictionaries(some.text(max_size=5), JSON)
        )

    return some.one_of(*map(one, game.moves)).map(msgspec.json.encode)


def bent(data: bytes, where: list[tuple[int, int, int]]) -> bytes:
    """``data`` with some bytes changed, put in or taken out."""
    found = bytearray(data)
    for how, place, byte in where:
        at = place % (len(found) + 1)
        if how == 0:
            found.insert(at, byte)
        elif how == 1:
            del found[at : at + 1 + byte % 4]
        elif at < len(found):
            found[at] = byte
    return bytes(found)


BENDS = some.lists(
    some.tuples(some.integers(0, 2), some.integers(0, 500), some.integers(0, 255)), min_size=1, max_size=4
)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_bytes_for_a_move_are_one_or_are_none(game: str, thrown: Counter[str]):
    real = [msgspec.json.encode(move) for _, _, move in states(game)]
    deep = some.integers(1, 3000).map(lambda depth: b'{"type":' + b"[" * depth)
    anything = (
        some.binary(max_size=200)
        | JSON.map(msgspec.json.encode)
        | shaped(GAMES[game])
        | some.builds(bent, some.sampled_from(real), BENDS)
        | some.sampled_from(real)
        | deep
    )

    @settings(max_examples=300 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(anything, some.integers(0, 10_000))
    def throw(body: bytes, place: int) -> None:
        try:
            move = decode_move(game, body)
        except BadRequest:
            thrown["none"] += 1
            return
        thrown["moves"] += 1
        assert isinstance(move, GAMES[game].moves)
        again = msgspec.json.encode(move)
        assert decode_move(game, again) == move
        assert msgspec.json.encode(decode_move(game, again)) == again
        state, seat, _ = states(game)[place % len(states(game))]
        try:
            assert GAMES[game].decide(state, seat, move)
            thrown["accepted"] += 1
        except Refused as refused:
            thrown["refused" if refused.clause else "refused without a clause"] += 1

    throw()
    assert min(thrown["moves"], thrown["none"], thrown["refused"]) > 0
    assert "refused without a clause" not in thrown


@pytest.mark.parametrize("game", sorted(GAMES))
def test_what_was_played_is_read_as_it_was_written(game: str, thrown: Counter[str]):
    for _, _, move in random.Random(1).sample(states(game), 50):
        assert decode_move(game, msgspec.json.encode(move)) == move
        thrown["moves"] += 1
