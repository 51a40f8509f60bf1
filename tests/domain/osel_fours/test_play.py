"""Osel, fours, in play: what holds in every state of every match, by random moves and by the house's."""

import random
from collections import Counter
from functools import reduce
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.cards import RANKS, Card, rank_of
from domain.game import DEALER, Drawn, Viewer
from domain.osel_fours import GAME
from domain.osel_fours.rules import Swap
from domain.osel_fours.state import (
    PACK,
    CardChosen,
    CardsSwapped,
    HandScored,
    Options,
    State,
    cards_each,
    fours_in,
    in_order,
    initial,
    most_fours,
)
from tests.domain.play import Policy, Step, absent, at_random, redact, steps

every_number_of_players = pytest.mark.parametrize("seats", range(2, 14))
both_modes = pytest.mark.parametrize("mode", ["seen", "sealed"])


def match_of(seats: int, seed: int, policy: Policy = at_random, **options: Any) -> list[Step]:
    return list(steps(GAME, initial(Options(**options), seats), seed, policy))


def keeping(chance: random.Random, game: Any, state: State, seat: int) -> Swap:
    """A player who keeps what there is most of, and errs now and then, so that no two lock each other."""
    if chance.random() < 0.15:
        return chance.choice(GAME.legal(state, seat))
    return GAME.fallback(state, seat)


@both_modes
@every_number_of_players
def test_hands_keep_their_size_and_a_swap_changes_exactly_two_of_them(seats: int, mode: str):
    made = 0
    for target in range(1, most_fours(seats) + 1):
        played = match_of(seats, seats, target=target, return_mode=mode, max_circuits=5, max_hands=3, wins_needed=2)
        for step in played:
            assert {len(hand) for hand in step.after.hands} == {cards_each(seats)}
            assert sorted((*(card for hand in step.after.hands for card in hand), *step.after.aside)) == sorted(PACK)
            assert all(hand == in_order(hand) for hand in step.after.hands)
            if step.seat == DEALER:
                continue
            pairs = zip(step.before.hands, step.after.hands, strict=True)
            changed = {seat for seat, (old, new) in enumerate(pairs) if old != new}
            swaps = [event for event in step.events if isinstance(event, CardsSwapped)]
            made += len(swaps)
            assert changed == ({swaps[0].seat, swaps[0].partner} if swaps else set())
            assert step.after.aside == step.before.aside
    assert made > 10


@every_number_of_players
def test_a_hand_goes_on_as_long_as_nobody_has_the_target_and_no_longer(seats: int):
    for seed in range(6):
        for step in match_of(seats, seed, keeping, max_circuits=20, max_hands=4, wins_needed=2):
            reached = [seat for seat, hand in enumerate(step.after.hands) if len(fours_in(hand)) >= step.after.target]
            ended = [event for event in step.events if isinstance(event, HandScored)]
            limit = step.after.swaps == 20 * seats
            assert bool(ended) == bool(reached or limit)
            if ended and reached:
                assert ended[0].winner in reached
                assert ended[0].ending == ("deal" if step.seat == DEALER else "swap")
                assert len(ended[0].fours) >= step.after.target


@both_modes
def test_what_others_hold_changes_nothing_that_a_viewer_gets(mode: str):
    """Every card that the viewer cannot see now is exchanged for another: view, moves and events stay the same."""
    chance, compared, events_compared = random.Random(11), 0, 0
    for seed in range(24):
        seats = 2 + seed % 8
        played = match_of(seats, seed, return_mode=mode, max_circuits=5)
        for step in chance.sample(played, min(len(played), 10)):
            if not step.after.playing:
                continue
            viewer: Viewer = chance.choice((*range(seats), "public"))
            state, twin, other = step.after, *exchanged(step.after, viewer, chance)
            assert GAME.view(twin, viewer) == GAME.view(state, viewer)
            compared += twin != state
            for seat in GAME.to_act(state):
                if isinstance(viewer, int):
                    assert GAME.attempts(twin, viewer) == GAME.attempts(state, viewer)
                for move in GAME.legal(state, seat):
                    here, there = GAME.decide(state, seat, move), GAME.decide(twin, seat, Swap(other[move.card]))
                    learns = seat == viewer or viewer in (state.active, state.partner)
                    if isinstance(here[0], CardChosen):
                        learns = seat == viewer
                    if len(here) == len(there) == 1 and not learns:
                        assert redact(here[0], viewer) == redact(there[0], viewer)
                        events_compared += 1
    print(f"{mode}: {compared} pairs of states and {events_compared} pairs of events compared")
    assert compared > 100
    assert events_compared > 500


