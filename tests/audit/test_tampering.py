"""No edit of a real bundle passes for the match that was played: by the Python verifier, nor by the JavaScript one.

For each edit the tests know the verdict and the check that fails. What the JavaScript verifier does not check it need
not find; what both check they find alike. Each test prints how many cases it had.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from uuid import UUID

import pytest

from domain.games import GAMES
from domain.hidden import b64u
from domain.match import commands
from services.audit import Receipt, Report, verify
from services.audit.report import verdict_of
from tests.audit import bundles, edits_of_deals, edits_of_files, edits_of_records
from tests.audit.bundles import Bundle
from tests.audit.edits_of_files import Edit
from tests.audit.forge import Forger
from tests.audit.in_node import Case, executable, verdicts
from tests.domain import golden_games
from tests.domain.match.drive import Drive
from tests.engine import played as engine

BY_RULES = {"moves", "scores", "audiences"}
"""The checks that the JavaScript verifier does not make."""

CUT = re.compile("in the middle of a command")
"""What the check of completeness says by the rules: that something was still due."""

STORED = {
    "whos-the-ass": "whos_the_ass/ass_last",
    "spades-two": "spades_two/double_nil_both",
    "osel-trumps": "osel_trumps/four_first_out",
}
"""Stored matches; those of the other games were seated as the service does not do it, and are driven here anew."""

SHORT = {
    "whos-the-ass": "whos_the_ass/resigned",
    "spades-two": "spades_two/resigned",
    "osel-trumps": "osel_trumps/resigned",
}
SEATS = {"whos-the-ass": 4, "osel-fours": 3, "osel-trumps": 3}
FLIPS = 200
SLIPS = 120
REWRITTEN = 80

every_game = pytest.mark.parametrize("game", GAMES)


@cache
def played(game: str) -> Bundle:
    """A match by strangers with seeds of their own, up to some way into a hand; then all but one give up."""
    seats = SEATS.get(game, GAMES[game].seats[0])
    chance = random.Random(f"{game} is played")
    with pytest.MonkeyPatch.context() as fixed:
        fixed.setattr(engine, "new_id", lambda: str(UUID(int=chance.getrandbits(128))))
        fixed.setattr(engine, "new_secret", lambda: chance.randbytes(32))
        fixed.setattr("secrets.token_bytes", chance.randbytes)
        match = engine.Played({}, seats, game, taste=1)
        match.reveal(match.seat_all(frozenset(range(seats))))
        for _ in range(30):
            if match.state.status == "playing":
                match.move()
        for seat in range(seats - 1):
            if match.state.status == "playing":
                secret = b64u(match.keeper.secret(match.state.ended + 1))
                match.do(engine.take(commands.Resign(f"player {seat}", secret), seat))
    openings = [(entry.version, entry.opening) for entry in match.openings]
    return bundles.of([event.data for event in match.events], openings)


@cache
def driven(game: str, moves: int) -> Bundle:
    """The same match every time: so many moves, with a hand or two, and then all but one give up."""
    drive = Drive(secret=b"\x0b" * 32)
    players = [f"player {seat}" for seat in range(SEATS.get(game, GAMES[game].seats[0]))]
    golden_games.sit(drive, game, players)
    for _ in drive.play(random.Random(game).choice, moves):
        pass
    for player in players[1:]:
        if drive.state.status == "playing":
            drive.do(commands.Resign(player, drive.hand_secret()), by=drive.seat(player))
    assert drive.state.over
    return bundles.driven(drive)


def matches(game: str) -> dict[str, Bundle]:
    stored = bundles.golden(STORED[game]) if game in STORED else driven(game, 45)
    return {"stored": stored, "played": played(game)}


def judged(edit: Edit) -> Report:
    return verify(edit.bundle, [Receipt(version, head) for version, head in edit.receipts])


def failed(report: Report) -> set[str]:
    return {check.code for check in report.checks if check.ok is False}


def unmade(report: Report) -> set[str]:
    return {check.code for check in report.checks if check.ok is None}


def without_rules(report: Report) -> str:
    """The verdict by those checks only that need no rules of play, and were made: a broken rule can end a replay."""
    made = [check for check in report.checks if check.ok is not None and check.code not in BY_RULES]
    return verdict_of([check for check in made if not CUT.search(check.text)])


def check_alike(base: bytes, edits: Sequence[Edit], reports: Sequence[Report]) -> int:
    """Both verifiers say the same, of all or, where rules of play are broken, of what needs none. Returns how often."""
    if executable() is None:
        return 0
    said = verdicts([Case(base, edit.bundle, edit.receipts) for edit in edits])
    for edit, report, other in zip(edits, reports, said, strict=True):
        assert other["verdict"] in (report.verdict, without_rules(report)), (edit.name, report, other)
    return sum(report.verdict == other["verdict"] for report, other in zip(reports, said, strict=True))


@every_game
def test_the_matches_are_valid_before_anything_is_done_to_them(game: str):
    for name, bundle in matches(game).items():
        whole = Edit(name, bundles.text(bundle), "", receipts=edits_of_records.heads(bundle))
        report = judged(whole)
        assert report.verdict == "VALID", report.checks
        assert check_alike(whole.bundle, [whole], [report]) == (executable() is not None)


def test_white_space_between_its_tokens_is_no_edit_of_a_bundle():
    bundle = played("osel-fours")
    for data in (json.dumps(bundle, indent=1).encode(), b"\n" + bundles.text(bundle) + b"\r\n"):
        edit = Edit("white space", data, "")
        report = judged(edit)
        assert report.verdict == "VALID", report.checks
        check_alike(bundles.text(bundle), [edit], [report])


def all_edits(bundle: Bundle) -> Iterator[Edit]:
    yield from edits_of_files.edits(bundle)
    yield from edits_of_records.edits(bundle)
    yield from edits_of_deals.edits(bundle)


@every_game
def test_every_edit_is_found_by_the_check_that_it_is_for(game: str):
    for name, bundle in matches(game).items():
        base = bundles.text(bundle)
        edits = [edit for edit in all_edits(bundle) if edit.bundle != base or edit.receipts]
        reports, wrong = [judged(edit) for edit in edits], []
        for edit, report in zip(edits, reports, strict=True):
            found = failed(report) if report.verdict != "INCOMPLETE" else failed(report) | unmade(report)
            by_code = not edit.code or found & {*edit.code.split("|")}
            by_verdict = report.verdict == edit.verdict if edit.verdict else report.verdict in ("INVALID", "DIVERGED")
            if not (by_code and by_verdict):
                wrong.append((edit.name, edit.code, edit.verdict, report.verdict, sorted(found)))
        assert wrong == []
        assert len({edit.name for edit in edits}) == len(edits) >= 40
        alike = check_alike(base, edits, reports)
        spread = Counter(report.verdict for report in reports)
        print(f"{game}, {name} match: {len(edits)} edits, {dict(spread)}, JavaScript says the same of {alike}")


def flips(bundle: Bundle, chance: random.Random) -> Iterator[Edit]:
    """Single bits of the events, every event in turn; then of the file, wherever they fall."""
    for number in range(FLIPS):
        place = number % len(bundle["events"])
        data = bytearray(bundle["events"][place].encode())
        bit = chance.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        events = [*bundle["events"][:place], data.decode("latin-1"), *bundle["events"][place + 1 :]]
        yield Edit(f"bit {bit} of event {place + 1}", bundles.text({**bundle, "events": events}), "")
    whole = bundles.text(bundle)
    for _ in range(FLIPS // 2):
        bit = chance.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        yield Edit(f"bit {bit} of the file", bytes(flipped), "")


@every_game
def test_no_flipped_bit_passes(game: str):
    bundle = bundles.golden(SHORT[game]) if game in SHORT else driven(game, 5)
    edits = [*flips(bundle, random.Random(f"flips of {game}"))]
    reports = [judged(edit) for edit in edits]
    passed = [edit.name for edit, report in zip(edits, reports, strict=True) if report.verdict == "VALID"]
    assert passed == []
    alike = check_alike(bundles.text(bundle), edits, reports)
    spread = Counter(report.verdict for report in reports)
    print(f"{game}: {len(edits)} bits, {dict(spread)}, JavaScript says the same of {alike}")


def slips(bundle: Bundle, chance: random.Random) -> Iterator[Edit]:
    """Pieces of the file dropped, doubled, put elsewhere, or replaced by some other piece of JSON."""
    whole = bundles.text(bundle)
    pieces = (
        b"0",
        b"-1",
        b"1.5",
        b"1e9",
        b"null",
        b"true",
        b'""',
        b"[]",
        b"{}",
        b",",
        b":",
        b'"',
        b"\\",
        b"[",
        b"}",
        b"9" * 40,
    )
    for number in range(SLIPS):
        start = chance.randrange(len(whole))
        end = min(len(whole), start + chance.choice((1, 2, 7, 60, 600)))
        elsewhere = chance.randrange(len(whole))
        match number % 4:
            case 0:
                data = whole[:start] + whole[end:]
            case 1:
                data = whole[:end] + whole[start:end] + whole[end:]
            case 2:
                data = whole[:elsewhere] + whole[start:end] + whole[elsewhere:]
            case _:
                data = whole[:start] + chance.choice(pieces) + whole[end:]
        if data != whole:
            yield Edit(f"slip {number} at {start}", data, "")


def rewritten(bundle: Bundle, chance: random.Random) -> Iterator[Edit]:
    """One value of some event is another, and all is hashed again by somebody who forgets the players' receipts."""
    told = edits_of_records.heads(bundle)
    for number in range(REWRITTEN):
        forger = Forger(bundle)
        event = forger.events[number % len(told)]
        holder = chance.choice([event, event["body"], event["body"]])
        name = chance.choice(sorted(holder.keys() - {"body", "prev"}))
        holder[name] = other_than(holder[name], chance)
        forger.rekey()
        again = forger.chained(resalt=name != "salt")
        yield Edit(f"{number}: {name} of {event['type']}", bundles.text(again), "", receipts=told)


def other_than(value: Any, chance: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-1, 1, 2**20))
        case str():
            return value[1:] + "x"
        case [first, *others]:
            return [other_than(first, chance), *others]
        case dict() as fields if fields:
            name = chance.choice(sorted(fields))
            return {**fields, name: other_than(fields[name], chance)}
        case _:
            return 1


@every_game
def test_no_slip_and_nothing_rewritten_passes(game: str):
    bundle = bundles.golden(SHORT[game]) if game in SHORT else driven(game, 5)
    chance = random.Random(f"slips of {game}")
    edits = [*slips(bundle, chance), *rewritten(bundle, chance)]
    reports = [judged(edit) for edit in edits]
    passed = [edit.name for edit, report in zip(edits, reports, strict=True) if report.verdict == "VALID"]
    assert passed == []
    alike = check_alike(bundles.text(bundle), edits, reports)
    spread = Counter(report.verdict for report in reports)
    print(f"{game}: {len(edits)} slips and rewritten events, {dict(spread)}, JavaScript says the same of {alike}")
