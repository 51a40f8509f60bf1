"""Osel, one against the rest: matches that were stored once, one for every way a hand and a match can end."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.match.state import ClockExpired
from domain.osel_solo.rules import Solo
from domain.osel_solo.state import (
    CardsDealt,
    HandScored,
    MatchWon,
)
from tests.domain import golden_games
from tests.domain.match.drive import Drive
from tests.domain.osel_solo.table import PASS, SOLO, form

PLAYERS = ("anna", "boris", "clara", "dima")
GOLDEN = Path(__file__).parent / "golden"


class Golden(NamedTuple):
    """How a match was made; the soloists and jars of its hands, and who won it."""

    secret: int
    play: Callable[[Drive], None]
    hands: Sequence[tuple[int | None, tuple[int, ...]]]
    winners: tuple[int, ...]
    void: int = 0


def sit(drive: Drive, seats: int, *, clock: int | None = None, **options: Any) -> None:
    drive.open(seats, game=form(seats).id, clock=clock, **options)
    for player in PLAYERS[:seats]:
        drive.sit(player)
    for player in PLAYERS[:seats]:
        drive.reveal(player)


def playing(seats: int, alone: float, **options: Any) -> Callable[[Drive], None]:
    """Whoever is asked plays ``alone`` so often; all the rest is at random."""

    def run(drive: Drive) -> None:
        sit(drive, seats, **options)
        chance = random.Random(1)
        while drive.state.status == "playing":
            seat = max(drive.state.play.due)
            moves = drive.legal(seat)
            if Solo() in moves:
                drive.act(seat, SOLO if chance.random() < alone else PASS)
            else:
                drive.act(seat, chance.choice(moves))

    return run


def resigning(drive: Drive) -> None:
    """All but the last to sit down resign in the middle of the first hand."""
    sit(drive, 4, variant=2)
    for _ in range(5):
        (seat,) = drive.state.play.due
        drive.act(seat, drive.legal(seat)[0])
    for player in PLAYERS[:3]:
        drive.resign(player)


def by_the_clock(drive: Drive) -> None:
    """Nobody does anything."""
    sit(drive, 3, clock=5)
    while drive.state.status == "playing":
        drive.expire(5000)


ALONE = [(0, (4, 0, 0)), (0, (3, 0, 0)), (0, (2, 0, 0)), (2, (1, 1, 0))]
EVEN = [(0, (0, 1, 1)), (None, (0, 0, 4)), (2, (0, 0, 2)), (1, (0, 0, 0)), (0, (0, 3, 3))]
VOID = [
    (0, (3, 0, 0, 0)),
    (2, (0, 0, 3, 0)),
    (2, (0, 0, 3, 0)),
    (0, (4, 0, 0, 0)),
    (0, (1, 0, 0, 0)),
    (0, (4, 0, 0, 0)),
]
TIE = [
    (0, (1, 0, 0, 0)), (0, (0, 1, 1, 1)), (2, (0, 0, 1, 0)), (2, (0, 0, 2, 0)), (0, (0, 2, 2, 2)), (0, (2, 0, 0, 0)),
    (0, (0, 3, 3, 3)), (2, (1, 1, 0, 1)), (1, (1, 0, 1, 1)),
]  # fmt: skip
CLOCK = [(None, (0, 1, 2)), (None, (0, 0, 2)), (None, (0, 5, 0)), (None, (0, 4, 0))]

GAMES = {
    "alone": Golden(2, playing(3, 1, variant=1), ALONE, (2,)),
    "even": Golden(25, playing(3, 0.6, variant=3), EVEN, (0,)),
    "void": Golden(5, playing(4, 1, variant=1), VOID, (1, 3), void=1),
    "tie": Golden(22, playing(4, 1, variant=2), TIE, (0,)),
    "resigned": Golden(0, resigning, [], (3,)),
    "clock": Golden(7, by_the_clock, CLOCK, (0,)),
}

every_golden = pytest.mark.parametrize("name", GAMES)


def made(name: str) -> Drive:
    """The match as it would be played today."""
    drive = Drive(secret=GAMES[name].secret.to_bytes(2, "big") * 16)
    GAMES[name].play(drive)
    return drive


@every_golden
def test_a_stored_match_is_made_again_from_what_it_published(name: str):
    state = golden_games.verified(GOLDEN, name)
    bodies = golden_games.bodies(GOLDEN, name)
    scored = [body for body in bodies if isinstance(body, HandScored)]
    golden = GAMES[name]
    assert (state.status, state.winners) == ("finished", golden.winners)
    assert [(body.soloist, body.points) for body in scored] == golden.hands
    assert sum(isinstance(body, CardsDealt) and body.void for body in bodies) == golden.void
    assert any(isinstance(body, ClockExpired) for body in bodies) == (name == "clock")
    assert any(isinstance(body, MatchWon) for body in bodies) == (name != "resigned")


def test_the_stored_matches_have_every_ending_of_a_hand_and_every_event():
    bodies = [body for name in GAMES for body in golden_games.bodies(GOLDEN, name)]
    scored = [body for body in bodies if isinstance(body, HandScored)]
    assert any(body.soloist is None for body in scored)
    alone = [(body.points, body.soloist) for body in scored if body.soloist is not None]
    assert {points[soloist] > 0 for points, soloist in alone} == {True, False}
    assert any(body.eggs for body in scored)
    assert any(body.paid for body in scored)
    ours = {entry.cls for game in (form(3), form(4)) for entry in game.events}
    assert {type(body) for body in bodies} >= ours


def test_every_match_that_is_spoken_of_is_stored_and_no_other():
    golden_games.check_folder(GOLDEN, list(GAMES))
