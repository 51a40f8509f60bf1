"""``kibitz serve``: what there is to see at once, and that it starts, stops and starts again as it should."""

import json
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psutil
import pytest

from services.cli.servers import NOTE, Serving
from services.demo import FINISHED, TABLES
from tests.e2e.conftest import ROOT, Kibitz, run
from tests.e2e.play import frames, patiently
from tests.making import unmade
from tests.waiting import PATIENCE, until

Serve = Callable[..., Kibitz]


def listed(kibitz: Kibitz, **asked: str) -> list[dict[str, Any]]:
    """The rows of the whole list: bots that play on have long filled its first page."""
    rows: list[dict[str, Any]] = []
    page: dict[str, Any] = {"next": ""}
    with kibitz.client() as http:
        while (cursor := page["next"]) is not None:
            where = asked | ({"cursor": cursor} if cursor else {})
            page = patiently(lambda: http.get("/matches", params=where)).json()  # noqa: B023 - at once
            rows += page["items"]
    return rows


def finished(kibitz: Kibitz) -> list[str]:
    return [row["match"] for row in listed(kibitz, status="finished")]


def playing(kibitz: Kibitz) -> list[str]:
    return [row["match"] for row in listed(kibitz, status="playing")]


def test_every_address_that_it_prints_answers(served: Kibitz):
    urls = set(re.findall(rf"{served.url}[^\s)]*", served.said()))
    assert len(urls) >= 5
    for url in urls:
        with httpx.stream("GET", url, timeout=PATIENCE) as answer:
            assert answer.status_code == 200, url


def test_the_demo_has_tables_at_play_and_matches_that_are_over(served: Kibitz):
    until(lambda: len(finished(served)) >= len(FINISHED))
    until(lambda: playing(served))
    assert {len(row["seats"]) for row in listed(served)} >= {exhibit.seats for exhibit in (*TABLES, *FINISHED)}


def test_a_bot_table_can_be_watched_live(served: Kibitz):
    until(lambda: len(finished(served)) >= len(FINISHED))  # what is played now is a table of bots

    def begun() -> list[tuple[str, int]]:
        """Tables of bots at which more is to come than is waited for."""
        rows = [row for row in listed(served, status="playing") if all(seat["kind"] == "bot" for seat in row["seats"])]
        return [(row["match"], row["version"]) for row in rows if row["version"] < 60]

    match, now = until(begun)[0]
    assert frames(served, match, 0, now + 3) == list(range(1, now + 4))


def test_score_sheet_replay_events_and_audit_of_a_finished_match_agree(served: Kibitz):
    until(lambda: len(finished(served)) >= len(FINISHED))
    for match in finished(served)[: len(FINISHED)]:
        with served.client() as http:
            table = http.get(f"/matches/{match}").json()
            sheet = http.get(f"/matches/{match}/score-sheet").json()
            replay = http.get(f"/matches/{match}/replay").json()
            last = http.get(f"/matches/{match}/replay/{replay['versions']}", params={"seat": "all"}).json()
            audit = http.get(f"/matches/{match}/audit").json()
        assert table["version"] == replay["versions"] == audit["versions"]
        assert table["scores"] == sheet["totals"] == last["table"]["scores"] == sheet["hands"][-1]["totals"]
        assert [sum(hand["points"][seat] for hand in sheet["hands"]) for seat in range(len(table["seats"]))] == sheet[
            "totals"
        ]
        assert table["winners"] == sheet["winners"]
        assert table["head"] == audit["head"]
        assert audit["verdict"] == "VALID"


def test_a_second_start_continues_what_it_finds(serve: Serve):
    first = serve(pace=3600).ready()  # bots that sit and think: nothing but what the demo finishes ends meanwhile
    until(lambda: (len(finished(first)), len(playing(first))) == (len(FINISHED), len(TABLES)))
    before, over = sorted(playing(first)), sorted(finished(first))
    assert first.stop() == 0
    second = serve(pace=3600).ready()
    assert sorted(playing(second)) == before
    assert sorted(finished(second)) == over
    assert (len(before), len(over)) == (len(TABLES), len(FINISHED))


def test_when_a_match_of_the_demo_ends_the_next_begins(serve: Serve):
    kibitz = serve(pace=0).ready()
    until(lambda: len(finished(kibitz)) > len(FINISHED))
    until(lambda: len(finished(kibitz)) + len(playing(kibitz)) > len(FINISHED) + len(TABLES))


