"""Every command decided anew by the rules, from the first event on: deals, moves, scores and audiences.

After something that the rules would not have led to, the match goes on as it is recorded if the next hand can still be
judged; what is passed over on the way is said to be.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from domain import fairness
from domain.event import SYSTEM, Actor, Recorded
from domain.game import AnyGame, Drawn, GameMove, Refused
from domain.games import GAMES
from domain.hidden import bare, hides, seal, with_hidden
from domain.match import clock, commands, rules
from domain.match import state as facts
from domain.match.state import State, evolve
from services.audit.asked import PRECEDING, actor_of, asked, fulfilled, guesses, is_move, telling
from services.audit.record import MALFORMED, Event, Record
from services.audit.report import Code

_WINDOW: Final = len(PRECEDING) + 2
"""How many events ahead are looked at to tell a command."""
_SCORING: Final = ("HandEnded", "HandScored", "MatchEnded", "MatchWon")
_RULINGS: Final = ("HandVoided", "ScoreAdjusted")
_CUT: Final = "The record ends in the middle of a command."
_REPLAYED: Final[tuple[Code, ...]] = ("deals", "moves", "scores", "audiences")


class Difference(NamedTuple):
    """Where a recorded event is not what the rules lead to, and to which check that belongs."""

    code: Code
    version: int
    text: str


class _Wrong(Exception):
    """The rules do not lead to what is recorded."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.text)
        self.difference = difference


class _Sealed(Exception):
    """The events from here on cannot be judged by whoever has this bundle."""


