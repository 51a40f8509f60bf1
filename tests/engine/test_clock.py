"""One time for all processes, and a clock that strikes once for each deadline, whatever dies or stumbles meanwhile."""

import asyncio
import random
from time import monotonic_ns

import msgspec
import pytest

from domain.event import chained
from domain.hidden import b64u
from domain.match import clock as clocks
from domain.match import rules
from domain.match.clock import TooLate
from domain.match.state import Clock as Limits
from domain.match.state import ClockExpired, State, TimeUsed
from services.clock import TRUST_NS, Clock, SharedTime
from services.feed import Feed
from services.matches import Matches
from services.projector import Projector
from services.readmodels import ReadModels
from services.requests import OpenRequest
from services.store.records import Unavailable
from services.store.store import Store
from tests.engine.played import audited
from tests.projections.streams import caught_up

SECRET = b"the same in every process"
HOUR = 3_600_000
SECOND_NS = 1_000_000_000


class Time:
    """The time of these tests: it stands still unless somebody moves it."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
async def projector(store: Store) -> Projector:
    projector = Projector(store)
    await projector.prepare()
    return projector


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def matches(store: Store, feed: Feed, time: Time) -> Matches:
    return Matches(store, feed, SECRET, time)


async def started(
    matches: Matches, limits: Limits | None, game: str = "whos-the-ass", seats: int = 3, **options: object
) -> str:
    """A match with players p0, p1, ... whose seeds are all in the server's custody."""
    done = await matches.open("host", OpenRequest(game, seats, options, limits), b"{}", None)
    for seat in range(seats):
        await matches.seat(done.match, f"p{seat}", None, None, b"", None)
    return done.match


async def sealed(matches: Matches, limits: Limits) -> str:
    """A match in which two seats are due at once. Its target is so high that a few swaps do not end it."""
    match = await started(matches, limits, "osel-fours", 2, return_mode="sealed", target=6)
    assert rules.to_act(await matches.state(match)) == {0, 1}
    return match


async def first_move(matches: Matches, match: str, seat: int | None = None, key: str | None = None) -> None:
    state = await matches.state(match)
    who = f"p{min(rules.to_act(state)) if seat is None else seat}"
    await matches.move(match, who, msgspec.json.encode((await matches.legal(match, who)).moves[0]), key)


async def told(store: Store, match: str, kind: type) -> list:
    """The events of that type, as they were stored."""
    return [body for event in await store.events(match) if isinstance(body := event.decoded().body, kind)]


async def verdict(store: Store, match: str) -> str:
    return audited(await store.events(match), await store.openings(match)).verdict


# --- deadlines ---


async def test_a_clock_strikes_where_the_time_is_up_and_nowhere_else(
    store: Store, matches: Matches, projector: Projector, time: Time
):
    slow, quick, endless = [await started(matches, limits) for limits in (Limits(5), Limits(60, 60), None)]
    clock = Clock(ReadModels(store), matches, time)
    for passed, strokes in ((4_999, 0), (1, 1), (0, 0), (4_999, 0), (1, 1)):
        time.now += passed
        await caught_up(projector)
        before = len(await told(store, slow, ClockExpired))
        await clock.tick()
        assert len(await told(store, slow, ClockExpired)) - before == strokes
    assert await told(store, quick, ClockExpired) == []
    assert await told(store, endless, ClockExpired) == []
    assert await verdict(store, slow) == "VALID"


async def test_of_two_seats_that_are_due_at_once_each_has_its_own_deadline(
    store: Store, matches: Matches, projector: Projector, time: Time
):
    match = await sealed(matches, Limits(5, 10))
    clock = Clock(ReadModels(store), matches, time)
    await first_move(matches, match, 0)
    time.now += 14_000
    await first_move(matches, match, 1)  # a second of its bank is left
    time.now += 6_000
    await caught_up(projector)
    await clock.tick()
    assert await told(store, match, ClockExpired) == [ClockExpired(1, 6_000, 1_000, 0)]
    time.now += 9_000
    await caught_up(projector)
    await clock.tick()
    assert (await told(store, match, ClockExpired))[1:] == [ClockExpired(0, 15_000, 10_000, 0)]
    assert await verdict(store, match) == "VALID"


async def test_two_seats_whose_time_is_up_are_both_struck_at_one_look(
    store: Store, matches: Matches, projector: Projector, time: Time
):
    match = await sealed(matches, Limits(5, 10))
    time.now += 20_000
    await caught_up(projector)
    await Clock(ReadModels(store), matches, time).tick()
    assert await told(store, match, ClockExpired) == [ClockExpired(seat, 20_000, 10_000, 0) for seat in (0, 1)]
    assert rules.deadline(await matches.state(match)) == time.now + 5_000


