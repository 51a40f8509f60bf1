"""Disputes and rulings: a test for each clause of chapter 7."""

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from domain.game import Refused, Seat
from domain.games import GAMES
from domain.match import commands, rules, rulings
from domain.match.cases import DisputeOpened, DisputeRuled, HandVoided, ScoreAdjusted
from domain.match.seating import NotYours, WrongState
from domain.match.state import HandEnded, MatchAbandoned, MatchEnded
from tests.domain.match.drive import Drive

DAY_MS = 24 * 3_600_000
PLAYERS = ("ann", "bob", "cid")


def first(choices: Any) -> Any:
    return choices[0]


def started(*players: str, game: str = "whos-the-ass", **options: Any) -> Drive:
    drive = Drive()
    players = players or PLAYERS
    drive.open(len(players), game=game, **options)
    for player in players:
        drive.sit(player)
    for player in players:
        drive.reveal(player)
    return drive


def played(*players: str, **options: Any) -> Drive:
    """A match that has been played to its end."""
    drive = started(*players, **options)
    for _ in drive.play(first, 5000):
        pass
    assert drive.state.status == "finished"
    return drive


def after_hands(number: int, **options: Any) -> Drive:
    """A running match of which so many hands are over, and a move of the next is made."""
    drive = started(**options)
    for _ in drive.play(first, 5000):
        if drive.state.ended == number and drive.state.draws:
            return drive
    raise AssertionError("the match was over before")


def dispute(drive: Drive, player: str = "ann", first: int = 1, last: int | None = None, **more: Any) -> str:
    """Opens a dispute over these events, over all that there are if ``last`` is not given; its id."""
    name = f"case-{len(drive.state.disputes) + 1}"
    last = drive.state.version if last is None else last
    drive.do(commands.OpenDispute(player, name, max(first, last - 999), last), **more)
    return name


def rule(drive: Drive, case: str, ruling: Any, *, arbiter: bool = True, by: str = "judge", **more: Any) -> list[Any]:
    reason = more.pop("reason", "as the record shows")
    return drive.do(commands.Rule(by, arbiter, case, ruling, reason, **more))


def adjust(drive: Drive, case: str, *points: int, **more: Any) -> list[Any]:
    return rule(drive, case, "adjust", points=points, clause=more.pop("clause", "match 4.3"), **more)


def winners_of(drive: Drive, totals: tuple[int, ...]) -> tuple[Seat, ...]:
    ranking = GAMES[drive.state.game].ranking
    assert ranking is not None
    return ranking(totals)[0]


def test_7_1_a_player_of_the_match_may_dispute_it_from_its_start_until_14_days_after_its_end():
    drive = Drive()
    drive.open(3)
    for player in PLAYERS:
        drive.sit(player)
    drive.refused("7.1", lambda: dispute(drive), WrongState)
    for player in PLAYERS:
        drive.reveal(player)
    dispute(drive, "ann")
    drive.refused("7.1", lambda: dispute(drive, "zoe"), NotYours)
    for _ in drive.play(first):
        pass
    end = drive.state.over_at
    dispute(drive, "bob", after=end + 14 * DAY_MS - drive.at)
    assert drive.at == end + 14 * DAY_MS
    drive.refused("7.1", lambda: dispute(drive, "cid"), WrongState)


def test_7_2_a_dispute_names_events_that_have_happened_and_not_too_many():
    drive = after_hands(1)
    version = drive.state.version
    for begin, end in ((0, 3), (5, 4), (1, version + 1), (-1, -1)):
        drive.refused("7.2", partial(drive.do, commands.OpenDispute("ann", "x", begin, end)))
    (opened,) = drive.do(commands.OpenDispute("ann", "x", version, version))
    assert opened == DisputeOpened("x", 0, version, version)


def test_7_2_a_dispute_is_about_1000_events_at_most():
    drive = started()
    drive.state = replace(drive.state, version=2000)
    drive.refused("7.2", lambda: drive.do(commands.OpenDispute("ann", "x", 1, 1001)))
    drive.do(commands.OpenDispute("ann", "x", 1, 1000))


def test_7_3_a_seat_has_one_dispute_at_a_time_that_is_not_ruled_on():
    drive = after_hands(1)
    case = dispute(drive, "ann")
    drive.refused("7.3", lambda: dispute(drive, "ann"), WrongState)
    dispute(drive, "bob")
    rule(drive, case, "upheld")
    dispute(drive, "ann")


def test_7_4_a_dispute_changes_nothing_and_play_goes_on():
    drive = after_hands(1)
    before = drive.state
    dispute(drive)
    after = drive.state
    assert (after.play, after.totals, after.winners, after.draws) == (
        before.play,
        before.totals,
        before.winners,
        before.draws,
    )
    assert rules.to_act(after) == rules.to_act(before)
    for _ in drive.play(first):
        pass
    assert drive.state.status == "finished"


