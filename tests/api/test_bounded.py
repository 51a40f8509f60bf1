"""No list without a bound: what an answer holds is a page, has a greatest length in the document, or stands here with
what bounds it. What those bounds rest on is tested here, too.
"""

from collections.abc import Awaitable, Iterator
from typing import Any, Final

import httpx

from domain.games import GAMES
from services.api.shapes import SEATS
from tests.api.conftest import Service
from tests.api.guests import Guest, ok, open_match, paged, problem
from tests.api.test_disputes import CLAIM, arbiter, disputed, over, ruling
from tests.api.test_document import DOCUMENT, operations

OF_A_GAME: Final = {"Event", "Move", "Table"}
"""What a game says of one hand is as long as the hand has cards and the table seats."""
BOUNDED: Final = {
    "the rule books": {
        "Clause.examples", "Clause.rulings", "Example.clauses", "GameInfo.bots", "Ruling.clauses", "Rulebook.clauses",
        "Rulebook.examples", "Rulebook.rulings", "Bundle.rulebooks", "listGames", "listProblems",
    },
    "the checks of an audit": {"Case.findings", "Case.limits", "Report.checks", "Report.limits"},
    "the seats of a match": {
        "BundleOpening.to", "CaseRuling.points", "CaseRuling.totals", "CaseRuling.winners", "ClockView.seats",
        "Disclosed.to", "Export.seats", "HandSeeds.own", "LiveTable.scores", "LiveTable.seats", "LiveTable.to_act",
        "LiveTable.winners", "LobbyMatch.scores", "LobbyMatch.seats", "LobbyMatch.winners", "ScoreSheet.seats",
        "ScoreSheet.totals", "ScoreSheet.winners", "SheetHand.notes", "SheetHand.points", "SheetHand.totals",
        "SheetRuling.points", "SheetRuling.totals", "SheetRuling.winners",
    },
    "the cards of a hand": {
        "Disclosed.fields", "KnownCards.cards", "LegalMoves.moves", "LegalMoves.refused", "SeatKnowledge.cards",
        "SeatKnowledge.events", "RuleProblem.legal_hint", "TurnProblem.legal_hint",
    },
    "what one command leads to": {"Done.events", "BatchResult.events"},
    "the 512 hands of a match": {
        "Bundle.keys", "Case.hands", "ReplayIndex.hands", "ReplayIndex.marks", "Report.hands", "ScoreSheet.hands",
    },
    "the rulings on a match": {"Case.rulings", "ScoreSheet.rulings"},
    "a whole match": {"Bundle.events", "Bundle.openings", "Export.events"},
}  # fmt: skip


