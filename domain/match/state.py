"""The facts of a match around its game: the events that are stored, and the state they add up to.

Names and fields of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses
nothing.
"""

from typing import Annotated, Any, Final, Literal, assert_never

import msgspec
from msgspec.structs import replace

from domain.event import EventType, Recorded
from domain.game import DEALER, Seat
from domain.games import GAMES
from domain.match.cases import DisputeOpened, DisputeRuled, DisputeState, HandState, HandVoided, ScoreAdjusted

Kind = Literal["human", "bot"]
Custody = Literal["own", "server"]
"""Who keeps a seat's seed until it is revealed."""
Status = Literal["open", "revealing", "playing", "finished", "abandoned"]
Spectators = Annotated[
    str,
    msgspec.Meta(
        description="`open`, `none`, or `delayed:N`: who watches sees the match as it was N events ago, 1 to 500.",
        pattern="^(open|none|delayed:([1-9]|[1-9][0-9]|[1-4][0-9][0-9]|500))$(?!\\n)",
    ),
]
"""Who may watch without a seat, and how far behind (clause 1.6)."""
OVER: Final = ("finished", "abandoned")
"""The statuses in which nothing is hidden any more and nothing is played; a ruling may still change what counts."""


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How long a seat may think, in seconds: in each turn, and beyond its turns in the whole match.

    ``bank_seconds`` is None for the clock of an old match, which every event set back (5.8); it is then not written.
    """

    turn_seconds: int
    bank_seconds: int | None = None


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


class ClockExpired(msgspec.Struct, frozen=True, omit_defaults=True):
    """The seat's time is up; the move that follows is the fallback, made for it by the clock.

    The times are as in ``TimeUsed``; a clock without a bank does not write them.
    """

    seat: Seat
    used: int | None = None
    before: int | None = None
    after: int | None = None


class TimeUsed(msgspec.Struct, frozen=True):
    """The seat ends its turn with the move that follows. ``used`` is how long the turn was, ``before`` and ``after``
    what the seat's bank had and has, all in milliseconds.
    """

    seat: Seat
    used: int
    before: int
    after: int


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
    | SeatResigned | HandEnded | MatchEnded | MatchAbandoned | TimeUsed | DisputeOpened | HandVoided | ScoreAdjusted
    | DisputeRuled
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
    EventType(13, TimeUsed),
    EventType(14, DisputeOpened, mark="dispute"),
    EventType(15, HandVoided, mark="dispute"),
    EventType(16, ScoreAdjusted, mark="dispute"),
    EventType(17, DisputeRuled, mark="dispute"),
)
OWN: Final = frozenset(entry.cls for entry in EVENTS)
"""The types of the match's own events; all others are those of its game. Nothing in them is hidden."""
ENDS: Final = (HandEnded, MatchEnded, MatchAbandoned)
"""The events that end a hand, and publish its secret: from then on its cards are open to everybody."""


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
    the hand under way, ``begun`` is the first's version. ``totals`` are those that count, rulings included; ``played``
    are the same as the game counts them. ``hands`` are those that have ended; ``over_at`` is when the match ended, 0
    before. With a bank, ``turns`` says since when each seat has been due, None where it is not, and ``banks`` what each
    has left, in milliseconds.
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
    begun: int = 0
    totals: tuple[int, ...] = ()
    played: tuple[int, ...] = ()
    winners: tuple[Seat, ...] = ()
    hands: tuple[HandState, ...] = ()
    disputes: tuple[DisputeState, ...] = ()
    over_at: int = 0
    turns: tuple[int | None, ...] = ()
    banks: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        return self.status in OVER

    @property
    def hand_under_way(self) -> int:
        """The hand whose cards lie hidden; 0 before its first draw and between hands."""
        return self.ended + 1 if self.draws else 0


def to_act(state: State) -> frozenset[Seat]:
    """The seats that are due, by the game; the dealer is not among them."""
    if state.status != "playing":
        return frozenset()
    due = GAMES[state.game].to_act(state.play)
    return due - {DEALER} if DEALER in due else due


