"""The audit of dependencies: what was answered is held to, and only what was answered about everything is kept."""

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.dependencies import ANSWER, LOCKS, ask, hashes, held

_HOLE = {"id": "PYSEC-1", "fix_versions": ["2.0"], "aliases": [], "description": ""}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for lock in LOCKS:
        (tmp_path / lock).write_text("one==1.0\ntwo==1.0\n")
    return tmp_path


def tool(root: Path, *packages: dict[str, Any]) -> list[str]:
    """A program that answers as pip-audit does."""
    script = root / "tool.py"
    script.write_text(f"print({json.dumps(json.dumps({'dependencies': packages, 'fixes': []}))})")
    return [sys.executable, str(script)]


def package(name: str, *holes: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "version": "1.0", "vulns": list(holes)}


def test_an_answer_without_holes_is_kept_and_holds_until_a_lock_changes(root: Path):
    assert ask(root, tool(root, package("one"), package("two")))[0] == 0
    assert held(root)[0] == 0
    (root / LOCKS[0]).write_text("one==1.1\n")
    code, said = held(root)
    assert code == 1
    assert "make audit" in said


def test_a_hole_fails_until_somebody_says_why_it_does_not_concern_us_and_that_is_kept(root: Path):
    answering = tool(root, package("one", _HOLE))
    assert ask(root, answering) == (1, "one 1.0 has PYSEC-1")
    assert held(root)[0] == 1
    kept = json.loads((root / ANSWER).read_text())
    kept["holes"][0]["accepted"] = "only with TLS, which Kibitz leaves to the proxy"
    (root / ANSWER).write_text(json.dumps(kept))
    assert held(root)[0] == 0
    assert ask(root, answering)[0] == 0


def test_an_answer_that_leaves_packages_out_is_not_kept(root: Path):
    code, said = ask(root, tool(root, package("one"), {"name": "two", "skip_reason": "not found"}))
    assert (code, said) == (1, "the service knows 1 of 2 packages: the answer is not kept")
    assert not (root / ANSWER).exists()
    assert ask(root, [sys.executable, "-c", "raise SystemExit('no network')"]) == (1, "no answer: no network")


def test_without_an_answer_the_check_says_so_and_fails_where_one_is_required(root: Path):
    code, said = held(root)
    assert code == 0
    assert said.startswith("NOT AUDITED")
    assert held(root, required=True)[0] == 1


def test_an_old_answer_holds_and_is_said_to_be_old(root: Path):
    kept = {"date": "2026-01-01", "locks": hashes(root), "packages": 2, "holes": []}
    (root / ANSWER).write_text(json.dumps(kept))
    code, said = held(root, today=date(2026, 6, 1))
    assert code == 0
    assert "151 days ago" in said
    assert "days ago" not in held(root, today=date(2026, 2, 1))[1]
