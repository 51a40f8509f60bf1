"""A disk is lost: from the backup a new cluster is made as all was at a moment in the middle, and it serves on."""

import json
import re
import shutil
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from services.cli.servers import serving
from services.demo import TABLES
from services.embedded.processes import living_in
from tests.e2e.conftest import Kibitz, run
from tests.e2e.play import Answers, check_stored, due, frames, guests, open_match, play, version
from tests.store.rows import row
from tests.waiting import PATIENCE, until


@pytest.mark.fault("F22")
def test_a_service_restored_to_a_moment_in_the_middle_verifies_and_goes_on(folder: Path):
    # given a service that keeps its log beside its backups, with a table of bots of every game and one of people
    backups = folder / "backups"
    first = Kibitz(folder / "data", "--no-demo", KIBITZ_BACKUPS=str(backups))
    second = None
    try:
        first.ready()
        tables = [_bots(first, *exhibit) for exhibit in TABLES]
        match, tokens = open_match(first, options={"games": 20})
        journal: Answers = {}
        player = threading.Thread(target=play, args=(first, match, tokens, journal))
        player.start()
        # when it is backed up under way, and goes on
        until(lambda: len(journal) >= 10)
        backed_up = run("backup", "--data", str(folder / "data"), KIBITZ_BACKUPS=str(backups))
        assert backed_up.returncode == 0, backed_up.stderr
        assert "every moment since can be restored" in backed_up.stdout
        [leaver] = guests(first, "Kormorán")
        with first.client(leaver) as http:
            gone = http.get("/me").json()["player"]
        seen = len(journal)
        until(lambda: len(journal) >= seen + 20)
        before = dict(list(journal.items())[: len(journal)])
        url = _note(folder / "data").database_url
        moment = row(url, "select clock_timestamp()")[0]
        with first.client(leaver) as http:
            assert http.delete("/me").status_code == 204
        until(lambda: len(journal) >= len(before) + 20)
        last = {one: version(first, one) for one in [match, *tables]}
        # and its machine is lost, and the disk with it
        piece = row(url, "select pg_walfile_name(pg_switch_wal())")[0]
        until((backups / "wal" / piece).exists)
        _lost(first)
        player.join()
        shutil.rmtree(folder / "data")

        # then it is restored as it was at that moment, and every match verifies
        restored = run("restore", str(backups), "--at", moment.isoformat(), "--data", str(folder / "new"))
        assert restored.returncode == 0, restored.stdout + restored.stderr
        counted = re.search(r"(\d+) matches with (\d+) events: (\d+) VALID\n", restored.stdout)
        assert counted, restored.stdout
        assert counted[1] == counted[3] == str(len(TABLES) + 1)
        print(restored.stdout)

        # and it serves: what was acknowledged before is there, and a key gets the answer that it had
        second = Kibitz(folder / "new", "--no-demo")
        second.ready()
        check_stored(second, match, before)
        for key, (token, move, answer) in list(before.items())[-3:]:
            with second.client(token) as http:
                again = http.post(f"/matches/{match}/moves", json=move, headers={"Idempotency-Key": key})
            assert again.json() == answer

        # and who was erased since is not back
        assert "erased in it: 1 of the 1 persons" in restored.stdout
        with second.client(leaver) as http:
            assert http.get(f"/players/{gone}").json()["name"] == ""
            assert http.get("/me").status_code == 401

        # a feed that is not beyond it goes on; one that is beyond is told, and not kept waiting
        head = version(second, match)
        assert head < last[match]
        assert frames(second, match, head - 3, 3) == [head - 2, head - 1, head]
        told = _stream(second, match, last[match])
        assert (told["status"], told["type"], told["version"]) == (409, "/problems/ahead-of-match", head)

        # what was told and is no more shows as DIVERGED to whoever kept it
        lost = [answer for _, _, answer in journal.values() if answer["version"] > head]
        assert lost
        receipts = folder / "receipts"
        receipts.write_text("\n".join(map(json.dumps, lost)))
        said = run("verify", match, "--receipts", str(receipts), "--data", str(folder / "new"))
        assert said.returncode == 30, said.stdout
        assert "DIVERGED" in said.stdout

        # and everything is played on
        while version(second, match) < lost[0]["version"]:
            token, moves = due(second, match, tokens)
            with second.client(token) as http:
                assert http.post(f"/matches/{match}/moves", json=moves[0]).is_success
        # where a feed that was beyond and names what it has seen is told even now that it is not there any more
        told = _stream(second, match, lost[0]["version"], head=lost[0]["head"])
        assert (told["status"], told["type"]) == (409, "/problems/ahead-of-match")
        restart = {one: version(second, one) for one in tables}
        until(lambda: all(_over_or_beyond(second, one, then) for one, then in restart.items()))
        well = run("doctor", "--matches", "all", "--json", "--data", str(folder / "new"))
        findings = {finding["check"]: finding for finding in json.loads(well.stdout)}
        assert findings["matches"]["state"] == "ok", findings["matches"]
        assert "error" not in {finding["state"] for finding in findings.values()}
        assert well.returncode == 7  # no log is kept beside the new one, and that is said
        assert findings["archive"]["state"] == "warning"
    finally:
        for kibitz in filter(None, (first, second)):
            kibitz.stop()


def _bots(kibitz: Kibitz, game: str, seats: int, options: Any) -> str:
    [host] = guests(kibitz, "Host")
    with kibitz.client(host) as http:
        opened = http.post("/matches", json={"game": game, "seats": seats, "options": dict(options)})
        match: str = opened.json()["match"]
        assert http.post(f"/matches/{match}/bots", json={"seats": list(range(seats))}).is_success
    return match


def _note(data: Path) -> Any:
    note = serving(data)
    assert note is not None
    return note


def _lost(kibitz: Kibitz) -> None:
    """Everything of it ends at once, as with the power: also what was begun while we looked."""
    family = kibitz.family()
    for process in family:
        with suppress(psutil.NoSuchProcess):  # PostgreSQL has some that come and go
            process.send_signal(signal.SIGKILL)
    kibitz.process.wait()
    assert psutil.wait_procs(family, timeout=PATIENCE)[1] == []
    until(lambda: not living_in(kibitz.data / "postgres", "postgres"))


def _stream(kibitz: Kibitz, match: str, after: int, **more: str) -> Any:
    with kibitz.client() as http:
        answer: httpx.Response = http.get(f"/matches/{match}/stream", params={"after": after, **more})
    return answer.json()


def _over_or_beyond(kibitz: Kibitz, match: str, before: int) -> bool:
    with kibitz.client() as http:
        table = http.get(f"/matches/{match}").json()
    return table["status"] == "finished" or table["version"] > before
