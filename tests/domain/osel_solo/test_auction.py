"""Osel, one against the rest, clauses 3, 4 and 5: auction, talon, exchange. See domain/osel_solo/RULES.md."""

from itertools import combinations, permutations
from typing import Any

import pytest

from domain.cards import Card
from domain.game import DEALER, AnyGame, Seat
from domain.hidden import Hidden
from domain.osel_solo import GAMES
from domain.osel_solo.score import LADDER, highest
from domain.osel_solo.state import (
    CardsAssigned,
    CardsExchanged,
    CardsGiven,
    CardsLaidAway,
    Passed,
    ReturnChosen,
    SoloDeclared,
    TalonShared,
    TalonTaken,
    Transfer,
    VariantChosen,
)
from tests.domain.osel_solo.table import (
    ANNA,
    BORIS,
    CLARA,
    DIMA,
    PASS,
    SOLO,
    back,
    cards,
    choose,
    drawn,
    empty_table,
    exchange,
    give,
    lay_away,
    only,
    play,
    shared,
    table,
)
from tests.domain.spec import Given

HANDS = ("7D AH KH", "6D AC KC", "6S 8S AS")
"""Boris is asked first, then Anna, then Clara."""

FOUR = ("7D AH KH", "6D AC KC", "8D 8S", "9D 9S")
"""Boris, Anna, Clara, Dima."""


def sizes(given_: Given) -> list[int]:
    return [len(hand) for hand in given_.state.hands]


def asked_in_turn(start: Given) -> list[int]:
    order = []
    while start.state.stage == "auction":
        (seat,) = start.state.due
        order.append(seat)
        start = start.after((seat, PASS))
    return order


# --- 3. The auction ---


def test_3_1_players_are_asked_in_the_order_of_their_lowest_trumps():
    ladder = sorted(LADDER, key=LADDER.__getitem__)
    ranks = ("6", "7", "8", "9", "J", "Q", "K", "10", "A")
    assert ladder == [rank + suit for suit in "DS" for rank in ranks]
    assert asked_in_turn(table(*HANDS)) == [BORIS, ANNA, CLARA]
    assert asked_in_turn(table(*FOUR)) == [BORIS, ANNA, CLARA, DIMA]
    assert asked_in_turn(table("9D", "7D", "8D", talon="6D")) == [BORIS, CLARA, ANNA]
    assert table(*HANDS).seen_by("public").due == (BORIS,)


def test_3_2_players_without_a_trump_are_asked_last_from_the_left_of_the_dealer():
    hearts, clubs = "6H 7H 8H 9H JH QH KH 10H", "6C 7C 8C 9C JC QC KC 10C"
    trumps, more = "6D 7D 8D 9D JD QD KD 10D", "6S 7S 8S 9S JS AD AS QS"
    for dealer, order in ((ANNA, [BORIS, DIMA, CLARA, ANNA]), (BORIS, [BORIS, DIMA, CLARA, ANNA]), (CLARA, None)):
        start = table(hearts, trumps, clubs, more, dealer=dealer)
        assert asked_in_turn(start) == (order or [BORIS, DIMA, ANNA, CLARA])


def test_3_3_whoever_is_asked_says_solo_or_pass_and_nobody_else_speaks():
    start = table(*HANDS)
    assert start.legal(BORIS) == [SOLO, PASS]
    for seat in (ANNA, CLARA):
        start.when(seat, PASS).out_of_turn("3.3")
        start.when(seat, SOLO).out_of_turn("3.3")
        assert start.legal(seat) == []
    start.when(BORIS, play("6D")).refused("3.3")
    start.when(BORIS, choose(1)).refused("3.3")


def test_3_4_whoever_passes_has_no_further_part():
    passed = table(*HANDS).when(BORIS, PASS).then(Passed(BORIS, ANNA))
    passed.when(BORIS, SOLO).out_of_turn("3.3")
    passed.when(ANNA, PASS).then(Passed(ANNA, CLARA)).when(BORIS, SOLO).out_of_turn("3.3")


def test_3_5_the_first_solo_ends_the_auction():
    solo = table(*HANDS, variant=2).after((BORIS, PASS)).when(ANNA, SOLO).then(SoloDeclared(ANNA, 2))
    assert solo.state.soloist == ANNA
    solo.when(CLARA, SOLO).out_of_turn("4.3")
    solo.when(ANNA, PASS).refused("4.3")


