"""Osel, one against the rest: matches that were stored once, one for every way a hand and a match can end.

They must fold and re-verify for ever: the chain, the digests, the deals from the published secrets, and every decision.
A match that is not there yet is written with ``KIBITZ_WRITE_GOLDEN=1``; one that is there is never written again.
"""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from domain import fairness
from domain.event import Recorded, chained
from domain.game import DEALER, Drawn
from domain.games import GAMES as ALL_GAMES
from domain.hidden import Opening, b64u, bare, digest_of, unb64u
from domain.match import EVENTS
from domain.match.state import ClockExpired, HandEnded, MatchEnded, State, evolve
from domain.osel_solo.rules import Solo
from domain.osel_solo.state import (
    CardPlayed,
    CardsAssigned,
    CardsDealt,
    CardsGiven,
    CardsLaidAway,
    HandScored,
    MatchWon,
    Passed,
    ReturnChosen,
    SoloDeclared,
    VariantChosen,
)
from tests.domain.match.drive import Drive
from tests.domain.osel_solo.table import PASS, SOLO, back, choose, exchange, form, give, lay_away, play

PLAYERS = ("anna", "boris", "clara", "dima")
GOLDEN = Path(__file__).parent / "golden"


class Line(msgspec.Struct):
    """An event as it was stored: ``data`` are its canonical bytes, ``openings`` what is kept apart of them."""

    code: int
    schema: int
    data: str
    openings: list[Opening]


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


def stored(name: str) -> list[Line]:
    path = GOLDEN / f"{name}.jsonl"
    if os.environ.get("KIBITZ_WRITE_GOLDEN") and not path.exists():
        drive = Drive(secret=GAMES[name].secret.to_bytes(2, "big") * 16)
        GAMES[name].play(drive)
        lines = [Line(entry.code, 1, entry.data.decode(), list(entry.openings)) for entry in drive.log]
        GOLDEN.mkdir(exist_ok=True)
        path.write_bytes(msgspec.json.Encoder().encode_lines(lines))
    return msgspec.json.Decoder(Line).decode_lines(path.read_bytes())


def recorded(name: str) -> list[Recorded[Any]]:
    """The events with everything opened."""
    return [EVENTS.decode(line.code, line.schema, line.data.encode(), line.openings) for line in stored(name)]


@every_golden
def test_a_stored_match_folds_to_its_end(name: str):
    state = State()
    for event in recorded(name):
        state = evolve(state, event)
    bodies = [event.body for event in recorded(name)]
    scored = [body for body in bodies if isinstance(body, HandScored)]
    golden = GAMES[name]
    assert (state.status, state.winners) == ("finished", golden.winners)
    assert [(body.soloist, body.points) for body in scored] == golden.hands
    assert sum(isinstance(body, CardsDealt) and body.void for body in bodies) == golden.void
    assert any(isinstance(body, ClockExpired) for body in bodies) == (name == "clock")
    assert any(isinstance(body, MatchWon) for body in bodies) == (name != "resigned")


def test_the_stored_matches_have_every_ending_of_a_hand_and_every_event():
    bodies = [event.body for name in GAMES for event in recorded(name)]
    scored = [body for body in bodies if isinstance(body, HandScored)]
    assert any(body.soloist is None for body in scored)
    alone = [(body.points, body.soloist) for body in scored if body.soloist is not None]
    assert {points[soloist] > 0 for points, soloist in alone} == {True, False}
    assert any(body.eggs for body in scored)
    assert any(body.paid for body in scored)
    ours = {entry.cls for game in (form(3), form(4)) for entry in game.events}
    assert {type(body) for body in bodies} >= ours


@every_golden
def test_a_stored_match_is_one_chain_and_its_openings_fit(name: str):
    prev, opened = "", 0
    for version, line in enumerate(stored(name), 1):
        data = line.data.encode()
        envelope = msgspec.json.decode(data)
        assert (envelope["version"], envelope["prev"]) == (version, prev)
        prev = b64u(chained(data))
        for opening in line.openings:
            field = envelope["body"]
            for step in opening.path.split("."):
                field = field[int(step)] if isinstance(field, list) else field[step]
            assert field == {"digest": digest_of(opening.salt, opening.value), "to": list(opening.to)}
            opened += 1
    assert opened > 0


@every_golden
def test_the_deals_and_salts_of_a_stored_match_follow_from_what_it_published(name: str):
    state, deals, number = State(), 0, 0
    events = recorded(name)
    secrets = {event.body.hand: event.body.secret for event in events if isinstance(event.body, HandEnded | MatchEnded)}
    for line, event in zip(stored(name), events, strict=True):
        if line.openings:
            hand = state.ended + 1
            secret = unb64u(secrets[hand])
            seeds = [unb64u(sitting.seed) for sitting in state.seats if sitting is not None]
            key = fairness.hand_key(unb64u(state.salt), secret, seeds)
            for opening in line.openings:
                assert opening.salt == fairness.field_salt(key, hand, event.version, opening.path)
            if isinstance(event.body, CardsDealt):
                game = ALL_GAMES[state.game]
                number += 1
                lists = fairness.draw(key, hand, number, game.chance(state.play))
                assert game.decide(state.play, DEALER, Drawn(lists))[0] == bare(event.body)
                for step in range(hand, 0, -1):
                    secret = fairness.link(state.match, step, secret)
                assert b64u(secret) == state.anchor
                deals += 1
        if isinstance(event.body, HandEnded):
            number = 0
        state = evolve(state, event)
    assert deals == max(len(GAMES[name].hands), 1) + GAMES[name].void


@every_golden
def test_every_move_of_a_stored_match_is_decided_as_it_was(name: str):
    state, events, decided = State(), recorded(name), 0
    for place, event in enumerate(events):
        move = move_behind(event.body)
        if move is not None:
            expected = ALL_GAMES[state.game].decide(state.play, event.body.seat, move)
            assert expected == [bare(other.body) for other in events[place : place + len(expected)]]
            decided += 1
        state = evolve(state, event)
    assert decided > 0


def move_behind(body: Any) -> Any:
    """The move that led to this event, if a move did."""
    match body:
        case Passed():
            return PASS
        case SoloDeclared():
            return SOLO
        case VariantChosen(_, variant):
            return choose(variant)
        case CardsGiven(_, gifts):
            return give(" ".join(texts(gifts)))
        case CardsLaidAway(_, away):
            return lay_away(" ".join(away.opened))
        case CardsAssigned(_, assigned):
            return exchange(" ".join(texts(assigned)))
        case ReturnChosen(_, card):
            return back(card.opened)
        case CardPlayed(_, card):
            return play(card)
        case _:
            return None


def texts(fields: Any) -> Iterator[str]:
    return (hidden.opened for hidden in fields)
