"""Commands in any order, by anybody, at any time: the laws hold after each, and what is refused leaves no trace."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain import fairness
from domain.game import Drawn, GameMove, Refused
from domain.games import GAMES
from domain.hidden import b64u
from domain.match import EVENTS, commands, seating
from domain.match.cases import RulingKind
from tests.domain.match.drive import GAME, HOST, Choose, Drive, seed_of
from tests.domain.match.laws import Laws

PLAYERS = ("ann", "bob", "cid", "dan", HOST)
BOTS = ("bot1", "bot2", "bot3")
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
SEEDS = {
    b64u(fairness.commitment(seed_of(player, round_))): b64u(seed_of(player, round_))
    for player in PLAYERS
    for round_ in range(200)
}
NOT_DUE: tuple[commands.Command, ...] = (
    commands.Start(),
    commands.Draw(Drawn(((),))),
    commands.CloseHand("x"),
    commands.EndMatch(),
    commands.PlayFallback(0),
    commands.Open(GAME, {}, 3, "ann", "x"),
)
PLAY, PASS = GAMES[GAME].moves
MOVES: tuple[GameMove, ...] = (PASS(), PLAY(()), PLAY(("1",)), PLAY(("ASS",)), PLAY(("J", "J")), PLAY(("x",) * 40))

players = st.sampled_from(PLAYERS)
rounds = st.integers(0, 3)
chooser = st.randoms(use_true_random=False).map(lambda chance: chance.choice)


class AnyMatch:
    """What can be tried with a match. ``lost`` counts what was refused."""

    def __init__(self) -> None:
        self.drive = Drive()
        self.laws = Laws(self.drive)
        self.lost = 0

    def tried(self, command: Callable[[], object]) -> None:
        before = (self.drive.state, len(self.drive.log), self.drive.at)
        try:
            command()
        except Refused:
            self.lost += 1
            assert (self.drive.state, len(self.drive.log), self.drive.at) == before

    def reveal_all_but(self, missing: int) -> None:
        for seat, sitting in enumerate(self.drive.state.seats):
            if seat >= missing and sitting and sitting.custody == "own":
                seed = SEEDS[sitting.commitment] if sitting.commitment else ""
                self.tried(partial(self.drive.do, commands.RevealSeed(seat, seed)))

    def dispute(self, player: str, back: int) -> None:
        """``player`` disputes the last events, ``back`` of them."""
        drive = self.drive
        case, last = f"case-{len(drive.log)}", drive.state.version
        self.tried(lambda: drive.do(commands.OpenDispute(player, case, max(1, last - back), last)))

    def rule(self, ruling: RulingKind, hand: int, points: tuple[int, ...], *, by: str = "judge") -> None:
        """Somebody rules on the newest dispute."""
        drive = self.drive
        if drive.state.disputes:
            case = drive.state.disputes[-1]
            told = commands.Rule(by, True, case.dispute, ruling, "because", case.rulings, hand, points, "match 4.3")
            self.tried(lambda: drive.do(told))

    def play(self, choose: Choose, moves: int) -> None:
        for _ in self.drive.play(choose, moves):
            self.laws.check()


class Machine(RuleBasedStateMachine):
    """The same by hypothesis, which finds the shortest way to whatever goes wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.match = AnyMatch()
        self.drive = self.match.drive

    @initialize(
        names=st.sampled_from([(), (), ("ann", "bob", "cid"), ("ann", "bot1", "dan"), ("bot1", "ann", "bot2", "bot3")]),
        games=st.integers(1, 3),
        clock=st.sampled_from([None, 5]),
        bank=st.sampled_from([None, 0, 5]),
    )
    def begins(self, names: tuple[str, ...], games: int, clock: int | None, bank: int | None) -> None:
        if names:
            self.drive.start(*names, games=games, clock=clock, bank=bank)
        else:
            self.drive.open(3, games=games, clock=clock, bank=bank)

    @rule(player=players, seat=st.none() | st.integers(0, 4), round_=rounds)
    def sits(self, player: str, seat: int | None, round_: int) -> None:
        self.match.tried(lambda: self.drive.sit(player, seat, round_=round_))

    @rule(player=players)
    def sits_without_a_seed(self, player: str) -> None:
        self.match.tried(lambda: self.drive.sit_without_seed(player))

    @rule(bot=st.sampled_from(BOTS), by=players)
    def seats_a_bot(self, bot: str, by: str) -> None:
        self.match.tried(lambda: self.drive.bot(bot, by=by))

    @rule(player=players)
    def leaves(self, player: str) -> None:
        self.match.tried(lambda: self.drive.leave(player))

    @rule(seat=st.integers(0, 2), player=players, round_=st.integers(0, 60))
    def commits(self, seat: int, player: str, round_: int) -> None:
        commitment = b64u(fairness.commitment(seed_of(player, round_)))
        self.match.tried(lambda: self.drive.do(commands.CommitSeed(seat, commitment, "own")))

    @rule(seat=st.integers(0, 2), player=players, round_=rounds)
    def reveals(self, seat: int, player: str, round_: int) -> None:
        self.match.tried(lambda: self.drive.do(commands.RevealSeed(seat, b64u(seed_of(player, round_)))))

    @rule(missing=st.integers(0, 2))
    def all_but_some_reveal(self, missing: int) -> None:
        self.match.reveal_all_but(missing)

    @precondition(lambda self: self.drive.state.status == "playing")
    @rule(choose=chooser, moves=st.integers(1, 40))
    def plays(self, choose: Choose, moves: int) -> None:
        self.match.play(choose, moves)

    @rule(seat=st.integers(0, 2), move=st.sampled_from(MOVES))
    def tries_a_move(self, seat: int, move: GameMove) -> None:
        self.match.tried(lambda: self.drive.act(seat, move))

    @rule(player=players)
    def resigns(self, player: str) -> None:
        self.match.tried(lambda: self.drive.resign(player))

    @rule(player=players, back=st.integers(0, 300))
    def disputes(self, player: str, back: int) -> None:
        self.match.dispute(player, back)

    @rule(
        ruling=st.sampled_from(("upheld", "void_hand", "adjust")),
        hand=st.integers(0, 3),
        points=st.sampled_from([(), (), (5, 0, 0), (0, -9000, 1), (1, 2, 3, 4)]),
        by=st.sampled_from(("judge", "ann")),
    )
    def rules_on_it(self, ruling: RulingKind, hand: int, points: tuple[int, ...], by: str) -> None:
        self.match.rule(ruling, hand, points, by=by)

    @rule(after=st.sampled_from([0, 4_999, 5_000, MINUTE, DAY]))
    def clock_looks(self, after: int) -> None:
        self.match.tried(lambda: self.drive.expire(after))

    @rule(command=st.sampled_from(NOT_DUE))
    def does_what_is_not_due(self, command: commands.Command) -> None:
        with pytest.raises(Refused):
            self.drive.do(command)

    @invariant()
    def laws_hold(self) -> None:
        self.match.laws.check()


