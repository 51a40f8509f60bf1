"""What a projection is: a row type, how the row of a match begins, a pure fold, and the tables that hold its rows.

The key of every projection is the match, and a match lives in one shard: so a shard's page of events touches rows of
that shard only, and runners of different shards never wait for each other. A projection may keep further tables that
are made from its rows (``players`` has one line a player, and sums); they are written in the same transaction.

Nothing here talks to a database. A table's ``write`` makes statements; ``services/projector`` runs them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from domain.event import Recorded
from domain.match.state import MatchOpened

SCHEMA: Final = "projection"
"""The database schema of all read models. Readers use the views there, named after the projections' tables."""

Row = TypeVar("Row", bound=msgspec.Struct)
Statement: TypeAlias = tuple[str, tuple[Any, ...]]
Rows: TypeAlias = Mapping[str, Any]
"""Rows by match. In *before* a match that had no row is missing; *after* has the rows that have changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of a projection. Its full name is the projection's name, ``suffix`` and the number of a build.

    ``create`` are its DDL statements and ``write(table, shard, before, after)`` the statements that bring it from one
    state of some rows to another; both get the qualified name. ``by_match`` says that each line belongs to one match
    and names it in a column ``match``.
    """

    suffix: str
    create: Callable[[str], tuple[str, ...]]
    write: Callable[[str, int, Rows, Rows], list[Statement]]
    by_match: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection(Generic[Row]):
    """One read model, filled in once in the ``__init__.py`` of its folder.

    ``version`` rises whenever ``fold``, the row or a table changes: a build of an older version is then rebuilt beside
    the live one. ``only`` are the types of event that it needs to see; with ``newest`` it is also shown the newest
    event of a match, whatever it is. That says: of several events that are not in ``only``, folding the last alone
    gives the same row as folding all. What is not needed is not even decoded. ``opened`` is the row of a match as its
    first event makes it; ``fold`` takes every event, the first too. ``tables[0]`` holds the rows themselves.
    """

    name: str
    version: int
    row: type[Row]
    only: frozenset[type[msgspec.Struct]]
    opened: Callable[[Recorded[MatchOpened]], Row]
    fold: Callable[[Row, Recorded[Any]], Row]
    tables: tuple[Table, ...]
    newest: bool = False

    def after(self, row: Row | None, recorded: Recorded[Any]) -> Row:
        """The row after one more event. Raises ``ValueError`` for an event of a match that was never opened."""
        if type(recorded.body) is MatchOpened:
            row = self.opened(recorded)
        if row is None:
            raise ValueError(f"{recorded.type} of a match that was not opened")
        return self.fold(row, recorded)


AnyProjection: TypeAlias = Projection[Any]


def _no_values(_row: Any) -> tuple[Any, ...]:
    return ()


def rows_table(
    columns: Mapping[str, str] = MappingProxyType({}),
    values: Callable[[Any], tuple[Any, ...]] = _no_values,
    indexes: Iterable[str] = (),
) -> Table:
    """The table of a projection's rows: each row as JSON in ``body``, and beside it the columns that queries need.

    ``columns`` are names and SQL types, ``values`` gives them for one row in the same order, and each of ``indexes``
    is the part of ``create index`` after the table's name.
    """
    names = ("match", "body", *columns)
    types = ("uuid", "bytea", *columns.values())
    defined = "".join(f", {name} {kind}" for name, kind in columns.items())
    given = ", ".join(f"${place}::{kind}[]" for place, kind in enumerate(types, start=2))
    changed = ", ".join(f"{name} = excluded.{name}" for name in names[1:])

    def create(table: str) -> tuple[str, ...]:
        return (
            f"""create table {table} (
                shard smallint not null, match uuid not null, body bytea not null{defined},
                primary key (shard, match)) with (fillfactor = 70)""",
            *(f"create index on {table} {index}" for index in indexes),
        )

    def write(table: str, shard: int, _before: Rows, after: Rows) -> list[Statement]:
        if not after:
            return []
        lines = [(match, msgspec.json.encode(row), *values(row)) for match, row in after.items()]
        text = (
            f"insert into {table} (shard, {', '.join(names)}) select $1, u.* from unnest({given}) u"  # noqa: S608
            f" on conflict (shard, match) do update set {changed}"
        )
        return [(text, (shard, *map(list, zip(*lines, strict=True))))]

    return Table(suffix="", create=create, write=write)


def row_of(name: str) -> str:
    """The question for the row of one match: parameters are its shard and its id."""
    return f"select body from {SCHEMA}.{name} where shard = $1 and match = $2"  # noqa: S608
