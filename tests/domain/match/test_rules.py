"""The rules of a match, clause by clause. See domain/match/RULES.md."""

import dataclasses
import random
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta
from msgspec.structs import replace

from domain import fairness
from domain.event import SYSTEM, chained
from domain.game import DEALER, Drawn, OutOfTurn, Refused, wrong_option
from domain.games import GAMES
from domain.hidden import b64u, unb64u
from domain.match import commands, rules, seating
from domain.match.seating import NotYours, WrongState
from domain.match.state import (
    HandEnded,
    Kind,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatState,
    SeatTaken,
    SeedCommitted,
    SeedRevealed,
    State,
    evolve,
)
from tests.domain.match.drive import GAME, HOST, MATCH, Drive, commitment_of, seed_of

ANN, BOB, CID = 0, 1, 2
MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def opened(seats: int = 3, *players: str, **more: Any) -> Drive:
    """A match that has been opened, with ``players`` sitting on its first seats."""
    drive = Drive()
    drive.open(seats, **more)
    for player in players:
        drive.sit(player)
    return drive


def started(*players: str, **more: Any) -> Drive:
    return Drive().start(*(players or ("ann", "bob", "cid")), **more)


def due(drive: Drive) -> int:
    (seat,) = rules.to_act(drive.state)
    return seat


def player(drive: Drive, seat: int) -> str:
    sitting = drive.state.seats[seat]
    assert sitting is not None
    return sitting.player


def play_on(drive: Drive, moves: int | None = None) -> list[Any]:
    choose = random.Random(7).choice
    return [event for events in drive.play(choose, moves) for event in events]


def bodies(drive: Drive, kind: type) -> list[Any]:
    return [logged.event.body for logged in drive.log if isinstance(logged.event.body, kind)]


# --- 1. Opening ---


def test_1_1_whoever_opens_a_match_names_game_seats_and_options_and_is_its_host():
    drive = Drive()
    (event,) = drive.open(4, host="zoe", games=2)
    assert event == MatchOpened(
        GAME,
        {"games": 2, "time_limit_min": 0, "ass_round_joker": "choose", "dealer": "rotate"},
        4,
        "zoe",
        drive.anchor,
    )
    assert (drive.state.host, drive.state.seats, drive.state.status) == ("zoe", (None,) * 4, "open")


def test_1_1_a_match_is_opened_once_and_for_a_game_that_there_is():
    Drive().refused("1.1", lambda: Drive().open(3, game="patience"))
    drive = opened()
    drive.refused("1.1", lambda: drive.open(3), WrongState)


def test_1_1_the_host_need_not_sit_down():
    drive = started("ann", "bob", "cid")
    assert seating.seat_of(drive.state, HOST) is None


def test_1_2_the_number_of_seats_is_one_that_the_game_allows():
    assert [opened(seats).state.seats for seats in (3, 12)] == [(None,) * 3, (None,) * 12]
    for seats in (-1, 0, 2, 13):
        drive = Drive()
        drive.refused("1.2", partial(drive.open, seats))


@pytest.mark.parametrize("options", [{"games": 0}, {"games": 21}, {"games": "5"}, {"games": 1.5}, {"rounds": 3}])
def test_1_3_an_option_is_one_of_the_games_and_within_its_bounds(options: dict[str, Any]):
    drive = Drive()
    refused = drive.refused("1.3", lambda: drive.open(3, **options))
    assert next(iter(options)) in refused.reason


