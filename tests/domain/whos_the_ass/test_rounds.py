"""Who's the Ass?, clauses 3 and 4: a normal round, and jokers in it. See domain/whos_the_ass/RULES.md."""

import pytest

from domain.whos_the_ass import GAME
from domain.whos_the_ass.rules import Play
from domain.whos_the_ass.state import HandScored, Passed, RoundResult, RoundWon
from domain.whos_the_ass.view import TurnView
from tests.domain.whos_the_ass.table import (
    ARNO,
    BABS,
    CHRIS,
    DANNY,
    ERIK,
    PASS,
    cards,
    play,
    played,
    table,
)

SEED_HANDS = ("6 6 6 ASS 1", "8 8 J 2", "3 3 3 4", "10 10 10 1 2", "12 12 12 5")
LEAD_OF_THREE = table(*SEED_HANDS).after((ARNO, play("6 6 6")))


def test_3_1_the_holder_of_the_ass_starts_the_first_round():
    start = table("1 1", "2 2", "ASS 3")
    assert GAME.to_act(start.state) == {CHRIS}
    assert start.seen_by("public").starter == CHRIS


def test_3_2_the_starting_player_plays_and_may_not_pass():
    start = table("1 1 ASS", "2 2 2", "3 3 3")
    start.when(ARNO, PASS).refused("3.2")
    start.when(ARNO, Play(())).refused("3.2")
    start.when(ARNO, play("1")).then(played(ARNO, "1", 1))
    start.when(ARNO, play("1 1")).then(played(ARNO, "1 1", 1))


def test_3_3_cards_played_together_have_one_value():
    table("1 2 J ASS", "2 2", "3 3").when(ARNO, play("1 2")).refused("3.3")
    table("1 2 J ASS", "2 2", "3 3").when(ARNO, play("1 2 J")).refused("3.3")


def test_3_4_everybody_plays_as_many_cards_as_were_led_or_passes():
    LEAD_OF_THREE.when(BABS, play("8 8")).refused("3.4")
    LEAD_OF_THREE.when(BABS, play("8")).refused("3.4")
    LEAD_OF_THREE.when(BABS, play("8 8 J")).then(played(BABS, "8 8 J", 8))
    LEAD_OF_THREE.when(BABS, PASS).then(Passed(BABS))
    assert LEAD_OF_THREE.seen_by("public").cards_needed == 3


def test_3_5_the_others_have_one_turn_each_clockwise():
    LEAD_OF_THREE.when(ARNO, play("1")).out_of_turn("3.5")
    LEAD_OF_THREE.when(CHRIS, PASS).out_of_turn("3.5")
    passed = LEAD_OF_THREE.after((BABS, PASS))
    passed.when(BABS, play("8 8 J")).out_of_turn("3.5")
    passed.when(CHRIS, PASS).then(Passed(CHRIS))


def test_3_6_to_raise_is_to_play_a_higher_value_than_the_last():
    start = table("5 ASS", "5 7 8", "6 7 8").after((ARNO, play("5")))
    start.when(BABS, play("5")).refused("3.6")
    raised = start.after((BABS, play("7")))
    raised.when(CHRIS, play("6")).refused("3.6")
    raised.when(CHRIS, play("7")).refused("3.6")
    assert played(CHRIS, "8", 8) in raised.when(CHRIS, play("8")).events()


def test_3_7_passing_is_free_even_for_those_who_could_raise():
    assert play("8 8 J") in LEAD_OF_THREE.legal(BABS)
    after = LEAD_OF_THREE.when(BABS, PASS).then(Passed(BABS))
    assert after.state.hands[BABS] == cards("2 8 8 J")


def test_3_8_players_play_cards_that_they_hold():
    start = table("1 1 ASS", "2 2", "3 3")
    start.when(ARNO, play("1 1 1")).refused("3.8")
    start.when(ARNO, play("2")).refused("3.8")
    start.when(ARNO, play("1 1 1 1")).refused("3.8")
    start.when(ARNO, play("J")).refused("3.8")
    start.after((ARNO, play("1"))).when(BABS, play("ASS")).refused("3.8")


def test_3_9_played_cards_stay_in_sight_until_the_round_is_over():
    seen = LEAD_OF_THREE.after((BABS, play("J 8 8")), (CHRIS, PASS)).seen_by("public")
    assert seen.turns == (
        TurnView(ARNO, passed=False, cards=cards("6 6 6"), value=6),
        TurnView(BABS, passed=False, cards=cards("8 8 J"), value=8),
        TurnView(CHRIS, passed=True, cards=(), value=0),
    )
    assert (seen.turn, seen.to_beat) == (DANNY, 8)


