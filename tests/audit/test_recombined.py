"""Bundles put together from those of two matches: of each game, with hashes and numbers made good."""

from collections.abc import Iterator

import pytest

from domain.games import GAMES
from services.audit import verify
from tests.audit import bundles
from tests.audit.bundles import Bundle
from tests.audit.forge import Forger
from tests.audit.in_node import Case, executable, verdicts
from tests.audit.test_cases_and_clocks import disputed
from tests.audit.test_tampering import played


def recombined(one: Bundle, other: Bundle) -> Iterator[tuple[str, Bundle]]:
    yield "the openings of another match", {**one, "openings": other["openings"]}
    yield "the keys of another match", {**one, "keys": other["keys"]}
    yield "the events of another match", {**one, "events": other["events"]}
    yield "the head of another match", {**one, "head": other["head"]}
    shorter = min(len(one["events"]), len(other["events"]))
    for cut in (1, shorter // 2, shorter - 1):
        forger, second = Forger(one), Forger(other)
        forger.events[cut:] = second.events[cut:]
        for event in forger.events:
            event["match"] = one["match"]
        forger.bundle["openings"] = [
            *(entry for entry in one["openings"] if entry["version"] <= cut),
            *(entry for entry in other["openings"] if entry["version"] > cut),
        ]
        forger.rekey()
        yield f"another match from event {cut + 1} on", forger.chained(renumber=True)
    twice = Forger(one)
    twice.events = [*twice.events, *(dict(event, body=dict(event["body"])) for event in twice.events)]
    twice.rekey()
    yield "the match twice", twice.chained(renumber=True)
    behind = Forger(one)
    behind.events = [*behind.events, *(dict(event, match=one["match"]) for event in Forger(other).events[1:])]
    behind.rekey()
    yield "another match behind it", behind.chained(renumber=True)


@pytest.mark.parametrize("game", GAMES)
def test_no_bundle_of_two_matches_is_valid(game: str):
    one, other = played(game), disputed(game)
    cases = [*recombined(one, other), *recombined(other, one)]
    for name, bundle in cases:
        assert verify(bundles.text(bundle)).verdict == "INVALID", name
    print(f"{game}: {len(cases)} bundles of two matches, none valid")
    if executable() is not None:
        base = bundles.text(one)
        said = verdicts([Case(base, bundles.text(bundle)) for _, bundle in cases])
        assert all(answer["verdict"] == "INVALID" for answer in said), [
            (name, answer) for (name, _), answer in zip(cases, said, strict=True) if answer["verdict"] != "INVALID"
        ]
