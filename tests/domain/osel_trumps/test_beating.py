"""Osel, trumps, clause 5: what beats what. See domain/osel_trumps/RULES.md."""

import random
from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import pytest

from domain import osel
from domain.cards import Card, rank_of, suit_of
from domain.osel import PACK, beats
from domain.osel_trumps import GAME, score
from domain.osel_trumps.score import beating
from tests.domain.osel_trumps.table import cards, options

PAIRS = tuple(permutations(PACK, 2))
FREE = beating(options(), None)


def beaten_by(card: str, how: Any = FREE, *, suit: str = "") -> set[str]:
    """The cards that ``card`` beats, of one suit or of all."""
    return {top for top in PACK if top != card and beats(Card(card), top, how) and suit_of(top) in (suit or "SHDC")}


def beaters_of(top: str, how: Any = FREE, *, suit: str = "") -> set[str]:
    return {card for card in PACK if top != card and beats(card, Card(top), how) and suit_of(card) in (suit or "SHDC")}


def under(own: str | None = None, **values: Any) -> Any:
    return beating(options(**values), own)  # type: ignore[arg-type]


def beats_all(laid: Sequence[Card], top: Sequence[Card], how: Any) -> bool:
    return score.beats_all(tuple(laid), tuple(top), osel.beaters(how))


def test_5_1_a_card_beats_every_lower_card_of_its_suit_or_the_next_higher_one_alone():
    assert beaten_by("AH", suit="H") == set(cards("6H 7H 8H 9H JH QH KH 10H"))
    assert beaten_by("JH", suit="H") == set(cards("6H 7H 8H 9H"))
    lower = under(beat_rank="one_lower")
    assert beaten_by("10H", lower, suit="H") == {"AH"}
    assert beaten_by("9H", lower, suit="H") == {"JH"}
    assert beaten_by("AH", lower, suit="H") == set()


@pytest.mark.parametrize("trump_option", [1, 2, 3, 4, 5])
def test_5_2_a_card_beats_one_of_equal_rank_as_the_table_has_it(trump_option: int):
    own = "S" if trump_option == 1 else None
    equals = [(card, top) for card, top in PAIRS if rank_of(card) == rank_of(top)]
    always = under(own, trump_option=trump_option)
    common = under(own, trump_option=trump_option, equal_rank="common_trumps")
    never = under(own, trump_option=trump_option, equal_rank="never")
    assert all(beats(card, top, always) for card, top in equals)
    assert [beats(card, top, common) for card, top in equals] == [
        beats(card, top, always if trump_option >= 3 else never) for card, top in equals
    ]
    assert not any(beats(card, top, never) for card, top in equals if suit_of(card) in "HC")
    assert len(equals) == 9 * 12


def test_5_3_a_six_beats_all_of_its_suit_but_the_eight_and_the_queen():
    assert beaten_by("6D", suit="D") == set(cards("7D 9D JD KD 10D AD"))
    assert beaten_by("6D", under(beat_rank="one_lower"), suit="D") == set(cards("7D 9D JD KD 10D AD"))


def test_5_4_an_eight_beats_all_of_its_suit_but_the_king_and_the_queen():
    assert beaten_by("8C", suit="C") == set(cards("6C 7C 9C JC 10C AC"))
    assert beaten_by("8C", under(beat_rank="one_lower"), suit="C") == set(cards("6C 7C 9C JC 10C AC"))


def test_5_5_the_privileges_protect_nothing():
    assert beaters_of("6H", suit="H") == set(cards("7H 8H 9H JH QH KH 10H AH"))
    assert beaters_of("8H", suit="H") == set(cards("9H JH QH KH 10H AH"))
    lower = under(beat_rank="one_lower")
    assert beaters_of("6H", lower, suit="H") == {"8H"}
    assert beaters_of("8H", lower, suit="H") == {"7H"}


def test_5_6_ones_own_trump_beats_every_card_of_another_suit():
    spades, hearts = under("S", trump_option=1), under("H", trump_option=1)
    assert beaten_by("7S", spades) - set(cards("6S")) == {top for top in PACK if suit_of(top) != "S"}
    assert beats(Card("7H"), Card("AS"), hearts)
    assert not beats(Card("AH"), Card("7D"), spades)
    assert not beats(Card("AH"), Card("7S"), spades)


