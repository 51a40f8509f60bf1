"""Random legal play of any game: for laws, for filling stores, for trying things out."""

import random
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import combinations_with_replacement
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

import msgspec
from msgspec import inspect

from domain.event import Recorded, canonical_bytes, chained
from domain.game import DEALER, AnyGame, Drawn, Refused, Seat, Viewer
from domain.hidden import Hidden, Opening, b64u, canonical, disclose, seal, with_hidden

MATCH = "0190a7c4-0000-7000-8000-000000000000"
LIMIT = 20_000
"""More commands than any match of any game here can have."""

Policy: TypeAlias = Callable[[random.Random, AnyGame, Any, Seat], Any]


class Step(NamedTuple):
    """One command that was accepted: the state before, who acted, the events, the state after."""

    before: Any
    seat: Seat
    command: Any
    events: list[Any]
    after: Any


def at_random(chance: random.Random, game: AnyGame, state: Any, seat: Seat) -> Any:
    return chance.choice(game.legal(state, seat))


def absent(_: random.Random, game: AnyGame, state: Any, seat: Seat) -> Any:
    """Every seat leaves its moves to the house."""
    return game.fallback(state, seat)


def start(game: AnyGame, seed: int, seats: int | None = None, options: Any = None) -> Any:
    """A table to play at. Seats and options that are not named are drawn."""
    chance = random.Random(seed)
    seats = seats or chance.choice(game.seats)
    return game.initial(options or some_options(game, seats, chance), seats)


def steps(game: AnyGame, state: Any, seed: int, policy: Policy = at_random) -> Iterator[Step]:
    """Play from ``state`` until nobody is due, a second for each command. The same seed plays the same match."""
    chance = random.Random(seed)
    for second in range(LIMIT):
        due = game.to_act(state)
        if not due:
            return
        seat = chance.choice(sorted(due))
        command = draw(chance, game, state, second * 1000) if seat == DEALER else policy(chance, game, state, seat)
        events = game.decide(state, seat, command)
        after = reduce(game.evolve, events, state)
        yield Step(state, seat, command, events, after)
        state = after
    raise AssertionError(f"{game.id} does not end")


def draw(chance: random.Random, game: AnyGame, state: Any, elapsed: int) -> Drawn:
    lists = game.chance(state)
    return Drawn(tuple(tuple(chance.sample(items, len(items))) for items in lists), elapsed)


def some_options(game: AnyGame, seats: int, chance: random.Random) -> Any:
    """Options within their bounds that fit each other, numbers near the low end so that matches stay short."""
    info = inspect.type_info(game.options)
    assert isinstance(info, inspect.StructType)
    for _ in range(1000):
        options = game.options(**{field.name: _some_value(field.type, chance) for field in info.fields})
        try:
            game.check(options, seats)
        except Refused:
            continue
        return options
    raise AssertionError(f"{game.id}: no options fit {seats} seats")


def _some_value(kind: inspect.Type, chance: random.Random) -> Any:
    match kind:
        case inspect.LiteralType(values):
            return chance.choice(values)
        case inspect.BoolType():
            return chance.choice((False, True))
        case inspect.Metadata(type=inner):
            return _some_value(inner, chance)
        case inspect.IntType(ge=int(lowest), le=int(highest)):
            return chance.randint(max(lowest, 1), min(highest, lowest + 3))  # 0 is no limit: play might not end
        case inspect.UnionType(types):
            return _some_value(chance.choice(types), chance)
        case inspect.NoneType():
            return None
        case _:
            raise AssertionError(f"how are options of type {kind} drawn?")


class Stored(NamedTuple):
    """An event as the store keeps it: its code and schema, its canonical bytes, and its openings apart."""

    code: int
    schema: int
    data: bytes
    openings: tuple[Opening, ...]


def stored(game: AnyGame, events: list[Any]) -> list[Stored]:
    """``events`` as the stream of a match would hold them, chained, with salts that only a test would use."""
    entries = {entry.cls: entry for entry in game.events}
    out, prev = [], ""
    for version, event in enumerate(events, 1):
        entry = entries[type(event)]
        body, openings = seal(event, lambda path, version=version: f"{version}/{path}".encode().ljust(16)[:16])  # type: ignore[misc]
        recorded: Recorded[Any] = Recorded(
            match=MATCH,
            version=version,
            at=version,
            type=entry.name,
            schema=entry.schema,
            seat="system",
            cmd="",
            prev=prev,
            body=body,
        )
        data = canonical_bytes(recorded)
        out.append(Stored(entry.code, entry.schema, data, openings))
        prev = b64u(chained(data))
    return out


def seen(event: Any, viewer: Viewer) -> dict[str, Any]:
    """The body of ``event`` as ``viewer`` gets it, without the digests of what stays hidden."""
    sealed, openings = seal(event, lambda _: bytes(16))
    body = disclose(msgspec.json.decode(canonical(sealed)), [opening for opening in openings if viewer in opening.to])
    blank: dict[str, Any] = _without_digests(body)
    return {"type": type(event).__name__, **blank}


def redact(event: Any, viewer: object) -> Any:
    """``event`` with the hidden values for others taken out and nothing in their place."""
    return with_hidden(event, lambda _, found: found if viewer in found.to else Hidden(found.to))


def _without_digests(value: Any) -> Any:
    match value:
        case dict():
            return {key: _without_digests(item) for key, item in value.items() if key != "digest"}
        case list() | tuple():
            return [_without_digests(item) for item in value]
        case _:
            return value


def alternatives(hint: Any, cards: tuple[str, ...], largest: int) -> Iterator[Any]:
    """Small values of the type ``hint``, right ones and wrong ones: for trying every move there is."""
    name = getattr(hint, "__name__", "")
    if name == "Card" or hint is str:
        yield from cards
    elif get_origin(hint) is tuple:
        for size in range(largest + 1):
            yield from combinations_with_replacement(cards, size)
    elif get_origin(hint) is Literal:
        yield from get_args(hint)
    elif hint is bool:
        yield from (False, True)
    elif hint is int:
        yield from range(-1, 16)
    elif hint is type(None):
        yield None
    else:
        for part in get_args(hint):
            yield from alternatives(part, cards, largest)