def test_3_10_when_everybody_had_a_turn_the_cards_go_to_the_discard_pile():
    over = table("1 2 ASS", "2 2", "3 3").after((ARNO, play("1")), (BABS, PASS), (CHRIS, play("3")))
    seen = over.seen_by("all")
    assert (seen.turns, seen.discarded, seen.hand_sizes) == ((), 2, (2, 2, 1))
    assert sorted(card for hand in seen.hands for card in hand) == ["2", "2", "2", "3", "ASS"]
    assert over.legal(CHRIS) == [play("3")]


def test_3_11_the_highest_starts_or_the_leader_if_nobody_raised():
    start = table("5 1 ASS", "6 1", "7 1").after((ARNO, play("5")))
    raised = start.after((BABS, play("6"))).when(CHRIS, PASS).then(Passed(CHRIS), RoundWon(BABS, 6, 2))
    assert GAME.to_act(raised.state) == {BABS}
    assert raised.seen_by("public").last_round == RoundResult(BABS, 2, ass_round=False)
    quiet = start.after((BABS, PASS)).when(CHRIS, PASS).then(Passed(CHRIS), RoundWon(ARNO, 5, 1))
    assert GAME.to_act(quiet.state) == {ARNO}


def test_3_12_rounds_follow_until_one_ends_with_an_empty_hand():
    start = table("5 6 ASS", "1 1", "2 2")
    one = start.after((ARNO, play("5")), (BABS, PASS), (CHRIS, PASS))
    assert (one.seen_by("public").round, one.state.scored) == (2, 0)
    two = one.after((ARNO, play("6")), (BABS, PASS), (CHRIS, PASS))
    assert (two.seen_by("public").round, two.state.scored) == (3, 0)
    last = two.after((ARNO, play("ASS")), (BABS, play("1")), (CHRIS, play("2")))
    assert (last.seen_by("public").round, last.state.scored) == (3, 1)
    assert last.seen_by("public").turn is None


def test_4_1_a_joker_with_numbers_counts_what_they_count():
    start = table("10 10 J J ASS", "11 11 11", "9 J J")
    start.when(ARNO, play("10 J 10")).then(played(ARNO, "10 10 J", 10))
    start.when(ARNO, play("10 J J")).then(played(ARNO, "10 J J", 10))
    start.after((ARNO, play("10 10 J"))).when(BABS, play("11 11 11")).then(played(BABS, "11 11 11", 11))
    start.after((ARNO, play("10 10 J")), (BABS, PASS)).when(CHRIS, play("9 J J")).refused("3.6")


def test_4_2_a_joker_alone_is_14_and_nothing_tops_it():
    lead = table("J 1 ASS", "13 J", "2 2").when(ARNO, play("J")).then(played(ARNO, "J", 14))
    lead.when(BABS, play("13")).refused("4.2")
    lead.when(BABS, play("J")).refused("4.2")
    assert lead.legal(BABS) == [PASS]
    raised = table("13 1 ASS", "J J", "2 2").after((ARNO, play("13"))).when(BABS, play("J"))
    assert raised.events() == [played(BABS, "J", 14)]


def test_4_3_jokers_alone_are_14_each():
    start = table("13 13 ASS", "J J 1", "J 2 2")
    start.after((ARNO, play("13 13"))).when(BABS, play("J J")).then(played(BABS, "J J", 14))
    table("J J J ASS", "13 13 13", "2 2").when(ARNO, play("J J J")).then(played(ARNO, "J J J", 14))


@pytest.mark.parametrize("counts", [1, 14, 0, 7])
def test_4_4_in_a_normal_round_no_value_is_named(counts: int):
    start = table("J 10 ASS 5", "J J 7", "2 2 J")
    start.when(ARNO, play("J", counts)).refused("4.4")
    start.when(ARNO, play("10 J", counts)).refused("4.4")
    start.when(ARNO, play("ASS", counts)).refused("4.4")
    start.after((ARNO, play("5"))).when(BABS, play("J", counts)).refused("4.4")
    start.after((ARNO, play("ASS"))).when(BABS, play("7", counts)).refused("4.4")


def test_wx1_a_normal_round_as_the_rule_book_plays_it():
    table(*SEED_HANDS).when(ARNO, play("6 6 6")).then(played(ARNO, "6 6 6", 6)).when(BABS, play("8 8 J")).then(
        played(BABS, "8 8 J", 8)
    ).when(CHRIS, PASS).then(Passed(CHRIS)).when(DANNY, play("10 10 10")).then(played(DANNY, "10 10 10", 10)).when(
        ERIK, PASS
    ).then(Passed(ERIK), RoundWon(DANNY, 10, 9))


