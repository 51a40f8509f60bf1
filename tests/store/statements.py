"""What a service really says to its database: each statement with its arguments, by connection, as asyncpg sends it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import pytest


@dataclass(frozen=True)
class Said:
    """One statement. ``line`` tells connections apart."""

    line: int
    text: str
    arguments: tuple[Any, ...]

    @property
    def words(self) -> str:
        """The statement on one line."""
        return " ".join(self.text.split())


@dataclass
class Record:
    said: list[Said] = field(default_factory=list)
    lines: int = 0

    def listen(self, connection: Any) -> None:
        self.lines += 1
        line = self.lines
        connection.add_query_logger(
            lambda query: self.said.append(Said(line, query.query, tuple(query.args or ()))),
        )

    def transactions(self) -> Iterator[list[Said]]:
        """The statements that were one transaction, each by itself where none was begun."""
        for line in range(1, self.lines + 1):
            begun: list[Said] | None = None
            for one in (one for one in self.said if one.line == line):
                word = one.text.split(None, 1)[0].rstrip(";").lower()
                if word == "begin":
                    begun = []
                elif word in {"commit", "rollback"}:
                    yield begun or []
                    begun = None
                elif begun is not None:
                    begun.append(one)
                else:
                    yield [one]


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Record]:
    """Records what is said on every connection that is made in the block."""
    record, connect, create_pool = Record(), asyncpg.connect, asyncpg.create_pool

    async def listening(*arguments: Any, **named: Any) -> Any:
        connection = await connect(*arguments, **named)
        record.listen(connection)
        return connection

    async def init(connection: Any) -> None:
        record.listen(connection)

    with monkeypatch.context() as patched:
        patched.setattr(asyncpg, "connect", listening)
        patched.setattr(asyncpg, "create_pool", lambda *arguments, **named: create_pool(*arguments, init=init, **named))
        yield record


TABLE = re.compile(
    r"\b(?:from|join|into|update|using)\s+(?:only\s+)?((?:projection\.)?[a-z_]+[a-z0-9_]*)", re.IGNORECASE
)


def tables_of(text: str) -> set[str]:
    """The names behind ``from``, ``join``, ``into``, ``update`` and ``using``: tables, and what looks like one."""
    return {name.lower() for name in TABLE.findall(text)}
