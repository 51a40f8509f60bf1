"""What the trump games of the Osel book share, tried on every card and every number of points."""

from itertools import product

import pytest

from domain.cards import Card, rank_of, suit_of
from domain.game import Seat
from domain.osel import (
    PACK,
    PAR,
    SENIOR_AND_JUNIOR,
    SEVENS,
    STRENGTH,
    Beating,
    Count,
    beats,
    card_points,
    counted,
    in_order,
    jars,
    pairs_without_points,
    with_eggs,
    with_sevens,
)

IN_SUIT = {
    "6": "7 8 9 J Q K 10 A",
    "7": "6 8 9 J Q K 10 A",
    "8": "9 J Q K 10 A",
    "9": "6 8 J Q K 10 A",
    "J": "6 8 Q K 10 A",
    "Q": "K 10 A",
    "K": "6 10 A",
    "10": "6 8 A",
    "A": "6 8",
}
"""For each rank what beats it in its own suit, written out from the clauses trumps 5.1 to 5.5 and solo 6.5 to 6.7."""

ONE_LOWER = {
    "6": "8",
    "7": "6 8",
    "8": "7",
    "9": "6 8",
    "J": "6 8 9",
    "Q": "J",
    "K": "6 Q",
    "10": "6 8 K",
    "A": "6 8 10",
}
"""The same where only the card that is exactly one rank lower beats, from the clauses trumps 5.1 to 5.5."""

OVER = {"H": "D S", "C": "D S", "D": "S", "S": ""}
"""For each suit the suits that beat it whatever the ranks, written out from the clauses trumps 5.8 and solo 6.8."""

SCALES = {
    2: ((60, 124, 0), (45, 59, 1), (30, 44, 2), (15, 29, 3), (1, 14, 4)),
    3: ((40, 124, 0), (30, 39, 1), (20, 29, 2), (10, 19, 3), (1, 9, 4)),
    4: ((30, 124, 0), (23, 29, 1), (16, 22, 2), (9, 15, 3), (2, 8, 4)),
}
"""For two, three and four sides: from, to, jars, as the tables of the rule books print them."""

ENOUGH = {2: 5, 3: 4, 4: 3}
ZEROS = {2: (0,), 3: (0,), 4: (0, 1)}


def rows(total: int, pairs: int, sides: int) -> list[int]:
    """Every row of the rule books that ``total`` and ``pairs`` fit into."""
    found = [row for least, most, row in SCALES[sides] if least <= total <= most]
    found += [4 if pairs >= ENOUGH[sides] else 5] * (total in ZEROS[sides])
    return found + [6] * (total < 0)


def pile(ranks: str) -> tuple[Card, ...]:
    """All cards of these ranks."""
    return tuple(card for card in PACK if rank_of(card) in ranks.split())


@pytest.mark.parametrize(("one_lower", "in_suit"), [(False, IN_SUIT), (True, ONE_LOWER)])
@pytest.mark.parametrize("equal_rank", [True, False])
def test_every_pair_of_cards_beats_as_a_table_written_by_hand_says(
    one_lower: bool, in_suit: dict[str, str], equal_rank: bool
):
    how = Beating(levels=SENIOR_AND_JUNIOR, one_lower=one_lower, equal_rank=equal_rank)
    tried = 0
    for card, top in product(PACK, repeat=2):
        rank, under, suit, below = rank_of(card), rank_of(top), suit_of(card), suit_of(top)
        if suit == below:
            expected = rank in in_suit[under].split()
        else:
            expected = (equal_rank and rank == under) or suit in OVER[below].split()
        assert beats(card, top, how) == expected, (card, top)
        tried += 1
    assert tried == 36 * 36


def test_usually_a_higher_card_beats_and_equal_ranks_always_do():
    assert Beating(levels=SENIOR_AND_JUNIOR) == Beating(levels=SENIOR_AND_JUNIOR, one_lower=False, equal_rank=True)


def test_without_trumps_no_suit_beats_another():
    free = Beating(levels={}, equal_rank=False)
    across = [(card, top) for card, top in product(PACK, repeat=2) if suit_of(card) != suit_of(top)]
    assert len(across) == 36 * 27
    assert not any(beats(card, top, free) for card, top in across)


def test_every_number_of_points_is_in_exactly_one_row_of_each_scale():
    tried = 0
    for sides, total, pairs in product(SCALES, range(-4, 125), range(9)):
        assert rows(total, pairs, sides) == [jars(total, pairs, sides)]
        tried += 1
    assert tried == 3 * 129 * 9


def test_par_is_an_equal_share_of_the_pack_and_the_least_that_brings_no_jar():
    assert {sides: par * sides for sides, par in PAR.items()} == dict.fromkeys((2, 3, 4), card_points(PACK))
    assert [(jars(par, 0, sides), jars(par - 1, 0, sides)) for sides, par in PAR.items()] == [(0, 1)] * 3


def test_what_a_side_made_is_its_points_its_pairs_its_distance_from_par_and_its_row():
    assert counted(pile("A 10"), 2) == Count(card_points=88, pairs=0, over=28, row=0)
    assert counted(pile("J K 6 7"), 2) == Count(card_points=20, pairs=4, over=-40, row=3)
    assert counted(pile("J K 6 7"), 4) == Count(card_points=20, pairs=4, over=-10, row=2)
    assert counted((), 3) == Count(card_points=0, pairs=0, over=-40, row=5)
    assert counted(pile("7 8"), 3) == Count(card_points=0, pairs=4, over=-40, row=4)
    assert counted(pile("6"), 2) == Count(card_points=-4, pairs=2, over=-64, row=6)


def test_pairs_without_points_are_sixes_to_nines_rounded_down():
    assert [pairs_without_points(pile("7 8 9")[:number]) for number in range(6)] == [0, 0, 1, 1, 2, 2]
    assert (pairs_without_points(PACK), pairs_without_points(pile("J Q K 10 A"))) == (8, 0)


def test_eggs_cost_a_jar_where_there_is_one_to_take():
    assert [with_eggs(row, eggs=True) for row in range(7)] == [0, 2, 3, 4, 5, 6, 7]
    assert [with_eggs(row, eggs=False) for row in range(7)] == list(range(7))


@pytest.mark.parametrize(
    ("hands", "before", "holder"),
    [
        (((), pile("7"), ()), None, 1),
        ((pile("8"), (*pile("7"), Card("6S"))), 0, 1),
        ((pile("7")[:3], pile("7")[3:]), None, None),
        ((pile("7")[:3], pile("7")[3:]), 0, 0),
        (((), ()), 1, 1),
    ],
)
def test_four_sevens_are_remembered_once_they_were_held_together(
    hands: tuple[tuple[Card, ...], ...], before: Seat | None, holder: Seat | None
):
    assert with_sevens(hands, before) == holder
    assert set(pile("7")) == SEVENS


def test_cards_stand_by_suit_and_rise_by_strength():
    ordered = in_order(reversed(PACK))
    assert sorted(ordered) == sorted(PACK)
    assert "".join(map(suit_of, ordered)) == "S" * 9 + "H" * 9 + "D" * 9 + "C" * 9
    assert [rank_of(card) for card in ordered] == list(STRENGTH) * 4
