"""The builds of a projection: the tables of one, the views that readers use, and the book in which builds are kept.

A projection has one live build; a rebuild makes the next beside it and then points the views at it. The tables of a
build are named after projection and build (``live_tables_2``), the views after the projection (``live_tables``).
"""

# ruff: noqa: S608 - every name in these statements comes from the code

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from projections.projection import SCHEMA, AnyProjection, Table
from services.ids import SHARDS


class Build(msgspec.Struct, frozen=True):
    """``version`` is that of the code which fills it; ``positions`` are its checkpoints by shard."""

    projection: AnyProjection
    number: int
    version: int
    positions: Mapping[int, int]

    @property
    def name(self) -> str:
        return self.projection.name

    @property
    def current(self) -> bool:
        """Whether this code may write to it."""
        return self.version == self.projection.version

    @property
    def rows(self) -> str:
        return table_name(self.projection, self.projection.tables[0], self.number)

    def tables(self) -> Iterable[tuple[str, Table]]:
        return ((table_name(self.projection, table, self.number), table) for table in self.projection.tables)


LIVE: Final = """
select b.name, b.build, b.version, c.shard, c.pos
from projection.build b join projection.checkpoint c using (name, build)
where b.state = $1 and ($2::text is null or b.name = $2)
"""

MOVE: Final = """
update projection.checkpoint c set pos = $5
from (select shard, name, build, set_config('synchronous_commit', 'off', true) from projection.checkpoint
      where shard = $1 and name = $2 and build = $3 and pos = $4 for update skip locked) held
where c.shard = $1 and c.name = held.name and c.build = held.build
"""
"""The compare-and-set that makes two runners harmless; it also locks the checkpoint until the transaction ends.

A checkpoint that somebody else has locked is not waited for: that one is at work on it. The commit does not wait for
the disk: a crash takes rows and checkpoint back together, and they are made again from events that it cannot take.
"""

HOLD: Final = """
select shard, pos from projection.checkpoint
where name = $1 and build = $2 and ($3::smallint is null or shard = $3) order by shard for update
"""


def table_name(projection: AnyProjection, table: Table, build: int) -> str:
    return f"{SCHEMA}.{projection.name}{table.suffix}_{build}"


def create(projection: AnyProjection, build: int) -> list[str]:
    """The tables of a build, each with its shards where those of the events are."""
    named = [(table, table_name(projection, table, build)) for table in projection.tables]
    return [text for table, name in named for text in (*table.create(name), f"select place_by_shard('{name}')")]


def drop(projection: AnyProjection, build: int) -> list[str]:
    return [f"drop table if exists {table_name(projection, table, build)}" for table in projection.tables]


def show(projection: AnyProjection, build: int) -> list[str]:
    """Points the views at a build."""
    statements = []
    for table in projection.tables:
        view = f"{SCHEMA}.{projection.name}{table.suffix}"
        statements.append(f"drop view if exists {view}")
        statements.append(f"create view {view} as select * from {table_name(projection, table, build)}")
    return statements


def enter(projection: AnyProjection, build: int, state: str) -> list[str]:
    """Puts a new build into the book, with a checkpoint at 0 for every shard."""
    shards = ", ".join(map(str, SHARDS))
    return [
        f"""insert into {SCHEMA}.build (name, build, version, state)
            values ('{projection.name}', {build}, {projection.version}, '{state}')""",
        f"""insert into {SCHEMA}.checkpoint (shard, name, build, pos)
            select shard, '{projection.name}', {build}, 0 from unnest('{{{shards}}}'::smallint[]) as shards (shard)""",
    ]


def strike_out(projection: AnyProjection, build: int) -> list[str]:
    """Takes a build out of the book. Its tables are still there."""
    return [
        f"delete from {SCHEMA}.{book} where name = '{projection.name}' and build = {build}"
        for book in ("checkpoint", "parked", "build")
    ]


def found(projection: AnyProjection) -> list[str]:
    """All that gives a projection its first build."""
    return [*create(projection, 1), *enter(projection, 1, "live"), *show(projection, 1)]


def assembled(lines: Iterable[Any], projections: Mapping[str, AnyProjection]) -> list[Build]:
    """The builds of ``projections`` behind the lines of ``LIVE``. What is not among them is left out."""
    positions: dict[tuple[str, int, int], dict[int, int]] = {}
    for line in lines:
        positions.setdefault((line["name"], line["build"], line["version"]), {})[line["shard"]] = line["pos"]
    return [
        Build(projections[name], number, version, at)
        for (name, number, version), at in positions.items()
        if name in projections
    ]
