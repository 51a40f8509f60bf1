"""The web layer under the faults of others: duplicates in any order, outages under live streams, storms of hang-ups."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from services.api import following
from services.embedded.folder import Folder
from services.embedded.valkey import Valkey
from services.feed.feed import CHANNEL
from services.ids import new_id
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, ok, open_match, problem
from tests.api.test_stream import Frames, follow, open_streams
from tests.projections.streams import append_poison
from tests.waiting import PATIENCE, eventually


def keyed(key: str, **more: str) -> dict[str, str]:
    return {"Idempotency-Key": key} | more


@pytest.mark.fault(20)
async def test_a_key_gives_its_first_answer_whatever_version_is_expected_and_after_a_restart(
    database_url: str, redis_url: str
):
    async with serving(database_url, redis_url) as first:
        table = await first.table(3)
        who = await table.due()
        move = (await table.legal(who))["moves"][0]
        version = (await table.seen())["version"]
        done = await who.post(f"{table.path}/moves", move, headers=keyed("k"))
        for expected in (version, version + 1, 1, 999):
            again = await who.post(f"{table.path}/moves", move, headers=keyed("k", **{"If-Match": f'"{expected}"'}))
            assert again.status_code in (200, 400, 412), again.text
            if again.status_code == 200:
                assert again.text == done.text
        await table.step()
    async with serving(database_url, redis_url) as second:
        elsewhere = Guest(second.http, who.player, who.name, who.token)
        again = await elsewhere.post(f"{table.path}/moves", move, headers=keyed("k"))
        assert (again.text, again.headers["idempotent-replay"]) == (done.text, "true")


@pytest.mark.fault(22)
async def test_the_third_duplicate_is_answered_as_the_second_and_leaves_no_evidence(service: Service):
    # given a move with a key, which by now would be out of turn
    table = await service.table(3)
    who = await table.due()
    move = (await table.legal(who))["moves"][0]
    first = await who.post(f"{table.path}/moves", move, headers=keyed("k"))
    ok(first)
    await table.step()
    version = (await table.seen())["version"]
    # when it comes twice more, then both are the first answer, and nothing was kept or stored for them
    for _ in range(2):
        again = await who.post(f"{table.path}/moves", move, headers=keyed("k"))
        assert (again.status_code, again.text) == (first.status_code, first.text)
    assert (await table.seen())["version"] == version
    assert await service.context.store.refusals(table.match) == []
    # and a refused key does not become an effect by being repeated
    due = await table.due()
    out = next(guest for guest in table.guests if guest not in (who, due))
    answers = [await out.post(f"{table.path}/moves", move, headers=keyed("r")) for _ in range(3)]
    assert len({(answer.status_code, answer.json()["type"]) for answer in answers}) == 1
    assert (await table.seen())["version"] == version


@pytest.mark.fault(29, 30, "F14")
async def test_all_whose_turn_it_is_may_move_at_once_in_two_processes(database_url: str, redis_url: str):
    # given a game in which two or more seats are due together
    async with serving(database_url, redis_url) as first, serving(database_url, redis_url) as second:
        together = 0
        for count in range(6):
            table = await first.table(4, game="osel-fours", options={"return_mode": "sealed"})
            for _ in range(12):
                seen = await table.seen()
                if seen["status"] != "playing":
                    break
                due = seen["to_act"]
                legal = {seat: (await table.legal(table.guests[seat]))["moves"] for seat in due}
                # when all move at once, each to another process
                answers = await asyncio.gather(
                    *(
                        Guest((first, second)[k % 2].http, who.player, who.name, who.token).post(
                            f"{table.path}/moves", legal[seat][count % len(legal[seat])]
                        )
                        for k, seat in enumerate(due)
                        for who in [table.guests[seat]]
                    )
                )
                # then all are accepted
                assert [answer.status_code for answer in answers] == [200] * len(due), [a.text for a in answers]
                together += len(due) > 1
        assert together >= 6


@pytest.mark.fault(43, 46, 50, "F8")
async def test_streams_go_on_while_redis_is_away_and_when_it_is_back(
    database_url: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = Folder(data_folder)
    folder.take()
    valkey = Valkey(folder)
    valkey.start()
    monkeypatch.setattr("services.tails.POLL_SECONDS", 0.2)
    try:
        async with serving(database_url, valkey.url) as first, serving(database_url, valkey.url) as second:
            # given a stream of one process, of a match that is played in another
            table = await first.table(3, options={"games": 1})
            reading = asyncio.create_task(follow(second, table.path))
            await eventually(lambda: open_streams(second) == 1)
            for turn in range(3):
                # when Redis goes and comes back under it
                valkey.stop()
                await eventually(lambda: not first.context.feed.connected and not second.context.feed.connected)
                async with asyncio.timeout(PATIENCE):  # a database that a busy machine holds up is not ready
                    while not (ready := (await second.http.get("/health/ready")).json())["ready"]:
                        await asyncio.sleep(0.05)
                assert not ready["feed"]["ok"]
                for _ in range(3):
                    await table.step(turn)
                valkey.start()
                await eventually(lambda: first.context.feed.connected and second.context.feed.connected)
                await table.step(turn)
            await table.play_out()
            # then it has every event once, and both services end in time
            frames = await asyncio.wait_for(reading, PATIENCE)
            assert frames.ids == list(range(1, (await table.seen())["version"] + 1))
            for guest in table.guests[:1]:
                assert ok(await guest.get(f"{table.path}/audit"))["verdict"] == "VALID"
    finally:
        valkey.stop()
        folder.leave()


@pytest.mark.fault(48, 51, 53)
async def test_a_thousand_who_hang_up_before_the_first_byte_leave_nothing_running(service: Service):
    table = await service.table(3)
    await eventually(lambda: open_streams(service) == 0)
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    asked = f"GET {table.path}/stream HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    watchers, tasks = service.context.feed.watchers, len(asyncio.all_tasks())
    for count in range(1000):
        _, writer = await asyncio.open_connection(host, port)
        writer.write(asked)
        if count % 2:
            await asyncio.sleep(0)
        writer.transport.abort()
        if count % 100 == 0:
            await asyncio.sleep(0.05)
    await eventually(lambda: open_streams(service) == 0)
    await eventually(lambda: service.context.feed.watchers <= watchers)
    await eventually(lambda: len(asyncio.all_tasks()) <= tasks + 2)
    assert (await follow(service, table.path, count=3)).ids == [1, 2, 3]


@pytest.mark.fault(49)
async def test_a_reader_who_comes_as_the_last_one_goes_gets_every_event(service: Service):
    table = await service.table(3, options={"games": 1})
    version = (await table.seen())["version"]
    for turn in range(15):
        leaving = asyncio.create_task(follow(service, table.path, after=version - 1, count=1 + turn % 2))
        await asyncio.sleep(0.002 * (turn % 4))
        coming = asyncio.create_task(follow(service, table.path, after=version, count=1))
        await asyncio.sleep(0.002 * (turn % 3))
        if (await table.seen())["status"] != "playing":
            break
        await table.step(turn)
        left, came = await asyncio.wait_for(asyncio.gather(leaving, coming), PATIENCE)
        assert came.ids[0] == version + 1
        assert left.ids[0] == version
        version = (await table.seen())["version"]


@pytest.mark.fault(52)
def test_a_reader_that_went_without_a_word_is_noticed_within_fifteen_seconds():
    assert following.HEARTBEAT_SECONDS <= 15


@pytest.mark.fault(59, 60)
async def test_requests_that_are_hung_up_on_leave_pool_and_database_as_they_were(service: Service):
    table = await service.table(3)
    pool = service.context.store.pool
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    paths = [table.path, f"{table.path}/events", f"{table.path}/replay", f"{table.path}/audit", "/v1/matches"]

    async def hang_up(count: int) -> None:
        _, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET {paths[count % len(paths)]} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await writer.drain()
        for _ in range(count % 11):
            await asyncio.sleep(0)
        writer.transport.abort()

    for first in range(0, 2000, 50):
        await asyncio.gather(*(hang_up(first + count) for count in range(50)))
    # then answers are those that were asked for, of as few connections as before
    seen = await table.seen()
    answers = await asyncio.gather(*(table.http.get(f"{table.path}/replay/{v}") for v in range(1, seen["version"] + 1)))
    assert [ok(answer)["table"]["version"] for answer in answers] == list(range(1, seen["version"] + 1))
    assert pool.get_size() <= pool.get_max_size()
    sessions = (
        "select count(*) from pg_stat_activity where application_name = 'kibitz' and datname = current_database()"
    )
    async with asyncio.timeout(PATIENCE):  # those that were ended go when PostgreSQL has noticed
        while await pool.fetchval(sessions) > pool.get_max_size():
            await asyncio.sleep(0.02)
    async with asyncio.timeout(PATIENCE):  # parts of the service are in a transaction for a moment
        while await pool.fetchval(sessions.replace("application_name = 'kibitz'", "state like 'idle in%'")):
            await asyncio.sleep(0.02)
    await eventually(lambda: pool.get_idle_size() == pool.get_size())


@pytest.mark.fault(47)
async def test_streams_of_many_matches_leave_no_channel_behind(service: Service):
    host = await service.guest("Host")
    paths = [await open_match(host, 3) for _ in range(60)]
    await eventually(lambda: open_streams(service) == 0)
    watched = len(service.context.feed._watches)
    for _ in range(3):
        frames: list[Frames] = await asyncio.gather(*(follow(service, path, count=1) for path in paths))
        assert all(frame.ids == [1] for frame in frames)
    await eventually(lambda: open_streams(service) == 0)
    await eventually(lambda: len(service.context.feed._watches) <= watched)


@pytest.mark.fault(21, 23)
async def test_of_fifty_duplicates_to_two_processes_one_has_an_effect(database_url: str, redis_url: str):
    async with serving(database_url, redis_url) as first, serving(database_url, redis_url) as second:
        table: Table = await first.table(3)
        who = await table.due()
        moves = (await table.legal(who))["moves"]
        before = (await table.seen())["version"]
        there = Guest(second.http, who.player, who.name, who.token)

        answers: list[Any] = await asyncio.gather(
            *((who, there)[k % 2].post(f"{table.path}/moves", moves[0], headers=keyed("once")) for k in range(50))
        )

        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.text for answer in answers}) == 1
        assert (await table.seen())["version"] == before + len(answers[0].json()["events"])
        problem(await there.post(f"{table.path}/moves", moves[1], headers=keyed("once")), 422, "key-reused")


@pytest.mark.fault("F9")
async def test_words_about_what_is_no_match_end_no_part_of_the_service(service: Service, redis_url: str):
    client = Redis.from_url(redis_url)
    with capture_logs() as log:
        for word in ("nobody 1", f"{new_id()} 7", "m 1", " 5"):
            await client.publish(CHANNEL, word)
        last, ours = asyncio.Event(), new_id()
        service.context.feed.listen(lambda match, _: last.set() if match == ours else None)
        async with asyncio.timeout(PATIENCE):
            while not last.is_set():
                await client.publish(CHANNEL, f"{ours} 1")
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)  # a part that fails does so when it looks at what was heard
    await client.aclose()
    assert [entry for entry in log if entry["log_level"] == "error"] == []


@pytest.mark.fault("F17")
@pytest.mark.parametrize(("code", "schema"), [(9998, 1), (10, 7)], ids=["new type", "new schema"])
async def test_a_match_with_an_event_of_newer_code_is_a_503_and_nobody_elses_trouble(
    service: Service, code: int, schema: int
):
    # given a table with bots, in which a process of a newer version has written
    host = await service.guest("Host")
    path = await open_match(host, 3, clock={"turn_seconds": 5})
    match = path.rpartition("/")[2]
    await append_poison(service.context.store, match, code, schema)
    # then this process says that it cannot answer for it now
    for tail in ("", "/moves", "/events", "/replay", "/score-sheet", "/export", "/audit", "/stream"):
        answer = await host.get(f"{path}{tail}")
        problem(answer, 503, "unavailable")
        assert answer.headers["retry-after"]
    problem(await host.post(f"{path}/seats", {"seat": 0}), 503, "unavailable")
    # and other tables go on, their bots too
    table = await open_match(host, 3, options={"games": 1})
    ok(await host.post(f"{table}/seats", {"seat": 0}))
    ok(await host.post(f"{table}/bots", {"seats": [1, 2]}))
    async with asyncio.timeout(PATIENCE):
        while (seen := ok(await host.get(table)))["status"] == "playing":
            if seen["to_act"] == [0]:
                ok(await host.post(f"{table}/moves", ok(await host.get(f"{table}/moves"))["moves"][0]))
            await asyncio.sleep(0.02)
    assert seen["status"] == "finished"