@pytest.mark.fault(54, "F21")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_with_all_that_it_started_though_somebody_watches(serve: Serve, number: signal.Signals):
    kibitz = serve(pace=0.2).ready()
    family = kibitz.family()
    assert len(family) > 2
    with kibitz.client() as http, http.stream("GET", f"/matches/{until(lambda: playing(kibitz))[0]}/stream") as stream:
        lines = stream.iter_lines()
        assert any(line.startswith("id:") for line in lines)
        kibitz.process.send_signal(number)
        ids = [json.loads(line.removeprefix("data:"))["version"] for line in lines if line.startswith("data:")]
    assert ids == sorted(ids)
    assert kibitz.process.wait(PATIENCE) == 0
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    assert "stopped" in kibitz.said()


def test_it_stops_in_the_middle_of_starting(serve: Serve, folder: Path):
    kibitz = serve()
    until(lambda: (folder / "data" / "postgres.log").exists() or (folder / "data" / "postgres.new").exists())
    family = kibitz.family()
    kibitz.stop()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    assert "Traceback" not in kibitz.said()


def test_a_taken_port_is_one_line_and_nothing_is_started(folder: Path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run("serve", "--port", str(port), "--data", str(folder / "data"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert str(port) in done.stderr
    assert "make serve PORT=9000" in done.stderr
    assert "--port 9000" in done.stderr
    assert not (folder / "data").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], "serve"),
        (["PORT=9000", "PROCESSES=3", "ARGS=--no-demo"], "serve --port 9000 --workers 3 --no-demo"),
        (["WORKERS=3"], "serve"),  # those are of the tests
    ],
)
def test_make_hands_port_and_processes_on(given: list[str], expected: str):
    command = ["make", "--no-print-directory", "-n", "serve", *given]
    told = subprocess.run(command, cwd=ROOT, env=unmade(), capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1].split()[2:] == expected.split()


def test_a_data_folder_in_use_is_one_line(serve: Serve, folder: Path):
    kibitz = serve("--no-demo").ready()
    done = run("serve", "--port", "0", "--data", str(folder / "data"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert str(kibitz.process.pid) in done.stderr
    with kibitz.client() as http:
        assert http.get("/games").status_code == 200


def test_a_folder_that_cannot_be_made_is_one_line(folder: Path):
    (folder / "file").write_text("in the way")
    done = run("serve", "--port", "0", "--data", str(folder / "file" / "data"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_an_outside_database_that_is_away_is_one_line(folder: Path):
    with socket.socket() as silent:  # nobody listens there, and nobody else can
        silent.bind(("127.0.0.1", 0))
        urls = {
            "KIBITZ_DATABASE_URL": f"postgresql://kibitz@127.0.0.1:{silent.getsockname()[1]}/kibitz",
            "KIBITZ_REDIS_URL": "redis://127.0.0.1:1",
        }
        done = run("serve", "--port", "0", "--data", str(folder / "data"), **urls)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)


def test_outside_servers_need_no_data_folder_and_two_on_one_do_not_hide_each_other(
    folder: Path, database: str, redis_url: str
):
    urls = {"KIBITZ_DATABASE_URL": database, "KIBITZ_REDIS_URL": redis_url}
    options, data = ("--no-demo", "--log", str(folder / "log")), folder / "data"

    def served() -> str:
        return msgspec.json.decode((data / NOTE).read_bytes(), type=Serving).url

    first = Kibitz(data, *options, pace=0.05, **urls)
    try:
        first.ready()
        assert served() == first.url
        second = Kibitz(data, *options, pace=0.05, **urls)
        try:
            second.ready()
            first.stop()
            assert served() == second.url
        finally:
            second.stop()
    finally:
        first.stop()
    assert not (data / NOTE).exists()


def test_a_dead_embedded_database_is_started_again_and_play_goes_on(serve: Serve):
    kibitz = serve(pace=0.05).ready()
    until(lambda: playing(kibitz))
    [postgres] = [child for child in psutil.Process(kibitz.process.pid).children() if child.name() == "postgres"]
    postgres.kill()

    with kibitz.client() as http:
        until(lambda: http.get("/matches").status_code == 200)
    # whichever table it is: one may just be over
    before = {row["match"]: row["version"] for row in listed(kibitz)}
    until(lambda: any(row["version"] > before.get(row["match"], 0) for row in listed(kibitz)))
