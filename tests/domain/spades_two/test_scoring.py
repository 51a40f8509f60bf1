"""Two-handed Spades, clauses 8 to 11: points, bags, the end, the table. See domain/spades_two/RULES.md."""

from itertools import product
from typing import Any

import msgspec
import pytest

from domain.game import DEALER, Drawn, Outcome, Refused
from domain.match.rules import options_of
from domain.spades_two import GAME, score
from domain.spades_two.rules import Bid, Exchange
from domain.spades_two.state import PACK, HandScored, MatchWon, Options
from tests.domain.spades_two.table import (
    ANNA,
    BELA,
    KEEP,
    NO,
    REJECT,
    YES,
    after_cards,
    answered,
    drafted,
    hand_of,
    last_hand,
    play,
    playing,
    scored,
    shuffled,
)
from tests.domain.spec import given

BIDS: tuple[Any, ...] = (*range(14), "double_nil")


def restated(bid: Any, tricks: int) -> tuple[int, int]:
    """Points and bags of section 2.3 of the rules, written down row by row."""
    nil = {"double_nil": 200, 0: 100}
    if bid in nil:
        return (nil[bid], 0) if tricks == 0 else (-nil[bid], tricks)
    over = tricks - bid
    return (10 * bid + over, over) if over >= 0 else (-10 * bid, 0)


def test_8_1_a_made_bid_is_10_a_trick_and_1_for_each_above():
    for tricks in range(1, 14):
        for bid in range(1, tricks + 1):
            assert score.points(bid, tricks) == 10 * bid + tricks - bid
    assert last_hand(hand_of(0, 6, (1, 4))).points[BELA] == 42


def test_8_2_a_bid_that_fails_loses_10_for_each_trick_bid():
    for tricks in range(13):
        for bid in range(tricks + 1, 14):
            assert score.points(bid, tricks) == -10 * bid
    assert last_hand(hand_of(2, 4, (2, 5))).points == (20, -50)


def test_8_3_nil():
    assert last_hand(hand_of(0, 3, (0, 3))).points == (100, 30)
    assert last_hand(hand_of(2, 3, (0, 3))).points == (-100, 30)


def test_8_4_double_nil():
    made = last_hand(hand_of(0, 3, (0, 3), anna_says=YES))
    assert (made.bids, made.points) == (("double_nil", 3), (200, 30))
    assert last_hand(hand_of(2, 3, (0, 3), anna_says=YES)).points == (-200, 30)


def test_8_5_totals_may_fall_below_zero():
    events = hand_of(0, 1, (13, 13), before=scored(7, (-3000, -2990)))
    assert events[-1] == last_hand(events)
    assert events[-1].totals == (-3130, -3120)


def test_9_1_tricks_above_the_bid_are_bags():
    assert last_hand(hand_of(2, 4, (1, 1))).bags == (1, 3)
    assert last_hand(hand_of(2, 4, (3, 4))).bags == (0, 0)


@pytest.mark.parametrize(("option", "bags"), [("count", 3), ("ignore", 0)])
@pytest.mark.parametrize("says", [YES, NO])
def test_9_2_the_tricks_of_a_failed_nil_are_bags(option: str, bags: int, says: Any):
    hand = last_hand(hand_of(3, 1, (0, 1), anna_says=says, failed_nil_bags=option))
    assert hand.bags == (bags, 0)
    assert hand.points[ANNA] in (-100, -200)
    assert last_hand(hand_of(0, 4, (0, 1), anna_says=says, failed_nil_bags=option)).bags == (0, 3)
    assert Options().failed_nil_bags == "count"


def test_9_3_every_tenth_bag_costs_100_and_the_counter_runs_on():
    hand = last_hand(hand_of(0, 5, (0, 3), before=scored(4, (0, 200), (0, 9))))
    assert (hand.points, hand.penalties, hand.bags, hand.totals) == ((100, -68), (0, 100), (0, 11), (100, 132))
    again = last_hand(hand_of(0, 9, (0, 1), before=scored(5, (0, 0), (0, 11))))
    assert (again.bags[BELA], again.penalties[BELA]) == (19, 0)
    for bags, more in product(range(60), range(14)):
        after, penalty = score.counted(bags, more, "carry")
        tens = [number for number in range(bags + 1, bags + more + 1) if number % 10 == 0]
        assert (after, penalty) == (bags + more, 100 * len(tens))


def test_9_4_with_reset_a_counter_of_ten_goes_back_to_0():
    hand = last_hand(hand_of(0, 5, (0, 1), before=scored(4, (0, 200), (0, 9)), bag_carry="reset"))
    assert (hand.points[BELA], hand.penalties[BELA], hand.bags[BELA]) == (14 - 100, 100, 0)
    for bags, more in product(range(10), range(14)):
        full = bags + more >= 10
        assert score.counted(bags, more, "reset") == ((0, 100) if full else (bags + more, 0))
    assert Options().bag_carry == "carry"


