"""Osel, fours, clauses 4 and 5: swapping, and who knows what. See domain/osel_fours/RULES.md."""

from typing import Any

import msgspec
import pytest

from domain.cards import RANKS, rank_of
from domain.game import DEALER
from domain.match.rules import options_of
from domain.osel_fours import GAME
from domain.osel_fours.rules import Swap
from domain.osel_fours.state import CardsDealt, HandScored
from domain.osel_fours.view import SwapView
from tests.domain.osel_fours.table import (
    ANNA,
    BORIS,
    CLARA,
    DIMA,
    cards,
    chosen,
    dealt,
    drawn,
    empty_table,
    given_card,
    swap,
    swapped,
    swaps,
    table,
)
from tests.domain.play import redact
from tests.domain.spec import Given, given

FOUR_HANDS = ("2S 3S", "4S 5S", "6S 7S", "8S 9S")


def four(**options: Any) -> Given:
    """Anna deals, Boris begins, Clara is his partner."""
    return table(*FOUR_HANDS, **options)


def test_4_1_the_dealers_left_neighbour_begins_and_swaps_with_the_next():
    for dealer in range(4):
        play = table(*FOUR_HANDS, dealer=dealer)
        assert GAME.to_act(play.state) == {(dealer + 1) % 4}
        assert play.seen_by("public").partner == (dealer + 2) % 4
    start = empty_table(5).after((DEALER, drawn(lot=3, seats=5)))
    assert (start.state.active, start.state.partner) == (4, 0)


def test_4_2_only_the_two_who_swap_act_each_in_turn():
    play = four()
    for seat in (ANNA, CLARA, DIMA):
        play.when(seat, swap(FOUR_HANDS[seat].split()[0])).out_of_turn("4.2")
    answering = play.after((BORIS, swap("4S")))
    assert GAME.to_act(answering.state) == {CLARA}
    for seat in (ANNA, DIMA):
        answering.when(seat, swap("2S")).out_of_turn("4.2")
    sealed = four(return_mode="sealed")
    assert GAME.to_act(sealed.state) == {BORIS, CLARA}
    for seat in (ANNA, DIMA):
        sealed.when(seat, swap("2S")).out_of_turn("4.2")


def test_4_3_the_active_player_gives_any_card_of_the_hand():
    play = four()
    assert play.legal(BORIS) == [swap("4S"), swap("5S")]
    play.when(BORIS, swap("4S")).then(given_card(BORIS, CLARA, "4S"))
    play.when(BORIS, swap("5S")).then(given_card(BORIS, CLARA, "5S"))


def test_4_4_the_partner_answers_with_any_card_and_both_change_hands():
    play = four().after((BORIS, swap("4S")))
    assert play.legal(CLARA) == [swap("6S"), swap("7S")]
    done = play.when(CLARA, swap("7S")).then(swapped(BORIS, CLARA, "4S", "7S"))
    assert done.state.hands == (cards("2S 3S"), cards("5S 7S"), cards("4S 6S"), cards("8S 9S"))


def test_4_5_the_answer_is_not_the_card_just_given_but_a_later_one_may_be():
    play = four().after((BORIS, swap("4S")))
    reason = play.when(CLARA, swap("4S")).refused("4.5")
    assert reason == "4S is the card that you have just been given: answer with one of your own hand"
    assert swap("4S") not in play.legal(CLARA)
    later = play.after((CLARA, swap("7S")))
    later.when(CLARA, swap("4S")).then(given_card(CLARA, DIMA, "4S"))
    two = swaps(table("2S 3S", "4S 5S"), ("4S", "3S"))
    two.after((ANNA, swap("4S"))).when(BORIS, swap("5S")).then(swapped(ANNA, BORIS, "4S", "5S"))


def test_4_6_nobody_refuses_and_nobody_takes_a_card_back():
    assert GAME.moves == (Swap,)
    four().after((BORIS, swap("4S"))).when(BORIS, swap("5S")).out_of_turn("4.6")
    for seat, other in ((BORIS, CLARA), (CLARA, BORIS)):
        play = four(return_mode="sealed")
        first, second = play.legal(seat)
        waiting = play.after((seat, first))
        waiting.when(seat, second).out_of_turn("4.6")
        assert waiting.legal(seat) == []
        assert len(waiting.legal(other)) == 2


def test_4_7_players_give_cards_that_they_hold():
    for other in ("2S", "6S", "AH"):
        assert four().when(BORIS, swap(other)).refused("4.7") == f"you do not hold {other}"
        four(return_mode="sealed").when(BORIS, swap(other)).refused("4.7")
    four().after((BORIS, swap("4S"))).when(CLARA, swap("5S")).refused("4.7")


