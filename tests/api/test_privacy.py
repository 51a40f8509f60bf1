"""Nobody is told a card that is not theirs to see, by any path, while the hand runs; afterwards all is open."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import structlog

from domain.hidden import b64u
from services.cli import logs
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, ok, open_match, problem


@pytest.fixture
async def service(database_url: str, redis_url: str) -> AsyncIterator[Service]:
    """A service of its own: what other tests did to theirs is neither counted nor logged here."""
    async with serving(database_url, redis_url) as own:
        yield own


def values(told: Any) -> list[Any]:
    """Every opened value of a hidden field, wherever it stands."""
    match told:
        case {"to": to, "digest": _, **rest}:
            return [(tuple(to), rest["value"])] if "value" in rest else []
        case dict():
            return [value for item in told.values() for value in values(item)]
        case list():
            return [value for item in told for value in values(item)]
        case _:
            return []


async def frames(who: Guest, path: str, count: int, **params: Any) -> list[dict[str, Any]]:
    """The first frames of a stream."""
    found: list[dict[str, Any]] = []
    async with who.http.stream("GET", f"{path}/stream", headers=who.auth, params=params) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line[6:]))
            if len(found) == count:
                break
    return found


async def everything(who: Guest, path: str) -> AsyncIterator[tuple[str, Any]]:
    """All that ``who`` can read of a match, by name."""
    seen = ok(await who.get(path))
    yield "table", seen
    yield "events", ok(await who.get(f"{path}/events", limit=200))
    yield "export", ok(await who.get(f"{path}/export"))
    lines = (await who.get(f"{path}/export", format="jsonl")).text.splitlines()
    yield "lines", [json.loads(line) for line in lines]
    yield "stream", await frames(who, path, seen["version"], **{"with": "table"})
    yield "audit", ok(await who.get(f"{path}/audit"))
    for version in range(1, seen["version"] + 1):
        yield f"replay {version}", ok(await who.get(f"{path}/replay/{version}"))


async def test_while_the_hand_runs_a_seat_sees_its_own_cards_and_no_others_by_any_path(service: Service):
    table = await service.table(3)
    for choice in range(4):
        await table.step(choice)
    outsider = await service.guest("Outsider")
    for who, seat in [*((guest, seat) for seat, guest in enumerate(table.guests)), (outsider, None)]:
        for name, told in [entry async for entry in everything(who, table.path)]:
            for to, _ in values(told):
                assert seat is not None, (name, "the public sees a hidden value")
                assert seat in to, (name, seat, to)
            tables = [told] if name == "table" else [told["table"]] if name.startswith("replay") else []
            tables += [frame["table"] for frame in told] if name == "stream" else []
            for shown in tables:
                assert shown["you"] == seat
                assert shown["table"]["hands"] is None
                assert (shown["table"]["hand"] is None) == (seat is None)
        events = ok(await who.get(f"{table.path}/events", limit=200))["events"]
        dealt = next(event for event in events if event["type"] == "CardsDealt")
        assert len(values(dealt)) == (0 if seat is None else 1)


def told_hands(text: str) -> dict[int, list[str]]:
    """The hands that a text tells, by seat: ``Guest 1: 2, 7, joker and ass.``"""
    names = {"joker": "J", "ass": "ASS"}
    found = re.findall(r"Guest (\d): ([^.\n\"]+)\.", text)
    return {int(seat): sorted(names.get(card, card) for card in re.findall(r"\w+", cards)) for seat, cards in found}


async def test_transcript_index_and_step_of_a_running_hand_tell_a_seat_its_own_cards_and_no_others(service: Service):
    table = await service.table(3)
    version = (await table.seen())["version"]
    events = ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    deal = next(event["version"] for event in events if event["type"] == "CardsDealt")
    for tail in ("/export?format=txt", "/replay", f"/replay/{deal}"):
        assert told_hands((await table.http.get(f"{table.path}{tail}")).text) == {}, tail
        for seat, who in enumerate(table.guests):
            own = sorted((await table.seen(seat))["table"]["hand"])
            assert len(own) == 13
            told = (await who.http.get(f"{table.path}{tail}", headers=who.auth)).text
            assert told_hands(told) == {seat: own}, (tail, seat)
    assert (await table.seen())["version"] == version


async def test_other_seats_and_all_are_forbidden_while_the_hand_runs(service: Service):
    table = await service.table(3)
    version = (await table.seen())["version"]
    path = f"{table.path}/replay/{version}"
    for seat in ("1", "2", "all"):
        problem(await table.guests[0].get(path, seat=seat), 403, "forbidden")
    for seat in ("0", "1", "2", "all"):
        problem(await table.http.get(path, params={"seat": seat}), 403, "forbidden")
    assert ok(await table.guests[0].get(path, seat="public"))["table"]["table"]["hand"] is None
    assert ok(await table.guests[0].get(path, seat="0"))["table"]["table"]["hand"]
    # what was before the first deal hides nothing
    assert ok(await table.http.get(f"{table.path}/replay/1", params={"seat": "all"}))["table"]["table"]["hands"]


async def test_when_a_hand_is_over_everybody_may_see_it_and_the_next_one_is_hidden(service: Service):
    table = await service.table(3, options={"games": 2})
    while (await table.seen())["hand"] == 1:
        await table.step()
    events = ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    first, second = (event for event in events if event["type"] == "CardsDealt")
    assert len(values(first)) == 4
    assert values(second) == []
    end = next(event for event in events if event["type"] == "HandEnded")
    inside = ok(await table.http.get(f"{table.path}/replay/{first['version']}", params={"seat": "all"}))
    assert [tuple(hand) for hand in inside["table"]["table"]["hands"]] == [tuple(v) for to, v in values(first) if to]
    ok(await table.http.get(f"{table.path}/replay/{end['version'] - 1}", params={"seat": "2"}))
    problem(await table.http.get(f"{table.path}/replay/{second['version']}", params={"seat": "2"}), 403, "forbidden")


async def test_a_hand_left_unfinished_by_resigning_is_opened(service: Service):
    table = await service.table(3)
    await table.step()
    for who in table.guests[:2]:
        ok(await who.post(f"{table.path}/resign"))
    seen = await table.seen(2)
    assert seen["status"] == "finished"
    assert seen["winners"] == [2]
    events = ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    assert len(values(next(event for event in events if event["type"] == "CardsDealt"))) == 4
    assert ok(await table.http.get(f"{table.path}/audit"))["verdict"] == "VALID"


async def test_an_arbiter_sees_every_seat(service: Service):
    table = await service.table(3)
    arbiter = await service.guest("Arbiter")
    await service.context.store.pool.execute("update player set role = 'arbiter' where player = $1", arbiter.player)
    version = (await table.seen())["version"]
    everybody = ok(await arbiter.get(f"{table.path}/replay/{version}", seat="all"))
    assert all(everybody["table"]["table"]["hands"])
    assert ok(await arbiter.get(f"{table.path}/replay/{version}", seat="1"))["table"]["table"]["hand"]
    assert ok(await arbiter.get(f"{table.path}"))["table"]["hand"] is None


@pytest.mark.parametrize(
    "tail", ["", "/events", "/clock", "/stream", "/score-sheet", "/replay", "/replay/1", "/export", "/audit", "/moves"]
)
async def test_a_match_without_spectators_is_seen_by_its_players_only(service: Service, tail: str):
    table = await service.table(3, spectators="none")
    outsider = await service.guest("Outsider")
    problem(await outsider.get(f"{table.path}{tail}"), 403, "forbidden")
    if tail != "/moves":
        problem(await table.http.get(f"{table.path}{tail}"), 403, "forbidden")
    if tail != "/stream":
        ok(await table.guests[1].get(f"{table.path}{tail}"))


async def test_the_host_of_a_match_without_spectators_sees_it_until_it_starts(service: Service):
    host = await service.guest("Host")
    path = await open_match(host, 3, spectators="none")
    assert ok(await host.get(path))["status"] == "open"
    for name in ("A", "B", "C"):
        ok(await (await service.guest(name)).post(f"{path}/seats"))
    problem(await host.get(path), 403, "forbidden")


@pytest.mark.fault(37)
async def test_erasing_a_player_takes_the_name_from_everywhere_and_no_event(service: Service):
    table = await service.table(3, options={"games": 1})
    await table.play_out()
    gone = table.guests[1]
    before = (await table.http.get(f"{table.path}/export", params={"format": "jsonl"})).text
    assert "Guest 1" in (await table.http.get(f"{table.path}/export", params={"format": "txt"})).text
    assert (await gone.delete("/v1/me")).status_code == 204
    problem(await gone.get("/v1/me"), 401, "unauthenticated")
    assert ok(await table.http.get(f"/v1/players/{gone.player}")) == {"player": gone.player, "name": ""}
    for tail in ("", "/score-sheet", "/replay", "/export", "/export?format=txt", "/score-sheet?format=csv"):
        assert "Guest 1" not in (await table.http.get(f"{table.path}{tail}")).text, tail
    assert (await table.http.get(f"{table.path}/export", params={"format": "jsonl"})).text == before
    assert ok(await table.http.get(f"{table.path}/audit"))["verdict"] == "VALID"


@pytest.mark.parametrize("state", ["running", "finished"])
async def test_a_name_that_changed_or_went_does_not_live_on_in_what_was_kept(service: Service, state: str):
    table = await service.table(3, options={"games": 1})
    if state == "finished":
        await table.play_out()
    deal = next(
        e["version"] for e in ok(await table.http.get(f"{table.path}/export"))["events"] if e["type"] == "CardsDealt"
    )
    tails = (
        "",
        "/score-sheet",
        "/score-sheet?format=csv",
        "/replay",
        f"/replay/{deal}",
        "/export",
        "/export?format=txt",
    )
    gone, name = table.guests[1], "Guest 1"
    for _ in range(2):
        kept = {tail: await table.http.get(f"{table.path}{tail}") for tail in tails}
        assert all(name in answer.text for tail, answer in kept.items() if tail != "/replay" or state == "finished")
        if name == "Guest 1":
            ok(await gone.patch("/v1/me", {"name": "Renamed"}))
        else:
            assert (await gone.delete("/v1/me")).status_code == 204
        for tail, old in kept.items():
            new = await table.http.get(f"{table.path}{tail}", headers={"If-None-Match": old.headers["etag"]})
            assert new.status_code == 200, tail
            assert name not in new.text, tail
            same = await table.http.get(f"{table.path}{tail}", headers={"If-None-Match": new.headers["etag"]})
            assert same.status_code == 304, tail
        name = "Renamed"


async def test_no_token_seed_and_card_is_in_the_log(service: Service, capsys: pytest.CaptureFixture[str]):
    configured = structlog.get_config()
    structlog.reset_defaults()
    structlog.configure(processors=[logs._whence, *structlog.get_config()["processors"]])
    try:
        table = await service.table(3, own_seeds=True)
        hands = [(await table.seen(seat))["table"]["hand"] for seat in range(3)]
        await table.step()
        wrong = {"type": "play", "cards": ["99"]}
        problem(await (await table.due()).post(f"{table.path}/moves", wrong), 422, "refused")
        problem(
            await table.guests[0].post(f"{table.path}/moves", {"type": "play", "cards": [["J"]]}), 400, "not-understood"
        )
        for tail in ("/events", "/export", "/replay", "/audit", "/stream?after=9999"):
            for who in table.guests:
                await who.get(f"{table.path}{tail}")
    finally:
        structlog.configure(**configured)
    log = capsys.readouterr().out
    assert "answered" in log
    assert "request_id" in log
    for word in ("cards", "value", "salt", "digest", "seed=", "seed'", "Bearer", '["', "['"):
        assert word not in log, word
    for who, hand in zip(table.guests, hands, strict=True):
        assert who.token not in log
        assert b64u(who.seed) not in log
        for text in (
            json.dumps(hand),
            json.dumps(hand, separators=(",", ":")),
            repr(hand),
            repr(tuple(hand)),
            " ".join(hand),
        ):
            assert text not in log