def resolved(schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return name, DOCUMENT["components"]["schemas"][name] if name else schema


def lists(schema: dict[str, Any], of: str, here: str, known: set[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every list in ``schema``: the component, or the operation, that it stands in, where, and its own schema."""
    name, schema = resolved(schema)
    if name in OF_A_GAME or name in known:
        return
    if name:
        known.add(name)
        of, here = name, ""
    if schema.get("type") == "array":
        yield of, here, schema
    for inner in (*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from lists(inner, of, here, known)
    for field, inner in schema.get("properties", {}).items():
        yield from lists(inner, of, f"{here}.{field}", known)


def in_answers() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Every list in an answer, by its name, with its schema; and whether it is one page of several."""
    for _, _, operation in operations():
        asked = {parameter["name"] for parameter in operation["parameters"] if parameter.get("in") == "query"}
        for answer in operation["responses"].values():
            for content in answer.get("content", {}).values():
                name, whole = resolved(content.get("schema", {}))
                paged = "limit" in asked and "next" in whole.get("properties", {})
                for of, here, schema in lists(content.get("schema", {}), operation["operationId"], "", set()):
                    yield of + here, schema, paged and of == name


def test_no_list_in_an_answer_is_without_a_bound():
    found = list(in_answers())
    named = set().union(*BOUNDED.values())
    unbounded = {name for name, schema, _ in found if "maxItems" not in schema}
    assert sorted(unbounded - named) == [], "give it pages, a greatest length, or say here what bounds it"
    assert sorted(named - unbounded) == [], "it is bounded otherwise now, or is there no more"
    pages = {name for name, _, paged in found if paged}
    assert {"ClockLedger.entries", "PageDisputeLine.items", "EventPage.events", "PageLobbyMatch.items"} <= pages


def test_every_list_of_an_operation_that_takes_a_limit_is_as_long_as_the_limit_at_most():
    for _, _, operation in operations():
        asked = {parameter["name"]: parameter["schema"] for parameter in operation["parameters"] if "name" in parameter}
        if "limit" not in asked:
            continue
        name, whole = resolved(operation["responses"]["200"]["content"]["application/json"]["schema"])
        own = [entry for entry in whole["properties"].values() if entry.get("type") == "array"]
        assert [entry["maxItems"] for entry in own] == [asked["limit"]["maximum"]], name
        assert asked.keys() & {"cursor", "after"}, name
        assert "next" in whole["required"], name


def test_no_game_has_more_seats_than_a_match_may_have():
    assert max(game.seats[-1] for game in GAMES.values()) <= SEATS


async def test_disputes_are_listed_in_pages_in_the_order_in_which_they_were_opened(service: Service):
    table, judge = await over(service), await arbiter(service)
    cases = [await disputed(table, seat) for seat in (1, 0, 2)]

    def ask(asked: dict[str, Any]) -> Awaitable[httpx.Response]:
        return service.http.get(f"{table.path}/disputes", params=asked)

    async def meanwhile() -> None:
        ok(await judge.post(f"/v1/disputes/{cases[0]['dispute']}/rulings", ruling("upheld")))
        cases.append(await disputed(table, 1))

    for limit, more in ((1, None), (2, None), (3, None), (200, None), (2, meanwhile)):
        found = await paged(ask, limit, more)
        assert [line["dispute"] for line in found] == [case["dispute"] for case in cases]
    for cursor in ("x", "WyJhIl0", "Wy0xXQ", ""):
        problem(await ask({"cursor": cursor}), 400, "not-understood")
    for limit in (0, 201):
        problem(await ask({"limit": limit}), 400, "not-understood")


async def test_a_match_has_so_many_rulings_and_not_one_more(service: Service, monkeypatch):
    monkeypatch.setattr("services.disputes.RULINGS", 3)
    table, judge = await over(service), await arbiter(service)

    async def opened(seat: int) -> str:
        case = ok(await table.guests[seat].post(f"{table.path}/disputes", {"first": 1, "last": 2, **CLAIM}))
        return f"/v1/disputes/{case['dispute']}/rulings"

    async def rule(path: str, after: int = 0) -> Any:
        return await judge.post(path, ruling("upheld", after=after), headers={"Idempotency-Key": f"{path}{after}"})

    first, second = await opened(0), await opened(1)
    for path, after in ((first, 0), (first, 1), (second, 0)):
        ok(await rule(path, after))
    version = (await table.seen())["version"]
    told = problem(await rule(second, 1), 409, "full")
    assert "3 rulings" in told["detail"]
    assert (await table.seen())["version"] == version
    assert ok(await rule(second, 0))["rulings"], "what was answered before is answered again"


async def test_a_match_that_does_not_begin_has_so_many_events_and_then_nobody_sits_down(service: Service, monkeypatch):
    monkeypatch.setattr("services.matches.BEFORE_START", 6)
    host, other = await service.guest("Host"), await service.guest("Other")
    path = await open_match(host, 3)
    for _ in range(3):
        ok(await other.post(f"{path}/seats"))
        ok(await other.delete(f"{path}/seats/me"))
    before = ok(await host.get(path))["version"]

    async def refused(who: Guest, tail: str, body: dict[str, Any]) -> None:
        told = problem(await who.post(f"{path}{tail}", body), 409, "full")
        assert "6 events" in told["detail"]

    await refused(other, "/seats", {})
    await refused(host, "/bots", {"seats": [0, 1, 2]})
    assert ok(await host.get(path))["version"] == before
    ok(await host.post(f"{path}/resign"))
    assert ok(await host.get(path))["status"] == "abandoned"
