"""Two-handed Spades: matches that were stored once, one for every way a hand and a match can end."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.cards import RANKS, rank_of
from domain.match.state import ClockExpired, MatchAbandoned, State
from domain.spades_two import GAME
from domain.spades_two.rules import Bid, DoubleNil, Exchange, Keep, Reject
from domain.spades_two.state import HandScored, MatchWon
from tests.domain import golden_games
from tests.domain.match.drive import HOST, Drive

PLAYERS = ("anna", "bela")
GOLDEN = Path(__file__).parent / "golden"
DOUBLE = "double_nil"

Bids = Mapping[int, int | str]


class Hand(NamedTuple):
    """What is told of a hand when it is over, a seat each."""

    bids: tuple[int | str, ...]
    tricks: tuple[int, ...]
    penalties: tuple[int, ...]
    totals: tuple[int, ...]


class Golden(NamedTuple):
    """How a match was made, what its hands came to, and who won it."""

    secret: int
    play: Callable[[Drive, random.Random], object]
    hands: list[Hand]
    winners: tuple[int, ...] = ()


def chosen(drive: Drive, bids: Bids, chance: random.Random) -> Any:
    """What the house would do, but for the bid; whoever bids a nil of either kind drafts the other way round."""
    seat = drive.state.play.turn
    moves: list[Any] = list(drive.legal(seat))
    house = GAME.fallback(drive.state.play, seat)
    bid = bids.get(seat)
    match moves[0]:
        case DoubleNil():
            return DoubleNil(declare=bid == DOUBLE)
        case Keep() if bid in (0, DOUBLE):
            return Keep() if house == Reject() else Reject()
        case Exchange():
            highest = sorted(drive.state.play.hands[seat], key=lambda card: RANKS.index(rank_of(card)))[-3:]
            return next(move for move in moves if set(move.cards) == set(highest))
        case Bid() if isinstance(bid, int):
            return Bid(bid)
        case _:
            return house if bid in (0, DOUBLE) or chance.random() < 0.8 else chance.choice(moves)


def playing(bids: Bids, **options: Any) -> Callable[[Drive, random.Random], None]:
    def play(drive: Drive, chance: random.Random) -> None:
        golden_games.sit(drive, GAME.id, PLAYERS, **options)
        while drive.state.status == "playing":
            drive.act(drive.state.play.turn, chosen(drive, bids, chance))

    return play


def resigning(drive: Drive, chance: random.Random) -> None:
    """In the middle of the draft."""
    golden_games.sit(drive, GAME.id, PLAYERS)
    for _ in range(8):
        drive.act(drive.state.play.turn, chosen(drive, {}, chance))
    drive.resign(PLAYERS[0])


def left_to_a_bot(drive: Drive, chance: random.Random) -> None:
    drive.open(2, game=GAME.id)
    golden_games.take_seat(drive, PLAYERS[0])
    golden_games.take_seat(drive, "bot")
    drive.reveal(PLAYERS[0])
    drive.act(drive.state.play.turn, chosen(drive, {}, chance))
    drive.resign(PLAYERS[0])


def called_off(drive: Drive, chance: random.Random) -> None:
    """The host ends the match before it has begun."""
    drive.open(2, game=GAME.id)
    for player in PLAYERS:
        golden_games.take_seat(drive, player)
    drive.resign(HOST)


def by_the_clock(drive: Drive, chance: random.Random) -> None:
    """Nobody does anything."""
    golden_games.sit(drive, GAME.id, PLAYERS, clock=5, max_hands=1)
    while drive.state.status == "playing":
        drive.expire(5000)


GAMES = {
    "nil_made": Golden(17, playing({0: 0}, target=100), [Hand((0, 11), (0, 13), (0, 0), (100, 112))], (1,)),
    "nil_failed": Golden(
        0, playing({1: 0}, max_hands=1, skipped_card="drawer"), [Hand((11, 0), (9, 4), (0, 0), (-110, -100))], (1,)
    ),
    "nil_failed_no_bags": Golden(
        53,
        playing({0: 0, 1: 0}, max_hands=1, failed_nil_bags="ignore"),
        [Hand((0, 0), (13, 0), (0, 0), (-100, 100))],
        (1,),
    ),
    "double_nil_made": Golden(
        3, playing({0: DOUBLE}, target=200), [Hand((DOUBLE, 2), (0, 13), (0, 100), (200, -69))], (0,)
    ),
    "double_nil_failed": Golden(
        0,
        playing({1: DOUBLE}, max_hands=1, skipped_card="open"),
        [Hand((11, DOUBLE), (11, 2), (0, 0), (110, -200))],
        (0,),
    ),
    "double_nil_both": Golden(
        13, playing({0: DOUBLE, 1: DOUBLE}, max_hands=1), [Hand((DOUBLE, DOUBLE), (0, 13), (0, 100), (200, -300))], (0,)
    ),
    "bags": Golden(
        0,
        playing({0: 1, 1: 1}, max_hands=2),
        [Hand((1, 1), (8, 5), (0, 0), (17, 14)), Hand((1, 1), (4, 9), (100, 100), (-70, -68))],
        (1,),
    ),
    "bags_reset": Golden(
        1,
        playing({0: 1, 1: 1}, max_hands=2, bag_carry="reset"),
        [Hand((1, 1), (7, 6), (0, 0), (16, 15)), Hand((1, 1), (8, 5), (100, 0), (-67, 29))],
        (1,),
    ),
    "target": Golden(0, playing({}, target=100), [Hand((2, 11), (2, 11), (0, 0), (20, 110))], (1,)),
    "both_at_target": Golden(
        13,
        playing({0: 5, 1: 5}, target=100),
        [Hand((5, 5), (7, 6), (0, 0), (52, 51)), Hand((5, 5), (7, 6), (0, 0), (104, 102))],
        (0,),
    ),
    "target_tied": Golden(
        29,
        playing({0: 6, 1: 6}, target=100),
        [
            Hand((6, 6), (7, 6), (0, 0), (61, 60)),
            Hand((6, 6), (6, 7), (0, 0), (121, 121)),
            Hand((6, 6), (4, 9), (0, 0), (61, 184)),
        ],
        (1,),
    ),
    "max_hands": Golden(
        0,
        playing({}, max_hands=2),
        [Hand((4, 11), (1, 12), (0, 0), (-40, 111)), Hand((2, 4), (5, 8), (0, 0), (-17, 155))],
        (1,),
    ),
    "tied": Golden(
        4,
        playing({0: 8, 1: 8}, max_hands=1),
        [Hand((8, 8), (6, 7), (0, 0), (-80, -80)), Hand((8, 8), (4, 9), (0, 0), (-160, 1))],
        (1,),
    ),
    "resigned": Golden(0, resigning, [], (1,)),
    "bot": Golden(0, left_to_a_bot, []),
    "host": Golden(0, called_off, []),
    "clock": Golden(0, by_the_clock, [Hand((2, 3), (6, 7), (0, 0), (24, 34))], (1,)),
}

every_golden = pytest.mark.parametrize("name", GAMES)


def made(name: str) -> Drive:
    """The match as it would be played today."""
    golden = GAMES[name]
    drive = Drive(secret=golden.secret.to_bytes(4, "big") * 8)
    golden.play(drive, random.Random(golden.secret))
    return drive


def hands_of(told: list[Any]) -> list[Hand]:
    return [Hand(body.bids, body.tricks, body.penalties, body.totals) for body in told if isinstance(body, HandScored)]


@every_golden
def test_a_stored_match_is_made_again_from_what_it_published(name: str):
    state: State = golden_games.verified(GOLDEN, name)
    told = golden_games.bodies(GOLDEN, name)
    golden = GAMES[name]
    assert hands_of(told) == golden.hands
    assert state.winners == golden.winners
    assert state.status == ("abandoned" if name in ("bot", "host") else "finished")
    assert isinstance(told[-1], MatchAbandoned) == (state.status == "abandoned")
    assert any(isinstance(body, ClockExpired) for body in told) == (name == "clock")
    assert any(isinstance(body, MatchWon) for body in told) == (name not in ("resigned", "bot", "host"))


@every_golden
def test_the_audit_finds_nothing_wrong_with_a_stored_match(name: str):
    report = golden_games.audited(golden_games.stored(GOLDEN, name))
    assert [check.text for check in report.checks if check.ok is False] == []
    assert report.verdict == "VALID"


def test_the_stored_matches_have_every_event():
    kinds = {type(body) for name in GAMES for body in golden_games.bodies(GOLDEN, name)}
    assert kinds >= {entry.cls for entry in GAME.events}


def test_every_match_that_is_spoken_of_is_stored_and_no_other():
    golden_games.check_folder(GOLDEN, list(GAMES))
