"""Whatever a bundle has in it, the verifier reports on it; only the bundle that was given out is VALID."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from services.audit import Report, verify
from tests.audit.test_verifier import played
from tests.fuzz.conftest import TIMES
from tests.fuzz.test_moves import BENDS, JSON, bent

_GAMES = ("whos-the-ass", "spades-two", "osel-fours")


def replaced(value: Any, path: list[int], other: Any) -> Any:
    """``value`` with something inside it exchanged for ``other``: where, ``path`` says."""
    if not path or not isinstance(value, dict | list) or not value:
        return other
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        key = sorted(value)[step % len(value)]
        return {**value, key: replaced(value[key], rest, other)}
    at = step % len(value)
    return [*value[:at], replaced(value[at], rest, other), *value[at + 1 :]]


@pytest.mark.parametrize("game", _GAMES)
def test_every_bundle_gets_a_report(game: str, thrown: Counter[str]):
    real = played(game)
    tree = msgspec.json.decode(real)
    paths = some.lists(some.integers(0, 400), min_size=1, max_size=4)
    edited = some.builds(lambda path, other: msgspec.json.encode(replaced(tree, path, other)), paths, JSON)
    anything = (
        some.binary(max_size=300) | JSON.map(msgspec.json.encode) | edited | some.builds(bent, some.just(real), BENDS)
    )

    @settings(max_examples=100 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(anything)
    def throw(data: bytes) -> None:
        report = verify(data)
        assert isinstance(report, Report)
        assert msgspec.json.decode(msgspec.json.encode(report))["verdict"] == report.verdict
        thrown[str(report.verdict)] += 1
        if report.verdict == "VALID":  # then nothing was changed but how it is written
            assert msgspec.json.decode(data) == tree

    throw()
    assert verify(real).verdict == "VALID"
