"""Each fold by example: given these events of a match, then this row."""

from typing import Any

import pytest

from domain.cards import Card
from domain.event import Recorded
from domain.hidden import Hidden
from domain.match.cases import DisputeOpened, DisputeRuled, HandVoided, ScoreAdjusted
from domain.match.rules import OPEN_MS, REVEAL_MS
from domain.match.state import (
    Clock,
    ClockExpired,
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatTaken,
    SeedRevealed,
)
from domain.whos_the_ass.state import AssPlayed, CardsDealt, CardsPlayed, HandScored, Passed, RoundWon
from projections import live_tables, players, replays, score_sheets
from projections.players.sql import PlayerMatch, _counted, lines_of
from projections.projection import AnyProjection, Projection
from projections.replays import HandSpan, Mark
from projections.score_sheets import HandLine, Note, RulingLine
from tests.projections.streams import rows_of

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
AT = 1_700_000_000_000

OPENED = MatchOpened(
    "whos-the-ass",
    {"games": 2, "time_limit_min": 0, "ass_round_joker": "choose", "dealer": "rotate"},
    3,
    "host",
    "anchor",
    Clock(30),
)
ANN = SeatTaken(0, "ann", "human", "c0", "own")
BEN = SeatTaken(1, "ben", "human", "c1", "own")
BOT = SeatTaken(2, "bot", "bot", "c2", "server", "random")
SEATED = (OPENED, ANN, BEN, BOT)
REVEALED = tuple(SeedRevealed(seat, "seed", "own") for seat in range(3))
STARTED = (*SEATED, *REVEALED, MatchStarted("salt"))
DEALT = CardsDealt(1, 0, 1, (Hidden((0,), digest="d"),) * 3, Hidden((), digest="d"))
FIRST = (
    DEALT,
    CardsPlayed(1, (Card("6"), Card("6")), 6),
    Passed(2),
    RoundWon(1, 6, 2),
    HandScored(1, (1, 0, 20), (1, 0, 20), 2),
)
FIRST_HAND = (*STARTED, *FIRST, HandEnded(1, (1, 0, 20), (1, 0, 20), "x"))


def given(*events: Any) -> list[Recorded[Any]]:
    """The events as recorded, a second apart."""
    return [
        Recorded(
            match=MATCH,
            version=place,
            at=AT + place * 1000,
            type=type(event).__name__,
            schema=1,
            seat="system",
            cmd="c",
            prev="",
            body=event,
        )
        for place, event in enumerate(events, start=1)
    ]


def row(projection: Projection[Any], *events: Any) -> Any:
    return rows_of(projection, given(*events)).get(MATCH)


def live(*events: Any) -> live_tables.Row:
    found = row(live_tables.PROJECTION, *events)
    assert isinstance(found, live_tables.Row)
    return found


def test_a_table_that_was_opened_is_open_for_a_day():
    table = live(OPENED)
    assert (table.status, table.host, table.opened, table.scores) == ("open", "host", AT + 1000, (0, 0, 0))
    assert table.deadline == table.at + OPEN_MS
    assert not table.bots


def test_a_table_shows_who_sits_where_and_whether_bots_are_among_them():
    table = live(*SEATED[:2], BOT)
    assert [seat.player for seat in table.seats] == ["ann", "", "bot"]
    assert table.seats[2] == live_tables.SeatRow(2, "bot", "bot", committed=True)
    assert table.bots
    assert not live(OPENED, ANN, BOT, SeatLeft(2, "bot")).bots


def test_a_full_table_reveals_and_has_a_minute_for_it():
    table = live(*SEATED)
    assert (table.status, table.deadline) == ("revealing", table.at + REVEAL_MS)


def test_a_seat_that_is_put_out_makes_all_commitments_void():
    table = live(*SEATED, SeatPutOut(1, "ben"))
    assert (table.status, [seat.committed for seat in table.seats]) == ("open", [False] * 3)
    assert table.deadline == table.at + OPEN_MS


def test_a_match_under_way_has_the_clock_of_its_turns():
    table = live(*STARTED, DEALT)
    assert (table.status, table.hand, table.under_way) == ("playing", 1, True)
    assert table.deadline == table.at + 30_000


