"""Osel, fours, clauses 1 to 3: aim, cards, the deal, the target. See domain/osel_fours/RULES.md."""

from itertools import pairwise, product

import pytest

from domain.cards import RANKS, pack
from domain.game import DEALER, Drawn, Refused
from domain.match.rules import options_of
from domain.osel_fours import GAME, score
from domain.osel_fours.state import (
    PACK,
    CardsDealt,
    HandScored,
    MatchWon,
    Options,
    cards_each,
    fours_in,
    in_order,
    most_fours,
)
from tests.domain.osel_fours.table import ANNA, BORIS, CLARA, cards, drawn, empty_table, pile_for, swap, table

every_number_of_players = pytest.mark.parametrize("seats", range(2, 14))

MOST_FOURS = {2: 6, 3: 4, 4: 3, 5: 2, 6: 2} | dict.fromkeys(range(7, 14), 1)


def deal(seats: int, lot: int = 0, pile: tuple[str, ...] = PACK) -> CardsDealt:
    """The first deal of a match."""
    first, *_ = empty_table(seats).when(DEALER, drawn(lot=lot, seats=seats, pile=pile)).events()
    assert isinstance(first, CardsDealt)
    return first


def accepts(seats: int, target: int) -> bool:
    try:
        options_of(GAME, {"target": target}, seats)
    except Refused:
        return False
    return True


def test_1_1_there_are_52_cards_and_no_others():
    assert sorted(PACK) == sorted(pack("2"))
    assert len(set(PACK)) == 52
    for name in ("1S", "11H", "JOKER", "9", "", "9X", "9c"):
        table("2S", "3S").when(BORIS, swap(name)).refused("1.1")


def test_1_2_ranks_go_from_two_to_ace_and_are_compared_in_fours_only():
    assert RANKS == ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
    for low, high in pairwise(RANKS):
        assert score.best([(low,), (high,)]) == BORIS
        assert score.best([(high,), (low,)]) == ANNA
    assert in_order(cards("AS 2C 10H 2S 9D")) == cards("2S 2C 9D 10H AS")


def test_1_3_a_four_is_all_four_cards_of_a_rank():
    assert fours_in(cards("9* 4S 4H 4D AC")) == ("9",)
    assert fours_in(cards("2* K* 10*")) == ("K", "10", "2")
    assert fours_in(cards("9S 9H 9D 10C")) == ()
    assert fours_in(()) == ()


def test_1_4_from_2_to_13_play():
    assert list(GAME.seats) == list(range(2, 14))
    assert cards_each(13) == 4
    assert cards_each(14) == 3
    for seats in (1, 14):
        with pytest.raises(Refused):
            options_of(GAME, {}, seats)


@every_number_of_players
def test_2_1_the_lot_names_the_first_dealer(seats: int):
    assert GAME.chance(empty_table(seats).state) == (tuple(map(str, range(seats))), PACK)
    assert {deal(seats, lot=lot).dealer for lot in range(seats)} == set(range(seats))
    assert deal(seats, lot=seats - 1).dealer == seats - 1


@every_number_of_players
def test_2_2_the_deal_goes_to_the_left(seats: int):
    play = empty_table(seats).after((DEALER, drawn(lot=1, seats=seats)))
    dealers = []
    for hand in range(1, seats + 2):
        dealers.append(play.state.dealer)
        play = play.with_events(HandScored(hand, (0,) * seats, (0,) * seats, "limit", None, ()))
        assert GAME.chance(play.state) == (PACK,)
        play = play.after((DEALER, drawn()))
    assert dealers == [(1 + hand) % seats for hand in range(seats + 1)]


def test_2_3_cards_are_dealt_singly_from_the_dealers_left():
    event = deal(3, lot=BORIS)
    assert event.dealer == BORIS
    first, second, third = (event.hands[seat].opened for seat in (CLARA, ANNA, BORIS))
    assert (first, second, third) == (in_order(PACK[0:51:3]), in_order(PACK[1:51:3]), in_order(PACK[2:51:3]))


@every_number_of_players
def test_2_4_everybody_gets_equally_many_cards(seats: int):
    each = {2: 26, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5, 11: 4, 12: 4, 13: 4}[seats]
    assert cards_each(seats) == each
    assert [len(hidden.opened) for hidden in deal(seats).hands] == [each] * seats


@every_number_of_players
def test_2_5_what_is_left_over_is_set_aside_for_nobody_to_see(seats: int):
    aside = {2: 0, 3: 1, 4: 0, 5: 2, 6: 4, 7: 3, 8: 4, 9: 7, 10: 2, 11: 8, 12: 4, 13: 0}[seats]
    event = deal(seats)
    assert event.aside.to == ()
    assert event.aside.opened == in_order(PACK[52 - aside :])
    dealt = [card for hidden in event.hands for card in hidden.opened]
    assert sorted((*dealt, *event.aside.opened)) == sorted(PACK)
    assert 13 - min(aside, 13) >= 5


