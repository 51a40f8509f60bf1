"""Commands read off the events that they led to: what somebody asked of the match, and what the service fulfilled.

A new command of the match is one line of ``ASKED``: the first of its events, and the command that this event tells of.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias, get_args, get_origin, get_type_hints

import msgspec

from domain.event import SYSTEM, Actor, Recorded
from domain.game import GameMove
from domain.hidden import Hidden
from domain.match import cases, commands, rulings
from domain.match import state as facts
from domain.match.state import State

Ahead: TypeAlias = Sequence[Recorded[Any]]
"""The events that come next: sealed ones if they cannot be opened."""

PRECEDING: Final[tuple[type, ...]] = (facts.TimeUsed,)
"""Events of the match that stand before those which tell of a command, and are part of it."""


def _open(_: State, ahead: Ahead) -> commands.Command:
    event = ahead[0].body
    return commands.Open(**{name: getattr(event, name) for name in commands.Open.__struct_fields__})


def _take_seat(state: State, ahead: Ahead) -> commands.Command:
    event = ahead[0].body
    names = ("player", "seat", "commitment", "custody", "kind", "level")
    return commands.TakeSeat(**{name: getattr(event, name) for name in names}, by=state.host)


def _leave(_: State, ahead: Ahead) -> commands.Command:
    event = ahead[0]
    return commands.Expire() if event.seat == SYSTEM else commands.LeaveSeat(event.body.player)


def _resign(state: State, ahead: Ahead) -> commands.Command:
    sitting = state.seats[ahead[0].body.seat]
    secret = getattr(ahead[1].body, "secret", "") if len(ahead) > 1 else ""
    return commands.Resign(sitting.player if sitting else "", secret)


def _abandon(state: State, ahead: Ahead) -> commands.Command:
    return commands.Resign(state.host, "") if ahead[0].body.reason == "host" else commands.Expire()


def _dispute(state: State, ahead: Ahead) -> commands.Command:
    event = ahead[0].body
    sitting = state.seats[event.seat]
    return commands.OpenDispute(sitting.player if sitting else "", event.dispute, event.first, event.last)


def _rule(_: State, ahead: Ahead) -> commands.Command:
    event = ahead[0].body
    return commands.Rule(
        player=event.arbiter,
        arbiter=True,  # that the player was one, no record can show
        dispute=event.dispute,
        ruling=event.ruling,
        reason=rulings.read(event.reason),
        after=event.number - 1,
        hand=event.hand,
        points=event.points,
        clause=event.clause,
        winners=event.named,
    )


ASKED: Final[Mapping[type, Callable[[State, Ahead], commands.Command]]] = {
    facts.MatchOpened: _open,
    facts.SeatTaken: _take_seat,
    facts.SeatLeft: _leave,
    facts.SeatPutOut: _leave,
    facts.SeedCommitted: lambda _, ahead: commands.CommitSeed(
        ahead[0].body.seat, ahead[0].body.commitment, ahead[0].body.custody
    ),
    facts.SeedRevealed: lambda _, ahead: commands.RevealSeed(ahead[0].body.seat, ahead[0].body.seed),
    facts.SeatResigned: _resign,
    facts.MatchAbandoned: _abandon,
    facts.ClockExpired: lambda _state, _ahead: commands.Expire(),
    cases.DisputeOpened: _dispute,
    cases.DisputeRuled: _rule,
}


def asked(state: State, ahead: Ahead) -> commands.Command:
    """What the match was asked. Raises ``LookupError`` if these events begin no command of the match."""
    read = ASKED.get(type(ahead[0].body))
    if read is None:
        raise LookupError(f"nothing that can be asked of a match begins with {type(ahead[0].body).__name__}")
    return read(state, ahead)


def actor_of(ahead: Ahead, command: commands.Command) -> Actor:
    """Who must have acted for a command of the match that begins so: a seat acts for itself only."""
    first = ahead[0]
    if isinstance(command, commands.Expire | commands.Rule):
        return SYSTEM
    seat: Actor = getattr(first.body, "seat", first.seat)
    says_so = isinstance(first.body, facts.SeatTaken | cases.DisputeOpened)
    return seat if says_so or first.seat != SYSTEM else SYSTEM


def telling(ahead: Ahead) -> Recorded[Any]:
    """The event that tells what was asked: the first that does not merely stand before such a one."""
    if type(ahead[0].body) not in PRECEDING:
        return ahead[0]
    return next((event for event in ahead if not isinstance(event.body, PRECEDING)), ahead[0])


def is_move(event: Recorded[Any]) -> bool:
    """Whether a seat makes a move of its game with the event that tells of it."""
    return isinstance(event.seat, int) and type(event.body) not in facts.OWN


def fulfilled(duty: commands.Duty, event: Any) -> commands.Command:
    """The command that fulfils ``duty``, with what only its event can tell. Draws are made again, not read off."""
    match duty:
        case commands.MustCommit(seat):
            return commands.CommitSeed(seat, event.commitment, "server")
        case commands.MustReveal(seat):
            return commands.RevealSeed(seat, event.seed)
        case commands.MustStart():
            return commands.Start()
        case commands.MustCloseHand():
            return commands.CloseHand(event.secret)
        case commands.MustEndMatch():
            return commands.EndMatch()
        case commands.MustPlayFallback(seat):
            return commands.PlayFallback(seat)
        case commands.MustDraw():
            raise AssertionError("a draw is made again from the secrets")


def guesses(moves: Sequence[type[GameMove]], event: Any) -> Iterator[GameMove]:
    """The moves that an event suggests. They may be illegal, or not those that were made; but nearly always one is."""
    for move in moves:
        for filling in _fillings(move, event.__class__):
            values = {name: _value(getattr(event, source)) for name, source in filling}
            if msgspec.UNSET not in values.values():
                yield move(**values)


def _value(field: Any) -> Any:
    """What a field of an event says, hidden or not. ``UNSET`` if it is sealed."""
    if isinstance(field, Hidden):
        return field.value
    if isinstance(field, tuple) and any(isinstance(item, Hidden) for item in field):
        values = tuple(map(_value, field))
        return msgspec.UNSET if msgspec.UNSET in values else values
    return field


@cache
def _fillings(move: Any, event: Any) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The ways to fill in a move that needs one thing or none: from the field of that name, or all of that type."""
    needed = [field for field in msgspec.structs.fields(move) if field.required]
    if not needed:
        return ((),)
    if len(needed) > 1:
        return ()
    name = needed[0].name
    wanted = get_type_hints(move)[name]
    sources = [source for source, hint in get_type_hints(event).items() if _shown(hint) == wanted]
    return tuple(((name, source),) for source in ([name] if name in sources else sources))


def _shown(hint: Any) -> Any:
    """The type of the value of a field, hidden or not."""
    if get_origin(hint) is Hidden:
        return get_args(hint)[0]
    if get_origin(hint) is tuple:
        return tuple[tuple(map(_shown, get_args(hint)))]  # type: ignore[misc]
    return hint
