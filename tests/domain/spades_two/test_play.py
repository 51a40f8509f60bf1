"""Two-handed Spades, clauses 6 and 7: bids and tricks. See domain/spades_two/RULES.md."""

import pytest

from domain.cards import Card
from domain.spades_two import GAME
from domain.spades_two.rules import Bid
from domain.spades_two.state import PACK, BidPlaced, SpadesBroken, Trick
from tests.domain.spades_two.table import (
    ANNA,
    BELA,
    KEEP,
    YES,
    after_cards,
    answered,
    cards,
    drafted,
    last_hand,
    play,
    played,
    playing,
    shuffled,
    throw,
    trick,
)


def test_6_1_each_player_bids_once_after_the_draft():
    answered("AS 3D 7C KH").when(ANNA, Bid(3)).refused("6.1")
    drafted("2H", "3H", bela_says=YES).after((BELA, throw(""))).when(ANNA, KEEP).refused("4.1")
    table = drafted("2H", "3H").when(BELA, Bid(3)).then(BidPlaced(BELA, 3)).when(ANNA, Bid(2)).then(BidPlaced(ANNA, 2))
    table.when(BELA, Bid(3)).refused("6.1")


def test_6_2_every_number_from_0_to_13_is_a_bid():
    table = drafted("2H", "3H")
    assert table.legal(BELA) == [Bid(tricks) for tricks in range(14)]
    for tricks in range(14):
        table.when(BELA, Bid(tricks)).then(BidPlaced(BELA, tricks))
    for tricks in (-1, 14, 10**30):
        table.when(BELA, Bid(tricks)).refused("6.2")


@pytest.mark.parametrize("first", [ANNA, BELA])
def test_6_3_the_second_player_bids_first(first: int):
    assert GAME.to_act(drafted("2H", "3H", first=first).state) == {1 - first}


def test_6_4_one_round_of_bids_in_any_order_and_of_any_sum():
    for second in range(14):
        for first in range(14):
            table = drafted("2H", "3H").after((BELA, Bid(second)), (ANNA, Bid(first)))
            assert (table.state.stage, table.state.bids) == ("play", (first, second))


def test_6_5_a_bid_is_public_at_once():
    table = drafted("2H", "3H").after((BELA, Bid(4)))
    for viewer in (ANNA, BELA, "public"):
        assert table.seen_by(viewer).bids == (None, 4)


@pytest.mark.parametrize(("answer", "points"), [("4H", 100), ("2H", -100)])
def test_6_6_a_nil_says_that_no_trick_will_be_won(answer: str, points: int):
    table = after_cards(playing(answer, "3H", bids=(1, 0)), "3H")
    assert last_hand(table.when(ANNA, play(answer)).events()).points[BELA] == points


def test_7_1_both_play_a_card_to_each_trick_when_both_have_bid():
    table = drafted("2H 4H", "3H 5H").after((BELA, Bid(1)))
    table.when(ANNA, play("2H")).refused("7.1")
    ready = table.after((ANNA, Bid(1)))
    assert GAME.to_act(ready.state) == {BELA}
    led = ready.when(BELA, play("3H")).then(played(BELA, "3H"))
    assert GAME.to_act(led.state) == {ANNA}
    led.when(ANNA, play("2H")).then(played(ANNA, "2H"), trick(BELA, BELA, "3H 2H", (0, 1)))


def test_7_1_a_hand_has_13_tricks():
    whole = playing(" ".join(PACK[:13]), " ".join(PACK[13:26]))
    for number in range(1, 14):
        assert whole.state.scored == 0
        whole = after_cards(whole, whole.state.hands[whole.state.turn][0])
        whole = after_cards(whole, whole.state.hands[whole.state.turn][0])
        assert len(whole.state.tricks) == number
    assert whole.state.scored == 1


def test_7_2_players_play_cards_that_they_hold():
    table = playing("2H 4H", "3H 5H")
    table.when(BELA, play("2H")).refused("7.2")
    after_cards(table, "3H").when(ANNA, play("3H")).refused("7.2")


def test_7_3_a_player_who_can_follow_suit_must():
    table = after_cards(playing("2H KH 3S AC", "9H 2C 3C 4C"), "9H")
    assert table.legal(ANNA) == [play("2H"), play("KH")]
    table.when(ANNA, play("3S")).refused("7.3")
    table.when(ANNA, play("AC")).refused("7.3")


def test_7_4_whoever_cannot_follow_plays_any_card():
    table = after_cards(playing("QC 3S 2D", "9H 2C 3C"), "9H")
    assert set(table.legal(ANNA)) == {play("QC"), play("3S"), play("2D")}


