"""Osel, fours, clauses 6 to 8: the end of a hand and of a match, the table. See domain/osel_fours/RULES.md."""

from itertools import product
from typing import Any

import pytest

from domain.cards import RANKS
from domain.game import DEALER, Outcome, Refused
from domain.match.rules import options_of
from domain.osel_fours import GAME, score
from domain.osel_fours.state import Ending, HandScored, MatchWon, Options
from tests.domain.osel_fours.table import (
    ANNA,
    BORIS,
    CLARA,
    DIMA,
    cards,
    chosen,
    dealt,
    drawn,
    empty_table,
    given_card,
    pile_for,
    swap,
    swapped,
    swaps,
    table,
)
from tests.domain.spec import Given

NO_FOURS = ("2S 3S", "4S 5S", "6S 7S")


def result(winner: int | None, ending: Ending, *fours: str, seats: int = 3) -> HandScored:
    """How a first hand ends."""
    points = tuple(int(seat == winner) for seat in range(seats))
    return HandScored(1, points, points, ending, winner, fours)


def deal(*hands: str, dealer: int = ANNA, **options: Any) -> list[Any]:
    """What follows from dealing these hands first."""
    command = drawn(lot=dealer, seats=len(hands), pile=pile_for(*hands, dealer=dealer))
    return empty_table(len(hands), **options).when(DEALER, command).events()


def lowest(play: Given, seat: int) -> str:
    return str(play.state.hands[seat][0])


def before_the_last_swap(play: Given) -> Given:
    """One swap short of the limit, everybody having given the lowest card of the hand each time."""
    while play.state.swaps < play.state.options.max_circuits * len(play.state.hands) - 1:
        play = swaps(play, (lowest(play, play.state.active), lowest(play, play.state.partner)))
    return play


def at_the_limit(play: Given) -> list[Any]:
    """What the last swap brings, the lowest cards once more, beside the swap itself."""
    play = before_the_last_swap(play)
    active, partner = play.state.active, play.state.partner
    answer = play.after((active, swap(lowest(play, active)))).when(partner, swap(lowest(play, partner)))
    return answer.events()[1:]


def when_boris_wins(hand: int, *wins: int, **options: Any) -> list[Any]:
    """What follows when Boris wins hand number ``hand``, which began with these wins."""
    before = empty_table(3, target=1, **options)
    if hand > 1:
        before = before.with_events(HandScored(hand - 1, (0, 0, 0), wins, "limit", None, ()))
    play = before.with_events(dealt("2S 3S", "9S 9H 9D 5S", "9C 7S", hand=hand)).after((BORIS, swap("5S")))
    swap_made, *rest = play.when(CLARA, swap("9C")).events()
    assert swap_made == swapped(BORIS, CLARA, "5S", "9C")
    return rest


def test_6_1_a_target_that_was_dealt_wins_at_once_and_a_new_deal_follows():
    _, won = deal("", "9* K*", "", "", dealer=CLARA, target=2, wins_needed=2)
    assert won == result(BORIS, "deal", "K", "9", seats=4)
    *_, won, over = deal("", "9* K*", "", "", dealer=CLARA, target=2)
    assert (won, over) == (result(BORIS, "deal", "K", "9", seats=4), MatchWon((BORIS,), (0, 1, 0, 0)))


def test_6_2_the_two_hands_are_looked_at_after_every_swap():
    play = table("2S 3S", "9S 9H 9D 5S", "9C 7S", target=1).after((BORIS, swap("5S")))
    over = play.when(CLARA, swap("9C")).then(
        swapped(BORIS, CLARA, "5S", "9C"), result(BORIS, "swap", "9"), MatchWon((BORIS,), (0, 1, 0))
    )
    assert GAME.outcome(over.state) == Outcome(((BORIS,), (ANNA, CLARA)))
    goes_on = play.when(CLARA, swap("7S")).then(swapped(BORIS, CLARA, "5S", "7S"))
    assert GAME.outcome(goes_on.state) is None


def test_6_2_the_active_player_and_the_partner_can_both_reach_it():
    giver = table("2S 3S", "9C 7S", "9S 9H 9D 5S", target=1).after((BORIS, swap("9C")))
    assert giver.when(CLARA, swap("5S")).events()[1] == result(CLARA, "swap", "9")


def test_6_3_a_target_that_is_reached_ends_the_hand_by_itself():
    play = table("2S", "9S 9H 9D 5S", "9C 7S", target=1, wins_needed=5)
    over = swaps(play, ("5S", "9C"))
    assert over.state.scored == 1
    assert GAME.to_act(over.state) == {DEALER}