def test_wx3_two_tens_and_a_joker_are_three_tens():
    def after(lead: str):
        return table(f"{lead} ASS 1", "10 10 J 1", "2 2 2").after((ARNO, play(lead)))

    after("9 9 9").when(BABS, play("10 10 J")).then(played(BABS, "10 10 J", 10))
    after("11 11 11").when(BABS, play("10 10 J")).refused("3.6")
    after("10 10 10").when(BABS, play("10 10 J")).refused("3.6")


def test_wx4_a_single_joker_leaves_only_the_pass():
    lead = table("J ASS", "J 13", "J 12", "1 1").after((ARNO, play("J")))
    assert lead.legal(BABS) == [PASS]
    lead.when(BABS, play("J")).refused("4.2")


def test_wx5_over_two_thirteens_only_two_jokers_will_do():
    lead = table("13 13 ASS", "13 J J J", "1 2").after((ARNO, play("13 13")))
    lead.when(BABS, play("13 J")).refused("3.6")
    lead.when(BABS, play("J J")).then(played(BABS, "J J", 14))
    lead.when(BABS, play("J J J")).refused("3.4")
    assert lead.legal(BABS) == [play("J J"), PASS]


def test_wa4_whoever_can_raise_may_pass():
    turn = LEAD_OF_THREE.after((BABS, PASS), (CHRIS, PASS))
    assert turn.legal(DANNY) == [play("10 10 10"), PASS]


def test_wa5_a_round_goes_round_the_table_once():
    over = table("5 1 ASS", "6 9", "7 8").after((ARNO, play("5")), (BABS, play("6")), (CHRIS, play("7")))
    over.when(BABS, play("9")).out_of_turn("3.5")
    assert over.seen_by("public").turns == ()


def test_wa6_pass_is_no_lead():
    start = table("5 1 ASS", "6 9", "7 8")
    assert PASS not in start.legal(ARNO)
    start.when(ARNO, PASS).refused("3.2")


def test_wa7_a_joker_is_no_free_number_in_a_normal_round():
    start = table("12 J ASS", "2 2", "3 3").after((ARNO, play("12 J")))
    assert start.state.table[0].value == 12
    table("J ASS", "2 2", "3 3").when(ARNO, play("J", 5)).refused("4.4")


def test_wa8_a_group_of_jokers_tops_thirteens_and_is_not_topped():
    start = table("13 13 ASS", "J J 1", "J J 1").after((ARNO, play("13 13")), (BABS, play("J J")))
    start.when(CHRIS, play("J J")).refused("4.2")


def test_wa23_the_leader_leads_again_when_all_pass():
    quiet = table("5 1 ASS", "6 1", "7 1").after((ARNO, play("5")), (BABS, PASS), (CHRIS, PASS))
    assert GAME.to_act(quiet.state) == {ARNO}


def test_every_card_that_cannot_be_played_has_a_clause():
    lead = table("8 8 ASS", "1 8 9 J", "9 9 J").after((ARNO, play("8 8")))
    assert GAME.attempts(lead.state, BABS) == [play("1 J"), play("8 J"), play("9 J"), play("J"), PASS]
    lead.when(BABS, play("1 J")).refused("3.6")
    lead.when(BABS, play("8 J")).refused("3.6")
    lead.when(BABS, play("J")).refused("3.4")
    assert lead.legal(BABS) == [play("9 J"), PASS]
    assert GAME.attempts(lead.state, CHRIS) == [play("9 9"), play("J"), PASS]


def test_identical_cards_are_listed_once_and_any_order_is_accepted():
    start = table("5 5 5 J J ASS", "1", "2")
    groups = ["5", "5 J", "5 J J", "5 5", "5 5 J", "5 5 J J", "5 5 5", "5 5 5 J", "5 5 5 J J", "J", "J J", "ASS"]
    assert start.legal(ARNO) == [play(group) for group in groups]
    start.when(ARNO, play("J 5 J 5")).then(played(ARNO, "5 5 J J", 5))


def test_the_end_of_a_game_follows_from_its_last_turn_at_once():
    last = table("5 ASS", "6", "7 1").after((ARNO, play("5")), (BABS, play("6"))).when(CHRIS, play("7"))
    last.then(played(CHRIS, "7", 7), RoundWon(CHRIS, 7, 3), HandScored(1, (20, 0, 1), (20, 0, 1), ARNO))
