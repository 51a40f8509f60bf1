"""docs/audit-format.md is enough to write a verifier from: what it prints as an example is true as it is printed."""

import json
import re
import subprocess
import sys

from domain.games import GAMES
from domain.hidden import digest_of
from services.audit import EXIT_CODES
from tests.audit import bundles, vectors
from tests.audit.in_node import VERIFY

PAGE = (bundles.ROOT / "docs/audit-format.md").read_text(encoding="utf-8")
(SCRIPT,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(PRINTED,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def test_the_script_of_the_page_prints_what_the_page_says():
    done = subprocess.run([sys.executable, "-I", "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == PRINTED


def test_the_example_is_the_match_among_the_vectors():
    bundle = bundles.golden(vectors.EXAMPLE)
    events = [json.loads(text) for text in bundle["events"]]
    bodies = {event["version"]: event["body"] for event in events}
    for text in (bodies[9]["secret"], bodies[6]["salt"], bodies[4]["seed"], bodies[5]["seed"]):
        assert f'raw("{text}")' in SCRIPT
    lot, pack, digest = PRINTED.splitlines()
    assert bodies[7]["dealer"] == int(lot.split()[0])
    assert bodies[7]["hands"][1]["digest"] == digest
    (opening,) = (entry for entry in bundle["openings"] if (entry["version"], entry["path"]) == (7, "hands.1"))
    assert f"hand = '{opening['value']}'" in SCRIPT
    assert sorted(pack.split()[::2]) == sorted(json.loads(opening["value"]))
    assert digest_of(bundles.raw(opening["salt"]), opening["value"].encode()) == digest


def test_every_game_has_its_draws_on_the_page():
    (table,) = re.findall(r"\| game \| draw .*?\n\n", PAGE, re.DOTALL)
    for game in GAMES.values():
        assert f"`{game.id}`" in table
        for event in game.draws:
            assert f"`{event.__name__}`" in table


def test_the_page_has_every_code_and_every_verdict():
    (codes,) = re.findall(r"\| code \| holds if \|\n\|---\|---\|\n(.*?)\n\n", PAGE, re.DOTALL)
    assert re.findall(r'^  \["(\w+)", \[', VERIFY.read_text(encoding="utf-8"), re.MULTILINE) == [
        code for code in re.findall(r"`(\w+)`", codes) if code not in ("moves", "scores", "audiences")
    ]
    for verdict, code in EXIT_CODES.items():
        assert re.search(rf"`{verdict}` \((exit code )?{code}\)", PAGE), verdict
