"""What the runbook has an operator type in the stack, typed as it stands there. Run by ``make test-containers``."""

import json
import re
from pathlib import Path

import pytest

from services.audit import verify
from tests.containers.stack import ROOT, Stack
from tests.e2e.play import Answers, guests, open_match, play

pytestmark = [pytest.mark.containers, pytest.mark.timeout(1800)]

RUNBOOK = (ROOT / "deploy" / "runbook.md").read_text(encoding="utf-8")


def lines(containing: str) -> str:
    """The commands of the one block of the runbook in which that stands."""
    blocks = re.findall(r"(?m)(?:^ {4,}\S.*\n)+", RUNBOOK)
    [block] = [block for block in blocks if containing in block]
    return re.sub(r"(?m)^ +", "", block)


def typed(stack: Stack, folder: Path, commands: str, code: int = 0) -> str:
    """What a shell says in which the head of the runbook and then ``commands`` are typed, and that all went well."""
    head = 'C="docker compose"\nkibitz() { $C exec -T api kibitz "$@"; }\n'
    script = f"set -e -o pipefail\ncd {folder}\n{head}{commands}"
    said = stack.run("bash", "-c", f"({script})\necho code $?", check=False)
    assert said.endswith(f"code {code}\n"), said
    return said


def test_whoever_is_over_a_limit_is_found_and_refused(stack: Stack, tmp_path: Path):
    # given somebody who asks too often
    match, _ = open_match(stack)
    with stack.client() as http:
        while http.get(f"/matches/{match}/audit").status_code != 429:
            pass
        # then the log of the proxy says who that is
        [address] = re.findall(r"(?m)^ *\d+ ([0-9.]+)$", typed(stack, tmp_path, lines("uniq -c")))
        # and told to refuse what is no address, the proxy goes on as it was; an address is let in no more
        refusing = lines("haproxy -c")
        typed(stack, tmp_path, refusing.replace("203.0.113.9", "somebody"), code=1)
        assert http.get("/games").status_code == 200
        typed(stack, tmp_path, refusing.replace("203.0.113.9", address))
        assert http.get("/games").status_code == 403
        stack.up()
        assert http.get("/games").status_code == 200


def test_what_is_backed_up_is_restored_under_another_name_and_the_erased_are_erased_again(stack: Stack, tmp_path: Path):
    # given a stack with a match, three guests with names, and a dump of it
    match, tokens = open_match(stack)
    answers: Answers = {}
    play(stack, match, tokens, answers)
    people = guests(stack, "Gone by herself", "Gone by the operator", "Here")
    players = []
    for token in people:
        with stack.client(token) as http:
            players.append(http.get("/me").json()["player"])
    with stack.client() as http:
        bundle = http.get(f"/matches/{match}/audit/bundle").content
    typed(stack, tmp_path, lines("pg_dump"))
    dump = tmp_path / "kibitz.dump"
    assert dump.stat().st_mode & 0o077 == 0
    # when two are erased, one by each way, and the dump is restored
    with stack.client(people[0]) as http:
        assert http.delete("/me").status_code == 204
    typed(stack, tmp_path, f"kibitz erase {players[1]}\n")
    restoring = lines("pg_restore").replace("=kibitz-restored", f"={stack.name}-restored")
    checked, again = "doctor --matches all", lines("a person is erased").replace("=kibitz logs", f"={stack.name} logs")
    assert checked in restoring
    assert stack.name in again
    said = typed(stack, tmp_path, re.sub(rf"({checked}).*", r"\1 --json || test $? = 7", restoring) + again)
    # then the match is there as it was, every one is VALID, and nobody who was erased is known
    found = {one["check"]: one for one in json.loads(re.findall(r"(?ms)^\[.*?^\]|^\[.*\]$", said)[0])}
    assert {name for name, one in found.items() if one["state"] != "ok"} == {"archive"}
    assert re.fullmatch(r"every match: (\d+) match\w* with \d+ events: \1 VALID", found["matches"]["text"])
    assert "erased: 2 of 2" in said
    with stack.client() as http:
        assert http.get(f"/matches/{match}/audit/bundle").content == bundle
        assert verify(bundle, []).verdict == "VALID"
        for token, status in zip(people, (401, 401, 200), strict=True):
            assert http.get("/me", headers={"Authorization": f"Bearer {token}"}).status_code == status
