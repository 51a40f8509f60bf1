"""Osel, trumps, clauses 1 to 3 and 10: cards, trumps, the deal. See domain/osel_trumps/RULES.md."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from domain.cards import Card, suit_of
from domain.game import DEALER, Drawn, Refused
from domain.hidden import Hidden
from domain.osel import PACK, POINTS, STRENGTH, beats, card_points
from domain.osel_trumps import GAME
from domain.osel_trumps.rules import ChooseTrump, Decline, Play
from domain.osel_trumps.score import beating
from domain.osel_trumps.state import CardsDealt, LotsDrawn, MatchWon, TrumpChosen
from tests.domain.osel_trumps.table import (
    ANNA,
    BORIS,
    CLAIM,
    DECLINE,
    GLEB,
    VERA,
    beaten,
    cards,
    dealt,
    empty_table,
    last_pot,
    led,
    lots,
    options,
    pack,
    pile,
    play,
    scored,
    table,
    thrown,
)
from tests.domain.spec import Given


def deal_of(start: Given, drawn: Drawn) -> CardsDealt:
    (event,) = start.when(DEALER, drawn).events()
    assert isinstance(event, CardsDealt)
    return event


def opened(event: CardsDealt) -> list[tuple[Card, ...]]:
    return [hidden.opened for hidden in event.hands]


def refusal(seats: int, **values: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        GAME.check(GAME.options(**values), seats)
    return caught.value


def test_1_1_there_are_36_cards():
    assert len(set(PACK)) == 36
    assert Counter(map(suit_of, PACK)) == dict.fromkeys("SHDC", 9)
    table("9H", "9D").when(ANNA, play("5H")).refused("1.1")
    table("9H", "9D").when(ANNA, play("1H")).refused("1.1")


def test_1_2_the_ten_is_higher_than_the_king():
    assert sorted(STRENGTH, key=lambda rank: STRENGTH[rank]) == ["6", "7", "8", "9", "J", "Q", "K", "10", "A"]


def test_1_3_cards_count_30_a_suit_and_120_in_all():
    assert POINTS == {"A": 12, "10": 10, "K": 5, "Q": 3, "J": 1, "9": 0, "8": 0, "7": 0, "6": -1}
    assert [card_points(pile(suit)) for suit in "SHDC"] == [30] * 4
    assert card_points(PACK) == 120
    assert card_points(pile("SHDC", minus="6S 6H 6D 6C")) == 124


def test_1_4_two_to_four_play_alone_or_four_in_pairs():
    assert list(GAME.seats) == [2, 3, 4]
    GAME.check(GAME.options(teams="pairs"), 4)
    pairs = table("9H", "8D", "JH", "8C", teams="pairs").after((ANNA, play("9H")), (BORIS, play("8D")))
    pairs.when(VERA, play("JH")).then(beaten(VERA, "JH"))
    assert pairs.seen_by(ANNA).partners == ((0, 2), (1, 3))
    assert pairs.seen_by(ANNA).hands is None
    assert table("9H", "8D", "JH").seen_by(ANNA).partners == ()


def test_1_5_ten_jars_lose_and_the_last_in_the_game_wins():
    end = last_pot("7S", "8C", piles=(pile("SHD", minus="7S"), pile("C", minus="8C")), before=scored((0, 8)))
    last = end.after((ANNA, play("7S"))).when(BORIS, play("8C")).events()[-1]
    assert last == MatchWon((ANNA,), (0, 10))


def test_2_1_the_first_of_five_trump_options_is_the_usual_one():
    assert GAME.options().trump_option == 1
    for option in (1, 2, 3, 4, 5):
        GAME.check(GAME.options(trump_option=option), 3)
        assert empty_table(3, trump_option=option).seen_by("public").trump_option == option
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"trump_option": 6}, GAME.options)


def test_2_2_personal_trumps_are_all_different_by_lot_or_by_choice():
    by_lot = empty_table(3, trump_option=1)
    assert GAME.chance(by_lot.state) == (("0", "1", "2"), ("S", "H", "D", "C"))
    drawn = by_lot.when(DEALER, lots(VERA, 3, "CSHD")).then(LotsDrawn(VERA, ("C", "S", "H")))
    assert drawn.seen_by("public").own_trumps == ("C", "S", "H")
    assert GAME.to_act(drawn.state) == {DEALER}

    start = empty_table(3, trump_option=1, personal_trumps="choose")
    assert GAME.chance(start.state) == (("0", "1", "2"),)
    asked = start.when(DEALER, lots(BORIS, 3)).then(LotsDrawn(BORIS, (None, None, None)))
    assert GAME.to_act(asked.state) == {VERA}
    asked.when(ANNA, ChooseTrump("S")).out_of_turn("2.2")
    asked.when(VERA, play("6S")).refused("2.2")
    asked.when(VERA, CLAIM).refused("2.2")
    second = asked.when(VERA, ChooseTrump("D")).then(TrumpChosen(VERA, "D"))
    second.when(ANNA, ChooseTrump("D")).refused("2.2")
    assert second.legal(ANNA) == [ChooseTrump("S"), ChooseTrump("H"), ChooseTrump("C")]
    assert GAME.attempts(second.state, ANNA) == [ChooseTrump(suit) for suit in ("S", "H", "D", "C")]
    third = second.after((ANNA, ChooseTrump("S")))
    chosen = third.when(BORIS, ChooseTrump("H")).then(TrumpChosen(BORIS, "H"))
    assert chosen.seen_by("public").own_trumps == ("S", "H", "D")
    assert (set(GAME.to_act(chosen.state)), GAME.chance(chosen.state)) == ({DEALER}, (PACK,))


def test_2_3_without_trumps_no_lots_are_drawn_for_suits():
    start = empty_table(2)
    assert GAME.chance(start.state) == (("0", "1"),)
    after = start.when(DEALER, lots(BORIS, 2)).then(LotsDrawn(BORIS, (None, None)))
    assert (after.seen_by("public").trumps, after.seen_by("public").own_trumps) == ((), (None, None))


@pytest.mark.parametrize(("named", "trumps"), [("usual", ("S",)), ("C", ("C",))])
def test_2_4_one_suit_is_trump_for_everybody(named: str, trumps: tuple[str, ...]):
    start = empty_table(3, trump_option=3, trumps=named).after((DEALER, lots(ANNA, 3)))
    assert (start.seen_by("public").trumps, start.seen_by("public").own_trumps) == (trumps, (None,) * 3)
    ace = table("AH", f"7{trumps[0]}", trump_option=3, trumps=named).after((ANNA, play("AH")))
    assert beaten(BORIS, f"7{trumps[0]}") in ace.when(BORIS, play(f"7{trumps[0]}")).events()


@pytest.mark.parametrize(("named", "trumps"), [("usual", ("S", "D")), ("HC", ("H", "C"))])
def test_2_5_two_suits_are_trumps_for_everybody(named: str, trumps: tuple[str, ...]):
    start = empty_table(3, trump_option=4, trumps=named)
    assert start.seen_by("public").trumps == trumps


def test_2_6_spades_are_senior_and_diamonds_junior_trumps():
    assert empty_table(3, trump_option=5).seen_by("public").trumps == ("S", "D")


def test_2_7_suits_are_named_with_options_3_and_4_only():
    for option in (1, 2, 5):
        assert refusal(3, trump_option=option, trumps="S").clause == "2.7"
    for option, suits in ((3, "SD"), (4, "S")):
        refused = refusal(3, trump_option=option, trumps=suits)
        assert refused.clause == "2.7"
        assert refused.reason.startswith("trumps: ")
    GAME.check(GAME.options(trump_option=3, trumps="H"), 2)
    GAME.check(GAME.options(trump_option=4, trumps="HC"), 2)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"trumps": "SS"}, GAME.options)


def test_2_8_trumps_hold_for_the_whole_match():
    start = table("9H 8H", "9D 8D", own="SH")
    start.when(ANNA, ChooseTrump("D")).refused("2.8")
    following = start.with_events(scored((0, 1))).after((DEALER, pack()))
    assert following.seen_by("public").own_trumps == ("S", "H")


def test_3_1_the_first_dealer_is_drawn_by_lot():
    for seat in range(4):
        drawn = empty_table(4).after((DEALER, lots(seat, 4)))
        assert deal_of(drawn, pack()).dealer == seat
        assert drawn.seen_by("public").dealer == seat


def test_3_2_the_next_hand_is_dealt_by_whoever_led_first():
    first = table("9H", "8D", "8C", leader=VERA).after((VERA, play("8C")))
    assert deal_of(first.with_events(scored((0, 1, 1))), pack()).dealer == VERA
    assert deal_of(first.with_events(scored((0, 1, 11), out=[VERA])), pack()).dealer == ANNA
    later = table("9H 7S", "8D 7D", "9D 7C", leader=BORIS).after(
        (BORIS, play("8D")), (VERA, play("9D")), (ANNA, play("7S")), (VERA, play("7C"))
    )
    assert later.state.leader == VERA
    assert deal_of(later.with_events(scored((0, 1, 1))), pack()).dealer == BORIS


def test_3_3_four_cards_each_are_dealt_singly_from_the_dealers_left():
    drawn = empty_table(3).after((DEALER, lots(BORIS, 3)))
    event = deal_of(drawn, pack("6S 6H 6C 7S 7H 7C 8S 8H 8C 9S 9H 9C"))
    assert opened(event) == [cards("6H 7H 8H 9H"), cards("6C 7C 8C 9C"), cards("6S 7S 8S 9S")]


@pytest.mark.parametrize(("seats", "left"), [(2, 28), (3, 24), (4, 20)])
def test_3_4_the_rest_is_the_stock(seats: int, left: int):
    drawn = empty_table(seats).after((DEALER, lots(ANNA, seats)))
    event = deal_of(drawn, pack())
    assert [len(hand) for hand in opened(event)] == [4] * seats
    assert event.stock.opened == PACK[4 * seats :]
    shown = drawn.with_events(event).seen_by(BORIS)
    assert (shown.stock_size, shown.stock) == (left, None)


def test_3_5_players_see_their_own_hand_and_what_everybody_may_know():
    event = dealt("9H 8H", "JH 10S", stock="6S 6C")
    assert [hidden.to for hidden in (*event.hands, event.stock)] == [(0,), (1,), ()]
    start = table("9H 8H 7D 7C", "JH 10S 8D 8C", own="SD", stock="6S 6C").after((ANNA, play("9H")))
    assert (start.seen_by(ANNA).hand, start.seen_by(BORIS).hand) == (cards("8H 7D 7C"), cards("10S JH 8D 8C"))
    seen = start.seen_by("public")
    assert (seen.hand, seen.hands, seen.stock) == (None, None, None)
    assert (seen.hand_sizes, seen.stock_size, seen.pile_sizes, seen.dealer) == ((3, 4), 2, (0, 0), ANNA)
    assert (seen.to_beat, seen.taker, seen.cards_needed, seen.totals, seen.eggs) == (cards("9H"), 0, 1, (0, 0), ())
    everything = start.seen_by("all")
    assert everything.hands == (cards("8H 7D 7C"), cards("10S JH 8D 8C"))
    assert everything.stock == cards("6S 6C")
    names = {field.name for field in msgspec.structs.fields(type(seen))}
    assert not {"piles", "captured"} & names


def test_3_6_the_dealer_draws_and_deals_and_nothing_else():
    start = empty_table(2)
    start.when(ANNA, lots(ANNA, 2)).refused("3.6")
    start.when(DEALER, play("6S")).refused("3.6")
    start.when(DEALER, Drawn((("0", "0"),))).refused("3.6")
    start.when(DEALER, Drawn(())).refused("3.6")
    start.when(ANNA, play("6S")).out_of_turn("3.6")
    ready = start.after((DEALER, lots(ANNA, 2)))
    ready.when(DEALER, Drawn((PACK[1:],))).refused("3.6")
    ready.after((DEALER, pack())).when(DEALER, pack()).out_of_turn("3.6")


def test_10_1_a_table_has_these_options_and_no_others():
    assert msgspec.to_builtins(GAME.options()) == {
        "trump_option": 1,
        "trumps": "usual",
        "personal_trumps": "lot",
        "beat_rank": "higher",
        "equal_rank": "always",
        "must_beat": "off",
        "teams": "none",
        "match_end": "last_standing",
    }
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"four_kind": "forced"}, GAME.options)
    for seats in (2, 3):
        refused = refusal(seats, teams="pairs")
        assert (refused.clause, refused.reason[:7]) == ("10.1", "teams: ")


def test_10_2_for_an_absent_player_the_house_plays_the_least_valuable_cards():
    choosing = empty_table(2, trump_option=1, personal_trumps="choose").after((DEALER, lots(ANNA, 2)))
    assert GAME.fallback(choosing.state, BORIS) == ChooseTrump("S")
    assert GAME.fallback(choosing.after((BORIS, ChooseTrump("S"))).state, ANNA) == ChooseTrump("H")
    assert GAME.fallback(table("9H 9C 9D 9S", "6H 7H 8H AH", asked=ANNA, leader=1).state, ANNA) == Decline()
    assert GAME.fallback(table("9H 6C AC AD", "6H").state, ANNA) == play("6C")
    assert GAME.fallback(table("9H 7C AC AD", "6H").state, ANNA) == play("7C")
    lead = table("9H", "AH QH 7C AC").after((ANNA, play("9H")))
    assert GAME.fallback(lead.state, BORIS) == play("QH")
    assert GAME.fallback(table("AH", "QH 7C 9C KC").after((ANNA, play("AH"))).state, BORIS) == play("7C")


def test_ta19_two_may_play():
    start = empty_table(2, trump_option=1).after((DEALER, lots(ANNA, 2, "SHDC")), (DEALER, pack()))
    assert start.seen_by("public").hand_sizes == (4, 4)


def test_ta21_a_claim_moves_the_deal_to_whoever_claimed():
    claimed = table("9H 8H 6D QD", "KS KH KD KC", "6H 7H 8D 7D", asked=BORIS).after((BORIS, CLAIM))
    assert deal_of(claimed.with_events(scored((1, 0, 1))), pack()).dealer == BORIS


def test_ta23_the_lot_is_the_usual_way():
    assert GAME.options().personal_trumps == "lot"
    four = empty_table(4, trump_option=1).after((DEALER, lots(ANNA, 4, "DCHS")))
    assert four.seen_by("public").own_trumps == ("D", "C", "H", "S")


def test_ta26_common_trumps_are_spades_and_diamonds_unless_named():
    assert empty_table(2, trump_option=3).seen_by("public").trumps == ("S",)
    assert empty_table(2, trump_option=4).seen_by("public").trumps == ("S", "D")
    assert beats(Card("6C"), Card("AS"), beating(options(trump_option=3, trumps="C"), None))


def test_ta27_partners_sit_opposite_and_need_not_spare_each_other():
    start = table("6S", "8D", "7S", "8C", teams="pairs").after((ANNA, play("6S")), (BORIS, play("8D")))
    last = start.after((VERA, play("7S"))).when(GLEB, play("8C")).events()
    assert last[0] == thrown(GLEB, "8C")
    assert last[1].seat == VERA


def test_seats_that_left_get_no_cards():
    first = table("9H", "8D", "8C", "7S").after((ANNA, play("9H"))).with_events(scored((10, 0, 0, 3), out=[ANNA]))
    event = deal_of(first, pack("6S 7S 8S 6H 7H 8H 6C 7C 8C 9S 9H 9C"))
    assert event.dealer == BORIS
    assert event.leader == VERA
    assert opened(event)[0] == ()
    assert event.hands[0] == Hidden((0,), ())
    assert opened(event)[VERA] == cards("6S 9S 6H 6C")
    assert len(event.stock.opened) == 24


def test_a_lead_is_recorded_in_order():
    table("9H 7H", "9D 8D").when(ANNA, Play(cards("9H 7H"))).then(led(ANNA, "7H 9H"))
    assert DECLINE not in table("9H 7H", "9D 8D").legal(ANNA)
