"""Health, figures, the page of the document, the pages of the problems, and the games."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from services.api.problem_types import TYPES
from tests.api.conftest import Service, serving
from tests.api.guests import ok, problem
from tests.waiting import PATIENCE


@pytest.fixture
async def service(database_url: str, redis_url: str) -> AsyncIterator[Service]:
    """A service of its own: what other tests did to theirs is neither counted nor logged here."""
    async with serving(database_url, redis_url) as own:
        yield own


async def ready_in_all(service: Service) -> dict[str, Any]:
    """What it says of itself once Redis and its peers are heard, and nothing holds up its database."""
    async with asyncio.timeout(PATIENCE):
        while True:
            told: dict[str, Any] = (await service.http.get("/health/ready")).json()
            if told["ready"] and told["feed"]["ok"] and told["peers"]["ok"]:
                return told
            await asyncio.sleep(0.05)


async def test_the_service_is_alive_and_ready(service: Service):
    assert ok(await service.http.get("/health/live")) == {"alive": True}
    ready = await ready_in_all(service)
    assert ready["ready"] is True
    assert {name: part["ok"] for name, part in ready.items() if name != "ready"} == {
        "database": True,
        "projector": True,
        "feed": True,
        "peers": True,
        "parts": True,
    }
    assert (
        ready["parts"]["detail"]
        == "time, peers, projector, bots, clock, tails, presence, figures; started again 0 times"
    )


async def test_the_figures_count_requests_and_moves(service: Service):
    table = await service.table()
    await table.step()
    problem(await (await table.due()).post(f"{table.path}/moves", {"type": "play", "cards": ["99"]}), 422, "refused")
    text = ""
    async with asyncio.timeout(PATIENCE):  # while its database is held up, or Redis not heard yet, it says that
        while not ("kibitz_database_up 1.0" in text and "kibitz_feed_connected 1.0" in text):
            answer = await service.http.get("/metrics")
            assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
            text = answer.text
    assert re.search(r'kibitz_moves_total\{game="whos-the-ass",result="accepted"\} [1-9]', text)
    assert re.search(r'kibitz_moves_total\{game="whos-the-ass",result="refused"\} [1-9]', text)
    assert 'route="/v1/matches/{match}/moves",status="200"' in text
    assert 'kibitz_projector_lag_events{projection="replays"}' in text
    assert "kibitz_open_streams" in text
    assert "kibitz_feed_connected 1.0" in text
    assert "kibitz_processes 1.0" in text
    assert 'kibitz_part_restarts_total{part="bots"} 0.0' in text
    assert re.search(r"kibitz_append_commands_total [1-9]", text)
    assert table.match not in text


async def test_a_method_that_nobody_knows_makes_no_new_figure(service: Service):
    for method in ("PROPFIND", "PURGE", "MKCOL"):
        problem(await service.http.request(method, "/v1/games"), 405, "method-not-allowed")
    assert "PURGE" not in (await service.http.get("/metrics")).text


async def test_the_docs_page_needs_no_other_server(service: Service):
    page = await service.http.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    wanted = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert {"/docs/docs.js", "/docs/docs.css", "/openapi.json"} <= set(wanted)
    for address in wanted:
        if not address.startswith("data:"):
            assert address.startswith("/")
            assert (await service.http.get(address)).status_code == 200
    for name in ("docs.js", "docs.css"):
        text = (await service.http.get(f"/docs/{name}")).text
        assert "http://" not in text
        assert "https://" not in text
    assert "<script>" not in page.text
    assert " style=" not in page.text


async def test_every_type_of_problem_has_its_page(service: Service):
    listed = ok(await service.http.get("/problems"))
    assert [entry["type"] for entry in listed] == [f"/problems/{slug}" for slug in TYPES]
    for entry in listed:
        assert ok(await service.http.get(entry["type"])) == entry


async def test_the_games_come_with_options_moves_and_rules(service: Service):
    (game,) = [entry for entry in ok(await service.http.get("/v1/games")) if entry["id"] == "whos-the-ass"]
    assert game["seats"] == {"min": 3, "max": 12}
    assert game["title"]
    options = game["options"]["$defs"]["Options"]["properties"]
    assert {name: option["default"] for name, option in options.items()} == {
        "games": 5,
        "time_limit_min": 0,
        "ass_round_joker": "choose",
        "dealer": "rotate",
    }
    assert all(option["description"] for option in options.values())
    assert game["moves"]["discriminator"]["propertyName"] == "type"
    book = ok(await service.http.get(game["rulebook"]))
    assert book["game"] == "whos-the-ass"
    assert {"id", "text", "examples"} <= book["clauses"][0].keys()
    assert {"id", "question", "ruling", "option"} <= book["rulings"][0].keys()
    assert [ruling["id"] for ruling in book["rulings"]][:3] == ["WA1", "WA2", "WA3"]
    assert ok(await service.http.get("/v1/games/match/rulebook"))["clauses"][0]["id"] == "1.1"
    tag = (await service.http.get("/v1/games")).headers["etag"]
    assert (await service.http.get("/v1/games", headers={"If-None-Match": tag})).status_code == 304


async def test_a_dry_run_says_why_and_stores_nothing(service: Service):
    table = await service.table()
    who = await table.due()
    before = (await table.seen())["version"]
    legal = (await table.legal(who))["moves"]
    assert ok(await who.post(f"{table.path}/moves/check", legal[0])) == {
        "legal": True,
        "game": None,
        "clause": None,
        "reason": None,
    }
    no = ok(await who.post(f"{table.path}/moves/check", {"type": "pass"}))
    assert (no["legal"], no["game"], no["clause"]) == (False, "whos-the-ass", "3.2")
    assert no["reason"]
    assert (await table.seen())["version"] == before
    assert await service.context.store.refusals(table.match) == []


async def test_the_moves_of_who_is_not_due_are_none(service: Service):
    table = await service.table()
    due = await table.due()
    for who in table.guests:
        told = await table.legal(who)
        assert bool(told["moves"]) == (who is due)
        assert told["seat"] == table.guests.index(who)
        for entry in told["refused"]:
            assert entry["clause"]
            assert entry["reason"]
            check = ok(await who.post(f"{table.path}/moves/check", entry["move"]))
            assert (check["legal"], check["clause"]) == (False, entry["clause"])
