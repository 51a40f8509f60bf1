"""Osel, trumps, by the hundred: what holds in every hand of random, eager and absent players."""

import random
from collections import Counter
from functools import reduce
from itertools import permutations
from typing import Any

import pytest

from domain.cards import SUITS, Card
from domain.game import DEALER, AnyGame, Drawn, Refused, Seat
from domain.osel import PACK, STRENGTH, card_points
from domain.osel_trumps import GAME
from domain.osel_trumps.rules import Claim, Decline, Play
from domain.osel_trumps.state import (
    CardsDealt,
    CardsLed,
    CardsPlayed,
    HandScored,
    LotsDrawn,
    MatchWon,
    Options,
    PotTaken,
    State,
)
from tests.domain.osel_trumps.table import scored
from tests.domain.play import Policy, Step, absent, at_random, steps


def eager(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """As many cards as can be, and beating where it can."""
    moves = game.legal(state, seat)
    if not state.pot:
        return moves[-1]
    beating = [move for move in moves if game.decide(state, seat, move)[0].beats]
    return chance.choice(beating or moves)


def claiming(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    moves = game.legal(state, seat)
    return moves[0] if moves[0] == Claim() else chance.choice(moves)


POLICIES: tuple[Policy, ...] = (at_random, eager, absent, claiming)


class Watch:
    """Looks at one match step by step and counts."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def look(self, step: Step) -> None:
        state = step.before
        self.seen["moves"] += step.seat != DEALER
        if step.seat != DEALER and state.chooser is None and not state.pot:
            sizes = {len(state.hands[seat]) for seat in state.active}
            assert len(sizes) == 1
            assert len(state.stock) % len(state.active) == 0
        for event in step.events:
            state = GAME.evolve(state, event)
            self.conserved(state)
            self.count(event, state, step)

    def conserved(self, state: State) -> None:
        held = Counter(state.stock)
        for cards in (*state.hands, *state.piles, *(turn.cards for turn in state.pot)):
            held.update(cards)
        assert held == Counter(PACK)

    def count(self, event: Any, state: State, step: Step) -> None:
        match event:
            case CardsLed(_, cards, claimed):
                self.seen["leads"] += 1
                self.seen[f"leads of {len(cards)}"] += 1
                self.seen["claims"] += claimed
            case CardsPlayed(_, cards, beats):
                assert len(cards) == len(state.pot[0].cards)
                self.seen["beaten"] += beats
            case PotTaken(_, cards):
                assert len(cards) == len(step.before.pot[0].cards) * len(state.active)
            case CardsDealt(hand, dealer):
                assert hand == step.before.scored + 1
                assert dealer in state.active
            case HandScored():
                self.scored(event, state, step)
            case _:
                pass

    def scored(self, event: HandScored, state: State, step: Step) -> None:
        self.seen["hands"] += 1
        self.seen["eggs"] += bool(event.eggs)
        self.seen["sevens"] += event.sevens is not None
        self.seen["out"] += len(event.out)
        sides = step.before.sides
        assert sum(event.card_points[side[0]] for side in sides) == 120
        assert sum(card_points(pile) for pile in state.piles) == 120
        assert min(event.points[side[0]] for side in sides) == 0
        assert event.totals == tuple(map(sum, zip(step.before.totals, event.points, strict=True)))
        assert set(event.out) == {seat for seat in step.before.active if event.totals[seat] >= 10}
        assert all(event.points[seat] == 0 for seat in range(len(state.hands)) if seat not in step.before.active)
        assert state.active


@pytest.mark.parametrize("trump_option", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("seats", "teams"), [(2, "none"), (3, "none"), (4, "none"), (4, "pairs")])
def test_in_many_hands_of_every_kind(seats: int, teams: Any, trump_option: Any, capsys: pytest.CaptureFixture[str]):
    watch = Watch()
    for number in range(8):
        options = Options(
            trump_option=trump_option,
            teams=teams,
            personal_trumps="choose" if number % 2 else "lot",
            must_beat="on" if number % 4 == 3 else "off",
            beat_rank="one_lower" if number % 8 == 5 else "higher",
            equal_rank=("always", "common_trumps", "never")[number % 3],
            match_end="first_out" if number == 6 else "last_standing",
        )
        last = None
        for step in steps(GAME, GAME.initial(options, seats), 100 * trump_option + number, POLICIES[number % 4]):
            watch.look(step)
            last = step
        assert last is not None
        assert isinstance(last.events[-1], MatchWon)
        outcome = GAME.outcome(last.after)
        assert outcome is not None
        assert outcome.ranking[0] == last.events[-1].winners
        assert all(last.after.totals[seat] < 10 for seat in outcome.ranking[0])
    with capsys.disabled():
        print(f"\n{seats} seats, {teams}, option {trump_option}: {dict(sorted(watch.seen.items()))}")
    assert watch.seen["hands"] >= 16
    assert watch.seen["out"] >= 8


def stacked(chance: random.Random, seats: int) -> Drawn:
    """The pack with the first cards in fours: the deal, or what is drawn after it, makes fours of a kind."""
    ladder = chance.sample(tuple(STRENGTH), len(STRENGTH))
    columns = [[Card(rank + suit) for suit in SUITS] for rank in ladder]
    fours = [card for row in zip(*columns[:seats], strict=True) for card in row]
    for _ in range(chance.choice((0, 0, 1, 2))):
        here, there = chance.randrange(len(fours)), chance.randrange(len(fours))
        fours[here], fours[there] = fours[there], fours[here]
    rest = [card for column in columns[seats:] for card in column]
    return Drawn(((*fours, *rest),))


def expected_questions(state: State) -> list[Seat]:
    """Who is to be asked before this lead if everybody declines, said in another way than the rules say it."""
    fours = {seat: hand[0][:-1] for seat, hand in enumerate(state.hands) if len({card[:-1] for card in hand}) == 1}
    whole = {seat: rank for seat, rank in fours.items() if len(state.hands[seat]) == 4}
    return [
        seat
        for rank in ("A", "10", "K", "Q", "J", "9", "8", "7", "6")
        for seat, held in whole.items()
        if held == rank and (state.leader not in whole or STRENGTH[rank] > STRENGTH[whole[state.leader]])
    ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_claims_are_asked_for_from_the_highest_four_of_a_kind_down(seats: int):
    claims = declined = 0
    for seed in range(60):
        chance = random.Random(seed)
        lots = LotsDrawn(seed % seats, (None,) * seats)
        state = GAME.evolve(GAME.initial(Options(trump_option=2), seats), lots)
        state = reduce(GAME.evolve, GAME.decide(state, DEALER, stacked(chance, seats)), state)
        due = expected_questions(state)
        while state.scored == 0:
            seat = state.turn
            assert seat is not None
            if not state.pot:
                assert state.asked == (due[0] if due else None)
                assert seat == (due[0] if due else state.leader)
            move = chance.choice(GAME.legal(state, seat))
            fresh = not isinstance(move, Decline)
            claims, declined = claims + (move == Claim()), declined + (not fresh)
            hand, leader = state.hands[seat], state.leader
            state = reduce(GAME.evolve, GAME.decide(state, seat, move), state)
            if move == Claim():
                assert state.pot[0].cards == hand
                assert state.leader == seat != leader
            due = due[1:] if not fresh else expected_questions(state)
    print(f"{seats} players: {claims} claims, {declined} declined")
    assert claims > 10
    assert declined > 10


@pytest.mark.parametrize("must_beat", ["off", "on"])
def test_legal_moves_are_every_set_of_cards_that_decide_accepts(must_beat: Any):
    """By brute force over every order of every set of the hand, with a card too many and a card not held."""
    tried = 0
    for seats in (2, 3, 4):
        options = Options(must_beat=must_beat)
        played = [step for step in steps(GAME, GAME.initial(options, seats), seats) if step.seat != DEALER]
        for step in random.Random(seats).sample(played, 40):
            hand = step.before.hands[step.seat]
            sets = [cards for size in range(6) for cards in permutations((*hand, PACK[0])[:5], size)]
            moves: list[Any] = [Claim(), Decline(), *map(Play, sets)]
            accepted = {_events(step.before, step.seat, move) for move in moves} - {None}
            legal = [_events(step.before, step.seat, move) for move in GAME.legal(step.before, step.seat)]
            assert len(set(legal)) == len(legal)
            assert accepted == set(legal)
            tried += len(moves)
    print(f"must_beat {must_beat}: {tried} moves tried")
    assert tried > 10_000


def _events(state: State, seat: Seat, move: Any) -> tuple[Any, ...] | None:
    try:
        return tuple(GAME.decide(state, seat, move))
    except Refused:
        return None


def test_attempts_reach_every_card_that_can_be_played_and_explain_the_others():
    explained = 0
    for seed in range(4):
        for step in steps(GAME, GAME.initial(Options(must_beat="on"), 3), seed):
            state, seat = step.before, step.seat
            if seat == DEALER:
                continue
            legal = GAME.legal(state, seat)
            playable = {card for move in legal for card in getattr(move, "cards", ())}
            attempts = GAME.attempts(state, seat)
            assert {card for move in attempts for card in getattr(move, "cards", ())} == set(state.hands[seat])
            accepted = [move for move in attempts if _events(state, seat, move) is not None]
            assert all(move in legal for move in accepted)
            assert {card for move in accepted for card in getattr(move, "cards", ())} == playable
            explained += len(attempts) - len(accepted)
    print(f"{explained} moves that cannot be made explained")
    assert explained > 1000


def test_evolve_copies_the_totals_of_the_event():
    state = reduce(GAME.evolve, [scored((1, 2, 3), eggs=[1], out=[2])], GAME.initial(Options(), 3))
    assert (state.totals, state.eggs, state.left) == ((1, 2, 3), (1,), (0, 0, 1))
