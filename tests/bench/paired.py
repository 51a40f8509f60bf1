"""Measuring two things in turn, since machines are shared and noisy: what counts is their ratio in one run."""

from collections.abc import Callable, Sequence
from statistics import median, quantiles
from typing import Any, Literal

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table. ``ratio`` is value to reference, None where nothing is compared.

    ``must`` and ``aim`` are what ``held`` has to reach: the ratio or the value; ``at_most`` says that less is better.
    ``note`` is what a reader has to know beside the figure.
    """

    id: str
    figure: str
    value: float | None
    unit: str
    reference: str = ""
    reference_value: float | None = None
    ratio: float | None = None
    must: float | None = None
    aim: float | None = None
    held: Literal["ratio", "value"] = "ratio"
    at_most: bool = False
    note: str = ""

    @property
    def reached(self) -> str:
        """``aim``, ``must`` or ``missed``; a dash where nothing was asked."""
        held = self.value if self.held == "value" or self.ratio is None else self.ratio
        if held is None:
            return "-"
        for word, line in (("aim", self.aim), ("must", self.must)):
            if line is not None and (held <= line if self.at_most else held >= line):
                return word
        if self.must is not None:
            return "missed"
        return "-" if self.aim is None else "below aim"


def in_turn(ours: Callable[[], float], reference: Callable[[], float], rounds: int) -> tuple[float, float, float]:
    """Both figures and their ratio, each the median of so many rounds; ours and the reference take turns."""
    return medians([(ours(), reference()) for _ in range(rounds)])


def medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Of figures that were measured in turn: ours, the reference, and the ratio of the two of one round."""
    return (
        median(value for value, _ in pairs),
        median(value for _, value in pairs),
        median(value / against for value, against in pairs),
    )


def compared(found: tuple[float, float, float], **said: Any) -> Row:
    """The row of what ``in_turn`` found."""
    value, reference_value, ratio = found
    return Row(value=value, reference_value=reference_value, ratio=ratio, **said)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent of ``values`` do not exceed."""
    return quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else values[0]
