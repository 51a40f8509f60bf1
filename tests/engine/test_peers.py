"""Processes that share a database: who does what, who is there, and what happens when one falls silent."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID

import pytest

from projections.registry import PROJECTIONS
from services import peers as sharing
from services.api import presence as presences
from services.api.presence import Presence
from services.ids import SHARDS, new_id
from services.parts import Parts
from services.peers import Peers
from services.projector import Projector
from services.projector import runner as projecting
from services.store.store import Store
from tests.projections.streams import append, assert_exact, caught_up, played, streams
from tests.waiting import eventually

WORK = [f"match {number}" for number in range(300)]


@pytest.fixture
async def three(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[Peers]:
    """Three processes that know each other, though the next one takes its time to say that it lives."""
    monkeypatch.setattr(sharing, "LIVING_SECONDS", 40.0)
    peers = [Peers(store) for _ in range(3)]
    for _ in range(2):
        for peer in peers:
            await peer.beat()
    return peers


def doers(peers: list[Peers]) -> list[list[int]]:
    """For each piece of work, which of ``peers`` would do it."""
    return [[place for place, peer in enumerate(peers) if peer.mine(work)] for work in WORK]


async def test_who_is_alone_does_everything(store: Store):
    alone = Peers(store)
    assert all(map(alone.mine, WORK))
    await alone.beat()
    assert (alone.count, all(map(alone.mine, WORK))) == (1, True)


def test_each_piece_of_work_falls_to_one_and_everybody_has_a_share(three: list[Peers]):
    by = doers(three)
    assert all(len(who) == 1 for who in by)
    assert {who for [who] in by} == {0, 1, 2}
    assert [peer.count for peer in three] == [3, 3, 3]


async def test_what_a_silent_one_did_the_others_do_and_the_rest_stays_where_it_was(store: Store, three: list[Peers]):
    before = doers(three)
    heard: list[int] = []
    three[0].listen(lambda: heard.append(three[0].count))
    long_ago = "update process set seen = seen - interval '50 seconds' where id = $1"

    await store.ask(lambda lent: lent.execute(long_ago, UUID(three[2].id)))
    await three[0].beat()
    await three[1].beat()

    after = doers(three[:2])
    assert heard == [2]
    assert all(len(who) == 1 for who in after)
    assert all(now == then for now, then in zip(after, before, strict=True) if then != [2])


async def test_one_that_leaves_is_not_waited_for_and_one_that_was_stopped_comes_back(three: list[Peers]):
    await three[2].leave()
    await three[0].beat()
    assert three[0].count == 2
    await three[2].beat()
    await three[0].beat()
    assert three[0].count == 3


async def test_a_part_that_fails_or_ends_is_started_again_and_counted():
    runs: list[int] = []

    async def work() -> None:
        runs.append(1)
        if len(runs) == 1:
            raise ZeroDivisionError("a fault in the part")
        if len(runs) > 2:
            await asyncio.sleep(3600)

    parts = Parts(pause=0.01)
    parts.start("work", work)

    async def third() -> bool:
        return len(runs) == 3

    await eventually(third)
    assert parts.restarts == {"work": 2}
    assert parts.ailing == ("work",)
    await parts.stop()


async def test_runners_with_a_share_each_carry_all_shards_together(
    store: Store, three: list[Peers], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(projecting, "HELP_SECONDS", 3600.0)  # nobody takes up what another is slow with
    await Projector(store).prepare()
    drives = [played(seed, moves=6) for seed in range(40)]
    for drive in drives:
        await append(store, drive)
    runners = [Projector(store, mine=peer.mine) for peer in three]
    owned = [{shard for shard in SHARDS if peer.mine(f"shard {shard}")} for peer in three]
    assert set().union(*owned) == set(SHARDS)
    assert sum(map(len, owned)) == len(SHARDS)

    moved = [await caught_up(runner) for runner in runners]

    assert sum(moved) == len(PROJECTIONS) * sum(len(drive.log) for drive in drives)
    assert max(moved) < sum(moved)
    await assert_exact(store, streams(*drives))


async def test_a_shard_that_its_runner_lets_stand_is_taken_up_by_another(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(projecting, "HELP_SECONDS", 0.05)
    await Projector(store).prepare()
    drive = played(1)
    await append(store, drive)
    helper = Projector(store, mine=lambda _: False, page=20)

    async def caught() -> bool:
        await helper.run_once()
        return not any((await helper.lag()).values())

    await eventually(caught)
    await assert_exact(store, streams(drive))


@pytest.fixture
async def two(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Presence, Presence]]:
    """The presence of two processes that both tell each other all the time."""
    monkeypatch.setattr(presences, "FLUSH_SECONDS", 0.02)
    monkeypatch.setattr(presences, "KEPT_SECONDS", 0.0)
    peers = [Peers(store), Peers(store)]
    both = [Presence(store, peer.id) for peer in peers]
    parts = Parts()
    for place, (peer, presence) in enumerate(zip(peers, both, strict=True)):
        await peer.beat()
        parts.start(f"peers {place}", peer.run)
        parts.start(f"presence {place}", presence.run)
    yield both[0], both[1]
    assert not any(parts.restarts.values())
    await parts.stop()


async def seen(presence: Presence, match: str, expected: Callable[[], bool]) -> None:
    async def so() -> bool:
        await presence.look(match)
        return expected()

    await eventually(so)


async def test_who_comes_and_goes_in_one_process_is_known_in_another(two: tuple[Presence, Presence]):
    here, there = two
    match = new_id()
    for player in ("ann", "ben", None, None, "ben"):
        here.come(match, player)
    there.come(match, "ben")
    there.come(match, None)

    await seen(there, match, lambda: there.spectators(match) == 7)
    assert there.spectators(match, {"ann", "ben"}) == 3
    assert (there.has(match, "ann"), there.has(match, "ben"), there.has(match, "cid")) == (True, True, False)
    assert there.spectators(new_id()) == 0

    for player in ("ann", "ben", None, None, "ben"):
        here.go(match, player)
    await seen(there, match, lambda: there.spectators(match) == 2)
    assert (there.has(match, "ann"), there.has(match, "ben")) == (False, True)


async def test_what_another_lost_is_told_anew(
    store: Store, two: tuple[Presence, Presence], monkeypatch: pytest.MonkeyPatch
):
    here, there = two
    match = new_id()
    monkeypatch.setattr(presences, "AFRESH_SECONDS", 0.02)
    here.come(match, "ann")
    await seen(there, match, lambda: there.has(match, "ann"))
    await store.ask(lambda lent: lent.execute("delete from presence"))
    await seen(there, match, lambda: there.has(match, "ann"))