def test_3_6_if_everybody_passes_everybody_plays_alone():
    passed = table(*HANDS).after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS))
    assert passed.state.soloist is None
    assert passed.state.stage == "play"


# --- 4. The talon ---


def test_4_1_variant_1_the_soloist_takes_the_talon_and_gives_each_opponent_a_card():
    start = table(*HANDS, talon="JS QS JD", variant=1)
    solo = start.when(BORIS, SOLO).then(SoloDeclared(BORIS, 1), TalonTaken(BORIS, only(BORIS, "JS QS JD")))
    assert sizes(solo) == [11, 14, 11]
    assert len(solo.legal(BORIS)) == 14 * 13
    assert set(solo.legal(BORIS)) == {give(f"{a} {b}") for a, b in permutations(solo.state.hands[BORIS], 2)}
    for wrong in ("JS", "JS QS JD", ""):
        solo.when(BORIS, give(wrong)).refused("4.1")
    solo.when(BORIS, PASS).refused("4.1")
    solo.when(BORIS, lay_away("JS QS JD")).refused("4.1")
    given_ = solo.after((BORIS, give("JS 6D")))
    assert Card("JS") in given_.state.hands[CLARA]
    assert Card("6D") in given_.state.hands[ANNA]


def test_4_2_gifts_go_clockwise_and_only_giver_and_receiver_know_them():
    solo = table(*FOUR, variant=1, redeal="never").after((BORIS, SOLO))
    gifts = CardsGiven(BORIS, (shared(BORIS, CLARA, "6D"), shared(BORIS, DIMA, "AC"), shared(BORIS, ANNA, "KC")))
    given_ = solo.when(BORIS, give("6D AC KC")).then(gifts)
    assert given_.state.transfers == (
        Transfer(BORIS, CLARA, Card("6D")),
        Transfer(BORIS, DIMA, Card("AC")),
        Transfer(BORIS, ANNA, Card("KC")),
    )
    seen = {viewer: [to.card for to in given_.seen_by(viewer).transfers] for viewer in (*range(4), "public", "all")}
    assert seen[BORIS] == seen["all"] == ["6D", "AC", "KC"]
    assert seen[CLARA] == ["6D", None, None]
    assert seen[DIMA] == [None, "AC", None]
    assert seen[ANNA] == [None, None, "KC"]
    assert seen["public"] == [None, None, None]


def test_4_3_variant_2_the_soloist_lays_away_as_many_cards_as_the_talon_has_and_then_takes_it():
    solo = table(*HANDS, talon="JS QS JD", variant=2).when(BORIS, SOLO).then(SoloDeclared(BORIS, 2))
    assert sizes(solo) == [11, 11, 11]
    assert set(solo.legal(BORIS)) == {lay_away(" ".join(some)) for some in combinations(solo.state.hands[BORIS], 3)}
    for wrong in ("6D AC", "6D AC KC JS", ""):
        assert solo.when(BORIS, lay_away(wrong)).refused("4.3")
    solo.when(BORIS, lay_away("6D AC JS")).refused("2.9")
    laid = solo.when(BORIS, lay_away("AC 6D KC")).then(
        CardsLaidAway(BORIS, only(BORIS, "6D KC AC")), TalonTaken(BORIS, only(BORIS, "JS QS JD"))
    )
    assert set(cards("JS QS JD")) < set(laid.state.hands[BORIS])
    four = table(*FOUR, variant=2).after((BORIS, SOLO))
    four.when(BORIS, lay_away("6D AC KC")).refused("4.3")
    assert len(four.legal(BORIS)) == 70


def test_4_4_cards_laid_away_are_on_the_soloists_pile_and_nobody_else_sees_them():
    laid = table(*HANDS, variant=2).after((BORIS, SOLO), (BORIS, lay_away("AC 6D KC")))
    assert laid.state.laid_away == cards("6D KC AC")
    for viewer in (ANNA, CLARA, "public"):
        assert laid.seen_by(viewer).laid_away is None
        assert laid.seen_by(viewer).pile_sizes == (0, 3, 0)
    assert laid.seen_by(BORIS).laid_away == cards("6D KC AC")
    (event, _) = table(*HANDS, variant=2).after((BORIS, SOLO)).when(BORIS, lay_away("AC 6D KC")).events()
    assert event.cards.to == (BORIS,)


