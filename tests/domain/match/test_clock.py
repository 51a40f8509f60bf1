"""The clock of a match, clause by clause. See domain/match/RULES.md."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.event import SYSTEM
from domain.game import OutOfTurn
from domain.games import GAMES
from domain.hidden import b64u
from domain.match import clock, commands, rules
from domain.match.clock import TooLate
from domain.match.seating import WrongState
from domain.match.state import Clock, ClockExpired, MatchOpened, State, TimeUsed
from tests.domain.match.drive import GAME, Drive, seed_of
from tests.domain.match.laws import Laws

MINUTE = 60_000


def started(*players: str, **more: Any) -> Drive:
    return Drive().start(*(players or ("ann", "bob", "cid")), **more)


def due(drive: Drive) -> int:
    (seat,) = rules.to_act(drive.state)
    return seat


def first_move(drive: Drive, after: int, seat: int | None = None) -> Any:
    """The seat's first legal move, ``after`` milliseconds from now, and what it led to first."""
    who = due(drive) if seat is None else seat
    return drive.act(who, drive.legal(who)[0], after)[0]


def swapping(**more: Any) -> Drive:
    """A match in which two seats are due at once: sealed swaps."""
    drive = started("ann", "bob", game="osel-fours", return_mode="sealed", **more)
    assert rules.to_act(drive.state) == {0, 1}
    return drive


# --- 1.4 ---


@pytest.mark.parametrize("bank", [None, 0, 60])
@pytest.mark.parametrize("seconds", [-5, 0, 4, 86_401])
def test_1_4_a_turn_has_between_5_and_86400_seconds(seconds: int, bank: int | None):
    drive = Drive()
    drive.refused("1.4", lambda: drive.open(3, clock=seconds, bank=bank))


@pytest.mark.parametrize("seconds", [-1, 86_401])
def test_1_4_a_bank_has_up_to_86400_seconds(seconds: int):
    drive = Drive()
    drive.refused("1.4", lambda: drive.open(3, clock=5, bank=seconds))


@pytest.mark.parametrize("bank", [None, 0, 86_400])
@pytest.mark.parametrize("seconds", [5, 86_400])
def test_1_4_a_clock_gives_each_turn_its_seconds_and_each_seat_its_bank(seconds: int, bank: int | None):
    drive = started(clock=seconds, bank=bank)
    assert rules.deadline(drive.state) == drive.at + 1000 * (seconds + (bank or 0))
    assert drive.state.banks == (() if bank is None else (1000 * bank,) * 3)


def test_1_4_without_a_clock_a_turn_has_no_end():
    drive = started()
    assert rules.deadline(drive.state) is None
    drive.refused("5.4", lambda: drive.expire(10**12), WrongState)
    assert not [logged for logged in drive.log if isinstance(logged.event.body, TimeUsed)]


# --- 5.1 ---


def test_5_1_a_turn_begins_when_the_seat_becomes_due_and_ends_with_its_move():
    drive = started(clock=30, bank=60)
    first = due(drive)
    assert clock.since(drive.state, first) == drive.at
    first_move(drive, 7_000)
    second = due(drive)
    assert (clock.since(drive.state, first), clock.since(drive.state, second)) == (None, drive.at)


def test_5_1_a_seat_that_moves_and_is_due_again_has_a_new_turn():
    drive = started(clock=30, bank=60, games=1)
    again = 0
    chance = random.Random(3)
    while drive.state.status == "playing":
        seat = due(drive)
        drive.act(seat, chance.choice(drive.legal(seat)), 2_000)
        if seat in rules.to_act(drive.state):
            again += 1
            assert clock.since(drive.state, seat) == drive.at
    assert again


@pytest.mark.parametrize("quick", [0, 1])
def test_5_1_what_one_seat_does_changes_nothing_for_another_that_is_due(quick: int):
    drive = swapping(clock=30, bank=60)
    slow, begun = 1 - quick, drive.at
    first_move(drive, 20_000, quick)
    assert rules.to_act(drive.state) == {slow}
    assert clock.since(drive.state, slow) == begun
    assert rules.deadline(drive.state) == begun + 90_000
    assert first_move(drive, 25_000, slow) == TimeUsed(slow, 45_000, 60_000, 45_000)


def test_5_1_nor_does_what_is_refused_or_said_by_somebody_who_resigns():
    drive = started("ann", "bob", "cid", "dan", clock=30, bank=60)
    seat, begun = due(drive), drive.at
    other = (seat + 1) % 4
    drive.refused("4.3", lambda: drive.act(other, drive.legal(seat)[0]), OutOfTurn)
    drive.resign(f"{('ann', 'bob', 'cid', 'dan')[other]}")
    assert drive.at > begun
    assert clock.since(drive.state, seat) == begun


# --- 5.2 ---


@pytest.mark.parametrize(
    ("took", "left"), [(0, 60_000), (29_999, 60_000), (30_000, 60_000), (30_001, 59_999), (89_999, 1)]
)
def test_5_2_what_a_turn_takes_beyond_its_seconds_comes_off_the_bank(took: int, left: int):
    drive = started(clock=30, bank=60)
    seat = due(drive)
    assert first_move(drive, took) == TimeUsed(seat, took, 60_000, left)
    assert drive.state.banks == tuple(left if place == seat else 60_000 for place in range(3))


