"""The rules of a match: what its players, its host, the clock and the service may do, and what follows.

Numbers in comments are clauses of RULES.md.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, assert_never

import msgspec

from domain import fairness
from domain.game import DEALER, AnyGame, OutOfTurn, Refused, Seat, Viewer, wrong_option
from domain.games import GAMES
from domain.hidden import b64u, unb64u
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
    MustCommit,
    MustDraw,
    MustEndMatch,
    MustPlayFallback,
    MustReveal,
    MustStart,
    Open,
    PlayFallback,
    Resign,
    RevealSeed,
    Start,
    TakeSeat,
)
from domain.match.state import (
    ClockExpired,
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatState,
    SeatTaken,
    SeedCommitted,
    SeedRevealed,
    State,
)

TURN_SECONDS: Final = range(5, 86_401)
REVEAL_MS: Final = 60_000
OPEN_MS: Final = 24 * 3_600_000


class WrongState(Refused):
    """The match is not in a state in which this can be done; a seat is taken, or not."""


class NotYours(Refused):
    """Only another player may do this."""


def seat_of(state: State, player: str) -> Seat | None:
    for seat, sitting in enumerate(state.seats):
        if sitting is not None and sitting.player == player:
            return seat
    return None


def viewer_of(seat: Seat | None) -> Viewer:
    """How somebody on ``seat`` sees the match; without one, as the public does."""
    return "public" if seat is None else seat


def free_seat(state: State, seat: Seat | None) -> Seat | None:
    """``seat`` if it is free, or the lowest free seat if None was asked for (2.2); None if there is no such seat."""
    free = (place for place, sitting in enumerate(state.seats) if sitting is None and seat in (None, place))
    return next(free, None)


def lost_commitment(state: State, seat: Seat | None) -> bool:
    """Whether the seat is taken but must commit anew (3.4)."""
    sitting = None if seat is None else state.seats[seat]
    return state.status == "open" and sitting is not None and not sitting.commitment


def to_act(state: State) -> frozenset[Seat]:
    """The seats that are due, by the game; the dealer is not among them."""
    if state.status != "playing":
        return frozenset()
    return GAMES[state.game].to_act(state.play) - {DEALER}


def duty(state: State) -> Duty | None:
    """What the service itself must do next, before anybody else is asked."""
    match state.status:
        case "open":
            return _server_commitment(state)
        case "revealing":
            return _server_seed(state)
        case "playing":
            return _in_play(state)
        case _:
            return None


def deadline(state: State) -> int | None:
    """When the clock may strike (2.7, 3.3, 3.4, 5.1), in milliseconds since 1970.

    None if never, or as long as the match waits for the service and not for people.
    """
    if duty(state) is not None:
        return None
    match state.status:
        case "open":
            return state.at + (REVEAL_MS if all(state.seats) else OPEN_MS)
        case "revealing":
            return state.since + REVEAL_MS
        case "playing" if state.clock is not None:
            return state.at + state.clock.turn_seconds * 1000
        case _:
            return None


def decide(state: State, command: Command, at: int) -> list[Any]:
    """The events that ``command`` leads to at time ``at``. Raises ``Refused``; then nothing has happened."""
    match command:
        case Open():
            return _open(state, command)
        case TakeSeat():
            return _take_seat(state, command)
        case LeaveSeat(player):
            return _leave_seat(state, player)
        case CommitSeed():
            return _commit(state, command)
        case RevealSeed(seat, seed):
            return _reveal(state, seat, seed)
        case Start():
            _owed(state, MustStart, "3.5")
            return [MatchStarted(state.salt)]
        case Act(seat, move):
            return _act(state, seat, move)
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
    with _ruled_by(game):
        game.check(options, seats)
    return options


def _open(state: State, command: Open) -> list[Any]:
    if state.version:
        raise WrongState("1.1", "this match has been opened")
    game = GAMES.get(command.game)
    if game is None:
        raise Refused("1.1", f"there is no game {command.game!r}; the games are {', '.join(GAMES)}")
    options = options_of(game, command.options, command.seats)
    if command.clock is not None and command.clock.turn_seconds not in TURN_SECONDS:
        raise Refused("1.4", f"clock.turn_seconds is from {TURN_SECONDS[0]} to {TURN_SECONDS[-1]}")
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


def _take_seat(state: State, command: TakeSeat) -> list[Any]:
    if command.kind == "bot" and command.by != state.host:
        raise NotYours("2.6", "only the host seats bots")
    if state.status in ("playing", "finished", "abandoned"):
        raise WrongState("2.1", "seats are taken before the start only")
    if seat_of(state, command.player) is not None:
        raise WrongState("2.3", "this player already has a seat in this match")
    if command.seat is not None and command.seat not in range(len(state.seats)):
        raise Refused("2.2", f"the seats of this match are 0 to {len(state.seats) - 1}")
    seat = free_seat(state, command.seat)
    if seat is None:
        raise WrongState("2.2", "every seat is taken" if command.seat is None else "that seat is taken")
    _check_commitment(state, command.commitment)
    return [SeatTaken(seat, command.player, command.kind, command.commitment, command.custody, command.level)]


def _leave_seat(state: State, player: str) -> list[Any]:
    seat = own_seat(state, player)
    match state.status:
        case "open":
            return [SeatLeft(seat, player)]
        case "revealing":
            return [SeatPutOut(seat, player)]
        case _:
            raise WrongState("2.5", "a seat can be left before the start only")


def _commit(state: State, command: CommitSeed) -> list[Any]:
    if not lost_commitment(state, command.seat):
        raise WrongState("3.4", "only a seat whose commitment is void commits anew")
    _check_commitment(state, command.commitment)
    return [SeedCommitted(command.seat, command.commitment, command.custody)]


def _check_commitment(state: State, text: str) -> None:
    if _bytes_of(text) is None:
        raise Refused("2.4", "a commitment is the SHA-256 of a seed: 32 bytes, base64url without padding")
    if text in state.void or any(sitting and sitting.commitment == text for sitting in state.seats):
        raise Refused("3.6", "this commitment was made before in this match; a seed serves once")


def _bytes_of(text: str) -> bytes | None:
    """The 32 bytes that ``text`` writes, or None."""
    try:
        data = unb64u(text)
    except ValueError:
        return None
    return data if len(data) == 32 else None


def _reveal(state: State, seat: Seat, text: str) -> list[Any]:
    if state.status != "revealing":
        raise WrongState("3.1", "seeds are revealed after every seat has committed and before the start")
    sitting = _sitting(state, seat)
    if sitting.seed:
        raise WrongState("3.2", "this seat has revealed its seed")
    seed = _bytes_of(text)
    if seed is None or b64u(fairness.commitment(seed)) != sitting.commitment:
        raise Refused("3.2", "the seed (32 bytes, base64url without padding) does not fit the commitment")
    return [SeedRevealed(seat, text, sitting.custody)]


def _act(state: State, seat: Seat, move: Any) -> list[Any]:
    if state.status != "playing":
        raise WrongState("4.2", f"the match is {state.status}, not being played")
    if _sitting(state, seat).resigned:
        raise WrongState("6.2", "this seat has resigned; the house moves for it")
    if seat not in to_act(state):
        raise OutOfTurn("4.3", "it is not this seat's turn")
    return _ask_game(state, seat, move)


def _close_hand(state: State, secret: str) -> list[Any]:
    _owed(state, MustCloseHand, "4.5")
    game = GAMES[state.game]
    totals = game.totals(state.play)
    points = tuple(after - before for after, before in zip(totals, state.totals, strict=True))
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
    if _sitting(state, seat).resigned:
        raise WrongState("6.1", "this seat has resigned")
    if isinstance(duty(state), MustCloseHand | MustEndMatch):
        raise WrongState("6.1", "the hand is over and must be closed first")
    left = [other for other in _active(state) if other != seat and not _sitting(state, other).resigned]
    hand = state.hand_under_way
    opened = secret if hand else ""
    if not any(_sitting(state, other).kind == "human" for other in left):
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
        raise WrongState("5.2", "the time is not up")
    match state.status:
        case "open" if all(state.seats):
            seat = next(s for s, sitting in enumerate(state.seats) if sitting and not sitting.commitment)
            return [SeatLeft(seat, _sitting(state, seat).player)]  # 3.4
        case "open":
            return [MatchAbandoned("expired")]  # 2.7
        case "revealing":
            seat = next(s for s, sitting in enumerate(state.seats) if sitting and not sitting.seed)
            return [SeatPutOut(seat, _sitting(state, seat).player)]  # 3.3
        case _:
            seat = min(to_act(state))
            return [ClockExpired(seat), *_fallback(state, seat)]  # 5.1


def _server_commitment(state: State) -> Duty | None:
    kept = (seat for seat, sitting in enumerate(state.seats) if sitting and sitting.custody == "server")
    return next((MustCommit(seat) for seat in kept if lost_commitment(state, seat)), None)


def _server_seed(state: State) -> Duty | None:
    hidden = [(seat, sitting) for seat, sitting in enumerate(state.seats) if sitting is not None and not sitting.seed]
    if not hidden:
        return MustStart()
    return next((MustReveal(seat) for seat, sitting in hidden if sitting.custody == "server"), None)


def _in_play(state: State) -> Duty | None:
    game = GAMES[state.game]
    if game.hands(state.play) > state.ended:
        return MustCloseHand(state.ended + 1)
    if game.outcome(state.play) is not None or state.ended == fairness.HANDS:
        return MustEndMatch()
    due = game.to_act(state.play)
    if DEALER in due:
        return MustDraw(state.ended + 1, state.draws + 1, game.chance(state.play))
    return next((MustPlayFallback(seat) for seat in sorted(due) if _sitting(state, seat).resigned), None)


def _ending(state: State) -> MatchEnded | MatchAbandoned:
    outcome = GAMES[state.game].outcome(state.play)
    if outcome is None:
        return MatchAbandoned("undecided")  # 4.7
    groups = (tuple(s for s in group if not _sitting(state, s).resigned) for group in outcome.ranking)
    return MatchEnded(next((group for group in groups if group), ()), state.totals)


def _ask_game(state: State, seat: Seat, move: Any) -> list[Any]:
    game = GAMES[state.game]
    with _ruled_by(game):
        return game.decide(state.play, seat, move)


@contextmanager
def _ruled_by(game: AnyGame) -> Iterator[None]:
    """Refusals from inside are the game's: their clauses are those of its rule book."""
    try:
        yield
    except Refused as refused:
        refused.rulebook = game.id
        raise


def _owed(state: State, kind: type[Duty], clause: str) -> None:
    """The service does what is due and nothing else: so two processes cannot do it twice."""
    if not isinstance(duty(state), kind):
        raise WrongState(clause, "this is not due now")


def own_seat(state: State, player: str) -> Seat:
    """The seat that ``player`` sits on. Raises ``NotYours`` for everybody else. (4.1)"""
    seat = seat_of(state, player)
    if seat is None:
        raise NotYours("4.1", "this player has no seat in this match")
    return seat


def _sitting(state: State, seat: Seat) -> SeatState:
    sitting = state.seats[seat]
    assert sitting is not None, "every seat of a running match is taken"
    return sitting