def exchanged(state: State, viewer: Viewer, chance: random.Random) -> tuple[State, dict[Card, Card]]:
    """``state`` with the cards that ``viewer`` cannot see in other places, and the card that stands for each."""
    view = GAME.view(state, viewer)
    seen = set(view.hand or ()) | {view.card}
    if view.last_swap is not None:
        seen |= {view.last_swap.given, view.last_swap.returned}
    unseen = [card for card in PACK if card not in seen]
    other = dict(zip(PACK, PACK, strict=True)) | dict(zip(unseen, chance.sample(unseen, len(unseen)), strict=True))
    last, choice = state.last_swap, state.choice
    return (
        replace(
            state,
            hands=tuple(in_order(other[card] for card in hand) for hand in state.hands),
            aside=in_order(other[card] for card in state.aside),
            last_swap=last and replace(last, given=other[last.given], returned=other[last.returned]),
            choice=choice and replace(choice, card=other[choice.card]),
        ),
        other,
    )


def test_random_play_ends_with_every_number_of_players():
    for seats in range(2, 14):
        endings: Counter[str] = Counter()
        moves = 0
        for seed in range(8):
            played = match_of(seats, seed, return_mode=("seen", "sealed")[seed % 2], max_circuits=10, max_hands=3)
            moves += sum(step.seat != DEALER for step in played)
            endings.update(ending(step) for step in played if ending(step))
            assert GAME.outcome(played[-1].after) is not None
        print(f"{seats} seats, random: {moves} moves, {dict(endings)}")
        assert sum(endings.values()) >= 8


def test_players_who_keep_what_they_have_most_of_reach_the_target():
    for seats in range(2, 14):
        endings: Counter[str] = Counter()
        circuits = []
        for seed in range(12):
            played = match_of(seats, seed, keeping, max_circuits=200, max_hands=1)
            endings[ending(played[-1])] += 1
            circuits.append(played[-1].after.swaps / seats)
        print(f"{seats} seats, keeping: {dict(endings)}, {max(circuits):.1f} circuits at most")
        assert endings["swap"] + endings["deal"] >= 11


def ending(step: Step) -> str:
    return next((event.ending for event in step.events if isinstance(event, HandScored)), "")


def test_the_house_alone_brings_every_match_to_an_end():
    for seats in range(2, 14):
        for mode in ("seen", "sealed"):
            played = match_of(seats, seats, absent, return_mode=mode, max_hands=2, max_circuits=10)
            assert GAME.outcome(played[-1].after) is not None
            assert len(played) <= 2 * (1 + 2 * 10 * seats)


def test_two_players_are_dealt_targets_as_often_as_reckoned():
    """Target 1 in about 75 of 100 deals, 2 in about 23, 3 in about 2: of 3000 deals."""
    chance, dealt = random.Random(5), Counter[int]()
    for _ in range(3000):
        pile = tuple(chance.sample(PACK, 52))
        most = max(len(fours_in(pile[0::2])), len(fours_in(pile[1::2])))
        dealt.update(range(1, most + 1))
    assert abs(dealt[1] - 2250) < 120
    assert abs(dealt[2] - 690) < 120
    assert abs(dealt[3] - 60) < 45


def test_every_order_of_the_pack_deals_every_card_once():
    chance = random.Random(3)
    for seats in range(2, 14):
        for _ in range(20):
            lists = (tuple(chance.sample([str(seat) for seat in range(seats)], seats)), tuple(chance.sample(PACK, 52)))
            state = reduce(
                GAME.evolve, GAME.decide(initial(Options(), seats), DEALER, Drawn(lists)), initial(Options(), seats)
            )
            assert sorted((*(card for hand in state.hands for card in hand), *state.aside)) == sorted(PACK)
            assert state.dealer == int(lists[0][0])
            assert Counter(map(rank_of, PACK)) == dict.fromkeys(RANKS, 4)


def test_a_move_is_written_with_its_type():
    decoder = msgspec.json.Decoder(Swap)
    assert msgspec.json.encode(Swap(Card("9C"))) == b'{"type":"swap","card":"9C"}'
    assert decoder.decode(b'{"type":"swap","card":"9C"}') == Swap(Card("9C"))
    for wrong in (b'{"type":"give","card":"9C"}', b'{"type":"swap","card":"9C","seat":1}', b'{"type":"swap"}'):
        with pytest.raises(msgspec.ValidationError):
            decoder.decode(wrong)
