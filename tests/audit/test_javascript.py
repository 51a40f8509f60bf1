"""The JavaScript verifier on matches that are what they should be, and from its command line."""

import json
import random
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.audit import bundles
from tests.audit.in_node import VERIFY, Case, needs_node, run, verdicts
from tests.domain import golden_games
from tests.domain.match.drive import Drive
from tests.domain.play import some_options

pytestmark = needs_node


def test_every_stored_match_is_valid():
    texts = [bundles.text(bundles.golden(name)) for name in bundles.GOLDEN]
    found = dict(zip(bundles.GOLDEN, verdicts([Case(text, text) for text in texts]), strict=True))
    assert {name: said["checks"] for name, said in found.items() if said["verdict"] != "VALID"} == {}
    print(f"{len(found)} stored matches are valid")
    assert len(found) > 60


@pytest.mark.parametrize("game", GAMES)
def test_a_match_that_goes_on_is_valid_at_every_moment(game: str):
    """With every number of seats, and options as they come."""
    texts = []
    for seats in GAMES[game].seats:
        chance = random.Random(f"{game} {seats}")
        drive = Drive(secret=chance.randbytes(32))
        texts += [bundles.text(bundles.driven(drive))] if drive.log else []
        options = some_options(GAMES[game], seats, chance)
        given = {name: getattr(options, name) for name in options.__struct_fields__}
        golden_games.sit(drive, game, [f"player {seat}" for seat in range(seats)], **given)
        texts.append(bundles.text(bundles.driven(drive)))
        for number, _ in enumerate(drive.play(chance.choice, 240)):
            if number % 40 == 39:
                texts.append(bundles.text(bundles.driven(drive)))
        texts.append(bundles.text(bundles.driven(drive)))
    found = verdicts([Case(text, text) for text in texts])
    assert [said["checks"] for said in found if said["verdict"] != "VALID"] == []
    print(f"{game}: {len(found)} bundles are valid")
    assert len(found) > 2


def test_the_command_says_the_verdict_by_its_exit_code(tmp_path: Path):
    bundle = bundles.golden("whos_the_ass/normal")
    file, receipts = tmp_path / "bundle.json", tmp_path / "receipts.json"
    receipts.write_text(json.dumps([{"version": 3, "head": "a" * 43}]))
    for code, verdict, changed, arguments in (
        (0, "VALID", bundle, []),
        (20, "INCOMPLETE", {**bundle, "openings": bundle["openings"][1:]}, []),
        (30, "DIVERGED", bundle, [receipts]),
        (40, "INVALID", {**bundle, "head": "a" * 43}, []),
    ):
        file.write_bytes(bundles.text(changed))
        done = run(VERIFY, file, *arguments)
        assert done.returncode == code, done.stdout.decode() + done.stderr.decode()
        assert f"\n{verdict} whos-the-ass {bundle['match']}, 74 events" in done.stdout.decode()


def test_the_command_takes_receipts_as_they_came_and_says_what_it_cannot_read(tmp_path: Path):
    bundle = bundles.golden("whos_the_ass/normal")
    file, receipts, nothing = tmp_path / "bundle.json", tmp_path / "receipts.jsonl", tmp_path / "nothing"
    file.write_bytes(bundles.text(bundle))
    head = {"version": bundle["versions"], "head": bundle["head"]}
    for text, code in (
        (f"{json.dumps(head)}\n{json.dumps({**head, 'match': bundle['match'], 'events': []})}\n", 0),
        (f"{json.dumps(head)}\n{json.dumps({**head, 'head': 'a' * 43})}\n", 30),
        (json.dumps({**head, "head": "a" * 43}), 30),
        ("[]", 0),
        ("no receipts", 5),
        ('{"version": 3}', 5),
    ):
        receipts.write_text(text)
        assert run(VERIFY, file, receipts).returncode == code, text
    for arguments in ((nothing,), (file, nothing), ()):
        done = run(VERIFY, *arguments)
        assert done.returncode == 5
        assert done.stderr.decode().count("\n") == 1


def test_what_was_not_checked_is_not_said_to_be_fine():
    bundle = bundles.golden("spades_two/target")
    text = bundles.text(bundle)
    changed = text.replace(b"CardDrawn", b"CardDrown", 1)
    (said,) = verdicts([Case(text, changed)])
    assert said["verdict"] == "INVALID"
    found = {check["code"]: check["ok"] for check in said["checks"]}
    assert found == {
        "bundle": True,
        "bytes": False,
        "chain": False,
        "seeds": None,
        "deals": None,
        "openings": None,
        "complete": None,
        "receipts": None,
    }
    assert all(check["text"].startswith("Not made") for check in said["checks"] if check["ok"] is None)