def test_9_5_the_penalty_comes_before_the_look_at_the_totals():
    events = hand_of(0, 5, (13, 3), before=scored(4, (0, 480), (0, 9)))
    assert last_hand(events).totals == (-130, 412)
    assert not any(isinstance(event, MatchWon) for event in events)
    saved = hand_of(0, 5, (13, 3), before=scored(4, (0, 480), (0, 7)))
    assert saved[-1] == MatchWon((BELA,), (-130, 512))


def test_10_1_another_hand_follows_with_the_roles_changed():
    table = after_cards(playing("2H", "3H"), "3H 2H")
    assert table.state.stage == "deal"
    assert GAME.to_act(table.state) == {DEALER}
    assert table.after((DEALER, Drawn((PACK,)))).state.first == BELA
    assert table.legal(ANNA) == table.legal(BELA) == []


def test_10_2_points_are_compared_when_a_hand_is_over():
    table = playing("2H 4C", "3H 3C", bids=(1, 1), before=scored(3, (0, 490)))
    table = after_cards(table, "3H 2H")
    assert table.state.won == (0, 1)
    assert table.state.winners == ()
    won = after_cards(table, "3C").when(ANNA, play("4C")).events()
    assert won[-1] == MatchWon((BELA,), (10, 500))


def test_10_3_of_two_with_500_the_higher_wins():
    events = hand_of(3, 3, (2, 3), before=scored(9, (480, 478)))
    assert events[-1] == MatchWon((BELA,), (501, 508))
    won = given(GAME, *events[-2:]).state
    assert GAME.outcome(won) == Outcome(((BELA,), (ANNA,)))


def test_10_4_of_two_with_the_same_neither_has_won_yet():
    events = hand_of(3, 3, (3, 3), before=scored(9, (470, 470)))
    assert events[-1] == last_hand(events)
    assert events[-1].totals == (500, 500)
    below = hand_of(3, 3, (6, 7), before=scored(10, (500, 500)))
    assert below[-1] == last_hand(below)
    assert below[-1].totals == (440, 430)
    decided = hand_of(3, 3, (3, 4), before=scored(10, (500, 500)))
    assert decided[-1] == MatchWon((ANNA,), (530, 460))


@pytest.mark.parametrize(("hand", "limit", "over"), [(2, 3, False), (3, 3, True), (4, 3, True), (200, 0, False)])
def test_10_5_after_the_last_hand_the_higher_total_wins(hand: int, limit: int, over: bool):
    events = hand_of(3, 3, (4, 5), before=scored(hand - 1, (0, 0)), max_hands=limit)
    assert isinstance(events[-1], MatchWon) == over
    if over:
        assert events[-1] == MatchWon((ANNA,), (-40, -50))
    equal = hand_of(3, 3, (3, 3), before=scored(hand - 1, (0, 0)), max_hands=limit)
    assert isinstance(equal[-1], HandScored)
    assert Options().max_hands == 0


def test_10_6_nothing_is_played_after_the_match():
    over = given(GAME, shuffled("AS KS QS JS"), scored(1, (500, 0)), MatchWon((ANNA,), (500, 0)))
    over.when(BELA, NO).out_of_turn("10.6")
    over.when(DEALER, Drawn((PACK,))).out_of_turn("10.6")
    assert GAME.to_act(over.state) == frozenset()
    assert GAME.chance(over.state) == ()
    assert over.seen_by("public").stage == "over"


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": 99},
        {"target": 1001},
        {"skipped_card": "all"},
        {"failed_nil_bags": "count_and_points"},
        {"bag_carry": "keep"},
        {"max_hands": -1},
        {"max_hands": 201},
        {"lead_rule": "winner"},
        {"target": 500.5},
    ],
)
def test_11_1_a_table_has_five_options_within_their_bounds(wrong: dict[str, object]):
    with pytest.raises(Refused):
        options_of(GAME, wrong, 2)
    assert options_of(GAME, {"target": 1000, "max_hands": 200}, 2) == Options(target=1000, max_hands=200)
    assert msgspec.to_builtins(Options()) == {
        "target": 500,
        "skipped_card": "hidden",
        "failed_nil_bags": "count",
        "bag_carry": "carry",
        "max_hands": 0,
    }
    for seats in (1, 3):
        with pytest.raises(Refused):
            options_of(GAME, {}, seats)


def test_11_2_what_the_house_does_for_an_absent_player():
    assert GAME.fallback(given(GAME, shuffled("AS KS QS JS")).state, BELA) == NO
    for card, move in (("2S", KEEP), ("10H", KEEP), ("AC", KEEP), ("9H", REJECT), ("2D", REJECT)):
        assert GAME.fallback(answered(f"{card} 3D 7C KH").state, ANNA) == move
    assert GAME.fallback(drafted("2H", "3H", anna_says=YES).state, ANNA) == Exchange(())
    for hand, bid in (("AS KH QS", 3), ("2H 3H QD", 1), ("AD KC 2S", 2)):
        assert GAME.fallback(drafted("2C 3C 4C", hand).state, BELA) == Bid(bid)
    hands = "2C 3C 4C", "2H KH 5S"
    for bids, card in (((1, 1), "KH"), ((1, 0), "2H")):
        assert GAME.fallback(playing(*hands, bids=bids).state, BELA) == play(card)
    discarding = "2C 9D 3S", "AH 2H 3H"
    for bids, card in (((1, 1), "3S"), ((0, 1), "2C")):
        assert GAME.fallback(after_cards(playing(*discarding, bids=bids), "AH").state, ANNA) == play(card)
    double = playing("2C 9D 3S", "AH 2H 3H", bids=(0, 1), anna_says=YES)
    assert GAME.fallback(after_cards(double, "AH").state, ANNA) == play("2C")


