"""Several processes on one database: the same answers, the work shared out, and whatever dies is done without."""

import re
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import psutil
import pytest

from tests.e2e.conftest import Kibitz
from tests.e2e.play import bot_table, check_stored, due, guests, open_match, patiently, version
from tests.waiting import PATIENCE, until

Serve = Callable[..., Kibitz]


def health(kibitz: Kibitz) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{kibitz.url}/health/ready", timeout=PATIENCE).json()
    return found


def move(kibitz: Kibitz, match: str, token: str, body: Any, key: str, at: int | None = None) -> httpx.Response:
    headers = {"Idempotency-Key": key} | ({} if at is None else {"If-Match": f'"{at}"'})
    with kibitz.client(token) as http:
        return patiently(lambda: http.post(f"/matches/{match}/moves", json=body, headers=headers))


def table(kibitz: Kibitz, match: str) -> dict[str, Any]:
    with kibitz.client() as http:
        answer = patiently(lambda: http.get(f"/matches/{match}"))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_eight_that_start_at_once_on_an_empty_database_serve_the_same(beside: Serve):
    started = [beside("--no-demo") for _ in range(8)]
    for kibitz in started:
        kibitz.ready()
    match, tokens = open_match(started[0])

    tables = [table(kibitz, match) for kibitz in started]

    assert all(seen == tables[0] for seen in tables)
    until(lambda: all(health(kibitz)["peers"] == {"ok": True, "detail": "8 at work"} for kibitz in started))
    for kibitz in started:
        token, moves = due(kibitz, match, tokens)
        assert move(kibitz, match, token, moves[0], f"key-{kibitz.url}").status_code == 200
    check_stored(started[0], match, {})


def test_a_key_gets_its_first_answer_from_every_process_and_after_a_restart(beside: Serve):
    one, other = beside("--no-demo").ready(), beside("--no-demo").ready()
    match, tokens = open_match(one)
    token, moves = due(other, match, tokens)

    first = move(one, match, token, moves[0], "the-key")
    again = move(other, match, token, moves[0], "the-key")
    assert one.stop() == 0
    later = move(beside("--no-demo").ready(), match, token, moves[0], "the-key")
    changed = move(other, match, token, {"type": "pass"}, "the-key")

    assert first.status_code == 200
    assert first.json() == again.json() == later.json()
    assert "Idempotent-Replay" not in first.headers
    assert again.headers["Idempotent-Replay"] == later.headers["Idempotent-Replay"] == "true"
    assert (changed.status_code, changed.json()["type"]) == (422, "/problems/key-reused")


def test_moves_made_at_once_in_several_processes_are_decided_once(beside: Serve):
    both = [beside("--no-demo").ready(), beside("--no-demo").ready()]
    match, tokens = open_match(both[0])
    for turn in range(12):
        token, moves = due(both[turn % 2], match, tokens)
        before, same, gate = version(both[0], match), turn % 2 == 0, Barrier(4)

        def send(place: int) -> httpx.Response:
            gate.wait()  # noqa: B023 - awaited within the turn
            key = f"{turn}" if same else f"{turn}-{place}"  # noqa: B023
            return move(both[place % 2], match, token, moves[0], key, before)  # noqa: B023

        with ThreadPoolExecutor(4) as crowd:
            answers = list(crowd.map(send, range(4)))

        done = [answer for answer in answers if answer.status_code == 200]
        assert len(done) == (4 if same else 1), [answer.text for answer in answers]
        assert all(answer.json() == done[0].json() for answer in done)
        assert all(answer.status_code in (409, 412) for answer in answers if answer not in done)
        assert version(both[1], match) == done[0].json()["version"] > before
    check_stored(both[0], match, {})


def listed(kibitz: Kibitz) -> dict[str, int]:
    """How far the read models have followed each match."""
    with kibitz.client() as http:
        rows = patiently(lambda: http.get("/matches", params={"limit": 200})).json()["items"]
    return {row["match"]: row["version"] for row in rows}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_what_a_process_did_that_is_killed_or_stopped_another_does(beside: Serve, number: signal.Signals):
    one, other = beside("--no-demo", pace=0.2).ready(), beside("--no-demo", pace=0.2).ready()
    until(lambda: health(other)["peers"]["detail"] == "2 at work")
    tables = [bot_table(one, seats) for seats in (3, 4, 5, 6, 7, 8)]
    clocked, _ = open_match(one, clock={"turn_seconds": 5})
    until(lambda: all(version(other, match) > 20 for match in tables))

    one.process.send_signal(number)

    before = {match: version(other, match) for match in (*tables, clocked)}
    until(lambda: all(version(other, match) > then for match, then in before.items()))
    until(lambda: all(listed(other).get(match, 0) > then for match, then in before.items()))
    if number == signal.SIGSTOP:
        one.process.send_signal(signal.SIGCONT)
        until(lambda: health(one)["peers"]["detail"] == "2 at work")
        before = {match: version(one, match) for match in tables}
        until(lambda: all(version(one, match) > then for match, then in before.items()))
    for match in (*tables, clocked):
        check_stored(other, match, {})


