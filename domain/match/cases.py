"""What is stored of disputes and rulings, and what a state keeps of them and of the hands that they may be about.

Names and fields of events are a stored format: they only grow.
"""

from typing import Literal

import msgspec

from domain.game import Seat

RulingKind = Literal["upheld", "void_hand", "adjust"]


class DisputeOpened(msgspec.Struct, frozen=True):
    """A seat disputes the events ``first`` to ``last``. ``dispute`` is the id of the case; the claim is kept apart."""

    dispute: str
    seat: Seat
    first: int
    last: int


class HandVoided(msgspec.Struct, frozen=True):
    """``points`` of the hand, a seat each, count no more; ``totals`` and ``winners`` hold from now on."""

    dispute: str
    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]


class ScoreAdjusted(msgspec.Struct, frozen=True):
    """``points`` are added, a seat each; ``totals`` and ``winners`` are those that hold from now on.

    ``hand`` is the hand that it is about, or 0. ``reason`` is written as ``rulings.written`` writes it.
    """

    dispute: str
    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    clause: str
    reason: str


class DisputeRuled(msgspec.Struct, frozen=True):
    """The ``number``-th ruling on a dispute, as the arbiter made it; what it changes follows as an event of its own.

    ``named`` are the winners that the ruling names, empty if it names none. ``reason`` as in ``ScoreAdjusted``.
    """

    dispute: str
    number: int
    ruling: RulingKind
    arbiter: str
    reason: str
    hand: int = 0
    points: tuple[int, ...] = ()
    clause: str = ""
    named: tuple[Seat, ...] = ()


class HandState(msgspec.Struct, frozen=True):
    """A hand that has ended: the versions of its first draw and of its end, its points, and whether they count."""

    first: int
    last: int
    points: tuple[int, ...]
    void: bool = False


class DisputeState(msgspec.Struct, frozen=True):
    """A case: ``version`` is that of its opening, ``rulings`` the number of rulings on it."""

    dispute: str
    version: int
    seat: Seat
    first: int
    last: int
    rulings: int = 0
