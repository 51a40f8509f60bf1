"""``verify``: every check of a bundle, one after another, whatever the ones before it have found."""

from collections.abc import Iterator, Sequence

from domain.event import chained
from domain.hidden import b64u
from services.audit.bundle import Unreadable, read
from services.audit.record import Record, check_chain, check_complete, check_header, check_openings
from services.audit.replay import Replay, check_sums
from services.audit.report import CHOSEN, HELD, UNSEEN, Findings, Receipt, Report, verdict_of
from services.audit.seeds import Seeds


def verify(bundle: bytes, receipts: Sequence[Receipt] = ()) -> Report:
    """What can be said of a match by its bundle and the receipts of a player. Never raises, whatever it is given."""
    findings = Findings()
    try:
        said = read(bundle)
    except Unreadable as error:
        findings.fail("bundle", str(error))
        findings.unmade("Not made: there is no bundle.", *(code for code in HELD if code != "bundle"))
        return Report("", "", "INVALID", 0, "", findings.made(), (), (UNSEEN, CHOSEN))
    record = Record(said, findings)
    check_header(record)
    check_chain(record)
    seeds = Seeds(record)
    seeds.check()
    check_openings(record)
    check_complete(record)
    Replay(record).check()
    check_sums(record)
    _check_receipts(record, receipts)
    checks = findings.made()
    return Report(
        match=said.match,
        game=said.game,
        verdict=verdict_of(checks),
        versions=len(record.events),
        head=record.head,
        checks=checks,
        hands=seeds.hands,
        limits=tuple(_limits(record, seeds)),
    )


def _limits(record: Record, seeds: Seeds) -> Iterator[str]:
    """What this audit does not show."""
    if record.sealed_hand:
        yield f"Hand {record.sealed_hand} is under way: its deal and its play can be checked when it is open."
    yield UNSEEN
    if not seeds.hands or not all(hand.own for hand in seeds.hands):
        yield CHOSEN


def _check_receipts(record: Record, receipts: Sequence[Receipt]) -> None:
    mine = [receipt for receipt in receipts if receipt.match in ("", record.bundle.match)]
    for receipt in mine:
        if not 1 <= receipt.version <= len(record.events):
            text = f"There is a receipt for event {receipt.version}, and the record ends at {len(record.events)}."
            record.findings.fail("receipts", text, receipt.version)
        elif b64u(chained(record.events[receipt.version - 1].data)) != receipt.head:
            text = "A player was told another head after this event."
            record.findings.fail("receipts", text, receipt.version)
    if not mine:
        record.findings.unmade("Not made: there is no receipt of this match to compare.", "receipts")
    else:
        record.findings.add(f"There are {len(mine)}.", "receipts")
