"""Who's the Ass?, clauses 1 and 2: aim, cards, and the deal. See domain/whos_the_ass/RULES.md."""

from collections import Counter

import pytest

from domain.game import DEALER, Drawn, Viewer
from domain.match.rules import options_of
from domain.whos_the_ass import GAME
from domain.whos_the_ass.rules import PLACES
from domain.whos_the_ass.state import (
    ASS,
    CARDS_EACH,
    JOKER,
    PACK,
    CardsDealt,
    HandScored,
    MatchWon,
    ScorekeeperChosen,
    in_order,
)
from tests.domain.play import seen
from tests.domain.spec import given
from tests.domain.whos_the_ass.table import (
    ARNO,
    BABS,
    CHRIS,
    PASS,
    cards,
    dealt,
    drawn,
    empty_table,
    play,
    table,
)

every_number_of_players = pytest.mark.parametrize("seats", range(3, 13))


def deal(seats: int, scorekeeper: int = 0, place: int = 1, pile: tuple[str, ...] = PACK) -> CardsDealt:
    """The first deal of a match."""
    command = drawn(lot=scorekeeper, seats=seats, place=place, pile=pile)
    lot, first = empty_table(seats).when(DEALER, command).events()
    assert lot == ScorekeeperChosen(scorekeeper)
    assert isinstance(first, CardsDealt)
    return first


def test_1_1_the_first_empty_hand_ends_the_game():
    events = table("4", "2 2", "ASS 3").after((CHRIS, play("3")), (ARNO, play("4"))).when(BABS, PASS).events()
    assert HandScored(1, (0, 4, 20), (0, 4, 20), CHRIS) in events


def test_1_2_cards_of_the_others_cost_points_and_the_ass_alone_20():
    events = table("4", "2 13", "ASS 3").after((CHRIS, play("3")), (ARNO, play("4"))).when(BABS, PASS).events()
    (scored,) = (event for event in events if isinstance(event, HandScored))
    assert scored.points == (0, 15, 20)


def test_1_3_the_pack_has_110_cards():
    pack = Counter((*PACK, ASS))
    assert pack.total() == 110
    assert pack == {**{str(number): 8 for number in range(1, 14)}, JOKER: 5, ASS: 1}
    table("1", "2", "ASS 3").when(CHRIS, play("14")).refused("1.3")


def test_1_4_from_3_to_12_play():
    assert list(GAME.seats) == list(range(3, 13)) == list(CARDS_EACH)


def test_2_1_the_lot_names_the_scorekeeper_once():
    start = empty_table(5)
    assert sorted(GAME.chance(start.state)[0]) == ["0", "1", "2", "3", "4"]
    later = start.when(DEALER, drawn(lot=3, seats=5)).then(ScorekeeperChosen(3), deal(5, scorekeeper=3))
    assert later.seen_by("public").scorekeeper == 3
    over = later.with_events(HandScored(1, (0, 1, 1, 1, 20), (0, 1, 1, 1, 20), 4))
    assert len(GAME.chance(over.state)) == 2


@pytest.mark.parametrize(("option", "second"), [("rotate", 1), ("fixed", 0)])
def test_2_2_the_scorekeepers_left_neighbour_deals_and_the_deal_goes_round_or_stays(option: str, second: int):
    first = empty_table(4, dealer=option).after((DEALER, drawn(lot=3, seats=4)))
    assert first.state.dealer == 0
    over = first.with_events(HandScored(1, (0, 1, 1, 20), (0, 1, 1, 20), 3))
    assert over.after((DEALER, drawn())).state.dealer == second


@every_number_of_players
def test_2_3_the_ass_is_at_any_of_39_places(seats: int):
    assert GAME.chance(empty_table(seats).state)[-1] == PLACES == tuple(str(place) for place in range(1, 40))
    for place in range(1, 40):
        event = deal(seats, scorekeeper=2, place=place)
        assert event.starter == (3 + place) % seats
        assert ASS in event.hands[event.starter].opened


def test_2_4_cards_are_dealt_singly_from_the_dealers_left():
    event = deal(3, scorekeeper=ARNO, place=39, pile=PACK)
    pile = (*PACK[:38], ASS)
    assert event.dealer == BABS
    first, second, third = (event.hands[seat].opened for seat in (CHRIS, ARNO, BABS))
    assert (first, second, third) == (in_order(pile[0::3]), in_order(pile[1::3]), in_order(pile[2::3]))
    assert event.undealt.opened == PACK[38:]