def test_4_5_variant_3_the_soloist_chooses_before_seeing_the_talon():
    solo = table(*HANDS, talon="JS QS JD", variant=3).when(BORIS, SOLO).then(SoloDeclared(BORIS, None))
    assert solo.legal(BORIS) == [choose(1), choose(2)]
    assert solo.state.talon == cards("JS QS JD")
    solo.when(BORIS, give("6D AC")).refused("4.5")
    solo.when(ANNA, choose(1)).out_of_turn("4.5")
    first = solo.when(BORIS, choose(1)).then(VariantChosen(BORIS, 1), TalonTaken(BORIS, only(BORIS, "JS QS JD")))
    assert first.state.stage == "gifts"
    second = solo.when(BORIS, choose(2)).then(VariantChosen(BORIS, 2))
    assert second.state.stage == "laying_away"
    assert second.state.talon == cards("JS QS JD")
    for agreed in (1, 2):
        assert table(*HANDS, variant=agreed).after((BORIS, SOLO)).state.stage != "variant"


def test_4_6_everybody_holds_equally_many_cards():
    assert sizes(table(*HANDS, variant=1).after((BORIS, SOLO), (BORIS, give("6D AC")))) == [12] * 3
    assert sizes(table(*HANDS, variant=2).after((BORIS, SOLO), (BORIS, lay_away("6D AC KC")))) == [11] * 3
    four = table(*FOUR, variant=1, redeal="never").after((BORIS, SOLO), (BORIS, give("6D AC KC")))
    assert sizes(four) == [9] * 4
    hand = four.state.hands[BORIS]
    laid = table(*FOUR, variant=2, redeal="never").after((BORIS, SOLO))
    laid = laid.after((BORIS, lay_away(" ".join(laid.state.hands[BORIS][:4]))))
    assert sizes(laid) == [8] * 4
    assert len(hand) == 9


def test_4_7_the_soloist_leads_first():
    three = table(*HANDS, variant=1).after((BORIS, SOLO))
    three.when(CLARA, play("6S")).out_of_turn("4.1")
    ready = three.after((BORIS, give("6D AC")))
    assert (ready.state.stage, ready.state.due, ready.state.opener) == ("play", (BORIS,), BORIS)
    assert len(ready.legal(BORIS)) == 12
    four = table(*FOUR, variant=1, redeal="never").after((BORIS, SOLO), (BORIS, give("6D AC KC")))
    assert four.state.stage == "exchange"


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_4_8_if_everybody_passed_each_takes_a_card_of_the_talon_and_the_six_of_spades_leads(variant: int):
    start = table("7D", "6D", "8D 7S", talon="JS 6S QS", dealer=BORIS, variant=variant)
    last = start.after((BORIS, PASS), (ANNA, PASS))
    talon = tuple(Hidden((seat,), Card(card)) for seat, card in ((ANNA, "6S"), (BORIS, "QS"), (CLARA, "JS")))
    done = last.when(CLARA, PASS).then(Passed(CLARA, None), TalonShared(talon, ANNA))
    assert sizes(done) == [12] * 3
    assert (done.state.due, done.state.opener, done.state.talon) == ((ANNA,), ANNA, ())
    assert len(done.legal(ANNA)) == 12
    four = table(*FOUR[:2], "8D 6S", "9D 9S", variant=variant, redeal="never")
    done = four.after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS), (DIMA, PASS))
    assert sizes(done) == [9] * 4
    assert done.state.due == (CLARA,)


# --- 5. The exchange ---

HELD = (
    "6D AH KH 8H JS QS KS AS",
    "6S 7S AD 9D 10D KC AC JD",
    "7D 8D QD KD QH 6H 7H JH",
    "10H 9H 8C 7C 6C 9C JC QC",
)
"""Anna is asked first. Boris has spades, Clara diamonds but no spades, Dima ordinary cards alone."""

