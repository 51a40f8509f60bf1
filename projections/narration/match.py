"""What the events of the match say."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from domain.match import rulings
from domain.match.cases import DisputeOpened, DisputeRuled, HandVoided, ScoreAdjusted
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
    SeatTaken,
    SeedCommitted,
    SeedRevealed,
    TimeUsed,
)
from projections.narration.message import Count, Everyone, Message, Quote, Span, Tally, Who, Word, said


def _opened(event: MatchOpened) -> tuple[Message, ...]:
    opened = said("match.MatchOpened", game=Word(f"game.{event.game}"), seats=Count("seat", event.seats))
    if event.clock is None:
        return (opened,)
    turn = said("match.MatchOpened.clock", seconds=Count("second", event.clock.turn_seconds))
    if not event.clock.bank_seconds:
        return opened, turn
    return opened, turn, said("match.MatchOpened.bank", seconds=Count("second", event.clock.bank_seconds))


def _taken(event: SeatTaken) -> tuple[Message, ...]:
    return (said(f"match.SeatTaken.{event.kind}", who=Who(event.seat), seat=event.seat),)


def _left(event: SeatLeft) -> tuple[Message, ...]:
    return (said("match.SeatLeft", seat=event.seat),)


def _put_out(event: SeatPutOut) -> tuple[Message, ...]:
    return (said("match.SeatPutOut", seat=event.seat),)


def _committed(event: SeedCommitted) -> tuple[Message, ...]:
    return (said(f"match.SeedCommitted.{event.custody}", who=Who(event.seat)),)


def _revealed(event: SeedRevealed) -> tuple[Message, ...]:
    return (said(f"match.SeedRevealed.{event.custody}", who=Who(event.seat)),)


def _started(_event: MatchStarted) -> tuple[Message, ...]:
    return (said("match.MatchStarted"),)


def _expired(event: ClockExpired) -> tuple[Message, ...]:
    return (said("match.ClockExpired", who=Who(event.seat)),)


def _time_used(event: TimeUsed) -> tuple[Message, ...]:
    who, used = Who(event.seat), Span(event.used)
    if event.after == event.before:
        return (said("match.TimeUsed", who=who, used=used),)
    return (said("match.TimeUsed.bank", who=who, used=used, after=Span(event.after)),)


def _resigned(event: SeatResigned) -> tuple[Message, ...]:
    return (said("match.SeatResigned", who=Who(event.seat)),)


def _hand_ended(event: HandEnded) -> tuple[Message, ...]:
    return (said("match.HandEnded", hand=event.hand, points=Tally(event.points), totals=Tally(event.totals)),)


def _ended(event: MatchEnded) -> tuple[Message, ...]:
    if not event.winners:
        won = said("match.MatchEnded.nobody")
    else:
        won = said("match.MatchEnded", winners=Everyone(event.winners), plural=len(event.winners))
    return won, said("match.totals", totals=Tally(event.totals))


def _abandoned(event: MatchAbandoned) -> tuple[Message, ...]:
    return (said(f"match.MatchAbandoned.{event.reason}"),)


def _disputed(event: DisputeOpened) -> tuple[Message, ...]:
    return (said("match.DisputeOpened", who=Who(event.seat), first=event.first, last=event.last),)


def _ruled(event: DisputeRuled) -> tuple[Message, ...]:
    """What is voided or adjusted says its own event, which follows."""
    reason, clause = Quote(rulings.read(event.reason)), Quote(event.clause)
    ruled = said(f"match.DisputeRuled.{event.ruling}", number=event.number)
    why = (
        said("match.reason.clause", reason=reason, clause=clause)
        if event.clause
        else said("match.reason", reason=reason)
    )
    return ruled, why


def _voided(event: HandVoided) -> tuple[Message, ...]:
    return (said("match.HandVoided", hand=event.hand, totals=Tally(event.totals)), *_now_won(event.winners))


def _adjusted(event: ScoreAdjusted) -> tuple[Message, ...]:
    adjusted = said("match.ScoreAdjusted", points=Tally(event.points), totals=Tally(event.totals))
    return adjusted, *_now_won(event.winners)


def _now_won(winners: tuple[int, ...]) -> tuple[Message, ...]:
    return (said("match.winners", winners=Everyone(winners)),) if winners else ()


MESSAGES: Final[Mapping[type[msgspec.Struct], Callable[[Any], tuple[Message, ...]]]] = {
    MatchOpened: _opened,
    SeatTaken: _taken,
    SeatLeft: _left,
    SeedCommitted: _committed,
    SeedRevealed: _revealed,
    SeatPutOut: _put_out,
    MatchStarted: _started,
    ClockExpired: _expired,
    TimeUsed: _time_used,
    SeatResigned: _resigned,
    HandEnded: _hand_ended,
    MatchEnded: _ended,
    MatchAbandoned: _abandoned,
    DisputeOpened: _disputed,
    DisputeRuled: _ruled,
    HandVoided: _voided,
    ScoreAdjusted: _adjusted,
}

MOVES: Final[frozenset[type[msgspec.Struct]]] = frozenset()
"""Events that are a seat's own move: where the service made one, the sentence says so."""
