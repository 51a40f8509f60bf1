"""The rules of a match: what its players, its host, the clock and the service may do, and what follows.

Numbers in comments are clauses of RULES.md.
"""

from collections.abc import Iterable
from typing import Any, Final, assert_never

import msgspec

from domain import fairness
from domain.game import DEALER, AnyGame, OutOfTurn, Refused, Seat, wrong_option
from domain.games import GAMES
from domain.match import clock
from domain.match import state as facts
from domain.match.commands import (
    Act,
    CloseHand,
    Command,
    CommitSeed,
    Draw,
    Duty,
    EndMatch,
    Expire,
    LeaveSeat,
    MustCloseHand,
    MustDraw,
    MustEndMatch,
    MustPlayFallback,
    MustStart,
    Open,
    OpenDispute,
    PlayFallback,
    Resign,
    RevealSeed,
    Rule,
    Start,
    TakeSeat,
)
from domain.match.rulings import dispute_decided, winners_by_totals
from domain.match.seating import (
    WrongState,
    commit,
    leave_seat,
    own_seat,
    reveal,
    server_commitment,
    server_seed,
    sitting_on,
    take_seat,
)
from domain.match.state import (
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    Spectators,
    State,
)

REVEAL_MS: Final = 60_000
OPEN_MS: Final = 24 * 3_600_000


def to_act(state: State) -> frozenset[Seat]:
    """The seats that are due, by the game; the dealer is not among them."""
    return facts.to_act(state)


def duty(state: State) -> Duty | None:
    """What the service itself must do next, before anybody else is asked."""
    match state.status:
        case "open":
            return server_commitment(state)
        case "revealing":
            return server_seed(state)
        case "playing":
            return _in_play(state)
        case _:
            return None


def deadline(state: State) -> int | None:
    """When the clock may strike (2.7, 3.3, 3.4, 5.3), in milliseconds since 1970.

    None if never, or as long as the match waits for the service and not for people.
    """
    if duty(state) is not None:
        return None
    match state.status:
        case "open":
            return state.at + (REVEAL_MS if all(state.seats) else OPEN_MS)
        case "revealing":
            return state.since + REVEAL_MS
        case "playing":
            first = clock.first_up(state)
            return None if first is None else first[0]
        case _:
            return None


def decide(state: State, command: Command, at: int) -> list[Any]:
    """The events that ``command`` leads to at time ``at``. Raises ``Refused``; then nothing has happened."""
    match command:
        case Act(seat, move):  # the most frequent first
            return _act(state, seat, move, at)
        case Open():
            return _open(state, command)
        case TakeSeat():
            return take_seat(state, command)
        case LeaveSeat(player):
            return leave_seat(state, player)
        case CommitSeed():
            return commit(state, command)
        case RevealSeed(seat, seed):
            return reveal(state, seat, seed)
        case Start():
            _owed(state, MustStart, "3.5")
            return [MatchStarted(state.salt)]
        case Draw(drawn):
            _owed(state, MustDraw, "4.4")
            return _ask_game(state, DEALER, drawn)
        case CloseHand(secret):
            return _close_hand(state, secret)
        case EndMatch():
            _owed(state, MustEndMatch, "4.6")
            return [_ending(state)]
        case PlayFallback(seat):
            if duty(state) != MustPlayFallback(seat):
                raise WrongState("6.2", "the house moves for a seat that has resigned, when it is due")
            return _fallback(state, seat)
        case Resign(player, secret):
            return _resign(state, player, secret)
        case Expire():
            return _expire(state, at)
        case OpenDispute() | Rule():
            return dispute_decided(state, command, at)
        case _:
            assert_never(command)


def options_of(game: AnyGame, given: dict[str, Any], seats: int) -> Any:
    """The complete options. Raises ``Refused`` (1.2, 1.3) naming the field and its bounds."""
    if seats not in game.seats:
        raise Refused("1.2", f"{game.id} is for {game.seats[0]} to {game.seats[-1]} seats, not {seats}")
    wrong = wrong_option(game, given)
    if wrong is not None:
        raise Refused("1.3", wrong)
    options = msgspec.convert(given, game.options)
    try:
        game.check(options, seats)
    except Refused as refused:
        refused.rulebook = game.id
        raise
    return options


def _open(state: State, command: Open) -> list[Any]:
    if state.version:
        raise WrongState("1.1", "this match has been opened")
    game = GAMES.get(command.game)
    if game is None:
        raise Refused("1.1", f"there is no game {command.game!r}; the games are {', '.join(GAMES)}")
    options = options_of(game, command.options, command.seats)
    clock.check_bounds(command.clock)
    try:
        msgspec.convert(command.spectators.replace("\n", "?"), Spectators)  # `$` matches before a last newline
    except msgspec.ValidationError as error:
        raise Refused("1.6", "spectators is open, none, or delayed:N with N from 1 to 500 events") from error
    return [
        MatchOpened(
            game=command.game,
            options=msgspec.to_builtins(options),
            seats=command.seats,
            host=command.host,
            anchor=command.anchor,
            clock=command.clock,
            spectators=command.spectators,
        )
    ]


