"""P3 and P4: the rules alone, and folding what is stored, each game on one core."""

import json
import random
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from domain.game import DEALER, AnyGame
from domain.games import GAMES
from domain.match import commands, rules
from domain.match.state import State
from services.live import folded
from tests.bench.paired import Row, compared, in_turn
from tests.bench.scale import Scale
from tests.domain.play import draw
from tests.engine.played import Played, take

SEATS = {
    "whos-the-ass": 4,
    "spades-two": 2,
    "osel-fours": 4,
    "osel-trumps": 4,
    "osel-two-against-one": 3,
    "osel-three-against-one": 4,
}
_OPEN_SPIEL = """
import pyspiel, random, sys, time
game, r, moves = pyspiel.load_game(sys.argv[1]), random.Random(1), int(sys.argv[2])
n, started = 0, time.process_time()
while n < moves:
    state = game.new_initial_state()
    while not state.is_terminal() and n < moves:
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(r.random() * len(outcomes))][0])
        else:
            legal = state.legal_actions()
            state.apply_action(legal[int(r.random() * len(legal))])
            n += 1
print(n / (time.process_time() - started))
"""


def moves_a_second(game: AnyGame, moves: int, seed: int) -> float:
    """Random playouts: ``legal``, ``decide`` and ``evolve`` of every move, deals included."""
    chance, options = random.Random(seed), game.options()
    made, started = 0, time.process_time()
    while made < moves:
        state = game.initial(options, SEATS[game.id])
        while made < moves and (due := game.to_act(state)):
            seat = min(due)
            if seat == DEALER:
                command: Any = draw(chance, game, state, 0)
            else:
                legal = game.legal(state, seat)
                command = legal[int(chance.random() * len(legal))]
                made += 1
            for event in game.decide(state, seat, command):
                state = game.evolve(state, event)
    return made / (time.process_time() - started)


def open_spiel(python: Path, game: str, moves: int) -> float:
    """The same of OpenSpiel, driven from Python."""
    ran = subprocess.run([str(python), "-c", _OPEN_SPIEL, game, str(moves)], capture_output=True, text=True, check=True)
    return float(ran.stdout)


def measure_playouts(python: Path, scale: Scale) -> Iterator[Row]:
    moves = scale.moves

    def peer() -> float:
        return min(open_spiel(python, name, moves * 3) for name in ("hearts", "spades"))

    for game in GAMES.values():
        found = in_turn(partial(moves_a_second, game, moves, 1), peer, scale.rounds)
        yield compared(
            found,
            id="P3",
            figure=f"random playouts, {game.id}",
            unit="moves/s",
            reference="OpenSpiel hearts, spades (the slower)",
            must=0.3,
            aim=1.0,
        )


def a_match(game: str, events: int) -> Played:
    """A match of random moves with at least so many events, or as many as it has."""
    played = Played({}, SEATS[game], game)
    played.seat_all()
    chance = random.Random(7)
    while played.state.status == "playing" and len(played.events) < events:
        seat = min(rules.to_act(played.state))
        legal = GAMES[game].legal(played.state.play, seat)
        played.do(take(commands.Act(seat, chance.choice(legal)), seat))
    return played


def folded_a_second(played: Played, times: int) -> float:
    """Decoding and folding from the first event on, as the service does with what the store gives."""
    started = time.process_time()
    for _ in range(times):
        folded(State(), played.events, played.openings)
    return len(played.events) * times / (time.process_time() - started)


def parsed_a_second(played: Played, times: int) -> float:
    """``json.loads`` of the same bytes."""
    texts = [event.data for event in played.events]
    started = time.process_time()
    for _ in range(times):
        for text in texts:
            json.loads(text)
    return len(texts) * times / (time.process_time() - started)


def measure_folds(scale: Scale) -> Iterator[Row]:
    events = scale.moves
    for game in GAMES:
        played = a_match(game, events)
        times = max(1, events // len(played.events))
        found = in_turn(partial(folded_a_second, played, times), partial(parsed_a_second, played, times), scale.rounds)
        yield compared(
            found,
            id="P4",
            figure=f"decode and fold, {game}",
            unit="events/s",
            reference="json.loads",
            must=1.0,
            aim=3.0,
        )
