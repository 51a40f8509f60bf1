"""What ``legal`` takes for the largest hands there are, against the hands of a game as it usually goes.

Who's the Ass? has eight copies of each number and jokers that go with any; in three against one the soloist gives three
of twelve cards away, each to somebody else.
"""

import random
import time
from collections.abc import Iterator
from functools import reduce
from typing import Any, Final

from domain.game import DEALER, AnyGame, Drawn
from domain.games import GAMES
from domain.osel_solo.rules import Solo
from domain.whos_the_ass.state import JOKER, NUMBERS
from tests.bench.paired import Row, compared, in_turn
from tests.bench.playouts import SEATS
from tests.bench.scale import Scale
from tests.domain.play import draw

_SEATS: Final = 4
_USUAL: Final = 200
"""So many states of a random game."""


def eight_copies_and_jokers() -> Any:
    """A lead of Who's the Ass? from thirteen cards: the ass, eight of one number and four jokers."""
    game = GAMES["whos-the-ass"]
    state = game.initial(game.options(), _SEATS)
    lots, cards, places = game.chance(state)
    wanted = [NUMBERS[6]] * 8 + [JOKER] * 4
    others = list(cards)
    for card in wanted:
        others.remove(card)
    # One card at a time to each of four: whoever gets the ass on top gets every fourth card.
    pile = [card for turn, own in enumerate(wanted) for card in (*others[3 * turn : 3 * turn + 3], own)]
    pile += others[3 * len(wanted) :]
    drawn = Drawn((lots, tuple(pile), ("1", *(place for place in places if place != "1"))))
    state = reduce(game.evolve, game.decide(state, DEALER, drawn), state)
    (seat,) = game.to_act(state)
    assert sorted(state.hands[seat])[:4] == sorted(["7"] * 4), state.hands[seat]
    assert len(state.hands[seat]) == 13
    return state


def three_gifts() -> Any:
    """The soloist of three against one has the talon and is to give three of twelve cards away."""
    game, chance = GAMES["osel-three-against-one"], random.Random(1)
    state = game.initial(game.options(), _SEATS)
    while DEALER in game.to_act(state):
        state = reduce(game.evolve, game.decide(state, DEALER, draw(chance, game, state, 0)), state)
    (seat,) = game.to_act(state)
    return reduce(game.evolve, game.decide(state, seat, Solo()), state)


def usual(game: AnyGame, states: int) -> list[Any]:
    """States of a random game in which a seat is to move."""
    chance = random.Random(1)
    found: list[Any] = []
    state = game.initial(game.options(), SEATS[game.id])
    while len(found) < states and (due := game.to_act(state)):
        seat = min(due)
        if seat == DEALER:
            command: Any = draw(chance, game, state, 0)
        else:
            found.append(state)
            command = chance.choice(game.legal(state, seat))
        state = reduce(game.evolve, game.decide(state, seat, command), state)
    return found


def _asked_a_second(game: AnyGame, states: list[Any], times: int) -> float:
    asked = [(state, min(game.to_act(state))) for state in states]
    began = time.process_time()
    for _ in range(times):
        for state, seat in asked:
            game.legal(state, seat)
    return len(states) * times / (time.process_time() - began)


def measure_hands(scale: Scale) -> Iterator[Row]:
    for number, name, what, large in (
        ("H1", "whos-the-ass", "eight copies and four jokers", eight_copies_and_jokers()),
        ("H2", "osel-three-against-one", "three gifts of twelve cards", three_gifts()),
    ):
        game = GAMES[name]
        (seat,), states = game.to_act(large), usual(game, _USUAL)
        moves = len(game.legal(large, seat))
        found = in_turn(
            lambda game=game, large=large: _asked_a_second(game, [large], max(1, scale.moves // 40)),  # type: ignore[misc]
            lambda game=game, states=states: _asked_a_second(game, states, max(1, scale.moves // len(states))),  # type: ignore[misc]
            scale.rounds,
        )
        yield compared(
            found,
            id=number,
            figure=f"`legal` of {name}, {what}",
            unit="calls/s",
            reference="the hands of a random game",
            note=f"{moves} legal moves, {1e6 / found[0]:.0f} microseconds",
        )
