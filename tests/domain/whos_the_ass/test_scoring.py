"""Who's the Ass?, clauses 7, 8 and 9: the end, the score, the table. See domain/whos_the_ass/RULES.md."""

import msgspec
import pytest

from domain.game import DEALER, Outcome, Refused
from domain.match.rules import options_of
from domain.whos_the_ass import GAME, score
from domain.whos_the_ass.state import (
    AssCardsTaken,
    CardsDealt,
    HandScored,
    MatchWon,
    Options,
    Passed,
    RoundWon,
    ScorekeeperChosen,
)
from tests.domain.spec import Given, given
from tests.domain.whos_the_ass.table import (
    ARNO,
    BABS,
    CHRIS,
    DANNY,
    PASS,
    cards,
    dealt,
    drawn,
    empty_table,
    play,
    played,
    table,
)


def after_games(games: int, *totals: int, limit: int = 0, of: int = 5) -> Given:
    """A table with so many games behind it, whose points all came in the last one."""
    start = empty_table(len(totals), games=of, time_limit_min=limit).after((DEALER, drawn(lot=0, seats=len(totals))))
    for game in range(1, games):
        start = start.with_events(HandScored(game, (0,) * len(totals), (0,) * len(totals), 0)).after((DEALER, drawn()))
    return start.with_events(HandScored(games, totals, totals, 0))


def test_7_1_the_round_is_played_to_its_end_and_then_the_game_is_over():
    out = table("5 ASS", "6", "7").after((ARNO, play("5")), (BABS, play("6")))
    assert out.state.hands[BABS] == ()
    assert GAME.to_act(out.state) == {CHRIS}
    over = out.after((CHRIS, play("7")))
    assert over.state.scored == 1
    assert GAME.to_act(over.state) == {DEALER}


def test_7_2_whoever_takes_in_an_ass_round_is_not_out():
    taker = table("ASS 5", "9", "1 8").after((ARNO, play("ASS")), (BABS, play("9"))).when(CHRIS, play("1"))
    taker.then(played(CHRIS, "1", 1), AssCardsTaken(BABS, cards("1 9 ASS")))
    other = table("ASS 5", "9", "1").after((ARNO, play("ASS")), (BABS, play("9"))).when(CHRIS, play("1"))
    scored = HandScored(1, (5, 30, 0), (5, 30, 0), BABS)
    other.then(played(CHRIS, "1", 1), AssCardsTaken(BABS, cards("1 9 ASS")), scored)


def test_7_3_several_can_be_out_and_nobody_starts_a_further_round():
    over = table("5 ASS", "6", "7").after((ARNO, play("5")), (BABS, play("6")), (CHRIS, play("7")))
    assert over.state.totals == (20, 0, 0)
    assert over.seen_by("public").starter is None
    assert all(over.legal(seat) == [] for seat in range(3))


def test_7_4_the_holder_is_the_ass_of_the_game():
    *_, scored = table("5 ASS", "6", "7").after((ARNO, play("5")), (BABS, play("6"))).when(CHRIS, play("7")).events()
    assert scored == HandScored(1, (20, 0, 0), (20, 0, 0), ass=ARNO)


def test_8_1_the_ass_is_20_a_joker_14_a_number_its_number():
    assert score.minus_points(cards("ASS")) == 20
    assert score.minus_points(cards("J")) == 14
    assert [score.minus_points(cards(str(number))) for number in range(1, 14)] == list(range(1, 14))
    assert score.minus_points(()) == 0


def test_8_2_points_are_added_to_what_was_noted_before():
    assert score.added((3, 0, 40), (0, 7, 2)) == (3, 7, 42)
    over = after_games(1, 10, 20, 30).after((DEALER, drawn()))
    assert over.state.totals == (10, 20, 30)


@pytest.mark.parametrize(("game", "games", "over"), [(1, 1, True), (1, 2, False), (4, 5, False), (5, 5, True)])
def test_8_3_a_match_has_as_many_games_as_agreed(game: int, games: int, over: bool):
    start = given(GAME, dealt("5 ASS", "6", "7", hand=game), seats=3, options=Options(games=games))
    last = start.after((ARNO, play("5")), (BABS, play("6"))).when(CHRIS, play("7"))
    scored = HandScored(game, (20, 0, 0), (20, 0, 0), ARNO)
    won = (MatchWon((BABS, CHRIS), (20, 0, 0)),) if over else ()
    last.then(played(CHRIS, "7", 7), RoundWon(CHRIS, 7, 3), scored, *won)
    assert Options().games == 5


