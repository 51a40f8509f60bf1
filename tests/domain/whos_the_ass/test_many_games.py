"""Who's the Ass? by the thousand: what holds in every game of random, greedy and stalling players."""

import random
from collections import Counter
from functools import cache, reduce
from itertools import product
from typing import Any

import pytest

from domain.cards import Card
from domain.game import DEALER, AnyGame, Refused, Seat
from domain.whos_the_ass import GAME
from domain.whos_the_ass.rules import Pass, Play
from domain.whos_the_ass.score import minus_points
from domain.whos_the_ass.state import (
    ASS,
    CARDS_EACH,
    PACK,
    AssCardsTaken,
    AssPlayed,
    CardsDealt,
    HandScored,
    MatchWon,
    Options,
    RoundWon,
    State,
)
from tests.domain.play import Policy, Step, at_random, steps

ALL_CARDS = Counter((*PACK, ASS))
JOKERS = ("choose", "always_one")
DEALERS = ("rotate", "fixed")


def greedy(_: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """As many cards as can be, the ass as soon as can be, the least value."""
    moves = [move for move in game.legal(state, seat) if isinstance(move, Play)]
    ass = next((move for move in moves if move.cards == (ASS,)), None)
    return ass or max(moves, key=lambda move: len(move.cards), default=Pass())


def stalling(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """Pass, lead the ass, and play high in ass rounds."""
    moves = game.legal(state, seat)
    if Pass() in moves:
        return Pass()
    return moves[-1] if state.ass_round or moves[-1] == Play((ASS,)) else moves[0]


def fast(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    return greedy(chance, game, state, seat) if chance.random() < 0.5 else at_random(chance, game, state, seat)


POLICIES: tuple[Policy, ...] = (at_random, greedy, stalling, fast)


class Watch:
    """Looks at one match step by step and counts."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.games = self.moves = self.ass_rounds = self.out_together = self.ended_by_ass = 0
        self.rounds: list[int] = []
        self.pile: Counter[Card] = Counter()
        self.last_was_ass = False

    def look(self, step: Step) -> None:
        self.moves += step.seat != DEALER
        state = step.before
        for event in step.events:
            state = GAME.evolve(state, event)
            self.count(event, state, step)
            self.conserved(state)

    def count(self, event: Any, state: State, step: Step) -> None:
        match event:
            case CardsDealt():
                self.pile.clear()
                self.last_was_ass = False
                assert ASS in state.hands[event.starter]
            case AssPlayed():
                assert not self.last_was_ass
                self.ass_rounds += 1
            case RoundWon():
                laid = [*step.before.table, step.events[0]]
                self.pile.update(card for turn in laid for card in getattr(turn, "cards", ()))
                assert event.discarded >= 1
                self.last_was_ass = False
            case AssCardsTaken(seat, cards):
                assert len(cards) == self.seats
                assert len(state.hands[seat]) - 1 >= self.seats - 1
                self.last_was_ass = True
            case HandScored():
                self.scored(event, state, step)
            case _:
                pass

    def scored(self, event: HandScored, state: State, step: Step) -> None:
        left = [card for hand in state.hands for card in hand]
        assert sum(event.points) == sum(20 if card == ASS else 14 if card == "J" else int(card) for card in left)
        assert event.points == tuple(minus_points(hand) for hand in state.hands)
        assert event.totals == tuple(map(sum, zip(step.before.totals, event.points, strict=True)))
        assert ASS in state.hands[event.ass]
        assert 0 in event.points
        assert state.rounds <= 2 * self.seats * CARDS_EACH[self.seats]
        self.games += 1
        self.rounds.append(state.rounds)
        self.out_together += event.points.count(0) > 1
        self.ended_by_ass += step.before.ass_round

    def conserved(self, state: State) -> None:
        if state.hand == 0:
            return
        on_table = [card for turn in state.table for card in turn.cards]
        assert sum(map(len, state.hands)) + len(on_table) + state.discarded + len(state.undealt) == 110
        if not state.table:
            held = Counter(card for hand in state.hands for card in hand)
            held.update(state.undealt)
            held.update(self.pile)
            assert held == ALL_CARDS


def assert_can_lead(state: State) -> None:
    leads = [move for move in GAME.legal(state, state.starter) if isinstance(move, Play)]
    assert leads
    assert state.hands[state.starter] == (ASS,) or any(move.cards != (ASS,) for move in leads)
    assert state.banned is None or all(move.cards != (ASS,) for move in leads)


@pytest.mark.parametrize("seats", range(3, 13))
def test_in_hundreds_of_games_of_every_size(seats: int, capsys: pytest.CaptureFixture[str]):
    watch = Watch(seats)
    for number in range(100):
        options = Options(games=4, ass_round_joker=JOKERS[number % 2], dealer=DEALERS[number // 2 % 2])  # type: ignore[arg-type]
        last = None
        for step in steps(GAME, GAME.initial(options, seats), 1000 * seats + number, POLICIES[number % 4]):
            watch.look(step)
            if step.before.turn is not None and not step.before.table:
                assert_can_lead(step.before)
            last = step
        assert last is not None
        assert isinstance(last.events[-1], MatchWon)
        assert set(last.events[-1].winners) == set(GAME.outcome(last.after).ranking[0])  # type: ignore[union-attr]
    with capsys.disabled():
        print(
            f"\n{seats:2} players: {watch.games} games, {watch.moves} moves, rounds mean "
            f"{sum(watch.rounds) / watch.games:.1f} max {max(watch.rounds)}, {watch.ass_rounds} ass rounds, "
            f"{watch.ended_by_ass} games ended in one, {watch.out_together} with several out"
        )
    assert watch.games == 400


@pytest.mark.parametrize("seats", [3, 5, 12])
def test_legal_moves_are_every_group_of_the_hand_that_decide_accepts(seats: int):
    """By brute force over all sub-multisets of the hand, of every size."""
    tried = 0
    chance = random.Random(seats)
    options = Options(games=1)
    for seed in range(4):
        played = [step for step in steps(GAME, GAME.initial(options, seats), seed, fast) if step.seat != DEALER]
        for step in chance.sample(played, 8):
            hand = step.before.hands[step.seat]
            groups = _groups(hand)
            if len(groups) > 12_000:
                continue
            moves: list[Any] = [Pass(), *(Play(group, value) for group in groups for value in (None, 1, 14))]
            accepted = {_events(step.before, step.seat, move) for move in moves} - {None}
            legal = [_events(step.before, step.seat, move) for move in GAME.legal(step.before, step.seat)]
            assert len(set(legal)) == len(legal)
            assert accepted == set(legal)
            tried += len(moves)
    print(f"{seats} players: {tried} moves tried")
    assert tried > 10_000


@cache
def _groups(hand: tuple[Card, ...]) -> list[tuple[Card, ...]]:
    counts = Counter(hand)
    return [
        tuple(card for card, number in zip(counts, numbers, strict=True) for _ in range(number))
        for numbers in product(*(range(count + 1) for count in counts.values()))
    ]


def _events(state: State, seat: Seat, move: Any) -> tuple[Any, ...] | None:
    try:
        return tuple(GAME.decide(state, seat, move))
    except Refused:
        return None


def test_attempts_explain_every_card_that_cannot_be_played():
    explained = 0
    for seed in range(6):
        for step in steps(GAME, GAME.initial(Options(games=1), 5), seed):
            if step.seat == DEALER:
                continue
            state, seat = step.before, step.seat
            playable = {card for move in GAME.legal(state, seat) for card in getattr(move, "cards", ())}
            attempts = GAME.attempts(state, seat)
            assert {card for move in attempts for card in getattr(move, "cards", ())} == set(state.hands[seat])
            for move in attempts:
                if _events(state, seat, move) is None:
                    explained += 1
                else:
                    assert move in GAME.legal(state, seat)
            reached = {
                card
                for move in attempts
                if _events(state, seat, move) is not None
                for card in getattr(move, "cards", ())
            }
            assert reached == playable
    assert explained > 100


def test_evolve_copies_the_totals_of_the_event():
    state = reduce(GAME.evolve, [HandScored(1, (1, 2, 3), (10, 20, 30), 0)], GAME.initial(Options(), 3))
    assert state.totals == (10, 20, 30)