TIED = (
    "6D 7D 8D 9D JD QD KD 10D",
    "AH AC KH KC QH QC JH JC",
    "AS 9S 8S 7S 6S JS 6H 7H",
    "10H 10C 9H 9C 8H 8C 7C 6C",
)
"""Anna is asked first. Boris has two aces and Dima two tens, and neither has a trump."""


def sealed(seat: Seat, text: str) -> Hidden[Card]:
    """A card that is only named so far, by the seat that holds it."""
    return Hidden((seat,), Card(text))


def before_exchange() -> Given:
    """Anna plays alone by variant 2, and has 6D AH KH 8H 10C 8S 9S 10S."""
    return table(*HELD, talon="10C 8S 9S 10S", variant=2).after((ANNA, SOLO), (ANNA, lay_away("JS QS KS AS")))


def before_tie() -> Given:
    """Anna plays alone by variant 2, and has 6D 7D 8D 10D AD QS KS 10S."""
    return table(*TIED, talon="AD QS KS 10S", variant=2).after((ANNA, SOLO), (ANNA, lay_away("9D JD QD KD")))


def test_5_1_with_four_players_the_soloist_assigns_three_cards_clockwise():
    start = before_exchange()
    assert (start.state.stage, start.state.due) == ("exchange", (ANNA,))
    assert set(start.legal(ANNA)) == {exchange(" ".join(some)) for some in permutations(start.state.hands[ANNA], 3)}
    assert len(start.legal(ANNA)) == 8 * 7 * 6
    for wrong in ("AH KH", "AH KH 8H 6D", ""):
        start.when(ANNA, exchange(wrong)).refused("5.1")
    start.when(ANNA, play("AH")).refused("5.1")
    start.when(BORIS, play("6S")).out_of_turn("5.1")
    start.when(ANNA, exchange("AH KH 6S")).refused("2.9")
    start.when(ANNA, exchange("AH KH KH")).refused("2.9")
    done = start.after((ANNA, exchange("8H KH AH")))
    assert Card("8H") in done.state.hands[BORIS]
    assert Card("KH") in done.state.hands[CLARA]
    assert Card("AH") in done.state.hands[DIMA]
    assert (done.state.stage, done.state.due) == ("play", (ANNA,))


def test_5_2_opponents_return_the_highest_card_of_their_most_senior_group():
    assert highest(cards("6S AD AH")) == cards("6S")
    assert highest(cards("7S 6S AD AH")) == cards("7S")
    assert highest(cards("6D AH 10D KD")) == cards("10D")
    assert highest(cards("KH 10C QC")) == cards("10C")
    *_, exchanged = before_exchange().when(ANNA, exchange("8H KH AH")).events()
    assert [card.opened for card in exchanged.returned] == ["7S", "KD", "10H"]


def test_5_3_what_is_returned_is_settled_before_the_soloists_card_comes_in():
    *_, exchanged = before_exchange().when(ANNA, exchange("10S 9S 8S")).events()
    assert [card.opened for card in exchanged.given] == ["10S", "9S", "8S"]
    assert [card.opened for card in exchanged.returned] == ["7S", "KD", "10H"]


def test_5_4_only_two_equally_high_cards_leave_a_choice_and_their_owners_answer_in_any_order():
    named = (sealed(ANNA, "6D"), sealed(ANNA, "7D"), sealed(ANNA, "8D"))
    start = before_tie().when(ANNA, exchange("6D 7D 8D")).then(CardsAssigned(ANNA, named, asked=(BORIS, DIMA)))
    assert set(start.state.due) == {BORIS, DIMA}
    assert start.legal(BORIS) == [back("AH"), back("AC")]
    assert start.legal(DIMA) == [back("10H"), back("10C")]
    for owner, two in ((BORIS, ("AH", "AC")), (DIMA, ("10H", "10C"))):
        for card in start.state.hands[owner]:
            if card not in two:
                start.when(owner, back(card)).refused("5.2")
        for move in (SOLO, PASS, choose(1), give("AH KH"), lay_away("AH KH QH JH"), exchange("AH KH QH")):
            start.when(owner, move).refused("5.4")
    assert {move.card for move in start.game.attempts(start.state, BORIS)} == set(start.state.hands[BORIS])
    start.when(BORIS, back("10H")).refused("2.9")
    start.when(BORIS, back("XX")).refused("1.1")
    start.when(BORIS, play("AH")).refused("5.4")
    start.when(CLARA, back("6S")).out_of_turn("5.4")
    start.when(ANNA, back("6D")).out_of_turn("5.4")
    first = start.when(DIMA, back("10C")).then(ReturnChosen(DIMA, sealed(DIMA, "10C"), ANNA))
    assert first.state.due == (BORIS,)
    first.when(DIMA, back("10C")).out_of_turn("5.4")
    given_ = (shared(ANNA, BORIS, "6D"), shared(ANNA, CLARA, "7D"), shared(ANNA, DIMA, "8D"))
    returned = (shared(ANNA, BORIS, "AH"), shared(ANNA, CLARA, "AS"), shared(ANNA, DIMA, "10C"))
    done = first.when(BORIS, back("AH")).then(
        ReturnChosen(BORIS, sealed(BORIS, "AH"), ANNA), CardsExchanged(ANNA, given_, returned)
    )
    assert start.after((BORIS, back("AH")), (DIMA, back("10C"))).state == done.state


