"""Two-handed Spades by the hundred: what holds in every hand of random, hopeful and absent players."""

import random
from collections import Counter
from itertools import chain, combinations
from typing import Any

import pytest

from domain.cards import suit_of
from domain.game import DEALER, AnyGame, Refused, Seat
from domain.spades_two import GAME
from domain.spades_two.rules import Bid, DoubleNil, Exchange, Keep, Play, Reject
from domain.spades_two.state import PACK, HandScored, MatchWon, Options, ReplacementsDrawn, State, StockShuffled
from tests.domain.play import Policy, Step, absent, at_random, steps

SKIPPED = ("hidden", "drawer", "open")


def hopeful(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """As the house would, but now and then at random."""
    return at_random(chance, game, state, seat) if chance.random() < 0.1 else absent(chance, game, state, seat)


def blind(chance: random.Random, game: AnyGame, state: State, seat: Seat) -> Any:
    """Double nil in most hands, with as large an exchange as can be.

    In all hands would not do: two who always fail at it have equal totals for ever.
    """
    moves = game.legal(state, seat)
    if state.stage == "exchange":
        return moves[-1]
    return moves[chance.random() < 0.2] if state.stage == "double_nil" else chance.choice(moves)


POLICIES: tuple[Policy, ...] = (at_random, hopeful, absent, blind)


class Watch:
    """Looks at one match after another, step by step, and counts."""

    def __init__(self) -> None:
        self.hands = self.moves = self.ties = 0
        self.seen: Counter[str] = Counter()

    def look(self, step: Step) -> None:
        self.moves += step.seat != DEALER
        state = step.before
        for event in step.events:
            state = GAME.evolve(state, event)
            self.seen[type(event).__name__] += 1
            self.conserved(state)
        if step.before.stage == "draft" and step.after.stage != "draft":
            assert [len(hand) for hand in step.after.hands] == [13, 13]
            assert (len(step.after.pile), step.after.stock) == (26, ())
        if isinstance(step.events[-1], HandScored | MatchWon):
            self.scored(next(event for event in step.events if isinstance(event, HandScored)), step)

    def conserved(self, state: State) -> None:
        lying = [*state.stock, *state.pile, *state.trick, *chain.from_iterable(trick.cards for trick in state.tricks)]
        held = [*chain.from_iterable(state.hands), *chain.from_iterable(cards or () for cards in state.thrown)]
        everything = [*lying, *held, *([state.drawn] if state.drawn else [])]
        assert len(everything) == 52
        assert set(everything) == set(PACK)
        assert len(state.pile) == state.discarded

    def scored(self, event: HandScored, step: Step) -> None:
        before, carry = step.before, step.before.options.bag_carry
        self.hands += 1
        self.ties += event.totals[0] == event.totals[1]
        assert sum(event.tricks) == 13
        assert event.totals == tuple(map(sum, zip(before.totals, event.points, strict=True)))
        for seat, (bid, tricks) in enumerate(zip(event.bids, event.tricks, strict=True)):
            self.seen[f"nil {bid} {'made' if tricks == 0 else 'failed'}" if bid in (0, "double_nil") else "bid"] += 1
            self.seen["penalty"] += event.penalties[seat] > 0
            plain = event.points[seat] + event.penalties[seat]
            assert plain in ({100, -100} if bid == 0 else {200, -200} if bid == "double_nil" else {plain})
            if carry == "carry":
                assert event.penalties[seat] == 100 * (event.bags[seat] // 10 - before.bags[seat] // 10)
            else:
                assert event.bags[seat] < 10


def test_in_hundreds_of_hands(capsys: pytest.CaptureFixture[str]):
    watch = Watch()
    for number in range(120):
        options = Options(
            max_hands=3 + number % 4,
            target=100 + number,
            skipped_card=SKIPPED[number % 3],  # type: ignore[arg-type]
            failed_nil_bags=("count", "ignore")[number % 2],
            bag_carry=("carry", "reset")[number // 2 % 2],
        )
        last: Step | None = None
        penalties = [0, 0]
        for step in steps(GAME, GAME.initial(options, 2), number, POLICIES[number % 4]):
            watch.look(step)
            for event in step.events:
                if isinstance(event, HandScored):
                    penalties = [had + more for had, more in zip(penalties, event.penalties, strict=True)]
            last = step
        assert last is not None
        won = last.events[-1]
        assert isinstance(won, MatchWon)
        best, other = won.winners[0], 1 - won.winners[0]
        assert won.totals[best] > won.totals[other]
        assert last.after.hand >= options.max_hands or won.totals[best] >= options.target
        if options.bag_carry == "carry":
            assert penalties == [100 * (bags // 10) for bags in last.after.bags]
    with capsys.disabled():
        print(f"\n120 matches, {watch.hands} hands, {watch.moves} moves, {watch.ties} ties")
        print(dict(sorted(watch.seen.items())))
    assert watch.hands > 250
    assert watch.seen["ReplacementsDrawn"] > 50
    assert watch.seen["penalty"] > 20


@pytest.mark.parametrize("seed", range(2))
def test_players_who_play_as_the_house_does_come_to_an_end_without_a_limit(seed: int):
    *_, last = steps(GAME, GAME.initial(Options(target=100), 2), seed, hopeful)
    assert isinstance(last.events[-1], MatchWon)


def test_legal_moves_are_every_move_that_decide_accepts():
    """By brute force in each stage: every single card of the pack, every set of up to four of a hand and some more."""
    tried: Counter[str] = Counter()
    chance = random.Random(1)
    played = [step for step in steps(GAME, GAME.initial(Options(max_hands=4), 2), 2) if step.seat != DEALER]
    for stage in ("double_nil", "draft", "exchange", "bidding", "play"):
        here = [step for step in played if step.before.stage == stage]
        for step in chance.sample(here, min(len(here), 3 if stage == "exchange" else 8)):
            state, seat = step.before, step.seat
            cards = (*state.hands[seat], *chance.sample(PACK, 3))
            moves: list[Any] = [DoubleNil(declare=True), DoubleNil(declare=False), Keep(), Reject()]
            moves += [Bid(tricks) for tricks in range(-3, 20)] + [Play(card) for card in PACK]
            moves += [Exchange(some) for count in range(5) for some in combinations(dict.fromkeys(cards), count)]
            accepted = [move for move in moves if _events(state, seat, move) is not None]
            legal = GAME.legal(state, seat)
            assert {_events(state, seat, move) for move in accepted} == {_events(state, seat, move) for move in legal}
            assert len(legal) == len({_events(state, seat, move) for move in legal})
            tried[stage] += len(moves)
    print(f"moves tried: {dict(tried)}")
    assert len(tried) == 5
    assert min(tried.values()) > 500


def _events(state: State, seat: Seat, move: Any) -> tuple[Any, ...] | None:
    try:
        return tuple(GAME.decide(state, seat, move))
    except Refused:
        return None


def test_attempts_explain_every_card_that_cannot_be_played():
    clauses: Counter[str] = Counter()
    for seed in range(4):
        for step in steps(GAME, GAME.initial(Options(max_hands=2), 2), seed):
            if step.seat == DEALER:
                continue
            state, seat = step.before, step.seat
            attempts = GAME.attempts(state, seat)
            assert {move.card for move in attempts if isinstance(move, Play)} == set(state.hands[seat])
            for move in attempts:
                if move in GAME.legal(state, seat):
                    continue
                with pytest.raises(Refused) as caught:
                    GAME.decide(state, seat, move)
                clauses[caught.value.clause] += 1
    print(f"refused by clause: {dict(clauses)}")
    assert clauses.keys() == {"3.1", "3.4", "4.1", "5.1", "6.1", "7.1", "7.3", "7.7"}


def test_only_shuffles_and_replacements_use_a_draw():
    draws: Counter[int] = Counter()
    for seed in range(12):
        number = 0
        for step in steps(GAME, GAME.initial(Options(max_hands=2), 2), seed, POLICIES[seed % 4]):
            number += sum(isinstance(event, StockShuffled | ReplacementsDrawn) for event in step.events)
            assert (step.seat == DEALER) == (type(step.events[0]) in GAME.draws)
            if any(isinstance(event, HandScored) for event in step.events):
                draws[number] += 1
                number = 0
    assert draws.keys() == {1, 2, 3}


def test_in_a_trick_a_suit_is_followed_or_absent():
    for seed in range(10):
        for step in steps(GAME, GAME.initial(Options(max_hands=1), 2), seed):
            state = step.before
            if state.stage == "play" and state.trick:
                led = suit_of(state.trick[0])
                follows = suit_of(step.command.card) == led
                assert follows or all(suit_of(card) != led for card in state.hands[step.seat])
