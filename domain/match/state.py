"""The facts of a match around its game: the events that are stored, and the state they add up to.

Names and fields of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses
nothing.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec.structs import replace

from domain.event import EventType, Recorded
from domain.game import Seat
from domain.games import GAMES

Kind = Literal["human", "bot"]
Custody = Literal["own", "server"]
"""Who keeps a seat's seed until it is revealed."""
Status = Literal["open", "revealing", "playing", "finished", "abandoned"]
Spectators = Annotated[
    str,
    msgspec.Meta(
        description="`open`, `none`, or `delayed:N`: who watches sees the match as it was N events ago, 1 to 500.",
        pattern="^(open|none|delayed:([1-9]|[1-9][0-9]|[1-4][0-9][0-9]|500))$",
    ),
]
"""Who may watch without a seat, and how far behind (clause 1.6)."""
OVER: Final = ("finished", "abandoned")
"""The statuses in which nothing is hidden any more and nothing changes."""


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a seat may think, in seconds."""

    turn_seconds: int


class MatchOpened(msgspec.Struct, frozen=True):
    """``options`` are complete, defaults included. ``anchor`` is ``x_0`` of the chain of secrets, base64url."""

    game: str
    options: dict[str, int | str | bool]
    seats: int
    host: str
    anchor: str
    clock: Clock | None = None
    spectators: Spectators = "open"


class SeatTaken(msgspec.Struct, frozen=True):
    seat: Seat
    player: str
    kind: Kind
    commitment: str
    custody: Custody
    level: str = ""


class SeatLeft(msgspec.Struct, frozen=True):
    seat: Seat
    player: str


class SeedCommitted(msgspec.Struct, frozen=True):
    """A seat that is taken commits anew, after reveals became void."""

    seat: Seat
    commitment: str
    custody: Custody


class SeedRevealed(msgspec.Struct, frozen=True):
    seat: Seat
    seed: str
    custody: Custody


class SeatPutOut(msgspec.Struct, frozen=True):
    """The seat did not reveal in time. All commitments and reveals of the match are void."""

    seat: Seat
    player: str


class MatchStarted(msgspec.Struct, frozen=True):
    """``salt`` is the hash of the event that fixed the last commitment."""

    salt: str


class ClockExpired(msgspec.Struct, frozen=True):
    """The seat's time is up; the move that follows is the fallback, made for it by the clock."""

    seat: Seat


class SeatResigned(msgspec.Struct, frozen=True):
    seat: Seat


class HandEnded(msgspec.Struct, frozen=True):
    """``points`` of the hand and ``totals`` after it, a seat each; ``secret`` is ``x_h`` and opens the whole hand."""

    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    secret: str


class MatchEnded(msgspec.Struct, frozen=True):
    """``secret`` opens a hand that a resignation left unfinished; otherwise it is empty."""

    winners: tuple[Seat, ...]
    totals: tuple[int, ...]
    hand: int = 0
    secret: str = ""


class MatchAbandoned(msgspec.Struct, frozen=True):
    """Nobody wins. ``secret`` opens the hand that was under way, if one was."""

    reason: Literal["host", "resigned", "expired", "undecided"]
    hand: int = 0
    secret: str = ""


Event = (
    MatchOpened | SeatTaken | SeatLeft | SeedCommitted | SeedRevealed | SeatPutOut | MatchStarted | ClockExpired
    | SeatResigned | HandEnded | MatchEnded | MatchAbandoned
)  # fmt: skip

EVENTS: Final = (
    EventType(1, MatchOpened),
    EventType(2, SeatTaken),
    EventType(3, SeatLeft),
    EventType(4, SeedCommitted),
    EventType(5, SeedRevealed),
    EventType(6, SeatPutOut),
    EventType(7, MatchStarted),
    EventType(8, ClockExpired),
    EventType(9, SeatResigned),
    EventType(10, HandEnded),
    EventType(11, MatchEnded),
    EventType(12, MatchAbandoned),
)


class SeatState(msgspec.Struct, frozen=True):
    """``committed`` is the version of the event that holds the commitment, 0 while there is none."""

    player: str
    kind: Kind
    level: str
    commitment: str
    custody: Custody
    committed: int = 0
    seed: str = ""
    resigned: bool = False