def test_5_5_all_cards_change_hands_at_the_same_moment():
    start = before_tie()
    waiting = start.after((ANNA, exchange("6D 7D 8D")), (BORIS, back("AC")))
    assert waiting.state.hands == start.state.hands
    done = waiting.after((DIMA, back("10H")))
    assert sizes(done) == [8] * 4
    moved = [(to.giver, to.receiver, to.card) for to in done.state.transfers]
    assert moved == [
        (ANNA, BORIS, "6D"),
        (ANNA, CLARA, "7D"),
        (ANNA, DIMA, "8D"),
        (BORIS, ANNA, "AC"),
        (CLARA, ANNA, "AS"),
        (DIMA, ANNA, "10H"),
    ]
    for giver, receiver, card in moved:
        assert card in done.state.hands[receiver]
        assert card not in done.state.hands[giver]


def test_5_6_only_giver_and_receiver_know_a_card_and_until_the_exchange_only_whoever_named_it():
    waiting = before_tie().after((ANNA, exchange("6D 7D 8D")), (BORIS, back("AC")))
    for viewer in (*range(4), "public", "all"):
        shown = [to.card for to in waiting.seen_by(viewer).assigned]
        assert shown == (["6D", "7D", "8D"] if viewer in (ANNA, "all") else [None] * 3)
        assert waiting.seen_by(viewer).transfers == ()
    done = waiting.after((DIMA, back("10H")))
    assert done.seen_by(ANNA).assigned == ()
    seen = {viewer: [to.card for to in done.seen_by(viewer).transfers] for viewer in (*range(4), "public")}
    assert seen[ANNA] == ["6D", "7D", "8D", "AC", "AS", "10H"]
    assert seen[BORIS] == ["6D", None, None, "AC", None, None]
    assert seen[DIMA] == [None, None, "8D", None, None, "10H"]
    assert seen["public"] == [None] * 6


def test_5_7_with_three_players_or_without_a_soloist_there_is_no_exchange():
    three = table(*HANDS).after((BORIS, SOLO), (BORIS, give("6D AC")))
    three.when(BORIS, exchange("AC KC")).refused("6.2")
    four = table(*HELD, talon="10C 8S 9S 10S").after((ANNA, PASS), (CLARA, PASS), (BORIS, PASS), (DIMA, PASS))
    assert four.state.stage == "play"
    four.when(BORIS, exchange("6S 7S AD")).refused("6.2")


# --- Rulings and worked examples ---


def test_aa3_trumps_in_the_talon_are_skipped_and_nobody_is_asked_twice():
    assert asked_in_turn(table("7D 8D 9D", "10D", "JD", talon="6D")) == [ANNA, CLARA, BORIS]


def test_aa4_a_player_without_trumps_is_asked_though_last():
    last = table(*TIED, talon="AD QS KS 10S").after((ANNA, PASS), (CLARA, PASS), (BORIS, PASS))
    assert last.state.due == (DIMA,)
    last.when(DIMA, SOLO).then(SoloDeclared(DIMA, 1), TalonTaken(DIMA, only(DIMA, "QS KS 10S AD")))


