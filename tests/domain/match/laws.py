"""What holds in every match at every moment, whatever people, the clock and the service do."""

from domain import fairness
from domain.event import START, chained
from domain.game import Seat
from domain.games import GAMES
from domain.hidden import b64u, canonical, unb64u
from domain.match import EVENTS, rules
from domain.match.state import (
    ClockExpired,
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatTaken,
    SeedCommitted,
    SeedRevealed,
    State,
    TimeUsed,
    evolve,
)
from tests.domain.match.drive import Drive, secret_of


class Laws:
    """The laws of one match in the making. ``check`` looks at what has been added since it looked last."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.checked = 0
        self.folded = State()
        self.made: dict[Seat, str] = {}
        self.shown: set[Seat] = set()
        self.spent: set[str] = set()
        self.timed = 0
        self.before = State()
        self.banks: dict[Seat, int] = {}

    def check(self) -> None:
        self.the_record_is_whole_and_folds_to_the_state()
        self.somebody_is_waited_for_or_it_is_over()
        self.the_salt_is_fixed_before_any_seed_is_known()
        self.a_seat_that_resigned_never_wins()
        self.every_hand_is_opened_by_its_end_and_not_before()
        self.times_are_those_of_the_turns_and_follow_one_from_another()

    def somebody_is_waited_for_or_it_is_over(self) -> None:
        state = self.drive.state
        assert rules.duty(state) is None
        match state.status:
            case "open" | "revealing":
                assert rules.deadline(state) is not None
            case "playing":
                due = rules.to_act(state)
                assert due
                assert not any(sitting.resigned for seat, sitting in enumerate(state.seats) if sitting and seat in due)
                assert all(self.drive.legal(seat) for seat in due)
            case _:
                assert rules.to_act(state) == frozenset()
                assert rules.deadline(state) is None

    def the_record_is_whole_and_folds_to_the_state(self) -> None:
        log = self.drive.log
        while self.checked < len(log):
            logged = log[self.checked]
            assert logged.event.version == self.checked + 1
            before = chained(log[self.checked - 1].data) if self.checked else START
            assert logged.event.prev == b64u(before)
            assert canonical(EVENTS.decode(logged.code, logged.event.schema, logged.data)) == logged.data
            stored = EVENTS.decode(logged.code, logged.event.schema, logged.data, logged.openings)
            self.seeds_are_revealed_once_and_after_all_commitments(stored.body)
            self.folded = evolve(self.folded, stored)
            if isinstance(stored.body, SeatPutOut):
                assert not any(sitting.commitment or sitting.seed for sitting in self.folded.seats if sitting)
            self.checked += 1
        assert self.folded == self.drive.state

    def seeds_are_revealed_once_and_after_all_commitments(self, event: object) -> None:
        seats = set(range(len(self.folded.seats)))
        match event:
            case SeatTaken(seat=seat, commitment=text) | SeedCommitted(seat=seat, commitment=text):
                assert not self.shown
                assert text not in self.spent | set(self.made.values())
                assert seat not in self.made
                self.made[seat] = text
            case SeatLeft(seat):
                assert not self.shown
                self.made.pop(seat, None)
            case SeatPutOut():
                self.spent |= set(self.made.values())
                self.made, self.shown = {}, set()
            case SeedRevealed(seat, seed):
                assert set(self.made) == seats
                assert seat not in self.shown
                assert b64u(fairness.commitment(unb64u(seed))) == self.made[seat]
                self.shown.add(seat)
            case MatchStarted():
                assert self.shown == set(self.made) == seats
            case _:
                pass

    def the_salt_is_fixed_before_any_seed_is_known(self) -> None:
        state = self.drive.state
        if state.status in ("playing", "finished"):
            last = max(sitting.committed for sitting in state.seats if sitting)
            assert state.salt == b64u(chained(self.drive.log[last - 1].data))

    def a_seat_that_resigned_never_wins(self) -> None:
        state = self.drive.state
        bodies = (logged.event.body for logged in self.drive.log)
        resigned = {body.seat for body in bodies if isinstance(body, SeatResigned)}
        assert resigned == {seat for seat, sitting in enumerate(state.seats) if sitting and sitting.resigned}
        assert not resigned & set(state.winners)
        assert (state.status == "finished") == bool(state.winners)

    def every_hand_is_opened_by_its_end_and_not_before(self) -> None:
        drive, state = self.drive, self.drive.state
        bodies = [logged.event.body for logged in drive.log]
        closed = max((place for place, body in enumerate(bodies, 1) if isinstance(body, HandEnded)), default=0)
        drawn = sum(type(body) in GAMES[state.game].draws for body in bodies[closed:])
        ends = (body for body in bodies if isinstance(body, HandEnded | MatchEnded | MatchAbandoned))
        opened = [(end.hand, end.secret) for end in ends if end.hand or end.secret]
        assert opened == [
            (hand, b64u(secret_of(drive.match, drive.secret, hand))) for hand in range(1, state.opened + 1)
        ]
        assert state.draws == drawn
        assert all((logged.hand > 0) == bool(logged.openings) for logged in drive.log)

    def times_are_those_of_the_turns_and_follow_one_from_another(self) -> None:
        drive, ticking = self.drive, self.drive.state.clock
        if ticking is None or ticking.bank_seconds is None:
            assert not any(isinstance(logged.event.body, TimeUsed) for logged in drive.log)
            return
        turn, whole = ticking.turn_seconds * 1000, ticking.bank_seconds * 1000
        state = self.before
        for logged in drive.log[self.timed :]:
            body, at = logged.event.body, logged.event.at
            if isinstance(body, TimeUsed | ClockExpired):
                begun = state.turns[body.seat]
                assert begun is not None
                assert body.used is not None
                assert body.before is not None
                assert body.used == at - begun
                assert body.before == self.banks.get(body.seat, whole)
                assert body.after == max(0, body.before - max(0, body.used - turn))
                assert (body.used >= turn + body.before) == isinstance(body, ClockExpired)
                self.banks[body.seat] = body.after
            state = evolve(state, logged.event)
        self.timed, self.before = len(drive.log), state
        assert drive.state.banks == tuple(self.banks.get(seat, whole) for seat in range(len(drive.state.seats)))
        due = rules.to_act(drive.state)
        assert {seat for seat, since in enumerate(drive.state.turns) if since is not None} == due
