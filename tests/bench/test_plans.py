"""The page of plans can be written: every statement has a plan, and the archive is measured."""

import asyncio

from msgspec.structs import replace

from services.store.store import Store
from tests.bench import plans
from tests.bench.simulator import Loaded, Plan, load
from tests.bench.statements import asked


async def loaded(database_url: str, plan: Plan) -> Loaded:
    return await asyncio.to_thread(load, database_url, plan, 1)


async def test_a_page_has_every_statement_with_its_plan_and_the_archive(database_url: str):
    one_ends = replace(plans.plan_of(400), seed=2)
    played = await loaded(database_url, one_ends)

    page = await plans.page(database_url, played)

    store = await Store.connect(database_url)
    names = [one.name for one in await asked(store)]
    await store.close()
    sections = {part.partition("\n")[0]: part for part in page.split("\n### ")[1:]}
    # the second append has as many commands as there are matches
    assert [name for name in names if name not in sections and not name.startswith("append")] == []
    assert sum(name.startswith("append") for name in sections) == 3
    for name, part in sections.items():
        assert "actual time=" in part, name
    assert f"{played.matches:,} matches with {played.events:,} events" in page
    assert "| event |" in page or "event_pkey" in page
    assert "went into the archive" in page
    assert "archive_pkey" in sections["An archived match is read"] or "Seq Scan on archive" in page


async def test_what_a_plan_writes_is_taken_back(database_url: str):
    await loaded(database_url, Plan(events=60, matches=3, whole=1_000))
    store = await Store.connect(database_url)
    before = await store.heads(), await store.pool.fetchval("select count(*) from refusal")

    page = await plans.page(database_url, None)

    assert "went into the archive" not in page
    assert (await store.heads(), await store.pool.fetchval("select count(*) from refusal")) == before
    await store.close()
