"""Osel, fours: matches that were stored once, one for every way a hand and a match can end.

They must fold and re-verify for ever: the chain, the digests, the deals from the published secrets, and every decision.
A match that is not there yet is written with ``KIBITZ_WRITE_GOLDEN=1``; one that is there is never written again.
"""

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from domain import fairness
from domain.event import Recorded, chained
from domain.game import DEALER, Drawn
from domain.hidden import Opening, b64u, bare, digest_of, unb64u
from domain.match import EVENTS
from domain.match.state import ClockExpired, HandEnded, MatchEnded, State, evolve
from domain.osel_fours import GAME
from domain.osel_fours.rules import Swap
from domain.osel_fours.state import CardChosen, CardGiven, CardsDealt, CardsSwapped, HandScored, MatchWon
from tests.domain.match.drive import Drive

PLAYERS = ("anna", "boris", "clara", "dima")
GOLDEN = Path(__file__).parent / "golden"


class Line(msgspec.Struct):
    """An event as it was stored: ``data`` are its canonical bytes, ``openings`` what is kept apart of them."""

    code: int
    schema: int
    data: str
    openings: list[Opening]


class Golden(NamedTuple):
    """How a match was made, and how it ended: the hands' endings, the winners of hands, the winners of the match."""

    secret: int
    play: Callable[[Drive], None]
    endings: list[str]
    won_by: list[int | None]
    winners: tuple[int, ...]


def sit(drive: Drive, seats: int, *, clock: int | None = None, **options: Any) -> None:
    drive.open(seats, game=GAME.id, clock=clock, **options)
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


GAMES = {
    "dealt": Golden(4, keeping(2, target=1, wins_needed=2), ["deal", "deal", "deal"], [1, 0, 1], (1,)),
    "swapped": Golden(3, keeping(3, target=2), ["swap"], [0], (0,)),
    "sealed": Golden(2, keeping(3, target=2, return_mode="sealed"), ["swap"], [1], (1,)),
    "limit": Golden(1, keeping(2, target=6, max_circuits=5), ["limit"], [1], (1,)),
    "drawn": Golden(6, keeping(4, target=3, max_circuits=5, max_hands=1), ["limit"], [None], (0, 1, 2, 3)),
    "shared": Golden(2, keeping(2, target=1, wins_needed=2, max_hands=2), ["deal", "swap"], [1, 0], (0, 1)),
    "resigned": Golden(1, resigning(3), [], [], (2,)),
    "clock": Golden(2, by_the_clock, ["swap"], [1], (1,)),
}

every_golden = pytest.mark.parametrize("name", GAMES)


def stored(name: str) -> list[Line]:
    path = GOLDEN / f"{name}.jsonl"
    if os.environ.get("KIBITZ_WRITE_GOLDEN") and not path.exists():
        drive = Drive(secret=bytes([GAMES[name].secret]) * 32)
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
    assert [body.ending for body in scored] == golden.endings
    assert [body.winner for body in scored] == golden.won_by
    assert any(isinstance(body, ClockExpired) for body in bodies) == (name == "clock")
    assert any(isinstance(body, MatchWon) for body in bodies) == (name != "resigned")


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
    state, deals = State(), 0
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
                lists = fairness.draw(key, hand, 1, GAME.chance(state.play))
                assert GAME.decide(state.play, DEALER, Drawn(lists))[0] == bare(event.body)
                for number in range(hand, 0, -1):
                    secret = fairness.link(state.match, number, secret)
                assert b64u(secret) == state.anchor
                deals += 1
        state = evolve(state, event)
    assert deals == max(len(GAMES[name].endings), 1)


@every_golden
def test_every_move_of_a_stored_match_is_decided_as_it_was(name: str):
    state, events, decided = State(), recorded(name), 0
    for place, event in enumerate(events):
        for seat, move in answers(state, event.body):
            expected = GAME.decide(state.play, seat, move)
            assert expected == [bare(other.body) for other in events[place : place + len(expected)]]
            decided += 1
        state = evolve(state, event)
    assert decided > 0 or set(GAMES[name].endings) == {"deal"}


def answers(state: State, body: Any) -> Iterator[tuple[int, Swap]]:
    """The move that led to this event, if a move did."""
    match body:
        case CardGiven(seat, _, card) | CardChosen(seat, card):
            yield seat, Swap(card.opened)
        case CardsSwapped(_, seat, partner, given, returned):
            first = state.play.choice.seat
            yield (partner, Swap(returned.opened)) if first == seat else (seat, Swap(given.opened))