def test_6_3_nobody_is_due_between_the_last_card_and_the_score():
    play = table("2S 3S", "9S 9H 9D 5S", "9C 7S", target=1).after((BORIS, swap("5S")))
    settling = play.with_events(swapped(BORIS, CLARA, "5S", "9C"))
    assert GAME.to_act(settling.state) == frozenset()
    assert all(settling.legal(seat) == [] for seat in range(3))
    assert settling.seen_by("public").active is None
    dealt_now = empty_table(3, target=1).with_events(dealt("2*", "3S", "4S"))
    assert GAME.to_act(dealt_now.state) == frozenset()


def test_6_4_more_fours_win_and_then_the_highest():
    both = table("2S 3S", "9S 9H 9D KC", "KS KH KD 9C", target=1).after((BORIS, swap("KC")))
    assert both.when(CLARA, swap("9C")).events()[1] == result(CLARA, "swap", "K")
    _, won, _ = deal("A* K*", "7* 8* 9*", "", "", target=2)
    assert won == result(BORIS, "deal", "9", "8", "7", seats=4)
    _, won, _ = deal("A* 2*", "Q* K*", "", "", target=2)
    assert won == result(ANNA, "deal", "A", "2", seats=4)


def test_6_4_the_comparison_holds_for_every_way_to_hold_fours_of_seven_ranks():
    """Each rank held by one of three seats or by nobody, against sums that weigh a four by number and rank."""
    ranks, compared = RANKS[:4] + RANKS[-3:], 0
    for holders in product((0, 1, 2, None), repeat=len(ranks)):
        held = [tuple(ranks[place] for place in range(6, -1, -1) if holders[place] == seat) for seat in range(3)]
        weights = [sum(1000 + 2**place for place in range(7) if holders[place] == seat) for seat in range(3)]
        winner = score.best(held)
        assert winner == (weights.index(max(weights)) if any(weights) else None)
        assert weights.count(max(weights)) == 1 or not any(weights)
        compared += 1
    assert compared == 4**7


@pytest.mark.parametrize("circuits", [5, 7])
def test_6_5_after_the_last_circuit_all_compare_the_fours_they_hold(circuits: int):
    play = table("9* 2S", "4S 5S 6S", "K* 3S", target=2, max_circuits=circuits)
    last = before_the_last_swap(play)
    assert (last.state.circuit, last.state.swaps) == (circuits, 3 * circuits - 1)
    assert last.seen_by("public").circuit == circuits
    assert at_the_limit(play) == [result(CLARA, "limit", "K"), MatchWon((CLARA,), (0, 0, 1))]


def test_6_5_the_limit_is_50_circuits_unless_the_table_says_otherwise():
    assert at_the_limit(table(*NO_FOURS, target=1)) != []
    assert before_the_last_swap(table(*NO_FOURS, target=1)).state.swaps == 149


def test_6_5_a_target_reached_by_the_last_swap_is_no_matter_of_the_limit():
    play = before_the_last_swap(table("2S 9S 9H 9D", "3S 9C", target=1, max_circuits=5))
    assert (play.state.swaps, play.state.active) == (9, ANNA)
    answer = play.after((ANNA, swap(lowest(play, ANNA)))).when(BORIS, swap("9C"))
    assert answer.events()[1] == result(ANNA, "swap", "9", seats=2)


def test_6_6_a_hand_in_which_nobody_holds_a_four_is_drawn():
    assert at_the_limit(table(*NO_FOURS, target=1, max_circuits=5)) == [result(None, "limit")]


def test_7_1_a_win_is_one_win_and_a_drawn_hand_is_nobodys():
    assert when_boris_wins(3, 0, 1, 1, wins_needed=5) == [HandScored(3, (0, 1, 0), (0, 2, 1), "swap", BORIS, ("9",))]
    play = table(*NO_FOURS, target=1, max_circuits=5)
    drawn_hand = play.with_events(*at_the_limit(play))
    assert drawn_hand.state.totals == GAME.totals(drawn_hand.state) == (0, 0, 0)
    assert GAME.to_act(drawn_hand.state) == {DEALER}
    assert GAME.hands(drawn_hand.state) == 1


@pytest.mark.parametrize(("needed", "before", "over"), [(1, 0, True), (2, 0, False), (2, 1, True), (10, 9, True)])
def test_7_2_the_match_is_won_with_the_wins_needed(needed: int, before: int, over: bool):
    events = when_boris_wins(15, 0, before, 0, wins_needed=needed)
    assert (MatchWon((BORIS,), (0, before + 1, 0)) in events) == over
    assert len(events) == 1 + over


def test_7_2_one_win_is_enough_unless_the_table_says_otherwise():
    assert Options().wins_needed == 1
    assert MatchWon((BORIS,), (0, 1, 0)) in when_boris_wins(1)