@pytest.mark.parametrize("order", [(BORIS, CLARA), (CLARA, BORIS)])
def test_4_8_sealed_cards_are_chosen_in_either_order_and_change_hands_at_once(order: tuple[int, int]):
    play = four(return_mode="sealed")
    choice = {BORIS: "5S", CLARA: "6S"}
    first, second = order
    waiting = play.when(first, swap(choice[first])).then(chosen(first, choice[first]))
    assert waiting.state.hands == play.state.hands
    assert GAME.to_act(waiting.state) == {second}
    waiting.when(second, swap(choice[first])).refused("4.7")
    done = waiting.when(second, swap(choice[second])).then(swapped(BORIS, CLARA, "5S", "6S"))
    assert done.state.hands[BORIS : CLARA + 1] == (cards("4S 6S"), cards("5S 7S"))
    assert GAME.to_act(done.state) == {CLARA, DIMA}


def test_4_9_equal_ranks_may_be_swapped_and_hands_keep_their_size():
    play = table("2S 3S", "4S 4H 5S", "4D 4C 6S")
    done = play.after((BORIS, swap("4H")), (CLARA, swap("4C")))
    assert done.state.hands == (cards("2S 3S"), cards("4S 4C 5S"), cards("4H 4D 6S"))
    assert done.seen_by("public").hand_sizes == play.seen_by("public").hand_sizes == (2, 3, 3)


def test_4_10_the_turn_goes_clockwise_and_a_circuit_is_once_around():
    play, turns = table("2S", "3S", "4S", dealer=CLARA), []
    for _ in range(7):
        active, partner = play.state.active, play.state.partner
        (gave,), (got,) = play.state.hands[active], play.state.hands[partner]
        turns.append((active, partner, play.state.circuit))
        play = play.after((active, swap(gave)))
        play = play.when(partner, swap(got)).then(swapped(active, partner, gave, got, circuit=turns[-1][2]))
    assert turns == [(0, 1, 1), (1, 2, 1), (2, 0, 1), (0, 1, 2), (1, 2, 2), (2, 0, 2), (0, 1, 3)]


def test_4_11_a_four_stays_in_the_hand_and_may_be_broken():
    play = table("2S 3S", "9* 5S", "6S 7S", target=2)
    assert play.seen_by("public").last_hand is None
    assert len(play.seen_by(BORIS).hand) == 5
    broken = play.after((BORIS, swap("9H")), (CLARA, swap("6S")))
    assert broken.state.hands[BORIS] == cards("5S 6S 9S 9D 9C")


def test_5_1_everybody_may_know_turns_partners_circuit_target_and_sizes():
    play = swaps(four(target=1), ("4S", "6S")).after((CLARA, swap("7S")))
    for viewer in (ANNA, BORIS, "public"):
        seen = play.seen_by(viewer)
        assert (seen.target, seen.dealer, seen.active, seen.partner, seen.chosen) == (1, ANNA, CLARA, DIMA, (CLARA,))
        assert (seen.last_swap.seat, seen.last_swap.partner) == (BORIS, CLARA)
        assert (seen.deal, seen.circuit, seen.max_circuits, seen.swaps) == (1, 1, 50, 1)
        assert (seen.hand_sizes, seen.cards_aside, seen.totals) == ((2, 2, 2, 2), 0, (0, 0, 0, 0))
    sealed = four(return_mode="sealed").after((CLARA, swap("6S")))
    assert sealed.seen_by("public").chosen == (CLARA,)


def test_5_2_players_see_their_own_hand_and_no_other():
    event = dealt(*FOUR_HANDS)
    for viewer in (*range(4), "public"):
        kept = redact(event, viewer)
        assert [bool(hidden.value) for hidden in kept.hands] == [seat == viewer for seat in range(4)]
        seen = given(GAME, event, seats=4).seen_by(viewer)
        assert seen.hand == (None if viewer == "public" else cards(FOUR_HANDS[viewer]))
        assert seen.hands is None
    assert given(GAME, event, seats=4).seen_by("all").hands == tuple(map(cards, FOUR_HANDS))


@pytest.mark.parametrize("mode", ["seen", "sealed"])
def test_5_3_the_two_cards_of_a_swap_are_known_to_the_two_alone(mode: str):
    play = four(return_mode=mode).after((BORIS, swap("4S")))
    (event,) = play.when(CLARA, swap("7S")).events()
    done = play.with_events(event)
    for viewer in (*range(4), "public"):
        kept = redact(event, viewer)
        knows = viewer in (BORIS, CLARA)
        assert (kept.given.value, kept.returned.value) == (("4S", "7S") if knows else (msgspec.UNSET, msgspec.UNSET))
        expected = SwapView(BORIS, CLARA, *(cards("4S 7S") if knows else (None, None)))
        assert done.seen_by(viewer).last_swap == expected
    assert done.seen_by("all").last_swap == SwapView(BORIS, CLARA, *cards("4S 7S"))