async def test_clocks_of_several_processes_strike_once_for_each_deadline(
    store: Store, feed: Feed, projector: Projector, time: Time
):
    processes = [Matches(store, feed, SECRET, time) for _ in range(3)]
    played = [await sealed(processes[0], Limits(5, 1)) for _ in range(4)]
    clocks_of_all = [Clock(ReadModels(store), process, time) for process in processes for _ in range(2)]
    for turn in range(1, 4):
        time.now += 6_000
        await caught_up(projector)
        await asyncio.gather(*(clock.tick() for clock in clocks_of_all))
        for match in played:
            over = (await processes[0].state(match)).over  # few deals have so many fours that they can be
            assert over or len(await told(store, match, ClockExpired)) == 2 * turn
    assert {await verdict(store, match) for match in played} == {"VALID"}
    assert [refusal for match in played for refusal in await store.refusals(match)] == []


async def test_a_deadline_survives_the_end_of_every_process(
    store: Store, feed: Feed, database_url: str, projector: Projector, time: Time
):
    match = await sealed(Matches(store, feed, SECRET, time), Limits(30, 30))
    await first_move(Matches(store, feed, SECRET, time), match, 1)
    until = rules.deadline(await Matches(store, feed, SECRET, time).state(match))
    await caught_up(projector)
    again = await Store.connect(database_url)
    try:
        clock = Clock(ReadModels(again), Matches(again, feed, SECRET, time), time)
        assert until == time.now + 60_000
        for passed, strokes in ((59_999, 0), (1, 1)):
            time.now += passed
            await clock.tick()
            assert len(await told(again, match, ClockExpired)) == strokes
    finally:
        await again.close()


async def test_a_clock_looks_at_a_match_no_more_often_than_its_time_can_be_up(
    store: Store, feed: Feed, projector: Projector, time: Time
):
    class Counted(Matches):
        looks = 0

        async def state(self, match: str) -> State:
            self.looks += 1
            return await super().state(match)

    matches, counted = Matches(store, feed, SECRET, time), Counted(store, feed, SECRET, time)
    match = await started(matches, Limits(10, 0), seats=4)
    clock = Clock(ReadModels(store), counted, time)
    for _ in range(40):  # in four minutes every seat has been waited for; the read model cannot tell for whom
        time.now += 6_000
        await first_move(matches, match)
        await caught_up(projector)
        await clock.tick()
    assert 0 < counted.looks <= 24
    assert await told(store, match, ClockExpired) == []
    time.now += 10_000
    await clock.tick()
    assert len(await told(store, match, ClockExpired)) == 1


async def test_a_clock_leaves_to_others_what_is_not_its_own(
    store: Store, matches: Matches, projector: Projector, time: Time
):
    mine, theirs = [await started(matches, Limits(5)) for _ in range(2)]
    time.now += 5_000
    await caught_up(projector)
    await Clock(ReadModels(store), matches, time, mine=lambda match: match == mine).tick()
    assert [len(await told(store, match, ClockExpired)) for match in (mine, theirs)] == [1, 0]


# --- moves and their time ---


async def test_a_late_move_is_refused_and_kept_as_evidence_though_no_clock_has_struck(
    store: Store, matches: Matches, time: Time
):
    match = await started(matches, Limits(5, 5))
    before = await matches.state(match)
    seat = min(rules.to_act(before))
    time.now += 10_000
    check = await matches.check(match, f"p{seat}", b'{"type":"play","cards":["1"]}')
    assert (check.legal, check.clause) == (False, "5.5")
    with pytest.raises(TooLate):
        await first_move(matches, match)
    (refusal,) = await store.refusals(match)
    assert (refusal.seat, refusal.status, refusal.game, refusal.clause) == (seat, 409, "match", "5.5")
    assert (refusal.at, refusal.version) == (time.now, before.version)
    assert await matches.state(match) == before


async def test_a_move_counts_by_the_time_at_which_it_came_however_long_it_waits(
    store: Store, matches: Matches, time: Time, monkeypatch
):
    match = await started(matches, Limits(5, 0))
    append, reached, free = store.append, asyncio.Event(), asyncio.Event()

    async def slow(*command):
        reached.set()
        await free.wait()
        return await append(*command)

    monkeypatch.setattr(store, "append", slow)
    time.now += 2_000
    due = min(rules.to_act(await matches.state(match)))
    first = msgspec.json.encode((await matches.legal(match, f"p{due}")).moves[0])
    other = asyncio.create_task(matches.resign(match, f"p{(due + 1) % 3}", None))
    await reached.wait()  # now the match is busy
    move = asyncio.create_task(matches.move(match, f"p{due}", first, None))
    await asyncio.sleep(0)  # now the move waits for it
    time.now += HOUR
    free.set()
    await asyncio.gather(other, move)
    assert [used.used for used in await told(store, match, TimeUsed)] == [2_000]


async def test_a_clock_that_is_set_back_moves_no_event_before_another(store: Store, matches: Matches, time: Time):
    match = await started(matches, Limits(5, 5), games=1)
    chance = random.Random(5)
    while (state := await matches.state(match)).status == "playing" and state.version < 80:
        time.now += chance.choice([-HOUR, -1_000, 0, 900, 3_000])
        until = rules.deadline(state)
        assert until is not None
        time.now = min(time.now, until - 1)
        await first_move(matches, match)
    stored = [event.at for event in await store.events(match)]
    assert stored == sorted(stored)
    assert [event.decoded().at for event in await store.events(match)] == stored
    assert min(used.used for used in await told(store, match, TimeUsed)) >= 0
    assert await verdict(store, match) == "VALID"