def test_5_2_a_bank_is_never_filled_again():
    drive = started(clock=5, bank=20, games=1)
    seat = due(drive)
    first_move(drive, 15_000)
    while due(drive) != seat:
        first_move(drive, 0)
    assert clock.deadline(drive.state, seat) == drive.at + 5_000 + 10_000
    assert first_move(drive, 4_000) == TimeUsed(seat, 4_000, 10_000, 10_000)


def test_5_2_each_seat_has_a_bank_of_its_own():
    drive = swapping(clock=5, bank=20)
    first_move(drive, 9_000, 0)
    first_move(drive, 8_000, 1)
    assert drive.state.banks == (16_000, 8_000)


# --- 5.3 ---


@pytest.mark.parametrize("bank", [0, 60])
def test_5_3_when_the_time_is_up_the_fallback_move_is_made_and_the_bank_is_empty(bank: int):
    drive = started(clock=30, bank=bank)
    seat, took = due(drive), 30_500 + 1000 * bank
    move = GAMES[GAME].fallback(drive.state.play, seat)
    expected = GAMES[GAME].decide(drive.state.play, seat, move)
    expired, *made = drive.expire(took)
    assert (expired, made[: len(expected)]) == (ClockExpired(seat, took, 1000 * bank, 0), expected)
    assert {logged.event.seat for logged in drive.log[-len(expected) - 1 :]} == {SYSTEM}
    assert drive.state.banks[seat] == 0


def test_5_3_whose_bank_is_empty_still_has_the_seconds_of_each_turn():
    drive = started(clock=5, bank=20)
    seat = due(drive)
    drive.expire(25_000)
    while due(drive) != seat:
        first_move(drive, 0)
    assert clock.deadline(drive.state, seat) == drive.at + 5_000
    assert first_move(drive, 4_999) == TimeUsed(seat, 4_999, 0, 0)


def test_5_3_a_match_in_which_only_the_clock_plays_comes_to_its_end():
    drive = started(clock=5, bank=1, games=1)
    for _ in range(500):
        if drive.state.status != "playing":
            break
        drive.expire(6_000)
    assert drive.state.status == "finished"
    assert drive.state.banks == (0, 0, 0)


# --- 5.4 ---


def test_5_4_the_clock_strikes_only_when_the_time_is_up():
    drive = started(clock=30, bank=10)
    drive.refused("5.4", lambda: drive.expire(39_999), WrongState)
    first_move(drive, 35_000)
    drive.refused("5.4", lambda: drive.expire(39_999), WrongState)
    assert isinstance(drive.expire(40_000)[0], ClockExpired)


@pytest.mark.parametrize("bank", [None, 10])
def test_5_4_the_clock_does_not_strike_while_the_match_waits_for_the_service(bank: int | None):
    drive = Drive()
    drive.open(3, clock=5, bank=bank)
    for who in ("ann", "bob", "cid"):
        drive.sit(who)
    for who in ("ann", "bob"):
        drive.reveal(who)
    drive.do(commands.RevealSeed(2, b64u(seed_of("cid"))), settle=False)
    drive.refused("5.4", lambda: drive.expire(MINUTE), WrongState)  # nobody has failed to reveal
    drive.do(commands.Start(), settle=False)
    assert rules.deadline(drive.state) is None
    drive.refused("5.4", lambda: drive.expire(MINUTE), WrongState)  # the deal is due, and no seat


def test_5_4_of_several_seats_whose_time_is_up_the_first_deadline_comes_first():
    drive = swapping(clock=5, bank=30)
    first_move(drive, 10_000, 0)
    first_move(drive, 0, 1)
    first_move(drive, 0, 0)
    first_move(drive, 20_000, 1)  # both have waited for each other: 25 and 10 seconds are left
    begun = drive.at
    assert rules.deadline(drive.state) == begun + 15_000
    assert drive.expire(40_000)[0] == ClockExpired(1, 40_000, 10_000, 0)
    assert rules.to_act(drive.state) == {0}
    assert rules.deadline(drive.state) == begun + 30_000
    assert drive.expire(0)[0] == ClockExpired(0, 40_000, 25_000, 0)
    drive.refused("5.4", lambda: drive.expire(4_999), WrongState)


# --- 5.5 ---


@pytest.mark.parametrize("bank", [0, 10])
def test_5_5_a_move_that_comes_when_the_time_is_up_is_not_accepted(bank: int):
    drive = started(clock=5, bank=bank)
    seat = due(drive)
    move, time = drive.legal(seat)[0], 5_000 + 1000 * bank
    for late in (time, time + 1, time + MINUTE):
        drive.refused("5.5", lambda late=late: drive.act(seat, move, late), TooLate)  # type: ignore[misc]
    assert isinstance(drive.act(seat, move, time - 1)[0], TimeUsed)