class State(msgspec.Struct, frozen=True, kw_only=True):
    """``at`` and ``version`` are those of the last event; ``since`` is when the seeds began to be revealed.

    ``started`` is the version of the start, 0 before it. ``void`` are the commitments that count no more. ``ended``
    counts the hands played out, ``opened`` is the last hand whose cards are open to all; ``draws`` counts the draws of
    the hand under way.
    """

    match: str = ""
    version: int = 0
    at: int = 0
    since: int = 0
    status: Status = "open"
    game: str = ""
    options: Any = None
    host: str = ""
    anchor: str = ""
    clock: Clock | None = None
    spectators: Spectators = "open"
    seats: tuple[SeatState | None, ...] = ()
    void: tuple[str, ...] = ()
    salt: str = ""
    started_at: int = 0
    started: int = 0
    play: Any = None
    ended: int = 0
    opened: int = 0
    draws: int = 0
    totals: tuple[int, ...] = ()
    winners: tuple[Seat, ...] = ()

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def hand_under_way(self) -> int:
        """The hand whose cards lie hidden; 0 before its first draw and between hands."""
        return self.ended + 1 if self.draws else 0


def evolve(state: State, recorded: Recorded[Any]) -> State:
    """The state after one more event of the match, be it the match's own or its game's."""
    event = recorded.body
    state = replace(state, version=recorded.version, at=recorded.at)
    match event:
        case MatchOpened():
            return _opened(state, recorded.match, event)
        case SeatTaken(seat, player, kind, commitment, custody, level):
            return _seated(state, seat, SeatState(player, kind, level, commitment, custody, state.version))
        case SeatLeft(seat):
            return _seated(state, seat, None)
        case SeedCommitted(seat, commitment, custody):
            return _changed(state, seat, commitment=commitment, custody=custody, committed=state.version)
        case SeedRevealed(seat, seed):
            # Nothing can come between the last commitment and the first reveal: ``prev`` is the hash of the former.
            return _changed(replace(state, salt=state.salt or recorded.prev), seat, seed=seed)
        case SeatPutOut(seat):
            void = tuple(taken.commitment for taken in state.seats if taken)
            seats = tuple(taken and replace(taken, commitment="", committed=0, seed="") for taken in state.seats)
            return _seated(replace(state, seats=seats, void=state.void + void, salt=""), seat, None)
        case MatchStarted(salt):
            return replace(state, status="playing", salt=salt, started_at=recorded.at, started=state.version)
        case ClockExpired():
            return state
        case SeatResigned(seat):
            return _changed(state, seat, resigned=True)
        case HandEnded(hand, _, totals):
            return replace(state, ended=hand, opened=hand, draws=0, totals=totals)
        case MatchEnded(winners, totals, hand):
            return replace(state, status="finished", winners=winners, totals=totals, opened=max(state.opened, hand))
        case MatchAbandoned(_, hand):
            return replace(state, status="abandoned", opened=max(state.opened, hand))
        case _:
            game = GAMES[state.game]
            return replace(state, play=game.evolve(state.play, event), draws=state.draws + (type(event) in game.draws))


def _opened(state: State, match: str, event: MatchOpened) -> State:
    game = GAMES[event.game]
    options = msgspec.convert(event.options, game.options)
    return replace(
        state,
        match=match,
        game=event.game,
        options=options,
        host=event.host,
        anchor=event.anchor,
        clock=event.clock,
        spectators=event.spectators,
        seats=(None,) * event.seats,
        play=game.initial(options, event.seats),
        totals=(0,) * event.seats,
    )


def _seated(state: State, seat: Seat, taken: SeatState | None) -> State:
    seats = (*state.seats[:seat], taken, *state.seats[seat + 1 :])
    committed = all(sitting is not None and sitting.commitment for sitting in seats)
    status: Status = "revealing" if committed else "open"
    return replace(state, seats=seats, status=status, since=state.since if status == state.status else state.at)


def _changed(state: State, seat: Seat, **changes: Any) -> State:
    sitting = state.seats[seat]
    assert sitting is not None, "events speak of seats that are taken"
    changed = replace(sitting, **changes)
    if state.status == "playing":
        return replace(state, seats=(*state.seats[:seat], changed, *state.seats[seat + 1 :]))
    return _seated(state, seat, changed)
