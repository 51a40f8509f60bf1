"""Every projection there is, by its name. Adding a projection ends with one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from projections import live_tables, players, replays, score_sheets
from projections.projection import AnyProjection

PROJECTIONS: Mapping[str, AnyProjection] = MappingProxyType(
    {
        projection.name: projection
        for projection in (live_tables.PROJECTION, score_sheets.PROJECTION, replays.PROJECTION, players.PROJECTION)
    }
)
