"""The stored format of a match, and that folding it only copies."""

import os
import random
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.match import EVENTS
from domain.match import state as stored
from domain.match.folding import folded
from domain.match.state import ClockExpired, State, evolve
from tests.domain.match.drive import Drive

GOLDEN = Path(__file__).parents[2] / "golden/match.events.json"


def schema() -> bytes:
    """Code, schema number and fields of every lifecycle event. Prose is left out: words may change."""
    kinds = [entry.cls for entry in stored.EVENTS]
    _, definitions = msgspec.json.schema_components(kinds)
    codes = {entry.name: {"code": entry.code, "schema": entry.schema} for entry in stored.EVENTS}
    return (
        msgspec.json.format(msgspec.json.encode({"events": codes, "fields": plain(definitions)}, order="sorted"))
        + b"\n"
    )


def plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: plain(item) for key, item in value.items() if key != "description"}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value


def test_the_stored_format_has_not_changed():
    if os.environ.get("KIBITZ_WRITE_GOLDEN"):
        GOLDEN.write_bytes(schema())
    assert GOLDEN.read_bytes() == schema(), (
        "the events of a match are not what is stored: raise the schema number and write an upcaster first; then "
        "KIBITZ_WRITE_GOLDEN=1 python -m pytest tests/domain/match/test_state.py"
    )


def test_codes_below_100_are_those_of_the_match():
    codes = [entry.code for entry in stored.EVENTS]
    assert codes == sorted(set(codes))
    assert set(codes) == {entry.code for entry in EVENTS.types if entry.code < 100}


def test_every_event_carries_the_version_and_the_time_on():
    drive = Drive().start("ann", "bob", "cid")
    state = State()
    for logged in drive.log:
        state = evolve(state, logged.event)
        assert (state.version, state.at) == (logged.event.version, logged.event.at)


def test_a_struck_clock_changes_nothing_else():
    drive = Drive().start("ann", "bob", "cid", clock=5)
    drive.expire(5_000)
    (struck,) = [logged.event for logged in drive.log if isinstance(logged.event.body, ClockExpired)]
    before = state_at(drive, struck.version - 1)
    assert evolve(before, struck) == msgspec.structs.replace(before, version=struck.version, at=struck.at)


@pytest.mark.parametrize("bank", [None, 600], ids=["no bank", "bank"])
@pytest.mark.parametrize("game", GAMES)
def test_events_folded_together_lead_where_they_lead_one_after_another(game: str, bank: int | None):
    chance = random.Random(game)
    players = ("ann", "bob", "cid", "dee")[: max(GAMES[game].seats[0], 2)]
    drive = Drive().start(*players, game=game, clock=60, bank=bank)
    for _ in drive.play(chance.choice, moves=80):
        pass
    events = [logged.event for logged in drive.log]
    states = [*accumulate(events, evolve, initial=State())]
    cuts = sorted(chance.sample(range(len(events) + 1), 12))
    for first, last in pairwise(cuts):
        assert folded(states[first], iter(events[first:last])) == states[last]
    assert folded(State(), events) == drive.state
    assert folded(drive.state, ()) is drive.state


def state_at(drive: Drive, version: int) -> State:
    state = State()
    for logged in drive.log[:version]:
        state = evolve(state, logged.event)
    return state
