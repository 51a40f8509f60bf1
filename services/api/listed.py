"""What lists tell of matches: of each no more than the match itself would tell the caller."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from domain.match.state import OVER
from projections import live_tables, players
from projections.players import sql
from services.api.caller import sight_of
from services.api.context import Context
from services.api.shapes import PlayerMatch
from services.api.table_shapes import LobbyMatch, LobbySeat
from services.disputes import ARBITERS
from services.problems import Forbidden
from services.store.records import Player


async def as_seen(context: Context, row: live_tables.Row, player: Player | None) -> live_tables.Row:
    """The row as ``player`` may see it: of a match that is watched with a delay as it was then, and of one that nobody
    watches as it was when it started.
    """
    if row.spectators == "open" or row.status in OVER:
        return row
    try:
        seen = await sight_of(context, row.match, player)
    except Forbidden:
        state, _ = await context.matches.past.public(*await context.matches.head(row.match))
    else:
        if not seen.late:
            return row
        state = seen.state
    return replace(
        row,
        status=state.status,
        version=state.version,
        hand=state.hand_under_way or state.ended,
        scores=state.totals,
        winners=state.winners,
        at=state.at,
    )


async def told_history(
    context: Context, rows: Sequence[sql.PlayerMatch], player: str, looking: Player | None
) -> list[PlayerMatch]:
    """The matches of ``player`` as ``looking`` may know them."""
    tables = await context.readmodels.tables([row.match for row in rows])
    found = []
    for row in rows:
        table = tables.get(row.match)
        if row.status not in OVER and (table is None or table.spectators.startswith("delayed:")):
            row = await _then(context, row, player, looking)  # noqa: PLW2901 - the same line, as it was
        told = msgspec.convert(row, PlayerMatch, from_attributes=True)
        closed = table is not None and table.spectators == "none" and not _belongs(table, looking)
        found.append(replace(told, hands=None, score=None, won=None) if closed else told)
    return found


async def _then(context: Context, row: sql.PlayerMatch, player: str, looking: Player | None) -> sql.PlayerMatch:
    """The line of ``player`` in a match that may be watched with a delay, folded as far as ``looking`` may see it."""
    try:
        seen = await sight_of(context, row.match, looking)
    except Forbidden:  # so new that the lobby does not have it yet
        return replace(row, hands=0, score=0, won=False)
    if not seen.late:
        return row
    folded: players.Row | None = None
    for event in await context.store.events(row.match, limit=seen.state.version):
        folded = players.PROJECTION.after(folded, event.decoded())
    assert folded is not None, "a match begins with its opening"
    return sql.lines_of(folded).get(player, row)


def _belongs(table: live_tables.Row, looking: Player | None) -> bool:
    if looking is None:
        return False
    return looking.role in ARBITERS or any(seat.player == looking.player for seat in table.seats)


def listed(row: live_tables.Row, names: Mapping[str, str]) -> LobbyMatch:
    """A line of the lobby."""
    closed = row.spectators == "none"  # who sits there is no secret, how they play is
    return LobbyMatch(
        match=row.match,
        game=row.game,
        options=row.options,
        status=row.status,
        host=row.host,
        spectators=row.spectators,
        clock=row.clock,
        version=row.version,
        hand=None if closed else row.hand,
        seats=[_seat(seat, names) for seat in row.seats],
        scores=[] if closed else list(row.scores),
        winners=[] if closed else list(row.winners),
        opened=row.opened,
        at=row.at,
    )


def _seat(seat: live_tables.SeatRow, names: Mapping[str, str]) -> LobbySeat:
    if not seat.player:
        return LobbySeat(seat=seat.seat, player=None, name=None, kind=None)
    kind: Literal["human", "bot"] = "bot" if seat.kind == "bot" else "human"
    return LobbySeat(seat=seat.seat, player=seat.player, name=names.get(seat.player, ""), kind=kind)
