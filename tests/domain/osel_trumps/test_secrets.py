"""Osel, trumps: what a viewer may not see makes no difference to that viewer, in any state."""

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.cards import Card
from domain.game import DEALER, Viewer
from domain.hidden import seal
from domain.osel import in_order
from domain.osel_trumps import GAME
from domain.osel_trumps.state import CardsDealt, HandScored, HandsRefilled, MatchWon, State
from tests.domain.osel_trumps.table import ANNA, BORIS, VERA, cards, dealt, play, table
from tests.domain.play import redact, seen, start, steps


def otherwise(state: State, viewer: Viewer, chance: random.Random) -> State:
    """``state`` with all cards dealt anew that ``viewer`` cannot see. Whoever is asked keeps the four of a kind."""
    hidden = [seat for seat in state.active if seat not in (viewer, state.asked)]
    pool = [card for seat in hidden for card in state.hands[seat]] + list(state.stock)
    chance.shuffle(pool)
    hands = list(state.hands)
    for seat in hidden:
        held: list[Card] = [pool.pop() for _ in hands[seat]]
        hands[seat] = in_order(held)
    return replace(state, hands=tuple(hands), stock=tuple(pool))


def plain(events: list[Any]) -> list[Any]:
    """Without what a refill newly shows, and without the score: then all cards are shown anyway."""
    shown = [event for event in events if not isinstance(event, HandScored | MatchWon)]
    return [type(event) if isinstance(event, HandsRefilled) else event for event in shown]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_viewer_cannot_tell_two_deals_apart(seats: int):
    chance = random.Random(seats)
    pairs = compared = 0
    for seed in range(4):
        for step in steps(GAME, start(GAME, seed, seats), seed):
            state = step.after
            if state.turn is None or state.chooser is not None:
                continue
            for viewer in (chance.choice(state.active), state.turn, "public"):
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
                    here, there = (plain(GAME.decide(either, state.turn, move)) for either in (state, twin))
                    assert here == there
                    compared += len(here)
    print(f"{seats} players: {pairs} pairs of states, {compared} events compared")
    assert pairs > 200
    assert compared > 200


def test_a_deal_shows_a_seat_its_own_hand_and_nothing_else():
    one = dealt("6S 7S 8S 9S", "6H 7H 8H 9H", stock="AS AH")
    other = dealt("6S 7S 8S 9S", "6D 7D 8D 9D", stock="AH AS")
    assert seen(one, ANNA) == seen(other, ANNA)
    assert redact(one, ANNA) == redact(other, ANNA)
    assert seen(one, BORIS) != seen(other, BORIS)
    assert [opening.to for opening in seal(one, lambda _: bytes(16))[1]] == [(0,), (1,), ()]


def test_a_refill_shows_each_seat_what_it_drew_and_nothing_else():
    def refill(stock: str) -> HandsRefilled:
        start = table("9H KH 7S 8S", "JH AH 7D 8D", "6H 8H 7C 9C", stock=stock)
        event = start.after((ANNA, play("9H")), (BORIS, play("AH"))).when(VERA, play("7C")).events()[-1]
        assert isinstance(event, HandsRefilled)
        return event

    one, other = refill("6S 6D 6C 10S 10D 10C"), refill("6S QD QC QS QH 10C")
    assert seen(one, BORIS) == seen(other, BORIS)
    assert redact(one, BORIS) == redact(other, BORIS)
    assert seen(one, VERA) != seen(other, VERA)
    assert [opening.to for opening in seal(one, lambda _: bytes(16))[1]] == [(0,), (1,), (2,)]


def test_no_view_of_a_seat_or_the_public_names_a_card_it_may_not_know():
    looked = 0
    for step in steps(GAME, start(GAME, 3, 3), 3):
        state = step.after
        for viewer in (0, 2, "public"):
            shown = GAME.view(state, viewer)
            own = state.hands[viewer] if isinstance(viewer, int) else None
            assert (shown.hand, shown.hands, shown.stock) == (own, None, None)
            text = msgspec.json.encode(shown).decode()
            hidden = [card for seat, hand in enumerate(state.hands) if seat != viewer for card in hand]
            assert not any(f'"{card}"' in text for card in (*hidden, *state.stock))
            captured = {card for pile in state.piles for card in pile}
            assert not any(f'"{card}"' in text for card in captured)
            looked += 1
    assert looked > 100


def test_everybody_sees_all_cards_once_they_may():
    shown = table("9H KH 7S 8S", "JH AH 7D 8D", stock="6S 6D").seen_by("all")
    assert shown.hands == (cards("7S 8S 9H KH"), cards("JH AH 7D 8D"))
    assert shown.stock == cards("6S 6D")


def test_a_deal_hides_its_stock_from_all():
    for step in steps(GAME, start(GAME, 1, 4), 1):
        for event in step.events:
            if isinstance(event, CardsDealt):
                assert step.seat == DEALER
                assert event.stock.to == ()
