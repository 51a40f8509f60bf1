"""Osel, trumps, clauses 8 and 9: points, jars, eggs, sevens, the end. See domain/osel_trumps/RULES.md."""

from typing import Any

import pytest

from domain.game import Outcome
from domain.osel import PACK, jars, pairs_without_points
from domain.osel_trumps import GAME
from domain.osel_trumps.score import ranking, scores
from domain.osel_trumps.state import HandScored, MatchWon
from tests.domain.osel_trumps.table import (
    ANNA,
    BORIS,
    GLEB,
    VERA,
    cards,
    dealt,
    jars_of,
    last_pot,
    pile,
    play,
    ranks,
    scored,
    table,
)

ENOUGH = {2: 5, 3: 4, 4: 3}
"""So many pairs without points make four jars of five, for two, three and four sides."""


def column(sides: int, **rows: str) -> None:
    """The jars of one column of the tables: ``four="14 1"`` are the most and the least points for four jars."""
    for name, totals in rows.items():
        expected = ("none", "one", "two", "three", "four", "five", "six").index(name)
        assert {jars(int(total), 0, sides) for total in totals.split()} == {expected}, name


def even(*shares: tuple[str, str], **values: Any) -> HandScored:
    """The score of a hand whose last pot is worth nothing: seat 0 leads the 7 of spades, and nobody beats it."""
    last = ("7S", "8C", "9D", "8H")[: len(shares)]
    piles = [pile(suits, plus, minus=" ".join(last)) for suits, plus in shares]
    ending = last_pot(*last, piles=piles, **values)
    return jars_of(ending, *((seat, play(card)) for seat, card in enumerate(last)))


def test_8_1_each_side_adds_up_what_it_captured():
    event = even(("SH", ""), ("DC", ""))
    assert (event.card_points, event.pairs) == ((60, 60), (4, 3))
    lone = table("AH 10H", "KH QH", "6C 7C").after((ANNA, play("AH 10H")), (BORIS, play("KH QH")))
    assert jars_of(lone, (VERA, play("6C 7C"))).card_points == (29, 0, 0)
    pairs = even(("S", ""), ("H", ""), ("D", ""), ("C", ""), teams="pairs")
    assert (pairs.card_points, pairs.points) == ((60, 60, 60, 60), (0, 0, 0, 0))


def test_8_2_the_table_of_two_sides():
    column(2, none="124 61 60", one="59 45", two="44 30", three="29 15", four="14 1", five="0", six="-1 -4")


def test_8_3_the_table_of_three_players():
    column(3, none="124 41 40", one="39 30", two="29 20", three="19 10", four="9 1", five="0", six="-1 -4")


def test_8_4_the_table_of_four_players():
    column(4, none="124 31 30", one="29 23", two="22 16", three="15 9", four="8 2", five="1 0", six="-1 -4")


def test_8_5_pairs_without_points_decide_between_four_and_five_jars():
    assert pairs_without_points(ranks("6 7 8 9")) == 8
    assert pairs_without_points(cards("6S 9H 7C")) == 1
    assert pairs_without_points(cards("JS QS KS 10S AS")) == 0
    for sides, enough in ENOUGH.items():
        assert [jars(0, pairs, sides) for pairs in (enough, enough - 1)] == [4, 5]
        assert {jars(-1, pairs, sides) for pairs in range(9)} == {6}
    assert [jars(1, pairs, 4) for pairs in (3, 2)] == [4, 5]
    assert jars(1, 8, 4) == 4
    assert jars(1, 0, 2) == jars(1, 0, 3) == 4


def test_8_6_the_table_is_that_of_the_players_still_there():
    two_left = last_pot(
        "7S",
        "",
        "8C",
        piles=(pile("SH", "10D KD", minus="7S"), (), pile("C", "AD QD", minus="8C")),
        before=scored((0, 10, 0), out=[BORIS]),
    )
    assert jars_of(two_left, (ANNA, play("7S")), (VERA, play("8C"))).points == (0, 0, 1)
    four = even(("S", "10D"), ("H", ""), ("", "AD"), ("C", ""))
    assert (four.card_points, four.points) == ((40, 30, 12, 30), (0, 0, 3, 0))
    pairs = even(("S", "10D"), ("H", ""), ("", "AD"), ("C", ""), teams="pairs")
    assert (pairs.card_points, pairs.points) == ((52, 60, 52, 60), (1, 0, 1, 0))


