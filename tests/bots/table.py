"""Matches between bots without a server: each seat chooses by its level, from its own view and its legal moves."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from domain.game import DEALER, AnyGame, Outcome, Seat
from domain.games import GAMES
from services.bots.levels import chooser
from tests.domain.play import draw

LIMIT: Final = 60_000


class Played(NamedTuple):
    """A match that was played: how it ended (None: not within its limit), its hands, and all its events."""

    outcome: Outcome | None
    hands: int
    events: list[Any]


def play(
    game: AnyGame,
    levels: Sequence[str],
    seed: int,
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    most_hands: int = 10_000,
    watch: Callable[[Any, Seat, list[Any], Any], None] = lambda *_: None,
) -> Played:
    """A match of bots at ``levels``, a seat each. ``watch`` sees each choice: state, seat, legal moves, move."""
    chance = random.Random(seed)
    state = game.initial(game.options(**options), len(levels))
    choosers = [chooser(game.id, level) for level in levels]
    log: list[Any] = []
    for second in range(LIMIT):
        due = game.to_act(state)
        if not due or game.hands(state) >= most_hands:
            break
        seat = min(due)
        if seat == DEALER:
            move = draw(chance, game, state, second)
        else:
            moves = [*game.legal(state, seat)]
            move = choosers[seat](game.view(state, seat), moves, chance)
            watch(state, seat, moves, move)
        events = game.decide(state, seat, move)
        state = reduce(game.evolve, events, state)
        log += events
    return Played(game.outcome(state), game.hands(state), log)


class Table(NamedTuple):
    """A mixed table: the seats of heuristic bots, moved on by one from match to match; the others play at random."""

    seats: int
    heuristic: tuple[Seat, ...]
    options: Mapping[str, Any] = MappingProxyType({})
    most_hands: int = 10_000


def levels_at(table: Table, match: int) -> list[str]:
    """Who sits where in match number ``match``."""
    chosen = {(seat + match) % table.seats for seat in table.heuristic}
    return ["heuristic" if seat in chosen else "random" for seat in range(table.seats)]


class Rate(NamedTuple):
    """How heuristic bots did: ``won`` of ``matches`` (a shared win counts by its share), the fair share, the hands."""

    matches: int
    won: float
    fair: float
    hands: list[int]

    @property
    def rate(self) -> float:
        return self.won / self.matches


def rate(game: str, table: Table, matches: int, first: int = 0) -> Rate:
    """Plays ``matches`` matches with seeds from ``first`` on."""
    won, hands = 0.0, []
    for match in range(first, first + matches):
        levels = levels_at(table, match)
        played = play(GAMES[game], levels, match, table.options, most_hands=table.most_hands)
        assert played.outcome is not None, f"{game}, seed {match}: not over after {played.hands} hands"
        winners = played.outcome.ranking[0]
        won += sum(levels[seat] == "heuristic" for seat in winners) / len(winners)
        hands.append(played.hands)
    return Rate(matches, won, len(table.heuristic) / table.seats, hands)
