"""One call of ``append_shard`` for many commands of one shard: the form of ``batch`` for a distributed database."""

from collections.abc import Sequence
from typing import Any, Final

from services.ids import shard_of
from services.store import batch
from services.store.connection import Connection
from services.store.records import Append, Appended, Conflict

_KINDS: Final = (*batch.KINDS[2:6], *batch.KINDS[7:])
"""Those of ``append`` without shards and last hashes: the shard is one, and the hashes are among the rest."""
_APPEND: Final = f"select * from append_shard($1, {batch.placed(_KINDS, 2)})"  # noqa: S608
_HELD: Final = """
    select u.o::int, e.version, e.pos from event e
      join unnest($2::uuid[], $3::int[], $4::bytea[]) with ordinality u(stream, version, hash, o)
      on e.stream = u.stream and e.version = u.version and e.hash = u.hash
    where e.shard = $1"""


async def send(connection: Connection, commands: Sequence[Append]) -> list[Appended | Conflict]:
    """As ``batch.send``, for commands that are all of one shard."""
    if not commands:
        return []
    answers: dict[int, Appended | Conflict] = {
        ord_: Appended(version, pos) if ok else Conflict(version)
        for ord_, ok, version, pos in await connection.fetch(_APPEND, *arguments(commands))
    }
    return [answers[place] for place in range(1, len(commands) + 1)]


async def held(connection: Connection, commands: Sequence[Append]) -> dict[int, Appended]:
    """As ``batch.held``, for commands that are all of one shard."""
    if not commands:
        return {}
    rows = await connection.fetch(
        _HELD,
        shard_of(commands[0].match),
        [command.match for command in commands],
        [command.expected + len(command.events) for command in commands],
        [command.events[-1].hash for command in commands],
    )
    return {place - 1: Appended(version, pos) for place, version, pos in rows}


def arguments(commands: Sequence[Append]) -> Sequence[Any]:
    """What ``append_shard`` takes, in its order: the shard, then the arrays of ``append``."""
    shards = {shard_of(command.match) for command in commands}
    assert len(shards) == 1, "a batch is of one shard"
    _, _, streams, expected, prev, count, _, *others = batch.arguments(commands)
    return shards.pop(), streams, expected, prev, count, *others