def test_who_is_there_is_known_in_every_process(beside: Serve):
    one, other = beside("--no-demo").ready(), beside("--no-demo").ready()
    match, tokens = open_match(one)

    def shown(kibitz: Kibitz) -> tuple[int, list[bool]]:
        seen = table(kibitz, match)
        return seen["watching"], [seat["connected"] for seat in seen["seats"]]

    with one.client() as public, one.client(tokens[1]) as player, one.client(guests(one, "Eve")[0]) as eve:
        with (
            public.stream("GET", f"/matches/{match}/stream"),
            player.stream("GET", f"/matches/{match}/stream"),
            eve.stream("GET", f"/matches/{match}/stream"),
        ):
            assert table(one, match)["watching"] == 2
            until(lambda: shown(other) == (2, [False, True, False]))
        until(lambda: table(other, match)["watching"] == 0)
        until(lambda: not any(seat["connected"] for seat in table(other, match)["seats"]))
        with public.stream("GET", f"/matches/{match}/stream"):
            until(lambda: table(other, match)["watching"] == 1)
            one.process.kill()
            until(lambda: table(other, match)["watching"] == 0)


def test_workers_serve_on_one_port_and_a_dead_one_is_followed_by_another(serve: Serve):
    kibitz = serve("--workers", "2", "--no-demo").ready()
    first = kibitz.workers()
    assert len(first) == 2
    match, tokens = open_match(kibitz)
    until(lambda: health(kibitz)["peers"] == {"ok": True, "detail": "2 at work"})

    first[0].kill()
    first[0].wait(PATIENCE)

    for turn in range(10):
        token, moves = due(kibitz, match, tokens)
        assert move(kibitz, match, token, moves[0], str(turn)).status_code == 200
    until(lambda: len(kibitz.workers()) == 2 and first[0] not in kibitz.workers())
    [said] = [line for line in kibitz.log() if line["event"] == "a worker ended and is started again"]
    assert said["code"] == -signal.SIGKILL
    until(lambda: health(kibitz)["peers"]["detail"] == "2 at work")
    check_stored(kibitz, match, {})
    assert kibitz.stop() == 0


def figure(kibitz: Kibitz, name: str) -> float:
    """The sum of what ``/metrics`` says of one figure, whatever its labels."""
    text = httpx.get(f"{kibitz.url}/metrics", timeout=PATIENCE).text
    found = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.MULTILINE)
    assert found, name
    return sum(map(float, found))


def test_workers_count_together_and_a_dead_one_takes_nothing_with_it(serve: Serve):
    kibitz = serve("--workers", "3", "--no-demo").ready()
    match, tokens = open_match(kibitz, options={"games": 1})
    made = 0
    for _ in range(30):
        token, moves = due(kibitz, match, tokens)
        made += move(kibitz, match, token, moves[0], str(made)).status_code == 200
        assert figure(kibitz, "kibitz_moves_total") == made
    with kibitz.client() as public, public.stream("GET", f"/matches/{match}/stream"):
        until(lambda: figure(kibitz, "kibitz_open_streams") == 1)
        assert figure(kibitz, "kibitz_append_batch_commands_count") >= made
        first = kibitz.workers()

        for worker in first:
            worker.kill()
            worker.wait(PATIENCE)

        def answers() -> bool:
            try:
                return len(kibitz.workers()) == 3 and bool(health(kibitz)["ready"])
            except httpx.TransportError:
                return False

        until(answers)
    assert figure(kibitz, "kibitz_moves_total") == made
    assert figure(kibitz, "kibitz_open_streams") == 0
    token, moves = due(kibitz, match, tokens)
    assert move(kibitz, match, token, moves[0], "one more").status_code == 200
    until(lambda: figure(kibitz, "kibitz_moves_total") == made + 1)
    until(lambda: figure(kibitz, "kibitz_processes") >= 3)
    assert kibitz.stop() == 0


def test_the_demo_runs_in_one_worker_and_goes_on_in_the_next(serve: Serve):
    kibitz = serve("--workers", "2").ready()
    with kibitz.client() as http:
        asked = {"status": "playing"}
        rows = until(lambda: patiently(lambda: http.get("/matches", params=asked)).json()["items"])
        playing = [row["match"] for row in rows]

    for worker in kibitz.workers():
        worker.kill()

    def answers() -> bool:
        try:
            return len(kibitz.workers()) == 2 and bool(health(kibitz)["ready"])
        except httpx.TransportError:
            return False

    until(answers)
    before = {match: version(kibitz, match) for match in playing}
    until(lambda: any(version(kibitz, match) > then for match, then in before.items()))
    with kibitz.client() as http:
        rows = patiently(lambda: http.get("/matches", params={"limit": 200})).json()["items"]
        hosted = {row["match"] for row in rows}
    assert set(playing) <= hosted


def test_workers_end_with_whoever_started_them(beside: Serve):
    kibitz = beside("--workers", "2", "--no-demo").ready()
    family = kibitz.family()

    kibitz.process.kill()

    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []


def test_a_worker_that_dies_before_it_answers_is_a_failure_and_nothing_is_left(serve: Serve):
    kibitz = serve("--workers", "2", "--no-demo")
    until(kibitz.workers)
    family = kibitz.family()

    kibitz.workers()[0].kill()

    assert kibitz.process.wait(PATIENCE) != 0
    assert re.search(r"kibitz: worker \d ended before it answered", kibitz.said())
    assert "Traceback" not in kibitz.said()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