def test_5_7_common_trumps_beat_ordinary_cards_and_not_each_other():
    one, two = under(trump_option=3), under(trump_option=4, trumps="HC")
    assert beats(Card("7S"), Card("AH"), one)
    assert not beats(Card("AH"), Card("7S"), one)
    assert not beats(Card("AH"), Card("7D"), one)
    assert beats(Card("7C"), Card("AS"), two)
    assert not beats(Card("AS"), Card("7C"), two)
    assert not beats(Card("AC"), Card("7H"), two)
    assert not beats(Card("AH"), Card("7C"), two)
    assert beats(Card("7H"), Card("7C"), two)


def test_5_8_senior_trumps_beat_junior_ones_and_both_beat_ordinary_cards():
    how = under(trump_option=5)
    assert beats(Card("7S"), Card("AD"), how)
    assert beats(Card("7S"), Card("AC"), how)
    assert beats(Card("7D"), Card("AC"), how)
    assert not beats(Card("AD"), Card("7S"), how)
    assert not beats(Card("AH"), Card("7D"), how)
    assert not beats(Card("AH"), Card("7S"), how)
    assert not beats(Card("AH"), Card("7C"), how)


def test_5_9_otherwise_no_card_beats_another_suit():
    across = [(card, top) for card, top in PAIRS if suit_of(card) != suit_of(top) and rank_of(card) != rank_of(top)]
    assert not any(beats(card, top, FREE) for card, top in across)


def test_5_10_several_cards_beat_as_many_when_each_beats_one():
    assert beats_all(cards("AH JH"), cards("9H KH"), FREE)
    assert not beats_all(cards("QH JH"), cards("9H KH"), FREE)
    assert not beats_all(cards("AH 7C"), cards("9H KH"), FREE)
    # The ace could beat either card; only one way round leaves the jack something to beat.
    assert beats_all(cards("AH 10H"), cards("KH 9H"), FREE)
    assert beats_all(cards("10H AH"), cards("9H KH"), FREE)
    assert not beats_all(cards("6H AH"), cards("QH 8H"), FREE)


def test_tx1_what_the_six_of_hearts_beats():
    assert beaten_by("6H") == set(cards("7H 9H JH KH 10H AH 6S 6D 6C"))
    assert not beats(Card("6H"), Card("AC"), FREE)
    assert beats(Card("7H"), Card("6H"), FREE)


def test_tx2_what_the_eight_of_hearts_beats():
    assert beaten_by("8H") == set(cards("6H 7H 9H JH 10H AH 8S 8D 8C"))
    assert beats(Card("9H"), Card("8H"), FREE)
    assert beats(Card("10H"), Card("KH"), FREE)
    assert not beats(Card("KH"), Card("10H"), FREE)


def test_tx3_equal_ranks_and_one_trump_suit():
    spades = under(trump_option=3)
    assert beats(Card("AC"), Card("AH"), FREE)
    assert beats(Card("KH"), Card("KS"), spades)
    assert not beats(Card("AH"), Card("7S"), spades)
    assert beats(Card("7S"), Card("AH"), spades)


def test_tx6_personal_trumps():
    spades, hearts = under("S", trump_option=1), under("H", trump_option=1)
    assert beats_all(cards("7S AD"), cards("KH 9D"), spades)
    assert beats_all(cards("7S 8S 9S"), cards("AH AD AC"), spades)
    assert not beats(Card("7S"), Card("9S"), spades)
    assert beats(Card("6S"), Card("9S"), spades)
    assert beats(Card("7H"), Card("AS"), hearts)


def test_ta2_the_letter_of_the_source_can_be_played():
    assert GAME.options().beat_rank == "higher"
    lower = under(beat_rank="one_lower")
    assert beats(Card("QH"), Card("KH"), lower)
    assert not beats(Card("KH"), Card("QH"), lower)
    assert beats(Card("QH"), Card("QS"), lower)
    assert not beats(Card("6H"), Card("8H"), lower)


def test_ta3_the_ten_is_between_the_king_and_the_ace():
    assert beaters_of("KH", suit="H") == set(cards("6H 10H AH"))


