"""Osel, one against the rest, clauses 1 and 2: the cards and the deal. See domain/osel_solo/RULES.md."""

import random
from collections import Counter

import msgspec
import pytest

from domain.cards import Card
from domain.game import DEALER, Drawn
from domain.osel import PACK, POINTS, STRENGTH, card_points
from domain.osel_solo import GAMES, THREE_AGAINST_ONE, TWO_AGAINST_ONE
from domain.osel_solo.rules import Pass
from domain.osel_solo.score import group_of
from domain.osel_solo.state import CardsDealt, Options
from tests.domain.osel_solo.table import (
    ANNA,
    BORIS,
    CLARA,
    DIMA,
    PASS,
    SOLO,
    at_play,
    cards,
    drawn,
    empty_table,
    ending,
    full,
    give,
    last_play,
    piles,
    play,
    scored,
    table,
)
from tests.domain.spec import Given

TOP_FOUR = "AS 10S KS QS"


def deal(given_: Given, draw: Drawn) -> CardsDealt:
    (event,) = given_.when(DEALER, draw).events()
    assert isinstance(event, CardsDealt)
    return event


def test_1_1_there_are_36_cards():
    assert len(set(PACK)) == 36
    assert Counter(card[-1] for card in PACK) == dict.fromkeys("SHDC", 9)
    at_play("7H", "8H", "9H").when(ANNA, play("2H")).refused("1.1")


def test_1_2_the_ten_is_between_king_and_ace():
    assert sorted(STRENGTH, key=STRENGTH.__getitem__) == ["6", "7", "8", "9", "J", "Q", "K", "10", "A"]


def test_1_3_each_suit_counts_30_and_the_pack_120():
    assert [POINTS[rank] for rank in ("A", "10", "K", "Q", "J", "9", "8", "7", "6")] == [12, 10, 5, 3, 1, 0, 0, 0, -1]
    for suit in "SHDC":
        assert card_points(card for card in PACK if card.endswith(suit)) == 30
    assert card_points(PACK) == 120
    assert card_points(card for card in PACK if not card.startswith("6")) == 124


def test_1_4_exactly_three_or_exactly_four_play():
    assert [(game.id, list(game.seats)) for game in GAMES] == [
        ("osel-two-against-one", [3]),
        ("osel-three-against-one", [4]),
    ]


def test_1_5_the_pack_has_three_groups_that_nothing_changes():
    assert {suit: group_of(Card("7" + suit)) for suit in "HCDS"} == {"H": 0, "C": 0, "D": 1, "S": 2}
    assert not [field for field in msgspec.structs.fields(Options) if "trump" in field.name]


def test_1_6_too_few_points_are_jars():
    assert scored(ending(piles(70, 30, 20))).points == (0, 1, 2)


def test_2_1_the_first_dealer_is_drawn_and_then_whoever_led_first_deals():
    for dealer in (ANNA, BORIS, CLARA):
        assert deal(empty_table(3), drawn("", "", "", dealer=dealer)).dealer == dealer
    over = ending(piles(50, 40, 30), opener=CLARA)
    assert over.state.opener == ANNA
    done = over.with_events(*last_play(over))
    assert TWO_AGAINST_ONE.chance(done.state) == (PACK,)
    assert deal(done, drawn("", "", "", lot=False)).dealer == ANNA
    led_by_boris = ending(piles(20, 80, 20))
    led_by_boris = Given(led_by_boris.game, msgspec.structs.replace(led_by_boris.state, opener=BORIS))
    done = led_by_boris.with_events(*last_play(led_by_boris))
    assert deal(done, drawn("", "", "", dealer=BORIS, lot=False)).dealer == BORIS


@pytest.mark.parametrize(("seats", "each"), [(3, 11), (4, 8)])
def test_2_2_cards_are_dealt_one_at_a_time_from_the_left_of_the_dealer(seats: int, each: int):
    event = deal(empty_table(seats), Drawn((tuple(map(str, range(seats))), PACK)))
    assert [len(hand.opened) for hand in event.hands] == [each] * seats
    assert event.dealer == ANNA
    for place in range(seats):
        seat = (1 + place) % seats
        assert set(event.hands[seat].opened) == set(PACK[place : seats * each : seats])
    assert (event.hand, event.void) == (1, False)


