"""Cards in their text form."""

from itertools import permutations

import pytest

from domain.cards import RANKS, SUITS, Card, Handings, laid_off, pack, put, rank_of, suit_of, without
from domain.game import Drawn, is_drawn_from


def test_a_pack_from_two_has_52_different_cards():
    assert len(pack("2")) == len(set(pack("2"))) == 52


def test_a_pack_from_six_has_36_cards_and_none_below():
    cards = pack("6")
    assert len(set(cards)) == 36
    assert {rank_of(card) for card in cards} == {"6", "7", "8", "9", "10", "J", "Q", "K", "A"}


def test_a_pack_names_suit_by_suit_from_the_lowest_rank():
    assert pack("K") == ("KS", "AS", "KH", "AH", "KD", "AD", "KC", "AC")


def test_rank_and_suit_make_the_card():
    for card in pack("2"):
        assert rank_of(card) + suit_of(card) == card
        assert rank_of(card) in RANKS
        assert suit_of(card) in SUITS
    assert (rank_of(Card("10H")), suit_of(Card("10H"))) == ("10", "H")


def cards_of(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def test_cards_are_taken_out_once_each_and_the_order_is_kept():
    hand = cards_of("7 3 7 J 7")
    assert without(hand, cards_of("7 J")) == ("3", "7", "7")
    assert without(hand, ()) == hand


@pytest.mark.parametrize("cards", ["4", "3 3", "7 7 7 7"])
def test_a_card_that_is_not_there_often_enough_cannot_be_taken_out(cards: str):
    with pytest.raises(ValueError):
        without(cards_of("7 3 7 J 7"), cards_of(cards))
    with pytest.raises(ValueError):
        laid_off((cards_of(cards), cards_of("7 3 7 J 7")), 1, cards_of(cards))


def test_cards_that_are_laid_off_leave_one_hand_and_no_other():
    hands = (cards_of("7 J"), cards_of("7 3 7 J 7"), ())
    assert laid_off(hands, 1, cards_of("7 J")) == (hands[0], ("3", "7", "7"), ())
    assert hands[1] == cards_of("7 3 7 J 7")


def test_what_is_drawn_has_each_card_as_often_as_it_was_named():
    unlike, alike = (cards_of("A K Q"),), (cards_of("7 7 J"),)
    for named, drawn, right in (
        (unlike, "Q A K", True),
        (unlike, "Q A", False),
        (unlike, "Q A A", False),
        (unlike, "Q A K K", False),
        (alike, "7 J 7", True),
        (alike, "7 J J", False),
        (alike, "7 J 8", False),
    ):
        assert is_drawn_from(Drawn((cards_of(drawn),)), named) is right
    assert not is_drawn_from(Drawn(()), unlike)


def test_handings_are_the_permutations_one_by_one_and_all_together():
    hand = pack("6")[:7]
    for number in range(1, 5):
        every, ways = list(permutations(hand, number)), Handings(tuple, hand, number)
        assert list(ways) == every
        assert [ways[place] for place in range(len(ways))] == every
        assert (ways[-1], ways[2:40:3], list(reversed(ways))) == (every[-1], every[2:40:3], every[::-1])
        assert all(ways.index(way) == place for place, way in enumerate(every[:9]))


def test_three_of_twelve_cards_are_handed_out_in_1320_ways_and_of_two_cards_in_none():
    assert len(Handings(tuple, pack("6")[:12], 3)) == 12 * 11 * 10
    assert not Handings(tuple, pack("6")[:2], 3)
    with pytest.raises(IndexError):
        Handings(tuple, pack("6")[:3], 3)[6]


def test_a_card_is_put_where_it_belongs_and_may_come_for_another():
    place = {card: at for at, card in enumerate(pack("2"))}.__getitem__
    hand = cards_of("3S 9S KH 2C")
    assert put(hand, Card("JS"), place) == cards_of("3S 9S JS KH 2C")
    assert put(hand, Card("AC"), place, instead=Card("3S")) == cards_of("9S KH 2C AC")
    assert put((), Card("AC"), place) == ("AC",)
    with pytest.raises(ValueError):
        put(hand, Card("JS"), place, instead=Card("4S"))