class Replay:
    """``done`` counts the events that have been judged or passed over."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._events = record.events
        self._find = record.findings
        self._state = State()
        self._trusted = True
        self._cut = False
        self._undrawn = 0
        # By the event that a move led to last time: that move first.
        self._likely: dict[type, list[type[GameMove]]] = {}
        self.done = 0

    def check(self) -> None:
        """Judges the whole record, or as much of it as can be."""
        while self.done < len(self._events):
            try:
                self._step()
            except _Sealed:
                self._stop_at_seal()
                return
            except _Wrong as wrong:
                self._find.fail(wrong.difference.code, wrong.difference.text, wrong.difference.version)
                if not self._pass_over():
                    text = f"Not made from event {self.done + 1} on: what is recorded there leads nowhere."
                    self._find.unmade(text, *_REPLAYED)
                    return
        self._check_end()
        self._tell_undrawn()

    def _tell_undrawn(self) -> None:
        """A deal whose secret is not known was taken as it is recorded: from an arbiter's bundle of a running match."""
        hand = self._undrawn
        if hand and (hand in self._record.ends or self._record.over):
            self._find.unmade(f"Not made for hand {hand}: its secret is not known.", "deals")
        elif hand:
            self._find.add(f"Hand {hand} is under way: its deal can be checked when its secret is published.", "deals")

    def _check_end(self) -> None:
        """What the service owes, it does in the same command: a record never ends before that."""
        try:
            due = None if self._cut else rules.duty(self._state)
        except MALFORMED:
            return
        if due is not None:
            self._find.fail("complete", _CUT, self.done)

    # --- one command ---

    def _step(self) -> None:
        first = self._events[self.done]
        if first.recorded is None:
            raise _Wrong(Difference("moves", first.version, "The event cannot be read, so it cannot be judged."))
        try:
            expected, actor, differences = self._led_to(first.recorded)
        except MALFORMED as error:
            text = f"The rules do not allow this: {_reason(error)}."
            raise _Wrong(Difference("moves", first.version, text)) from error
        self._accept(expected, actor, differences)

    def _led_to(self, first: Recorded[Any]) -> tuple[list[Any], Actor, list[Difference]]:
        """What the rules make of the command that comes next, who acted, and how the record differs."""
        duty = rules.duty(self._state)
        if isinstance(duty, commands.MustDraw):
            return self._drawn(duty, first)
        ahead = self._ahead()
        told = telling(ahead)
        if duty is None and is_move(told):
            return self._moved(first, told.body)
        if duty is None and isinstance(first.body, facts.TimeUsed) and first is self._events[-1].recorded:
            return self._cut_after(first.body, first.at)
        command = asked(self._state, ahead) if duty is None else fulfilled(duty, ahead[0].body)
        events = rules.decide(self._state, command, first.at)
        return events, SYSTEM if duty else actor_of(ahead, command), self._differences(events)

    def _cut_after(self, time: facts.TimeUsed, at: int) -> tuple[list[Any], Actor, list[Difference]]:
        """The record ends with the time that a move took, and without the move: that much of it can be judged."""
        self._find.fail("complete", _CUT, len(self._events))
        self._cut = True
        events = clock.stopped(self._state, time.seat, at)
        return events, time.seat, self._differences(events)

    def _ahead(self) -> list[Recorded[Any]]:
        """The events that come next, as far as it takes to tell the command."""
        event = self._events[self.done]
        first = event.opened or event.recorded
        if first is not None and is_move(first):
            return [first]
        found = (event.opened or event.recorded for event in self._events[self.done : self.done + _WINDOW])
        return [event for event in found if event is not None]

    def _moved(self, first: Recorded[Any], event: Any) -> tuple[list[Any], Actor, list[Difference]]:
        """A move of a seat: the one that leads to what is recorded, ``event`` among it, or all but leads there."""
        game, near, why = GAMES[self._state.game], None, "no legal move of this seat leads to what is recorded"
        for move in self._candidates(game, first, event):
            try:
                events = rules.decide(self._state, commands.Act(first.seat, move), first.at)  # type: ignore[arg-type]
            except MALFORMED as error:
                why = _reason(error) if move.__struct_fields__ else why
                continue
            differences = self._differences(events)
            if not differences:
                if type(move) is not self._tries(game, type(event))[0]:
                    self._likely[type(event)] = sorted(game.moves, key=lambda kind: kind is not type(move))
                return events, first.seat, []
            if near is None and all(difference.code != "moves" for difference in differences):
                near = events, first.seat, differences
        if near is None:
            raise LookupError(why)
        return near

    def _candidates(self, game: AnyGame, first: Recorded[Any], event: Any) -> Iterator[Any]:
        yield from guesses(self._tries(game, type(event)), event)
        if self._trusted:  # whoever holds what was never dealt might have any number of moves
            yield from game.legal(self._state.play, first.seat)  # type: ignore[arg-type]

    def _tries(self, game: AnyGame, event: type) -> Sequence[type[GameMove]]:
        return self._likely.get(event, game.moves)

    def _drawn(self, duty: commands.MustDraw, first: Recorded[Any]) -> tuple[list[Any], Actor, list[Difference]]:
        """A draw, made again from the secret of its hand. Without that, what was drawn is taken as it is recorded."""
        state, key = self._state, self._record.keys.get(duty.hand)
        lists = duty.lists if key is None else fairness.draw(key, duty.hand, duty.number, duty.lists)
        events = rules.decide(state, commands.Draw(Drawn(lists, first.at - state.started_at)), first.at)
        if key is None and any(type(event) in GAMES[state.game].draws for event in events):
            self._undrawn = self._undrawn or duty.hand
            return self._as_recorded(events, first.cmd), SYSTEM, []
        differences = self._differences(events)
        return events, SYSTEM, [difference._replace(code=_of_draw(difference)) for difference in differences]

    def _as_recorded(self, likely: Sequence[Any], cmd: str) -> list[Any]:
        """What is recorded of a draw that leads to something like ``likely``: other cards may end a hand at once."""
        game, bodies = GAMES[self._state.game], list[Any]()
        draws = sum(type(event) in game.draws for event in likely)
        for event in self._events[self.done :]:
            recorded = event.opened
            if recorded is None:
                raise _Sealed
            draws -= type(recorded.body) in game.draws
            if draws < 0 or recorded.cmd != cmd or type(recorded.body) in facts.OWN:
                break
            bodies.append(recorded.body)
        if not bodies or any(type(body) is not type(event) for body, event in zip(bodies, likely, strict=False)):
            raise _Sealed
        return bodies

    # --- what is recorded beside what the rules lead to ---

    def _differences(self, expected: Sequence[Any]) -> list[Difference]:
        found: list[Difference] = []
        for body, event in zip(expected, self._events[self.done : self.done + len(expected)], strict=False):
            difference = self._difference(body, event)
            if difference is not None:
                found.append(difference)
        return found

    def _difference(self, body: Any, event: Event) -> Difference | None:
        if event.recorded is None:
            return Difference("moves", event.version, "The event cannot be read, so it cannot be judged.")
        made, recorded = body, event.recorded.body
        if type(made) is not type(recorded):
            text = f"The rules lead to {type(made).__name__} here, not to {type(recorded).__name__}."
            return Difference("moves", event.version, text)
        if hides(made.__class__):
            made, recorded = self._comparable(made, event)
        if made == recorded:
            return None
        name = type(body).__name__
        if hides(made.__class__) and _for_nobody(made) == _for_nobody(recorded):
            return Difference(
                "audiences", event.version, f"{name} shows a hidden value to other seats than the rules do."
            )
        if name in _SCORING:
            return Difference("scores", event.version, f"The rules lead to other scores than those of {name}.")
        return Difference("moves", event.version, f"The rules lead to another {name} than the one recorded.")

    def _comparable(self, made: Any, event: Event) -> tuple[Any, Any]:
        """Both opened where all openings have proved right; both sealed where the secret is known, which takes none."""
        key, opened = self._record.keys.get(event.hand), event.opened
        if opened is not None and event.sealed and not self._find.failed("openings"):
            return bare(made), bare(opened.body)
        if key is not None and event.recorded is not None:
            sealed, _ = seal(made, lambda path: fairness.field_salt(key, event.hand, event.version, path))
            if opened is None or sealed == event.recorded.body or not self._find.failed("openings"):
                return sealed, event.recorded.body
        if opened is None:
            raise _Sealed
        return bare(made), bare(opened.body)

    def _accept(self, expected: Sequence[Any], actor: Actor, differences: Sequence[Difference]) -> None:
        found = self._events[self.done : self.done + len(expected)]
        recorded = [event.recorded for event in found if event.recorded is not None]
        wrong = next((difference for difference in differences if difference.code == "moves"), None)
        if wrong is not None:
            raise _Wrong(wrong)
        if not recorded:
            raise _Wrong(Difference("moves", self.done + 1, "The rules lead to nothing here."))
        cmd, at = recorded[0].cmd, recorded[0].at
        if any(event.cmd != cmd or event.at != at or event.seat != actor for event in recorded):
            text = "The events of one command differ in time, in their command or in who acted."
            self._find.fail("moves", text, found[0].version)
        misdealt = False
        for difference in differences:
            self._find.fail(difference.code, difference.text, difference.version)
            misdealt = misdealt or difference.code == "deals"
        if len(recorded) < len(expected):
            self._find.fail("complete", _CUT, len(self._events))
            self._cut = True
        folded = self._opened(found) if misdealt else map(_with, recorded, expected)
        try:
            self._state = reduce(evolve, folded, self._state)
        except MALFORMED as error:
            text = f"What is recorded cannot be folded: {_reason(error)}."
            raise _Wrong(Difference("moves", found[0].version, text)) from error
        if misdealt:
            self._trusted = False
        elif isinstance(expected[-1], facts.HandEnded):
            self._trusted = True
        self.done += len(recorded)

    @staticmethod
    def _opened(found: Iterable[Event]) -> list[Recorded[Any]]:
        events = [event.opened for event in found]
        whole = [event for event in events if event is not None]
        if len(whole) < len(events):
            raise _Sealed
        return whole

    # --- what cannot be judged ---

    def _stop_at_seal(self) -> None:
        event = self._events[self.done]
        if event.hand in self._record.ends or self._record.over:
            text = f"Not made from event {event.version} on: hand {event.hand} is sealed and should be open."
            self._find.unmade(text, *_REPLAYED)
        else:
            text = f"Hand {event.hand} is under way: from event {event.version} on this can be said when it is open."
            self._find.add(text, *_REPLAYED)

    def _pass_over(self) -> bool:
        """Follows the record as it is: before the start one event, then to the end of the hand. False if it cannot."""
        state, begun = self._state, self.done
        if not state.version:
            return False
        playing, done = state.status == "playing", begun
        try:
            for recorded in self._to_the_end() if playing else self._opened(self._events[done : done + 1]):
                state = evolve(state, recorded)
                done += 1
        except (_Sealed, *MALFORMED):
            return False
        self._state, self.done, self._trusted = state, done, True
        if playing:
            text = f"Not made for events {begun + 1} to {done}: what was recorded before them is not by the rules."
            self._find.unmade(text, *_REPLAYED)
            self._cut = done == len(self._events)
        return True

    def _to_the_end(self) -> Iterator[Recorded[Any]]:
        """The events up to the one that ends the hand, or all that are left."""
        for event in self._events[self.done :]:
            yield from self._opened([event])
            if event.recorded is not None and isinstance(event.recorded.body, facts.HandEnded):
                return


