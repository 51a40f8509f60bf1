"""Disputes and rulings: who may open a case, what an arbiter may rule, and what a ruling changes.

Numbers in comments are clauses of RULES.md. Nothing here changes how a match went: a ruling is one more event, and
what it says counts from then on.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from domain.game import Refused, Seat
from domain.games import GAMES
from domain.match.cases import DisputeOpened, DisputeRuled, DisputeState, HandState, HandVoided, ScoreAdjusted
from domain.match.commands import OpenDispute, Rule
from domain.match.seating import NotYours, WrongState, seat_of, sitting_on
from domain.match.state import State

DISPUTE_MS: Final = 14 * 24 * 3_600_000
"""How long after its end a match may still be disputed (7.1)."""
EVENTS_AT_MOST: Final = 1000
POINTS: Final = range(-10_000, 10_001)
REASON: Final = range(1, 1001)
"""How many characters a reason may have."""

_CLAUSE: Final = re.compile(r"(match )?[1-9][0-9]?\.[1-9][0-9]?")
_PLAIN: Final = frozenset(range(0x20, 0x7F)) - {ord("%")}


def dispute_decided(state: State, command: OpenDispute | Rule, at: int) -> list[Any]:
    """The events that opening a dispute, or ruling on one, leads to at time ``at``. Raises ``Refused``."""
    if isinstance(command, OpenDispute):
        return _open(state, command, at)
    return _rule(state, command)


def winners_by_totals(state: State, totals: tuple[int, ...]) -> tuple[Seat, ...] | None:
    """Who wins a match that its game has ended, if ``totals`` count; None where they do not say. (7.10)"""
    game = GAMES[state.game]
    if game.ranking is None or game.outcome(state.play) is None:
        return None
    groups = (tuple(s for s in group if not sitting_on(state, s).resigned) for group in game.ranking(totals))
    return next((group for group in groups if group), ())


def case_of(state: State, dispute: str) -> DisputeState | None:
    return next((case for case in state.disputes if case.dispute == dispute), None)


def touched(state: State, first: int, last: int) -> Iterator[tuple[int, HandState]]:
    """The hands that have ended, by number, of which an event lies between ``first`` and ``last``."""
    for number, hand in enumerate(state.hands, start=1):
        if hand.first <= last and first <= hand.last:
            yield number, hand


def written(text: str) -> str:
    """``text`` as events hold it, in printable ASCII: the rest, and ``%``, as percent-encoded UTF-8 (RFC 3986, 2.1)."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode())


