"""The statistics of the shuffle test are right, and it finds shuffles that are not fair."""

import math
from collections.abc import Iterator, Sequence

import pytest

from domain import fairness
from services.audit.shuffles import shuffle_tests, upper_tail


@pytest.mark.parametrize(
    ("statistic", "freedom", "p"),
    [
        # quantiles that are in every table of the distribution
        (3.841458820694124, 1, 0.05),
        (18.307038053275146, 10, 0.05),
        (23.209251158954356, 10, 0.01),
        (124.34211340400408, 100, 0.05),
        (67.32756330547916, 100, 0.995),
    ],
)
def test_the_chance_of_a_statistic_is_that_of_the_tables(statistic: float, freedom: int, p: float):
    assert upper_tail(statistic, freedom) == pytest.approx(p, abs=1e-9)


def test_the_chance_falls_from_one_to_nothing_and_has_a_closed_form_for_two_degrees():
    for statistic in (0.0, 0.001, 1.0, 10.0, 60.0):
        assert upper_tail(statistic, 2) == pytest.approx(math.exp(-statistic / 2), rel=1e-9)
    for freedom in (1, 35, 1404, 2601):
        found = [upper_tail(freedom * share, freedom) for share in (0, 0.5, 0.9, 1.0, 1.1, 2.0)]
        assert found == sorted(found, reverse=True)
        assert all(0 <= p <= 1 for p in found)


def naive(items: Sequence[str], stream: Iterator[int]) -> tuple[str, ...]:
    """The shuffle that everybody gets wrong once: each place is swapped with any other."""
    order = list(items)
    for place in range(len(order)):
        other = next(stream) % len(order)
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def test_a_shuffle_with_a_bias_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fairness, "shuffled", naive)
    found = [test for test in shuffle_tests("any", 2000, ["osel-trumps"]) if len(test.items) == 36 and not test.top]
    assert [test.p < 1e-6 for test in found] == [True]


def test_a_deck_that_is_not_shuffled_has_no_chance(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fairness, "shuffled", lambda items, _: tuple(items))
    assert all(test.p < 1e-12 for test in shuffle_tests("any", 1000, ["spades-two", "whos-the-ass"]))
