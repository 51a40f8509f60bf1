"""Where live tables are kept, and the questions asked of them."""

from collections.abc import Mapping
from typing import Any, Final

from projections.projection import rows_table


def _values(row: Any) -> tuple[Any, ...]:
    return row.game, row.status, row.opened, row.version, row.deadline, row.bots


TABLE: Final = rows_table(
    {
        "game": "text",
        "status": "text",
        "opened": "bigint",
        "version": "integer",
        "deadline": "bigint",
        "bots": "boolean",
    },
    _values,
    (
        "(opened desc, match desc)",
        "(status, opened desc, match desc)",
        "(game, opened desc, match desc)",
        "(game, status, opened desc, match desc)",
        "(deadline) where deadline is not null",
        "(match) where bots and status in ('open', 'revealing', 'playing')",
    ),
)


_LIST: Final = """
select body, opened, match from projection.live_tables
where (opened, match) < ($1, $2){asked} order by opened desc, match desc limit $3
"""
_EITHER: Final = "select * from (({}) union all ({})) as listed order by opened desc, match desc limit $3"


def _asked(*columns: str) -> str:
    return "".join(f" and {column} = ${place}" for place, column in enumerate(columns, start=4))


LOBBY: Final[Mapping[tuple[str, ...], str]] = {
    columns: _LIST.format(asked=_asked(*columns)) for columns in ((), ("status",), ("game",), ("status", "game"))
}
"""By the columns that are asked for: parameters are time and match of the cursor, the limit, and these columns.

A statement for each set of columns: one with ``or`` for them all would not find its index.
"""

WAITING: Final[Mapping[tuple[str, ...], str]] = {
    columns: _EITHER.format(
        *(_LIST.format(asked=f" and status = '{status}'{_asked(*columns)}") for status in ("open", "revealing"))
    )
    for columns in ((), ("game",))
}
"""The same for the matches that wait: for players, or for the seeds of those who are there."""

SOME: Final = """
select t.body from projection.live_tables t join unnest($1::smallint[], $2::uuid[]) as asked(shard, match)
using (shard, match)
"""
"""The rows of some matches, by their shards and ids."""

DUE: Final = """
select match, version from projection.live_tables
where deadline is not null and deadline <= $1 order by deadline, match
"""

BOTS: Final = """
select match from projection.live_tables where bots and status in ('open', 'revealing', 'playing') order by match
"""
