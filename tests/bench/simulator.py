"""Fills a store by playing: real rules, real seeds and chains, every command through the append path of the service.

    python -m tests.bench.simulator --database URL --events 2000000 --matches 100000 --seed 1

The same seed gives the same matches byte for byte, however many processes play them. Most matches have just begun, one
of ``--whole`` is played to its end, and the first ``--long`` ones have ``LONG`` events each. What is there already is
not added twice: the second call with a seed is refused by the store.
"""

import argparse
import asyncio
import hashlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from domain.games import GAMES
from services.store.records import Appended
from services.store.store import Store
from tests.engine.played import Origin, Played

LONG: Final = 1_500
WHOLE: Final = 125
SEATS: Final = {"spades-two": 2, "osel-two-against-one": 3}
"""All others are played by four."""
_MOST: Final = 2_000
"""A match that does not come to its end is left after so many events."""
_USUAL_WHOLE: Final = 500
_LEAST: Final = 10
_IN_FLIGHT: Final = 128
_BEGINNING: Final = 1_767_225_600_000
_APART: Final = 1_000
"""Milliseconds between the beginnings of two matches."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """About so many events in so many matches: the first ``long`` have at least ``LONG`` each, and of the others one of
    ``whole`` is played to its end.
    """

    events: int
    matches: int
    long: int = 0
    whole: int = WHOLE
    seed: int = 1


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What the store has acknowledged, and how long that took."""

    matches: int
    events: int
    openings: int
    commands: int
    seconds: float

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds


class Wanted(NamedTuple):
    """A match that is left once it has so many events, or is over."""

    number: int
    game: str
    events: int


def wanted(plan: Plan) -> Iterator[Wanted]:
    """Every match of the plan, in the order of its numbers."""
    chance, games = random.Random(plan.seed), list(GAMES)
    whole = len(range(plan.long, plan.matches, plan.whole))
    rest = max(1, plan.matches - plan.long - whole)
    mean = max(_LEAST, (plan.events - LONG * plan.long - _USUAL_WHOLE * whole) // rest)
    for number in range(plan.matches):
        game, events = chance.choice(games), chance.randint(mean // 2, mean + mean // 2)
        if number < plan.long:
            yield Wanted(number, "whos-the-ass", LONG)
        else:
            yield Wanted(number, game, _MOST if (number - plan.long) % plan.whole == 0 else events)


def matches_of(plan: Plan) -> list[str]:
    """The ids of all matches of the plan."""
    return [_id(plan.seed, number) for number in range(plan.matches)]


def _id(seed: int, number: int) -> str:
    """A UUIDv7: ids of later matches are greater, as those of the service are."""
    digest = int.from_bytes(hashlib.sha256(f"bench/{seed}/{number}".encode()).digest()[:10], "big")
    at = _BEGINNING + _APART * number
    return str(UUID(int=at << 80 | 7 << 76 | (digest >> 6 & 0xFFF) << 64 | 2 << 62 | digest & (1 << 62) - 1))


def _origin(plan: Plan, number: int) -> Origin:
    """Everything that is chance elsewhere, from the seed."""
    chance = random.Random(f"{plan.seed}/{number}")
    players = [str(UUID(int=player, version=4)) for player in chance.sample(range(10 * plan.matches + 12), 12)]
    secret = hashlib.sha256(f"secret/{plan.seed}/{number}".encode()).digest()
    at = _BEGINNING + _APART * number
    return Origin(
        _id(plan.seed, number), secret, players, lambda: str(UUID(int=chance.getrandbits(128), version=4)), at
    )


async def _play(store: Store, plan: Plan, asked: Wanted) -> Played:
    """One match, every command acknowledged before the next is decided; ``AssertionError`` if one is not."""
    origin = _origin(plan, asked.number)
    options = {"games": 20} if asked.number < plan.long else {}
    await store.put_secret(origin.match, origin.secret)
    played = Played(options, SEATS.get(asked.game, 4), asked.game, asked.number, origin)
    played.seat_all()
    sent = 0
    while True:
        for command in played.appends[sent:]:
            answer = await store.append(command)
            assert isinstance(answer, Appended), f"{origin.match} is in the store already: {answer}"
        sent = len(played.appends)
        if len(played.events) >= asked.events or played.state.status != "playing":
            return played
        played.move()


async def _part(database: str, plan: Plan, part: int, parts: int) -> Loaded:
    """Plays every match whose number leaves ``part``, divided by ``parts``."""
    store = await Store.connect(database)
    began, matches, events, openings, commands = time.perf_counter(), 0, 0, 0, 0
    mine = islice(wanted(plan), part, None, parts)

    async def lane() -> None:
        nonlocal matches, events, openings, commands
        for asked in mine:
            played = await _play(store, plan, asked)
            matches, events = matches + 1, events + len(played.events)
            openings, commands = openings + len(played.openings), commands + len(played.appends)

    try:
        await asyncio.gather(*(lane() for _ in range(_IN_FLIGHT)))
    finally:
        await store.close()
    seconds = time.perf_counter() - began
    return Loaded(matches=matches, events=events, openings=openings, commands=commands, seconds=seconds)


def load(database: str, plan: Plan, processes: int | None = None) -> Loaded:
    """Plays the whole plan into a migrated database, by so many processes (one for each processor if none are named).

    Raises ``AssertionError`` unless the heads of the shards have risen by exactly what was acknowledged.
    """
    count = processes or os.cpu_count() or 1
    before, began = asyncio.run(_stored(database)), time.perf_counter()
    command = (sys.executable, "-m", "tests.bench.simulator", *_told(database, plan))
    running = [
        subprocess.Popen([*command, "--part", str(part), "--parts", str(count)], stdout=subprocess.PIPE)
        for part in range(count)
    ]
    try:
        said = [one.communicate()[0] for one in running]
    finally:
        for one in running:
            one.terminate()
            one.wait()
    assert all(one.returncode == 0 for one in running), "a process of the simulator failed"
    parts = [msgspec.json.decode(text, type=Loaded) for text in said]
    sums = {name: sum(getattr(part, name) for part in parts) for name in ("matches", "events", "openings", "commands")}
    loaded = Loaded(**sums, seconds=time.perf_counter() - began)
    assert asyncio.run(_stored(database)) - before == loaded.events, "what is stored is not what was acknowledged"
    return loaded


async def _stored(database: str) -> int:
    store = await Store.connect(database)
    try:
        return sum((await store.heads()).values())
    finally:
        await store.close()


def _told(database: str, plan: Plan) -> list[str]:
    named = {"database": database} | msgspec.structs.asdict(plan)
    return [part for name, value in named.items() for part in (f"--{name}", str(value))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.simulator", description=__doc__)
    parser.add_argument("--database", required=True, help="the URL of a migrated database")
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--long", type=int, default=0, help=f"how many matches have {LONG} events at least")
    parser.add_argument("--whole", type=int, default=WHOLE, help="one of so many matches is played to its end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=None)
    parser.add_argument("--part", type=int, default=None, help=argparse.SUPPRESS)
    parser.add_argument("--parts", type=int, default=1, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    plan = Plan(**{name: getattr(asked, name) for name in Plan.__struct_fields__})
    if asked.part is not None:
        loaded = asyncio.run(_part(asked.database, plan, asked.part, asked.parts))
    else:
        loaded = load(asked.database, plan, asked.processes)
    sys.stdout.buffer.write(msgspec.json.encode(loaded) + b"\n")


if __name__ == "__main__":
    main()
