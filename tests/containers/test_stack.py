"""The whole stack of ``deploy/compose.yaml``, really run. Run by ``make test-containers``; needs a Docker engine."""

import json
import threading
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from services.audit import Receipt, verify
from tests.containers.stack import Stack
from tests.e2e.play import Answers, bot_table, open_match, play
from tests.waiting import until

pytestmark = [pytest.mark.containers, pytest.mark.timeout(1800)]

SERVICES = ("postgres", "valkey", "api", "projector", "proxy")


def status(stack: Stack, match: str) -> dict[str, object]:
    with stack.client() as http:
        return http.get(f"/matches/{match}").json()


def heard(stack: Stack, match: str, ids: list[int]) -> None:
    """Follows the stream of ``match`` until it is over; broken off, it is taken up after the last event."""
    while True:
        headers = {"Last-Event-ID": str(ids[-1])} if ids else {}
        try:
            with stack.client() as http, http.stream("GET", f"/matches/{match}/stream", headers=headers) as stream:
                ids.extend(int(line[4:]) for line in stream.iter_lines() if line.startswith("id: "))
        except httpx.TransportError:
            pass
        if status(stack, match)["status"] == "finished" and ids[-1] == status(stack, match)["version"]:
            return


def test_no_container_can_write_to_its_disk_or_become_somebody_else(stack: Stack):
    for service in SERVICES:
        [container, *_] = stack.containers(service)
        found = stack.inspected(container)
        assert found["HostConfig"]["ReadonlyRootfs"], service
        assert found["HostConfig"]["CapDrop"] == ["ALL"], service
        assert "no-new-privileges:true" in found["HostConfig"]["SecurityOpt"], service
        assert stack.inside(service, "id", "-u").strip() != "0", service
        assert "ead-only file system" in stack.inside(service, "touch", "/usr/local/mine", check=False), service
        assert not [line for line in found["Config"]["Env"] if "://" in line], "a secret in the environment"


def test_who_serves_has_no_rights_but_those_of_the_service(stack: Stack):
    asked = "select distinct usename from pg_stat_activity where datname = 'kibitz' and pid <> pg_backend_pid()"
    said = stack.inside("postgres", "psql", "-U", "postgres", "-d", "kibitz", "-Atc", asked)
    assert said.split() == ["kibitz_service"]
    asked = "select rolname from pg_roles where rolsuper and rolname like 'kibitz%'"
    assert stack.inside("postgres", "psql", "-U", "postgres", "-d", "kibitz", "-Atc", asked) == ""


def test_figures_are_not_for_those_outside(stack: Stack):
    with httpx.Client(base_url=stack.url) as http:
        assert http.get("/health/ready").status_code == 200
        assert http.get("/").headers["content-type"].startswith("text/html")
        for path in ("/metrics", "/%6Detrics", "//metrics", "/metrics/", "/METRICS"):
            answer = http.get(f"{stack.url}{path}")
            assert answer.status_code == 404, path
            assert answer.headers["content-type"] == "application/problem+json"


def test_all_about_one_match_goes_to_one_process_and_the_rest_to_each(stack: Stack):
    with stack.client() as http:
        before = stack.figures()
        for _ in range(20):
            http.get("/matches/01890000-0000-7000-8000-000000000000/score-sheet")
        one = {place: count - before.get(place, 0) for place, count in stack.figures().items()}
        assert max(one.values()) == 20
        assert sum(one.values()) == 20
        before = stack.figures()
        for _ in range(64):
            http.get("/games")
        each = {place: count - before.get(place, 0) for place, count in stack.figures().items()}
        assert min(each.values()) >= 16