def test_every_bid_with_every_number_of_tricks():
    for bid, tricks in product(BIDS, range(14)):
        points, bags = restated(bid, tricks)
        assert score.points(bid, tricks) == points
        assert score.new_bags(bid, tricks, "count") == bags
        assert score.new_bags(bid, tricks, "ignore") == (0 if bid in (0, "double_nil") else bags)


@pytest.mark.parametrize("tricks", range(7))
def test_every_bid_in_hands_that_are_played(tricks: int):
    for bid in BIDS:
        says, number = (YES, 0) if bid == "double_nil" else (NO, bid)
        hand = last_hand(hand_of(6 - tricks, tricks, (1, number), bela_says=says))
        assert (hand.bids[BELA], hand.tricks) == (bid, (6 - tricks, tricks))
        assert (hand.points[BELA], hand.bags[BELA]) == restated(bid, tricks)


def test_sa12_tricks_above_the_bid_are_worth_1_each():
    assert last_hand(hand_of(0, 7, (1, 2))).points[BELA] == 25


def test_sa13_a_failed_nil_brings_bags_and_no_points():
    hand = last_hand(hand_of(4, 1, (0, 1)))
    assert (hand.points[ANNA], hand.bags[ANNA]) == (-100, 4)


def test_sa14_bags_beyond_ten_are_carried():
    first = last_hand(hand_of(0, 5, (1, 1), before=scored(1, (0, 0), (0, 8))))
    assert (first.bags[BELA], first.penalties[BELA]) == (12, 100)
    both = last_hand(hand_of(0, 13, (1, 1), before=scored(1, (0, 0), (0, 9))))
    assert (both.bags[BELA], both.penalties[BELA]) == (21, 200)


def test_sa15_the_penalty_can_keep_a_player_from_winning():
    assert last_hand(hand_of(0, 3, (1, 2), before=scored(1, (0, 480), (0, 9)))).totals[BELA] == 401


def test_sa16_a_match_is_not_won_within_a_hand():
    table = playing("2H 4C", "3H 3C", before=scored(3, (0, 495)))
    assert GAME.outcome(after_cards(table, "3H 2H").state) is None


def test_sa17_equal_totals_play_on():
    assert score.winner((500, 500), 500, last_hand=False) is None
    assert score.winner((499, 498), 500, last_hand=False) is None
    assert score.winner((500, 501), 500, last_hand=False) == BELA


def test_sa19_there_is_no_limit_unless_the_table_sets_one():
    assert isinstance(hand_of(1, 1, (2, 2), before=scored(5000, (-9, -8)))[-1], HandScored)
    assert score.winner((-9, -8), 500, last_hand=True) == BELA
    assert score.winner((-9, -9), 500, last_hand=True) is None


def test_sx5_made_and_set():
    made = last_hand(hand_of(0, 6, (1, 4)))
    assert (made.points[BELA], made.bags[BELA]) == (42, 2)
    lost = last_hand(hand_of(3, 4, (1, 5)))
    assert (lost.points[BELA], lost.bags[BELA]) == (-50, 0)
    exact = last_hand(hand_of(3, 5, (1, 5)))
    assert (exact.points[BELA], exact.bags[BELA]) == (50, 0)


@pytest.mark.parametrize(
    ("says", "tricks", "points", "bags"), [(NO, 0, 100, 0), (NO, 2, -100, 2), (YES, 0, 200, 0), (YES, 1, -200, 1)]
)
def test_sx6_nil_and_double_nil(says: Any, tricks: int, points: int, bags: int):
    hand = last_hand(hand_of(tricks, 4, (0, 1), anna_says=says))
    assert (hand.points[ANNA], hand.bags[ANNA]) == (points, bags)


def test_sx7_the_tenth_bag():
    hand = last_hand(hand_of(1, 5, (1, 3), before=scored(6, (100, 300), (0, 9))))
    assert (hand.points[BELA], hand.bags[BELA]) == (-68, 11)


def test_sx10_who_has_won():
    first = hand_of(5, 6, (5, 4), before=scored(9, (480, 470)))
    assert first[-1] == MatchWon((ANNA,), (530, 512))
    equal = hand_of(6, 6, (4, 4), before=scored(9, (470, 470)))
    assert equal[-1] == last_hand(equal)
    assert equal[-1].totals == (512, 512)
    alone = hand_of(3, 3, (3, 3), before=scored(9, (475, 468)))
    assert alone[-1] == MatchWon((ANNA,), (505, 498))


def test_sx13_of_two_nils_one_fails():
    for anna in range(7):
        points = last_hand(hand_of(anna, 13 - anna, (0, 0))).points
        assert points.count(100) == (1 if anna == 0 else 0)
