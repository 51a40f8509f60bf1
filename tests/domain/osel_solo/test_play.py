"""Osel, one against the rest, clause 6: leading, beating, following, taking. See domain/osel_solo/RULES.md."""

from typing import Any

import pytest

from domain.cards import Card, rank_of
from domain.game import AnyGame
from domain.osel import PACK, STRENGTH
from domain.osel_solo import GAMES
from domain.osel_solo.rules import Play
from domain.osel_solo.score import BEATERS
from domain.osel_solo.state import CardPlayed, PotTaken
from tests.domain.osel_solo.table import (
    ANNA,
    BORIS,
    CLARA,
    DIMA,
    PASS,
    SOLO,
    at_play,
    beats,
    cards,
    exchange,
    give,
    play,
    played,
    table,
    taken,
)


def may_play(led: str, hand: str, *between: str, **options: Any) -> list[str]:
    """What the next may play after ``led`` and the cards ``between``; everybody has one card more than that."""
    start = at_play(f"{led} 7C", *(f"{card} 7C" for card in between), hand, *["7C 7C"] * (2 - len(between)), **options)
    table_ = start.after((ANNA, play(led)), *((seat, play(card)) for seat, card in enumerate(between, 1)))
    return [move.card for move in table_.legal(len(between) + 1)]


@pytest.mark.parametrize("hands", [("AH 7S", "6C 8S", "KH 9S"), ("AH 7S", "6C 8S", "KH 9S", "7H 6D")])
def test_6_1_every_lead_is_one_card_and_any_card(hands: tuple[str, ...]):
    start = at_play(*hands)
    assert start.legal(ANNA) == [play("7S"), play("AH")]
    assert Play.__struct_fields__ == ("card",)
    four = at_play("9S 9H 9D 9C", "6C 8S 7H KH", "KH 9S 7H KH")
    assert len(four.legal(ANNA)) == 4
    assert four.legal(BORIS) == []


def test_6_2_the_others_play_one_card_each_clockwise():
    start = at_play("AH 7S", "6C 8S", "KH 9S", "7H 6D", leader=CLARA)
    start.when(DIMA, play("7H")).out_of_turn("6.2")
    for seat, card in ((CLARA, "KH"), (DIMA, "7H"), (ANNA, "AH")):
        assert start.state.due == (seat,)
        start = start.after((seat, play(card)))
        start.when(seat, play(card)).out_of_turn("6.2")
    assert start.state.due == (BORIS,)
    start.when(BORIS, PASS).refused("6.2")
    start.when(BORIS, SOLO).refused("6.2")
    start.when(BORIS, give("6C 8S AH")).refused("6.2")


def test_6_3_a_card_that_beats_is_on_top_whether_or_not_its_player_wanted_that():
    start = at_play("7H AS", "9H 8S", "JH 9S", "8H 6D")
    led = start.when(ANNA, play("7H")).then(played(ANNA, "7H", beats=True))
    nine = led.when(BORIS, play("9H")).then(played(BORIS, "9H", beats=True))
    assert (nine.seen_by("public").to_beat, nine.seen_by("public").taker) == ("9H", BORIS)
    jack = nine.when(CLARA, play("JH")).then(played(CLARA, "JH", beats=True))
    (last, _) = jack.when(DIMA, play("8H")).events()
    assert last == CardPlayed(DIMA, Card("8H"), beats=True)
    (last, _) = nine.after((CLARA, play("JH"))).when(DIMA, play("6D")).events()
    assert last == CardPlayed(DIMA, Card("6D"), beats=True)


def test_6_4_a_card_beats_one_of_the_same_rank_and_another_suit():
    for top in PACK:
        for card in PACK:
            if rank_of(card) == rank_of(top):
                assert beats(card, top) == (card != top)
    assert beats(Card("KH"), Card("KS"))


def test_6_5_in_its_suit_a_card_beats_every_lower_one():
    ranks = ("6", "7", "8", "9", "J", "Q", "K", "10", "A")
    for suit in "SHDC":
        for place, low in enumerate(ranks):
            for high in ranks[place + 1 :]:
                assert beats(Card(high + suit), Card(low + suit))
    assert not beats(Card("KS"), Card("10S"))