def test_8_7_eggs_add_a_jar_in_the_next_hand():
    assert even(("SH", ""), ("DC", "")).eggs == (ANNA, BORIS)
    assert even(("S", "10H"), ("D", "10C"), ("", "AH KH QH AC KC QC")).eggs == (ANNA, BORIS, VERA)
    assert even(("S", ""), ("H", ""), ("D", "AC"), ("", "KC")).eggs == (ANNA, BORIS)
    loser: Any = (("SHD", ""), ("C", ""))
    assert even(*loser).points == (0, 2)
    assert even(*loser, before=scored((0, 0), eggs=[BORIS])).points == (0, 3)
    assert even(*loser, before=scored((0, 0), eggs=[ANNA])).points == (0, 2)
    both = even(*loser, before=scored((0, 0), eggs=[ANNA, BORIS]))
    assert (both.points, both.eggs) == ((0, 3), ())
    again = even(("SH", ""), ("DC", ""), before=scored((0, 0), eggs=[ANNA, BORIS]))
    assert (again.points, again.eggs) == ((0, 0), (ANNA, BORIS))
    partners = even(("SH", ""), ("", ""), ("D", ""), ("C", ""), teams="pairs", before=scored((0,) * 4, eggs=[1, 3]))
    assert partners.points == (0, 3, 0, 3)


def test_8_8_eggs_stay_with_their_owner_when_the_match_shrinks():
    start = last_pot(
        "7S",
        "",
        "8C",
        piles=(pile("SHD", minus="7S"), (), pile("C", minus="8C")),
        before=scored((0, 10, 0), eggs=[BORIS, VERA], out=[BORIS]),
    )
    assert start.seen_by("public").eggs == (BORIS, VERA)
    assert jars_of(start, (ANNA, play("7S")), (VERA, play("8C"))).points == (0, 0, 3)
    halves = last_pot(
        "7S",
        "",
        "8C",
        piles=(pile("SH", minus="7S"), (), pile("DC", minus="8C")),
        before=scored((0, 10, 0), out=[BORIS]),
    )
    assert jars_of(halves, (ANNA, play("7S")), (VERA, play("8C"))).eggs == (ANNA, VERA)


SEVENS = table("7S 7H 7D 7C", "8S 8H 8D 9C", "9S 9H 9D 6C")


def with_sevens(*lots: str) -> list[Any]:
    """Scores of sides with these suits, of which the first held four sevens."""
    return [side.jars for side in scores([pile(suits) for suits in lots], [False] * len(lots), 0)]


def test_8_9_four_sevens_and_more_than_par_cost_the_others_a_jar():
    assert SEVENS.state.sevens == ANNA
    assert SEVENS.after((ANNA, play("7S"))).state.sevens == ANNA
    assert with_sevens("SHD", "C") == [0, 3]
    assert with_sevens("SH", "DC") == [0, 0]
    assert with_sevens("C", "SHD") == [2, 0]
    assert with_sevens("SH", "D", "C") == [0, 2, 2]
    assert with_sevens("SHDC", "", "", "") == [0, 6, 6, 6]
    drawn = table("7S 7H 7D 6S", "8S 8H 8D QS", leader=BORIS, stock="8C 7C")
    assert drawn.state.sevens is None
    assert drawn.after((BORIS, play("QS")), (ANNA, play("6S"))).state.sevens == ANNA
    rich = last_pot("7S 7H 7D 7C", "9S 9H 8S 8H", piles=(ranks("A 10 K"), ranks("Q J")))
    event = jars_of(rich, (ANNA, play("7S 7H 7D 7C")), (BORIS, play("9S 9H 8S 8H")))
    assert (event.card_points, event.sevens, event.points) == ((108, 16), ANNA, (0, 4))
    halves = (pile("SH", minus="7S 7H 8S 8H 9S 9H"), pile("DC", minus="7D 7C"))
    par = last_pot("7S 7H 7D 7C", "9S 9H 8S 8H", piles=halves)
    event = jars_of(par, (ANNA, play("7S 7H 7D 7C")), (BORIS, play("9S 9H 8S 8H")))
    assert (event.card_points, event.sevens, event.points) == ((60, 60), None, (0, 0))
    # Once held is enough, whatever is drawn later; the next hand begins anew.
    held = table("7S 7H 7D 7C", "8S 8H 8D QS", stock="8C QD").after((ANNA, play("7S")), (BORIS, play("8H")))
    assert (held.state.hands[ANNA], held.state.sevens) == (cards("7H 7D 7C 8C"), ANNA)
    assert held.with_events(scored((0, 3)), dealt("9S", "9H", hand=2)).state.sevens is None
    # A pair has the jar in common, and the partner's captures count.
    pair = last_pot(
        "7S 7H 7D 7C",
        "9S 9H 8S 8H",
        "QS QH 8D 8C",
        "JS JH JD JC",
        piles=((), ranks("K"), ranks("A 10"), ()),
        teams="pairs",
    )
    turns = ((BORIS, "9S 9H 8S 8H"), (VERA, "QS QH 8D 8C"), (GLEB, "JS JH JD JC"))
    event = jars_of(pair, (ANNA, play("7S 7H 7D 7C")), *((seat, play(text)) for seat, text in turns))
    assert (event.card_points, event.sevens) == ((98, 20, 98, 20), ANNA)
    assert event.points == (0, 4, 0, 4)