def test_aa10_even_the_highest_cards_may_be_given():
    start = table(*HELD, talon="10C 8S 9S 10S").after((ANNA, SOLO))
    assert give("AS KS QS") in start.legal(ANNA)


def test_aa11_nothing_of_the_talon_can_be_laid_away():
    start = table(*HANDS, talon="JS QS JD", variant=2).after((BORIS, SOLO))
    start.when(BORIS, lay_away("JS QS JD")).refused("2.9")


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_aa12_nobody_alone_is_the_same_in_every_variant(variant: int):
    start = table(*HANDS, variant=variant).after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS))
    assert sizes(start) == [12] * 3
    assert start.state.due == (CLARA,)


def test_aa19_the_six_of_spades_leads_any_card_and_is_always_in_a_hand():
    for talon, seat in (("6S", BORIS), ("JS 6S", CLARA), ("JS QS 6S", ANNA)):
        start = table("7D", "6D", "8D", talon=talon).after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS))
        assert start.state.due == (seat,)
        assert [move.card for move in start.legal(seat)] == list(start.state.hands[seat])


def test_ba1_the_exchange_follows_the_gifts_of_variant_1():
    start = table(*HELD, talon="10C 8S 9S 10S").after((ANNA, SOLO), (ANNA, give("8H 10C 8S")))
    assert start.state.stage == "exchange"
    assert sizes(start) == [9] * 4
    done = start.after((ANNA, exchange("AH KH 6D")))
    assert sizes(done) == [9] * 4


def test_ba2_four_cards_are_laid_away_with_four_players():
    start = table(*HELD, variant=2).after((ANNA, SOLO))
    assert {len(move.cards) for move in start.legal(ANNA)} == {4}


def test_ba3_a_gift_of_variant_1_may_come_back_but_a_card_of_the_exchange_cannot():
    start = table(*HELD, talon="10C 8S 9S 10S").after((ANNA, SOLO), (ANNA, give("10S 8H KH")))
    *_, exchanged = start.when(ANNA, exchange("AS AH 6D")).events()
    assert [card.opened for card in exchanged.returned] == ["10S", "KD", "10H"]


def test_ba4_the_nine_is_returned_before_the_seven_though_both_count_nothing():
    assert highest(cards("7S 9S")) == cards("9S")
    assert highest(cards("7H 6H 9C")) == cards("9C")


def test_ba5_a_tie_is_the_owners_choice():
    start = before_tie().after((ANNA, exchange("6D 7D 8D")))
    for named in ("AH", "AC"):
        start.when(BORIS, back(named)).then(ReturnChosen(BORIS, sealed(BORIS, named), ANNA))


def test_ba6_four_who_pass_take_a_card_each():
    start = table(*FOUR).after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS), (DIMA, PASS))
    assert sizes(start) == [9] * 4


@pytest.mark.parametrize(("variant", "handed", "each"), [(1, give("6D AC"), 12), (2, lay_away("6D AC KC"), 11)])
def test_ax2_sizes_with_three_players(variant: int, handed: Any, each: int):
    solo = table(*HANDS, variant=variant).after((BORIS, SOLO))
    assert sizes(solo) == [11, 14 if variant == 1 else 11, 11]
    assert sizes(solo.after((BORIS, handed))) == [each] * 3


@pytest.mark.parametrize(("variant", "each"), [(1, 9), (2, 8)])
def test_bx1_sizes_with_four_players(variant: int, each: int):
    solo = table(*HELD, talon="10C 8S 9S 10S", variant=variant).after((ANNA, SOLO))
    assert sizes(solo) == [12 if variant == 1 else 8, 8, 8, 8]
    ready = solo.after((ANNA, give("8H JS QS") if variant == 1 else lay_away("8H JS QS AS")))
    assert sizes(ready) == [each] * 4
    assert sizes(ready.after((ANNA, exchange("AH KH 6D")))) == [each] * 4


def test_bx3_the_six_of_spades_goes_before_the_ace_of_diamonds():
    assert highest(cards("6S AD AH 10C")) == cards("6S")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_the_talon_has_as_many_cards_as_there_are_seats(game: AnyGame):
    seats = game.seats[0]
    start = empty_table(seats).after((DEALER, drawn(*[""] * seats)))
    assert start.seen_by("public").talon_size == seats
    assert (36 - seats) % seats == 0
