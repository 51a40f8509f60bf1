"""The audit of one match: chain, secrets, deals, openings and legality, all by doing them again.

Nothing that is checked here is taken from memory: the bytes of the store are read, hashed, folded and decided anew.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, Literal, TypeAlias

import msgspec

from domain import fairness
from domain.event import START, SYSTEM, Actor, Recorded, chained
from domain.game import Drawn, Refused
from domain.games import GAMES
from domain.hidden import b64u, bare, canonical, digest_of, hidden_paths, unb64u
from domain.match import cases, commands, rules, rulings
from domain.match import state as facts
from domain.match.state import State, evolve
from services.store.records import StoredEvent, StoredOpening, by_version

Verdict: TypeAlias = Literal["VALID", "INCOMPLETE", "INVALID"]
EXIT_CODES: Final[Mapping[str, int]] = {"VALID": 0, "INCOMPLETE": 20, "DIVERGED": 30, "INVALID": 40}


class Finding(msgspec.Struct, frozen=True):
    """One check: its code, whether it held, a plain sentence, and the version at which it failed (0: none)."""

    code: str
    ok: bool
    text: str
    version: int = 0


class HandSeeds(msgspec.Struct, frozen=True):
    """The seats that contributed a seed of their own to a hand. Without any, the operator could choose the deal."""

    hand: int
    own: tuple[int, ...]
    opened: bool


class Report(msgspec.Struct, frozen=True):
    """``limits`` says what no audit of this kind can show."""

    match: str
    game: str
    verdict: Verdict
    versions: int
    head: str
    checks: tuple[Finding, ...]
    hands: tuple[HandSeeds, ...]
    limits: tuple[str, ...]


LIMITS: Final = (
    "That the operator did not look at hidden cards cannot be shown.",
    "Where every seat is in the server's custody, that the operator did not choose the deal cannot be shown.",
)


_MALFORMED: Final = (LookupError, ValueError, TypeError, AttributeError, msgspec.MsgspecError)
"""What reading a record may raise that is not what it should be."""


class _Failed(Exception):
    """A check did not hold, at the event with that version."""

    def __init__(self, version: int, text: str) -> None:
        super().__init__(text)
        self.version = version
        self.text = text


class _Case:
    """One match under audit: the record as it lies in the store, and what the checks so far have made of it."""

    def __init__(self, match: str, events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> None:
        self.match = match
        self.events = events
        self.openings = openings
        self.recorded: list[Recorded[Any]] = []
        self.secrets: dict[int, bytes] = {}
        self.state = State()


def audit(match: str, events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> Report:
    """Checks everything that ``events`` and ``openings`` can show. Never raises for what they contain.

    The checks rest on one another: the first that fails ends the audit, and the later ones are not in the report.
    """
    case, checks = _Case(match, events, openings), []
    for code, check, text in _CHECKS:
        try:
            check(case)
        except _Failed as failure:
            checks.append(Finding(code, ok=False, text=failure.text, version=failure.version))
            break
        except _MALFORMED as error:
            checks.append(Finding(code, ok=False, text=f"The record is malformed: {error}"))
            break
        checks.append(Finding(code, ok=True, text=text))
    failed = [check.code for check in checks if not check.ok]
    return Report(
        match=match,
        game=case.state.game,
        verdict="VALID" if not failed else "INCOMPLETE" if failed == ["complete"] else "INVALID",
        versions=len(events),
        head=b64u(events[-1].hash) if events else "",
        checks=tuple(checks),
        hands=_hands(case),
        limits=LIMITS,
    )


def _check_bytes(case: _Case) -> None:
    openings = by_version(case.openings)
    at = 0
    for version, event in enumerate(case.events, start=1):
        try:
            sealed = event.decoded()
            opened = event.decoded(openings.get(version, ()))
        except _MALFORMED as error:
            raise _Failed(version, f"The event cannot be read: {error}") from error
        written = (sealed.match, sealed.version, sealed.at, sealed.cmd)
        if written != (case.match, version, event.at, event.cmd) or event.version != version:
            raise _Failed(version, "The event does not belong at this place.")
        if canonical(msgspec.json.decode(event.data)) != event.data:
            raise _Failed(version, "The event is not written in its canonical bytes.")
        if sealed.at < at:
            raise _Failed(version, "The event is dated before the one that it follows.")
        at = sealed.at
        case.recorded.append(opened)


def _check_chain(case: _Case) -> None:
    head = START
    for event, recorded in zip(case.events, case.recorded, strict=True):
        if event.prev != head or recorded.prev != b64u(head):
            raise _Failed(event.version, "The event does not carry the hash of the one before it.")
        if chained(event.data) != event.hash:
            raise _Failed(event.version, "The hash is not that of the bytes.")
        head = event.hash


def _check_openings(case: _Case) -> None:
    for entry in case.openings:
        field: Any = msgspec.json.decode(case.events[entry.version - 1].data)["body"]
        for step in entry.opening.path.split("."):
            field = field[int(step)] if isinstance(field, list) else field[step]
        if field.get("digest") != digest_of(entry.opening.salt, entry.opening.value):
            raise _Failed(entry.version, f"The opening of {entry.opening.path} does not fit its digest.")
        if tuple(field["to"]) != entry.opening.to:
            raise _Failed(entry.version, f"The opening of {entry.opening.path} is for other seats than its event says.")


def _check_secrets(case: _Case) -> None:
    anchor = b""
    for recorded in case.recorded:
        match recorded.body:
            case facts.MatchOpened(anchor=text):
                anchor = unb64u(text)
            case (
                facts.HandEnded(hand=hand, secret=text)
                | facts.MatchEnded(hand=hand, secret=text)
                | (facts.MatchAbandoned(hand=hand, secret=text))
            ) if hand:
                secret = fairness.secret_of(case.match, unb64u(text), 0, hand)
                if secret != anchor:
                    raise _Failed(recorded.version, f"The secret of hand {hand} does not lead to the anchor.")
                case.secrets[hand] = unb64u(text)
            case _:
                pass


def _check_moves(case: _Case) -> None:
    done = 0
    while done < len(case.recorded):
        ahead = case.recorded[done:]
        version, at = ahead[0].version, ahead[0].at
        try:
            expected, actor = _consequences(case, ahead)
            found = ahead[: len(expected)]
            folded = reduce(evolve, found, case.state)
        except (Refused, *_MALFORMED) as error:
            raise _Failed(version, f"The rules do not allow this: {error}") from error
        if [bare(event) for event in expected] != [bare(recorded.body) for recorded in found]:
            raise _Failed(version, "The rules lead to other events than those recorded.")
        if any((recorded.at, recorded.seat) != (at, actor) for recorded in found):
            raise _Failed(version, "The events of one command differ in time or in who acted.")
        case.state = folded
        done += len(found)


def _consequences(case: _Case, ahead: Sequence[Recorded[Any]]) -> tuple[list[Any], Actor]:
    """What the rules make of the next command, and who acted. The command is read off the events that it led to."""
    state, first = case.state, ahead[0]
    duty = rules.duty(state)
    if duty is not None:
        return _fulfilled(case, duty, ahead), SYSTEM
    if isinstance(first.seat, int) and (
        isinstance(first.body, facts.TimeUsed) or not isinstance(first.body, _OF_MATCH)
    ):
        return _matching_move(state, first.seat, ahead), first.seat
    command = _command(state, ahead)
    return rules.decide(state, command, first.at), _acting(first)


def _acting(first: Recorded[Any]) -> Actor:
    """Who acted, where the event itself says it: who sat down, who disputes; and the service writes down a ruling."""
    match first.body:
        case facts.SeatTaken(seat=seat) | cases.DisputeOpened(seat=seat):
            return int(seat)
        case cases.DisputeRuled():
            return SYSTEM
        case _:
            return first.seat


def _fulfilled(case: _Case, duty: commands.Duty, ahead: Sequence[Recorded[Any]]) -> list[Any]:
    first = ahead[0]
    if isinstance(duty, commands.MustDraw):
        return _drawn(case, duty, ahead)
    return rules.decide(case.state, _fulfilling(duty, first.body), first.at)


def _fulfilling(duty: commands.Duty, event: Any) -> commands.Command:
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
            raise AssertionError("a draw is made again from the secrets, not read off its events")


def _drawn(case: _Case, duty: commands.MustDraw, ahead: Sequence[Recorded[Any]]) -> list[Any]:
    """The events of a draw, made again; of a hand that is not open yet only their types can be checked."""
    state, at = case.state, ahead[0].at
    secret = case.secrets.get(duty.hand)
    lists = duty.lists
    if secret is not None:
        seeds = [unb64u(sitting.seed) for sitting in state.seats if sitting is not None]
        key = fairness.hand_key(unb64u(state.salt), secret, seeds)
        lists = fairness.draw(key, duty.hand, duty.number, lists)
    events = rules.decide(state, commands.Draw(Drawn(lists, at - state.started_at)), at)
    if secret is not None or not any(type(event) in GAMES[state.game].draws for event in events):
        return events
    found = [recorded.body for recorded in ahead[: len(events)]]
    return found if list(map(type, found)) == list(map(type, events)) else events


def _matching_move(state: State, seat: int, ahead: Sequence[Recorded[Any]]) -> list[Any]:
    """The events of the legal move that leads to those recorded. Raises ``LookupError`` if there is none."""
    for move in GAMES[state.game].legal(state.play, seat):
        events = rules.decide(state, commands.Act(seat, move), ahead[0].at)
        found = [recorded.body for recorded in ahead[: len(events)]]
        if [bare(event) for event in events] == [bare(event) for event in found]:
            return events
    raise LookupError("no legal move of this seat leads to what is recorded")


def _command(state: State, ahead: Sequence[Recorded[Any]]) -> commands.Command:
    first = ahead[0]
    match first.body:
        case facts.MatchOpened(game, options, seats, host, anchor, clock, spectators):
            return commands.Open(game, options, seats, host, anchor, clock, spectators)
        case facts.SeatTaken(seat, player, kind, commitment, custody, level):
            return commands.TakeSeat(player, seat, commitment, custody, kind, level, state.host)
        case facts.SeedCommitted(seat, commitment, custody):
            return commands.CommitSeed(seat, commitment, custody)
        case facts.SeedRevealed(seat, seed):
            return commands.RevealSeed(seat, seed)
        case facts.SeatLeft(_, player) | facts.SeatPutOut(_, player) if first.seat != SYSTEM:
            return commands.LeaveSeat(player)
        case facts.SeatResigned(seat):
            sitting = state.seats[seat]
            secret = getattr(ahead[1].body, "secret", "") if len(ahead) > 1 else ""
            return commands.Resign(sitting.player if sitting else "", secret)
        case cases.DisputeOpened(dispute, seat, first_, last):
            sitting = state.seats[seat]
            return commands.OpenDispute(sitting.player if sitting else "", dispute, first_, last)
        case cases.DisputeRuled(dispute, number, ruling, arbiter, reason, hand, points, clause, named):
            known = (
                arbiter,
                True,
                dispute,
                ruling,
                rulings.read(reason),
                number - 1,
            )  # that it was one, no log can show
            return commands.Rule(*known, hand=hand, points=points, clause=clause, winners=named)
        case facts.MatchAbandoned("host"):
            return commands.Resign(state.host, "")
        case _:
            return commands.Expire()


def _check_complete(case: _Case) -> None:
    opened = {(entry.version, entry.opening.path) for entry in case.openings}
    last, hand = max(case.secrets, default=0), 1
    for recorded in case.recorded:
        hand += isinstance(recorded.body, facts.HandEnded)
        missing = [path for path in hidden_paths(recorded.body) if (recorded.version, path) not in opened]
        if missing and hand <= last:
            raise _Failed(recorded.version, f"Of a hand that is over, {', '.join(missing)} is not opened.")


def _hands(case: _Case) -> tuple[HandSeeds, ...]:
    own = tuple(seat for seat, sitting in enumerate(case.state.seats) if sitting and sitting.custody == "own")
    return tuple(HandSeeds(hand, own, hand <= case.state.opened) for hand in range(1, case.state.opened + 1))


_OF_MATCH: Final = tuple(entry.cls for entry in facts.EVENTS)

_CHECKS: Final[tuple[tuple[str, Callable[[_Case], None], str], ...]] = (
    ("bytes", _check_bytes, "Every event is written in its canonical bytes and is of a known type."),
    ("chain", _check_chain, "Every event carries the hash of the event before it, without a gap."),
    ("openings", _check_openings, "Every opening fits the digest in its event."),
    ("secrets", _check_secrets, "Every published secret leads to the anchor that was published at the opening."),
    ("complete", _check_complete, "Every hand that is over has been opened."),
    ("moves", _check_moves, "Seeds fit, deals follow from them, every move was legal, every score is right."),
)