def test_every_event_moves_version_time_and_deadline():
    before, after = live(*STARTED, *FIRST[:2]), live(*STARTED, *FIRST[:3])
    assert (after.version, after.at, after.deadline) == (before.version + 1, before.at + 1000, before.deadline + 1000)  # type: ignore[operator]


def test_between_hands_the_hand_is_the_last_one_and_the_scores_are_those_after_it():
    table = live(*FIRST_HAND)
    assert (table.hand, table.under_way, table.scores) == (1, False, (1, 0, 20))
    assert live(*FIRST_HAND, DEALT).hand == 2


@pytest.mark.parametrize(
    ("end", "status", "winners"),
    [(MatchEnded((1,), (1, 0, 20)), "finished", (1,)), (MatchAbandoned("resigned"), "abandoned", ())],
)
def test_a_match_that_is_over_has_no_deadline(end: Any, status: str, winners: tuple[int, ...]):
    table = live(*FIRST_HAND, end)
    assert (table.status, table.winners, table.deadline) == (status, winners, None)


def test_a_score_sheet_has_a_line_for_each_hand_with_its_first_and_last_event():
    sheet = row(score_sheets.PROJECTION, *FIRST_HAND, DEALT)
    first = len(STARTED) + 1
    assert sheet.hands == (HandLine(1, first, len(FIRST_HAND), (1, 0, 20), (1, 0, 20)),)
    assert (sheet.totals, sheet.winners, sheet.first) == ((1, 0, 20), (), len(FIRST_HAND) + 1)


def test_a_score_sheet_notes_who_resigned_and_for_whom_the_clock_moved():
    events = (*STARTED, DEALT, ClockExpired(2), SeatResigned(0), ClockExpired(2), HandEnded(1, (0,) * 3, (0,) * 3, "x"))
    sheet = row(score_sheets.PROJECTION, *events, DEALT)
    assert sheet.hands[0].notes == (Note("clock", 2, 2), Note("resigned", 0))
    assert sheet.notes == ()


def test_a_score_sheet_names_the_winners_and_leaves_out_a_hand_that_was_not_scored():
    sheet = row(score_sheets.PROJECTION, *STARTED, DEALT, SeatResigned(0), MatchEnded((1,), (0, 0, 0), 1, "x"))
    assert (sheet.hands, sheet.winners) == ((), (1,))


def test_a_replay_lists_hands_and_marks():
    index = row(replays.PROJECTION, *FIRST_HAND, DEALT, AssPlayed(0))
    first, last = len(STARTED) + 1, len(FIRST_HAND)
    assert index.hands == (HandSpan(1, first, last), HandSpan(2, last + 1, last + 2))
    assert index.marks == (
        Mark(first, "deal"),
        Mark(first + 3, "round"),
        Mark(first + 4, "score"),
        Mark(last + 1, "deal"),
        Mark(last + 2, "ass_round"),
    )
    assert (index.versions, index.under_way) == (last + 2, True)


def test_what_happens_between_two_hands_belongs_to_neither():
    index = row(replays.PROJECTION, *FIRST_HAND, SeatResigned(2), DEALT)
    assert [(span.first, span.last) for span in index.hands] == [
        (len(STARTED) + 1, len(FIRST_HAND)),
        (len(FIRST_HAND) + 2, len(FIRST_HAND) + 2),
    ]


def test_a_match_that_nobody_started_has_a_replay_without_hands():
    index = row(replays.PROJECTION, *SEATED)
    assert (index.versions, index.hands, index.marks) == (4, (), ())


def test_a_history_has_a_line_for_each_player_of_the_match():
    match = row(players.PROJECTION, *FIRST_HAND, MatchEnded((1,), (1, 0, 20)))
    lines = lines_of(match)
    assert set(lines) == {"ann", "ben", "bot"}
    assert lines["ben"] == PlayerMatch(
        match=MATCH,
        game="whos-the-ass",
        status="finished",
        seat=1,
        seats=3,
        hands=1,
        score=0,
        won=True,
        resigned=False,
        opened=AT + 1000,
        at=AT + 1000 * (len(FIRST_HAND) + 1),
    )
    assert not lines["ann"].won


def test_whoever_leaves_before_the_start_is_not_in_the_history():
    assert set(lines_of(row(players.PROJECTION, *SEATED[:3], SeatLeft(0, "ann")))) == {"ben"}
    assert set(lines_of(row(players.PROJECTION, *SEATED, SeatPutOut(1, "ben")))) == {"ann", "bot"}


