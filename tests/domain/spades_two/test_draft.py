"""Two-handed Spades, clauses 1 to 4: cards, roles, double nil, draft. See domain/spades_two/RULES.md."""

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from domain.cards import RANKS
from domain.game import DEALER, Drawn
from domain.hidden import Hidden, seal
from domain.spades_two import GAME
from domain.spades_two.rules import Bid
from domain.spades_two.state import (
    PACK,
    BidPlaced,
    CardKept,
    CardRejected,
    DoubleNilAnswered,
    Options,
    StockShuffled,
)
from tests.domain.play import redact
from tests.domain.spades_two.table import (
    ANNA,
    BELA,
    KEEP,
    NO,
    REJECT,
    YES,
    after_cards,
    answered,
    cards,
    drafted,
    draw,
    empty_table,
    last_hand,
    lots,
    offered,
    play,
    playing,
    scored,
    shuffled,
    throw,
)
from tests.domain.spec import given


def test_1_1_two_play_each_for_themselves():
    assert list(GAME.seats) == [2]
    start = empty_table().state
    assert len(start.hands) == len(start.totals) == 2


def test_1_2_the_pack_has_52_cards_and_the_ace_is_the_highest():
    assert len(set(PACK)) == len(PACK) == 52
    assert Counter(card[-1] for card in PACK) == dict.fromkeys("SHDC", 13)
    for lower, higher in pairwise(RANKS):
        assert after_cards(playing(f"{higher}H 2C", f"{lower}H 3C"), f"{lower}H {higher}H").state.won == (1, 0)
    assert RANKS[-1] == "A"
    playing("AH", "2H").when(BELA, play("1H")).refused("1.2")
    playing("AH", "2H").when(BELA, play("TH")).refused("1.2")


def test_1_3_spades_are_trumps():
    for card in PACK:
        if card[-1] != "S" and card != "3C":
            assert after_cards(playing("2S 3S", f"{card} 3C"), f"{card} 2S").state.won == (1, 0)


@pytest.mark.parametrize(("target", "over"), [(500, True), (501, False)])
def test_1_4_the_first_to_have_the_target_wins(target: int, over: bool):
    table = playing("2H", "3H", bids=(1, 1), before=scored(1, (0, 490)), target=target)
    won = after_cards(table, "3H 2H")
    assert won.state.totals == (-10, 500)
    assert won.state.winners == ((BELA,) if over else ())
    assert Options().target == 500


def test_2_1_the_cards_are_the_stock_and_nothing_is_dealt():
    table = empty_table().after((DEALER, lots(ANNA)))
    assert table.state.stock == PACK
    assert table.state.hands == ((), ())
    seen = table.seen_by("public")
    assert (seen.stage, seen.stock_size, seen.stock, seen.hand_sizes) == ("double_nil", 52, None, (0, 0))


@pytest.mark.parametrize("first", [ANNA, BELA])
def test_2_2_the_lot_decides_who_is_first(first: int):
    start = empty_table()
    assert GAME.chance(start.state) == (("0", "1"), PACK)
    table = start.when(DEALER, lots(first)).then(StockShuffled(1, first, Hidden((), PACK)))
    assert (table.seen_by("public").first, table.seen_by("public").second) == (first, 1 - first)


def test_2_3_the_roles_change_from_hand_to_hand():
    table = after_cards(playing("2H", "3H"), "3H 2H")
    for hand, first in ((2, BELA), (3, ANNA), (4, BELA)):
        assert GAME.chance(table.state) == (PACK,)
        table = table.when(DEALER, Drawn((PACK,))).then(StockShuffled(hand, first, Hidden((), PACK)))
        table = table.with_events(scored(hand, (0, 0)))


def test_2_4_the_stock_is_in_the_order_drawn_and_hidden_from_all():
    order = tuple(random.Random(4).sample(PACK, 52))
    (event,) = empty_table().when(DEALER, lots(ANNA, order)).events()
    assert event.stock == Hidden((), order)


