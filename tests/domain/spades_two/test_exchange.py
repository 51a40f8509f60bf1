"""Two-handed Spades, clause 5: the exchange of a double nil. See domain/spades_two/RULES.md."""

import pytest

from domain.game import DEALER
from domain.hidden import Hidden
from domain.spades_two import GAME
from domain.spades_two.rules import Bid, Exchange
from domain.spades_two.state import (
    PACK,
    CardsThrown,
    ReplacementsDrawn,
)
from tests.domain.spades_two.table import (
    ANNA,
    BELA,
    YES,
    answered,
    cards,
    drafted,
    draw,
    play,
    replacements,
    throw,
)


def test_5_1_a_double_nil_exchanges_after_the_draft_once():
    answered("AS 3D 7C KH", first=YES).when(ANNA, throw("AS")).refused("5.1")
    table = drafted("2H 3H", "4H 5H", anna_says=YES)
    assert GAME.to_act(table.state) == {ANNA}
    assert table.seen_by(ANNA).stage == "exchange"
    table.when(ANNA, play("2H")).refused("7.1")
    bidding = draw(table.after((ANNA, throw("2H"))), "AC")
    assert GAME.to_act(bidding.state) == {BELA}
    lead = bidding.after((BELA, Bid(1)), (BELA, play("4H")))
    lead.when(ANNA, throw("3H")).refused("5.1")


def test_5_2_up_to_three_cards_of_the_hand_are_thrown():
    hand = "2H 3H 4H 5H"
    table = drafted(hand, "2D 3D 4D 5D", anna_says=YES)
    assert len(table.legal(ANNA)) == 1 + 4 + 6 + 4
    for text in ("", "2H", "5H 2H", "4H 3H 2H"):
        count = len(cards(text))
        in_order = tuple(sorted(cards(text)))
        table.when(ANNA, throw(text)).then(CardsThrown(ANNA, count, Hidden((ANNA,), in_order)))
    table.when(ANNA, throw("2H 3H 4H 5H")).refused("5.2")
    table.when(ANNA, throw("2H 2H")).refused("5.2")
    table.when(ANNA, throw("2D")).refused("5.2")
    table.when(ANNA, throw("2H 1H")).refused("1.2")


def test_5_3_as_many_cards_of_the_pile_come_back():
    table = drafted("2H 3H 4H", "2D 3D 4D", anna_says=YES).after((ANNA, throw("2H 4H")))
    assert GAME.chance(table.state) == (table.state.pile,)
    assert set(table.state.pile) == set(cards("AC KC QC JC 10C 9C"))
    after = table.when(DEALER, replacements(table, "QC AC")).then(
        ReplacementsDrawn(ANNA, 2, Hidden((ANNA,), cards("QC AC")))
    )
    assert after.state.hands[ANNA] == cards("3H QC AC")
    assert after.seen_by("public").discard_size == 4


def test_5_3_nothing_is_drawn_for_nothing():
    table = drafted("2H", "2D", anna_says=YES).after((ANNA, throw("")))
    assert (table.state.stage, table.seen_by("public").exchanged) == ("bidding", (0, None))


def test_5_4_thrown_cards_do_not_come_back():
    table = drafted("2H 3H", "2D 3D", anna_says=YES, bela_says=YES).after((BELA, throw("2D 3D")))
    assert not {"2D", "3D"} & set(GAME.chance(table.state)[0])
    later = draw(table, "AC QC").after((ANNA, throw("2H")))
    assert not {"2D", "3D", "2H", "AC", "QC"} & set(GAME.chance(later.state)[0])


def test_5_5_the_second_player_exchanges_first():
    table = drafted("2H 3H", "2D 3D", anna_says=YES, bela_says=YES)
    table.when(ANNA, throw("2H")).out_of_turn("2.6")
    later = draw(table.after((BELA, throw("2D"))), "AC")
    assert GAME.to_act(later.state) == {ANNA}
    assert set(later.state.pile) == set(cards("KC QC JC"))
    done = draw(later.after((ANNA, throw("2H"))), "KC")
    assert done.state.stage == "play"
    assert done.state.hands == (cards("3H KC"), cards("3D AC"))


def test_5_6_how_many_cards_were_exchanged_is_public():
    table = draw(drafted("2H 3H", "2D 3D", bela_says=YES).after((BELA, throw("2D 3D"))), "AC QC")
    public, anna, bela = (table.seen_by(viewer) for viewer in ("public", ANNA, BELA))
    assert public.exchanged == anna.exchanged == bela.exchanged == (None, 2)
    assert public.thrown == anna.thrown[BELA:] + anna.thrown[BELA:] == (None, None)
    assert public.received[BELA] is anna.received[BELA] is None
    assert (bela.thrown[BELA], bela.received[BELA]) == (cards("2D 3D"), cards("QC AC"))


def test_5_7_an_ordinary_nil_exchanges_nothing():
    table = drafted("2H 3H", "2D 3D")
    table.when(BELA, throw("2D")).refused("5.1")
    table.after((BELA, Bid(0))).when(ANNA, Exchange(())).refused("5.1")
    bid = table.after((BELA, Bid(0)), (ANNA, Bid(1)))
    bid.when(BELA, throw("2D")).refused("5.1")


def test_sa4_the_exchange_comes_between_the_draft_and_the_bids():
    table = drafted("2H 3H", "2D 3D", anna_says=YES)
    table.when(BELA, Bid(1)).out_of_turn("2.6")
    assert table.after((ANNA, throw(""))).legal(BELA)[0] == Bid(0)


@pytest.mark.parametrize("count", range(4))
def test_sa5_none_to_three_are_exchanged_for_as_many(count: int):
    hand = cards("2H 3H 4H 5H")
    table = drafted(" ".join(hand), "2D 3D 4D 5D", anna_says=YES).after((ANNA, throw(" ".join(hand[:count]))))
    if count:
        table = draw(table, " ".join(table.state.pile[:count]))
    assert len(table.state.hands[ANNA]) == 4
    assert table.state.stage == "bidding"


def test_sa6_the_pool_of_the_first_player_lacks_what_the_second_drew_and_threw():
    table = draw(
        drafted("2H 3H 4H", "2D 3D 4D", anna_says=YES, bela_says=YES).after((BELA, throw("2D 3D 4D"))), "AC KC QC"
    )
    after = table.after((ANNA, throw("2H")))
    assert GAME.chance(after.state) == (tuple(sorted(cards("JC 10C 9C"), key=PACK.index)),)


def test_sa7_a_nil_keeps_its_hand():
    assert drafted("2H", "2D").after((BELA, Bid(0))).state.stage == "bidding"


def test_sx11_two_cards_are_exchanged_and_do_not_return():
    table = drafted("2H 3H 4H", "AS KH 2D", bela_says=YES).after((BELA, throw("AS KH")))
    (pile,) = GAME.chance(table.state)
    assert not {"AS", "KH"} & set(pile)
    done = draw(table, "QC JC")
    assert done.state.hands[BELA] == cards("2D JC QC")
    assert done.seen_by(ANNA).exchanged == (None, 2)
    assert done.seen_by(ANNA).thrown == (None, None)