def test_whoever_resigns_stays_in_the_history():
    lines = lines_of(row(players.PROJECTION, *STARTED, SeatResigned(0), SeatResigned(1), MatchAbandoned("resigned")))
    assert [(player, line.resigned, line.status) for player, line in lines.items()] == [
        ("ann", True, "abandoned"),
        ("ben", True, "abandoned"),
        ("bot", False, "abandoned"),
    ]


@pytest.mark.parametrize("projection", [score_sheets.PROJECTION, players.PROJECTION], ids=lambda p: p.name)
def test_plays_do_not_touch_what_does_not_show_them(projection: AnyProjection):
    assert row(projection, *STARTED, *FIRST) == row(projection, *STARTED, DEALT)
    assert not projection.only & {type(event) for event in FIRST[1:]}
    assert not projection.newest


DISPUTED = (*FIRST_HAND, MatchEnded((1,), (1, 0, 20)), DisputeOpened("d", 0, 9, 13))


def test_a_score_sheet_keeps_a_voided_hand_and_counts_it_no_more():
    ruled = DisputeRuled("d", 1, "void_hand", "judge", "because", 1)
    sheet = row(score_sheets.PROJECTION, *DISPUTED, ruled, HandVoided("d", 1, (1, 0, 20), (0, 0, 0), (0, 1, 2)))
    assert (sheet.totals, sheet.winners) == ((0, 0, 0), (0, 1, 2))
    assert (sheet.hands[0].points, sheet.hands[0].totals, sheet.hands[0].void) == ((1, 0, 20), (1, 0, 20), True)
    version = len(DISPUTED) + 1
    assert sheet.rulings == (RulingLine(version, "d", "void_hand", 1, (-1, 0, -20), (0, 0, 0), (0, 1, 2)),)


def test_a_score_sheet_has_a_line_for_each_ruling_and_nothing_for_what_was_upheld():
    upheld = DisputeRuled("d", 1, "upheld", "judge", "because")
    adjust = DisputeRuled("d", 2, "adjust", "judge", "because", 0, (0, 2, 0), "4.2")
    adjusted = ScoreAdjusted("d", 0, (0, 2, 0), (1, 2, 20), (0,), "4.2", "because")
    sheet = row(score_sheets.PROJECTION, *DISPUTED, upheld, adjust, adjusted)
    assert [(line.ruling, line.points, line.totals, line.winners) for line in sheet.rulings] == [
        ("upheld", (0, 0, 0), (1, 0, 20), (1,)),
        ("adjust", (0, 2, 0), (1, 2, 20), (0,)),
    ]
    assert (sheet.totals, sheet.winners) == ((1, 2, 20), (0,))


def test_the_lobby_a_history_and_the_sums_have_the_totals_and_winners_after_a_ruling():
    ruled = DisputeRuled("d", 1, "adjust", "judge", "because", 0, (0, 2, 0), "4.2")
    adjusted = ScoreAdjusted("d", 0, (0, 2, 0), (1, 2, 20), (0,), "4.2", "because")
    table = live(*DISPUTED, ruled, adjusted)
    assert (table.status, table.scores, table.winners, table.deadline) == ("finished", (1, 2, 20), (0,), None)
    before, after = row(players.PROJECTION, *DISPUTED), row(players.PROJECTION, *DISPUTED, ruled, adjusted)
    assert {who: line.won for who, line in lines_of(after).items()} == {"ann": True, "ben": False, "bot": False}
    assert _counted(before)["whos-the-ass", "ben", "won"] == 1
    assert (_counted(after)["whos-the-ass", "ben", "won"], _counted(after)["whos-the-ass", "ann", "won"]) == (0, 1)


def test_a_replay_marks_a_dispute_and_what_was_ruled_on_it():
    ruled = DisputeRuled("d", 1, "void_hand", "judge", "because", 1)
    index = row(replays.PROJECTION, *DISPUTED, ruled, HandVoided("d", 1, (1, 0, 20), (0, 0, 0), (0, 1, 2)))
    first = len(DISPUTED)
    assert index.marks[-3:] == tuple(Mark(version, "dispute") for version in (first, first + 1, first + 2))