def _act(state: State, seat: Seat, move: Any, at: int) -> list[Any]:
    if state.status != "playing":
        raise WrongState("4.2", f"the match is {state.status}, not being played")
    if sitting_on(state, seat).resigned:
        raise WrongState("6.2", "this seat has resigned; the house moves for it")
    if seat not in facts.to_act(state):
        raise OutOfTurn("4.3", "it is not this seat's turn")
    return [*clock.stopped(state, seat, at), *_ask_game(state, seat, move)]


def _close_hand(state: State, secret: str) -> list[Any]:
    _owed(state, MustCloseHand, "4.5")
    game = GAMES[state.game]
    played = game.totals(state.play)
    points = tuple(after - before for after, before in zip(played, state.played, strict=True))
    totals = tuple(before + more for before, more in zip(state.totals, points, strict=True))  # 7.9
    return [HandEnded(state.ended + 1, points, totals, secret)]


def _fallback(state: State, seat: Seat) -> list[Any]:
    return _ask_game(state, seat, GAMES[state.game].fallback(state.play, seat))


def _resign(state: State, player: str, secret: str) -> list[Any]:
    if state.status in ("open", "revealing"):
        if player != state.host:
            own_seat(state, player)
            raise WrongState("6.1", "before the start a player leaves the seat; only the host resigns the match")
        return [MatchAbandoned("host")]
    seat = own_seat(state, player)
    if state.status != "playing":
        raise WrongState("6.1", "the match is over")
    if sitting_on(state, seat).resigned:
        raise WrongState("6.1", "this seat has resigned")
    if isinstance(duty(state), MustCloseHand | MustEndMatch):
        raise WrongState("6.1", "the hand is over and must be closed first")
    left = [other for other in _active(state) if other != seat and not sitting_on(state, other).resigned]
    hand = state.hand_under_way
    opened = secret if hand else ""
    if not any(sitting_on(state, other).kind == "human" for other in left):
        return [SeatResigned(seat), MatchAbandoned("resigned", hand, opened)]
    if len(left) == 1:
        return [SeatResigned(seat), MatchEnded(tuple(left), state.totals, hand, opened)]
    return [SeatResigned(seat)]


def _active(state: State) -> Iterable[Seat]:
    active = GAMES[state.game].active
    return range(len(state.seats)) if active is None else active(state.play)


def _expire(state: State, at: int) -> list[Any]:
    due = deadline(state)
    if due is None or at < due:
        raise WrongState("5.4", "the time is not up")
    match state.status:
        case "open" if all(state.seats):
            seat = next(s for s, sitting in enumerate(state.seats) if sitting and not sitting.commitment)
            return [SeatLeft(seat, sitting_on(state, seat).player)]  # 3.4
        case "open":
            return [MatchAbandoned("expired")]  # 2.7
        case "revealing":
            seat = next(s for s, sitting in enumerate(state.seats) if sitting and not sitting.seed)
            return [SeatPutOut(seat, sitting_on(state, seat).player)]  # 3.3
        case _:
            first = clock.first_up(state)
            assert first is not None, "a deadline in play is that of a seat"
            seat = first[1]
            return [clock.struck(state, seat, at), *_fallback(state, seat)]  # 5.3


def _in_play(state: State) -> Duty | None:
    game = GAMES[state.game]
    if game.hands(state.play) > state.ended:
        return MustCloseHand(state.ended + 1)
    if game.outcome(state.play) is not None or state.ended == fairness.HANDS:
        return MustEndMatch()
    due = game.to_act(state.play)
    if DEALER in due:
        return MustDraw(state.ended + 1, state.draws + 1, game.chance(state.play))
    seats = state.seats
    resigned = [seat for seat in due if (sitting := seats[seat]) is not None and sitting.resigned]
    return MustPlayFallback(min(resigned)) if resigned else None


def _ending(state: State) -> MatchEnded | MatchAbandoned:
    outcome = GAMES[state.game].outcome(state.play)
    if outcome is None:
        return MatchAbandoned("undecided")  # 4.7
    if state.totals != state.played and (winners := winners_by_totals(state, state.totals)) is not None:
        return MatchEnded(winners, state.totals)  # 7.10
    groups = (tuple(s for s in group if not sitting_on(state, s).resigned) for group in outcome.ranking)
    return MatchEnded(next((group for group in groups if group), ()), state.totals)


def _ask_game(state: State, seat: Seat, move: Any) -> list[Any]:
    game = GAMES[state.game]
    try:
        return game.decide(state.play, seat, move)
    except Refused as refused:
        refused.rulebook = game.id  # its clauses are those of the game's rule book
        raise


def _owed(state: State, kind: type[Duty], clause: str) -> None:
    """The service does what is due and nothing else: so two processes cannot do it twice."""
    if not isinstance(duty(state), kind):
        raise WrongState(clause, "this is not due now")