Machine.TestCase.settings = settings(
    deadline=None, max_examples=60, stateful_step_count=40, suppress_health_check=[HealthCheck.too_slow]
)
TestMachine = Machine.TestCase


def walk(seed: int, seen: Counter[str]) -> None:
    """One match from opening to end, with everything that can go wrong on the way."""
    chance = random.Random(seed)
    match = AnyMatch()
    drive, tried = match.drive, match.tried
    clock, bank = chance.choice(((None, None), (5, None), (5, 5)))
    drive.open(chance.choice((3, 3, 4)), games=chance.choice((1, 2)), clock=clock, bank=bank)
    fresh = iter(range(200))

    def before_the_start() -> None:
        player = chance.choice(PLAYERS)
        match chance.randrange(12):
            case 0 | 1 | 2 | 3:
                tried(lambda: drive.sit(player, chance.choice((None, 0, 3)), round_=next(fresh)))
            case 4:
                tried(lambda: drive.sit_without_seed(player))
            case 5:
                tried(lambda: drive.bot(chance.choice(BOTS), by=chance.choice(PLAYERS)))
            case 6:
                tried(lambda: drive.leave(player))
            case 7 | 8:
                seat = seating.seat_of(drive.state, player)
                if seat is not None:
                    tried(lambda: drive.commit(player, next(fresh)))
            case 9:
                match.reveal_all_but(chance.randrange(3))
            case 10:
                tried(lambda: drive.expire(chance.choice((0, MINUTE, MINUTE, DAY) if chance.random() < 0.5 else (0,))))
            case _:
                tried(lambda: drive.do(chance.choice(NOT_DUE)))

    def around_a_dispute() -> None:
        match.dispute(chance.choice(PLAYERS), chance.choice((0, 20, 300)))
        points = tuple(chance.choice((0, 3, -9000)) for _ in drive.state.seats)
        kind: RulingKind = chance.choice(("upheld", "void_hand", "adjust"))
        match.rule(kind, chance.choice((0, 1, 2)), () if kind != "adjust" else points)

    def in_play() -> None:
        match chance.randrange(30):
            case 0:
                tried(lambda: drive.resign(chance.choice(PLAYERS)))
            case 1 | 2:
                tried(lambda: drive.expire(chance.choice((0, 5_000, 10_000))))
            case 3:
                tried(lambda: drive.act(chance.randrange(3), chance.choice(MOVES)))
            case 4:
                tried(lambda: drive.do(chance.choice(NOT_DUE)))
            case 5:
                tried(lambda: drive.sit(chance.choice(PLAYERS), round_=next(fresh)))
            case 6:
                around_a_dispute()
            case _:
                match.play(chance.choice, 1)

    for _ in range(600):
        match.laws.check()
        if drive.state.status in ("finished", "abandoned"):
            break
        before_the_start() if drive.state.status in ("open", "revealing") else in_play()
    for _ in range(4):
        around_a_dispute()
        match.laws.check()
    seen.update(type(logged.event.body).__name__ for logged in drive.log)
    seen.update({"refused": match.lost, "matches": 1, f"{drive.state.status} in the end": 1})


def test_matches_walked_at_random_keep_the_laws_and_go_everywhere():
    seen: Counter[str] = Counter()
    for seed in range(250):
        walk(seed, seen)
    print(dict(seen.most_common()))
    assert {entry.name for entry in EVENTS.types if entry.code < 200} <= set(seen)
    assert seen["finished in the end"] + seen["abandoned in the end"] > 200
