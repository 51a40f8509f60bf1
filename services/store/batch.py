"""One call of ``append`` for many commands: its arguments, and what its answer means."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from services.ids import is_id, shard_of
from services.store.connection import Connection
from services.store.records import Append, Appended, Conflict, NewEvent

_NUMBERS: Final = ("smallint", "int", "bigint")
_COMMANDS: Final = ("smallint", "uuid", "int", "bytea", "int", "bytea", "uuid", "bigint")
_EVENTS: Final = ("int", "int", "smallint", "smallint", "bytea", "bytea", "bytea")
_OPENINGS: Final = ("int", "int", "text", "int", "text", "bytea", "bytea")
KINDS: Final = ("smallint", *_COMMANDS, *_EVENTS, *_OPENINGS)
"""What the arrays that ``append`` takes are of."""


def placed(kinds: Sequence[str], first: int = 1) -> str:
    """The arguments of a call, from number ``first`` on, for arrays of these ``kinds`` as ``arguments`` gives them."""
    numbered = enumerate(kinds, first)
    return ", ".join(f"${place}::text::{kind}[]" if kind in _NUMBERS else f"${place}" for place, kind in numbered)


_APPEND: Final = f"select * from append({placed(KINDS)})"  # noqa: S608
_HELD: Final = """
    select u.o::int, e.version, e.pos from unnest($1::smallint[], $2::uuid[], $3::int[], $4::bytea[])
      with ordinality u(shard, stream, version, hash, o)
    join event e on e.shard = u.shard and e.stream = u.stream and e.version = u.version and e.hash = u.hash"""


def check(command: Append) -> None:
    """Raises ``ValueError`` for a command that must not reach the database, where it could spoil a whole batch."""
    if not command.events:
        raise ValueError("a command without events appends nothing")
    shard_of(command.match)
    if not is_id(command.cmd):
        raise ValueError("a command has an id, which is a UUID")
    if command.expected < 0 or len(command.prev) != (32 if command.expected else 0):
        raise ValueError("a command follows a version from 0 on, and its hash: 32 bytes, none at the start")
    prev = command.prev
    for event in command.events:
        if event.prev != prev:
            raise ValueError("the events of a command must follow one another by their hashes")
        prev = event.hash


async def send(connection: Connection, commands: Sequence[Append]) -> list[Appended | Conflict]:
    """Appends the commands in one transaction, at most one for each match; the answers in the order of the commands.

    Raises what asyncpg raises; then nothing is known about any of them (see ``connection.rolled_back``).
    """
    answers: dict[int, Appended | Conflict] = {
        ord_: Appended(version, pos) if ok else Conflict(version)
        for ord_, ok, version, pos in await connection.fetch(_APPEND, *arguments(commands))
    }
    return [answers[place] for place in range(1, len(commands) + 1)]


async def held(connection: Connection, commands: Sequence[Append]) -> dict[int, Appended]:
    """Which of the commands are in the store, by their place in ``commands`` from 0: told by version and last hash.

    The hash covers the command id, the time and the whole chain before, so nothing else can be taken for them.
    """
    rows = await connection.fetch(
        _HELD,
        [shard_of(command.match) for command in commands],
        [command.match for command in commands],
        [command.expected + len(command.events) for command in commands],
        [command.events[-1].hash for command in commands],
    )
    return {place - 1: Appended(version, pos) for place, version, pos in rows}


def arguments(commands: Sequence[Append]) -> Sequence[str | list[Any]]:
    """The arrays that ``append`` takes, in its order; those of numbers as text.

    asyncpg asks of every element whether it is an array, too, which for a number takes longer than to write it.
    """
    shards = [shard_of(command.match) for command in commands]
    events: list[tuple[int, int, NewEvent]] = [
        (ord_, k, event) for ord_, command in enumerate(commands, 1) for k, event in enumerate(command.events, 1)
    ]
    openings = [(ord_, k, event.hand, opening) for ord_, k, event in events for opening in event.openings]
    arrays: tuple[list[Any], ...] = (
        sorted(set(shards)),
        shards,
        [command.match for command in commands],
        [command.expected for command in commands],
        [command.prev for command in commands],
        [len(command.events) for command in commands],
        [command.events[-1].hash for command in commands],
        [command.cmd for command in commands],
        [command.at for command in commands],
        [ord_ for ord_, _, _ in events],
        [k for _, k, _ in events],
        [event.code for _, _, event in events],
        [event.schema for _, _, event in events],
        [event.data for _, _, event in events],
        [event.prev for _, _, event in events],
        [event.hash for _, _, event in events],
        [ord_ for ord_, _, _, _ in openings],
        [k for _, k, _, _ in openings],
        [opening.path for _, _, _, opening in openings],
        [hand for _, _, hand, _ in openings],
        # An array of arrays must be a rectangle, so the seats travel as text.
        [_text(opening.to) for _, _, _, opening in openings],
        [opening.salt for _, _, _, opening in openings],
        [opening.value for _, _, _, opening in openings],
    )
    return [_text(array) if kind in _NUMBERS else array for kind, array in zip(KINDS, arrays, strict=True)]


def _text(numbers: Iterable[int]) -> str:
    """An array of numbers as PostgreSQL writes it."""
    return "{" + ",".join(map(str, numbers)) + "}"
