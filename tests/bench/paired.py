"""Measuring two things in turn, since machines are shared and noisy: what counts is their ratio in one run."""

from collections.abc import Callable
from statistics import median
from typing import Any

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table. ``ratio`` is value to reference; ``must`` and ``aim`` are what it has to reach.

    ``at_most`` says that less is better: then ``value`` itself is held against ``must`` and ``aim``.
    """

    id: str
    figure: str
    value: float
    unit: str
    reference: str
    reference_value: float | None = None
    ratio: float | None = None
    must: float | None = None
    aim: float | None = None
    at_most: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """Which of must and aim is reached; a dash where nothing was asked."""
        held = self.value if self.at_most or self.ratio is None else self.ratio
        for word, line in (("aim", self.aim), ("must", self.must)):
            if line is not None and (held <= line if self.at_most else held >= line):
                return word
        return "-" if self.must is None and self.aim is None else "missed"


def in_turn(ours: Callable[[], float], reference: Callable[[], float], rounds: int) -> tuple[float, float, float]:
    """Both figures and their ratio, each the median of so many rounds; ours and the reference take turns."""
    pairs = [(ours(), reference()) for _ in range(rounds)]
    return (
        median(value for value, _ in pairs),
        median(value for _, value in pairs),
        median(value / against for value, against in pairs),
    )


def compared(found: tuple[float, float, float], **said: Any) -> Row:
    """The row of what ``in_turn`` found."""
    value, reference_value, ratio = found
    return Row(value=value, reference_value=reference_value, ratio=ratio, **said)