def test_2_5_chance_is_the_dealers_and_only_where_it_is_due():
    start = empty_table()
    start.when(ANNA, lots(ANNA)).refused("2.5")
    start.when(DEALER, NO).refused("2.5")
    start.when(ANNA, NO).out_of_turn("2.5")
    start.when(DEALER, Drawn((PACK,))).refused("2.5")
    start.when(DEALER, Drawn((("0", "0"), PACK))).refused("2.5")
    start.when(DEALER, Drawn((("0", "1"), ("AS", *PACK[1:])))).refused("2.5")
    table = start.after((DEALER, lots(ANNA)))
    assert GAME.to_act(table.state) == {BELA}
    assert GAME.chance(table.state) == ()
    table.when(DEALER, lots(ANNA)).out_of_turn("2.5")
    thrown = drafted("2H 3H", "4H 5H", bela_says=YES).after((BELA, throw("4H")))
    assert GAME.to_act(thrown.state) == {DEALER}
    thrown.when(BELA, Bid(1)).out_of_turn("2.5")
    thrown.when(DEALER, Drawn((PACK,))).refused("2.5")


def test_2_6_nobody_acts_out_of_turn():
    table = empty_table().after((DEALER, lots(ANNA)))
    table.when(ANNA, NO).out_of_turn("2.6")
    draft = table.after((BELA, NO), (ANNA, NO))
    draft.when(BELA, KEEP).out_of_turn("2.6")
    drafted("2H", "3H").when(ANNA, Bid(1)).out_of_turn("2.6")
    playing("2H", "3H").when(ANNA, play("2H")).out_of_turn("2.6")


def test_2_7_what_is_public_and_what_is_not():
    table = answered("AS 3D 7C KH 5D 6D QS").after((ANNA, KEEP), (BELA, REJECT))
    public, anna, bela = (table.seen_by(viewer) for viewer in ("public", ANNA, BELA))
    for seen in (public, anna, bela):
        assert (seen.first, seen.second, seen.turn, seen.deal) == (ANNA, BELA, ANNA, 1)
        assert (seen.hand_sizes, seen.stock_size, seen.discard_size) == ((1, 1), 2, 2)
        assert (seen.double_nil, seen.bids, seen.spades_broken) == ((False, False), (None, None), False)
        assert (seen.stock, seen.hands, seen.skipped) == (None, None, (None, None))
    assert (public.hand, anna.hand, bela.hand) == (None, cards("AS"), cards("KH"))
    assert (public.drawn, anna.drawn, bela.drawn) == (None, "5D", None)
    assert public.drawing
    assert (public.rejected, anna.rejected, bela.rejected) == ((None, None), ((), None), (None, cards("7C")))
    everything = table.seen_by("all")
    assert everything.hands == (cards("AS"), cards("KH"))
    assert everything.stock == cards("6D QS")
    assert everything.skipped == (cards("3D"), ())
    assert everything.drawn == "5D"


def test_3_1_double_nil_is_bid_before_any_card_is_drawn():
    table = given(GAME, shuffled("AS KS QS JS"))
    for move in (KEEP, REJECT):
        table.when(BELA, move).refused("4.1")
    assert table.legal(BELA) == [YES, NO]
    draft = table.after((BELA, NO), (ANNA, NO))
    draft.when(ANNA, YES).refused("3.1")
    draft.when(ANNA, NO).refused("3.1")
    drafted("2H", "3H").when(BELA, YES).refused("3.1")
    playing("2H", "3H").when(BELA, YES).refused("3.1")


def test_3_2_the_second_player_answers_first():
    table = given(GAME, shuffled("AS KS QS JS"))
    assert GAME.to_act(table.state) == {BELA}
    after = table.when(BELA, NO).then(DoubleNilAnswered(BELA, declared=False))
    after.when(ANNA, YES).then(DoubleNilAnswered(ANNA, declared=True), offered(ANNA, "AS"))


