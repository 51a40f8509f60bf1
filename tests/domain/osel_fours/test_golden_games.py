"""Osel, fours: matches that were stored once, one for every way a hand and a match can end."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.match import clock, rules
from domain.match.state import ClockExpired, TimeUsed
from domain.osel_fours import GAME
from domain.osel_fours.state import HandScored, MatchWon
from tests.domain import golden_games
from tests.domain.match.drive import Drive

PLAYERS = ("anna", "boris", "clara", "dima")
GOLDEN = Path(__file__).parent / "golden"


class Golden(NamedTuple):
    """How a match was made, and how it ended: the hands' endings, the winners of hands, the winners of the match."""

    secret: int
    play: Callable[[Drive], None]
    endings: list[str]
    won_by: list[int | None]
    winners: tuple[int, ...]


def sit(drive: Drive, seats: int, **options: Any) -> None:
    drive.open(seats, game=GAME.id, **options)
    for player in PLAYERS[:seats]:
        drive.sit(player)
    for player in PLAYERS[:seats]:
        drive.reveal(player)


def keeping(seats: int, **options: Any) -> Callable[[Drive], None]:
    """Everybody gives what the house would give, and errs now and then."""

    def play(drive: Drive) -> None:
        sit(drive, seats, **options)
        chance = random.Random(1)
        while drive.state.status == "playing":
            seat = max(GAME.to_act(drive.state.play))
            moves = [GAME.fallback(drive.state.play, seat)] * 6 + drive.legal(seat)[:1]
            drive.act(seat, chance.choice(moves))

    return play


def resigning(seats: int) -> Callable[[Drive], None]:
    """All but the last to sit down resign after the first swap."""

    def play(drive: Drive) -> None:
        sit(drive, seats)
        for seat in (drive.state.play.active, drive.state.play.partner):
            drive.act(seat, drive.legal(seat)[0])
        for player in PLAYERS[: seats - 1]:
            drive.resign(player)

    return play


def by_the_clock(drive: Drive) -> None:
    """Nobody does anything."""
    sit(drive, 2, clock=5, target=6, max_circuits=5)
    while drive.state.status == "playing":
        drive.expire(5000)


def by_their_clocks(drive: Drive) -> None:
    """Each of two seats that are due at once thinks on its own, out of its own bank, and sometimes for too long."""
    sit(drive, 2, clock=5, bank=20, target=6, max_circuits=5, return_mode="sealed")
    chance = random.Random(2)
    while drive.state.status == "playing":
        seat = chance.choice(sorted(GAME.to_act(drive.state.play)))
        until, think = clock.deadline(drive.state, seat), chance.choice([300, 4_000, 7_000])
        assert until is not None
        if drive.at + think < until:
            drive.act(seat, GAME.fallback(drive.state.play, seat), think)
        else:
            first = rules.deadline(drive.state)
            assert first is not None
            drive.expire(max(0, first - drive.at) + 400)


GAMES = {
    "dealt": Golden(4, keeping(2, target=1, wins_needed=2), ["deal", "deal", "deal"], [1, 0, 1], (1,)),
    "swapped": Golden(3, keeping(3, target=2), ["swap"], [0], (0,)),
    "sealed": Golden(2, keeping(3, target=2, return_mode="sealed"), ["swap"], [1], (1,)),
    "limit": Golden(1, keeping(2, target=6, max_circuits=5), ["limit"], [1], (1,)),
    "drawn": Golden(6, keeping(4, target=3, max_circuits=5, max_hands=1), ["limit"], [None], (0, 1, 2, 3)),
    "shared": Golden(2, keeping(2, target=1, wins_needed=2, max_hands=2), ["deal", "swap"], [1, 0], (0, 1)),
    "resigned": Golden(1, resigning(3), [], [], (2,)),
    "clock": Golden(2, by_the_clock, ["swap"], [1], (1,)),
    "bank": Golden(1, by_their_clocks, ["limit"], [1], (1,)),
}

every_golden = pytest.mark.parametrize("name", GAMES)


def made(name: str) -> Drive:
    """The match as it would be played today."""
    drive = Drive(secret=bytes([GAMES[name].secret]) * 32)
    GAMES[name].play(drive)
    return drive


@every_golden
def test_a_stored_match_is_made_again_from_what_it_published(name: str):
    state = golden_games.verified(GOLDEN, name)
    bodies = golden_games.bodies(GOLDEN, name)
    scored = [body for body in bodies if isinstance(body, HandScored)]
    golden = GAMES[name]
    assert (state.status, state.winners) == ("finished", golden.winners)
    assert [body.ending for body in scored] == golden.endings
    assert [body.winner for body in scored] == golden.won_by
    assert any(isinstance(body, ClockExpired) for body in bodies) == (name in ("clock", "bank"))
    assert any(isinstance(body, TimeUsed) for body in bodies) == (name == "bank")
    assert any(isinstance(body, MatchWon) for body in bodies) == (name != "resigned")


def test_every_match_that_is_spoken_of_is_stored_and_no_other():
    golden_games.check_folder(GOLDEN, list(GAMES))