@pytest.mark.parametrize("seats", [3, 4])
def test_2_3_as_many_cards_as_players_are_the_talon_and_nobody_sees_them(seats: int):
    event = deal(empty_table(seats), Drawn((tuple(map(str, range(seats))), PACK)))
    assert event.talon.opened == PACK[-seats:]
    assert event.talon.to == ()
    after = empty_table(seats).with_events(event)
    assert [after.seen_by(seat).talon for seat in (*range(seats), "public")] == [None] * (seats + 1)
    assert after.seen_by("public").talon_size == seats


@pytest.mark.parametrize("seats", [3, 4])
def test_2_4_a_deal_is_void_when_one_player_has_the_four_highest_trumps(seats: int):
    have, have_not = ["", TOP_FOUR, *[""] * (seats - 2)], ["KS 10S QS", "AS", *[""] * (seats - 2)]
    for redeal, void in (
        ("one_has_top4", (True, False)),
        ("unless_one_has_top4", (False, True)),
        ("never", (False,) * 2),
    ):
        start = empty_table(seats, redeal=redeal)
        events = [deal(start, drawn(*hands)) for hands in (have, have_not)]
        assert tuple(event.void for event in events) == void
        assert [event.asked is None for event in events] == list(void)


def test_2_5_after_a_void_deal_the_same_dealer_deals_the_same_hand():
    void = empty_table(3).after((DEALER, drawn(TOP_FOUR, "", "", dealer=CLARA)))
    assert TWO_AGAINST_ONE.to_act(void.state) == {DEALER}
    assert TWO_AGAINST_ONE.chance(void.state) == (PACK,)
    again = deal(void, drawn("", "", "", dealer=CLARA, lot=False))
    assert (again.hand, again.dealer, again.void) == (1, CLARA, False)
    assert TWO_AGAINST_ONE.hands(void.state) == 0
    later = ending(piles(50, 40, 30))
    over = later.with_events(*last_play(later))
    void = over.after((DEALER, drawn(TOP_FOUR, "", "", lot=False)), (DEALER, drawn(TOP_FOUR, "", "", lot=False)))
    assert (void.state.hand, void.state.scored, void.state.dealer) == (2, 1, ANNA)


def test_2_6_the_variant_is_an_option_for_the_whole_match():
    hands = ("6D", "7D", "8D")
    for variant, stage in ((1, "gifts"), (2, "laying_away"), (3, "variant")):
        start = table(*hands, variant=variant)
        assert start.after((ANNA, SOLO)).state.stage == stage
        assert msgspec.convert({"variant": variant}, Options).variant == variant
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"variant": 4}, Options)
    assert Options().variant == 1


def test_2_7_players_see_their_own_hand_and_everybody_the_rest_of_the_table():
    start = table("6D", "7D", "8D").after((ANNA, PASS))
    assert start.seen_by(BORIS).hand == start.state.hands[BORIS]
    for viewer in (ANNA, "public"):
        view = start.seen_by(viewer)
        assert (view.hands, view.talon) == (None, None)
        assert (view.passed, view.due, view.hand_sizes) == ((ANNA,), (BORIS,), (11, 11, 11))
    assert start.seen_by("public").hand is None
    assert start.seen_by("all").hands == start.state.hands
    pot = at_play("AH 7S", "6C 8S", "KH 9S").after((ANNA, play("AH")), (BORIS, play("6C")), (CLARA, play("KH")))
    view = pot.seen_by("public")
    assert (view.pile_sizes, view.last_pot.seat, view.last_pot.cards) == ((3, 0, 0), ANNA, 3)
    assert not {"piles", "captured"} & set(view.__struct_fields__)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_2_8_the_dealer_deals_and_nobody_else(game):
    seats = game.seats[0]
    lots = tuple(map(str, range(seats)))
    start = empty_table(seats)
    assert game.to_act(start.state) == {DEALER}
    assert game.chance(start.state) == (lots, PACK)
    start.when(ANNA, Drawn((lots, PACK))).refused("2.8")
    start.when(DEALER, PASS).refused("2.8")
    start.when(ANNA, PASS).out_of_turn("2.8")
    start.when(DEALER, Drawn((lots, PACK[1:]))).refused("2.8")
    start.when(DEALER, Drawn((PACK,))).refused("2.8")
    start.when(DEALER, Drawn((lots, (*PACK[1:], PACK[1])))).refused("2.8")
    under_way = start.after((DEALER, Drawn((lots, PACK))))
    under_way.when(DEALER, Drawn((PACK,))).out_of_turn("2.8")
    assert game.chance(under_way.state) == ()


