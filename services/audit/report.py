"""What an audit says: one finding for each check, and a verdict."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from domain.game import Seat

Verdict: TypeAlias = Literal["VALID", "INCOMPLETE", "DIVERGED", "INVALID"]
EXIT_CODES: Final[Mapping[Verdict, int]] = {"VALID": 0, "INCOMPLETE": 20, "DIVERGED": 30, "INVALID": 40}

Code: TypeAlias = Literal[
    "bundle", "bytes", "chain", "seeds", "deals", "openings", "complete", "moves", "scores", "audiences", "receipts"
]

HELD: Final[Mapping[Code, str]] = {
    "bundle": "The bundle is of a known format, and says of the match what its events say.",
    "bytes": "Every event is written in its canonical bytes, is of a known type and says nothing else.",
    "chain": "Every event stands at its place, carries the hash of the one before it and is not dated before it.",
    "seeds": "Every seed fits its commitment and serves once; every published secret leads to the anchor.",
    "deals": "Every draw follows from the secret of its hand and the seeds of the seats.",
    "openings": "Every opening fits the digest in its event, and its salt follows from the secret of its hand.",
    "complete": "Every hand that is over has been opened, and the record ends where a command ends.",
    "moves": "Every move was legal, and led to the events that are recorded.",
    "scores": "Every score is what the rules make of the play.",
    "audiences": "Every hidden card was shown to those seats only to which the rules show it.",
    "receipts": "Every receipt agrees with the record.",
}
"""The checks in their order, and what is said of each if it holds."""

UNSEEN: Final = "That the operator did not look at hidden cards cannot be shown."
CHOSEN: Final = (
    "Where every seat is in the server's custody, that the operator did not choose the deal cannot be shown."
)


class Finding(msgspec.Struct, frozen=True):
    """One check: its code, whether it held, a plain sentence, and the version at which it failed first (0: none).

    ``ok`` is null for a check that could not be made, or not to its end; that is never as good as one that held.
    """

    code: Code
    ok: bool | None
    text: str
    version: int = 0


class HandSeeds(msgspec.Struct, frozen=True):
    """The seats that contributed a seed of their own to a hand. Without any, the operator could choose the deal.

    ``opened`` says whether its secret has been published: a hand under way is not open yet.
    """

    hand: int
    own: tuple[Seat, ...]
    opened: bool


class Report(msgspec.Struct, frozen=True):
    """``checks`` has every check once, in their order; ``limits`` says what this audit does not show."""

    match: str
    game: str
    verdict: Verdict
    versions: int
    head: str
    checks: tuple[Finding, ...]
    hands: tuple[HandSeeds, ...]
    limits: tuple[str, ...]


class Receipt(msgspec.Struct, frozen=True):
    """What a player was told: the head of the match right after event ``version``. ``match`` may be left out."""

    version: int
    head: str
    match: str = ""


class Findings:
    """Collects what the checks find: any number of failures each, of which the first is told."""

    def __init__(self) -> None:
        self._failed: dict[Code, list[tuple[int, str]]] = {}
        self._unmade: dict[Code, str] = {}
        self._added: dict[Code, str] = {}

    def fail(self, code: Code, text: str, version: int = 0) -> None:
        """The check did not hold, at the event with that version."""
        self._failed.setdefault(code, []).append((version, text))

    def unmade(self, text: str, *codes: Code) -> None:
        """The checks could not be made, or not to their end."""
        for code in codes:
            self._unmade.setdefault(code, text)

    def add(self, text: str, *codes: Code) -> None:
        """A further sentence for the checks if they held: how far they reach."""
        for code in codes:
            self._added[code] = f"{self._added.get(code, '')} {text}"

    def failed(self, code: Code) -> bool:
        return code in self._failed

    def made(self) -> tuple[Finding, ...]:
        return tuple(self._finding(code) for code in HELD)

    def _finding(self, code: Code) -> Finding:
        failures = sorted(self._failed.get(code, ()))
        if failures:
            version, text = failures[0]
            more = "" if len(failures) == 1 else f" And {len(failures) - 1} more, the next at event {failures[1][0]}."
            return Finding(code, ok=False, text=text + more, version=version)
        if code in self._unmade:
            return Finding(code, ok=None, text=self._unmade[code])
        return Finding(code, ok=True, text=HELD[code] + self._added.get(code, ""))


def verdict_of(checks: Sequence[Finding]) -> Verdict:
    """INVALID goes before DIVERGED, that before INCOMPLETE. A check that was not made makes INCOMPLETE at best.

    Receipts are the one check that nobody has to ask for.
    """
    failed = {check.code for check in checks if check.ok is False}
    if failed - {"complete", "receipts"}:
        return "INVALID"
    if "receipts" in failed:
        return "DIVERGED"
    unmade = any(check.ok is None for check in checks if check.code != "receipts")
    return "INCOMPLETE" if failed or unmade else "VALID"
