"""Who's the Ass?: matches that were stored once, one for every way a game and a match can end."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.match.rules import deadline
from domain.match.state import ClockExpired, MatchAbandoned, MatchEnded, State, evolve
from domain.whos_the_ass import GAME
from domain.whos_the_ass.rules import Pass, Play
from domain.whos_the_ass.state import ASS, AssCardsTaken, AssPlayed, CardsPlayed, HandScored, MatchWon, RoundWon
from tests.domain import golden_games
from tests.domain.match.drive import HOST, Drive

PLAYERS = ("anna", "bela", "carl", "dora")
GOLDEN = Path(__file__).parent / "golden"


class Golden(NamedTuple):
    """How a match was made, how its games ended, how it ended itself, and who won it."""

    secret: int
    play: Callable[[Drive, random.Random], object]
    games: list[str]
    end: str
    winners: tuple[int, ...] = ()


def sit(drive: Drive, seats: int, *, clock: int | None = None, **options: Any) -> Drive:
    return golden_games.sit(drive, GAME.id, PLAYERS[:seats], clock=clock, **options)


def hasty(moves: list[Any], chance: random.Random, *, ass_at_once: bool) -> Any:
    """As many cards as can be laid, now and then anything; the ass at the first chance or as late as can be."""
    lead = Play((ASS,))
    if lead in moves and (ass_at_once or len(moves) == 1):
        return lead
    kept = [move for move in moves if move not in (lead, Pass())] or moves
    most = max(len(getattr(move, "cards", ())) for move in kept)
    return chance.choice(kept if chance.random() < 0.2 else [m for m in kept if len(getattr(m, "cards", ())) == most])


def finishing(drive: Drive, chance: random.Random, *, ass_at_once: bool) -> None:
    while drive.state.status == "playing":
        seat = drive.state.play.turn
        drive.act(seat, hasty(drive.legal(seat), chance, ass_at_once=ass_at_once))


def playing(seats: int, *, ass_at_once: bool = False, **options: Any) -> Callable[[Drive, random.Random], None]:
    return lambda drive, chance: finishing(sit(drive, seats, **options), chance, ass_at_once=ass_at_once)


def starting(drive: Drive, chance: random.Random, seats: int) -> None:
    sit(drive, seats, games=1)
    for _ in range(seats + 1):
        seat = drive.state.play.turn
        drive.act(seat, hasty(drive.legal(seat), chance, ass_at_once=False))


def resigning(drive: Drive, chance: random.Random) -> None:
    """All but the last to sit down resign in the second round."""
    starting(drive, chance, 3)
    for player in PLAYERS[:2]:
        drive.resign(player)


def played_on(drive: Drive, chance: random.Random) -> None:
    """One resigns, and the house plays on for it."""
    starting(drive, chance, 3)
    drive.resign(PLAYERS[1])
    finishing(drive, chance, ass_at_once=True)


def left_to_bots(drive: Drive, chance: random.Random) -> None:
    """The only human of the table resigns."""
    drive.open(3, game=GAME.id)
    golden_games.take_seat(drive, PLAYERS[0])
    golden_games.take_seat(drive, "bot 1")
    golden_games.take_seat(drive, "bot 2")
    drive.reveal(PLAYERS[0])
    seat = drive.state.play.turn
    drive.act(seat, chance.choice(drive.legal(seat)))
    drive.resign(PLAYERS[0])


def called_off(drive: Drive, chance: random.Random) -> None:
    """The host ends the match while seeds are being revealed."""
    drive.open(3, game=GAME.id)
    for player in PLAYERS[:3]:
        golden_games.take_seat(drive, player)
    drive.reveal(PLAYERS[1])
    drive.resign(HOST)


def forgotten(drive: Drive, chance: random.Random) -> None:
    """One sits down, and nobody joins."""
    drive.open(3, game=GAME.id)
    golden_games.take_seat(drive, PLAYERS[0])
    due = deadline(drive.state)
    assert due is not None
    drive.expire(due - drive.at)


def by_the_clock(drive: Drive, chance: random.Random) -> None:
    """Nobody does anything."""
    sit(drive, 3, clock=5, games=1)
    while drive.state.status == "playing":
        drive.expire(5000)


GAMES = {
    "normal": Golden(1, playing(3, games=1), ["normal"], "won", (1,)),
    "ass": Golden(0, playing(3, games=1, ass_at_once=True), ["ass"], "won", (0,)),
    "several": Golden(4, playing(4, games=2), ["normal several", "normal"], "won", (3,)),
    "ass_several": Golden(15, playing(4, games=1), ["ass several ass-last"], "shared", (0, 3)),
    "ass_last": Golden(7, playing(3, games=1), ["ass ass-last"], "won", (0,)),
    "taken_back": Golden(2, playing(3, games=1, ass_at_once=True), ["normal taken-back"], "won", (0,)),
    "taken_but_over": Golden(11, playing(3, games=1, ass_at_once=True), ["ass taken-but-over"], "won", (1,)),
    "games": Golden(
        0,
        playing(3, games=3, dealer="fixed", ass_round_joker="always_one"),
        ["normal", "ass ass-last", "ass ass-last"],
        "won",
        (2,),
    ),
    "time": Golden(0, playing(3, games=20, time_limit_min=1), ["normal several", "ass ass-last"], "won", (2,)),
    "shared": Golden(1, playing(4, games=1), ["normal several"], "shared", (1, 2)),
    "resigned": Golden(0, resigning, [], "resigned", (2,)),
    "played_on": Golden(0, played_on, ["normal"], "won", (2,)),
    "bots": Golden(0, left_to_bots, [], "abandoned"),
    "host": Golden(0, called_off, [], "abandoned"),
    "forgotten": Golden(0, forgotten, [], "abandoned"),
    "clock": Golden(0, by_the_clock, ["ass ass-last"], "won", (0,)),
}

every_golden = pytest.mark.parametrize("name", GAMES)


def made(name: str) -> Drive:
    """The match as it would be played today."""
    golden = GAMES[name]
    drive = Drive(secret=golden.secret.to_bytes(4, "big") * 8)
    golden.play(drive, random.Random(golden.secret))
    return drive


def games_of(events: list[Any]) -> Iterator[str]:
    """How each game ended: the kind of its last round, whether several ran out, and what became of a last card."""
    state, emptied, marks = State(), set[int](), list[str]()
    for event in events:
        state = evolve(state, event)
        match event.body:
            case CardsPlayed(seat) if state.play.ass_round and not state.play.hands[seat]:
                emptied.add(seat)
            case AssPlayed(seat) if not state.play.hands[seat]:
                marks.append("ass-last")
            case AssCardsTaken(seat):
                out = [cards for cards in state.play.hands if not cards]
                marks.insert(0, "ass")
                if seat in emptied:
                    marks.append("taken-but-over" if out else "taken-back")
                emptied.clear()
            case RoundWon():
                marks.insert(0, "normal")
            case HandScored(points=points):
                kind, told = marks[0], sorted({*marks} - {"ass", "normal"})
                yield " ".join([kind, *(["several"] if points.count(0) > 1 else []), *told])
                marks.clear()
            case _:
                pass


def end_of(state: State, told: list[Any]) -> str:
    if state.status == "abandoned":
        return "abandoned"
    if not any(isinstance(body, MatchWon) for body in told):
        return "resigned"
    return "shared" if len(state.winners) > 1 else "won"


@every_golden
def test_a_stored_match_is_made_again_from_what_it_published(name: str):
    state = golden_games.verified(GOLDEN, name)
    events = golden_games.recorded(golden_games.stored(GOLDEN, name))
    told = [event.body for event in events]
    golden = GAMES[name]
    assert list(games_of(events)) == golden.games
    assert (end_of(state, told), state.winners) == (golden.end, golden.winners)
    assert any(isinstance(body, ClockExpired) for body in told) == (name == "clock")
    assert isinstance(told[-1], MatchAbandoned if golden.end == "abandoned" else MatchEnded)


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
