"""Osel, trumps: matches that were stored once, one for every way a hand and a match can end."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.cards import rank_of
from domain.match.state import ClockExpired, MatchAbandoned
from domain.osel_trumps import GAME
from domain.osel_trumps.rules import Claim
from domain.osel_trumps.state import CardsLed, HandScored, MatchWon
from tests.domain import golden_games
from tests.domain.match.drive import HOST, Drive

PLAYERS = ("anna", "boris", "vera", "gleb")
GOLDEN = Path(__file__).parent / "golden"

PAR = {2: 60, 3: 40, 4: 30}
"""Eggs, by the number of sides (8.7)."""
PAIRS = {2: 5, 3: 4, 4: 3}
"""So many pairs without points make 4 jars of 5 (8.5)."""


class Golden(NamedTuple):
    """How a match was made, the jars that each hand brought, and who won it."""

    secret: int
    play: Callable[[Drive, random.Random], object]
    jars: list[tuple[int, ...]]
    winners: tuple[int, ...] = ()


def chosen(drive: Drive, chance: random.Random, *, hoard: bool) -> Any:
    """Many cards at once, beating where it can be; ``hoard`` keeps the sevens and lays card by card."""
    table = drive.state.play
    seat = table.turn
    moves: list[Any] = list(drive.legal(seat))
    if moves[0] == Claim() or table.chooser is not None or chance.random() < 0.1:
        return chance.choice(moves)
    fewest = min(sevens_in(move) for move in moves)
    if table.pot:
        replies: list[tuple[Any, Any]] = [(move, GAME.decide(table, seat, move)[0]) for move in moves]
        beating = [move for move, reply in replies if reply.beats] or moves
        return chance.choice([move for move in moves if sevens_in(move) == fewest] if hoard else beating)
    return chance.choice([m for m in moves if len(m.cards) == 1 and sevens_in(m) == fewest]) if hoard else moves[-1]


def sevens_in(move: Any) -> int:
    return sum(rank_of(card) == "7" for card in move.cards) if hasattr(move, "cards") else 0


def playing(seats: int, *, hoard: bool = False, **options: Any) -> Callable[[Drive, random.Random], None]:
    def play(drive: Drive, chance: random.Random) -> None:
        golden_games.sit(drive, GAME.id, PLAYERS[:seats], **options)
        while drive.state.status == "playing":
            drive.act(drive.state.play.turn, chosen(drive, chance, hoard=hoard))

    return play


def resigning(drive: Drive, chance: random.Random) -> None:
    """All but the last to sit down resign in the middle of the first hand."""
    golden_games.sit(drive, GAME.id, PLAYERS[:3])
    for _ in range(5):
        drive.act(drive.state.play.turn, chosen(drive, chance, hoard=False))
    for player in PLAYERS[:2]:
        drive.resign(player)


def left_to_bots(drive: Drive, chance: random.Random) -> None:
    """The only human of the table resigns."""
    drive.open(2, game=GAME.id)
    golden_games.take_seat(drive, PLAYERS[0])
    golden_games.take_seat(drive, "bot")
    drive.reveal(PLAYERS[0])
    drive.act(drive.state.play.turn, chosen(drive, chance, hoard=False))
    drive.resign(PLAYERS[0])


def called_off(drive: Drive, chance: random.Random) -> None:
    """The host ends the match before it has begun."""
    drive.open(2, game=GAME.id)
    for player in PLAYERS[:2]:
        golden_games.take_seat(drive, player)
    drive.resign(HOST)


def by_the_clock(drive: Drive, chance: random.Random) -> None:
    """Nobody does anything."""
    golden_games.sit(drive, GAME.id, PLAYERS[:3], clock=5, personal_trumps="choose", match_end="first_out")
    while drive.state.status == "playing":
        drive.expire(5000)


GAMES = {
    "two": Golden(12, playing(2), [(1, 0), (4, 0), (1, 0), (2, 0), (3, 0)], (1,)),
    "three": Golden(
        157,
        playing(3, trump_option=3, must_beat="on"),
        [(0, 1, 1), (1, 0, 2), (0, 1, 3), (2, 0, 1), (3, 0, 2), (4, 0, 1)],
        (1,),
    ),
    "four": Golden(
        3,
        playing(4, trump_option=4),
        [(2, 0, 0, 4), (5, 5, 0, 0), (0, 5, 5, 0), (4, 0, 3, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 1, 0)],
        (3,),
    ),
    "four_first_out": Golden(
        0, playing(4, trump_option=5, match_end="first_out"), [(0, 1, 2, 0), (0, 3, 5, 3), (0, 0, 5, 5)], (0,)
    ),
    "first_out_shared": Golden(
        15, playing(3, trump_option=2, match_end="first_out"), [(0, 3, 0), (0, 5, 0), (0, 2, 0)], (0, 2)
    ),
    "pairs_without_points": Golden(
        36,
        playing(4, trump_option=2, match_end="first_out"),
        [(0, 0, 5, 0), (0, 4, 0, 5), (0, 5, 3, 0), (0, 5, 0, 4)],
        (0,),
    ),
    "below_zero": Golden(
        20, playing(4, match_end="first_out"), [(1, 0, 2, 0), (0, 1, 5, 0), (0, 0, 1, 5), (2, 0, 2, 6)], (1,)
    ),
    "pairs": Golden(
        2,
        playing(4, teams="pairs", personal_trumps="choose"),
        [(2, 0, 2, 0), (3, 0, 3, 0), (4, 0, 4, 0), (0, 2, 0, 2), (1, 0, 1, 0)],
        (1, 3),
    ),
    "eggs": Golden(4, playing(2, trump_option=2, equal_rank="never"), [(0, 1), (0, 3), (0, 2), (0, 0), (0, 6)], (0,)),
    "sevens": Golden(
        239, playing(2, hoard=True, beat_rank="one_lower"), [(0, 4), (0, 2), (0, 1), (2, 0), (0, 5)], (0,)
    ),
    "claimed": Golden(
        240, playing(3, hoard=True, trump_option=2, match_end="first_out"), [(0, 1, 3), (0, 1, 4), (0, 4, 5)], (0,)
    ),
    "claim_declined": Golden(
        158, playing(3, hoard=True, trump_option=2, match_end="first_out"), [(2, 0, 5), (0, 0, 3), (0, 0, 3)], (1,)
    ),
    "resigned": Golden(0, resigning, [], (2,)),
    "bots": Golden(0, left_to_bots, []),
    "host": Golden(0, called_off, []),
    "clock": Golden(80, by_the_clock, [(2, 0, 0), (2, 0, 0), (6, 0, 0)], (1, 2)),
}

every_golden = pytest.mark.parametrize("name", GAMES)


def made(name: str) -> Drive:
    """The match as it would be played today."""
    golden = GAMES[name]
    drive = Drive(secret=golden.secret.to_bytes(4, "big") * 8)
    golden.play(drive, random.Random(golden.secret))
    return drive


def scored(told: list[Any]) -> list[HandScored]:
    return [body for body in told if isinstance(body, HandScored)]


class Side(NamedTuple):
    """One side of a hand: the table it is scored by, what it captured, and what it took."""

    table: str
    points: int
    pairs: int
    jars: int
    eggs: bool
    sevens: bool

    @property
    def row(self) -> int:
        """The jars of the table, with one for eggs that count."""
        return self.jars - self.sevens


def sides_of(told: list[Any]) -> Iterator[Side]:
    """Every side of every hand of a match. Of a pair the first seat speaks."""
    teams = told[0].options["teams"] == "pairs"
    active, eggs = list(range(2 if teams else told[0].seats)), set[int]()
    for hand in scored(told):
        for seat in active:
            against = hand.sevens is not None and seat != (hand.sevens % 2 if teams else hand.sevens)
            table = "pairs" if teams else str(len(active))
            yield Side(table, hand.card_points[seat], hand.pairs[seat], hand.points[seat], seat in eggs, against)
        assert {seat for seat in active if seat in hand.eggs} == {
            seat for seat in active if hand.card_points[seat] == PAR[len(active)]
        }
        active, eggs = [seat for seat in active if seat not in hand.out], set(hand.eggs)


def shown(told: list[Any]) -> set[str]:
    """What the hands of a match show."""
    seen = set[str]()
    for side in sides_of(told):
        sides = 2 if side.table == "pairs" else int(side.table)
        if side.eggs:
            seen.add("eggs count" if side.row else "eggs do not count")
        else:
            seen.add(f"{side.table}: {side.row}")
            if 0 <= side.points <= (sides == 4):
                seen.add("enough pairs" if side.pairs >= PAIRS[sides] else "few pairs")
                assert side.row == (4 if side.pairs >= PAIRS[sides] else 5)
        if side.sevens:
            seen.add("sevens")
    leaving = [len(hand.out) for hand in scored(told) if hand.out]
    if told[0].options["match_end"] == "first_out" and leaving:
        seen.add("first out")
    elif len(leaving) > 1:
        seen.add("one after another")
    return seen


def test_the_stored_matches_show_every_table_and_everything_that_adds_to_it():
    seen = {way for name in GAMES for way in shown(golden_games.bodies(GOLDEN, name))}
    rows = {f"{table}: {jars}" for table in ("2", "3", "4", "pairs") for jars in range(4)}
    assert seen >= rows | {"2: 4", "3: 4", "4: 4", "pairs: 4", "4: 5", "3: 6", "4: 6"}
    assert seen >= {"enough pairs", "few pairs", "eggs count", "eggs do not count", "sevens"}
    assert seen >= {"first out", "one after another"}


@every_golden
def test_a_stored_match_is_made_again_from_what_it_published(name: str):
    state = golden_games.verified(GOLDEN, name)
    told = golden_games.bodies(GOLDEN, name)
    golden = GAMES[name]
    assert [hand.points for hand in scored(told)] == golden.jars
    assert state.winners == golden.winners
    assert state.status == ("abandoned" if name in ("bots", "host") else "finished")
    assert isinstance(told[-1], MatchAbandoned) == (state.status == "abandoned")
    assert any(isinstance(body, ClockExpired) for body in told) == (name == "clock")
    assert any(isinstance(body, MatchWon) for body in told) == (name not in ("resigned", "bots", "host"))


@every_golden
def test_the_audit_finds_nothing_wrong_with_a_stored_match(name: str):
    report = golden_games.audited(golden_games.stored(GOLDEN, name))
    assert [check.text for check in report.checks if check.ok is False] == []
    assert report.verdict == "VALID"


def test_the_stored_matches_have_every_event():
    told = [body for name in GAMES for body in golden_games.bodies(GOLDEN, name)]
    assert {type(body) for body in told} >= {entry.cls for entry in GAME.events}
    assert any(isinstance(body, CardsLed) and body.claimed for body in told)


def test_every_match_that_is_spoken_of_is_stored_and_no_other():
    golden_games.check_folder(GOLDEN, list(GAMES))
