"""Who's the Ass?, clauses 5 and 6: the ass round, and being rid of the ass again. See domain/whos_the_ass/RULES.md."""

import pytest

from domain.whos_the_ass import GAME
from domain.whos_the_ass.state import AssCardsTaken, AssPlayed, HandScored, Passed, RoundResult, RoundWon
from tests.domain.whos_the_ass.table import ARNO, BABS, CHRIS, DANNY, ERIK, PASS, cards, play, played, table

ASS_LED = table("ASS 5 5", "2 J 9", "1 J 9", "2 8 8").after((ARNO, play("ASS")))
SEED_ROUND = ((ARNO, play("ASS")), (BABS, play("2")), (CHRIS, play("1")), (DANNY, play("2")), (ERIK, play("1")))
SEED_HANDS = ("ASS 5 5", "2 9 9 4", "1 9 9", "2 8 8", "1 7 7")


def test_5_1_only_the_starting_player_plays_the_ass_in_any_round_and_nobody_has_to():
    start = table("ASS 5 5 9", "6 3 3", "1 9 4")
    start.when(ARNO, play("ASS")).then(AssPlayed(ARNO))
    beaten = start.after((ARNO, play("5")), (BABS, play("6")), (CHRIS, PASS), (BABS, play("3")), (CHRIS, play("4")))
    beaten.when(ARNO, play("ASS")).refused("5.1")
    later = beaten.after((ARNO, play("5")))
    assert GAME.to_act(later.state) == {ARNO}
    later.when(ARNO, play("ASS")).then(AssPlayed(ARNO))


@pytest.mark.parametrize("together", ["ASS 5", "ASS J", "5 5 ASS"])
def test_5_2_the_ass_is_played_alone(together: str):
    table("ASS 5 5 J", "2 2", "3 3").when(ARNO, play(together)).refused("5.2")


def test_5_3_the_ass_makes_an_ass_round_and_counts_0():
    seen = ASS_LED.seen_by("public")
    assert seen.ass_round
    assert (seen.turns[0].cards, seen.turns[0].value) == (cards("ASS"), 0)
    assert seen.ass_holder is None


def test_5_4_nobody_may_pass_in_an_ass_round():
    ASS_LED.when(BABS, PASS).refused("5.4")


def test_5_5_everybody_plays_exactly_one_card_of_any_value():
    start = table("ASS 5 5", "2 2 9", "1 1 9", "2 9 9").after((ARNO, play("ASS")))
    start.when(BABS, play("2 2")).refused("5.5")
    high = start.when(BABS, play("9")).then(played(BABS, "9", 9))
    high.when(CHRIS, play("1")).then(played(CHRIS, "1", 1))
    equal = high.when(CHRIS, play("9")).then(played(CHRIS, "9", 9))
    assert equal.legal(DANNY) == [play("2"), play("9")]
    ASS_LED.when(BABS, play("9 J")).refused("5.5")
    ASS_LED.when(CHRIS, play("1")).out_of_turn("3.5")


def test_5_6_a_joker_in_an_ass_round_counts_1_or_14_as_its_player_says():
    ASS_LED.when(BABS, play("J", 1)).then(played(BABS, "J", 1))
    ASS_LED.when(BABS, play("J", 14)).then(played(BABS, "J", 14))
    for counts in (None, 0, 2, 13, 15):
        ASS_LED.when(BABS, play("J", counts)).refused("5.6")
    assert ASS_LED.legal(BABS) == [play("2"), play("9"), play("J", 1), play("J", 14)]


def test_5_7_the_last_of_the_highest_takes_all_cards():
    start = table("ASS 5 5", "2 9", "9 9", "9 8", "1 7").after((ARNO, play("ASS")))
    turns = ((BABS, play("2")), (CHRIS, play("9")), (DANNY, play("9")))
    taken = (
        start.after(*turns).when(ERIK, play("1")).then(played(ERIK, "1", 1), AssCardsTaken(DANNY, cards("1 2 9 9 ASS")))
    )
    assert taken.state.hands[DANNY] == cards("1 2 8 9 9 ASS")
    assert taken.seen_by("public").ass_holder == DANNY
    assert taken.state.discarded == 0


