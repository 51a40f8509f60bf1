"""The writers of a distributed database: one for each shard, so that a batch goes to the one machine that has it."""

import asyncio
from collections.abc import Callable
from typing import Final

from services.ids import SHARDS, shard_of
from services.store.records import Append, Appended, Conflict
from services.store.writer import Observer, Writer


class Lanes:
    """What the lanes of all shards have counted, as one ``Lane`` says it of itself."""

    def __init__(self, writers: tuple[Writer, ...]) -> None:
        self._writers: Final = writers

    @property
    def unknown(self) -> int:
        return sum(writer.lane.unknown for writer in self._writers)

    @property
    def found(self) -> int:
        return sum(writer.lane.found for writer in self._writers)

    @property
    def down(self) -> bool:
        """Whether some shard gave its last batch up."""
        return any(writer.lane.down for writer in self._writers)


class ShardWriters:
    """Like one ``Writer``. Each shard has its queue and its connection, so none waits for another's machine."""

    def __init__(self, make: Callable[[], Writer]) -> None:
        self._of: Final = {shard: make() for shard in SHARDS}
        self.lane: Final = Lanes(tuple(self._of.values()))

    @property
    def queued(self) -> int:
        return sum(writer.queued for writer in self._of.values())

    @property
    def batches(self) -> int:
        return sum(writer.batches for writer in self._of.values())

    @property
    def commands(self) -> int:
        return sum(writer.commands for writer in self._of.values())

    def observe(self, observer: Observer) -> None:
        """See ``Writer.observe``."""
        for writer in self._of.values():
            writer.observe(observer)

    def start(self) -> None:
        for writer in self._of.values():
            writer.start()

    async def append(self, command: Append, then: Callable[[Appended], None] | None = None) -> Appended | Conflict:
        """See ``Writer.append``."""
        return await self._of[shard_of(command.match)].append(command, then)

    async def close(self, seconds: float = 10.0) -> None:
        await asyncio.gather(*(writer.close(seconds) for writer in self._of.values()))
