"""Osel, one against the rest, by the thousand: what holds in every hand of random and of bold players."""

import random
from collections import Counter
from functools import cache
from itertools import combinations, permutations
from typing import Any

import pytest

from domain.cards import Card
from domain.game import DEALER, AnyGame, Refused, Seat
from domain.osel import PACK, SEVENS, card_points
from domain.osel_solo import GAMES
from domain.osel_solo.rules import ChooseVariant, Exchange, Give, LayAway, Pass, Play, Return, Solo
from domain.osel_solo.score import highest, results
from domain.osel_solo.state import CardPlayed, CardsDealt, HandScored, MatchWon, Options, PotTaken, State, others
from tests.domain.osel_solo.table import card_count
from tests.domain.play import Policy, Step, at_random, steps

every_form = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)


def bold(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """Always alone, and then at random."""
    return Solo() if state.stage == "auction" else at_random(chance, game, state, seat)


def careful(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """Never alone, and what the house would play."""
    return game.fallback(state, seat)


POLICIES: tuple[Policy, ...] = (at_random, bold, careful)

SIZES = {(3, 1): 12, (3, 2): 11, (3, None): 12, (4, 1): 9, (4, 2): 8, (4, None): 9}
"""By seats and variant, null if everybody passed, the cards that each player plays (4.6, 4.8)."""


class Watch:
    """Looks at matches step by step and counts."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.seats: int = game.seats[0]
        self.counts: Counter[str] = Counter()
        self.held: set[Seat] = set()

    def look(self, step: Step) -> None:
        state = step.before
        self.counts["moves"] += step.seat != DEALER
        for event in step.events:
            before, state = state, self.game.evolve(state, event)
            self.event(event, before, state)
            assert card_count(state) == 36
            for seat, hand in enumerate(state.hands):
                if SEVENS.issubset(hand):
                    self.held.add(seat)
        if state.stage == "play" and state.due and not state.pot:
            self.at_lead(state)

    def at_lead(self, state: State) -> None:
        each = SIZES[self.seats, state.variant]
        assert {len(hand) for hand in state.hands} == {each - state.pots}
        assert self.game.legal(state, state.leader) == [Play(card) for card in state.hands[state.leader]]
        assert len(state.laid_away) == (self.seats if state.variant == 2 else 0)

    def event(self, event: Any, before: State, state: State) -> None:
        match event:
            case CardsDealt():
                self.held.clear()
                self.counts["deals"] += 1
                self.counts["void deals"] += event.void
            case CardPlayed():
                assert self.game.legal(before, event.seat)
            case PotTaken():
                assert len(event.cards) == self.seats
                self.counts["pots"] += 1
            case HandScored():
                self.scored(event, before, state)
            case _:
                pass

    def scored(self, event: HandScored, before: State, state: State) -> None:
        self.counts["hands"] += 1
        self.counts["alone" if event.soloist is not None else "all passed"] += 1
        assert sum(event.card_points) == 120
        assert state.pots == SIZES[self.seats, state.variant]
        captured = list(state.piles)
        if event.soloist is not None:
            captured[event.soloist] += state.laid_away
        assert sorted(card for pile in captured for card in pile) == sorted(PACK)
        assert event.card_points == tuple(map(card_points, captured))
        assert len(self.held) <= 1
        held = next(iter(self.held), None) if state.options.four_sevens == "on" else None
        expected = results(captured, event.soloist, before.eggs, held)
        assert event.points == tuple(result.jars for result in expected)
        assert event.totals == tuple(map(sum, zip(before.totals, event.points, strict=True)))
        assert 0 in [result.row for result in expected]
        self.counts["four sevens"] += event.sevens is not None
        self.counts["eggs"] += bool(event.eggs)
        self.counts["eggs paid"] += bool(event.paid)
        if event.soloist is not None:
            self.counts["alone and lost"] += expected[event.soloist].row > 0


@every_form
def test_in_hundreds_of_matches(game: AnyGame, capsys: pytest.CaptureFixture[str]):
    watch = Watch(game)
    for number in range(180):
        options = Options(
            variant=(1, 2, 3)[number // 3 % 3],
            must_beat=("off", "on")[number // 9 % 2],
            four_sevens=("on", "off")[number // 18 % 2],
            redeal=("one_has_top4", "never")[number // 36 % 2],
        )
        last = None
        for step in steps(game, game.initial(options, watch.seats), number, POLICIES[number % 3]):
            watch.look(step)
            last = step
        assert last is not None
        won = last.events[-1]
        assert isinstance(won, MatchWon)
        assert max(won.totals) >= 10
        assert set(won.winners) == {seat for seat in range(watch.seats) if won.totals[seat] == min(won.totals)}
        assert game.outcome(last.after).ranking[0] == won.winners  # type: ignore[union-attr]
    with capsys.disabled():
        print(f"\n{game.id}: {dict(watch.counts)}")
    assert watch.counts["hands"] > 900
    for rare in ("eggs", "eggs paid", "four sevens", "alone", "all passed", "alone and lost"):
        assert watch.counts[rare] > 0, rare


@every_form
def test_by_the_letter_a_hand_takes_many_deals(game: AnyGame):
    deals = hands = 0
    for step in steps(game, game.initial(Options(redeal="unless_one_has_top4"), game.seats[0]), 3):
        for event in step.events:
            deals += isinstance(event, CardsDealt)
            hands += isinstance(event, HandScored)
    print(f"{game.id}: {deals} deals for {hands} hands")
    assert hands > 1
    assert deals > 10 * hands


# --- legal is exactly what decide accepts, by brute force ---


@cache
def every_move(hand: tuple[Card, ...], seats: int) -> list[Any]:
    """Every move there is with cards of ``hand`` and one that is not there, however many: right and wrong ones."""
    other = next(card for card in PACK if card not in hand)
    some = (*hand, other)
    plain = [Solo(), Pass(), ChooseVariant(1), ChooseVariant(2)]
    single = [kind(card) for card in PACK for kind in (Play, Return)]
    ordered = [cards for size in (0, 1, seats - 2, seats - 1) for cards in permutations(some, size)]
    sets = [cards for size in (0, 1, seats - 1, seats, seats + 1) for cards in combinations(some, size)]
    handed = [kind(cards) for cards in dict.fromkeys(ordered) for kind in (Give, Exchange)]
    doubled = [kind((hand[0],) * size) for size in (seats - 1, seats) for kind in (Give, Exchange, LayAway)]
    return [*plain, *single, *handed, *(LayAway(cards) for cards in sets), *doubled]


def outcome_of(game: AnyGame, state: State, seat: Seat, move: Any) -> tuple[Any, ...] | None:
    try:
        return tuple(game.decide(state, seat, move))
    except Refused:
        return None


@every_form
def test_legal_moves_are_all_that_decide_accepts(game: AnyGame):
    seats = game.seats[0]
    tried, stages = 0, Counter[str]()
    for number in range(8):
        options = Options(variant=3, must_beat=("off", "on")[number % 2])
        for step in steps(game, game.initial(options, seats), number, (bold, at_random)[number // 2 % 2]):
            state, seat = step.before, step.seat
            if seat == DEALER or stages[state.stage] >= 3 or not state.hands[seat]:
                continue
            stages[state.stage] += 1
            moves = every_move(state.hands[seat], seats)
            accepted = {repr(outcome_of(game, state, seat, move)) for move in moves} - {"None"}
            legal = [repr(outcome_of(game, state, seat, move)) for move in game.legal(state, seat)]
            assert "None" not in legal
            assert len(set(legal)) == len(legal)
            assert accepted == set(legal)
            tried += len(moves)
    print(f"{game.id}: {tried} moves tried in {dict(stages)}")
    assert stages.keys() >= {"auction", "variant", "gifts", "laying_away", "play"}
    assert tried > 5_000


@every_form
def test_attempts_explain_every_card_that_cannot_be_played(game: AnyGame):
    explained = 0
    for number in range(4):
        for step in steps(game, game.initial(Options(variant=3), game.seats[0]), number):
            if step.seat == DEALER:
                continue
            state, seat = step.before, step.seat
            attempts = game.attempts(state, seat)
            legal = game.legal(state, seat)
            if state.stage not in ("auction", "variant"):
                named = {card for move in attempts for card in getattr(move, "cards", (getattr(move, "card", None),))}
                assert named == set(state.hands[seat])
            for move in attempts:
                refused = outcome_of(game, state, seat, move) is None
                assert refused == (move not in legal)
                explained += refused
    print(f"{game.id}: {explained} cards explained")
    assert explained > 100


def test_a_tie_is_asked_for_about_as_often_as_a_hand_without_trumps_is_dealt():
    """With eight cards of 36, at least one of four players has no trumps in 0.58 % of deals."""
    chance = random.Random(1)
    without = ties = 0
    for _ in range(20_000):
        pack = chance.sample(PACK, 32)
        hands = [tuple(pack[seat::4]) for seat in range(4)]
        lacking = [hand for hand in hands if not any(card[-1] in "SD" for card in hand)]
        without += bool(lacking)
        ties += any(len(highest(hand)) > 1 for hand in hands)
        assert all(len(highest(hand)) == 1 or hand in lacking for hand in hands)
    print(f"without trumps {without / 20_000:.2%}, ties {ties / 20_000:.2%}")
    assert 0.003 < without / 20_000 < 0.009
    assert others(2, 4) == (3, 0, 1)