@pytest.mark.parametrize(("mode", "knowing"), [("seen", {BORIS, CLARA}), ("sealed", {BORIS})])
def test_5_4_a_waiting_card_is_seen_by_those_it_is_meant_for_and_stays_in_the_hand(mode: str, knowing: set[int]):
    play = four(return_mode=mode)
    (event,) = play.when(BORIS, swap("4S")).events()
    waiting = play.with_events(event)
    for viewer in (*range(4), "public"):
        assert (redact(event, viewer).card.value == "4S") == (viewer in knowing)
        assert waiting.seen_by(viewer).card == ("4S" if viewer in knowing else None)
        assert waiting.seen_by(viewer).hand_sizes == (2, 2, 2, 2)
    assert waiting.seen_by(BORIS).hand == cards("4S 5S")
    assert waiting.seen_by("all").card == "4S"
    tries = waiting.game.attempts(waiting.state, CLARA)
    assert tries == [swap("6S"), swap("7S"), *([swap("4S")] if mode == "seen" else [])]


def test_5_5_nobody_sees_the_cards_set_aside():
    event = dealt("2S", "3S", "4S", aside="AS")
    play = given(GAME, event, seats=3)
    for viewer in (*range(3), "public"):
        assert redact(event, viewer).aside.value is msgspec.UNSET
        assert (play.seen_by(viewer).cards_aside, play.seen_by(viewer).aside) == (1, None)
    assert play.seen_by("all").aside == cards("AS")


def test_5_6_the_winners_fours_are_shown_at_the_end():
    play = table("2S 3S", "9S 9H 9D 5S", "9C 7S", target=1, wins_needed=2)
    over = play.after((BORIS, swap("5S")), (CLARA, swap("9C")))
    for viewer in (ANNA, CLARA, "public"):
        seen = over.seen_by(viewer)
        assert (seen.last_hand.winner, seen.last_hand.fours, seen.last_hand.ending) == (BORIS, ("9",), "swap")
        assert (seen.active, seen.partner, seen.chosen) == (None, None, ())


def test_fx2_four_players_swap_in_the_order_of_the_table():
    play, pairs = four(), []
    for _ in range(5):
        active, partner = play.state.active, play.state.partner
        pairs.append((active, partner))
        play = swaps(play, (play.legal(active)[0].card, play.state.hands[partner][0]))
    assert pairs == [(1, 2), (2, 3), (3, 0), (0, 1), (1, 2)]


def test_fx6_a_seven_for_a_seven_changes_no_count_of_ranks():
    play = table("2S 3S", "7H 5S", "7C 6S")
    done = swaps(play, ("7H", "7C"))
    for seat in range(3):
        assert counts(done, seat) == counts(play, seat)
    assert done.state.hands[BORIS] == cards("5S 7C")


def counts(play: Given, seat: int) -> list[int]:
    ranks = [rank_of(card) for card in play.state.hands[seat]]
    return [ranks.count(rank) for rank in RANKS]


def test_fx7_a_king_for_a_five_and_never_the_same_king():
    play = table("2S 3S", "KS 8S", "5D 9S").after((BORIS, swap("KS")))
    play.when(CLARA, swap("KS")).refused("4.5")
    done = play.after((CLARA, swap("5D")))
    assert done.state.hands[BORIS : CLARA + 1] == (cards("5D 8S"), cards("9S KS"))
    sealed = table("2S 3S", "KS 8S", "5D 9S", return_mode="sealed").after((BORIS, swap("KS")))
    assert sealed.when(CLARA, swap("KS")).refused("4.7") == sealed.when(CLARA, swap("AD")).refused("4.7").replace(
        "AD", "KS"
    )


def test_fa2_one_pair_swaps_at_a_time():
    for mode in ("seen", "sealed"):
        play = four(return_mode=mode)
        done = swaps(play, ("4S", "6S"))
        assert (done.state.hands[ANNA], done.state.hands[DIMA]) == (play.state.hands[ANNA], play.state.hands[DIMA])


def test_fa3_the_partner_sees_the_card_unless_the_table_plays_sealed():
    assert options_of(GAME, {}, 4).return_mode == "seen"
    assert four().after((BORIS, swap("4S"))).seen_by(CLARA).card == "4S"
    assert four(return_mode="sealed").after((BORIS, swap("4S"))).seen_by(CLARA).card is None


def test_between_hands_nobody_but_the_dealer_is_due():
    over = four().with_events(HandScored(1, (1, 0, 0, 0), (1, 0, 0, 0), "swap", ANNA, ("9",)))
    assert GAME.to_act(over.state) == {DEALER}
    assert all(over.legal(seat) == [] for seat in range(4))
    over.when(BORIS, swap("4S")).out_of_turn("2.6")
    (again,) = over.when(DEALER, drawn()).events()
    assert isinstance(again, CardsDealt)
    assert over.with_events(again).seen_by("public").last_hand.winner == ANNA
