"""Three guests, a host, seeds of their own: a whole match over HTTP, and everything that can be read of it agrees."""

import csv
import hashlib
import io
import json
from typing import Any

from domain.hidden import b64u
from tests.api.conftest import Service
from tests.api.guests import canonical, ok


async def test_three_guests_play_a_match_and_everything_that_can_be_read_agrees(service: Service):
    # given three guests who sit down with seeds of their own
    table = await service.table(3, own_seeds=True, options={"games": 2})
    assert (await table.seen())["status"] == "playing"
    # when they play by picking from the legal moves
    moves = await table.play_out()
    # then the match is over, and table, score sheet, replay, events, export and audit agree
    assert moves > 10
    over = await table.seen()
    assert over["status"] == "finished"
    assert over["to_act"] == []
    assert over["scores"][over["winners"][0]] == min(over["scores"])

    sheet = ok(await table.http.get(f"{table.path}/score-sheet"))
    assert sheet["totals"] == over["scores"]
    assert sheet["winners"] == over["winners"]
    assert [hand["hand"] for hand in sheet["hands"]] == [1, 2]
    assert sheet["hands"][-1]["totals"] == over["scores"]
    assert [sum(hand["points"][seat] for hand in sheet["hands"]) for seat in range(3)] == over["scores"]

    events: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = ok(await table.http.get(f"{table.path}/events", params={"after": after, "limit": 30}))
        events += page["events"]
        after = page["next"]
    assert [event["version"] for event in events] == list(range(1, over["version"] + 1))
    head = b""
    for event in events:
        assert event["prev"] == b64u(head)
        head = hashlib.sha256(b"\0" + canonical(event)).digest()
        assert event["hash"] == b64u(head)
    assert over["head"] == b64u(head)

    audit = ok(await table.http.get(f"{table.path}/audit"))
    assert audit["verdict"] == "VALID", audit
    assert audit["head"] == over["head"]
    assert [hand["own"] for hand in audit["hands"]] == [[0, 1, 2], [0, 1, 2]]

    index = ok(await table.http.get(f"{table.path}/replay"))
    assert index["versions"] == over["version"]
    assert [(h["first"], h["last"]) for h in index["hands"]] == [(h["first"], h["last"]) for h in sheet["hands"]]
    assert {mark["kind"] for mark in index["marks"]} >= {"deal", "score"}
    assert all(mark["text"] for mark in index["marks"])
    last = ok(await table.http.get(f"{table.path}/replay/{over['version']}", params={"seat": "all"}))
    assert last["table"]["scores"] == over["scores"]
    assert last["event"] == events[-1]

    exported = ok(await table.http.get(f"{table.path}/export"))
    assert exported["events"] == events
    assert exported["head"] == over["head"]
    lines = (await table.http.get(f"{table.path}/export", params={"format": "jsonl"})).text.splitlines()
    assert [json.loads(line) for line in lines] == events
    transcript = await table.http.get(f"{table.path}/export", params={"format": "txt"})
    assert transcript.headers["content-type"].startswith("text/plain")
    assert "Guest 0" in transcript.text
    assert len(transcript.text.splitlines()) > len(events)


async def test_the_score_sheet_comes_as_csv_by_accept_or_by_format(service: Service):
    table = await service.table(3, options={"games": 1})
    await table.play_out()
    sheet = ok(await table.http.get(f"{table.path}/score-sheet"))

    by_accept = await table.http.get(f"{table.path}/score-sheet", headers={"Accept": "text/csv"})
    by_format = await table.http.get(f"{table.path}/score-sheet", params={"format": "csv"})

    assert by_accept.headers["content-type"] == "text/csv; charset=utf-8"
    assert by_accept.text == by_format.text
    head, *rows = csv.reader(io.StringIO(by_accept.text))
    assert head[:5] == ["hand", "first", "last", "Guest 0 points", "Guest 0 total"]
    assert [int(row[head.index("Guest 2 total")]) for row in rows] == [hand["totals"][2] for hand in sheet["hands"]]


async def test_every_version_can_be_replayed_from_every_seat_and_matches_what_that_seat_saw_live(service: Service):
    table = await service.table(4, options={"games": 1})
    live = []
    for choice in range(12):
        live.append([await table.seen(seat) for seat in range(4)])
        await table.step(choice)
    await table.play_out()
    for seen in live:
        for seat, then in enumerate(seen):
            again = ok(await table.guests[seat].get(f"{table.path}/replay/{then['version']}", seat=seat))["table"]
            for key in ("version", "head", "hand", "to_act", "table", "scores", "you", "status"):
                assert again[key] == then[key], key


async def test_bots_fill_the_table_and_the_match_plays_itself(service: Service):
    host = await service.guest("Host")
    opened = await host.post("/v1/matches", {"game": "whos-the-ass", "seats": 5, "options": {"games": 1}})
    path = opened.headers["location"]
    seated = ok(await host.post(f"{path}/bots", {"seats": [0, 1, 2, 3, 4], "level": "random"}))
    assert [event["type"] for event in seated["events"]][:5] == ["SeatTaken"] * 5

    async with service.http.stream("GET", f"{path}/stream") as stream:
        types = [line[7:] async for line in stream.aiter_lines() if line.startswith("event: ")]

    assert types[0] == "MatchOpened"
    assert types[-1] == "MatchEnded"
    over = ok(await service.http.get(path))
    assert over["status"] == "finished"
    assert {seat["kind"] for seat in over["seats"]} == {"bot"}
    assert all(seat["connected"] for seat in over["seats"])