def test_6_6_a_six_beats_all_of_its_suit_but_eight_and_queen_and_all_of_its_suit_beat_it():
    for suit in "SHDC":
        six = Card("6" + suit)
        beaten = {rank for rank in STRENGTH if beats(six, Card(rank + suit))}
        assert beaten == {"7", "9", "J", "K", "10", "A"}
        assert {rank for rank in STRENGTH if beats(Card(rank + suit), six)} == set(STRENGTH) - {"6"}


def test_6_7_an_eight_beats_all_of_its_suit_but_king_and_queen():
    for suit in "SHDC":
        eight = Card("8" + suit)
        assert {rank for rank in STRENGTH if beats(eight, Card(rank + suit))} == {"6", "7", "9", "J", "10", "A"}
        assert {rank for rank in STRENGTH if beats(Card(rank + suit), eight)} == {"9", "J", "Q", "K", "10", "A"}


def test_6_8_spades_beat_diamonds_and_both_beat_hearts_and_clubs():
    for low, high in (("H", "D"), ("C", "D"), ("H", "S"), ("C", "S"), ("D", "S")):
        for under in STRENGTH:
            for over in STRENGTH:
                assert beats(Card(over + high), Card(under + low))
                assert beats(Card(under + low), Card(over + high)) == (under == over)
    assert not beats(Card("AH"), Card("6C"))


def test_6_9_whoever_does_not_beat_plays_a_card_of_the_group_that_was_led():
    assert may_play("KH", "7H 9C 8D AS") == ["AS", "7H", "8D", "9C"]
    assert may_play("KD", "7H 9C 8D 7S") == ["7S", "8D"]
    # The led card is ordinary, the card on top a diamond: ordinary cards follow, and low diamonds do not.
    assert may_play("7H", "9C 7D JD", "9D") == ["JD", "9C"]
    led = at_play("KD 7C", "7H 8D", "7C 7C").after((ANNA, play("KD")))
    led.when(BORIS, play("7H")).refused("6.9")


def test_6_10_whoever_has_no_card_of_that_group_plays_any_card():
    assert may_play("9S", "7H KC 8D") == ["7H", "8D", "KC"]
    assert may_play("AD", "7H KC 6S") == ["6S", "7H", "KC"]


def test_6_11_to_beat_is_no_duty_unless_the_table_says_so():
    assert may_play("KH", "7H 10H AH") == ["7H", "10H", "AH"]
    assert may_play("KH", "7H 10H AH", must_beat="on") == ["10H", "AH"]
    assert may_play("KH", "7H AC 6S 7D", must_beat="on") == ["6S", "7D"]
    assert may_play("AH", "7H KC 10C", must_beat="on") == ["7H", "KC", "10C"]
    assert may_play("AS", "7H KC", must_beat="on") == ["7H", "KC"]
    led = at_play("KH 7C", "7H 10H", "7C 7C", must_beat="on").after((ANNA, play("KH")))
    led.when(BORIS, play("7H")).refused("6.11")


def test_6_12_whoever_beat_last_takes_the_pot_or_else_the_leader():
    start = at_play("7H AS", "9H 8S", "JH 9S").after((ANNA, play("7H")), (BORIS, play("9H")))
    done = start.when(CLARA, play("JH")).then(played(CLARA, "JH", beats=True), taken(CLARA, "7H 9H JH"))
    assert done.state.piles == ((), (), cards("7H 9H JH"))
    assert done.seen_by("public").pile_sizes == (0, 0, 3)
    kept = at_play("AH AS", "9H 8S", "JC 9S").after((ANNA, play("AH")), (BORIS, play("9H")))
    kept.when(CLARA, play("JC")).then(played(CLARA, "JC", beats=False), taken(ANNA, "AH 9H JC"))