async def test_a_new_match_has_a_clock_for_each_seat_though_it_names_no_bank(matches: Matches):
    state = await matches.state(await started(matches, Limits(30)))
    assert (state.clock, state.banks) == (Limits(30, 0), (0, 0, 0))
    assert clocks.since(state, min(rules.to_act(state))) == state.at


async def test_a_ledger_that_was_bent_is_found_out(store: Store, matches: Matches, time: Time):
    match = await started(matches, Limits(5, 10))
    time.now += 7_000
    await first_move(matches, match)
    events, openings = await store.events(match), await store.openings(match)
    (place,) = [place for place, event in enumerate(events) if event.code == 13]
    assert audited(events, openings).verdict == "VALID"
    for old, new in ((b'"used":7000', b'"used":6000'), (b'"after":8000', b'"after":9000')):
        assert old in events[place].data
        bent = list(events)
        prev = bent[place].prev
        for number, event in enumerate(bent[place:], start=place):
            data = event.data.replace(old, new) if number == place else _after(event.data, prev)
            digest = chained(data)
            bent[number] = msgspec.structs.replace(event, data=data, prev=prev, hash=digest)
            prev = digest
        report = audited(bent, openings)
        assert report.verdict == "INVALID"
        assert "moves" in [check.code for check in report.checks if check.ok is False]


def _after(data: bytes, prev: bytes) -> bytes:
    """The event, chained to another one before it."""
    envelope = msgspec.json.decode(data) | {"prev": b64u(prev)}
    return msgspec.json.encode(envelope, order="sorted")


# --- the time ---


class Machines:
    """A database and a process, each with a clock of its own, and a way between them that takes time."""

    def __init__(self) -> None:
        self.true = 1_700_000_000 * SECOND_NS
        self.database_ahead = 0
        self.process_ahead = -50_000 * SECOND_NS
        self.there = self.back = SECOND_NS // 1000
        self.away = False

    def monotonic(self) -> int:
        return self.true + self.process_ahead

    async def ask(self) -> int:
        if self.away:
            raise Unavailable("away")
        self.true += self.there
        told = self.true + self.database_ahead
        self.true += self.back
        return told // 1000

    def shared(self) -> SharedTime:
        return SharedTime(self.ask, self.monotonic)

    def wrong(self, shared: SharedTime) -> int:
        """By how many milliseconds the shared time is not that of the database."""
        return shared.now_ms() - (self.true + self.database_ahead) // 1_000_000


async def test_the_time_is_that_of_the_database_whatever_the_clock_of_the_machine_says():
    machines = Machines()
    shared = machines.shared()
    with pytest.raises(RuntimeError):
        shared.now_ms()
    await shared.measure()
    assert machines.wrong(shared) in (-1, 0, 1)
    machines.true += 3 * SECOND_NS
    assert machines.wrong(shared) in (-1, 0, 1)


async def test_a_slow_answer_makes_the_time_no_worse():
    machines = Machines()
    shared = machines.shared()
    await shared.measure()
    for machines.there, machines.back in ((SECOND_NS, 0), (0, SECOND_NS), (5 * SECOND_NS, SECOND_NS)):
        await shared.measure()
        assert machines.wrong(shared) in (-1, 0, 1)


@pytest.mark.parametrize("step", [-HOUR, -2_000, 2_000, HOUR])
async def test_the_time_follows_when_the_database_or_the_monotonic_clock_jumps(step: int):
    for jumped in ("database_ahead", "process_ahead"):
        machines = Machines()
        shared = machines.shared()
        await shared.measure()
        setattr(machines, jumped, getattr(machines, jumped) + step * 1_000_000)
        await shared.measure()
        assert abs(machines.wrong(shared)) <= 2


async def test_between_measurements_the_time_trusts_the_machine_for_some_seconds_only():
    machines = Machines()
    shared = machines.shared()
    await shared.measure()
    before = shared.now_ms()
    machines.process_ahead += HOUR * 1_000_000
    assert shared.now_ms() - before == TRUST_NS // 1_000_000


async def test_while_the_database_is_away_the_time_goes_on():
    machines = Machines()
    shared = machines.shared()
    await shared.measure()
    machines.away = True
    machines.true += 4 * SECOND_NS
    with pytest.raises(Unavailable):
        await shared.measure()
    assert machines.wrong(shared) in (-1, 0, 1)


async def test_processes_whose_machines_disagree_have_one_time(store: Store):
    async def agreed(ahead: int) -> int:
        shared = SharedTime(store.time, lambda: monotonic_ns() + ahead)
        await shared.measure()
        return shared.now_ms()

    times = [await agreed(ahead * HOUR * 1_000_000) for ahead in (0, 1, -1, 10_000)]
    assert max(times) - min(times) < HOUR // 2
