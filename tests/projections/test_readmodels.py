"""What readers get: in order, page by page, and only what they asked for."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from domain.hidden import b64u
from domain.match.rules import OPEN_MS, REVEAL_MS
from projections.registry import PROJECTIONS
from services.ids import new_id
from services.problems import BadRequest
from services.projector import Projector
from services.readmodels import Page, ReadModels
from services.store.records import Unavailable
from services.store.store import Store
from tests.domain.match.drive import Drive
from tests.projections.streams import append, caught_up, played, recorded, rows_of

BAD_CURSORS = ["", "x", "%%%", "bm90aGluZw", b64u(b"[1]"), b64u(b'[1,"no uuid"]'), b64u(b'["a",1]'), "é", "[]"]


async def put(store: Store, *drives: Drive) -> None:
    for drive in drives:
        await append(store, drive)
    await caught_up(Projector(store))


async def all_pages(read: Callable[[str | None], Awaitable[Page[Any]]]) -> list[Any]:
    items: list[Any] = []
    cursor = None
    for _ in range(100):
        page = await read(cursor)
        items += page.items
        cursor = page.next
        if cursor is None:
            return items
        assert page.items
    raise AssertionError("the list has no end")


def opened(seed: int, clock: int | None = None) -> Drive:
    """A table that waits for players."""
    drive = Drive(match=new_id(), at=1_800_000_000_000 + seed * 1000)
    drive.open(3, clock=clock)
    return drive


async def test_the_lobby_shows_the_newest_first_page_by_page(store: Store):
    drives = [played(seed, moves=3) for seed in range(5)] + [opened(seed) for seed in range(4)]
    await put(store, *drives)
    readers = ReadModels(store)
    whole = (await readers.lobby(limit=100)).items
    assert [row.match for row in whole] == [
        drive.match for drive in sorted(drives, key=lambda drive: (drive.log[0].event.at, drive.match), reverse=True)
    ]
    for limit in (1, 2, 3, 9):
        assert await all_pages(partial(readers.lobby, None, None, limit)) == whole
    assert await readers.lobby(limit=9) == Page(whole, None)


async def test_the_lobby_can_be_asked_for_a_status_and_a_game(store: Store):
    playing, waiting, over = played(1, moves=3), opened(1), played(2)
    await put(store, playing, waiting, over)
    readers = ReadModels(store)
    for status, drive in (("playing", playing), ("open", waiting), (over.state.status, over)):
        assert [row.match for row in (await readers.lobby(status)).items] == [drive.match]
        assert [row.match for row in (await readers.lobby(status, "whos-the-ass")).items] == [drive.match]
        assert (await readers.lobby(status, "another-game")).items == []
    assert len((await readers.lobby(game="whos-the-ass")).items) == 3


async def test_a_match_whose_seeds_are_being_revealed_is_among_the_open_ones(store: Store):
    drives = [opened(seed) for seed in range(4)]
    for drive in drives[1::2]:
        for player in ("anna", "ben", "cyd"):
            drive.sit(player)
        assert drive.state.status == "revealing"
    await put(store, *drives, played(9, moves=3))
    readers = ReadModels(store)
    newest = [drive.match for drive in reversed(drives)]
    for game in (None, "whos-the-ass"):
        for limit in (1, 2, 10):
            rows = await all_pages(partial(readers.lobby, "open", game, limit))
            assert [row.match for row in rows] == newest
    assert [row.match for row in (await readers.lobby("revealing")).items] == newest[::2]
    assert (await readers.lobby("open", "another-game")).items == []


async def test_a_match_that_is_opened_meanwhile_neither_repeats_nor_hides_one(store: Store):
    drives = [opened(seed) for seed in range(4)]
    await put(store, *drives)
    readers = ReadModels(store)
    first = await readers.lobby(limit=2)
    await put(store, opened(99))
    second = await readers.lobby(limit=2, cursor=first.next)
    assert [row.match for row in (*first.items, *second.items)] == [drive.match for drive in reversed(drives)]
    assert second.next is None


@pytest.mark.parametrize("cursor", BAD_CURSORS)
async def test_a_cursor_that_nobody_gave_out_is_refused(store: Store, cursor: str):
    readers = ReadModels(store)
    for read in (readers.lobby, readers.leaderboard):
        with pytest.raises(BadRequest):
            await read(cursor=cursor)
    with pytest.raises(BadRequest):
        await readers.matches_of("somebody", cursor=cursor)


async def test_a_cursor_with_numbers_beyond_all_bounds_is_refused(store: Store):
    readers = ReadModels(store)
    with pytest.raises(BadRequest):
        await readers.lobby(cursor=b64u(b'[99999999999999999999,"%s"]' % new_id().encode()))
    with pytest.raises(BadRequest):
        await readers.leaderboard(cursor=b64u(b'[99999999999999999999,1,"a"]'))


@pytest.mark.parametrize("text", ["\0", "a\0b", "\ud800", "☂", "' or 1=1 --"])
async def test_a_text_that_is_in_no_row_finds_none(store: Store, text: str):
    await put(store, played(1))
    readers = ReadModels(store)
    assert await readers.lobby(text) == Page([], None)
    assert await readers.lobby(game=text) == Page([], None)
    assert await readers.leaderboard(text) == Page([], None)
    assert await readers.matches_of(text) == Page([], None)


async def test_score_sheet_and_replay_are_those_of_the_match(store: Store):
    drives = [played(seed) for seed in range(3)]
    await put(store, *drives)
    readers = ReadModels(store)
    for drive in drives:
        sheet, index = await readers.score_sheet(drive.match), await readers.replay_index(drive.match)
        assert sheet is not None
        assert index is not None
        assert (sheet.totals, sheet.winners) == (drive.state.totals, drive.state.winners)
        assert len(sheet.hands) == drive.state.ended
        assert index.versions == drive.state.version
    for nothing in (readers.score_sheet, readers.replay_index):
        assert await nothing(new_id()) is None
        with pytest.raises(ValueError):
            await nothing("no id")


async def test_the_history_of_a_player_has_every_match_with_a_seat(store: Store):
    drives = [played(seed) for seed in range(12)]
    await put(store, *drives)
    readers = ReadModels(store)
    players = {sitting.player for drive in drives for sitting in drive.state.seats if sitting}
    assert len(players) > 10
    longest = 0
    for player in players:
        expected = [
            (drive.match, seat, drive.state.totals[seat], seat in drive.state.winners, drive.state.status)
            for drive in reversed(drives)
            for seat, sitting in enumerate(drive.state.seats)
            if sitting and sitting.player == player
        ]
        found = await all_pages(partial(readers.matches_of, player, 2))
        assert [(line.match, line.seat, line.score, line.won, line.status) for line in found] == expected
        longest = max(longest, len(expected))
    assert longest > 2
    assert await readers.matches_of("somebody else") == Page([], None)  # sat down and left before the start


async def test_the_leaderboard_counts_finished_and_won_matches_over_all_shards(store: Store):
    drives = [played(seed) for seed in range(16)]
    await put(store, *drives)
    finished: dict[str, list[int]] = {}
    for drive in drives:
        for seat, sitting in enumerate(drive.state.seats):
            if drive.state.status == "finished" and sitting:
                counts = finished.setdefault(sitting.player, [0, 0])
                counts[0] += seat in drive.state.winners
                counts[1] += 1
    expected = sorted((-won, played_, player) for player, (won, played_) in finished.items())
    readers = ReadModels(store)
    for limit in (3, 50):
        board = await all_pages(partial(readers.leaderboard, "whos-the-ass", limit))
        assert [(-standing.won, standing.finished, standing.player) for standing in board] == expected
    assert (await readers.leaderboard(limit=200)).items == board
    assert await readers.leaderboard("another-game") == Page([], None)


async def test_matches_are_due_when_their_deadline_has_passed_the_longest_overdue_first(store: Store):
    soon, later, never = opened(0), opened(5), played(3, moves=2)
    while never.state.clock is not None:
        never = played(never.at % 97, moves=2)
    await put(store, later, soon, never)
    readers = ReadModels(store)
    first, second = soon.at + OPEN_MS, later.at + OPEN_MS
    assert await readers.due(first - 1) == []
    assert await readers.due(first) == [(soon.match, soon.state.version)]
    assert await readers.due(second) == [(soon.match, soon.state.version), (later.match, later.state.version)]


async def test_a_seat_that_keeps_others_waiting_with_its_seed_is_due(store: Store):
    drive = opened(7)
    for player in ("a", "b", "c"):
        drive.sit(player)
    assert drive.state.status == "revealing"
    await put(store, drive)
    assert await ReadModels(store).due(drive.state.at + REVEAL_MS) == [(drive.match, drive.state.version)]


async def test_bot_tables_are_those_that_are_not_over(store: Store):
    with_bots = opened(1)
    with_bots.bot("a bot")
    without, over = opened(2), played(40)
    while not any(sitting and sitting.kind == "bot" for sitting in over.state.seats):
        over = played(over.at % 89)
    await put(store, with_bots, without, over)
    assert await ReadModels(store).bot_tables() == [with_bots.match]


async def test_limits_are_kept_within_bounds(store: Store):
    await put(store, *(opened(seed) for seed in range(3)))
    readers = ReadModels(store)
    assert len((await readers.lobby(limit=0)).items) == 1
    assert len((await readers.lobby(limit=10**9)).items) == 3


async def test_readers_say_that_the_database_is_away(store: Store):
    readers = ReadModels(store)
    await store.pool.close()
    with pytest.raises(Unavailable):
        await readers.lobby()


async def test_rows_that_are_read_are_those_that_were_folded(store: Store):
    drive = played(9)
    await put(store, drive)
    readers = ReadModels(store)
    assert await readers.score_sheet(drive.match) == rows_of(PROJECTIONS["score_sheets"], recorded(drive))[drive.match]
    assert await readers.replay_index(drive.match) == rows_of(PROJECTIONS["replays"], recorded(drive))[drive.match]
    assert (await readers.lobby()).items == [rows_of(PROJECTIONS["live_tables"], recorded(drive))[drive.match]]
