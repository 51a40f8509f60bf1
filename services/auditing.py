"""The verifier over a whole store, or some of it: after a restore, and whenever an operator wants to know."""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Final
from uuid import UUID

import msgspec

from services.audit import Report, verify
from services.audit.report import Verdict
from services.disclosure import bundle
from services.ids import LOWEST, SHARDS
from services.store.packed import Damaged
from services.store.store import Store

_PAGE: Final = 200
_SHOWN: Final = 20


class Wrong(msgspec.Struct, frozen=True):
    """A match that is not VALID, and the first reason."""

    match: str
    verdict: Verdict
    text: str


class Audited(msgspec.Struct, frozen=True):
    """What the verifier has said so far: of how many matches and events, how often what, and of which what is wrong.

    ``wrong`` names the first twenty.
    """

    matches: int = 0
    events: int = 0
    verdicts: dict[str, int] = {}
    wrong: tuple[Wrong, ...] = ()

    @property
    def valid(self) -> bool:
        return set(self.verdicts) <= {"VALID"}

    def told(self) -> str:
        """In one line."""
        if not self.matches:
            return "there is no match"
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(self.verdicts.items()))
        return f"{self.matches} matches with {self.events} events: {counts}"


async def audited(store: Store, most: int | None = None) -> AsyncGenerator[Audited, None]:
    """Verifies every match with everything that the store can open, or of each shard a few, ``most`` in all.

    Which they are is left to chance. After each match the sum so far is given. Raises ``Unavailable``.
    """
    done = Audited()
    async for match in _every(store) if most is None else _some(store, most):
        done = _added(done, match, *await _looked_at(store, match))
        yield done


async def _every(store: Store) -> AsyncIterator[str]:
    for shard in SHARDS:
        after = LOWEST
        while page := await store.matches_of_shard(shard, after, _PAGE):
            for match in page:
                yield match
            after = page[-1]


async def _some(store: Store, most: int) -> AsyncIterator[str]:
    left = most
    for number, shard in enumerate(SHARDS):
        oldest, newest = await store.matches_of_shard(shard, LOWEST, 1), await store.newest_of_shard(shard)
        if not oldest or newest is None:
            continue
        first, last = UUID(oldest[0]).int, UUID(newest).int
        begin = str(UUID(int=first + secrets.randbelow(last - first + 1)))
        share = -(-left // (len(SHARDS) - number))
        found = await store.matches_of_shard(shard, begin, share)
        if len(found) < share:
            known = set(found)
            front = await store.matches_of_shard(shard, LOWEST, share)
            found += [match for match in front if match not in known][: share - len(found)]
        left -= len(found)
        for match in found:
            yield match


async def _looked_at(store: Store, match: str) -> tuple[int, Verdict, str]:
    """How many events it has, the verdict, and what is wrong if it is not VALID."""
    head = await store.head(match)
    try:
        events = await store.events(match)
        until = len(events)
        openings = await store.openings(match, until=until)
    except Damaged as error:
        return 0, "INVALID", str(error)
    if head is None or len(events) < head[0]:
        return until, "INVALID", f"the match is said to have {head and head[0]} events, and {until} are there"
    if events[head[0] - 1].hash != head[1]:
        return until, "INVALID", f"the match is kept with another head than its event {head[0]} has"
    report = verify(bundle(events, openings, "all", 0))
    return len(events), report.verdict, _reason(report)


def _reason(report: Report) -> str:
    failed = sorted((check for check in report.checks if not check.ok), key=lambda check: check.ok is None)
    return failed[0].text if failed else ""


def _added(done: Audited, match: str, events: int, verdict: Verdict, text: str) -> Audited:
    wrong: Sequence[Wrong] = () if verdict == "VALID" or len(done.wrong) >= _SHOWN else (Wrong(match, verdict, text),)
    counts = done.verdicts | {verdict: done.verdicts.get(verdict, 0) + 1}
    return Audited(done.matches + 1, done.events + events, counts, (*done.wrong, *wrong))
