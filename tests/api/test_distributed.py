"""A service on a distributed database: what it says while matches are played names one shard, and spans no two.

The database says that it is distributed and is plain PostgreSQL; so every statement is the one that Citus would get.
"""

import re
from collections.abc import Callable
from typing import Any, Final

import asyncpg
import pytest

from projections.live_tables import sql as live_sql
from projections.registry import PROJECTIONS
from services.ids import SHARDS
from services.projector import builds, runner
from services.store.distribution import PLACES, place_of
from tests.api.conftest import serving
from tests.api.guests import ok
from tests.conftest import sql
from tests.store.statements import Said, recorded, tables_of
from tests.store.test_one_shard import SAY_SO

OF_ALL_SHARDS: Final = {
    "select shard, head from shard order by shard": "the projector asks how far it is behind, four times a second",
    "select head from shard limit 1": "whether the store can be read",
    builds.LIVE: "the projector asks for its checkpoints, four times a second",
    live_sql.DUE: "the clock asks whose time is up, once a second",
    live_sql.BOTS: "the bots ask for their tables, once a second",
    live_sql.SOME: "live tables of a list of matches: the lists of a lobby",
    runner._PARKED: "the health of the read models",
    **dict.fromkeys(live_sql.LOBBY.values(), "the lobby"),
    **dict.fromkeys(live_sql.WAITING.values(), "the lobby"),
}
"""The statements that ask all shards: each for a reason, and none of them for a move or for a frame of a stream."""

ONE_SHARD: Final = re.compile(
    r"\b(?:[a-z]+\.)?shard = \$1\b|\bappend_shard\(\$1, |^insert into \S+ (?:as t )?\(shard, .* \$1, u\.\*"
)


def distributed(said: Said) -> set[str]:
    """The tables of ``said`` that are spread over the machines."""
    found = set()
    for name in tables_of(said.text):
        known = name in PLACES or re.fullmatch(rf"projection\.({'|'.join(PROJECTIONS)}).*", name)
        if known and place_of(name) == "shard":
            found.add(name)
    return found


def shard_in(said: Said) -> Any:
    """The shard that ``said`` names, by its first argument; raises ``AssertionError`` if it names none."""
    inserts = re.match(r"insert into \w+(?: \(shard, [^)]*\))? values \(\$1, ", said.words)
    assert ONE_SHARD.search(said.words) or inserts, said.words
    assert said.arguments[0] in SHARDS, said
    return said.arguments[0]


@pytest.fixture
def url(fresh_database: Callable[[], str]) -> str:
    url = fresh_database()
    sql(url, SAY_SO)
    return url


async def test_no_statement_of_a_move_lacks_its_shard_and_no_transaction_spans_two(
    url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
):
    # given a service that is listened to
    with recorded(monkeypatch) as record:
        async with serving(url, redis_url) as service:
            record.said.clear()  # what makes the tables of the read models is said once in the life of a database
            # when people and bots play, others follow, somebody errs, is answered again, and disputes
            table = await service.table(3, own_seeds=True, options={"games": 1})
            other = await service.table(3, options={"games": 1})
            due = await table.due()
            move = (await table.legal(due))["moves"][0]
            first = ok(await due.post(f"{table.path}/moves", move, {"Idempotency-Key": "one"}))
            assert (
                ok(await due.post(f"{table.path}/moves", move, {"Idempotency-Key": "one"}))["events"] == first["events"]
            )
            await due.post(f"{table.path}/moves", move)
            await table.play_out()
            await other.play_out()
            async with service.http.stream("GET", f"{table.path}/stream", params={"with": "table"}) as stream:
                assert [line async for line in stream.aiter_lines() if line.startswith("event: MatchEnded")]
            for path in ("", "/score-sheet", "/replay", "/replay/9", "/events", "/export", "/audit", "/audit/bundle"):
                assert (await table.http.get(f"{table.path}{path}")).is_success, path
            claim = {"first": 5, "last": 9, "claim": "that was not my card"}
            assert (await table.guests[0].post(f"{table.path}/disputes", claim)).is_success
            ok(await service.http.get("/v1/matches"))
    # then every statement that touches what is distributed names one shard, but for those that are meant to ask all
    assert len({said.text for said in record.said}) > 30
    once: set[str] = set()
    for transaction in record.transactions():
        shards = {shard_in(said) for said in transaction if distributed(said) and said.text not in OF_ALL_SHARDS}
        assert len(shards) <= 1, transaction
        once |= {said.words for said in transaction if "append_shard(" in said.text}
    assert len(once) == 1
    assert not any(re.search(r"\bappend\(", said.text) for said in record.said)


async def test_every_unique_key_and_every_constraint_of_a_distributed_table_begins_with_the_shard(
    url: str, redis_url: str
):
    # given the tables as the service makes them, those of its read models among them
    async with serving(url, redis_url):
        connection = await asyncpg.connect(url)
        tables = await connection.fetch(
            """select c.oid::regclass::text as name, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'p') and n.nspname in ('public', 'projection') order by 1"""
        )
        places = {table["name"]: place_of(table["name"]) for table in tables}
        spread = {table["name"]: table["oid"] for table in tables if places[table["name"]] == "shard"}
        # then each has a place, and every read model is spread
        assert set(PLACES) <= set(places)
        assert {name for name in places if name.startswith("projection.")} - set(spread) == {"projection.build"}
        read_models = sum(len(projection.tables) for projection in PROJECTIONS.values())
        assert len(spread) == list(PLACES.values()).count("shard") + read_models
        # and of what is spread every unique index, by the catalogue, has the shard as its first column
        unique = await connection.fetch(
            """select i.indrelid, i.indexrelid::regclass::text as name, a.attname from pg_index i
            left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
            where i.indisunique and i.indrelid = any($1::oid[])""",
            list(spread.values()),
        )
        assert {row["indrelid"] for row in unique} == set(spread.values()), "a table without a key"
        assert [row["name"] for row in unique if row["attname"] != "shard"] == []
        # and every constraint that is more than a look at one row
        constraints = await connection.fetch(
            """select c.conname, c.contype, a.attname from pg_constraint c
            left join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
            where c.contype not in ('c', 'n') and (c.conrelid = any($1::oid[]) or c.confrelid = any($1::oid[]))""",
            list(spread.values()),
        )
        assert constraints
        assert [row["conname"] for row in constraints if row["contype"] == b"f" or row["attname"] != "shard"] == []
        # and a shard is never null, always a smallint, and never changed: all lie together
        kinds = await connection.fetch(
            """select attrelid::regclass::text as name, atttypid::regtype::text as kind, attnotnull from pg_attribute
            where attname = 'shard' and attrelid = any($1::oid[])""",
            list(spread.values()),
        )
        assert {(row["kind"], row["attnotnull"]) for row in kinds} == {("smallint", True)}
        assert {row["name"] for row in kinds} == set(spread)
        await connection.close()


@pytest.mark.parametrize(
    "text",
    [
        "select body from event where stream = $1",
        "select version from stream join unnest($1::smallint[], $2::uuid[]) as u(shard, stream) using (shard, stream)",
        "insert into refusal (stream, shard) values ($1, $2)",
        "update projection.checkpoint c set pos = $2 where name = $1",
    ],
)
def test_the_check_itself_sees_a_statement_that_lacks_its_shard(text: str):
    assert distributed(Said(1, text, (0,)))
    with pytest.raises(AssertionError):
        shard_in(Said(1, text, (0,)))
