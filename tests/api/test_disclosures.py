"""Who was shown which hidden card: what follows from the events, and what was logged because it does not."""

from collections import Counter
from dataclasses import replace

import asyncpg
import pytest

from services.api.caller import sight_of
from services.api.disclosing import disclosing
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, ok, paged, problem
from tests.api.test_disputes import arbiter, in_hand_two


async def log_of(who: Guest, table: Table, limit: int = 200) -> list[dict]:
    return await paged(lambda asked: who.get(f"{table.path}/audit/disclosures", **asked), limit)


async def test_the_log_is_for_players_after_the_match_and_for_arbiters_at_any_time(service: Service):
    table, judge, stranger = await in_hand_two(service), await arbiter(service), await service.guest()
    path = f"{table.path}/audit/disclosures"
    problem(await service.http.get(path), 401, "unauthenticated")
    for who in (stranger, *table.guests):
        problem(await who.get(path), 403, "forbidden")
    assert ok(await judge.get(path))["items"]
    await table.play_out()
    for who in table.guests:
        assert await log_of(who, table) == await log_of(judge, table)
    problem(await stranger.get(path), 403, "forbidden")
    first = await judge.get(path)
    assert (await judge.get(path, headers={"If-None-Match": first.headers["etag"]})).status_code == 304


async def test_what_a_seat_was_dealt_and_what_was_opened_follow_from_the_events(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)
    log = await log_of(judge, table)
    events = {event["version"]: event for event in ok(await judge.get(f"{table.path}/events", limit=200))["events"]}
    assert {entry["kind"] for entry in log} == {"dealt", "opened"}
    for entry in log:
        if entry["kind"] == "dealt":
            assert entry["at"] == events[entry["first"]]["at"]
            assert entry["fields"]
    deals = [version for version, event in events.items() if event["type"] == "CardsDealt"]
    assert {tuple(entry["to"]) for entry in log if entry["first"] == deals[0] and entry["kind"] == "dealt"} >= {
        (0,),
        (1,),
        (2,),
    }
    (opened,) = [entry for entry in log if entry["kind"] == "opened"]
    assert (opened["first"], events[opened["last"]]["type"]) == (deals[0], "HandEnded")


async def test_the_log_has_the_time_of_the_matches_and_not_that_of_the_machine(service: Service):
    # given a service whose machine is far from the time that all processes share
    table = await in_hand_two(service)
    context = replace(service.context, now=lambda: 1_700_000_000_000)
    # when something is logged
    await disclosing(context, await sight_of(context, table.match, None), "readReplayStep", 1, 1, "all")
    # then it is dated as an event of that moment would be
    assert [entry.at for entry in await context.store.disclosures(table.match)] == [1_700_000_000_000]


async def test_an_arbiter_who_looks_at_a_running_match_is_logged_before_it_is_shown(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)
    version = (await table.seen())["version"]
    for seat in ("all", "1", "1", "public"):
        ok(await judge.get(f"{table.path}/replay/{version}", seat=seat))
    shown = [entry for entry in await log_of(judge, table) if entry["kind"] == "shown"]
    assert [(entry["through"], entry["first"], entry["last"]) for entry in shown] == [
        ("all", version, version),
        ("1", version, version),
    ]
    for entry in shown:
        assert (entry["player"], entry["role"], entry["seat"]) == (judge.player, "arbiter", None)
        assert entry["operation"] == "readReplayStep"
    await table.play_out()
    after = [entry for entry in await log_of(table.guests[0], table) if entry["kind"] == "shown"]
    assert after == shown, "players learn it when the match is over, and nothing that is public then is logged"


async def test_other_eyes_and_opened_cards_of_a_running_match_are_logged(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)
    who = table.guests[0]
    early = 12  # in the first hand, which is over
    ok(await who.get(f"{table.path}/replay/{early}", seat="all"))
    ok(await who.get(f"{table.path}/replay/{early}", seat="0"))
    ok(await service.http.get(f"{table.path}/replay/{early}", params={"seat": "2"}))
    ok(await who.get(f"{table.path}/moves"))
    ok(await who.get(f"{table.path}/events"))
    for kind in ("txt", "jsonl"):
        assert (await who.get(f"{table.path}/export", format=kind)).status_code == 200
    shown = [entry for entry in await log_of(judge, table) if entry["kind"] == "shown"]
    told = Counter((entry["player"], entry["seat"], entry["operation"], entry["through"]) for entry in shown)
    assert told == {
        (who.player, 0, "readReplayStep", "all"): 1,
        (None, None, "readReplayStep", "2"): 1,
        (who.player, 0, "exportMatch", "opened"): 1,
    }


async def test_a_page_goes_on_where_the_one_before_ended(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)
    version = (await table.seen())["version"]
    for step in range(version - 4, version + 1):
        ok(await judge.get(f"{table.path}/replay/{step}", seat="all"))
    whole = await log_of(judge, table)
    for limit in (1, 2, 3, 7):
        assert await log_of(judge, table, limit) == whole
    assert [entry["at"] for entry in whole] == sorted(entry["at"] for entry in whole)
    path = f"{table.path}/audit/disclosures"
    for cursor in ("x", "WzEsMSwwLCJub3BlIl0", "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5LDAsMCwiIl0"):
        problem(await judge.get(path, cursor=cursor), 400, "not-understood")


async def test_the_log_cannot_be_changed(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)
    version = (await table.seen())["version"]
    ok(await judge.get(f"{table.path}/replay/{version}", seat="all"))
    for statement in ("update disclosure set player = ''", "delete from disclosure", "truncate disclosure"):
        with pytest.raises((asyncpg.RestrictViolationError, asyncpg.InsufficientPrivilegeError)):
            await service.context.store.pool.execute(statement)
