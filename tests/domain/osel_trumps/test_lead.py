"""Osel, trumps, clause 4: the lead, and how it is claimed. See domain/osel_trumps/RULES.md."""

import random
from itertools import combinations

import pytest

from domain.game import DEALER
from domain.osel import PACK, in_order
from domain.osel_trumps import GAME
from domain.osel_trumps.rules import Play
from domain.osel_trumps.score import FOURS, LEADS
from domain.osel_trumps.state import CardsDealt, ClaimDeclined
from tests.domain.osel_trumps.table import (
    ANNA,
    BORIS,
    CLAIM,
    DECLINE,
    VERA,
    beaten,
    cards,
    empty_table,
    led,
    lots,
    pack,
    play,
    scored,
    table,
    thrown,
)


def first_deal(text: str, *, seats: int = 3, dealer: int = ANNA) -> CardsDealt:
    """The first deal, with these cards on top; seat 1 gets the first card if seat 0 deals."""
    (event,) = empty_table(seats).after((DEALER, lots(dealer, seats))).when(DEALER, pack(text)).events()
    assert isinstance(event, CardsDealt)
    return event


NO_DIAMONDS = "6S 6H 6C 7S 7H 7C 8S 8H 8C"


def test_4_1_the_lowest_diamond_has_the_first_lead_of_the_match():
    event = first_deal(f"9D AD JD {NO_DIAMONDS}")
    assert event.leader == BORIS
    start = empty_table(3).after((DEALER, lots(ANNA, 3)), (DEALER, pack(f"9D AD JD {NO_DIAMONDS}")))
    assert GAME.to_act(start.state) == {BORIS}
    start.when(ANNA, play("8S")).out_of_turn("6.1")
    start.when(BORIS, play("6S")).then(led(BORIS, "6S"))


def test_4_2_without_a_diamond_the_dealers_left_leads():
    assert first_deal(f"{NO_DIAMONDS} 9S 9H 9C", dealer=BORIS).leader == VERA


def test_4_3_in_later_hands_the_dealers_left_leads():
    over = table("9H", "8D", "8C", leader=VERA).after((VERA, play("8C"))).with_events(scored((0, 1, 1)))
    event = over.when(DEALER, pack("6S 6D 6C")).events()[0]
    assert (event.dealer, event.leader) == (VERA, ANNA)


def test_4_4_a_lead_is_cards_of_one_suit_or_three_or_four_of_one_rank():
    start = table("9H 9C 9D KH", "6H 7H 8H 10H")
    start.when(ANNA, play("9H 9C")).refused("4.4")
    start.when(ANNA, play("9H KH 9C")).refused("4.4")
    start.when(ANNA, play("9H 9C 9D KH")).refused("4.4")
    start.when(ANNA, play("9H KH")).then(led(ANNA, "9H KH"))
    start.when(ANNA, play("9H 9C 9D")).then(led(ANNA, "9H 9C 9D"))
    table("9H 9C 9D 9S", "6H").when(ANNA, play("9H 9C 9D 9S")).then(led(ANNA, "9H 9C 9D 9S"))
    table("6H 7H 8H 9H", "6S").when(ANNA, play("6H 7H 8H 9H")).then(led(ANNA, "6H 7H 8H 9H"))


def test_4_4_every_set_of_a_hand_that_is_a_lead_is_found_fewer_cards_first():
    chance, several = random.Random(1), 0
    hands = [in_order(chance.sample(PACK, chance.randint(1, 4))) for _ in range(2000)]
    hands += [in_order([*chance.sample(sorted(FOURS[card]), 3), other]) for card in PACK for other in FOURS[PACK[0]]]
    for hand in {hand for hand in hands if len({*hand}) == len(hand)}:
        sets = [cards for size in range(1, len(hand) + 1) for cards in combinations(hand, size)]
        leads = [cards for cards in sets if cards in LEADS]
        assert [move.cards for move in table(" ".join(hand), "6H").legal(ANNA)] == leads
        several += len(leads) > len(hand)
    assert several > 500