def evolve(state: State, recorded: Recorded[Any]) -> State:
    """The state after one more event of the match, be it the match's own or its game's."""
    if type(recorded.body) in OWN:
        state = _evolved(replace(state, version=recorded.version, at=recorded.at), recorded, recorded.body)
    else:
        state = _played(state, recorded)
    return _with_turns(state) if state.turns else state


def _evolved(state: State, recorded: Recorded[Any], event: Event) -> State:
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
        case TimeUsed(seat, after=after) | ClockExpired(seat, after=int(after)):
            return _turn_ended(state, seat, after)
        case ClockExpired():
            return state
        case SeatResigned(seat):
            return _changed(state, seat, resigned=True)
        case HandEnded(hand):
            return replace(_scored(state, event), ended=hand, opened=hand, draws=0)
        case MatchEnded(winners, totals, hand):
            state = replace(state, winners=winners, totals=totals, opened=max(state.opened, hand))
            return replace(state, status="finished", over_at=state.at)
        case MatchAbandoned(_, hand):
            return replace(state, status="abandoned", opened=max(state.opened, hand), over_at=state.at)
        case DisputeOpened() | HandVoided() | ScoreAdjusted() | DisputeRuled():
            return _disputed(state, event)
        case _:
            assert_never(event)


def _played(state: State, recorded: Recorded[Any]) -> State:
    game, event = GAMES[state.game], recorded.body
    play = game.evolve(state.play, event)
    if type(event) not in game.draws:
        return replace(state, version=recorded.version, at=recorded.at, play=play)
    begun = state.begun if state.draws else recorded.version
    return replace(state, version=recorded.version, at=recorded.at, play=play, draws=state.draws + 1, begun=begun)


def _scored(state: State, event: HandEnded) -> State:
    played = tuple(before + more for before, more in zip(state.played, event.points, strict=True))
    hand = HandState(state.begun, state.version, event.points)
    return replace(state, totals=event.totals, played=played, hands=(*state.hands, hand))


def _disputed(state: State, event: DisputeOpened | HandVoided | ScoreAdjusted | DisputeRuled) -> State:
    match event:
        case DisputeOpened(dispute, seat, first, last):
            case_ = DisputeState(dispute, state.version, seat, first, last)
            return replace(state, disputes=(*state.disputes, case_))
        case HandVoided(_, hand, _, totals, winners):
            hands = tuple(replace(h, void=True) if n == hand else h for n, h in enumerate(state.hands, start=1))
            return replace(state, hands=hands, totals=totals, winners=winners)
        case ScoreAdjusted(totals=totals, winners=winners):
            return replace(state, totals=totals, winners=winners)
        case DisputeRuled(dispute, number):
            cases = (replace(c, rulings=number) if c.dispute == dispute else c for c in state.disputes)
            return replace(state, disputes=tuple(cases))


def _opened(state: State, match: str, event: MatchOpened) -> State:
    game = GAMES[event.game]
    options = msgspec.convert(event.options, game.options)
    bank = None if event.clock is None else event.clock.bank_seconds
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
        played=(0,) * event.seats,
        turns=() if bank is None else (None,) * event.seats,
        banks=() if bank is None else (bank * 1000,) * event.seats,
    )


def _turn_ended(state: State, seat: Seat, bank: int) -> State:
    """The turn of ``seat`` is over, its bank has ``bank`` left. If it is still due, it has a new turn from now on."""
    banks = (*state.banks[:seat], bank, *state.banks[seat + 1 :])
    return replace(state, banks=banks, turns=(*state.turns[:seat], None, *state.turns[seat + 1 :]))


def _with_turns(state: State) -> State:
    """A seat that has become due has its turn from now on; whose turn is under way keeps it (5.1)."""
    due = to_act(state)
    begun = (state.at if since is None else since for since in state.turns)
    turns = tuple(since if seat in due else None for seat, since in enumerate(begun))
    return state if turns == state.turns else replace(state, turns=turns)


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