def test_2_6_chance_is_the_dealers_and_the_dealer_deals_only_before_a_hand():
    start, command = empty_table(3), drawn(lot=0, seats=3)
    start.when(ANNA, command).refused("2.6")
    start.when(DEALER, swap("9C")).refused("2.6")
    start.when(ANNA, swap("9C")).out_of_turn("2.6")
    start.when(DEALER, Drawn(command.lists[1:])).refused("2.6")
    start.when(DEALER, Drawn((("0", "1", "3"), PACK))).refused("2.6")
    start.when(DEALER, Drawn((command.lists[0], ("2S", "2S", *PACK[2:])))).refused("2.6")
    start.when(DEALER, Drawn((command.lists[0], PACK[1:]))).refused("2.6")
    playing = table("2S 3S", "4S 5S", "6S 7S")
    assert GAME.chance(playing.state) == ()
    playing.when(DEALER, command).out_of_turn("2.6")
    won = HandScored(1, (1, 0, 0), (1, 0, 0), "swap", ANNA, ("9", "8", "7"))
    over = playing.with_events(won, MatchWon((ANNA,), (1, 0, 0)))
    over.when(DEALER, drawn()).out_of_turn("7.2")
    assert GAME.to_act(over.state) == frozenset()
    assert GAME.chance(over.state) == ()


def test_3_1_the_target_is_agreed_before_the_match_and_holds_for_all_its_hands():
    for seats, target in ((2, 5), (3, 4), (4, 3), (13, 1)):
        play = empty_table(seats, target=target)
        assert play.state.target == play.seen_by("public").target == target
        later = play.after((DEALER, drawn(lot=0, seats=seats))).with_events(
            HandScored(1, (0,) * seats, (0,) * seats, "limit", None, ())
        )
        assert later.state.target == target


def test_3_2_a_target_that_does_not_fit_into_a_hand_is_refused():
    """Every number of players with every target from -1 to 60."""
    for seats, target in product(range(2, 14), range(-1, 61)):
        assert accepts(seats, target) == (1 <= target <= MOST_FOURS[seats] == most_fours(seats))
    with pytest.raises(Refused, match="3 players a hand has 17 cards, so the target is from 1 to 4, not 5") as caught:
        GAME.check(Options(target=5), 3)
    assert caught.value.clause == "3.2"


@every_number_of_players
def test_3_3_the_usual_target_is_3_or_the_most_that_fits(seats: int):
    assert empty_table(seats).state.target == {5: 2, 6: 2}.get(seats, 3 if seats < 5 else 1)
    assert options_of(GAME, {}, seats) == options_of(GAME, {"target": "usual"}, seats) == Options()


def test_3_4_more_fours_than_the_target_are_as_good():
    pile = pile_for("2* 3* 4*", "", "", "5S 6S 7S 8S 9S 10S JS QS KS AS 5H 6H 7H")
    *_, scored = empty_table(4, target=2, wins_needed=2).when(DEALER, drawn(lot=0, seats=4, pile=pile)).events()
    assert scored == HandScored(1, (1, 0, 0, 0), (1, 0, 0, 0), "deal", ANNA, ("4", "3", "2"))


def test_fx1_what_each_number_of_players_gets_and_may_aim_for():
    for seats, each, aside, target in ((4, 13, 0, 3), (3, 17, 1, 4), (2, 26, 0, 6)):
        event = deal(seats)
        assert ({len(hidden.opened) for hidden in event.hands}, len(event.aside.opened)) == ({each}, aside)
        assert accepts(seats, target)
        assert not accepts(seats, target + 1)
    with pytest.raises(Refused):
        options_of(GAME, {"target": 1}, 14)


def test_fa1_no_card_leaves_the_pack_before_the_deal_and_no_hand_is_larger():
    for seats in GAME.seats:
        assert GAME.chance(empty_table(seats).state)[-1] == PACK
        assert len({len(hidden.opened) for hidden in deal(seats).hands}) == 1
    for name in ("leftover", "exchange", "tie", "dealt_win", "declare"):
        with pytest.raises(Refused):
            options_of(GAME, {name: "aside"}, 3)


def test_fa7_thirteen_players_have_four_cards_each_and_can_win():
    play = empty_table(13).after((DEALER, drawn(lot=0, seats=13)))
    assert play.state.target == 1
    assert {len(hand) for hand in play.state.hands} == {4}


def test_fa10_the_deal_goes_clockwise_whoever_won():
    for winner in (ANNA, BORIS, CLARA):
        points = tuple(int(seat == winner) for seat in range(3))
        over = table("2S", "3S", "4S", dealer=BORIS).with_events(HandScored(1, points, points, "swap", winner, ("9",)))
        assert over.after((DEALER, drawn())).state.dealer == CLARA
