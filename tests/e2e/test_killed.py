"""``kill -9`` in the middle of play: what was acknowledged is there, and the match goes on."""

import os
import signal
import threading
from collections.abc import Callable

import psutil
import pytest

from tests.e2e.conftest import Kibitz
from tests.e2e.play import Answers, bot_table, events_of, open_match, patiently, play, version
from tests.waiting import PATIENCE, until

Serve = Callable[..., Kibitz]


@pytest.mark.fault("F1")
def test_every_acknowledged_move_survives_a_kill_and_the_match_goes_on(serve: Serve):
    first = serve("--no-demo").ready()
    match, tokens = open_match(first)
    beside = bot_table(first, 12)  # so that appends of several matches are under way; it goes on to the end of the test
    journal: Answers = {}
    player = threading.Thread(target=play, args=(first, match, tokens, journal))
    player.start()
    until(lambda: len(journal) >= 30)
    left_behind = first.family()[1:]
    os.kill(first.process.pid, signal.SIGKILL)
    player.join()
    first.process.wait()
    acknowledged = len(journal)

    second = serve("--no-demo").ready()
    _, alive = psutil.wait_procs(left_behind, timeout=PATIENCE)
    assert alive == []
    events = events_of(second, match)
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    by_version = {event["version"]: event for event in events}
    for _, _, answer in journal.values():
        for seen in answer["events"]:
            assert by_version[seen["version"]]["hash"] == seen["hash"]
        assert by_version[answer["version"]]["hash"] == answer["head"]
    for key, (token, move, answer) in list(journal.items())[-5:]:
        with second.client(token) as http:
            again = http.post(f"/matches/{match}/moves", json=move, headers={"Idempotency-Key": key})
        assert again.json() == answer
        assert again.headers["Idempotent-Replay"] == "true"

    play(second, match, tokens, journal)
    assert len(journal) > acknowledged
    with second.client() as http:
        assert patiently(lambda: http.get(f"/matches/{match}")).json()["status"] == "finished"
        assert patiently(lambda: http.get(f"/matches/{match}/audit")).json()["verdict"] == "VALID"
        before = version(second, beside)
        until(lambda: version(second, beside) > before)
        assert patiently(lambda: http.get(f"/matches/{beside}/audit")).json()["verdict"] == "VALID"
    assert second.stop() == 0
