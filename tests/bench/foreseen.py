"""The moves of a match that has just started, chosen before the time is measured in which they are made.

What a bench knows of a match, its secret among it, is enough to play it out in advance: a deal follows from the secret
and from the seeds. So whoever makes the moves later need not think of them at the expense of what is measured.
"""

import random
from typing import NamedTuple

import msgspec

from domain.game import Seat
from domain.games import GAMES
from domain.match import commands, rules
from domain.match.state import State
from services.dealer import Dealer
from services.draft import Draft
from services.ids import new_id
from services.live import folded
from services.store.store import Store


class Move(NamedTuple):
    """What ``seat`` plays at ``version`` of the match, as JSON; ``after`` is the version that it leads to."""

    seat: Seat
    version: int
    body: bytes
    after: int


async def foreseen(store: Store, match: str, seed: int, most: int) -> list[Move]:
    """Random legal moves, ``most`` at most, from the version on that the match is at in the store."""
    events = await store.events(match)
    state = folded(State(), events, await store.openings(match))
    secret = await store.secret(match)
    assert secret is not None, "the secret of a match is stored before its first event"
    return _played(match, state, events[-1].hash, Dealer(match, secret), random.Random(seed), most)


def _played(match: str, state: State, head: bytes, dealer: Dealer, chance: random.Random, most: int) -> list[Move]:
    legal, found = GAMES[state.game].legal, list[Move]()
    while len(found) < most and not state.over:
        seat = min(rules.to_act(state))
        moves = legal(state.play, seat)
        move = moves[int(chance.random() * len(moves))]
        draft = Draft(match, state, head, dealer, new_id(), state.at)
        draft.take(commands.Act(seat, move), seat)
        draft.settle()
        found.append(Move(seat, state.version, msgspec.json.encode(move), draft.state.version))
        state, head = draft.state, draft.head
    return found
