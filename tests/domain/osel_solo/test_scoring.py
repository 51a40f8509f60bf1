"""Osel, one against the rest, clauses 7, 8 and 9: points, jars, the match, the table. See domain/osel_solo/RULES.md."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.cards import Card
from domain.game import DEALER, Outcome, Refused
from domain.match.rules import options_of
from domain.osel import PACK, card_points, jars, pairs_without_points
from domain.osel_solo import GAMES, THREE_AGAINST_ONE, TWO_AGAINST_ONE
from domain.osel_solo.score import ranking, results
from domain.osel_solo.state import HandScored, MatchWon, Options
from tests.domain.osel_solo.table import (
    ANNA,
    BORIS,
    CLARA,
    DIMA,
    PASS,
    SOLO,
    at_play,
    back,
    cards,
    choose,
    drawn,
    empty_table,
    ending,
    exchange,
    give,
    last_play,
    lay_away,
    piles,
    play,
    scored,
    table,
)
from tests.domain.spec import Given

TWO_SIDES = [
    (124, 0, 0), (61, 0, 0), (60, 0, 0), (59, 0, 1), (45, 0, 1), (44, 0, 2), (40, 0, 2), (30, 0, 2), (29, 0, 3),
    (15, 0, 3), (14, 0, 4), (1, 8, 4), (0, 5, 4), (0, 8, 4), (0, 4, 5), (0, 0, 5), (-1, 8, 6), (-4, 2, 6),
]  # fmt: skip
THREE_SIDES = [
    (124, 0, 0), (41, 0, 0), (40, 0, 0), (39, 0, 1), (30, 0, 1), (29, 0, 2), (20, 0, 2), (19, 0, 3), (10, 0, 3),
    (9, 0, 4), (1, 0, 4), (0, 4, 4), (0, 3, 5), (-2, 8, 6),
]  # fmt: skip
FOUR_SIDES = [
    (124, 0, 0), (31, 0, 0), (30, 0, 0), (29, 0, 1), (23, 0, 1), (22, 0, 2), (16, 0, 2), (15, 0, 3), (9, 0, 3),
    (8, 0, 4), (2, 0, 4), (1, 3, 4), (1, 2, 5), (0, 3, 4), (0, 2, 5), (-1, 3, 6),
]  # fmt: skip
"""Points, pairs without points, and the jars for them."""

WITHOUT_POINTS = cards("7H 7C 7D 7S 8H 8C 8D 8S 9H 9C 9D 9S")


def sevens_held(start: Given) -> int | None:
    held: int | None = start.state.sevens
    return held


def test_7_1_captured_cards_are_counted_and_are_120_together():
    event = scored(ending(piles(50, 40, 30)))
    assert event.card_points == (50, 40, 30)
    assert card_points(cards("AH 10H KH QH JH 9H 8H 7H 6H")) == 30
    assert card_points(PACK) == 120


def test_7_2_with_a_soloist_there_are_two_sides_and_laid_away_cards_count():
    captured = piles(40, 52, 28)
    away = " ".join(captured[BORIS][:3])
    event = scored(ending(captured, soloist=BORIS, variant=2, laid_away=away))
    assert event.card_points == (40, 52, 28)
    assert event.points == (0, 1, 0)
    assert event.soloist == BORIS


@pytest.mark.parametrize(("points", "expected"), [((50, 41, 29), (0, 0, 2)), ((31, 29, 22, 38), (0, 1, 2, 0))])
def test_7_3_if_everybody_passed_each_player_is_a_side(points: tuple[int, ...], expected: tuple[int, ...]):
    event = scored(ending(piles(*points)))
    assert (event.points, event.soloist) == (expected, None)


@pytest.mark.parametrize(("total", "pairs", "expected"), TWO_SIDES)
def test_7_4_jars_for_two_sides(total: int, pairs: int, expected: int):
    assert jars(total, pairs, 2) == expected


@pytest.mark.parametrize(("total", "pairs", "expected"), THREE_SIDES)
def test_7_5_jars_for_three_sides(total: int, pairs: int, expected: int):
    assert jars(total, pairs, 3) == expected


@pytest.mark.parametrize(("total", "pairs", "expected"), FOUR_SIDES)
def test_7_6_jars_for_four_sides(total: int, pairs: int, expected: int):
    assert jars(total, pairs, 4) == expected


def test_7_7_pairs_are_the_sixes_to_nines_of_a_side_rounded_down():
    assert pairs_without_points(cards("6H 7H 8H 9H JH")) == 2
    assert pairs_without_points(cards("6H 7H 8H")) == 1
    assert pairs_without_points(PACK) == 8
    # Partners: five and five cards without points are five pairs together, not two and two.
    rest = tuple(card for card in PACK if card not in WITHOUT_POINTS[:10])
    seats = results([rest, WITHOUT_POINTS[:5], WITHOUT_POINTS[5:10]], ANNA, (), None)
    assert [result.pairs for result in seats] == [3, 5, 5]
    assert [result.jars for result in seats] == [0, 4, 4]
    alone = results([rest, WITHOUT_POINTS[:5], WITHOUT_POINTS[5:10]], None, (), None)
    assert [result.pairs for result in alone] == [3, 2, 2]


def test_7_8_a_losing_soloist_takes_the_jars_and_losing_partners_take_them_each():
    assert scored(ending(piles(28, 52, 40), soloist=BORIS)).points == (0, 1, 0)
    assert scored(ending(piles(20, 75, 25), soloist=BORIS)).points == (1, 0, 1)
    assert scored(ending(piles(90, 10, 12, 8), soloist=ANNA)).points == (0, 2, 2, 2)


def test_7_9_eggs_cost_one_jar_more_in_the_next_hand_if_there_is_one_to_take():
    even = scored(ending(piles(60, 35, 25), soloist=ANNA))
    assert (even.points, even.eggs) == ((0, 0, 0), (ANNA, BORIS, CLARA))
    alone = scored(ending(piles(50, 40, 30)))
    assert (alone.points, alone.eggs) == ((0, 0, 1), (BORIS,))
    four = scored(ending(piles(30, 30, 20, 40)))
    assert (four.points, four.eggs) == ((0, 0, 2, 0), (ANNA, BORIS))
    paid = scored(ending(piles(50, 39, 31), eggs=(ANNA, BORIS)))
    assert (paid.points, paid.paid, paid.eggs) == ((0, 2, 1), (BORIS,), ())
    partners = scored(ending(piles(75, 25, 20), soloist=ANNA, eggs=(ANNA, BORIS, CLARA)))
    assert (partners.points, partners.paid) == ((0, 2, 2), (BORIS, CLARA))
    # They hold for one hand, and outlast a void deal.
    over = ending(piles(50, 40, 30))
    over = over.with_events(*last_play(over))
    assert over.state.eggs == (BORIS,)
    void = over.after((DEALER, drawn("AS 10S KS QS", "", "", lot=False)))
    assert void.state.eggs == (BORIS,)
    assert over.after((DEALER, drawn("", "", "", lot=False))).seen_by("public").eggs == (BORIS,)


def test_7_10_four_sevens_cost_each_opponent_a_jar_if_their_holder_ends_above_par():
    assert scored(ending(piles(61, 30, 29), soloist=ANNA, sevens=ANNA)).points == (0, 2, 2)
    assert scored(ending(piles(59, 31, 30), soloist=ANNA, sevens=BORIS)).points == (2, 0, 0)
    assert scored(ending(piles(50, 40, 30), sevens=ANNA)).points == (0, 1, 2)
    for points, sevens in (((60, 31, 29), ANNA), ((60, 31, 29), BORIS), ((61, 30, 29), BORIS)):
        event = scored(ending(piles(*points), soloist=ANNA, sevens=sevens))
        assert event.sevens is None
        assert event.points == ((0, 0, 0) if points[0] == 60 else (0, 1, 1))
    assert scored(ending(piles(50, 40, 30), sevens=BORIS)).points == (0, 0, 1)
    assert scored(ending(piles(50, 40, 30), sevens=ANNA)).sevens == ANNA
    off = Options(four_sevens="off")
    assert scored(ending(piles(50, 40, 30), sevens=ANNA, options=off)).points == (0, 0, 1)


def test_7_10_it_is_enough_to_have_held_them_for_a_moment():
    three = "7H 7C 7D"
    assert sevens_held(table(f"{three} 7S", "6D", "8D")) == ANNA
    start = table(f"{three} 6D", "8D", "9D", talon="7S")
    assert sevens_held(start) is None
    taken = start.after((ANNA, SOLO))
    assert sevens_held(taken) == ANNA
    assert sevens_held(taken.after((ANNA, give("7S 7H")))) == ANNA
    # Given as a gift, or taken from the talon when everybody passed.
    gift = table("6D 7S", f"{three} 8D", "9D").after((ANNA, SOLO), (ANNA, give("7S 6D")))
    assert sevens_held(gift) == BORIS
    passed = table(f"{three} 6D", "8D", "9D", talon="6S 8S 7S", redeal="never").after(
        (ANNA, PASS), (BORIS, PASS), (CLARA, PASS)
    )
    assert sevens_held(passed) == ANNA
    # Laid away before the fourth came: never together in the hand.
    away = table(f"{three} 6D", "8D", "9D", talon="7S", variant=2).after((ANNA, SOLO), (ANNA, lay_away("7H 7C 7D")))
    assert sevens_held(away) is None
    again = Given(away.game, replace(away.state, sevens=CLARA, scored=1, stage="deal"))
    assert sevens_held(again.after((DEALER, drawn("", "", "", lot=False)))) is None


def test_7_10_a_seven_that_is_exchanged_is_never_held_with_the_one_that_comes_back():
    hands = (
        "6D AH KH 8H 7H 7C 7D 10H",
        "7S 6H 9H JH QH 6C 8C 9C",
        "8D 9D JD QD KD 10D AD JC",
        "8S 9S JS 10S AS QC KC 10C",
    )
    start = table(*hands, variant=2, redeal="never").after((ANNA, SOLO), (ANNA, lay_away("6D AH KH 8H")))
    assert set(cards("7H 7C 7D")) <= set(start.state.hands[ANNA])
    done = start.after((ANNA, exchange("7H 10H 7C")))
    assert Card("7S") in done.state.hands[ANNA]
    assert sevens_held(done) is None


def test_8_1_jars_are_added_to_those_before():
    event = scored(ending(piles(50, 41, 29), totals=(3, 4, 5)))
    assert (event.points, event.totals) == ((0, 0, 2), (3, 4, 7))
    over = ending(piles(50, 41, 29), totals=(3, 4, 5))
    over = over.with_events(*last_play(over))
    assert TWO_AGAINST_ONE.totals(over.state) == (3, 4, 7)
    assert TWO_AGAINST_ONE.hands(over.state) == 1


def test_8_2_the_match_is_over_after_the_hand_in_which_somebody_reaches_ten_jars():
    nine = ending(piles(50, 41, 29), totals=(3, 4, 7))
    assert not [event for event in last_play(nine) if isinstance(event, MatchWon)]
    ten = ending(piles(50, 41, 29), totals=(3, 4, 8))
    *_, won = last_play(ten)
    assert won == MatchWon((ANNA,), (3, 4, 10))
    over = ten.with_events(*last_play(ten))
    assert TWO_AGAINST_ONE.to_act(over.state) == frozenset()
    assert over.state.stage == "over"
    over.when(ANNA, PASS).out_of_turn("8.2")
    over.when(DEALER, drawn("", "", "")).out_of_turn("8.2")


def test_8_3_the_fewest_jars_win():
    ten = ending(piles(50, 41, 29), totals=(5, 4, 8))
    over = ten.with_events(*last_play(ten))
    assert TWO_AGAINST_ONE.outcome(over.state) == Outcome(((BORIS,), (ANNA,), (CLARA,)))
    assert TWO_AGAINST_ONE.outcome(ten.state) is None


def test_8_4_equally_few_jars_share_the_win():
    ten = ending(piles(40, 45, 22, 13), totals=(4, 4, 5, 8))
    *_, won = last_play(ten)
    assert won == MatchWon((ANNA, BORIS), (4, 4, 7, 11))
    assert ranking((4, 4, 7, 11)) == ((ANNA, BORIS), (CLARA,), (DIMA,))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_9_1_a_table_has_four_options_and_no_others(game: Any):
    assert {field.name for field in msgspec.structs.fields(game.options)} == {
        "variant",
        "redeal",
        "must_beat",
        "four_sevens",
    }
    assert options_of(game, {}, game.seats[0]) == Options(
        variant=1, redeal="one_has_top4", must_beat="off", four_sevens="on"
    )
    for wrong in ({"variant": 0}, {"redeal": "always"}, {"must_beat": True}, {"exchange": "off"}):
        with pytest.raises(Refused):
            options_of(game, wrong, game.seats[0])
    game.check(Options(variant=3, redeal="never", must_beat="on", four_sevens="off"), game.seats[0])


def test_9_2_what_is_played_for_an_absent_player():
    def house(start: Given, seat: int) -> Any:
        return start.game.fallback(start.state, seat)

    hands = ("6D AH KH 8H JS QS KS AS", "6S 7S AD 9D 10D KC AC JD", "7D 8D QD KD QH 6H 7H JH")
    start = table(*hands, "10H 9H 8C 7C 6C 9C JC QC", talon="10C 8S 9S 10S", variant=3)
    assert house(start, ANNA) == PASS
    solo = start.after((ANNA, SOLO))
    assert house(solo, ANNA) == choose(2)
    second = solo.after((ANNA, choose(2)))
    assert house(second, ANNA) == lay_away("KS AS KH AH")
    first = solo.after((ANNA, choose(1)))
    assert house(first, ANNA) == give("6D 8H 8S")
    given_ = first.after((ANNA, give("6D 8H 8S")))
    assert house(given_, ANNA) == exchange("9S JS QS")
    play_ = at_play("7H AH 6S", "9H 8S 9C", "JH 9S KC")
    assert house(play_, ANNA) == play("6S")
    led = play_.after((ANNA, play("7H")))
    assert house(led, BORIS) == play("9H")
    assert house(led.after((BORIS, play("9C"))), CLARA) == play("9S")
    ace = at_play("AS", "9H 8H", "JH KC").after((ANNA, play("AS")))
    assert house(ace, BORIS) == play("8H")
    tie = replace(given_.state, stage="returns", due=(BORIS,), hands=((), cards("KH KC 9C"), (), ()))
    assert THREE_AGAINST_ONE.fallback(tie, BORIS) == back("KH")


# --- Rulings and worked examples ---


def test_aa14_each_partner_takes_all_the_jars_of_the_side():
    assert scored(ending(piles(118, 1, 1), soloist=ANNA)).points == (0, 4, 4)


def test_aa15_sixty_to_sixty_costs_nobody_and_flags_everybody():
    event = scored(ending(piles(20, 60, 40), soloist=BORIS))
    assert (event.points, event.eggs) == ((0, 0, 0), (ANNA, BORIS, CLARA))
    event = scored(ending(piles(20, 60, 25, 15), soloist=BORIS))
    assert (event.points, event.eggs) == ((0, 0, 0, 0), (ANNA, BORIS, CLARA, DIMA))


def test_aa17_ten_jars_end_the_match_of_three():
    ten = ending(piles(90, 20, 10), totals=(0, 9, 0))
    assert isinstance(last_play(ten)[-1], MatchWon)


def test_aa18_four_sevens_may_be_switched_off():
    for option, points in (("on", (0, 1, 2)), ("off", (0, 0, 1))):
        options = Options(four_sevens=option)  # type: ignore[arg-type]
        assert scored(ending(piles(50, 40, 30), sevens=ANNA, options=options)).points == points


def test_ba7_ten_jars_end_the_match_of_four():
    ten = ending(piles(80, 20, 10, 10), totals=(0, 9, 0, 0))
    assert isinstance(last_play(ten)[-1], MatchWon)


def test_ba8_three_partners_take_the_jars_each():
    assert scored(ending(piles(10, 10, 90, 10), soloist=CLARA)).points == (2, 2, 0, 2)


def test_ax9_soloist_and_partners():
    assert scored(ending(piles(52, 40, 28), soloist=ANNA)).points == (1, 0, 0)
    assert scored(ending(piles(75, 25, 20), soloist=ANNA)).points == (0, 1, 1)


def test_ax11_all_passed():
    event = scored(ending(piles(50, 40, 30)))
    assert (event.points, event.eggs) == ((0, 0, 1), (BORIS,))


def test_ax12_what_is_laid_away_counts():
    own = cards("AH 10H KH 6S 7S 8S")
    left = tuple(card for card in PACK if card not in own)
    event = scored(ending([own, left[:15], left[15:]], soloist=ANNA, laid_away="AH 10H KH"))
    assert card_points(cards("AH 10H KH")) == 27
    assert event.card_points[ANNA] == 26


def test_bx5_three_partners_or_the_soloist_lose():
    assert scored(ending(piles(61, 30, 20, 9), soloist=ANNA)).points == (0, 1, 1, 1)
    assert scored(ending(piles(29, 51, 20, 20), soloist=ANNA)).points == (3, 0, 0, 0)


def test_a_score_says_everything_that_it_rests_on():
    event = scored(ending(piles(50, 40, 30)))
    fields = {"hand", "points", "totals", "soloist", "card_points", "pairs", "paid", "eggs", "sevens"}
    assert {field.name for field in msgspec.structs.fields(HandScored)} == fields
    assert len(event.pairs) == 3
    assert empty_table(3).seen_by("public").last_hand is None
