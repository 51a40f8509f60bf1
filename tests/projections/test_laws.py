"""Laws that every projection keeps, on matches played at random."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.event import Recorded
from domain.match.rules import deadline, duty, to_act
from domain.match.state import State, evolve
from projections import live_tables, replays, score_sheets
from projections.projection import AnyProjection
from projections.registry import PROJECTIONS
from tests.domain.match.drive import Drive
from tests.projections.streams import played, recorded, rows_of

SEEDS = range(12)


@pytest.fixture(scope="module")
def drives() -> list[Drive]:
    # The deals of a match follow from its id: so these are the same each time.
    return [played(seed, match=f"01890a5d-ac96-774b-bcce-{seed:012x}") for seed in SEEDS]


def test_the_matches_of_these_tests_have_everything_in_them(drives: list[Drive]):
    kinds = {logged.event.type for drive in drives for logged in drive.log}
    assert kinds >= {
        "SeatLeft",
        "SeatPutOut",
        "SeedCommitted",
        "SeatResigned",
        "ClockExpired",
        "TimeUsed",
        "MatchEnded",
    }
    assert any(len([line for line in drive.log if line.event.type == "HandEnded"]) > 1 for drive in drives)


def states(drive: Drive) -> list[State]:
    """The state after each event, from the events with their cards."""
    state, after = State(), []
    for logged in drive.log:
        state = evolve(state, logged.event)
        after.append(state)
    return after


def test_a_live_table_says_what_the_state_says_after_every_event(drives: list[Drive]):
    compared = timed = 0
    for drive in drives:
        row: live_tables.Row | None = None
        for event, state in zip(recorded(drive), states(drive), strict=True):
            row = live_tables.PROJECTION.after(row, event)
            for name in ("match", "game", "status", "version", "at", "host", "spectators", "clock", "winners"):
                assert getattr(row, name) == getattr(state, name), (name, event)
            assert row.options == msgspec.to_builtins(state.options)
            assert row.scores == state.totals
            assert row.hand == (state.hand_under_way or state.ended)
            assert row.under_way == bool(state.hand_under_way)
            waiting = state.status != "playing" or to_act(state)
            if duty(state) is None and waiting:  # what a command leaves behind: the service has done what it owes
                until = deadline(state)
                if state.banks and state.status == "playing":
                    assert row.deadline is not None
                    assert until is not None
                    assert row.deadline <= until
                    timed += 1
                else:
                    assert row.deadline == until
            assert row.bots == any(sitting.kind == "bot" for sitting in state.seats if sitting)
            assert row.seats == tuple(
                live_tables.SeatRow(seat, sitting.player, sitting.kind, committed=bool(sitting.commitment))
                if sitting
                else live_tables.SeatRow(seat)
                for seat, sitting in enumerate(state.seats)
            )
            compared += 1
    assert compared > 1000
    assert timed > 100


def test_score_sheets_and_replays_agree_on_where_a_hand_begins_and_ends(drives: list[Drive]):
    for drive in drives:
        events = recorded(drive)
        sheet = rows_of(PROJECTIONS["score_sheets"], events)[drive.match]
        index = rows_of(PROJECTIONS["replays"], events)[drive.match]
        assert [(line.hand, line.first, line.last) for line in sheet.hands] == [
            (span.hand, span.first, span.last) for span in index.hands[: len(sheet.hands)]
        ]
        assert index.versions == len(events)
        for span in index.hands:
            assert drive.log[span.first - 1].event.type == "CardsDealt" or span.first < span.last
        for line in sheet.hands:
            assert drive.log[line.last - 1].event.type == "HandEnded"


@pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS)
def test_any_split_into_pages_folds_to_the_same_rows(projection: AnyProjection, drives: list[Drive]):
    mixed = interleaved([recorded(drive) for drive in drives[:4]])
    whole = rows_of(projection, mixed)

    @settings(max_examples=25, deadline=None)
    @given(cuts=st.lists(st.integers(0, len(mixed)), max_size=12))
    def splits(cuts: list[int]) -> None:
        stored: dict[str, bytes] = {}
        places = [0, *sorted(cuts), len(mixed)]
        for first, last in pairwise(places):
            stored = _page(projection, stored, mixed[first:last])
        decoded = {match: msgspec.json.decode(body, type=projection.row) for match, body in stored.items()}
        assert decoded == whole
        assert stored == {match: msgspec.json.encode(row) for match, row in whole.items()}

    splits()


def _page(projection: AnyProjection, stored: dict[str, bytes], events: list[Recorded[Any]]) -> dict[str, bytes]:
    """One page as the runner takes it: rows come from their bytes and go back into bytes."""
    rows = {match: msgspec.json.decode(body, type=projection.row) for match, body in stored.items()}
    for event in events:
        rows[event.match] = projection.after(rows.get(event.match), event)
    return {match: msgspec.json.encode(row) for match, row in rows.items()}


@pytest.mark.fault(36)
@pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS)
def test_what_a_projection_does_not_want_to_see_does_not_change_it(projection: AnyProjection, drives: list[Drive]):
    for drive in drives[:4]:
        events = recorded(drive)
        for last in (1, len(events) // 3, len(events) - 1, len(events)):
            seen = [
                event
                for event in events[:last]
                if type(event.body) in projection.only or (projection.newest and event.version == last)
            ]
            assert len(seen) < last or last == 1
            assert rows_of(projection, seen) == rows_of(projection, events[:last])


@pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS)
def test_a_row_names_its_match(projection: AnyProjection, drives: list[Drive]):
    for drive in drives:
        assert rows_of(projection, recorded(drive))[drive.match].match == drive.match


@pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS)
def test_an_event_of_a_match_that_was_never_opened_is_refused(projection: AnyProjection, drives: list[Drive]):
    event = next(event for event in recorded(drives[0]) if event.type == "HandEnded")
    with pytest.raises(ValueError, match="not opened"):
        projection.after(None, event)


def test_the_marks_of_a_replay_are_the_events_with_a_mark(drives: list[Drive]):
    for drive in drives[:4]:
        row = rows_of(replays.PROJECTION, recorded(drive))[drive.match]
        kinds = {mark.kind for mark in row.marks}
        assert kinds <= {"deal", "bid", "trick", "round", "ass_round", "capture", "swap", "score", "dispute"}
        deals = [mark.version for mark in row.marks if mark.kind == "deal"]
        assert deals == [logged.event.version for logged in drive.log if logged.event.type == "CardsDealt"]


def test_totals_of_a_sheet_are_the_sums_of_its_points(drives: list[Drive]):
    for drive in drives:
        sheet: score_sheets.Row = rows_of(PROJECTIONS["score_sheets"], recorded(drive))[drive.match]
        running = [0] * len(sheet.totals)
        for line in sheet.hands:
            running = [total + point for total, point in zip(running, line.points, strict=True)]
            assert list(line.totals) == running
        assert list(sheet.totals) == running
        assert sheet.winners == drive.state.winners


def interleaved(streams: list[list[Recorded[Any]]]) -> list[Recorded[Any]]:
    """Events of several matches as a shard has them: mixed, each match in its order."""
    mixed, places = [], [0] * len(streams)
    turn = 0
    while any(place < len(stream) for place, stream in zip(places, streams, strict=True)):
        which = turn % len(streams)
        mixed += streams[which][places[which] : places[which] + 1 + turn % 3]
        places[which] += 1 + turn % 3
        turn += 1
    return mixed
