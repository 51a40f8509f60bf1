"""Who's the Ass?: what a viewer may not see makes no difference to that viewer, in any state."""

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.cards import Card
from domain.game import DEALER, Viewer
from domain.hidden import seal
from domain.whos_the_ass import GAME
from domain.whos_the_ass.state import ASS, CardsDealt, HandScored, State, in_order
from tests.domain.play import seen, start, steps


def otherwise(state: State, viewer: Viewer, chance: random.Random) -> State:
    """``state`` with all cards dealt anew that ``viewer`` cannot see; who holds the ass is no secret."""
    hidden = [seat for seat in range(len(state.hands)) if seat != viewer]
    pool = [card for seat in hidden for card in state.hands[seat] if card != ASS] + list(state.undealt)
    chance.shuffle(pool)
    hands = list(state.hands)
    for seat in hidden:
        held: list[Card] = [ASS] if ASS in hands[seat] else []
        while len(held) < len(state.hands[seat]):
            held.append(pool.pop())
        hands[seat] = in_order(held)
    return replace(state, hands=tuple(hands), undealt=in_order(pool))


def until_scored(events: list[Any]) -> list[Any]:
    """At the end of a game everybody adds up cards in the open (8.1), so the score may differ."""
    return [event for event in events if not isinstance(event, HandScored) and not hasattr(event, "winners")]


@pytest.mark.parametrize("seats", range(3, 13))
def test_a_viewer_cannot_tell_two_deals_apart(seats: int):
    chance = random.Random(seats)
    pairs = events_compared = 0
    for step in steps(GAME, start(GAME, seats, seats), seats):
        state = step.after
        if state.turn is None:
            continue
        viewers: tuple[Viewer, ...] = (chance.randrange(seats), state.turn, "public")
        for viewer in viewers:
            twin = otherwise(state, viewer, chance)
            pairs += twin != state
            assert GAME.view(twin, viewer) == GAME.view(state, viewer)
            assert msgspec.json.encode(GAME.view(twin, viewer)) == msgspec.json.encode(GAME.view(state, viewer))
            assert GAME.to_act(twin) == GAME.to_act(state)
            if isinstance(viewer, int):
                assert GAME.legal(twin, viewer) == GAME.legal(state, viewer)
                assert GAME.attempts(twin, viewer) == GAME.attempts(state, viewer)
            move = chance.choice(GAME.legal(state, state.turn))
            if move in GAME.legal(twin, state.turn):
                here, there = (until_scored(GAME.decide(table, state.turn, move)) for table in (state, twin))
                assert here == there
                events_compared += len(here)
    print(f"{seats} players: {pairs} pairs of states, {events_compared} events compared")
    assert pairs > 50
    assert events_compared > 50


@pytest.mark.parametrize("seats", range(3, 13))
def test_a_deal_tells_a_viewer_nothing_but_its_own_hand_and_the_holder_of_the_ass(seats: int):
    chance = random.Random(seats)
    before = start(GAME, seats, seats)
    state = next(steps(GAME, before, seats)).after
    for viewer in (*range(seats), "public"):
        one, other = (deal_of(table) for table in (state, otherwise(state, viewer, chance)))
        assert one != other
        assert seen(one, viewer) == seen(other, viewer)
        openings = seal(one, lambda _: bytes(16))[1]
        assert [opening.to for opening in openings] == [*((seat,) for seat in range(seats)), ()]


def deal_of(state: State) -> CardsDealt:
    """The event that deals what ``state`` holds."""
    event = next(event for event in _dealt(len(state.hands)) if isinstance(event, CardsDealt))
    hands = tuple(replace(hidden, value=hand) for hidden, hand in zip(event.hands, state.hands, strict=True))
    return replace(event, starter=state.starter, hands=hands, undealt=replace(event.undealt, value=state.undealt))


def _dealt(seats: int) -> list[Any]:
    step = next(steps(GAME, start(GAME, seats, seats), seats))
    assert step.seat == DEALER
    return step.events


def test_no_view_of_a_seat_or_the_public_names_a_card_it_may_not_know():
    for seats in (3, 7, 12):
        for step in steps(GAME, start(GAME, seats, seats), seats):
            state = step.after
            for viewer in (0, seats - 1, "public"):
                shown = GAME.view(state, viewer)
                own = state.hands[viewer] if isinstance(viewer, int) else None
                assert (shown.hand, shown.hands) == (own, None)
                cards = [card for turn in shown.turns for card in turn.cards]
                assert cards == [card for turn in state.table for card in turn.cards]


def test_everybody_sees_all_hands_but_never_what_was_left_out():
    state = next(steps(GAME, start(GAME, 3, 3), 3)).after
    shown = GAME.view(state, "all")
    assert shown.hands == state.hands
    names = [field.name for field in msgspec.structs.fields(type(shown))]
    assert not {"undealt", "pile"} & set(names)