def test_7_5_who_wins_a_trick_for_every_pair_of_cards():
    """Each of the 2652 ordered pairs, against the words of the clause said in another way."""
    order = {rank: place for place, rank in enumerate(cards("2 3 4 5 6 7 8 9 10 J Q K A"))}
    compared = 0
    for led in PACK:
        for answer in PACK:
            if led == answer:
                continue
            (winner,) = after_cards(playing(answer, led), f"{led} {answer}").state.tricks
            spades = [card for card in (led, answer) if card[-1] == "S"]
            followed = [card for card in (led, answer) if card[-1] == led[-1]]
            best = max(spades or followed, key=lambda card: order[Card(card[:-1])])
            assert winner == Trick(BELA, (led, answer), ANNA if best == answer else BELA)
            compared += 1
    assert compared == 2652


def test_7_6_the_second_player_leads_and_then_the_winner():
    table = playing("2H 4H AC", "3H 5H 2C")
    assert table.state.turn == BELA
    kept = after_cards(table, "3H 2H")
    assert kept.state.turn == BELA
    lost = after_cards(kept, "2C AC")
    assert lost.state.turn == ANNA
    assert (lost.seen_by("public").leader, kept.seen_by("public").leader) == (ANNA, BELA)
    for first in (ANNA, BELA):
        assert playing("2H", "3H", first=first).state.turn == 1 - first


def test_7_7_spades_are_not_led_before_they_are_broken():
    table = playing("2S 4H 5H", "AS 3H 2C")
    assert table.legal(BELA) == [play("3H"), play("2C")]
    table.when(BELA, play("AS")).refused("7.7")
    later = after_cards(table, "3H 5H")
    later.when(ANNA, play("2S")).refused("7.7")
    only = playing("2S 4H", "AS KS")
    assert only.legal(BELA) == [play("KS"), play("AS")]


def test_7_8_a_spade_on_another_suit_breaks_spades():
    table = after_cards(playing("2S 4H AS", "2C 3H KD"), "2C")
    assert not table.seen_by("public").spades_broken
    broken = table.when(ANNA, play("2S")).then(
        played(ANNA, "2S"), SpadesBroken(ANNA), trick(ANNA, BELA, "2C 2S", (1, 0))
    )
    assert broken.seen_by("public").spades_broken
    broken.when(ANNA, play("AS")).then(played(ANNA, "AS"))


def test_7_9_leading_a_spade_from_nothing_but_spades_breaks_them():
    table = playing("2S 4H", "AS KS")
    broken = table.when(BELA, play("AS")).then(played(BELA, "AS"), SpadesBroken(BELA))
    broken.when(ANNA, play("2S")).then(played(ANNA, "2S"), trick(BELA, BELA, "AS 2S", (0, 1)))


def test_7_9_spades_are_whole_again_in_the_next_hand():
    table = after_cards(playing("2S", "AS"), "AS 2S")
    assert table.state.broken
    assert not table.with_events(shuffled("AS KS QS JS", hand=2, first=BELA)).state.broken


def test_7_10_won_tricks_stay_open():
    table = after_cards(playing("2H 4H AC", "3H 5H 2C"), "3H 2H 2C AC")
    for viewer in (ANNA, BELA, "public"):
        seen = table.seen_by(viewer)
        assert seen.tricks == (1, 1)
        assert seen.played == (Trick(BELA, cards("3H 2H"), BELA), Trick(BELA, cards("2C AC"), ANNA))


def test_sa8_nobody_passes():
    assert all(isinstance(move, Bid) for move in drafted("2H", "3H").legal(BELA))


def test_sa9_the_bar_on_spades_holds_for_the_whole_hand():
    table = after_cards(playing("2H 6H 8H", "AS 3H 7H"), "3H 2H")
    table.when(BELA, play("AS")).refused("7.7")
    after_cards(table, "7H 6H AS")


def test_sa10_the_winner_leads():
    assert after_cards(playing("4H 2C", "3H 2D"), "3H 4H").state.turn == ANNA


def test_sa11_of_two_spades_the_higher_wins():
    assert after_cards(playing("10S", "9S"), "9S 10S").state.won == (1, 0)
    assert after_cards(playing("2S", "9S"), "9S 2S").state.won == (0, 1)


def test_sa20_bids_may_add_up_to_anything():
    assert drafted("2H", "3H").after((BELA, Bid(13)), (ANNA, Bid(13))).state.stage == "play"
    assert drafted("2H", "3H").after((BELA, Bid(0)), (ANNA, Bid(0))).state.stage == "play"


def test_sa22_the_second_player_bids_and_leads_first():
    table = drafted("2H", "3H")
    assert table.state.turn == BELA
    assert table.after((BELA, Bid(1)), (ANNA, Bid(1))).state.turn == BELA


def test_sx4_following_and_trumping():
    assert after_cards(playing("2H 3S", "9H 2D"), "9H").legal(ANNA) == [play("2H")]
    either = after_cards(playing("QC 3S", "9H 2D"), "9H")
    assert set(either.legal(ANNA)) == {play("QC"), play("3S")}
    trumped = either.after((ANNA, play("3S")))
    assert (trumped.state.won, trumped.state.broken) == ((1, 0), True)
    lost = either.after((ANNA, play("QC")))
    assert (lost.state.won, lost.state.broken) == ((0, 1), False)
    assert after_cards(playing("AC", "9H"), "9H AC").state.won == (0, 1)