def test_5_8_the_taker_starts_and_jokers_taken_are_ordinary_again():
    hands = ("ASS 5 5", "J 9 9", "13 9 9")
    taken = table(*hands).after((ARNO, play("ASS")), (BABS, play("J", 1)), (CHRIS, play("13")))
    assert GAME.to_act(taken.state) == {CHRIS}
    assert taken.seen_by("public").last_round == RoundResult(CHRIS, 3, ass_round=True)
    taken.when(CHRIS, play("J")).then(played(CHRIS, "J", 14))
    taken.when(CHRIS, play("9 9 J")).then(played(CHRIS, "9 9 J", 9))


def test_6_1_the_taker_may_not_lead_the_ass_in_the_next_round():
    taken = table(*SEED_HANDS).after(*SEED_ROUND)
    taken.when(DANNY, play("ASS")).refused("6.1")
    assert play("ASS") not in taken.legal(DANNY)
    assert taken.seen_by("public").ass_banned


def test_6_2_in_the_round_after_next_the_taker_may_if_it_is_the_starting_player():
    taken = table(*SEED_HANDS).after(*SEED_ROUND, (DANNY, play("8 8")))
    assert not taken.seen_by("public").ass_banned
    won = taken.after((ERIK, PASS), (ARNO, PASS), (BABS, PASS), (CHRIS, PASS))
    won.when(DANNY, play("ASS")).then(AssPlayed(DANNY))
    lost = taken.after((ERIK, PASS), (ARNO, PASS), (BABS, play("9 9")), (CHRIS, PASS))
    assert GAME.to_act(lost.state) == {BABS}
    lost.when(DANNY, play("ASS")).out_of_turn("3.5")


@pytest.mark.parametrize("seats", range(3, 13))
def test_6_3_the_taker_can_always_lead_something_else(seats: int):
    hands = ["ASS 5", *["1 9"] * (seats - 2), "2"]
    taken = table(*hands).after((ARNO, play("ASS")), *((seat, play("1")) for seat in range(1, seats - 1)))
    (*_, end) = taken.when(seats - 1, play("2")).events()
    assert end == AssCardsTaken(seats - 1, cards("1 " * (seats - 2) + "2 ASS"))
    led = taken.after((seats - 1, play("2")))
    assert len(led.legal(seats - 1)) >= 2
    assert len(led.state.hands[seats - 1]) - 1 == seats - 1


def test_6_4_who_holds_only_the_ass_and_does_not_start_can_only_pass():
    turns = ((ARNO, play("5")), (BABS, play("6")), (CHRIS, play("7")), (CHRIS, play("1")))
    waiting = table("ASS 5", "6 1 1", "7 1 1").after(*turns)
    assert waiting.state.hands[ARNO] == cards("ASS")
    assert waiting.legal(ARNO) == [PASS]
    waiting.when(ARNO, play("ASS")).refused("5.1")


def test_6_5_the_ass_goes_from_one_to_another_and_may_come_back():
    hands = ("ASS 4 9 9", "3 3 9 9", "2 2 9 9")
    first = table(*hands).after((ARNO, play("ASS")), (BABS, play("3")), (CHRIS, play("2")))
    assert first.state.ass_holder == BABS
    again = first.after((BABS, play("9 9")), (CHRIS, PASS), (ARNO, PASS))
    second = again.after((BABS, play("ASS")), (CHRIS, play("2")), (ARNO, play("4")))
    assert second.state.ass_holder == ARNO


def test_6_6_the_ass_may_be_the_last_card():
    last = table("ASS", "2 2", "1 9").after((ARNO, play("ASS")), (BABS, play("2"))).when(CHRIS, play("1"))
    last.then(
        played(CHRIS, "1", 1),
        AssCardsTaken(BABS, cards("1 2 ASS")),
        HandScored(1, (0, 25, 9), (0, 25, 9), BABS),
    )


def test_6_7_two_ass_rounds_never_follow_one_another():
    taken = table(*SEED_HANDS).after(*SEED_ROUND)
    assert all(move != play("ASS") for seat in range(5) for move in taken.legal(seat))