def test_8_10_jars_are_added_up():
    event = even(("SHD", ""), ("C", ""), before=scored((3, 4)))
    assert (event.points, event.totals) == ((0, 2), (3, 6))


def test_9_1_who_has_ten_jars_leaves():
    event = even(("S", "10H"), ("D", "10C"), ("", "AH KH"), before=scored((0, 0, 9)))
    assert (event.totals, event.out) == ((0, 0, 12), (VERA,))


def three(before: tuple[int, int, int], **values: Any) -> Any:
    """The table after a hand of 40, 52 and 20 points, with these jars before it."""
    piles = (pile("S", "10H", minus="7S"), pile("D", "AH 10C", minus="8C"), cards("KH QH AC"))
    return last_pot("7S", "8C", "9D", piles=piles, before=scored(before), **values).after(
        (ANNA, play("7S")), (BORIS, play("8C")), (VERA, play("9D"))
    )


def test_9_2_the_others_go_on_until_one_is_left():
    out = three((0, 0, 8))
    assert (out.state.totals, out.state.active, out.state.winners) == ((0, 0, 10), (0, 1), ())
    assert GAME.outcome(out.state) is None
    assert out.seen_by("public").left == (VERA,)
    none_out = three((0, 0, 7))
    assert none_out.state.active == (0, 1, 2)
    piles = (pile("SHD", minus="7S"), pile("C", minus="8C"), ())
    two = last_pot("7S", "8C", "", piles=piles, before=scored((0, 9, 10), out=[VERA]))
    over = two.after((ANNA, play("7S")), (BORIS, play("8C")))
    assert GAME.outcome(over.state) == Outcome(((ANNA,), (BORIS,), (VERA,)))


@pytest.mark.parametrize("end", ["last_standing", "first_out"])
def test_9_3_two_sides_are_done_when_one_has_ten(end: str):
    two = last_pot(
        "7S",
        "8C",
        piles=(pile("SHD", minus="7S"), pile("C", minus="8C")),
        before=scored((7, 8)),
        match_end=end,
    ).after((ANNA, play("7S")), (BORIS, play("8C")))
    assert (two.state.totals, two.state.winners) == ((7, 10), (ANNA,))
    shares = (pile("SH", minus="7S 8H"), (), pile("D", minus="9D"), pile("C", minus="8C"))
    pairs = last_pot(
        "7S", "8C", "9D", "8H", piles=shares, before=scored((1, 9, 1, 9)), teams="pairs", match_end=end
    ).after((ANNA, play("7S")), (BORIS, play("8C")), (VERA, play("9D")), (GLEB, play("8H")))
    assert pairs.state.totals == (1, 11, 1, 11)
    assert GAME.outcome(pairs.state) == Outcome(((ANNA, VERA), (BORIS, GLEB)))


def test_9_4_first_out_ends_the_match_with_the_first_ten():
    over = three((3, 5, 8), match_end="first_out")
    assert (over.state.totals, over.state.winners) == ((3, 5, 10), (ANNA,))
    assert GAME.outcome(over.state) == Outcome(((ANNA,), (BORIS,), (VERA,)))
    assert three((4, 4, 9), match_end="first_out").state.winners == (ANNA, BORIS)
    assert three((3, 5, 7), match_end="first_out").state.winners == ()


def test_9_5_later_is_better_and_fewer_jars_are_better():
    assert ranking((3, 11, 10, 12), (0, 5, 2, 5)) == ((0,), (1,), (3,), (2,))
    assert ranking((3, 11, 11, 12), (0, 5, 5, 4)) == ((0,), (1, 2), (3,))
    over = three((3, 5, 8), match_end="first_out")
    over.when(ANNA, play("7S")).out_of_turn("9.5")
    assert over.seen_by("public").winners == (ANNA,)