def test_a_match_goes_on_when_a_process_that_serves_is_killed(stack: Stack):
    # given a table of bots and one of guests, and somebody who follows the bots by a stream, and by a socket the guests
    bots = bot_table(stack, seats=4, games=4)
    match, tokens = open_match(stack)
    ids: list[int] = []
    follower = threading.Thread(target=heard, args=(stack, bots, ids))
    follower.start()
    until(lambda: len(ids) > 20)
    with connect(
        f"{stack.url.replace('http', 'ws', 1)}/v1/matches/{match}/socket",
        subprotocols=[Subprotocol("kibitz.v1")],
        compression=None,
    ) as socket:
        assert json.loads(socket.recv(timeout=60))["id"] == 1
    # when one of two is killed while both are played
    killed, left = stack.containers("api")
    answers: Answers = {}
    player = threading.Thread(target=play, args=(stack, match, tokens, answers))
    player.start()
    until(lambda: len(answers) > 10)
    stack.run("docker", "kill", killed)
    count = len(answers)
    # then the guests' match is played to its end without an answer lost, and so is the bots'
    player.join(300)
    assert not player.is_alive()
    assert status(stack, match)["status"] == "finished"
    assert len(answers) > count
    follower.join(300)
    assert not follower.is_alive()
    assert ids == list(range(1, len(ids) + 1))
    assert [stack.inspected(one)["State"]["Running"] for one in (killed, left)] == [False, True]
    # and every answer is what was recorded
    receipts = [Receipt(answer["version"], answer["head"], match) for _, _, answer in answers.values()]
    for played, told in ((match, receipts), (bots, [])):
        with stack.client() as http:
            assert verify(http.get(f"/matches/{played}/audit/bundle").content, told).verdict == "VALID"
    # and when it is started again, there are two
    stack.up()
    assert all(stack.inspected(one)["State"]["Running"] for one in (killed, left))


def test_a_process_that_ends_by_itself_is_started_again(stack: Stack):
    container = stack.containers("api")[0]
    state = stack.inspected(container)["State"]
    stack.inside("api", "python3", "-c", "import os; os.kill(1, 15)", check=False)
    until(lambda: (now := stack.inspected(container)["State"])["Running"] and now["StartedAt"] != state["StartedAt"])
    until(lambda: stack.inspected(container)["State"]["Health"]["Status"] == "healthy")


def test_asked_to_stop_everything_ends_by_itself_and_what_was_stored_is_there_again(stack: Stack):
    match, _ = open_match(stack)
    before = status(stack, match)
    stack.compose("stop")
    for service in (*SERVICES, "migrate"):
        for container in stack.containers(service):
            assert stack.inspected(container)["State"]["ExitCode"] == 0, service
    stack.up()
    assert status(stack, match)["version"] == before["version"]


def test_the_proxy_takes_its_file_without_a_warning(stack: Stack):
    stack.inside("proxy", "haproxy", "-c", "-dW", "-f", "/usr/local/etc/haproxy/haproxy.cfg")


def test_whom_an_operator_erases_the_log_of_the_stack_names(stack: Stack):
    with stack.client() as http:
        player = http.post("/players", json={"name": "Gone"}).json()["player"]
    stack.inside("api", "kibitz", "erase", player)
    said = stack.compose("logs", "--no-log-prefix", "api")
    assert [line for line in said.splitlines() if '"a person is erased"' in line and f'"player":"{player}"' in line]


def test_an_image_has_what_sends_traces_if_it_is_asked_for(stack: Stack):
    sends = ("-c", "import opentelemetry.exporter.otlp.proto.http.trace_exporter as asked; print(asked.__name__)")
    assert "No module named" in stack.inside("api", "python3", *sends, check=False)
    traced = "kibitz:test-otel"
    stack.run("env", "EXTRA=otel", f"IMAGE={traced}", "docker", "compose", "build")
    stack.run("docker", "run", "--rm", "--entrypoint", "python3", traced, *sends)
    # and a process that is told where to send them goes on from there: it has no address of a database's server to take
    told = (
        "--env",
        "KIBITZ_OTLP_ENDPOINT=http://127.0.0.1:1",
        "--env",
        "KIBITZ_DATABASE_URL=postgresql://nowhere/kibitz",
    )
    for image, words in (("kibitz:test", "needs what comes with it"), (traced, "set both KIBITZ_DATABASE_URL")):
        assert words in stack.run("docker", "run", "--rm", *told, image, check=False)


def test_the_image_is_the_same_each_time_it_is_made(stack: Stack, tmp_path: Path):
    asked = "cd /opt/kibitz && find . -type f -o -type l | LC_ALL=C sort | xargs sha256sum | sha256sum"
    made = []
    for _ in range(2):
        stack.compose("build", "--no-cache")
        made.append(stack.run("docker", "run", "--rm", "--entrypoint", "sh", "kibitz:test", "-c", asked))
    assert made[0] == made[1]