def test_7_5_an_arbiter_without_a_seat_in_the_match_rules_at_any_time():
    drive = played()
    case = dispute(drive)
    drive.refused("7.5", lambda: rule(drive, case, "upheld", arbiter=False), NotYours)
    drive.refused("7.5", lambda: rule(drive, case, "upheld", by="bob"), NotYours)
    drive.refused("7.5", lambda: rule(drive, "another", "upheld"), WrongState)
    drive.at += 1000 * DAY_MS
    (ruled,) = rule(drive, case, "upheld")
    assert (ruled.arbiter, ruled.number) == ("judge", 1)


def test_7_6_a_ruling_gives_its_reason_and_what_is_upheld_stays():
    drive = played()
    case, before = dispute(drive), drive.state
    drive.refused("7.6", lambda: rule(drive, case, "upheld", reason=""))
    drive.refused("7.6", lambda: rule(drive, case, "upheld", reason="x" * 1001))
    wrong: tuple[dict[str, Any], ...] = ({"hand": 1}, {"points": (1, 0, 0)}, {"winners": (0,)})
    for more in wrong:
        drive.refused("7.6", partial(rule, drive, case, "upheld", **more))
    events = rule(drive, case, "upheld", reason="Szabályos volt – 100%.")
    assert [type(event) for event in events] == [DisputeRuled]
    assert events[0].reason.isascii()
    assert rulings.read(events[0].reason) == "Szabályos volt – 100%."
    assert (drive.state.totals, drive.state.winners) == (before.totals, before.winners)


def test_7_7_a_hand_is_voided_once_after_it_was_scored_if_the_disputed_events_touch_it():
    drive = after_hands(2)
    one, two = drive.state.hands
    case = dispute(drive, first=one.last, last=one.last)
    drive.refused("7.7", lambda: rule(drive, case, "void_hand", hand=2))
    drive.refused("7.7", lambda: rule(drive, case, "void_hand"))
    drive.refused("7.7", lambda: rule(drive, case, "void_hand", hand=3), WrongState)
    drive.refused("7.7", lambda: rule(drive, case, "void_hand", hand=1, points=(1, 0, 0)))
    before = drive.state
    ruled, voided = rule(drive, case, "void_hand", hand=1)
    assert voided == HandVoided(case, 1, one.points, two.points, ())
    assert (ruled.hand, drive.state.totals, drive.state.play) == (1, two.points, before.play)
    assert [hand.void for hand in drive.state.hands] == [True, False]
    again = dispute(drive)
    drive.refused("7.7", lambda: rule(drive, again, "void_hand", hand=1), WrongState)


def test_7_8_an_adjustment_changes_totals_within_bounds_and_names_its_clause():
    drive = after_hands(1)
    case = dispute(drive)
    for points in ((1, 2), (10_001, 0, 0), (0, 0, -10_001), (0, 0, 0), ()):
        drive.refused("7.8", partial(adjust, drive, case, *points))
    for clause in ("", "4", "four", "match", "game 4.2", "4.2 "):
        drive.refused("7.8", partial(adjust, drive, case, 1, 0, 0, clause=clause))
    drive.refused("7.8", lambda: adjust(drive, case, 1, 0, 0, hand=2), WrongState)
    drive.refused("7.8", lambda: adjust(drive, case, 1, 0, 0, hand=7))
    before = drive.state.totals
    _, adjusted = adjust(drive, case, 5, 0, -10_000, hand=1, clause="4.2", reason="a trick was miscounted")
    after = (before[0] + 5, before[1], before[2] - 10_000)
    assert adjusted == ScoreAdjusted(case, 1, (5, 0, -10_000), after, (), "4.2", "a trick was miscounted")
    assert drive.state.totals == after


def test_7_9_the_totals_that_count_are_hands_not_void_and_adjustments_and_the_course_stays():
    plain, ruled = played(), after_hands(1)
    case = dispute(ruled)
    rule(ruled, case, "void_hand", hand=1)
    adjust(ruled, case, 0, 7, 0, after=1)
    for _ in ruled.play(first):
        pass
    played_on = [
        logged.event.body for logged in ruled.log if type(logged.event.body).__module__ != "domain.match.cases"
    ]
    for mine, theirs in zip(played_on, [logged.event.body for logged in plain.log], strict=True):
        if isinstance(mine, HandEnded):
            assert (mine.hand, mine.points, mine.secret) == (theirs.hand, theirs.points, theirs.secret)
        elif not isinstance(mine, MatchEnded):
            assert type(mine) is type(theirs)
    counted = [hand.points for hand in ruled.state.hands if not hand.void]
    assert ruled.state.totals == tuple(map(sum, zip(*counted, (0, 7, 0), strict=True)))
    assert ruled.state.played == plain.state.totals == plain.state.played