def test_7_3_after_the_last_hand_the_most_wins_win_and_equals_share():
    options = {"wins_needed": 10, "max_hands": 7}
    assert len(when_boris_wins(6, 3, 1, 1, **options)) == 1
    assert when_boris_wins(7, 3, 1, 1, **options)[-1] == MatchWon((ANNA,), (3, 2, 1))
    assert when_boris_wins(7, 2, 1, 2, **options)[-1] == MatchWon((ANNA, BORIS, CLARA), (2, 2, 2))
    shared = when_boris_wins(7, 3, 2, 1, **options)
    assert shared[-1] == MatchWon((ANNA, BORIS), (3, 3, 1))
    over = empty_table(3, **options).with_events(*shared)
    assert GAME.outcome(over.state) == Outcome(((ANNA, BORIS), (CLARA,)))
    assert Options().max_hands == 20


def test_7_4_if_every_hand_was_drawn_all_share():
    events = at_the_limit(table(*NO_FOURS, target=1, max_circuits=5, max_hands=1))
    assert events == [result(None, "limit"), MatchWon((ANNA, BORIS, CLARA), (0, 0, 0))]


@pytest.mark.parametrize(
    ("option", "low", "high"),
    [("target", 1, 6), ("wins_needed", 1, 10), ("max_hands", 1, 200), ("max_circuits", 5, 500)],
)
def test_8_1_numbers_have_bounds(option: str, low: int, high: int):
    for value in (low, high):
        assert getattr(options_of(GAME, {option: value}, 2), option) == value
    for wrong in (low - 1, high + 1, "3", None, True):
        with pytest.raises(Refused, match=option) as caught:
            options_of(GAME, {option: wrong}, 2)
        assert caught.value.clause == "1.3"


def test_8_1_a_table_has_five_options_and_no_others():
    assert Options.__struct_fields__ == ("target", "return_mode", "wins_needed", "max_hands", "max_circuits")
    for wrong in ({"return_mode": "both"}, {"target": "most"}, {"tie": "rank"}):
        with pytest.raises(Refused):
            options_of(GAME, wrong, 2)


def test_8_2_the_house_gives_the_lowest_card_of_the_scarcest_rank():
    for mode in ("seen", "sealed"):
        play = table("2S 3S", "5S 5H 9S KD AS AH", "7S 7H 4C 4H", return_mode=mode)
        assert GAME.fallback(play.state, BORIS) == swap("9S")
        assert GAME.fallback(play.after((BORIS, swap("9S"))).state, CLARA) == swap("4H")


def test_fx3_the_fourth_nine_wins_with_this_swap():
    play = table("2S 3S", "9S 7S", "9C 9D 9H 4C", target=1).after((BORIS, swap("9S")))
    over = play.when(CLARA, swap("4C")).then(
        swapped(BORIS, CLARA, "9S", "4C"), result(CLARA, "swap", "9"), MatchWon((CLARA,), (0, 0, 1))
    )
    assert over.state.hands[CLARA] == cards("9*")


def test_fx5_two_fours_in_the_deal_win_and_the_next_seat_deals():
    first, won = deal("", "", "6* J*", "", dealer=DIMA, target=2, wins_needed=3)
    assert won == result(CLARA, "deal", "J", "6", seats=4)
    over = empty_table(4, target=2, wins_needed=3).with_events(first, won)
    assert (over.state.dealer, over.state.swaps) == (DIMA, 0)
    assert over.after((DEALER, drawn())).state.dealer == ANNA


def test_fa4_at_least_the_target_wins():
    assert deal("5* 6* 7*", "", "", "", target=1)[1] == result(ANNA, "deal", "7", "6", "5", seats=4)


def test_fa5_with_two_players_one_swap_can_bring_both_to_the_target():
    sealed = table("9S 9H 9D KC", "KS KH KD 9C", target=1, return_mode="sealed")
    first = sealed.when(ANNA, swap("KC")).then(chosen(ANNA, "KC"))
    assert first.when(BORIS, swap("9C")).events()[1] == result(BORIS, "swap", "K", seats=2)
    seen = table("9S 9H 9D KC", "KS KH KD 9C", target=1).when(BORIS, swap("9C")).then(given_card(BORIS, ANNA, "9C"))
    assert seen.when(ANNA, swap("KC")).events()[1] == result(BORIS, "swap", "K", seats=2)


def test_fa6_a_win_at_the_deal_counts_like_any_other():
    for target in (1, 2, 3):
        _, won, over = deal("A* K* Q*", "", "", "", target=target)
        assert (won.points, over.winners) == ((1, 0, 0, 0), (ANNA,))


def test_fa8_hands_that_would_never_end_are_stopped():
    play = table("2S 2H", "2D 2C", target=1, max_circuits=5)
    swapping = before_the_last_swap(play)
    assert swapping.state.swaps == 9
    assert at_the_limit(play)[0].ending == "limit"


def test_fa9_and_fa11_there_is_nothing_to_call_and_nothing_to_notice():
    assert [kind.__struct_config__.tag for kind in GAME.moves] == ["swap"]
    assert when_boris_wins(1)[0].winner == BORIS
