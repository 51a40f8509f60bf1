"""The statements of a move, of a reader and of a read model, each with arguments from a store."""

import random
from typing import Any, Final, NamedTuple
from uuid import UUID

from projections import live_tables
from projections.live_tables import sql as live_sql
from projections.players import sql as players_sql
from projections.projection import row_of
from projections.registry import PROJECTIONS
from services.ids import new_id, shard_of, token_hash
from services.projector import builds, folding
from services.store import batch, refusals, shard_batch, streams
from services.store.records import Append
from services.store.store import Store
from tests.store.matches import command

BATCH: Final = 64
_NEWEST: Final = (2**62, UUID(int=2**128 - 1))
_HEAD: Final = "select version, last_hash from stream where shard = $1 and stream = $2"
_SECRET: Final = "select secret from match_secret where shard = $1 and stream = $2"
_TOKEN: Final = "select player, name, role from token join player using (player) where hash = $1"


class Asked(NamedTuple):
    name: str
    why: str
    text: str
    arguments: tuple[Any, ...]


async def asked(store: Store) -> list[Asked]:
    """All of them, for matches of this store that are picked by chance, always the same."""
    rows = await store.pool.fetch("select stream, version, last_hash from stream order by stream")
    away = await store.pool.fetchrow("select shard, stream, last, first_pos from archive order by stream limit 1")
    some = random.Random(1).sample(list(rows), min(500, len(rows)))
    one = max(some[:20], key=lambda row: row["version"])
    match, version = str(one["stream"]), one["version"]
    key = shard_of(match), one["stream"]
    matches = [str(row["stream"]) for row in some]
    shards = [shard_of(other) for other in matches]
    head = (await store.heads())[key[0]]
    moves = [command(str(row["stream"]), row["version"], row["last_hash"]) for row in some[:BATCH]]
    player = await store.pool.fetchval("select player from projection.players_matches limit 1")
    return [
        *_appends(moves),
        Asked("A match is read from a version on", "Who follows it has seen all but the last two events.",
              streams._OF_MATCH, (*key, version - 2, None)),
        Asked("A match is read whole", "A replay, an audit, the first command after a restart.",
              streams._OF_MATCH, (*key, 0, None)),
        Asked("What a key was answered with", "A command that is sent again.", streams._OF_KEY,
              (*key, UUID(int=0), UUID(int=2**124))),
        Asked("Events of some types", "A page of the ledger of time; the rulings on a match.", streams._OF_TYPES,
              (*key, version // 2, 51, [10])),
        *_of_the_archive(away),
        Asked("Openings of the newest events", "With every event that is shown.",
              streams._OPENINGS, (*key, version - 2, None)),
        Asked("The head of a match", "Every reader, before it looks at what it has.", _HEAD, key),
        Asked("The heads of 500 matches", "The tails of a process, when word from elsewhere may have been lost.",
              streams._VERSIONS_AT_ONCE, (shards, [UUID(other) for other in matches])),
        Asked("A page of a shard", "The projector takes what has come since the last time.",
              streams._OF_SHARD, (key[0], max(0, head - 500), 500)),
        Asked("The heads of the shards", "The projector, four times a second.",
              "select shard, head from shard order by shard", ()),
        Asked("Whose token it is", "The first request with a token in a process.", _TOKEN, (token_hash("plans"),)),
        Asked("The secret of a match", "The first command of a match in a process.", _SECRET, key),
        Asked("A refused attempt is kept", "Each move that the rules do not allow.", refusals._INSERT,
              (*key, UUID(new_id()), 0, "", None, 1, "", 422, "", "", "", b"")),
        *_of_read_models(store, key, head, matches),
        Asked("The lobby", "The first page, of all games.", live_sql.LOBBY[()], (*_NEWEST, 51)),
        Asked("The lobby: tables that wait", "Of one game.", live_sql.WAITING[("game",)],
              (*_NEWEST, 51, "whos-the-ass")),
        Asked("A player's matches", "The first page.", players_sql.HISTORY, (player, *_NEWEST, 51)),
        Asked("The leaderboard", "Of all games: it adds up every player.", players_sql.LEADERBOARD,
              (None, None, None, None, 51)),
        Asked("Whose time is up", "The clock, once a second.", live_sql.DUE, (0,)),
        Asked("Tables with bots", "The bots, once a second.", live_sql.BOTS, ()),
    ]  # fmt: skip


def _of_the_archive(row: Any) -> list[Asked]:
    if row is None:
        return []
    return [
        Asked("An archived match is read", "All of it, in one row.", streams._OF_MATCH,
              (row["shard"], row["stream"], 0, None)),
        Asked("An archived match is asked for what is new", "Nothing: it is over.", streams._OF_MATCH,
              (row["shard"], row["stream"], row["last"], None)),
        Asked("A page of a shard, with archived matches in it", "A rebuild; what the segments hold is asked for then.",
              streams._OF_SHARD, (row["shard"], row["first_pos"] - 1, 500)),
    ]  # fmt: skip


def _appends(moves: list[Append]) -> list[Asked]:
    shard = shard_of(moves[0].match)
    alike = [move for move in moves if shard_of(move.match) == shard]
    return [
        Asked("append, one command", "A move while nobody else moves.", batch._APPEND,
              tuple(batch.arguments(moves[:1]))),
        Asked(f"append, {len(moves)} commands", "Moves that arrived together, of all shards.", batch._APPEND,
              tuple(batch.arguments(moves))),
        Asked(f"append_shard, {len(alike)} commands", "The same on a distributed database: those of one shard.",
              shard_batch._APPEND, tuple(shard_batch.arguments(alike))),
    ]  # fmt: skip


def _of_read_models(store: Store, key: tuple[int, UUID], head: int, matches: list[str]) -> list[Asked]:
    build = builds.Build(PROJECTIONS["live_tables"], 1, 1, {})
    own = [UUID(match) for match in matches if shard_of(match) == key[0]]
    rows = f"select match, body from {build.rows} where shard = $1 and match = any($2::uuid[])"
    return [
        Asked("A checkpoint is moved", "The first statement of a step of a read model: compare and set.",
              builds.MOVE, (key[0], "live_tables", 1, head, head)),
        Asked("What is parked", "In each step.", folding._PARKED, (key[0], "live_tables", 1)),
        Asked("The rows that a page touches", "In each step, of each read model.", rows, (key[0], own)),
        Asked("The row of one match", "Its live table, score sheet or replay.", row_of(live_tables.NAME), key),
        Asked("Live tables of a list of matches", "Titles in a lobby.", live_sql.SOME,
              ([shard_of(match) for match in matches[:50]], [UUID(match) for match in matches[:50]])),
    ]  # fmt: skip
