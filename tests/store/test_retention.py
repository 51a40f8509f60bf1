"""Retention: what is old is forgotten, and nothing else; the record never."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from domain.match import commands
from domain.match.rulings import DISPUTE_MS
from services import retention
from services.demo import HOST
from services.ids import SHARDS, first_id, new_id, shard_of, token_hash
from services.projector import Projector
from services.retention import DAY, Behind, Forgotten, Keep, retain
from services.roster import BOTS
from services.store.accounts import LOCK
from services.store.cases import Claim
from services.store.connection import Connection
from services.store.players import erased
from services.store.records import Player, Refusal
from services.store.retention import COMING
from services.store.store import Store
from tests.engine.played import Played, finished, somewhere, take
from tests.projections.streams import caught_up
from tests.store.matches import everything
from tests.waiting import eventually

NOTHING = Keep(None, None, None)
AT_ONCE = Keep(0, 0, 0)
"""As short as may be, which is a day."""


async def now(store: Store) -> int:
    return await store.time() // 1000


def made(at: int) -> str:
    """An id of that moment."""
    return first_id(at)[:14] + "7" + new_id()[15:]


def refused(match: str, at: int) -> Refusal:
    return Refusal(match, at, "player 0", 0, 5, new_id(), 422, "whos-the-ass", "4.2", "no", b'{"type":"play"}')


async def put(store: Store, played: Played) -> Played:
    for command in played.appends:
        await store.append(command)
    return played


async def projected(store: Store) -> None:
    projector = Projector(store)
    await projector.prepare()
    await caught_up(projector)


async def test_old_attempts_at_settled_matches_are_forgotten_and_no_others(store: Store):
    # given a match that is over, one under way, one that is disputed, and one that was never opened
    over, playing, disputed = finished(), Played({"games": 2}, 3), finished()
    playing.seat_all()
    disputed.do(take(commands.OpenDispute("player 0", new_id(), 1, 2), 0))
    for played in (over, playing, disputed):
        await put(store, played)
    matches = over.match, playing.match, disputed.match, new_id()
    for match in matches:
        await store.refuse(refused(match, 1_000))
        await store.refuse(refused(match, await now(store) - DAY // 2))
    # when what is older than a day is forgotten
    events = await everything(store)
    done = await retain(store, await now(store), Keep(0, None, None))
    # then it is that of the first and of the last, and of these only what is old
    assert done == Forgotten(refusals=2)
    assert [len(await store.refusals(match)) for match in matches] == [1, 2, 2, 1]
    assert await everything(store) == events
    # when the dispute is ruled on, then its attempts go, too
    [case] = disputed.state.disputes
    known = len(disputed.appends)
    disputed.do(take(commands.Rule("arbiter", True, case.dispute, "upheld", "so it was")))
    for command in disputed.appends[known:]:
        await store.append(command)
    assert await retain(store, await now(store), Keep(0, None, None)) == Forgotten(refusals=1)


async def test_a_match_that_saw_something_new_keeps_what_was_tried_in_it(store: Store):
    played = await put(store, finished())
    await store.refuse(refused(played.match, 500))
    late = played.events[-1].at + DISPUTE_MS
    assert await retain(store, late, Keep(DISPUTE_MS, None, None)) == Forgotten()  # the last event is no older
    assert await retain(store, late, Keep(0, None, None)) == Forgotten()  # it can still be disputed
    assert await retain(store, late + 1, Keep(0, None, None)) == Forgotten(refusals=1)


async def test_old_keys_are_forgotten_but_not_those_of_the_demo_and_not_for_the_young(store: Store):
    moment = await now(store)
    old, young = made(moment - 3 * DAY), made(moment - DAY // 2)
    ann = new_id()
    await store.add_player(ann, "Ann", token_hash("a"))
    await store.ensure_players([HOST])
    for player in (ann, "", HOST.player):
        await store.claim(player, b"old", b"f", old)
        await store.claim(player, b"young", b"f", young)
    assert await retain(store, moment, Keep(None, 4 * DAY, None)) == Forgotten()
    assert await retain(store, moment, Keep(None, 0, None)) == Forgotten(keys=2)
    for player in (ann, "", HOST.player):
        assert (await store.claim(player, b"young", b"f", new_id()))[0] == young
    assert (await store.claim(HOST.player, b"old", b"f", new_id()))[0] == old
    again = new_id()
    assert (await store.claim(ann, b"old", b"f", again))[0] == again  # the key is as new


async def test_a_guest_without_a_trace_is_erased_and_whoever_left_one_is_not(store: Store):
    moment = await now(store)
    ids = {
        name: made(moment - 10 * DAY) for name in ("idle", "host", "waiting", "player", "arbiter", "claims", "account")
    }
    ids["young"] = made(moment - DAY // 2)
    for name, player in ids.items():
        await store.add_player(player, name, token_hash(name), "arbiter" if name == "arbiter" else "player")
    bot = BOTS[0].player
    await store.ensure_players(BOTS)
    # given one who opened a match, one who sits at it, one who played, one who disputes, one who has signed in
    since = moment - 9 * DAY
    over, waiting = finished(), Played({}, 3, origin=somewhere()._replace(at=since))
    waiting.do(take(commands.TakeSeat(ids["waiting"], 0, waiting.keeper.commitment(0, 2), "server")))
    hosted = Played({}, 3, origin=somewhere()._replace(host=ids["host"], at=since))
    played = Played({"games": 1}, 3, origin=somewhere()._replace(players=[ids["player"], "x", "y"]))
    played.seat_all()
    for one in (over, waiting, hosted, played.play_out()):
        await put(store, one)
    await store.begin_sign_in(b"s" * 32, b"t" * 32, ids["account"])
    assert await store.sign_in(b"s" * 32, b"u" * 32, ids["account"], "Nobody") is not None
    assert await store.has_account(ids["account"])
    await store.put_claim(new_id(), Claim(over.match, ids["claims"], "it was so"))
    await projected(store)
    # when
    done = await retain(store, moment, Keep(None, None, 0))
    # then
    assert done == Forgotten(guests=1)
    names = await store.names([*ids.values(), bot])
    assert names == {player: "" if name == "idle" else name for name, player in ids.items()} | {bot: BOTS[0].name}
    assert await store.player_of(token_hash("idle")) is None
    assert await store.player_of(token_hash("host")) == Player(ids["host"], "host", "player")
    assert await retain(store, moment, Keep(None, None, 0)) == Forgotten()


async def test_guests_are_forgotten_while_others_play(store: Store):
    moment = await now(store)
    idle, host = made(moment - 10 * DAY), made(moment - 10 * DAY)
    for player in (idle, host):
        await store.add_player(player, "a guest", token_hash(player))
    projector = Projector(store)
    await projector.prepare()
    await put(store, Played({}, 3, origin=somewhere()._replace(host=host, at=moment)))
    over = asyncio.Event()

    async def play() -> None:
        while not over.is_set():
            await put(store, finished())
            await asyncio.sleep(0)

    async def project() -> None:
        while not over.is_set():
            await projector.run_once()

    async with asyncio.TaskGroup() as group:
        group.create_task(play())
        group.create_task(project())
        # when, with something new all the time
        done = await retain(store, moment, Keep(None, None, 0))
        over.set()
    # then
    assert done == Forgotten(guests=1)
    assert await store.names([idle, host]) == {idle: "", host: "a guest"}


async def idle_guest(store: Store) -> tuple[str, int]:
    """A guest of ten days who has left no trace, and the moment."""
    moment = await now(store)
    player = made(moment - 10 * DAY)
    await store.add_player(player, "idle", token_hash("idle"))
    await projected(store)
    return player, moment


@pytest.fixture
async def sessions(database_url: str) -> AsyncIterator[list[Connection]]:
    """Two other sessions on the database."""
    opened = [await asyncpg.connect(database_url) for _ in range(2)]
    yield opened
    for session in opened:
        await session.close()


async def waits(session: Connection, what: str) -> None:
    """Until a statement with these words waits for a lock."""
    asked = (
        "select count(*) from pg_stat_activity"
        " where wait_event_type = 'Lock' and datname = current_database() and query like '%' || $1 || '%'"
    )
    await eventually(lambda: session.fetchval(asked, what))


async def test_a_guest_who_sits_down_at_that_very_moment_comes_first_and_is_not_forgotten(
    store: Store, sessions: list[Connection]
):
    # given an old guest who is about to sit down: it is said, and the seat is not there yet
    player, moment = await idle_guest(store)
    session, watching = sessions
    saying = session.transaction()
    await saying.start()
    assert await session.fetchval(COMING, player, b"coming", UUID(new_id()))
    # when old guests are forgotten, then this one is waited for, and spared
    forgetting = asyncio.create_task(retain(store, moment, Keep(None, None, 0)))
    await waits(watching, "for update")
    await saying.commit()
    assert await forgetting == Forgotten()
    assert await store.player_of(token_hash("idle")) == Player(player, "idle", "player")
    # and as long as the seat may not have arrived in the read models
    assert await retain(store, moment, Keep(None, 0, 0)) == Forgotten()


async def test_a_guest_who_comes_a_moment_too_late_is_told_so(store: Store, sessions: list[Connection]):
    player, moment = await idle_guest(store)
    session, watching = sessions
    forgetting = session.transaction()
    await forgetting.start()
    await session.execute(LOCK, player)
    assert await erased(session, player)
    # when the guest is about to sit down meanwhile
    coming = asyncio.create_task(store.coming(player))
    await waits(watching, "for share")
    await forgetting.commit()
    # then that is refused, and nothing is left of the person
    assert not await coming
    assert await store.names([player]) == {player: ""}
    assert await store.pool.fetchval("select count(*) from claim") == 0
    assert await retain(store, moment, Keep(None, None, 0)) == Forgotten()


async def test_a_guest_who_has_said_so_and_did_not_come_is_forgotten_later(store: Store):
    player, moment = await idle_guest(store)
    assert await store.coming(player)
    assert await store.coming(player)
    assert await store.pool.fetchval("select count(*) from claim") == 1, "once in half a day"
    assert await retain(store, moment, Keep(None, None, 0)) == Forgotten()
    assert await retain(store, moment + 2 * DAY, Keep(None, None, 0)) == Forgotten(guests=1)
    assert not await store.coming(player)


async def test_who_is_young_needs_not_say_so(store: Store):
    player = new_id()
    await store.add_player(player, "young", token_hash("young"))
    assert await store.coming(player)
    assert await store.pool.fetchval("select count(*) from claim") == 0


async def test_the_read_models_are_waited_for_once(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(retention, "_PAGE", 2)
    moment = await now(store)
    guests = [made(moment - 10 * DAY + number) for number in range(5)]
    for player in guests:
        await store.add_player(player, "idle", token_hash(player))
    await projected(store)
    behind, asked = store.behind, list[int]()

    async def counted(shard: int, head: int) -> list[str]:
        asked.append(shard)
        return await behind(shard, head)

    monkeypatch.setattr(store, "behind", counted)
    assert await retain(store, moment, Keep(None, None, 0)) == Forgotten(guests=5)
    assert sorted(asked) == sorted(SHARDS)


async def test_no_guest_is_forgotten_while_a_read_model_is_behind(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(retention, "PATIENCE", 0.3)
    await Projector(store).prepare()
    await put(store, finished())
    with pytest.raises(Behind, match="players"):
        await retain(store, await now(store), AT_ONCE)


async def test_no_guest_is_forgotten_while_a_match_is_set_aside(store: Store):
    moment = await now(store)
    sits = made(moment - 10 * DAY)
    await store.add_player(sits, "sits", token_hash("sits"))
    played = Played({"games": 1}, 3, origin=somewhere()._replace(players=[sits, "x", "y"]))
    played.seat_all()
    await put(store, played)
    await projected(store)
    # given that what is known of the match is not what it was
    await store.pool.execute("delete from projection.players_matches")
    await store.pool.execute(
        "insert into projection.parked (shard, name, build, match, version, pos, error) values"
        " ($1, 'players', 1, $2, 1, 1, 'poison')",
        shard_of(played.match),
        UUID(played.match),
    )
    with pytest.raises(Behind, match="players"):
        await retain(store, moment, Keep(None, None, 0))
    assert await store.names([sits]) == {sits: "sits"}


async def test_whoever_has_an_account_is_no_guest_also_when_every_token_has_ended(store: Store):
    moment = await now(store)
    linked = made(moment - 10 * DAY)
    await store.add_player(linked, "linked", token_hash("linked"))
    await store.begin_sign_in(token_hash("state"), token_hash("secret"), linked)
    await store.sign_in(token_hash("state"), token_hash("subject"), linked, "x")
    await store.revoke_all(linked)
    await projected(store)
    assert await retain(store, moment, Keep(None, None, 0)) == Forgotten()
    await store.begin_sign_in(token_hash("later"), token_hash("secret"), None)
    signed = await store.sign_in(token_hash("later"), token_hash("subject"), None, "x")
    assert signed is not None
    assert signed.player == linked


async def test_what_is_kept_for_ever_is_kept(store: Store):
    await store.refuse(refused(new_id(), 1_000))
    await store.claim("", b"old", b"f", made(1_000_000))
    assert await retain(store, await now(store), NOTHING) == Forgotten()


@pytest.mark.parametrize("table", ["refusal", "claim", "player", "event", "opening", "disclosure", "match_secret"])
async def test_the_service_may_forget_by_these_functions_only(store: Store, table: str):
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.pool.execute(f"delete from {table}")