def test_2_9_cards_come_from_the_own_hand_and_each_is_there_once():
    at_play("7H", "8H", "9H").when(ANNA, play("8H")).refused("2.9")
    gifts = table("6D AH", "7D", "8D").after((ANNA, SOLO))
    gifts.when(ANNA, give("AH 7D")).refused("2.9")
    gifts.when(ANNA, give("AH AH")).refused("2.9")
    gifts.when(ANNA, give("AH XX")).refused("1.1")


def test_aa1_the_redeal_can_be_taken_by_the_letter_or_switched_off():
    rare = empty_table(3, redeal="unless_one_has_top4")
    assert deal(rare, drawn("", "", TOP_FOUR)).void is False
    assert deal(rare, drawn("", "", "AS 10S KS")).void is True
    assert deal(empty_table(3, redeal="never"), drawn(TOP_FOUR, "", "")).void is False


def test_aa1_about_one_deal_in_sixty_is_void_with_three_and_one_in_two_hundred_with_four():
    found = {}
    for seats in (3, 4):
        chance = random.Random(seats)
        start = empty_table(seats)
        lots = tuple(map(str, range(seats)))
        draws = (Drawn((lots, tuple(chance.sample(PACK, 36)))) for _ in range(6000))
        found[seats] = sum(deal(start, draw).void for draw in draws) / 6000
    print(f"void deals: {found}")
    assert 0.010 < found[3] < 0.025
    assert 0.002 < found[4] < 0.009


def test_aa2_the_jack_is_not_among_the_four_highest_trumps():
    assert deal(empty_table(3), drawn("AS 10S KS JS", "QS", "")).void is False
    assert deal(empty_table(3), drawn("AS 10S KS QS", "JS", "")).void is True


def test_aa16_the_variant_is_no_part_of_a_deal_or_of_a_move():
    assert not [name for name in CardsDealt.__struct_fields__ if "variant" in name]
    table("6D", "7D", "8D", variant=2).after((ANNA, SOLO)).when(ANNA, Pass()).refused("4.3")


def test_ax3_the_queen_elsewhere_or_in_the_talon_saves_the_deal():
    start = empty_table(3)
    assert deal(start, drawn(TOP_FOUR, "", "")).void is True
    assert deal(start, drawn("AS 10S KS", "QS", "")).void is False
    assert deal(start, drawn("AS 10S KS", "", "", talon="QS")).void is False
    assert deal(empty_table(4), drawn("", "", "", TOP_FOUR)).void is True


def test_words_of_these_tests_deal_what_they_say():
    for seats in (3, 4):
        hands, talon = full(["AH", "KH", "QH", "JH"][:seats], "6S")
        assert sorted([*sum(hands, ()), *talon]) == sorted(PACK)
        event = deal(empty_table(seats), drawn(*["AH", "KH", "QH", "JH"][:seats], talon="6S", dealer=BORIS))
        assert [set(hand.opened) for hand in event.hands] == [set(hand) for hand in hands]
        assert event.talon.opened == talon
    assert cards("AH 6S") == ("AH", "6S")
    assert THREE_AGAINST_ONE.seats[0] == DIMA + 1
