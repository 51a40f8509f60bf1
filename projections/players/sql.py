"""Where players' matches are kept: the rows, a line for each player in a match, and sums for each player and game."""

from collections import Counter
from typing import Any, Final

import msgspec

from projections.projection import Rows, Statement, Table, rows_table


class PlayerMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One match in a player's history. Times are in milliseconds since 1970; ``score`` is the running total."""

    match: str
    game: str
    status: str
    seat: int
    seats: int
    hands: int
    score: int
    won: bool
    resigned: bool
    opened: int
    at: int


def lines_of(row: Any) -> dict[str, PlayerMatch]:
    """The line of each player of a match."""
    return {
        sitting.player: PlayerMatch(
            match=row.match,
            game=row.game,
            status=row.status,
            seat=sitting.seat,
            seats=row.size,
            hands=row.hands,
            score=row.totals[sitting.seat],
            won=sitting.seat in row.winners,
            resigned=sitting.resigned,
            opened=row.opened,
            at=row.at,
        )
        for sitting in row.seats
    }


def _create_matches(table: str) -> tuple[str, ...]:
    return (
        f"""create table {table} (
            shard smallint not null, player text not null, match uuid not null, opened bigint not null,
            body bytea not null, primary key (shard, match, player))""",
        f"create index on {table} (player, opened desc, match desc)",
    )


def _write_matches(table: str, shard: int, before: Rows, after: Rows) -> list[Statement]:
    gone: list[tuple[str, str]] = []
    lines: list[tuple[str, str, int, bytes]] = []
    for match, row in after.items():
        old, new = (lines_of(before[match]) if match in before else {}), lines_of(row)
        gone += [(match, player) for player in old if player not in new]
        lines += [
            (match, player, line.opened, msgspec.json.encode(line))
            for player, line in new.items()
            if line != old.get(player)
        ]
    statements: list[Statement] = []
    if gone:
        text = (
            f"delete from {table} t using unnest($2::uuid[], $3::text[]) u(match, player)"  # noqa: S608
            " where t.shard = $1 and t.match = u.match and t.player = u.player"
        )
        statements.append((text, (shard, *map(list, zip(*gone, strict=True)))))
    if lines:
        text = (
            f"insert into {table} (shard, match, player, opened, body)"  # noqa: S608
            " select $1, u.* from unnest($2::uuid[], $3::text[], $4::bigint[], $5::bytea[]) u"
            " on conflict (shard, match, player) do update set opened = excluded.opened, body = excluded.body"
        )
        statements.append((text, (shard, *map(list, zip(*lines, strict=True)))))
    return statements


def _counted(row: Any) -> Counter[tuple[str, str, str]]:
    """What a match adds to the sums: for each player, one finished match and, if it won, one that is won."""
    sums: Counter[tuple[str, str, str]] = Counter()
    if row.status == "finished":
        for sitting in row.seats:
            sums[row.game, sitting.player, "finished"] += 1
            sums[row.game, sitting.player, "won"] += sitting.seat in row.winners
    return sums


def _create_sums(table: str) -> tuple[str, ...]:
    return (
        f"""create table {table} (
            shard smallint not null, game text not null, player text not null, finished bigint not null,
            won bigint not null, primary key (shard, game, player))""",
    )


def _write_sums(table: str, shard: int, before: Rows, after: Rows) -> list[Statement]:
    change: Counter[tuple[str, str, str]] = Counter()
    for match, row in after.items():
        change.update(_counted(row))
        if match in before:
            change.subtract(_counted(before[match]))
    changed = sorted({(game, player) for (game, player, _), by in change.items() if by})
    if not changed:
        return []
    lines = [(game, who, change[game, who, "finished"], change[game, who, "won"]) for game, who in changed]
    text = (
        f"insert into {table} as t (shard, game, player, finished, won)"  # noqa: S608
        " select $1, u.* from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) u"
        " on conflict (shard, game, player) do update"
        " set finished = t.finished + excluded.finished, won = t.won + excluded.won"
    )
    return [(text, (shard, *map(list, zip(*lines, strict=True))))]


TABLE: Final = rows_table()
MATCHES: Final = Table(suffix="_matches", create=_create_matches, write=_write_matches)
SUMS: Final = Table(suffix="_sums", create=_create_sums, write=_write_sums, by_match=False)

HISTORY: Final = """
select body, opened, match from projection.players_matches
where player = $1 and (opened, match) < ($2, $3)
order by opened desc, match desc limit $4
"""

LEADERBOARD: Final = """
select player, won, finished from (
  select player, sum(won)::bigint as won, sum(finished)::bigint as finished from projection.players_sums
  where $1::text is null or game = $1 group by player
) as sums
where finished > 0 and ($2::bigint is null or (-won, finished, player) > (-$2::bigint, $3::bigint, $4::text))
order by won desc, finished, player limit $5
"""