def test_5_5_who_is_late_is_told_so_whatever_the_move():
    drive = started(clock=5, bank=0)
    seat = due(drive)
    nothing = GAMES[GAME].moves[0](())
    drive.refused("5.5", lambda: drive.act(seat, nothing, 5_000), TooLate)
    drive.refused("4.3", lambda: drive.act((seat + 1) % 3, nothing, 5_000), OutOfTurn)


def test_5_5_a_late_seat_is_late_for_itself_only():
    drive = swapping(clock=5, bank=20)
    first_move(drive, 0, 1)
    first_move(drive, 24_000, 0)
    drive.at += 10_000  # and a second of the bank was left
    drive.refused("5.5", lambda: first_move(drive, 0, 0), TooLate)
    assert first_move(drive, 0, 1) == TimeUsed(1, 10_000, 20_000, 15_000)
    drive.refused("5.5", lambda: first_move(drive, 0, 0), TooLate)


# --- 5.6 ---


def test_5_6_moves_of_the_house_take_no_time():
    drive = started("ann", "bob", "cid", "dan", clock=30, bank=60)
    seat = due(drive)
    told = drive.resign(("ann", "bob", "cid", "dan")[seat])
    assert not [event for event in told if isinstance(event, TimeUsed | ClockExpired)]
    assert drive.state.banks == (60_000,) * 4


@settings(max_examples=25, deadline=None)
@given(
    taste=st.randoms(use_true_random=False),
    game=st.sampled_from(sorted(GAMES)),
    turn=st.integers(5, 20),
    bank=st.integers(0, 40),
)
def test_5_6_times_follow_one_from_another_and_no_bank_is_ever_overdrawn(
    taste: random.Random, game: str, turn: int, bank: int
):
    """Seats that think for any time: the ledger alone says how long each turn was and what every bank has left."""
    seats = GAMES[game].seats[0]
    more = {"return_mode": taste.choice(["seen", "sealed"])} if game == "osel-fours" else {}
    drive = started(*(f"p{seat}" for seat in range(seats)), game=game, clock=turn, bank=bank, **more)
    laws = Laws(drive)
    while drive.state.status == "playing" and drive.state.version < 300:
        seat = taste.choice(sorted(rules.to_act(drive.state)))
        until = clock.deadline(drive.state, seat)
        assert until is not None
        think = taste.choice([0, 500, 1000 * turn, 1000 * turn + 1, taste.randint(0, 3_000 * turn)])
        if drive.at + think < until:
            drive.act(seat, taste.choice(drive.legal(seat)), think)
        else:
            first = rules.deadline(drive.state)
            assert first is not None
            drive.expire(max(0, first - drive.at) + taste.choice([0, 700]))
        laws.check()
    assert min(drive.state.banks) >= 0


# --- 5.7 ---


def test_5_7_no_event_is_dated_before_the_one_that_it_follows():
    state = State(at=5_000)
    assert [clock.dated(state, at) for at in (0, 4_999, 5_000, 5_001)] == [5_000, 5_000, 5_000, 5_001]


def test_5_7_a_move_counts_by_the_time_at_which_it_came():
    drive = started(clock=30, bank=60)
    seat = due(drive)
    for came in (drive.at, drive.at + 31_000):
        (used, *_) = rules.decide(drive.state, commands.Act(seat, drive.legal(seat)[0]), came)
        assert used.used == came - drive.at


# --- 5.8 ---


def test_5_8_an_old_clock_runs_from_the_last_event_of_the_match():
    drive = swapping(clock=30)
    first_move(drive, 20_000, 0)
    assert rules.deadline(drive.state) == drive.at + 30_000
    drive.refused("5.4", lambda: drive.expire(29_999), WrongState)
    assert drive.expire(30_000)[0] == ClockExpired(1)
    assert rules.deadline(drive.state) == drive.at + 30_000


def test_5_8_under_an_old_clock_a_late_move_counts_and_no_times_are_recorded():
    drive = started(clock=30)
    seat = due(drive)
    assert not isinstance(first_move(drive, 31_000), TimeUsed)
    drive.refused("5.4", lambda: drive.expire(29_999), WrongState)
    assert (drive.state.turns, drive.state.banks) == ((), ())
    assert seat != due(drive)


def test_5_8_a_match_in_which_only_an_old_clock_plays_comes_to_its_end():
    drive = started(clock=5, games=1)
    for _ in range(500):
        if drive.state.status != "playing":
            break
        drive.expire(5_000)
    assert drive.state.status == "finished"


def test_5_8_what_an_old_clock_has_written_is_written_so_again():
    opened = MatchOpened(GAME, {}, 3, "host", "a", Clock(30))
    assert b'"clock":{"turn_seconds":30}' in msgspec.json.encode(opened)
    assert msgspec.json.encode(ClockExpired(1)) == b'{"seat":1}'
    assert b'"bank_seconds":0' in msgspec.json.encode(Clock(30, 0))
    assert msgspec.json.encode(ClockExpired(1, 30_000, 0, 0)) == b'{"seat":1,"used":30000,"before":0,"after":0}'