def test_6_13_whoever_took_the_pot_leads_next_until_all_cards_are_played():
    done = at_play("7H AS", "9H 8S", "JH 9S").after((ANNA, play("7H")), (BORIS, play("9H")), (CLARA, play("JH")))
    assert (done.state.due, done.state.leader, done.state.pots) == ((CLARA,), CLARA, 1)
    assert [len(hand) for hand in done.state.hands] == [1, 1, 1]
    last = done.after((CLARA, play("9S")), (ANNA, play("AS"))).when(BORIS, play("8S")).events()
    assert [type(event).__name__ for event in last] == ["CardPlayed", "PotTaken", "HandScored"]
    assert last[1] == PotTaken(BORIS, cards("9S AS 8S"))


# --- Rulings and worked examples ---


def test_the_cards_that_beat_a_card_are_all_that_do():
    for top in PACK:
        assert BEATERS[top] == {card for card in PACK if beats(card, top)}


def test_aa5_a_trump_beats_lower_trumps_of_its_own_suit():
    assert beats(Card("AD"), Card("KD"))
    assert beats(Card("AS"), Card("KS"))
    assert not beats(Card("KD"), Card("AD"))


def test_aa6_an_ordinary_card_beats_a_trump_of_its_rank():
    assert beats(Card("9C"), Card("9S"))
    assert beats(Card("9D"), Card("9S"))
    assert not beats(Card("10C"), Card("9S"))


def test_aa7_the_group_of_the_led_card_counts_and_not_that_of_the_card_on_top():
    assert may_play("7H", "9C 6D", "9S") == ["9C"]
    assert may_play("7D", "9H 6S 8D", "9S") == ["6S", "9H", "8D"]


def test_aa8_beating_can_be_left_to_the_others():
    led = at_play("7H 7C", "6H 9H", "8H 7C").after((ANNA, play("7H")))
    led.when(BORIS, play("9H")).then(played(BORIS, "9H", beats=True))
    assert may_play("9D", "7D KS") == ["KS", "7D"]


def test_aa9_a_six_of_trumps_beats_the_ace_of_trumps():
    assert beats(Card("6S"), Card("AS"))
    assert beats(Card("8D"), Card("10D"))


def test_aa13_when_everybody_passed_leads_are_single_and_the_group_is_followed():
    start = table("7D AH KH", "6D AC KC", "6S 8S AS").after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS))
    assert {type(move) for move in start.legal(CLARA)} == {Play}
    led = start.after((CLARA, play("6S")))
    hand = led.state.hands[ANNA]
    assert [move.card for move in led.legal(ANNA)] == [card for card in hand if card[0] == "6" or card[-1] == "S"]
    assert len(led.legal(ANNA)) < len(hand)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_aa18_four_of_a_kind_are_no_lead_and_no_claim(game: AnyGame):
    assert {kind.__name__ for kind in game.moves} == {
        "Solo", "Pass", "ChooseVariant", "Give", "LayAway", "Exchange", "Return", "Play",
    }  # fmt: skip
    start = at_play(*["9S 9H 9D 9C", *["6C 8S 7H KH"] * (game.seats[0] - 1)], leader=BORIS)
    start.when(ANNA, play("9S")).out_of_turn("6.2")


def test_ax4_the_king_of_hearts_is_led():
    assert set(may_play("KH", "7H 9C 8D AS")) == {"7H", "9C", "8D", "AS"}


def test_ax5_the_king_of_diamonds_is_led():
    assert set(may_play("KD", "7H 9C 8D 7S")) == {"8D", "7S"}


def test_ax7_the_ace_and_the_nine_of_spades_are_led():
    assert may_play("AS", "7H KC 8D 10S") == ["10S"]
    assert not beats(Card("10S"), Card("AS"))
    assert may_play("AS", "7H KC 8D 6S") == ["6S"]
    assert beats(Card("6S"), Card("AS"))
    assert set(may_play("9S", "7H KC 8D")) == {"7H", "KC", "8D"}


def test_bx8_four_who_passed_lead_single_cards():
    start = table("7D AH KH", "6D AC KC", "8D 8S", "9D 9S 6S")
    start = start.after((BORIS, PASS), (ANNA, PASS), (CLARA, PASS), (DIMA, PASS))
    assert start.state.due == (DIMA,)
    assert start.legal(DIMA) == [Play(card) for card in start.state.hands[DIMA]]
    start.when(DIMA, exchange("9D 9S 6S")).refused("6.2")
