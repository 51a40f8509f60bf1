"""A match in one file: whoever may see it takes it away, and a process without any server says whether it is right."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from services.audit import verify
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, ok, problem, seated_table

SHORT = {
    "whos-the-ass": {"games": 1},
    "spades-two": {"target": 100, "max_hands": 1},
    "osel-fours": {"target": 5, "max_hands": 2, "max_circuits": 5},  # so many fours are hardly ever dealt
}


async def kibitz(*arguments: str | Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """A command of ``kibitz`` as a process of its own, while the service goes on answering."""
    command = [sys.executable, "-m", "services.cli", *map(str, arguments)]
    return await asyncio.to_thread(subprocess.run, command, input=stdin, capture_output=True, timeout=90, check=False)


async def played(service: Service, game: str, moves: int = 3000) -> tuple[Table, list[dict[str, Any]]]:
    """A match between guests with seeds of their own, and every answer that they got to a move."""
    seats = GAMES[game].seats[0]
    table = await seated_table(service.http, seats, own_seeds=True, game=game, options=SHORT.get(game, {}))
    answers: list[dict[str, Any]] = []
    while len(answers) < moves and (seen := await table.seen())["status"] == "playing":
        who = table.guests[seen["to_act"][0]]
        legal = (await table.legal(who))["moves"]
        answers.append(ok(await who.post(f"{table.path}/moves", legal[(7 * len(answers)) % len(legal)])))
    return table, answers


async def bundle(who: Guest, table: Table) -> bytes:
    answer = await who.get(f"{table.path}/audit/bundle")
    assert answer.status_code == 200, answer.text
    return answer.content


def text_of(said: dict[str, Any], code: str) -> str:
    return next(check["text"] for check in said["checks"] if check["code"] == code)


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_between_strangers_with_seeds_of_their_own_is_valid_for_a_process_without_a_server(
    service: Service, game: str, tmp_path: Path
):
    # given a match played over HTTP, the file that a spectator takes away, and what the players were answered
    table, answers = await played(service, game)
    taken = await service.http.get(f"{table.path}/audit/bundle")
    file, receipts = tmp_path / "bundle.json", tmp_path / "receipts.jsonl"
    file.write_bytes(taken.content)
    receipts.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    # when it is verified with nothing but that
    done = await kibitz("verify", file, "--receipts", receipts, "--json")
    # then all holds, for every hand and every seat
    said = json.loads(done.stdout)
    assert (done.returncode, said["verdict"]) == (0, "VALID"), said
    assert [check["ok"] for check in said["checks"]] == [True] * len(said["checks"])
    assert said["hands"]
    assert all(hand["opened"] and hand["own"] == list(range(len(table.guests))) for hand in said["hands"])
    assert f"There are {len(answers)}." in text_of(said, "receipts")
    # and the server says the same but for the receipts, which it has not got
    told = ok(await service.http.get(f"{table.path}/audit"))
    assert {**told, "checks": told["checks"][:-1]} == {**said, "checks": said["checks"][:-1]}
    # and people are told in words
    shown = await kibitz("verify", "-", stdin=taken.content)
    assert shown.returncode == 0
    assert b"VALID" in shown.stdout
    print(f"{game}: {said['versions']} events, {len(said['hands'])} hands, {len(answers)} receipts")


async def test_a_receipt_that_contradicts_the_record_is_diverged(service: Service, tmp_path: Path):
    table, answers = await played(service, "whos-the-ass", moves=3)
    file, receipts = tmp_path / "bundle.json", tmp_path / "receipts.json"
    file.write_bytes(await bundle(table.guests[0], table))
    told = [{"version": answer["version"], "head": answer["head"]} for answer in answers]
    for wrong in ({**told[1], "head": told[0]["head"]}, {**told[1], "version": 5_000}):
        receipts.write_text(json.dumps([told[0], wrong]))
        done = await kibitz("verify", file, "--receipts", receipts)
        assert (done.returncode, done.stdout.split()[0]) == (30, b"DIVERGED"), done
    receipts.write_text(json.dumps([*told, {**told[0], "match": "another", "head": "else"}]))
    assert (await kibitz("verify", file, "--receipts", receipts)).returncode == 0


async def test_what_cannot_be_read_has_an_exit_code_of_its_own(service: Service, tmp_path: Path):
    table, _ = await played(service, "whos-the-ass", moves=1)
    file, receipts = tmp_path / "bundle.json", tmp_path / "receipts.json"
    file.write_bytes(await bundle(table.guests[0], table))
    receipts.write_text('[{"version": "one"}]')
    for arguments in ([tmp_path / "none"], [tmp_path], [file, "--receipts", receipts], ["-", "--receipts", "-"]):
        done = await kibitz("verify", *arguments)
        assert done.returncode == 5, done
        assert done.stderr.count(b"\n") == 1, done.stderr
    file.write_bytes(file.read_bytes()[:-10])
    done = await kibitz("verify", file)
    assert (done.returncode, done.stdout.split()[0]) == (40, b"INVALID")


@pytest.mark.parametrize("game", GAMES)
async def test_of_a_running_match_everybody_gets_what_is_theirs_and_nothing_is_missing(service: Service, game: str):
    table, _ = await played(service, game, moves=8)
    taken: dict[int | str, Any] = {
        "public": ok(await service.http.get(f"{table.path}/audit/bundle")),
        **{seat: json.loads(await bundle(guest, table)) for seat, guest in enumerate(table.guests)},
    }
    for viewer, found in taken.items():
        report = verify(json.dumps(found).encode())
        assert report.verdict == "VALID", (viewer, report)
        assert report.head == (await table.seen())["head"]
        last = report.hands[-1]
        assert not last.opened
        assert f"Hand {last.hand} is under way" in report.limits[0]
        ended = max((entry["hand"] for entry in found["keys"]), default=0)
        own = [entry for entry in found["openings"] if viewer in entry["to"]]
        assert ended or own == found["openings"]
        assert ended or bool(own) == (viewer != "public")


async def test_deleting_a_player_changes_no_byte_of_a_bundle(service: Service):
    table, _ = await played(service, "whos-the-ass")
    before = await bundle(table.guests[1], table)
    gone = table.guests[0]
    assert (await gone.delete("/v1/me")).status_code in (200, 204)
    after = await bundle(table.guests[1], table)
    assert after == before
    assert verify(after).verdict == "VALID"
    assert gone.name.encode() not in after


async def test_a_bundle_is_kept_as_long_as_nothing_happens(service: Service):
    table, _ = await played(service, "whos-the-ass", moves=2)
    who = table.guests[0]
    for tail in ("audit", "audit/bundle", "audit/knowledge"):
        first = await who.get(f"{table.path}/{tail}")
        assert first.headers["cache-control"] == "private, no-cache"
        again = await who.get(f"{table.path}/{tail}", headers={"If-None-Match": first.headers["etag"]})
        assert again.status_code == 304
        await table.step()
        assert (
            await who.get(f"{table.path}/{tail}", headers={"If-None-Match": first.headers["etag"]})
        ).status_code == 200


async def test_unwanted_spectators_get_no_bundle(service: Service):
    table = await service.table(spectators="none")
    for tail in ("audit", "audit/bundle", "audit/knowledge?seat=0"):
        problem(await service.http.get(f"{table.path}/{tail}"), 403, "forbidden")
        problem(await service.http.get(f"/v1/matches/01a22b51-e5e4-75a3-b22f-caa34f23a825/{tail}"), 404, "not-found")


# --- what a seat knew ---


async def knew(who: Guest, table: Table, **asked: int) -> dict[str, Any]:
    return dict(ok(await who.get(f"{table.path}/audit/knowledge", None, **asked)))


@pytest.mark.parametrize("game", GAMES)
async def test_a_seat_knew_its_own_hand_by_its_deal_and_what_was_laid_open(service: Service, game: str):
    table, answers = await played(service, game, moves=50)
    last = answers[-1]["version"]
    ended = [event["version"] for event in await events(table) if event["type"] == "HandEnded"]
    for seat, guest in enumerate(table.guests):
        for at in range(1, last + 1, last // 6):
            known = await knew(guest, table, seat=seat, at=at)
            step = ok(await guest.get(f"{table.path}/replay/{at}", seat=seat))
            # it is what the replay shows, and rests on events that had happened
            assert known["table"] == step["table"]["table"]
            assert [event["version"] for event in known["events"]] == list(range(known["first"], at + 1))
            assert known["events"][-1] == step["event"]
            assert all(known["first"] <= card["version"] <= card["since"] <= at for card in known["cards"])
            over = known["hand"] and known["hand"] <= len(ended) and ended[known["hand"] - 1] <= at
            assert any(card["how"] == "opened" for card in known["cards"]) == bool(over)
            # every card that it holds was shown to it or laid open
            hand = known["table"].get("hand") or []
            assert set(hand) <= {card for entry in known["cards"] for card in entry["cards"]} | {"ASS"}


async def events(table: Table) -> list[dict[str, Any]]:
    exported = ok(await table.guests[0].get(f"{table.path}/export"))
    return list(exported["events"])


async def test_another_seat_is_told_about_when_the_hand_is_over(service: Service):
    table, _ = await played(service, "whos-the-ass", moves=4)
    first, second = table.guests[:2]
    now = await knew(first, table)
    assert now["seat"] == 0
    problem(await first.get(f"{table.path}/audit/knowledge", seat=1), 403, "forbidden")
    problem(await second.get(f"{table.path}/audit/knowledge", seat=0, at=now["at"]), 403, "forbidden")
    problem(await service.http.get(f"{table.path}/audit/knowledge?seat=0"), 403, "forbidden")
    problem(await service.http.get(f"{table.path}/audit/knowledge"), 404, "not-found")
    problem(await first.get(f"{table.path}/audit/knowledge", seat=9), 404, "not-found")
    problem(await first.get(f"{table.path}/audit/knowledge", at=now["at"] + 1), 404, "not-found")
    problem(await first.get(f"{table.path}/audit/knowledge", at=0), 400, "not-understood")
    await table.play_out()
    told = ok(await service.http.get(f"{table.path}/audit/knowledge?seat=0&at={now['at']}"))
    assert told == now