class Choices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of kinds that a game may have."""

    rounds: Annotated[int, Meta(ge=1, le=9)] = 3
    turned: bool = False
    suit: Literal["S", "H"] = "S"
    word: Annotated[str, Meta(max_length=3)] = ""


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"rounds": 9, "turned": True, "suit": "H", "word": "abc"}, None),
        ({"rounds": None}, "options.rounds is a whole number from 1 to 9"),
        ({"rounds": 5.0}, "options.rounds is a whole number from 1 to 9"),
        ({"rounds": True}, "options.rounds is a whole number from 1 to 9"),
        ({"turned": 1}, "options.turned is true or false"),
        ({"rounds": 1, "suit": "D"}, "options.suit is one of H, S"),
        ({"suit": None}, "options.suit is one of H, S"),
        ({"word": "abcd"}, "options.word is wrong: Expected `str` of length <= 3"),
        ({"colour": 1}, "options.colour is not an option of whos-the-ass; those are rounds, turned, suit, word"),
        ({"x" * 500: 1}, f"options.{'x' * 40} is not an option of whos-the-ass; those are rounds, turned, suit, word"),
    ],
)
def test_1_3_what_is_wrong_with_an_option_is_said_by_its_name_and_bounds(given: dict[str, Any], wrong: str | None):
    assert wrong_option(dataclasses.replace(GAMES[GAME], options=Choices), given) == wrong


def test_1_3_options_that_are_not_named_take_their_defaults():
    assert bodies(opened(), MatchOpened)[0].options["games"] == 5
    assert opened(3, games=7).state.options.games == 7


def test_1_5_the_anchor_that_the_opening_publishes_holds_for_every_hand():
    drive = started(games=3)
    play_on(drive)
    anchor = bodies(drive, MatchOpened)[0].anchor
    hands = bodies(drive, HandEnded)
    assert [ended.hand for ended in hands] == [1, 2, 3]
    for ended in hands:
        assert b64u(fairness.secret_of(MATCH, unb64u(ended.secret), 0, ended.hand)) == anchor


@pytest.mark.parametrize(
    "spectators",
    ["", "all", "delayed", "delayed:0", "delayed:501", "delayed:07", "delayed:x", "none\n", "delayed:3\n"],
)
def test_1_6_spectators_are_open_none_or_delayed_by_1_to_500_events(spectators: str):
    drive = Drive()
    command = commands.Open(GAME, {}, 3, HOST, drive.anchor, None, spectators)
    drive.refused("1.6", lambda: drive.do(command))


@pytest.mark.parametrize(("spectators", "behind"), [("open", 0), ("none", 1000), ("delayed:1", 1), ("delayed:4", 4)])
def test_1_6_delayed_spectators_see_a_running_match_as_it_was_and_never_from_before_the_start(
    spectators: str, behind: int
):
    # given a match before its start: everybody sees all of it
    drive = Drive()
    drive.do(commands.Open(GAME, {"games": 1}, 3, HOST, drive.anchor, None, spectators))
    for player in ("ann", "bob", "cid"):
        drive.sit_without_seed(player)
    # when it is played to its end
    play_on(drive)
    states = [State()]
    for logged in drive.log:
        states.append(evolve(states[-1], logged.event))
    begun = next(state.version for state in states if state.started)
    # then the public is so many events behind, between the start and the end, or does not get beyond the start
    for state in states:
        if state.started and not state.over:
            assert seating.public_version(state) == max(begun, state.version - behind)
        else:
            assert seating.public_version(state) == state.version
    assert {state.status for state in states} >= {"open", "playing", "finished"}


# --- 2. Seats ---


def test_2_1_seats_are_taken_before_the_start_only():
    drive = started()
    drive.refused("2.1", lambda: drive.sit("dan"), WrongState)
    drive.refused("2.1", lambda: drive.bot("bot1"), WrongState)
    play_on(drive)
    drive.refused("2.1", lambda: drive.sit("dan"), WrongState)


def test_2_2_a_seat_that_is_taken_is_not_taken_again():
    drive = opened(3, "ann")
    drive.refused("2.2", lambda: drive.sit("bob", 0), WrongState)
    drive.sit("bob", 2)
    drive.sit("cid")
    drive.refused("2.2", lambda: drive.sit("dan"), WrongState)


def test_2_2_who_names_no_seat_gets_the_free_seat_with_the_lowest_number():
    drive = opened(4)
    assert [drive.sit(name, seat)[0].seat for name, seat in (("ann", 1), ("bob", None), ("cid", None))] == [1, 0, 2]


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_2_2_a_seat_is_one_of_the_match(seat: int):
    drive = opened(3)
    drive.refused("2.2", lambda: drive.sit("ann", seat))


def test_2_3_a_player_sits_on_one_seat():
    drive = opened(3, "ann")
    drive.refused("2.3", lambda: drive.sit("ann", 2, round_=1), WrongState)
    drive.bot("bot1")
    drive.refused("2.3", lambda: drive.bot("bot1"), WrongState)


def test_2_4_whoever_sits_down_commits_to_a_seed():
    drive = opened()
    assert drive.sit("ann") == [SeatTaken(0, "ann", "human", commitment_of("ann"), "own")]


@pytest.mark.parametrize("text", ["", "x", "A" * 42, "A" * 44, "B" * 43, "A" * 42 + "=", "A" * 86, "A" * 42 + "é"])
def test_2_4_a_commitment_is_32_bytes_in_base64url(text: str):
    drive = opened()
    drive.refused("2.4", lambda: drive.do(commands.TakeSeat("ann", 0, text, "own")))


def test_2_4_for_who_brings_none_and_for_a_bot_the_server_commits_and_says_so():
    drive = opened()
    drive.sit_without_seed("ann")
    drive.bot("bot1")
    assert [(taken.kind, taken.custody) for taken in bodies(drive, SeatTaken)] == [
        ("human", "server"),
        ("bot", "server"),
    ]
    assert {len(unb64u(taken.commitment)) for taken in bodies(drive, SeatTaken)} == {32}


def test_2_5_a_player_may_leave_a_seat_before_the_start():
    drive = opened(3, "ann", "bob")
    assert drive.leave("ann") == [SeatLeft(0, "ann")]
    assert drive.sit("cid")[0].seat == 0
    drive.refused("4.1", lambda: drive.leave("ann"), NotYours)


def test_2_5_a_running_match_is_not_left():
    drive = started()
    drive.refused("2.5", lambda: drive.leave("ann"), WrongState)


def test_2_5_leaving_after_the_last_commitment_counts_as_not_revealing():
    drive = opened(3, "ann", "bob", "cid")
    drive.reveal("bob")
    assert drive.leave("ann") == [SeatPutOut(0, "ann")]
    assert [sitting and sitting.commitment for sitting in drive.state.seats] == [None, "", ""]


def test_2_6_only_the_host_seats_bots():
    drive = opened(3, "ann")
    drive.refused("2.6", lambda: drive.bot("bot1", by="ann"), NotYours)
    assert drive.bot("bot1", by=HOST)[0] == SeatTaken(
        1, "bot1", "bot", bodies(drive, SeatTaken)[1].commitment, "server", "random"
    )


def test_2_7_a_match_that_is_still_open_after_24_hours_is_abandoned():
    drive = opened(3, "ann")
    drive.refused("5.4", lambda: drive.expire(DAY - 1), WrongState)
    assert drive.expire(DAY) == [MatchAbandoned("expired")]
    assert (drive.state.status, rules.deadline(drive.state)) == ("abandoned", None)
    drive.refused("5.4", lambda: drive.expire(DAY), WrongState)


def test_2_7_the_24_hours_begin_with_the_last_event():
    drive = opened()
    drive.at += DAY - MINUTE
    drive.sit("ann")
    drive.refused("5.4", lambda: drive.expire(DAY - 1), WrongState)


@pytest.mark.parametrize("players", [(), ("ann",), ("ann", "bob", "cid")])
def test_2_7_the_host_may_abandon_the_match_before_the_start(players: tuple[str, ...]):
    drive = opened(3, *players)
    for who in players:
        drive.refused("6.1", partial(drive.resign, who), WrongState)
    assert drive.resign(HOST) == [MatchAbandoned("host")]
    drive.refused("2.1", lambda: drive.sit("dan"), WrongState)


# --- 3. Seeds ---


def test_3_1_seeds_are_revealed_when_every_seat_has_committed():
    drive = opened(3, "ann", "bob")
    drive.refused("3.1", lambda: drive.reveal("ann"), WrongState)
    drive.sit("cid")
    assert drive.state.status == "revealing"
    assert drive.reveal("ann") == [SeedRevealed(0, b64u(seed_of("ann")), "own")]


def test_3_1_the_server_reveals_at_once_what_is_in_its_custody_and_not_before():
    drive = opened(3, "ann")
    drive.bot("bot1")
    assert bodies(drive, SeedRevealed) == []
    taken, first, *more = drive.sit_without_seed("bob")
    assert isinstance(taken, SeatTaken)
    assert [(event.seat, event.custody) for event in (first, *more)] == [(1, "server"), (2, "server")]


def test_3_2_a_seed_is_revealed_once():
    drive = opened(3, "ann", "bob", "cid")
    drive.reveal("ann")
    drive.refused("3.2", lambda: drive.reveal("ann"), WrongState)


@pytest.mark.parametrize(
    "seed", ["", "A" * 43, b64u(seed_of("bob")), b64u(seed_of("ann")) + "=", b64u(seed_of("ann"))[:-1]]
)
def test_3_2_a_seed_fits_the_commitment(seed: str):
    drive = opened(3, "ann", "bob", "cid")
    drive.refused("3.2", lambda: drive.do(commands.RevealSeed(0, seed)))


def test_3_3_a_seat_that_does_not_reveal_within_60_seconds_is_put_out():
    drive = opened(3, "ann", "bob", "cid")
    committed = drive.at
    drive.reveal("ann")
    gone = drive.at - committed
    drive.refused("5.4", lambda: drive.expire(MINUTE - gone - 1), WrongState)
    assert drive.expire(MINUTE - gone) == [SeatPutOut(1, "bob")]
    assert drive.state.seats[1] is None
    assert drive.state.status == "open"


def test_3_3_a_reveal_gives_the_others_no_more_time():
    drive = opened(3, "ann", "bob", "cid")
    committed = drive.at
    drive.at += 40_000
    drive.reveal("ann")
    left = committed + MINUTE - drive.at
    drive.refused("5.4", lambda: drive.expire(left - 1), WrongState)
    assert drive.expire(left) == [SeatPutOut(1, "bob")]


def test_3_3_then_every_commitment_and_every_reveal_is_void():
    drive = opened(3, "ann", "bob", "cid")
    drive.reveal("ann")
    drive.reveal("cid")
    drive.expire(MINUTE)
    assert [(s.commitment, s.seed, s.committed) for s in drive.state.seats if s] == [("", "", 0)] * 2
    drive.refused("3.1", lambda: drive.reveal("ann"), WrongState)
    drive.sit("dan")
    assert drive.state.status == "open"
    drive.commit("ann", 1)
    drive.commit("cid", 1)
    drive.refused("3.2", lambda: drive.reveal("ann", 0))
    drive.reveal("ann", 1)
    drive.reveal("cid", 1)
    assert drive.reveal("dan")[1] == MatchStarted(b64u(chained(drive.log[9].data)))
    assert drive.log[9].event.body == SeedCommitted(2, commitment_of("cid", 1), "own")


def test_3_3_what_the_server_has_shown_is_void_too_and_it_commits_to_something_else():
    drive = opened(3, "ann")
    drive.bot("bot1")
    drive.sit("bob")
    (shown,) = bodies(drive, SeedRevealed)
    assert drive.expire(MINUTE)[0] == SeatPutOut(0, "ann")
    (again,) = bodies(drive, SeedCommitted)
    assert (again.seat, again.custody) == (1, "server")
    assert again.commitment != b64u(fairness.commitment(unb64u(shown.seed)))
    drive.commit("bob", 1)
    drive.sit("cid")
    later = bodies(drive, SeedRevealed)[-1]
    assert (later.seat, b64u(fairness.commitment(unb64u(later.seed)))) == (1, again.commitment)


def test_3_4_only_a_seat_whose_commitment_is_void_commits_anew():
    drive = opened(3, "ann", "bob", "cid")
    drive.refused("3.4", lambda: drive.commit("ann", 1), WrongState)
    drive.expire(MINUTE)
    assert drive.commit("bob", 1) == [SeedCommitted(1, commitment_of("bob", 1), "own")]
    drive.refused("3.4", lambda: drive.commit("bob", 2), WrongState)
    drive.refused("3.4", lambda: drive.do(commands.CommitSeed(0, commitment_of("x"), "own")), WrongState)
    drive.refused("2.4", lambda: drive.do(commands.CommitSeed(2, "short", "own")))


def test_3_4_who_does_not_commit_anew_within_60_seconds_at_a_full_table_loses_the_seat():
    drive = opened(3, "ann", "bob", "cid")
    drive.expire(MINUTE)
    drive.refused("5.4", lambda: drive.expire(DAY - 1), WrongState)  # a seat is free: nobody waits for them
    drive.commit("cid", 1)
    drive.sit("dan")
    drive.refused("5.4", lambda: drive.expire(MINUTE - 1), WrongState)
    assert drive.expire(MINUTE) == [SeatLeft(1, "bob")]
    drive.sit("bob", round_=1)
    assert drive.state.status == "revealing"


def test_3_5_when_all_seeds_are_revealed_the_match_starts_by_itself():
    drive = opened(3, "ann", "bob", "cid")
    drive.reveal("cid")
    drive.reveal("ann")
    assert bodies(drive, MatchStarted) == []
    revealed, begun, *dealt = drive.reveal("bob")
    assert isinstance(revealed, SeedRevealed)
    assert begun == MatchStarted(b64u(chained(drive.log[3].data)))
    assert isinstance(drive.log[3].event.body, SeatTaken)
    assert dealt
    assert drive.state.status == "playing"


def test_3_5_it_starts_once_and_not_before():
    for drive in (opened(), opened(3, "ann", "bob", "cid"), started()):
        drive.refused("3.5", partial(drive.do, commands.Start()), WrongState)


def test_3_6_a_seed_serves_once():
    drive = opened(3, "ann")
    drive.refused("3.6", lambda: drive.do(commands.TakeSeat("bob", 1, commitment_of("ann"), "own")))
    drive.sit("bob")
    drive.sit("cid")
    drive.reveal("ann")
    drive.expire(MINUTE)
    for who in ("ann", "bob"):  # bob's seed was never shown, but his commitment is void like the others
        drive.refused("3.6", partial(drive.do, commands.CommitSeed(0, commitment_of(who), "own")))
    drive.refused("3.6", lambda: drive.do(commands.TakeSeat("dan", None, commitment_of("ann"), "own")))
    drive.sit("dan")
    drive.commit("ann", 1)
    drive.commit("cid", 1)
    drive.expire(MINUTE)
    for round_ in (0, 1):
        drive.refused("3.6", partial(drive.do, commands.CommitSeed(2, commitment_of("cid", round_), "own")))


# --- 4. Play ---


def test_4_1_only_the_players_seated_in_a_match_act_in_it():
    drive = started()
    drive.refused("4.1", lambda: drive.resign("zoe"), NotYours)
    drive.refused("4.1", lambda: drive.leave("zoe"), NotYours)
    assert [seating.seat_of(drive.state, who) for who in ("ann", "bob", "cid", "zoe", "")] == [0, 1, 2, None, None]


def test_4_2_moves_are_made_while_the_match_is_being_played():
    playing = started(games=1)
    move = playing.legal(due(playing))[0]
    for drive in (opened(), opened(3, "ann", "bob", "cid")):
        drive.refused("4.2", partial(drive.act, 0, move), WrongState)
    play_on(playing)
    playing.refused("4.2", lambda: playing.act(0, move), WrongState)


def test_4_3_a_seat_acts_when_the_game_says_that_it_is_due():
    drive = started()
    seat = due(drive)
    move = drive.legal(seat)[0]
    for other in {ANN, BOB, CID} - {seat}:
        drive.refused("4.3", partial(drive.act, other, move), OutOfTurn)
    drive.act(seat, move)


def test_4_3_what_the_game_refuses_is_refused_by_a_clause_of_its_own_rule_book():
    drive = started()
    seat = due(drive)
    before = drive.state
    with pytest.raises(Refused) as caught:
        drive.act(seat, GAMES[GAME].moves[1]())  # the starting player has to play
    assert (caught.value.rulebook, caught.value.clause) == (GAME, "3.2")
    assert drive.state is before


def test_4_4_all_chance_comes_from_the_secret_of_the_hand_and_the_seeds():
    drive = started("ann", "bot1", "cid", games=2)
    play_on(drive)
    seats = [event.seed for event in sorted(bodies(drive, SeedRevealed), key=lambda event: event.seat)]
    salt = next(chained(logged.data) for logged in reversed(drive.log) if isinstance(logged.event.body, SeatTaken))
    secrets = {ended.hand: unb64u(ended.secret) for ended in bodies(drive, HandEnded)}
    game, state, draws = GAMES[GAME], State(), 0
    for logged in drive.log:
        if type(logged.event.body) in game.draws or type(logged.event.body).__name__ == "ScorekeeperChosen":
            table = state.play
            if DEALER in game.to_act(table) and logged.event.cmd != drive.log[logged.event.version - 2].event.cmd:
                hand = state.ended + 1
                key = fairness.hand_key(salt, secrets[hand], map(unb64u, seats))
                lists = fairness.draw(key, hand, 1, game.chance(table))
                again = game.decide(table, DEALER, Drawn(lists, logged.event.at - state.started_at))
                first = logged.event.version - 1
                assert again == [entry.event.body for entry in drive.log[first : first + len(again)]]
                draws += 1
        state = evolve(state, logged.event)
    assert draws == 2


def test_4_4_nobody_draws_when_no_draw_is_due():
    drive = started()
    again = Drawn(GAMES[GAME].chance(GAMES[GAME].initial(drive.state.options, 3)))
    drive.refused("4.4", lambda: drive.do(commands.Draw(again)), WrongState)
    waiting = opened()
    waiting.refused("4.4", lambda: waiting.do(commands.Draw(again)), WrongState)


def test_4_5_when_a_hand_is_scored_its_secret_is_published_and_opens_it():
    drive = started(games=2)
    play_on(drive)
    ended = {event.hand: event for event in bodies(drive, HandEnded)}
    seeds = [unb64u(sitting.seed) for sitting in drive.state.seats if sitting]
    openings = [(logged, opening) for logged in drive.log for opening in logged.openings]
    assert {logged.hand for logged, _ in openings} == {1, 2}
    for logged, opening in openings:
        key = fairness.hand_key(unb64u(drive.state.salt), unb64u(ended[logged.hand].secret), seeds)
        assert fairness.field_salt(key, logged.hand, logged.event.version, opening.path) == opening.salt
    for hand, (_, event) in enumerate(sorted(ended.items()), start=1):
        before = ended[hand - 1].totals if hand > 1 else (0, 0, 0)
        assert event.totals == tuple(a + b for a, b in zip(before, event.points, strict=True))
    assert drive.state.opened == 2


def test_4_5_a_hand_is_closed_once_and_when_it_is_over():
    for drive in (opened(), started()):
        drive.refused("4.5", partial(drive.do, commands.CloseHand("x")), WrongState)


def test_4_6_hands_follow_one_another_until_the_game_says_that_the_match_is_over():
    drive = started(games=3)
    drive.refused("4.6", lambda: drive.do(commands.EndMatch()), WrongState)
    *_, last = play_on(drive)
    assert [event.hand for event in bodies(drive, HandEnded)] == [1, 2, 3]
    outcome = GAMES[GAME].outcome(drive.state.play)
    assert outcome is not None
    assert last == MatchEnded(outcome.ranking[0], drive.state.totals)
    assert (drive.state.status, drive.state.winners) == ("finished", outcome.ranking[0])
    drive.refused("4.6", lambda: drive.do(commands.EndMatch()), WrongState)


def test_4_7_a_match_that_is_undecided_after_hand_512_is_abandoned():
    state = replace(started(games=2).state, ended=fairness.HANDS, draws=0)
    assert rules.duty(replace(state, play=replace(state.play, scored=fairness.HANDS))) == commands.MustEndMatch()
    assert rules.decide(state, commands.EndMatch(), state.at) == [MatchAbandoned("undecided")]


# --- 6. Resigning ---


def test_6_1_a_seated_player_may_resign_from_a_running_match_once():
    drive = started()
    assert drive.resign("bob")[0] == SeatResigned(1)
    drive.refused("6.1", lambda: drive.resign("bob"), WrongState)


def test_6_1_what_is_not_running_is_not_resigned():
    waiting = opened(3, "ann")
    waiting.refused("6.1", lambda: waiting.resign("ann"), WrongState)
    over = started(games=1)
    play_on(over)
    over.refused("6.1", lambda: over.resign("ann"), WrongState)


def test_6_1_before_the_start_the_host_calls_the_match_off_and_for_others_it_depends_on_a_seat():
    waiting = opened(3, "ann")
    waiting.refused("6.1", lambda: waiting.resign("ann"), WrongState)
    waiting.refused("4.1", lambda: waiting.resign("bob"), NotYours)
    assert waiting.resign(HOST) == [MatchAbandoned("host")]


def test_6_1_a_hand_that_is_over_is_closed_before_anybody_resigns():
    drive = started(games=1)
    while True:
        seat = due(drive)
        drive.do(commands.Act(seat, drive.legal(seat)[0]), by=seat, settle=False)
        if GAMES[GAME].hands(drive.state.play):
            break
    drive.refused("6.1", lambda: drive.resign("ann"), WrongState)


def test_6_2_from_then_on_the_house_makes_the_fallback_move_for_the_seat():
    drive = started()
    seat = due(drive)
    move = GAMES[GAME].fallback(drive.state.play, seat)
    expected = GAMES[GAME].decide(drive.state.play, seat, move)
    resigned, *made = drive.resign(player(drive, seat))
    assert (resigned, made) == (SeatResigned(seat), expected)
    assert {logged.event.seat for logged in drive.log[-len(expected) :]} == {SYSTEM}
    assert due(drive) != seat
    play_on(drive)
    assert drive.state.status == "finished"
    assert {logged.event.seat for logged in drive.log} == {SYSTEM, ANN, BOB, CID}


def test_6_2_who_has_resigned_does_not_move_any_more():
    drive = started()
    seat = due(drive)
    move = drive.legal(seat)[0]
    drive.do(commands.Resign(player(drive, seat), drive.hand_secret()), settle=False)
    drive.refused("6.2", lambda: drive.act(seat, move), WrongState)


def test_6_2_the_house_moves_for_nobody_else():
    drive = started()
    for seat in (ANN, BOB, CID):
        drive.refused("6.2", partial(drive.do, commands.PlayFallback(seat)), WrongState)


@pytest.mark.parametrize(
    ("resigned", "totals", "winners"),
    [
        ((), (3, 9, 7), (ANN,)),
        ((ANN,), (3, 9, 7), (CID,)),
        ((CID,), (3, 9, 7), (ANN,)),
        ((ANN,), (3, 3, 7), (BOB,)),
        ((ANN,), (3, 7, 7), (BOB, CID)),
        ((ANN, CID), (3, 9, 7), (BOB,)),
    ],
)
def test_6_3_the_best_that_have_not_resigned_win(
    resigned: tuple[int, ...], totals: tuple[int, ...], winners: tuple[int, ...]
):
    state = started().state
    for seat in resigned:
        seats = [s and replace(s, resigned=s.resigned or at == seat) for at, s in enumerate(state.seats)]
        state = replace(state, seats=tuple(seats))
    state = replace(state, play=replace(state.play, totals=totals, winners=(ANN,)), totals=totals)
    assert rules.decide(state, commands.EndMatch(), 0) == [MatchEnded(winners, totals)]


def test_6_4_when_one_human_player_is_left_that_has_not_resigned_the_match_ends_and_that_seat_wins():
    drive = started()
    drive.resign("cid")
    assert drive.state.status == "playing"
    resigned, ended = drive.resign("ann")[-2:]
    assert resigned == SeatResigned(0)
    assert (ended.winners, drive.state.status, drive.state.winners) == ((1,), "finished", (1,))


def eliminated(out: int, *kinds: Kind) -> State:
    """A trump match in which the seat ``out`` has ten jars and has left the game."""
    game = GAMES["osel-trumps"]
    play = game.initial(game.options(), len(kinds))
    seated = range(len(kinds))
    left, active = tuple(int(seat == out) for seat in seated), tuple(seat for seat in seated if seat != out)
    play = replace(play, left=left, active=active)
    seats = tuple(SeatState(f"p{seat}", kind, "", "c", "server") for seat, kind in enumerate(kinds))
    return State(status="playing", game=game.id, play=play, seats=seats, totals=(0,) * len(kinds))


def test_6_4_a_seat_that_the_game_has_put_out_does_not_win_because_the_others_resign():
    state = eliminated(0, "human", "human", "human")
    assert rules.decide(state, commands.Resign("p1", "x"), 0) == [SeatResigned(1), MatchEnded((2,), (0, 0, 0))]
    assert rules.decide(state, commands.Resign("p0", "x"), 0) == [SeatResigned(0)]


def test_6_5_a_human_player_whom_the_game_has_put_out_is_not_left():
    state = eliminated(0, "human", "human", "bot")
    assert rules.decide(state, commands.Resign("p1", "x"), 0) == [SeatResigned(1), MatchAbandoned("resigned")]


def test_6_5_when_no_human_player_is_left_the_match_is_abandoned_and_nobody_wins():
    drive = started("ann", "bot1", "bob")
    drive.resign("ann")
    assert drive.state.status == "playing"
    *_, last = drive.resign("bob")
    assert (type(last), last.reason) == (MatchAbandoned, "resigned")
    assert (drive.state.status, drive.state.winners) == ("abandoned", ())


def test_6_6_a_hand_left_unfinished_is_opened_by_the_event_that_ends_it():
    for players, ending in ((("ann", "bob", "cid"), MatchEnded), (("ann", "bot1", "bob"), MatchAbandoned)):
        drive = started(*players)
        play_on(drive, 4)
        drive.resign("ann")
        *_, last = drive.resign("bob")
        assert isinstance(last, ending)
        secret = fairness.secret_of(MATCH, drive.secret, 1)
        assert (last.hand, last.secret) == (1, b64u(secret))
        assert drive.state.opened == 1


def test_6_6_between_two_hands_there_is_nothing_to_open():
    drive = started(games=2)
    drive.resign("ann")
    while not rules.duty(drive.state):
        seat = due(drive)
        drive.do(commands.Act(seat, drive.legal(seat)[0]), by=seat, settle=False)
        while isinstance(rules.duty(drive.state), commands.MustPlayFallback | commands.MustCloseHand):
            todo = rules.duty(drive.state)
            assert todo is not None
            drive.do(drive.answer(todo), settle=False)
    assert isinstance(rules.duty(drive.state), commands.MustDraw)
    *_, last = drive.do(commands.Resign("bob", drive.hand_secret()), settle=False)
    assert last == MatchEnded((2,), drive.state.totals)
    assert (last.hand, last.secret, drive.state.opened) == (0, "", 1)