def test_3_3_an_answer_is_public_at_once():
    table = given(GAME, shuffled("AS KS QS JS")).after((BELA, YES))
    for viewer in (ANNA, BELA, "public"):
        assert table.seen_by(viewer).double_nil == (None, True)
        assert table.seen_by(viewer).bids == (None, "double_nil")


def test_3_4_a_double_nil_is_the_bid():
    table = drafted("2H 3H", "4H 5H", bela_says=YES)
    table.when(BELA, Bid(2)).refused("3.4")
    bidding = table.after((BELA, throw("")))
    assert GAME.to_act(bidding.state) == {ANNA}
    ready = bidding.when(ANNA, Bid(2)).then(BidPlaced(ANNA, 2))
    assert ready.state.bids == (2, "double_nil")
    ready.when(BELA, Bid(2)).refused("3.4")
    both = drafted("2H", "3H", bela_says=YES, anna_says=YES).after((BELA, throw("")), (ANNA, throw("")))
    assert both.state.stage == "play"


@pytest.mark.parametrize(("answer", "points"), [("4H", 200), ("2H", -200)])
def test_3_5_a_double_nil_says_that_no_trick_will_be_won(answer: str, points: int):
    table = drafted(answer, "3H", bela_says=YES).after((BELA, throw("")), (ANNA, Bid(1)), (BELA, play("3H")))
    assert last_hand(table.when(ANNA, play(answer)).events()).points[BELA] == points


def test_4_1_the_first_player_draws_the_top_card_and_looks_at_it_alone():
    table = answered("AS 3D 7C KH")
    assert GAME.to_act(table.state) == {ANNA}
    assert table.legal(ANNA) == [KEEP, REJECT]
    assert [table.seen_by(viewer).drawn for viewer in (ANNA, BELA, "public")] == ["AS", None, None]
    drafted("2H", "3H").when(BELA, KEEP).refused("4.1")
    playing("2H", "3H").when(BELA, REJECT).refused("4.1")


def test_4_2_after_a_keep_the_next_card_is_discarded():
    table = answered("AS 3D 7C KH")
    kept = CardKept(ANNA, Hidden((ANNA,), cards("AS")[0]), Hidden((), cards("3D")[0]))
    after = table.when(ANNA, KEEP).then(kept, offered(BELA, "7C"))
    assert after.state.hands == (cards("AS"), ())
    assert after.state.pile == cards("3D")


def test_4_3_after_a_reject_the_next_card_has_to_be_kept():
    table = answered("AS 3D 7C KH")
    rejected = CardRejected(ANNA, Hidden((ANNA,), cards("AS")[0]), Hidden((ANNA,), cards("3D")[0]))
    after = table.when(ANNA, REJECT).then(rejected, offered(BELA, "7C"))
    assert after.state.hands == (cards("3D"), ())
    assert after.state.pile == cards("AS")


@pytest.mark.parametrize(
    ("option", "seen"),
    [
        ("hidden", {ANNA: None, BELA: None, "public": None}),
        ("drawer", {ANNA: cards("3D"), BELA: None, "public": None}),
        ("open", {ANNA: cards("3D"), BELA: cards("3D"), "public": cards("3D")}),
    ],
)
def test_4_4_who_sees_the_card_after_a_keep(option: str, seen: dict[int | str, tuple[str, ...] | None]):
    table = answered("AS 3D 7C KH", skipped_card=option)
    event, _ = table.when(ANNA, KEEP).events()
    skipped = cards("3D")[0]
    shown = {"hidden": Hidden((), skipped), "drawer": Hidden((ANNA,), skipped), "open": skipped}
    assert event.skipped == shown[option]
    after = table.after((ANNA, KEEP))
    for viewer, own in seen.items():
        assert after.seen_by(viewer).skipped[ANNA] == own  # type: ignore[arg-type]
    assert after.seen_by("all").skipped[ANNA] == cards("3D")
    assert Options().skipped_card == "hidden"


