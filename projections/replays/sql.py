"""Where the indexes of replays are kept."""

from typing import Any, Final

from projections.projection import rows_table


def _values(_row: Any) -> tuple[Any, ...]:
    return ()


TABLE: Final = rows_table({}, _values)

ONE: Final = "select body from projection.replays where shard = $1 and match = $2"