def test_4_5_players_lay_cards_that_they_hold():
    start = table("9H 8H", "JH QH")
    start.when(ANNA, Play(())).refused("4.5")
    start.when(ANNA, play("JH")).refused("4.5")
    start.when(ANNA, play("9H 9H")).refused("4.5")
    after = start.after((ANNA, play("9H")))
    after.when(BORIS, play("9H")).refused("4.5")
    after.when(BORIS, Play(())).refused("4.5")


def test_4_6_four_of_a_kind_may_claim_the_lead_at_the_deal_and_after_a_refill():
    event = first_deal("KS 6D 6H KH 7S 7H KD 8S 8H KC 9S 9C")
    assert (event.leader, event.asked) == (VERA, BORIS)
    asked = table("KS KH KD KC", "6H 7H 8H 9H", asked=ANNA, leader=BORIS)
    assert (asked.legal(ANNA), set(GAME.to_act(asked.state))) == ([CLAIM, DECLINE], {ANNA})

    before = table("KS KH KD 6D", "9H AS QS JS", leader=BORIS, stock="7H KC").after((BORIS, play("AS")))
    events = before.when(ANNA, play("6D")).events()
    assert events[-1].asked == ANNA
    refilled = before.with_events(*events)
    assert (refilled.state.leader, set(GAME.to_act(refilled.state))) == (BORIS, {ANNA})

    table("9H 8H 7H 6D", "6H 7D 8D 9D").when(ANNA, CLAIM).refused("4.6")
    table("9H 8H 7H 6D", "6H 7D 8D 9D").when(ANNA, DECLINE).refused("4.6")
    assert first_deal("KS 6D 6H KH 7S 7H KD 8S 8H QC 9S 9C").asked is None


def test_4_7_the_highest_four_of_a_kind_is_asked_first():
    event = first_deal("9S KS 6D 9H KH 7S 9D KD 8S 9C KC 8H")
    assert (event.leader, event.asked) == (ANNA, VERA)
    asked = empty_table(3).after((DEALER, lots(ANNA, 3)), (DEALER, pack("9S KS 6D 9H KH 7S 9D KD 8S 9C KC 8H")))
    asked.when(BORIS, CLAIM).out_of_turn("4.7")
    asked.when(ANNA, play("6D")).out_of_turn("4.7")
    asked.when(VERA, play("KS")).refused("4.7")
    second = asked.when(VERA, DECLINE).then(ClaimDeclined(VERA, BORIS))
    second.when(VERA, CLAIM).out_of_turn("4.7")
    third = second.when(BORIS, DECLINE).then(ClaimDeclined(BORIS, None))
    assert GAME.to_act(third.state) == {ANNA}
    claimed = second.when(BORIS, CLAIM).then(led(BORIS, "9S 9H 9D 9C", claimed=True))
    assert GAME.to_act(claimed.state) == {VERA}


def test_4_8_a_claimant_leads_the_four_at_once_and_counts_as_the_leader():
    asked = table("KS KH KD KC", "6H 7H 8H 9H", "6C 7C 8C 9C", asked=ANNA, leader=BORIS)
    led_now = asked.when(ANNA, CLAIM).then(led(ANNA, "KS KH KD KC", claimed=True))
    assert (led_now.state.leader, led_now.state.opener) == (ANNA, ANNA)
    assert GAME.to_act(led_now.state) == {BORIS}
    taken = led_now.after((BORIS, play("6H 7H 8H 9H"))).when(VERA, play("6C 7C 8C 9C")).events()[1]
    assert (taken.seat, len(taken.cards)) == (ANNA, 12)


def test_4_9_the_player_who_has_the_lead_anyway_is_not_asked():
    # The leader holds the highest four: nobody is asked.
    highest = first_deal("6D 9S 7S 6H 9H 7H 6S 9D 8S 6C 9C 8C", dealer=VERA)
    assert (highest.leader, highest.asked) == (ANNA, BORIS)
    alone = first_deal("KD 9S 7S KH 9H 7H KS 9C 8S KC JC 8C", dealer=VERA)
    assert (alone.leader, alone.asked) == (ANNA, None)
    # The leader holds sixes, the lowest four: after the nines have declined the sixes lead what they like.
    start = empty_table(3).after((DEALER, lots(VERA, 3)), (DEALER, pack("6D 9S 7S 6H 9H 7H 6S 9D 8S 6C 9C 8C")))
    declined = start.when(BORIS, DECLINE).then(ClaimDeclined(BORIS, None))
    declined.when(ANNA, play("6H")).then(led(ANNA, "6H"))
    declined.when(ANNA, play("6D 6H 6S 6C")).then(led(ANNA, "6D 6H 6S 6C"))
    # Below the leader's four nobody is asked.
    below = first_deal("KD 9S 7S KH 9H 7H KS 9D 8S KC 9C 8C", dealer=VERA)
    assert (below.leader, below.asked) == (BORIS, ANNA)


