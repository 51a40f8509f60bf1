"""Clocks over HTTP: what a table shows of them, the ledger of time, and what becomes of a late move."""

from typing import Any

import pytest

from tests.api.conftest import Service
from tests.api.guests import Table, ok, paged, problem

BANK = {"turn_seconds": 60, "bank_seconds": 90}


async def ledger(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = ok(await table.http.get(f"{table.path}/clock"))
    return found


async def test_the_ledger_has_every_turn_with_the_time_that_its_events_tell(service: Service):
    table = await service.table(clock=BANK)
    assert await ledger(table) == BANK | {"entries": [], "next": None}
    for _ in range(5):
        await table.step()
    found = await ledger(table)
    events = ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    told = [event for event in events if event["type"] == "TimeUsed"]
    assert len(told) == 5
    assert found["entries"] == [
        {"version": event["version"], "at": event["at"], **event["body"], "expired": False} for event in told
    ]
    for entry in found["entries"]:
        assert entry["before"] == entry["after"] == 90_000
    at = {event["version"]: event["at"] for event in events}
    for entry, before in zip(found["entries"][1:], found["entries"], strict=False):
        assert entry["used"] == entry["at"] - at[before["version"]]  # a turn begins with the move before it


async def test_the_ledger_comes_in_pages_also_while_it_grows(service: Service):
    table = await service.table(clock=BANK)
    for _ in range(5):
        await table.step()
    whole = (await ledger(table))["entries"]
    read = await paged(lambda asked: table.http.get(f"{table.path}/clock", params=asked), 2, table.step, "entries")
    assert [entry["version"] for entry in read[:5]] == [entry["version"] for entry in whole]
    assert read == (await ledger(table))["entries"], "what is added meanwhile stands on the last page"
    problem(await table.http.get(f"{table.path}/clock", params={"cursor": "WyJ4Il0"}), 400, "not-understood")


async def test_a_match_without_a_clock_has_an_empty_ledger(service: Service):
    table = await service.table()
    await table.step()
    assert await ledger(table) == {"turn_seconds": None, "bank_seconds": None, "entries": [], "next": None}


async def test_a_move_that_comes_late_is_a_problem_of_its_own_and_kept(service: Service, monkeypatch):
    table = await service.table(clock=BANK)
    who, seen = await table.due(), await table.seen()
    move = (await table.legal(who))["moves"][0]
    with monkeypatch.context() as later:
        later.setattr(service.context.matches, "_now", lambda: seen["clock"]["deadline"])
        checked = ok(await who.post(f"{table.path}/moves/check", move))
        answer = await who.post(f"{table.path}/moves", move, headers={"Accept-Language": "ru"})
    assert (checked["legal"], checked["clause"]) == (False, "5.5")
    late = problem(answer, 409, "too-late")
    assert (late["game"], late["clause"], late["version"], late["legal_hint"]) == ("match", "5.5", seen["version"], [])
    assert late["clause_text"].startswith("Ход, присланный после")
    assert (await table.seen())["version"] == seen["version"]
    (refusal,) = await service.context.store.refusals(table.match)
    assert (refusal.player, refusal.status, refusal.clause) == (who.player, 409, "5.5")
    ok(await who.post(f"{table.path}/moves", move))


@pytest.mark.parametrize("seconds", [-1, 86_401, "5", 1.5])
async def test_a_bank_has_its_bounds(service: Service, seconds: Any):
    host = await service.guest("Host")
    clock = {"turn_seconds": 60, "bank_seconds": seconds}
    answer = await host.post("/v1/matches", {"game": "whos-the-ass", "seats": 3, "clock": clock})
    if isinstance(seconds, int):
        told = problem(answer, 422, "refused")
        assert told["clause"] == "1.4"
        assert "clock.bank_seconds" in told["detail"]
    else:
        problem(answer, 400, "not-understood")


async def test_the_stroke_of_a_clock_is_in_the_ledger(service: Service):
    """The service's own clock strikes it, in its own time; nothing here says how soon, or how late."""
    table = await service.table(clock={"turn_seconds": 5, "bank_seconds": 0})
    async with table.http.stream("GET", f"{table.path}/stream") as frames:
        async for line in frames.aiter_lines():
            if line == "event: ClockExpired":
                break
    (struck, *_) = (await ledger(table))["entries"]
    events = ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    dealt = next(event["version"] for event in events if event["type"] == "CardsDealt")
    [seat] = ok(await table.http.get(f"{table.path}/replay/{dealt}"))["table"]["to_act"]
    assert (struck["seat"], struck["before"], struck["after"], struck["expired"]) == (seat, 0, 0, True)
    assert struck["used"] >= 5_000
    assert ok(await table.http.get(f"{table.path}/audit"))["verdict"] == "VALID"
