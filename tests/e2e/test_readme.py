"""The walk-through of README.md does what README.md says."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import ROOT, Kibitz
from tests.waiting import PATIENCE

README = (ROOT / "README.md").read_text()


def blocks(section: str) -> list[str]:
    """The shell blocks of a section, in order."""
    [text] = re.findall(rf"^## {section}$(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def documents(text: str) -> list[Any]:
    """The JSON documents in ``text``, however they are broken into lines."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def types(done: dict[str, Any]) -> list[str]:
    return [event["type"] for event in done["events"]]


def test_three_guests_play_a_whole_match_with_curl(served: Kibitz, folder: Path):
    script = "set -eu\n" + "".join(f"{block}\necho '#####'\n" for block in blocks("A first match with curl"))
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "API": f"{served.url}/v1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    _, _, seated, looked, played, left, against_bots, own_seed, _ = done.stdout.split("#####\n")
    seats = [json.loads(line)["seat"] for line in seated.splitlines()]
    assert seats == [0, 1, 2]
    table, *moves = documents(looked)
    assert table["status"] == "playing"
    assert table["you"] == 0
    assert sum(bool(choice["moves"]) for choice in moves) == 1
    assert {json.loads(line)["type"] for line in played.splitlines()} <= {"play", "pass"}
    sheet, replay, step, events, audit = map(json.loads, left.splitlines())
    assert len(sheet["hands"]) == 1
    assert step["version"] == 20
    assert step["table"]["table"]["hands"]
    assert [event["version"] for event in events["events"]] == [1, 2, 3, 4, 5]
    assert audit["verdict"] == "VALID"
    assert audit["versions"] == replay["versions"]
    [move] = documents(against_bots)
    assert move["seat"] == 0
    assert move["events"][0]["type"] in {"CardsPlayed", "Passed", "AssPlayed"}
    sat_down, bots, revealed = documents(own_seed)
    assert sat_down["seat"] == 0
    assert "MatchStarted" not in types(bots)
    assert types(revealed)[:2] == ["SeedRevealed", "MatchStarted"]


PAGES = [page for folder in (".", "docs", "docs/adr", "deploy", "openapi") for page in (ROOT / folder).glob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_the_documents_leads_somewhere(page: Path):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target
