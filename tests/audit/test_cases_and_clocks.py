"""Clocks with a bank, disputes and rulings in a record: both verifiers take them, and no edit of them passes."""

import json
import random
from collections import Counter
from functools import cache

import pytest

from domain.games import GAMES
from domain.match import clock, commands, rules
from domain.match.rulings import touched
from services.audit import Report, verify
from tests.audit import bundles, edits_of_cases
from tests.audit.bundles import Bundle
from tests.audit.edits_of_files import Edit
from tests.audit.forge import Forger
from tests.audit.in_node import Case, executable, needs_node, verdicts
from tests.domain import golden_games
from tests.domain.match.drive import Drive

SHORT = {"whos-the-ass": {"games": 2}, "spades-two": {"target": 100}}
"""Options with which a match is over soon."""
NEW = {"TimeUsed", "ClockExpired", "DisputeOpened", "DisputeRuled", "HandVoided", "ScoreAdjusted"}

every_game = pytest.mark.parametrize("game", GAMES)


@cache
def disputed(game: str) -> Bundle:
    """A match under a clock with a bank in which the clock strikes; ruled on after its first hand and after its end."""
    drive, chance = Drive(secret=b"\x0c" * 32), random.Random(f"{game} is disputed")
    seats = GAMES[game].seats[0]
    players = ("ann", "bob", "cid", "dan")[:seats]
    golden_games.sit(drive, game, players, clock=5, bank=3, **SHORT.get(game, {}))
    for number in range(4000):
        if drive.state.ended and not drive.state.disputes:
            rule_on_all(drive)
        if drive.state.over or number == 70:
            break
        seat = min(rules.to_act(drive.state))
        until = clock.deadline(drive.state, seat)
        assert until is not None
        up = until - drive.at
        if number % 9 == 8 or up <= 0:
            drive.expire(after=max(up, 0) + chance.choice((0, 1, 5000)))
        else:
            drive.act(seat, chance.choice(drive.legal(seat)), after=min(up - 1, chance.choice((0, 1, 4999, 5001))))
    for seat, player in enumerate(players):
        if not drive.state.over:
            drive.do(commands.Resign(player, drive.hand_secret()), by=seat)
    rule_on_all(drive)
    return bundles.driven(drive)


def rule_on_all(drive: Drive) -> None:
    """Two cases and five rulings: every kind of them, with the reasons that a form may send."""
    for player in ("ann", "bob"):
        case = f"{player} {drive.state.version}"
        first, last = max(1, drive.state.version - 900), drive.state.version
        drive.do(commands.OpenDispute(player, case, first, last), by=0 if player == "ann" else 1)
        hands = [number for number, hand in touched(drive.state, first, last) if not hand.void]
        drive.do(commands.Rule("judge", True, case, "upheld", "Ez így jó. 100 % \U0001f0a1\n\ttab", 0))
        points = tuple(range(1, len(drive.state.seats) + 1))
        hand = hands[0] if hands else 0
        reason = "a %41 miscount"
        drive.do(commands.Rule("other judge", True, case, "adjust", reason, 1, hand, points, clause="4.2"))
        if hands:
            drive.do(commands.Rule("judge", True, case, "void_hand", "void", 2, hand=hands[-1]))


def found(report: Report) -> set[str]:
    return {check.code for check in report.checks if check.ok is False}


@every_game
def test_a_match_with_a_bank_and_with_rulings_is_valid(game: str):
    bundle = disputed(game)
    report = verify(bundles.text(bundle))
    assert report.verdict == "VALID", report.checks
    types = Counter(json.loads(text)["type"] for text in bundle["events"])
    print(f"{game}: {len(bundle['events'])} events, { ({name: types[name] for name in sorted(NEW)}) }")
    assert {name for name in NEW if not types[name]} <= {"HandVoided", "ClockExpired"}


@every_game
def test_a_record_that_is_cut_off_anywhere_is_never_called_invalid(game: str):
    """It is valid between two commands, and not whole in the middle of one."""
    bundle = disputed(game)
    commands_of = [event["cmd"] for event in Forger(bundle).events]
    spread: Counter[str] = Counter()
    length = len(commands_of)
    for until in (*range(1, min(length, 60)), *range(max(length - 30, 60), length)):
        report = verify(bundles.text(cut(bundle, until)))
        spread[report.verdict] += 1
        assert report.verdict in ("VALID", "INCOMPLETE"), (until, report)
        assert found(report) <= {"complete"}, (until, report)
    print(f"{game}: {sum(spread.values())} cuts, {dict(spread)}")
    assert len(spread) == 2


def cut(bundle: Bundle, until: int) -> Bundle:
    forger = Forger(bundle)
    forger.events = forger.events[:until]
    forger.moved_openings(lambda version: version if version <= until else None)
    forger.rekey()
    return forger.chained()


def test_a_time_that_is_wrong_is_found_though_the_record_ends_with_it():
    bundle = disputed("osel-fours")
    place = Forger(bundle).where("TimeUsed")
    forger = Forger(cut(bundle, place + 1))
    forger.body(place)["used"] += 1
    report = verify(bundles.text(forger.chained()))
    assert (report.verdict, found(report)) == ("INVALID", {"complete", "moves"})


@needs_node
def test_the_javascript_verifier_takes_them_as_well():
    texts = [bundles.text(disputed(game)) for game in GAMES]
    for said in verdicts([Case(text, text) for text in texts]):
        assert said["verdict"] == "VALID", said


@every_game
def test_no_edit_of_times_cases_and_rulings_passes(game: str):
    bundle = disputed(game)
    edits = some(list(edits_of_cases.edits(bundle)))
    base, passed, byte_edits = bundles.text(bundle), [], []
    spread: Counter[str] = Counter()
    for edit in edits:
        report = verify(edit.bundle)
        spread[report.verdict] += 1
        if report.verdict != edit.verdict or (edit.code and edit.code not in found(report)):
            passed.append((edit.name, report.verdict, found(report)))
        if edit.code == "bytes":
            byte_edits.append(Case(base, edit.bundle))
    assert passed == []
    assert len(edits) > 60
    print(f"{game}: {len(edits)} edits, {dict(spread)}")
    if executable() is not None:
        refused_in_javascript(byte_edits)


def refused_in_javascript(cases: list[Case]) -> None:
    assert len(cases) >= 2
    for said in verdicts(cases):
        failed = {check["code"] for check in said["checks"] if check["ok"] is False}
        assert (said["verdict"], "bytes" in failed) == ("INVALID", True)


def some(edits: list[Edit]) -> list[Edit]:
    """Of each kind of edit those of the first and of the last event of a type."""
    kinds: dict[str, list[Edit]] = {}
    for edit in edits:
        kinds.setdefault(edit.name.partition(": ")[2], []).append(edit)
    return [edit for alike in kinds.values() for edit in dict.fromkeys((alike[0], alike[-1]))]