def test_wx2_an_ass_round_as_the_rule_book_plays_it():
    *turns, (erik, one) = SEED_ROUND
    before = table(*SEED_HANDS).after(*turns)
    taken = before.when(erik, one).then(played(ERIK, "1", 1), AssCardsTaken(DANNY, cards("1 1 2 2 ASS")))
    assert GAME.to_act(taken.state) == {DANNY}
    taken.when(DANNY, play("ASS")).refused("6.1")
    next_round = taken.after((DANNY, play("8")), (ERIK, PASS), (ARNO, PASS), (BABS, PASS), (CHRIS, PASS))
    next_round.when(DANNY, play("ASS")).then(AssPlayed(DANNY))


def test_wx7_the_last_of_four_takes_when_everybody_played_1():
    turns = ((ARNO, play("ASS")), (BABS, play("1")), (CHRIS, play("J", 1)))
    last = table("ASS 5", "1 9", "J 9", "1 9").after(*turns).when(DANNY, play("1"))
    last.then(played(DANNY, "1", 1), AssCardsTaken(DANNY, cards("1 1 J ASS")))


def test_wx9_the_ass_alone_is_led_and_its_player_is_out():
    won = table("ASS 7", "5 5 9", "6 6 9").after((ARNO, play("7")), (BABS, PASS), (CHRIS, PASS))
    assert won.legal(ARNO) == [play("ASS")]
    last = won.after((ARNO, play("ASS")), (BABS, play("5"))).when(CHRIS, play("6"))
    _, taken, scored = last.events()
    assert taken == AssCardsTaken(CHRIS, cards("5 6 ASS"))
    assert scored == HandScored(1, (0, 14, 46), (0, 14, 46), CHRIS)


def test_wa9_always_one_is_an_option_and_then_nothing_need_be_said():
    led = table("ASS 5 5", "J 9", "J 9", ass_round_joker="always_one").after((ARNO, play("ASS")))
    led.when(BABS, play("J")).then(played(BABS, "J", 1))
    led.when(BABS, play("J", 1)).then(played(BABS, "J", 1))
    led.when(BABS, play("J", 14)).refused("5.6")
    assert led.legal(BABS) == [play("9"), play("J", 1)]


def test_wa10_nothing_between_1_and_14():
    for counts in range(2, 14):
        ASS_LED.when(BABS, play("J", counts)).refused("5.6")


def test_wa11_no_card_goes_with_the_ass():
    table("ASS 5 J", "2 2", "3 3").when(ARNO, play("ASS 5")).refused("5.2")


def test_wa12_the_last_of_equals_takes():
    turns = ((ARNO, play("ASS")), (BABS, play("J", 14)), (CHRIS, play("J", 14)))
    taken = table("ASS 5", "J 9", "J 9", "2 9").after(*turns, (DANNY, play("2")))
    assert taken.state.ass_holder == CHRIS


def test_wa13_the_bar_covers_one_lead():
    taken = table("ASS 4 9", "3 3 9", "2 2 9").after((ARNO, play("ASS")), (BABS, play("3")), (CHRIS, play("2")))
    taken.when(BABS, play("ASS")).refused("6.1")
    once = taken.after((BABS, play("9")), (CHRIS, PASS), (ARNO, PASS))
    once.when(BABS, play("ASS")).then(AssPlayed(BABS))


def test_wa14_with_three_players_two_other_cards_come_with_the_ass():
    taken = table("ASS 5", "2", "1 9").after((ARNO, play("ASS")), (BABS, play("2")), (CHRIS, play("1")))
    assert taken.legal(BABS) == [play("1"), play("2")]


def test_wa15_the_ass_alone_waits_for_the_lead():
    waiting = table("ASS 5", "6 1 1", "7 9 9").after((ARNO, play("5")), (BABS, PASS), (CHRIS, play("7")))
    turn = waiting.after((CHRIS, play("9")))
    turn.when(ARNO, PASS).then(Passed(ARNO))


def test_wa16_somebody_else_always_takes_the_ass():
    lowest = table("ASS", "1 1", "1 1").after((ARNO, play("ASS")), (BABS, play("1"))).when(CHRIS, play("1"))
    assert AssCardsTaken(CHRIS, cards("1 1 ASS")) in lowest.events()
    assert not any(isinstance(event, RoundWon) for event in lowest.events())