def test_ta4_equal_ranks_beat_even_a_trump():
    assert beats(Card("7H"), Card("7S"), under("H", trump_option=1))
    assert beats(Card("7C"), Card("7S"), under(trump_option=5))
    assert not beats(Card("7C"), Card("7S"), under(trump_option=5, equal_rank="never"))


def test_ta5_sixes_and_eights_are_beaten_by_rank():
    assert beats(Card("QH"), Card("6H"), FREE)
    assert beats(Card("QH"), Card("8H"), FREE)


def test_ta24_another_players_trump_is_an_ordinary_card():
    assert beats(Card("6S"), Card("AH"), under("S", trump_option=1))
    assert beats(Card("6H"), Card("AS"), under("H", trump_option=1))


def test_ta25_two_equal_trumps_meet_by_rank_alone():
    how = under(trump_option=4)
    assert not beats(Card("AS"), Card("6D"), how)
    assert beats(Card("6S"), Card("6D"), how)


LADDER = "6789JQKTA"


def restated(card: str, top: str, trump_option: int, suits: str, beat_rank: str, equal_rank: str) -> bool:
    """Clause 5 once more, in words: ``suits`` are the player's trumps, the senior one first."""
    rank, suit = card[:-1].replace("10", "T"), card[-1]
    other, kind = top[:-1].replace("10", "T"), top[-1]
    if suit == kind:
        if rank == "6":
            return other not in "8Q"
        if rank == "8":
            return other not in "KQ"
        if beat_rank == "one_lower":
            return LADDER[LADDER.index(rank) + 1 :].startswith(other)
        return other in LADDER[: LADDER.index(rank)]
    if rank == other and (equal_rank == "always" or (equal_rank == "common_trumps" and trump_option > 2)):
        return True
    if trump_option == 5 and suit == "S":
        return True
    if trump_option == 5 and suit == "D":
        return kind in "HC"
    return trump_option != 5 and suit in suits and kind not in suits


def test_every_pair_of_cards_under_every_option():
    """Every ordered pair of the 36 cards against a restatement that knows no table."""
    settings = [(2, "", "usual"), (5, "SD", "usual")]
    settings += [(1, own, "usual") for own in "SHDC"]
    settings += [(3, suit, suit) for suit in "SHDC"]
    settings += [(4, suits, suits) for suits in ("SH", "SD", "SC", "HD", "HC", "DC")]
    compared = yes = 0
    for (option, suits, named), rank, equal in product(
        settings, ("higher", "one_lower"), ("always", "common_trumps", "never")
    ):
        table = options(trump_option=option, trumps=named, beat_rank=rank, equal_rank=equal)
        GAME.check(table, 4)
        how = beating(table, suits if option == 1 else None)  # type: ignore[arg-type]
        for card, top in PAIRS:
            expected = restated(card, top, option, suits, rank, equal)
            assert beats(card, top, how) == expected, (card, top, table, suits)
            compared += 1
            yes += expected
    print(f"{compared} pairs compared, {yes} of them beat")
    assert compared == 16 * 2 * 3 * 36 * 35


def test_the_suits_that_are_not_named_are_spades_and_diamonds():
    for card, top in PAIRS:
        assert beats(card, top, under(trump_option=3)) == beats(card, top, under(trump_option=3, trumps="S"))
        assert beats(card, top, under(trump_option=4)) == beats(card, top, under(trump_option=4, trumps="SD"))


def matched(laid: list[Card], top: list[Card], how: Any) -> bool:
    """Whether each of ``laid`` can be given a card of ``top``: one by one, taking back what leads nowhere."""
    if not laid:
        return True
    return any(
        beats(laid[0], under, how) and matched(laid[1:], top[:place] + top[place + 1 :], how)
        for place, under in enumerate(top)
    )


def test_several_cards_beat_when_there_is_a_way_to_lay_them():
    chance = random.Random(5)
    settings = [under("H", trump_option=1), FREE, under(trump_option=4), under(trump_option=5)]
    yes = 0
    for _ in range(4000):
        size = chance.randint(1, 4)
        drawn = chance.sample(PACK, 2 * size)
        how = chance.choice(settings)
        expected = matched(drawn[:size], drawn[size:], how)
        assert beats_all(drawn[:size], drawn[size:], how) == expected
        yes += expected
    print(f"4000 pairs of sets compared, {yes} of them beat")
    assert 500 < yes < 3500