def test_7_10_totals_that_count_settle_the_winners_when_the_match_ends_and_by_every_ruling_after_it():
    drive = after_hands(1)
    case = dispute(drive)
    adjust(drive, case, 0, 0, -9000)  # in this game the lowest total wins
    for _ in drive.play(first):
        pass
    assert drive.state.winners == (2,)
    adjust(drive, case, 0, -9999, 0, after=1)
    assert drive.state.winners == (1,)
    adjust(drive, case, -10_000, 0, 0, after=2)
    assert drive.state.winners == winners_of(drive, drive.state.totals)


def test_7_10_a_seat_that_has_resigned_does_not_win_by_a_ruling():
    drive = started("ann", "bob", "cid", "dan")
    drive.resign("bob")
    for _ in drive.play(first):
        pass
    assert drive.state.status == "finished"
    case = dispute(drive)
    adjust(drive, case, 0, -10_000, 0, 0)
    assert 1 not in drive.state.winners
    assert drive.state.winners


@pytest.mark.parametrize("game", [game for game in GAMES if GAMES[game].ranking is not None])
def test_7_10_totals_rank_as_the_game_ranked(game: str):
    seats = GAMES[game].seats[0]
    shorter = {"max_hands": 2} if game == "spades-two" else {}
    drive = played(*[f"p{seat}" for seat in range(seats)], game=game, **shorter)
    outcome = GAMES[game].outcome(drive.state.play)
    assert outcome is not None
    ranking = GAMES[game].ranking
    assert ranking is not None
    assert ranking(drive.state.totals) == outcome.ranking


def test_7_11_where_more_than_totals_rank_the_winners_stay_unless_an_adjustment_names_them():
    drive = played("ann", "bob", game="osel-trumps")
    case, won = dispute(drive), drive.state.winners
    adjust(drive, case, 50, 50)
    assert drive.state.winners == won
    for named in ((0, 0), (2,), (-1,)):
        drive.refused("7.11", partial(adjust, drive, case, after=1, winners=named))
    other = (1 - won[0],)
    ruled, adjusted = adjust(drive, case, after=1, winners=other)
    assert (ruled.named, adjusted.winners, drive.state.winners) == (other, other, other)


def test_7_11_a_resignation_that_ended_the_match_keeps_its_winner_and_totals_settle_the_others():
    drive = after_hands(1)
    case = dispute(drive)
    drive.refused("7.11", lambda: adjust(drive, case, winners=(0,)), WrongState)
    drive.resign("bob")
    drive.resign("cid")
    assert drive.state.winners == (0,)
    adjust(drive, case, 9000, 0, 0)
    assert drive.state.winners == (0,)
    drive.refused("7.11", lambda: adjust(drive, case, after=1, winners=(1,)))
    done = played()
    other = dispute(done)
    done.refused("7.11", lambda: adjust(done, other, 1, 0, 0, winners=(0,)))


def test_7_11_an_abandoned_match_has_no_winners():
    drive = Drive()
    drive.start("ann", "bot-1", "bot-2")
    drive.resign("ann")
    assert isinstance(drive.log[-1].event.body, MatchAbandoned)
    case = dispute(drive)
    drive.refused("7.11", lambda: adjust(drive, case, winners=(1,)), WrongState)
    adjust(drive, case, 3, 0, 0)
    assert (drive.state.status, drive.state.winners) == ("abandoned", ())


def test_7_12_an_appeal_is_one_more_ruling_that_knows_those_before():
    drive = played()
    case, before = dispute(drive), drive.state
    rule(drive, case, "void_hand", hand=1)
    drive.refused("7.12", lambda: rule(drive, case, "upheld"), WrongState)
    drive.refused("7.12", lambda: rule(drive, case, "upheld", after=2), WrongState)
    without = drive.state.totals
    (ruled,) = rule(drive, case, "upheld", after=1, by="another")
    assert (ruled.number, drive.state.totals) == (2, without)
    adjust(drive, case, *drive.state.hands[0].points, after=2)
    assert (drive.state.totals, drive.state.winners) == (before.totals, before.winners)


def test_7_13_nothing_is_edited_and_what_follows_is_an_event():
    drive = played()
    data = [logged.data for logged in drive.log]
    status, opened, over_at = drive.state.status, drive.state.opened, drive.state.over_at
    case = dispute(drive)
    rule(drive, case, "void_hand", hand=1)
    adjust(drive, case, 1, 0, 0, after=1)
    assert [logged.data for logged in drive.log[: len(data)]] == data
    added = [type(logged.event.body) for logged in drive.log[len(data) :]]
    assert added == [DisputeOpened, DisputeRuled, HandVoided, DisputeRuled, ScoreAdjusted]
    assert (drive.state.status, drive.state.opened, drive.state.over_at) == (status, opened, over_at)
    with pytest.raises(Refused):
        drive.do(commands.OpenDispute("ann", "z", 1, drive.state.version + 5))
