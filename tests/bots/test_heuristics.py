"""Bots with card sense: what they see, what they may do, and that it wins.

``python -m tests.bots.rates`` plays the same tables as the tests here, hundreds of matches each.
"""

import random
from collections import Counter
from collections.abc import Callable
from statistics import median
from typing import Any, Union

import msgspec
import pytest

from domain.game import DEALER, AnyGame, Seat
from domain.games import GAMES
from services.bots.choosing import Choose, at_random
from services.bots.levels import HEURISTICS, chooser, levels_of
from tests.bots.rates import MARGIN, TABLES, line
from tests.bots.table import LIMIT, play, rate
from tests.domain.play import start, steps
from tests.domain.test_every_secret import _twin

MATCHES = 20
tables = [(game, name) for game in HEURISTICS for name in TABLES[game]]
every_game = pytest.mark.parametrize("game", [GAMES[game] for game in HEURISTICS], ids=[*HEURISTICS])


def by(choose: Choose) -> Callable[[random.Random, AnyGame, Any, Seat], Any]:
    """A policy for ``steps``: the seat gets its view and its moves, and chance."""
    return lambda chance, game, state, seat: choose(game.view(state, seat), game.legal(state, seat), chance)


@pytest.mark.parametrize(("game", "name"), tables)
def test_heuristic_bots_win_clearly_more_than_their_share_against_random_bots(game: str, name: str):
    found = rate(game, TABLES[game][name], MATCHES, first=10_000)
    print(line(game, name, found))
    assert found.rate >= found.fair + MARGIN


def test_every_game_has_bots_with_card_sense_and_random_ones():
    for game in GAMES:
        assert levels_of(game) == ("random", "heuristic")
        assert chooser(game, "random") is at_random
        assert chooser(game, "heuristic") is HEURISTICS[game]
    assert set(TABLES) == set(GAMES)


def test_a_game_without_card_sense_has_random_bots():
    assert levels_of("a-new-game") == ("random",)


def test_a_level_that_a_game_does_not_have_has_no_way_of_choosing():
    with pytest.raises(KeyError):
        chooser("whos-the-ass", "genius")


@every_game
def test_a_choice_is_always_one_of_the_legal_moves_whatever_the_table_agreed(game: AnyGame):
    """At tables of all sizes and options; some seats play at random, so that odd positions come up too."""
    chosen = 0
    for seed in range(8):
        policy = by(HEURISTICS[game.id])
        mixed: Callable[..., Any] = lambda chance, *table, policy=policy: (  # noqa: E731
            policy(chance, *table) if chance.random() < 0.7 else by(at_random)(chance, *table)
        )
        for step in steps(game, start(game, seed), seed, mixed):
            if step.seat == DEALER:
                continue
            moves = game.legal(step.before, step.seat)
            assert HEURISTICS[game.id](game.view(step.before, step.seat), moves, random.Random(seed)) in moves
            chosen += 1
            if chosen % 600 == 0:
                break
    assert chosen > 100


@every_game
def test_a_choice_depends_on_nothing_that_the_seat_cannot_see(game: AnyGame):
    """Of two deals that a seat cannot tell apart, it chooses in one as it does in the other."""
    compared = 0
    for seed in range(80):
        chance = random.Random(seed)
        hand: list[Any] = []
        for step in steps(game, start(game, seed), seed, by(HEURISTICS[game.id])):
            hand = [step] if any(type(event) in game.draws for event in step.events) else [*hand, step]
            if chance.random() < 0.03:
                break
        *past, step = hand
        if not past or step.seat == DEALER:
            continue
        twin = _twin(game, past, step.seat, chance)
        if twin == step.before:
            continue
        here, there = (game.view(state, step.seat) for state in (step.before, twin))
        assert here == there
        choose, moves = HEURISTICS[game.id], game.legal(step.before, step.seat)
        assert choose(here, moves, random.Random(seed)) == choose(there, moves, random.Random(seed))
        compared += 1
        if compared == 25:
            break
    print(f"{game.id}: {compared} pairs compared")
    assert compared >= 10


@every_game
def test_a_client_that_reads_the_view_as_json_could_choose_the_same(game: AnyGame):
    moves_of: Any = msgspec.json.Decoder(list[Union[game.moves]])  # type: ignore[name-defined]
    compared = 0
    for step in steps(game, start(game, 3), 3, by(HEURISTICS[game.id])):
        if step.seat == DEALER:
            continue
        view, moves = game.view(step.before, step.seat), game.legal(step.before, step.seat)
        read = msgspec.json.decode(msgspec.json.encode(view), type=type(view))
        told = moves_of.decode(msgspec.json.encode([*moves]))
        choose = HEURISTICS[game.id]
        assert choose(view, moves, random.Random(compared)) == choose(read, told, random.Random(compared))
        compared += 1
        if compared == 200:
            break
    assert compared > 20


def test_two_hands_of_spades_end_in_a_reasonable_number_of_hands():
    """Without a limit of hands random bids never reach 500."""
    played = [play(GAMES["spades-two"], ["heuristic"] * 2, seed) for seed in range(MATCHES)]
    hands = [match.hands for match in played]
    print(f"hands: median {median(hands):g}, most {max(hands)}")
    assert [match.outcome for match in played if match.outcome is None] == []
    assert median(hands) <= 25
    random_ones = play(GAMES["spades-two"], ["random"] * 2, 0, most_hands=60)
    assert random_ones.outcome is None


def test_heuristic_bots_collect_their_fours_where_random_ones_do_not():
    ends: dict[str, Counter[str]] = {}
    for level in ("heuristic", "random"):
        played = [play(GAMES["osel-fours"], [level] * 4, seed, {"max_hands": 1}) for seed in range(MATCHES)]
        ends[level] = Counter(event.ending for match in played for event in match.events if hasattr(event, "ending"))
    print(ends)
    assert ends["heuristic"]["limit"] == 0
    assert ends["random"]["limit"] > MATCHES // 2


@pytest.mark.parametrize("mode", ["seen", "sealed"])
@pytest.mark.parametrize("seats", [2, 3, 7, 13])
def test_players_who_all_collect_do_not_lock_each_other_for_ever(seats: int, mode: str):
    options = {"max_hands": 1, "max_circuits": 500, "return_mode": mode, "target": "usual"}
    for seed in range(4):
        played = play(GAMES["osel-fours"], ["heuristic"] * seats, seed, options)
        assert len(played.events) < LIMIT
        (scored,) = (event for event in played.events if hasattr(event, "ending"))
        assert scored.ending in ("deal", "swap")