def check_sums(record: Record) -> None:
    """The totals of every hand are those before it and its points, whatever the replay could make of it."""
    before: tuple[int, ...] | None = (0,) * max(0, min(record.bundle.seats, 64))
    for event in record.events:
        body = event.recorded and event.recorded.body
        if type(body).__name__ in _RULINGS:
            before = None
        elif isinstance(body, facts.HandEnded):
            if not len(body.points) == len(body.totals) == record.bundle.seats:
                record.findings.fail("scores", "The hand is not scored for every seat.", event.version)
            elif before is not None and body.totals != tuple(map(sum, zip(before, body.points, strict=True))):
                text = "The totals are not those before the hand and its points."
                record.findings.fail("scores", text, event.version)
            before = body.totals if len(body.totals) == record.bundle.seats else None


def _of_draw(difference: Difference) -> Code:
    return "deals" if difference.code == "moves" else difference.code


def _with(recorded: Recorded[Any], body: Any) -> Recorded[Any]:
    """The recorded event with the body that the rules lead to, which says more where it was sealed."""
    return replace(recorded, body=body) if hides(body.__class__) else recorded


def _for_nobody(event: Any) -> Any:
    return with_hidden(event, lambda _, hidden: replace(hidden, to=()))


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, Refused | LookupError) else f"{type(error).__name__}: {error}"