def test_9_6_somebody_always_takes_no_jar():
    for sides in (2, 3, 4):
        par = 120 // sides
        assert jars(par, 0, sides) == 0
        assert jars(par - 1, 0, sides) == 1
    for lots in (("SHDC", ""), ("SH", "DC"), ("S", "H", "DC"), ("S", "H", "D", "C"), ("SHD", "C", "", "")):
        for sevens in (None, *range(len(lots))):
            results = scores([pile(suits) for suits in lots], [True] * len(lots), sevens)
            assert 0 in [side.jars for side in results]


def test_tx13_jars_of_two_sides():
    totals = {61: 0, 60: 0, 59: 1, 45: 1, 44: 2, 40: 2, 30: 2, 29: 3, 15: 3, 14: 4, 1: 4, -1: 6, 124: 0, -4: 6}
    assert {total: jars(total, 0, 2) for total in totals} == totals
    assert [jars(0, count // 2, 2) for count in (10, 9)] == [4, 5]
    extreme = even(("SHDC", "7S"), ("", ""))
    assert (extreme.card_points, extreme.points) == ((120, 0), (0, 5))
    all_but_sixes = [card for card in PACK if card not in ranks("6")]
    best, worst = scores([all_but_sixes, list(ranks("6"))], [False, False], None)
    assert ((best.card_points, best.jars), (worst.card_points, worst.jars)) == ((124, 0), (-4, 6))
    assert even(("SH", ""), ("DC", "")).eggs == (ANNA, BORIS)


def test_tx14_jars_of_three_players():
    totals = {41: 0, 40: 0, 39: 1, 29: 2, 19: 3, 9: 4, -2: 6}
    assert {total: jars(total, 0, 3) for total in totals} == totals
    assert [jars(0, count // 2, 3) for count in (8, 7)] == [4, 5]


def test_ta1_eggs_of_two_sides_are_60_points():
    assert jars(40, 0, 2) == 2
    assert [side.over for side in scores([pile("SH"), pile("DC")], [False, False], None)] == [0, 0]


def test_ta14_sevens_in_hand_and_above_par():
    assert with_sevens("SH", "DC") == [0, 0]
    assert with_sevens("S", "HDC") == [2, 0]
    captured_only = last_pot("9S", "8C", piles=(pile("SHD", minus="9S"), pile("C", minus="8C")))
    event = jars_of(captured_only, (ANNA, play("9S")), (BORIS, play("8C")))
    assert (event.sevens, event.points) == (None, (0, 2))


def test_ta15_each_loser_with_eggs_takes_a_jar_more():
    piles = [pile("SH"), pile("D"), pile("C")]
    assert [side.jars for side in scores(piles, [True] * 3, None)] == [0, 2, 2]
    assert [side.jars for side in scores(piles, [False, True, False], None)] == [0, 2, 1]


def test_ta16_eggs_do_not_add_up():
    twice = even(("SH", ""), ("DC", ""), before=scored((0, 0), eggs=[ANNA, BORIS]))
    assert twice.eggs == (ANNA, BORIS)
    assert even(("SHD", ""), ("C", ""), before=scored((0, 0), eggs=twice.eggs)).points == (0, 3)
    forgotten = even(("SHD", ""), ("C", ""), before=scored((0, 0), eggs=[BORIS]))
    assert forgotten.eggs == ()


def test_ta17_pairs_are_captured_sixes_to_nines():
    assert jars(0, pairs_without_points(ranks("6 7 8")), 2) == 4
    assert jars(0, pairs_without_points(ranks("7 8")), 2) == 5


def test_ta18_a_negative_total_is_six_jars():
    assert jars(-1, 8, 2) == jars(-4, 8, 3) == jars(-2, 8, 4) == 6


def test_ta20_the_last_who_is_left_wins_unless_the_table_says_first_out():
    assert GAME.options().match_end == "last_standing"
    assert three((3, 5, 8)).state.winners == ()
    assert three((3, 5, 8), match_end="first_out").state.winners == (ANNA,)


def test_sevens_alone_are_not_a_loss_of_the_hand():
    """Eggs count for who takes a jar by the table; the jar for the others' sevens is not by the table."""
    piles = [pile("SH", "10C"), pile("D", "AC"), pile("", "KC QC JC")]
    jar = [side.jars for side in scores(piles, [False, True, True], 0)]
    assert [side.card_points for side in scores(piles, [False] * 3, None)] == [70, 42, 9]
    assert jar == [0, 1, 6]


def test_the_match_says_who_won():
    end = last_pot("7S", "8C", piles=(pile("SHD", minus="7S"), pile("C", minus="8C")), before=scored((0, 9)))
    events = end.after((ANNA, play("7S"))).when(BORIS, play("8C")).events()
    assert isinstance(events[-2], HandScored)
    assert events[-1] == MatchWon((ANNA,), (0, 11))
