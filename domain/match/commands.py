"""What may be asked of a match, and what a match may ask of the service.

Commands are values made by the service; none is decoded from a request. A duty is answered by the command of the same
name before anybody else is asked.
"""

from typing import Any, TypeAlias

import msgspec

from domain.game import Drawn, Seat
from domain.match.cases import RulingKind
from domain.match.state import Clock, Custody, Kind, Spectators


class Open(msgspec.Struct, frozen=True):
    """Open a match. ``options`` are as the request gave them; ``anchor`` is ``x_0``, base64url."""

    game: str
    options: dict[str, Any]
    seats: int
    host: str
    anchor: str
    clock: Clock | None = None
    spectators: Spectators = "open"


class TakeSeat(msgspec.Struct, frozen=True):
    """``seat`` None asks for the lowest free seat."""

    player: str
    seat: Seat | None
    commitment: str
    custody: Custody
    kind: Kind = "human"
    level: str = ""
    by: str = ""


class LeaveSeat(msgspec.Struct, frozen=True):
    player: str


class CommitSeed(msgspec.Struct, frozen=True):
    """A seat whose commitment became void commits anew."""

    seat: Seat
    commitment: str
    custody: Custody


class RevealSeed(msgspec.Struct, frozen=True):
    seat: Seat
    seed: str


class Start(msgspec.Struct, frozen=True):
    """Every seed is revealed: the match starts."""


class Act(msgspec.Struct, frozen=True):
    """A seat makes a move of its game."""

    seat: Seat
    move: Any


class Draw(msgspec.Struct, frozen=True):
    drawn: Drawn


class CloseHand(msgspec.Struct, frozen=True):
    secret: str


class EndMatch(msgspec.Struct, frozen=True):
    """The game is over: its winners win the match."""


class PlayFallback(msgspec.Struct, frozen=True):
    """The house moves for a seat that has resigned."""

    seat: Seat


class Resign(msgspec.Struct, frozen=True):
    """``secret`` is that of the hand under way: it is published if the match ends by this."""

    player: str
    secret: str


class Expire(msgspec.Struct, frozen=True):
    """The clock looks at the match."""


class OpenDispute(msgspec.Struct, frozen=True):
    """A player disputes the events ``first`` to ``last``. ``dispute`` is a new id."""

    player: str
    dispute: str
    first: int
    last: int


class Rule(msgspec.Struct, frozen=True):
    """``player``, in the role of an arbiter or not, rules on a dispute, knowing the first ``after`` rulings on it.

    ``hand`` is the hand to void, or the one that an adjustment is about (0: none); ``points`` are a seat each;
    ``clause`` is ``4.2`` of the game's rule book or ``match 4.2``; ``winners`` are named, or empty.
    """

    player: str
    arbiter: bool
    dispute: str
    ruling: RulingKind
    reason: str
    after: int = 0
    hand: int = 0
    points: tuple[int, ...] = ()
    clause: str = ""
    winners: tuple[Seat, ...] = ()


Command: TypeAlias = (
    Open
    | TakeSeat
    | LeaveSeat
    | CommitSeed
    | RevealSeed
    | Start
    | Act
    | Draw
    | CloseHand
    | EndMatch
    | PlayFallback
    | Resign
    | Expire
    | OpenDispute
    | Rule
)


class MustCommit(msgspec.Struct, frozen=True):
    seat: Seat


class MustReveal(msgspec.Struct, frozen=True):
    seat: Seat


class MustStart(msgspec.Struct, frozen=True):
    pass


class MustDraw(msgspec.Struct, frozen=True):
    """Lists to put in random order: the ``number``-th draw of hand ``hand``."""

    hand: int
    number: int
    lists: tuple[tuple[str, ...], ...]


class MustCloseHand(msgspec.Struct, frozen=True):
    hand: int


class MustEndMatch(msgspec.Struct, frozen=True):
    pass


class MustPlayFallback(msgspec.Struct, frozen=True):
    seat: Seat


Duty: TypeAlias = MustCommit | MustReveal | MustStart | MustDraw | MustCloseHand | MustEndMatch | MustPlayFallback