def test_4_10_everybody_sees_who_is_asked_and_not_what_they_hold():
    asked = table("KS KH KD KC", "6H 7H 8H 9H", asked=ANNA, leader=BORIS)
    for viewer in (BORIS, "public"):
        shown = asked.seen_by(viewer)
        assert (shown.asked, shown.turn, shown.leader, shown.hands) == (ANNA, ANNA, BORIS, None)


def test_tx8_six_leads():
    leads = {move.cards for move in table("9H 9C 9D KH", "6H").legal(ANNA)}
    texts = ("9H", "KH", "9D", "9C", "9H KH", "9H 9D 9C")
    assert leads == {cards(text) for text in texts}
    assert len(table("9H 9C 9D KH", "6H").legal(ANNA)) == 6


def test_tx12_four_aces_are_beaten_by_sixes_and_kings_come_before_nines():
    aces = table("AS AH AD AC", "6S 6H 6D 6C", "7S 7H 8D 8C").after((ANNA, play("AS AH AD AC")))
    aces.when(BORIS, play("6H 6C 6D 6S")).then(beaten(BORIS, "6S 6H 6D 6C"))
    aces.when(BORIS, play("6S 6H 6D 6C")).then(beaten(BORIS, "6S 6H 6D 6C"))
    assert first_deal("9S KS 6D 9H KH 7S 9D KD 8S 9C KC 8H").asked == VERA


@pytest.mark.parametrize("lead", ["7D", "JD", "10C"])
def test_tx18_the_lowest_diamond_of_three_hands(lead: str):
    start = empty_table(3).after((DEALER, lots(VERA, 3)), (DEALER, pack("9D JD 6S 6H 7D 7S 6C 10C 8S 7C 9S 9C")))
    assert start.state.leader == BORIS
    start.when(BORIS, play(lead)).then(led(BORIS, lead))


def test_ta12_nobody_has_to_claim():
    asked = table("KS KH KD KC", "6H 7H 8H 9H", asked=ANNA, leader=BORIS)
    asked.when(ANNA, DECLINE).then(ClaimDeclined(ANNA, None)).when(BORIS, play("9H")).then(led(BORIS, "9H"))


def test_ta13_the_first_who_declines_passes_the_question_on():
    start = empty_table(3).after((DEALER, lots(ANNA, 3)), (DEALER, pack("9S KS 6D 9H KH 7S 9D KD 8S 9C KC 8H")))
    start.when(VERA, DECLINE).then(ClaimDeclined(VERA, BORIS))


def test_ta22_the_lowest_diamond_need_not_be_led():
    start = table("6D 9H 8H 7C", "6H 7H JH QH")
    assert len(start.legal(ANNA)) == 5
    start.when(ANNA, play("7C")).then(led(ANNA, "7C"))


def test_ta28_four_cards_of_a_suit_may_be_led():
    start = table("6H 7H 8H 9H", "6S 7S 8S 9S")
    assert len(start.legal(ANNA)) == 15
    all_four = start.when(ANNA, play("9H 8H 7H 6H")).then(led(ANNA, "6H 7H 8H 9H"))
    assert all_four.when(BORIS, play("6S 7S 8S 9S")).events()[0] == beaten(BORIS, "6S 7S 8S 9S")


def test_the_leaders_attempts_are_single_cards():
    start = table("9H 9C", "6H 7H")
    assert GAME.attempts(start.state, ANNA) == [play("9H"), play("9C"), CLAIM, DECLINE]
    assert thrown(BORIS, "6H") in start.after((ANNA, play("9C"))).when(BORIS, play("6H")).events()