@every_number_of_players
def test_2_5_everybody_gets_as_many_cards_as_the_table_says(seats: int):
    each = {9: 12, 10: 11, 11: 10, 12: 9}.get(seats, 13)
    event = deal(seats, place=39)
    assert [len(hidden.opened) for hidden in event.hands] == [each] * seats
    assert len(event.undealt.opened) == 110 - seats * each
    assert sum(hidden.opened.count(ASS) for hidden in event.hands) == 1


def test_2_6_players_see_their_own_hand_the_sizes_and_who_holds_the_ass():
    event = dealt("1 1", "2 3", "ASS 4", undealt="5 5")
    for seat in (ARNO, BABS, CHRIS):
        told = seen(event, seat)
        assert ["value" in hidden for hidden in told["hands"]] == [other == seat for other in range(3)]
        assert "value" not in told["undealt"]
    expected: dict[Viewer, object] = {ARNO: cards("1 1"), CHRIS: cards("4 ASS"), "public": None}
    for viewer, hand in expected.items():
        table = given(GAME, event).seen_by(viewer)
        assert table.hand == hand
        assert table.hands is None
        assert table.hand_sizes == (2, 2, 2)
        assert table.ass_holder == CHRIS
    assert given(GAME, event).seen_by("all").hands == (cards("1 1"), cards("2 3"), cards("4 ASS"))


def test_2_7_chance_is_the_dealers_and_the_dealer_deals_only_before_a_game():
    start, command = empty_table(3), drawn(lot=0, seats=3)
    assert GAME.chance(start.state) == (("0", "1", "2"), PACK, PLACES)
    start.when(ARNO, command).refused("2.7")
    start.when(DEALER, PASS).refused("2.7")
    start.when(ARNO, PASS).out_of_turn("2.7")
    start.when(DEALER, Drawn(command.lists[1:])).refused("2.7")
    start.when(DEALER, Drawn((*command.lists[:2], ("40", *PLACES[1:])))).refused("2.7")
    start.when(DEALER, Drawn((command.lists[0], ("13", *PACK[1:]), command.lists[2]))).refused("2.7")
    playing = start.after((DEALER, command))
    assert GAME.chance(playing.state) == ()
    playing.when(DEALER, command).out_of_turn("2.7")
    over = playing.with_events(HandScored(1, (0, 1, 20), (0, 1, 20), CHRIS), MatchWon((ARNO,), (0, 1, 20)))
    over.when(DEALER, drawn()).out_of_turn("8.5")
    assert GAME.to_act(over.state) == frozenset()


@pytest.mark.parametrize(("seats", "each", "left_out"), [(9, 12, 2), (10, 11, 0), (11, 10, 0)])
def test_wx12_nine_get_12_each_and_with_ten_or_eleven_nothing_is_left_out(seats: int, each: int, left_out: int):
    event = deal(seats)
    assert {len(hidden.opened) for hidden in event.hands} == {each}
    assert len(event.undealt.opened) == left_out


@pytest.mark.parametrize("seats", [2, 13])
def test_wx12_two_are_too_few_and_thirteen_too_many(seats: int):
    with pytest.raises(Exception, match="3 to 12 seats"):
        options_of(GAME, {}, seats)


def test_wa1_every_place_among_the_first_39_can_hold_the_ass_and_no_other():
    starters = Counter(deal(12, place=place).starter for place in range(1, 40))
    assert sorted(starters.values()) == [3] * 9 + [4] * 3


def test_wa2_dealt_singly_the_ass_can_fall_to_anybody():
    assert {deal(12, place=place).starter for place in range(1, 40)} == set(range(12))


def test_wa3_the_deal_goes_round_the_whole_table():
    dealers, over = [], empty_table(3, games=4)
    for game in range(1, 5):
        over = over.after((DEALER, drawn(lot=CHRIS, seats=3) if game == 1 else drawn()))
        dealers.append(over.state.dealer)
        over = over.with_events(HandScored(game, (0, 0, 0), (0, 0, 0), 0))
    assert dealers == [0, 1, 2, 0]