def read(text: str) -> str:
    """What ``written`` has written."""
    data = re.sub(rb"%([0-9A-F]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())
    return data.decode("utf-8", "replace")


def _open(state: State, command: OpenDispute, at: int) -> list[Any]:
    seat = seat_of(state, command.player)
    if seat is None:
        raise NotYours("7.1", "a dispute is opened by a player who has a seat in the match")
    if not state.started_at:
        raise WrongState("7.1", "a match can be disputed from its start on")
    if state.over and at > state.over_at + DISPUTE_MS:
        raise WrongState("7.1", "the match ended more than 14 days ago")
    if not 1 <= command.first <= command.last <= state.version:
        raise Refused("7.2", f"a dispute is about events from first to last, of those from 1 to {state.version}")
    if command.last - command.first >= EVENTS_AT_MOST:
        raise Refused("7.2", f"a dispute is about {EVENTS_AT_MOST} events at most")
    if case_of(state, command.dispute) is not None:
        raise WrongState("7.3", "this dispute has been opened")
    if any(case.seat == seat and not case.rulings for case in state.disputes):
        raise WrongState("7.3", "this seat has a dispute that has not been ruled on yet")
    return [DisputeOpened(command.dispute, seat, command.first, command.last)]


def _rule(state: State, command: Rule) -> list[Any]:
    if not command.arbiter or seat_of(state, command.player) is not None:
        raise NotYours("7.5", "an arbiter rules, who has no seat in the match")
    case = case_of(state, command.dispute)
    if case is None:
        raise WrongState("7.5", "there is no such dispute in this match")
    if command.after != case.rulings:
        raise WrongState("7.12", f"there are {case.rulings} rulings on this dispute, not {command.after}")
    if len(command.reason) not in REASON:
        raise Refused("7.6", f"a ruling gives its reason, in {REASON[0]} to {REASON[-1]} characters")
    ruled = DisputeRuled(
        dispute=command.dispute,
        number=case.rulings + 1,
        ruling=command.ruling,
        arbiter=command.player,
        reason=written(command.reason),
        hand=command.hand,
        points=command.points,
        clause=command.clause,
        named=command.winners,
    )
    match command.ruling:
        case "upheld":
            if command.hand or command.points or command.winners:
                raise Refused("7.6", "what is upheld stays as it is: no hand, no points and no winners are named")
            _check_clause(command, needed=False)
            return [ruled]
        case "void_hand":
            return [ruled, _void(state, command, case)]
        case "adjust":
            return [ruled, _adjust(state, command, case, ruled.reason)]


def _void(state: State, command: Rule, case: DisputeState) -> HandVoided:
    if command.points or command.winners:
        raise Refused("7.7", "voiding a hand takes its points away, and names no others and no winners")
    _check_clause(command, needed=False)
    hand = _touched_hand(state, command.hand, case, "7.7")
    if hand.void:
        raise WrongState("7.7", "this hand is void")
    totals = tuple(total - points for total, points in zip(state.totals, hand.points, strict=True))
    return HandVoided(command.dispute, command.hand, hand.points, totals, _winners(state, totals, ()))


def _adjust(state: State, command: Rule, case: DisputeState, reason: str) -> ScoreAdjusted:
    points, named = command.points or (0,) * len(state.seats), command.winners
    if len(points) != len(state.seats) or any(number not in POINTS for number in points):
        raise Refused("7.8", f"an adjustment has points for each seat, from {POINTS[0]} to {POINTS[-1]}")
    if not any(points) and not named:
        raise Refused("7.8", "an adjustment changes a total, or names winners")
    _check_clause(command, needed=True)
    if command.hand:
        _touched_hand(state, command.hand, case, "7.8")
    totals = tuple(total + more for total, more in zip(state.totals, points, strict=True))
    winners = _winners(state, totals, named)
    return ScoreAdjusted(command.dispute, command.hand, points, totals, winners, command.clause, reason)


def _check_clause(command: Rule, *, needed: bool) -> None:
    if (needed or command.clause) and not _CLAUSE.fullmatch(command.clause):
        raise Refused("7.8", "name the clause as 4.2, or as match 4.2 if it is one of the match's")


def _touched_hand(state: State, number: int, case: DisputeState, clause: str) -> HandState:
    if number == state.ended + 1 and state.draws and not state.over:
        raise WrongState(clause, "the hand under way is played to its end first")
    hand = dict(touched(state, case.first, case.last)).get(number)
    if hand is None:
        raise Refused(clause, "the disputed events touch no hand of that number which has been scored")
    return hand


def _winners(state: State, totals: tuple[int, ...], named: tuple[Seat, ...]) -> tuple[Seat, ...]:
    settled = winners_by_totals(state, totals) if state.status == "finished" else None
    if not named:
        return state.winners if settled is None else settled
    if state.status != "finished":
        raise WrongState("7.11", "winners are named when a match has been won")
    if settled is not None:
        raise Refused("7.11", "in this match the totals settle who wins")
    seats = tuple(sorted(set(named)))
    if len(seats) != len(named) or any(seat not in range(len(state.seats)) for seat in seats):
        raise Refused("7.11", f"winners are seats of this match, each once: 0 to {len(state.seats) - 1}")
    if any(sitting_on(state, seat).resigned for seat in seats):
        raise Refused("7.11", "a seat that has resigned cannot win")
    return seats