def test_8_4_when_the_time_is_up_no_further_game_is_dealt():
    late = after_games(1, 4, 20, 0, limit=10)
    late.when(DEALER, drawn(minutes=10)).then(MatchWon((CHRIS,), (4, 20, 0)))
    late.when(DEALER, drawn(minutes=600)).then(MatchWon((CHRIS,), (4, 20, 0)))
    (in_time,) = late.when(DEALER, drawn(minutes=9)).events()
    assert isinstance(in_time, CardsDealt)
    (without_limit,) = after_games(1, 4, 20, 0).when(DEALER, drawn(minutes=100_000)).events()
    assert isinstance(without_limit, CardsDealt)
    first = empty_table(3, time_limit_min=1).when(DEALER, drawn(lot=0, seats=3, minutes=100)).events()
    assert [type(event) for event in first] == [ScorekeeperChosen, CardsDealt]


def test_8_5_the_fewest_minus_points_win():
    won = after_games(1, 7, 3, 9, limit=1).when(DEALER, drawn(minutes=1)).then(MatchWon((BABS,), (7, 3, 9)))
    assert GAME.outcome(won.state) == Outcome(((BABS,), (ARNO,), (CHRIS,)))
    assert GAME.outcome(after_games(1, 7, 3, 9).state) is None
    won.when(ARNO, PASS).out_of_turn("8.5")


def test_8_6_equally_few_share_the_win():
    won = after_games(1, 7, 3, 3, 9, limit=1).when(DEALER, drawn(minutes=1)).then(MatchWon((1, 2), (7, 3, 3, 9)))
    assert GAME.outcome(won.state) == Outcome(((BABS, CHRIS), (ARNO,), (DANNY,)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"games": 0},
        {"games": 21},
        {"time_limit_min": -1},
        {"time_limit_min": 601},
        {"ass_round_joker": "14"},
        {"dealer": "lot"},
        {"laps": "one"},
        {"games": 2.5},
    ],
)
def test_9_1_a_table_has_four_options_within_their_bounds(wrong: dict[str, object]):
    with pytest.raises(Refused):
        options_of(GAME, wrong, 3)
    assert options_of(GAME, {"games": 20, "time_limit_min": 600}, 3) == Options(games=20, time_limit_min=600)
    assert msgspec.to_builtins(Options()) == {
        "games": 5,
        "time_limit_min": 0,
        "ass_round_joker": "choose",
        "dealer": "rotate",
    }


def test_9_2_the_house_passes_for_the_absent_or_plays_their_lowest_card():
    start = table("ASS J 4 4", "J 9 5 5", "6 1 J", "J 2 2")
    assert GAME.fallback(start.state, ARNO) == play("4")
    assert GAME.fallback(start.after((ARNO, play("4"))).state, BABS) == PASS
    ass_round = start.after((ARNO, play("ASS")))
    assert GAME.fallback(ass_round.state, BABS) == play("J", 1)
    assert GAME.fallback(ass_round.after((BABS, play("9"))).state, CHRIS) == play("1")
    assert GAME.fallback(table("ASS J", "1", "2").state, ARNO) == play("J")
    assert GAME.fallback(table("ASS", "1", "2").state, ARNO) == play("ASS")


def test_wx10_what_a_hand_costs():
    assert score.minus_points(cards("2 13 J ASS")) == 49
    assert score.minus_points(cards("1")) == 1


def test_wa17_an_empty_hand_ends_the_game_even_if_another_player_takes():
    other = table("ASS 5", "9 9", "1").after((ARNO, play("ASS")), (BABS, play("9")), (CHRIS, play("1")))
    assert other.state.scored == 1


def test_wa18_all_who_are_out_have_no_points():
    over = table("5 ASS", "6", "7", "8").after((ARNO, play("5")), (BABS, play("6")), (CHRIS, play("7")))
    assert over.after((DANNY, play("8"))).state.totals == (20, 0, 0, 0)


def test_wa19_after_the_last_round_cards_are_dealt():
    over = table("5 ASS", "6", "7").after((ARNO, play("5")), (BABS, play("6")), (CHRIS, play("7")))
    assert GAME.to_act(over.state) == {DEALER}


def test_wa20_games_or_time_whichever_is_first():
    both = after_games(1, 0, 1, 2, limit=60, of=5)
    both.when(DEALER, drawn(minutes=60)).then(MatchWon((ARNO,), (0, 1, 2)))
    assert isinstance(both.when(DEALER, drawn(minutes=59)).events()[0], CardsDealt)


def test_wa21_a_tie_is_shared_by_all_who_are_lowest():
    assert score.ranking((5, 2, 2, 2, 5)) == ((1, 2, 3), (0, 4))


def test_wa22_later_seats_still_have_their_turn():
    out = table("5 ASS", "6", "7", "8 1").after((ARNO, play("5")), (BABS, play("6")))
    out.when(CHRIS, PASS).then(Passed(CHRIS))
    last = out.after((CHRIS, play("7"))).when(DANNY, play("8"))
    last.then(played(DANNY, "8", 8), RoundWon(DANNY, 8, 4), HandScored(1, (20, 0, 0, 1), (20, 0, 0, 1), ARNO))