def test_4_5_the_players_draw_in_turn_until_the_stock_is_used_up():
    table = empty_table().after((DEALER, lots(BELA)), (ANNA, NO), (BELA, NO))
    turns = []
    while table.state.stage == "draft":
        turns.append(table.state.turn)
        table = table.after((table.state.turn, KEEP))
    assert turns == [BELA, ANNA] * 13
    assert table.state.stock == ()


def test_4_6_then_both_hold_13_cards_and_26_are_out_of_play():
    table = empty_table().after((DEALER, lots(ANNA)), (BELA, NO), (ANNA, NO))
    for number in range(26):
        table = table.after((table.state.turn, (KEEP, REJECT)[number % 2]))
    state = table.state
    assert [len(hand) for hand in state.hands] == [13, 13]
    assert len(state.pile) == state.discarded == 26
    assert {*state.hands[0], *state.hands[1], *state.pile} == set(PACK)
    assert (state.stage, state.drawn) == ("bidding", None)


@pytest.mark.parametrize(("move", "kind"), [(KEEP, CardKept), (REJECT, CardRejected)])
def test_4_7_that_a_card_was_kept_is_public_but_not_which(move: Any, kind: type[Any]):
    event, offer = answered("AS 3D 7C KH").when(ANNA, move).events()
    assert type(event) is kind
    for viewer in (BELA, "public"):
        assert all(opening.to == (ANNA,) or opening.to == () for opening in seal(event, lambda _: bytes(16))[1])
        assert not any(card in str(redact(event, viewer)) for card in ("AS", "3D"))
    assert "7C" not in str(redact(offer, ANNA))


def test_sa1_the_skipped_card_is_unseen_by_default():
    event, _ = answered("AS 3D 7C KH").when(ANNA, KEEP).events()
    assert event.skipped.to == ()


def test_sa2_the_set_aside_cards_come_back_by_the_exchange_only():
    table = draw(drafted("2H 3H", "2D 3D", bela_says=YES).after((BELA, throw("2D"))), "AC")
    assert "AC" in table.state.hands[BELA]
    assert "AC" not in table.state.pile


def test_sa3_both_are_asked_before_the_first_card_of_the_hand():
    table = given(GAME, shuffled("AS KS QS JS"))
    assert table.after((BELA, YES)).state.drawn is None
    assert table.after((BELA, YES), (ANNA, NO)).state.drawn == "AS"


def test_sa18_the_lot_is_drawn_once():
    assert len(GAME.chance(empty_table().state)) == 2
    over = given(GAME, shuffled("AS KS QS JS"), scored(1, (0, 0)))
    assert len(GAME.chance(over.state)) == 1


def test_sa21_no_number_is_bid_after_a_double_nil():
    table = drafted("2H", "2D", bela_says=YES).after((BELA, throw("")), (ANNA, Bid(1)))
    table.when(BELA, Bid(0)).refused("3.4")


def test_sx1_a_keep_and_a_reject():
    table = answered("AS 3D 7C KH").after((ANNA, KEEP), (BELA, REJECT))
    assert table.state.hands == (cards("AS"), cards("KH"))
    assert (table.state.skipped, table.state.rejected) == ((cards("3D"), ()), ((), cards("7C")))
    for viewer in (ANNA, BELA, "public"):
        assert table.seen_by(viewer).skipped == (None, None)


def test_sx2_after_26_turns():
    table = empty_table().after((DEALER, lots(ANNA, PACK[::-1])), (BELA, NO), (ANNA, NO))
    for _ in range(26):
        assert table.state.stage == "draft"
        table = table.after((table.state.turn, REJECT))
    seen = table.seen_by("public")
    assert (seen.hand_sizes, seen.discard_size, seen.stock_size) == ((13, 13), 26, 0)
