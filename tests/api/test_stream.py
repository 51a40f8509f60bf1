"""The stream: every event once and in order, from any version on, for readers who come, go, stall and come back."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, ok, open_match, problem
from tests.waiting import PATIENCE, eventually


class Frames:
    """What one reader has got of a stream."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.types: list[str] = []
        self.data: list[dict[str, Any]] = []
        self.comments = 0

    def take(self, line: str) -> None:
        name, _, value = line.partition(": ")
        match name:
            case "id":
                self.ids.append(int(value))
            case "event":
                self.types.append(value)
            case "data":
                self.data.append(json.loads(value))
            case "":
                self.comments += bool(value)


async def follow(
    service: Service,
    path: str,
    *,
    headers: dict[str, str] | None = None,
    count: int | None = None,
    tables: bool = False,
    into: Frames | None = None,
    **params: Any,
) -> Frames:
    """Reads a stream to its end, or until ``count`` events are there; ``into`` has them as they come."""
    frames = Frames() if into is None else into
    params |= {"with": "table"} if tables else {}
    asked = service.http.stream("GET", f"{path}/stream", headers=headers or {}, params=params)
    async with asked as stream:
        assert stream.status_code == 200, await stream.aread()
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        async for line in stream.aiter_lines():
            frames.take(line)
            if count is not None and len(frames.data) >= count:
                break
    return frames


def open_streams(service: Service) -> int:
    return int(service.context.metrics.registry.get_sample_value("kibitz_open_streams") or 0)


@pytest.fixture
async def patient(database_url: str, redis_url: str) -> AsyncIterator[Service]:
    """A service that lets a reader read nothing for as long as a slow machine takes to play a match."""
    async with serving(database_url, redis_url, ping=3600, stall_seconds=3600) as service:
        yield service


async def finished(service: Service) -> Table:
    table = await service.table(3, options={"games": 1})
    await table.play_out()
    return table


@pytest.mark.fault(11)
async def test_a_stream_begins_at_the_beginning_and_ends_with_the_match(service: Service):
    table = await service.table(3, options={"games": 1})
    reading = asyncio.create_task(follow(service, table.path))
    await table.play_out()
    frames = await reading
    assert frames.ids == list(range(1, (await table.seen())["version"] + 1))
    assert frames.types[0] == "MatchOpened"
    assert frames.types[-1] == "MatchEnded"
    assert [event["version"] for event in frames.data] == frames.ids
    assert [event["type"] for event in frames.data] == frames.types
    whole = ok(await table.http.get(f"{table.path}/export"))["events"]
    assert [event["hash"] for event in frames.data] == [event["hash"] for event in whole]


async def test_a_stream_goes_on_after_any_version_however_it_is_named(service: Service):
    table = await finished(service)
    last = (await table.seen())["version"]
    for after in (0, 1, last // 2, last - 1):
        by_query = await follow(service, table.path, after=after)
        by_header = await follow(service, table.path, headers={"Last-Event-ID": str(after)}, after=0)
        assert by_query.ids == by_header.ids == list(range(after + 1, last + 1))
    gone = await service.http.get(f"{table.path}/stream", headers={"Last-Event-ID": str(last)})
    assert (gone.status_code, gone.content) == (204, b"")


@pytest.mark.fault("F22")
async def test_a_version_that_is_not_there_yet_is_a_409_and_nonsense_a_400(service: Service):
    table = await service.table(3)
    version = (await table.seen())["version"]
    told = problem(await table.http.get(f"{table.path}/stream", params={"after": version + 1}), 409, "ahead-of-match")
    assert told["version"] == version
    for value in ("x", "-1", "1.5", "9" * 30):
        answer = await table.http.get(f"{table.path}/stream", headers={"Last-Event-ID": value})
        problem(answer, 400, "not-understood")


@pytest.mark.fault("F22")
async def test_with_head_a_match_that_has_become_another_one_is_a_409(service: Service):
    # given a match that goes on, and what somebody has seen of it
    table = await service.table(3)
    events = ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    version, path = len(events), f"{table.path}/stream"
    await table.step()
    # when it is followed from there with the hash of that event, then it goes on
    frames = await follow(service, table.path, after=version, head=events[-1]["hash"], count=1)
    assert frames.ids == [version + 1]
    # and with any other, as in a record that has gone on from less, it is told
    for after, head in ((version, events[-2]["hash"]), (version - 1, events[-1]["hash"])):
        told = problem(await table.http.get(path, params={"after": after, "head": head}), 409, "ahead-of-match")
        assert told["version"] > version
        assert f"event {after} of the match is another one" in told["detail"]
    # and a hash without a version, or what is none, is not understood
    problem(await table.http.get(path, params={"head": events[-1]["hash"]}), 400, "not-understood")
    problem(await table.http.get(path, params={"after": version, "head": "x"}), 400, "not-understood")


async def test_with_table_every_frame_has_the_table_after_its_event(service: Service):
    table = await service.table(3, options={"games": 1})
    player = table.guests[1]
    reading = asyncio.create_task(follow(service, table.path, headers=player.auth, tables=True))
    await table.play_out()
    frames = await reading
    for event in frames.data:
        assert event["table"]["version"] == event["version"]
        assert event["table"]["head"] == event["hash"]
    middle = len(frames.data) // 2
    replayed = ok(await player.get(f"{table.path}/replay/{middle}", seat=1))["table"]
    live = frames.data[middle - 1]["table"]
    assert replayed["table"] == live["table"]
    assert replayed["to_act"] == live["to_act"]


async def test_whoever_watches_and_then_sits_down_sees_the_own_cards(service: Service):
    host = await service.guest("Host")
    path = await open_match(host, 3, options={"games": 1})
    reading = asyncio.create_task(follow(service, path, headers=host.auth, count=20))
    await eventually(lambda: open_streams(service) == 1)
    ok(await host.post(f"{path}/seats", {"seat": 0}))
    ok(await host.post(f"{path}/bots", {"seats": [1, 2]}))
    dealt: dict[str, Any] = {}
    async with asyncio.timeout(PATIENCE):
        while not dealt:
            seen = ok(await host.get(path))
            if seen["to_act"] == [0]:
                moves = ok(await host.get(f"{path}/moves"))["moves"]
                await host.post(f"{path}/moves", moves[0])
            if reading.done():
                dealt = next(event for event in reading.result().data if event["type"] == "CardsDealt")
    opened = [hand for hand in dealt["body"]["hands"] if "value" in hand]
    assert [hand["to"] for hand in opened] == [[0]]


async def test_who_reads_shows_as_connected(service: Service):
    table = await service.table(3)
    async with service.http.stream("GET", f"{table.path}/stream", headers=table.guests[2].auth) as stream:
        lines = stream.aiter_lines()
        await anext(lines)
        assert [seat["connected"] for seat in (await table.seen())["seats"]] == [False, False, True]
    connected = [True]
    async with asyncio.timeout(PATIENCE):
        while any(connected):
            connected = [seat["connected"] for seat in (await table.seen())["seats"]]
            await asyncio.sleep(0.02)


@pytest.mark.fault(48, 51, "F20")
async def test_a_hundred_readers_who_come_and_go_leave_nothing_behind(service: Service):
    table = await service.table(3)
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    request = f"GET {table.path}/stream HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    # half of them leave before the first byte, half in the middle
    for count in range(100):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(request)
        await writer.drain()
        if count % 2:
            await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()
        if count % 10 == 0:
            await table.step()
    await eventually(lambda: open_streams(service) == 0)
    await eventually(lambda: service.context.tails.followers == 0)
    assert (await follow(service, table.path, count=3)).ids == [1, 2, 3]


@pytest.mark.fault(50)
async def test_a_reader_that_stops_reading_holds_up_nobody_and_then_misses_nothing(patient: Service):
    service, table = patient, await patient.table(3, options={"games": 3})
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    stalled = socket.socket()
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(stalled, (host, port))
    asked = f"GET {table.path}/stream?with=table HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    await loop.sock_sendall(stalled, asked.encode())
    # when it reads nothing while the whole match is played
    await table.play_out()
    other = await follow(service, table.path)
    # then others are served, and it gets everything when it reads on
    version = (await table.seen())["version"]
    assert other.ids == list(range(1, version + 1))
    got = b""
    async with asyncio.timeout(PATIENCE):
        while more := await loop.sock_recv(stalled, 65536):
            got += more
    stalled.close()
    ids = [int(line[4:]) for line in got.replace(b"\r\n", b"\n").split(b"\n") if line.startswith(b"id: ")]
    assert ids == list(range(1, version + 1))
    await eventually(lambda: open_streams(service) == 0)


@pytest.mark.fault(54)
async def test_streams_end_when_the_service_ends_and_go_on_in_the_next(database_url: str, redis_url: str):
    frames = [Frames() for _ in range(20)]
    async with serving(database_url, redis_url) as first:
        table = await first.table(3, options={"games": 1})
        reading = [asyncio.create_task(follow(first, table.path, into=frame)) for frame in frames]
        await eventually(lambda: open_streams(first) == 20)
        version = (await table.step())["version"]
        await eventually(lambda: all(version in frame.ids for frame in frames))
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*reading)
    assert all(frame.ids == list(range(1, frame.ids[-1] + 1)) for frame in frames)
    async with serving(database_url, redis_url) as second:
        path, last = table.path, frames[0].ids[-1]
        version = ok(await second.http.get(path))["version"]
        reading = [asyncio.create_task(follow(second, path, headers={"Last-Event-ID": str(last)}, count=1))]
        guests = [Guest(second.http, who.player, who.name, who.token) for who in table.guests]
        await Table(path, table.match, guests).step()
        assert (await reading[0]).ids[0] == last + 1 <= version + 1


@pytest.mark.fault(11)
async def test_a_stream_of_one_process_shows_the_moves_of_another(database_url: str, redis_url: str):
    async with serving(database_url, redis_url) as first, serving(database_url, redis_url) as second:
        table = await first.table(3, options={"games": 1})
        reading = asyncio.create_task(follow(second, table.path))
        await table.play_out()
        frames = await asyncio.wait_for(reading, PATIENCE)
        assert frames.ids == list(range(1, (await table.seen())["version"] + 1))


@pytest.mark.fault(52)
async def test_comments_keep_an_idle_stream_open(service: Service, monkeypatch):
    monkeypatch.setattr("services.api.stream.HEARTBEAT_SECONDS", 0.05)
    table = await service.table(3)
    version = (await table.seen())["version"]
    frames = Frames()
    async with service.http.stream("GET", f"{table.path}/stream", params={"after": version}) as stream:
        async for line in stream.aiter_lines():
            frames.take(line)
            if frames.comments == 3:
                break
    assert frames.ids == []


async def test_a_stream_ends_when_its_token_does_and_shows_no_card_after_that(service: Service):
    # given a player who follows the match with the own cards
    table = await service.table(3)
    version = (await table.seen())["version"]
    due = await table.due()
    gone = next(who for who in table.guests[1:] if who is not due)
    reading = asyncio.create_task(follow(service, table.path, headers=gone.auth, tables=True, after=version - 1))
    await eventually(lambda: open_streams(service) == 1)
    # when the player is erased and the match goes on
    assert (await gone.delete("/v1/me")).status_code == 204
    await table.step()
    # then the stream has ended, with nothing of what came after
    frames = await asyncio.wait_for(reading, PATIENCE)
    assert [event["table"]["you"] for event in frames.data] in ([], [table.guests.index(gone)])
    assert all(event <= version for event in frames.ids)
    await eventually(lambda: open_streams(service) == 0)


async def test_an_idle_stream_ends_when_its_token_does(service: Service, monkeypatch):
    monkeypatch.setattr("services.api.stream.HEARTBEAT_SECONDS", 0.05)
    table = await service.table(3)
    version = (await table.seen())["version"]
    reading = asyncio.create_task(follow(service, table.path, headers=table.guests[1].auth, after=version))
    await eventually(lambda: open_streams(service) == 1)
    assert (await table.guests[1].delete("/v1/me")).status_code == 204
    assert (await asyncio.wait_for(reading, PATIENCE)).ids == []


async def test_a_stream_calls_players_by_the_names_that_they_have_now(service: Service):
    table = await service.table(3)
    version, frames = (await table.seen())["version"], Frames()
    told = 0
    asked = {"with": "table", "after": version - 1}
    async with asyncio.timeout(PATIENCE), service.http.stream("GET", f"{table.path}/stream", params=asked) as stream:
        async for line in stream.aiter_lines():
            frames.take(line)
            if len(frames.data) == told:
                continue
            told = len(frames.data)
            if told == 2:
                break
            ok(await table.guests[1].patch("/v1/me", {"name": "Renamed"}))
            await table.step()
    assert [event["table"]["seats"][1]["name"] for event in frames.data] == ["Guest 1", "Renamed"]


async def test_the_stream_of_a_host_without_a_seat_ends_quietly_when_a_match_without_spectators_starts(
    service: Service,
):
    host = await service.guest("Host")
    path = await open_match(host, 3, spectators="none")
    with capture_logs() as log:
        reading = asyncio.create_task(follow(service, path, headers=host.auth))
        await eventually(lambda: open_streams(service) == 1)
        ok(await host.post(f"{path}/bots", {"seats": [1, 2]}))
        ok(await (await service.guest("Player")).post(f"{path}/seats"))
        frames = await asyncio.wait_for(reading, PATIENCE)
    assert frames.types[0] == "MatchOpened"
    assert not {"MatchStarted", "CardsDealt"} & set(frames.types)
    assert [entry for entry in log if entry["log_level"] == "error"] == []


async def test_readers_who_come_and_go_leave_no_task_tail_or_presence_behind(service: Service):
    table = await service.table(3)
    tails, who = service.context.tails, table.guests[1]
    await eventually(lambda: (tails.followers, len(tails)) == (0, 0))
    tasks = len(asyncio.all_tasks())
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    request = f"GET {table.path}/stream HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {who.token}\r\n\r\n".encode()

    async def come_and_go(count: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(request)
        if count % 3:
            await writer.drain()
        if count % 3 == 2:
            await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    for begin in range(0, 300, 50):
        await asyncio.gather(*(come_and_go(count) for count in range(begin, begin + 50)))
        await table.step()
    await eventually(lambda: open_streams(service) == 0)
    await eventually(lambda: (tails.followers, len(tails)) == (0, 0))
    await eventually(lambda: not service.context.presence.has(table.match, who.player))
    await eventually(lambda: len(asyncio.all_tasks()) <= tasks)


def running(name: str) -> int:
    """How many tasks run the coroutine of that name."""
    return sum(getattr(task.get_coro(), "__qualname__", "") == name for task in asyncio.all_tasks())


async def test_an_open_stream_is_two_tasks_and_no_more(service: Service):
    table = await service.table(3)
    version = (await table.seen())["version"]
    await eventually(lambda: len(service.context.tails) == 0)
    reading = [asyncio.create_task(follow(service, table.path, after=version, count=1)) for _ in range(20)]
    await eventually(lambda: open_streams(service) == 20)
    await eventually(lambda: running("_gone") == running("RequestResponseCycle.run_asgi") == 20)
    await eventually(lambda: (service.context.tails.followers, len(service.context.tails)) == (20, 1))
    await table.step()
    assert [frames.ids for frames in await asyncio.gather(*reading)] == [[version + 1]] * 20


async def test_what_is_new_is_read_once_for_all_readers_of_a_match(service: Service, monkeypatch):
    # given many readers of one match, who all wait
    table = await service.table(3)
    version, store = (await table.seen())["version"], service.context.store
    reading = [asyncio.create_task(follow(service, table.path, after=version, count=3)) for _ in range(30)]
    await eventually(lambda: service.context.tails.followers == 30)
    asked: list[int] = []
    exact = store.events

    async def counted(match: str, after: int = 0, limit: int | None = None) -> Any:
        if match == table.match and limit is not None:
            asked.append(after)
        return await exact(match, after, limit)

    monkeypatch.setattr(store, "events", counted)
    # when three moves are made
    for _ in range(3):
        await table.step()
    frames = await asyncio.gather(*reading)
    # then each has everything, and the store was asked a few times for all of them
    assert all(frame.ids == [version + 1, version + 2, version + 3] for frame in frames)
    assert len(asked) < 30


async def test_streams_go_on_when_the_feed_hears_nothing_and_when_it_hears_nonsense(service: Service):
    table = await service.table(3)
    version = (await table.seen())["version"]
    hear = service.context.tails._hear
    service.context.feed._listeners.remove(hear)
    try:  # nothing is heard: the poll finds it
        assert (await follow(service, table.path, after=version - 1, count=1)).ids == [version]
        reading = asyncio.create_task(follow(service, table.path, after=version, count=1))
        await eventually(lambda: open_streams(service) == 1)
        await table.step()
        assert (await asyncio.wait_for(reading, PATIENCE)).ids == [version + 1]
    finally:
        service.context.feed._listeners.append(hear)
    # a version that does not exist is looked for once, and the next real one is still found
    reading = asyncio.create_task(follow(service, table.path, after=version + 1, count=1))
    await eventually(lambda: open_streams(service) == 1)
    service.context.feed._tell(table.match, 10**8)
    await table.step()
    assert (await asyncio.wait_for(reading, PATIENCE)).ids == [version + 2]


async def test_a_reader_that_has_stopped_reading_does_not_hold_up_the_end_of_the_service(
    database_url: str, redis_url: str
):
    async with serving(database_url, redis_url) as one:
        table = await one.table(3, options={"games": 2})
        host, port = urlsplit(one.url).hostname, urlsplit(one.url).port
        stalled = socket.socket()
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(stalled, (host, port))
        await loop.sock_sendall(
            stalled, f"GET {table.path}/stream?with=table HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        )
        await eventually(lambda: open_streams(one) == 1)
        await table.play_out()
        one.context.closing.set()
        await eventually(lambda: open_streams(one) == 0)
        assert (one.context.tails.followers, len(one.context.tails)) == (0, 0)
        stalled.close()


async def test_whoever_asks_at_the_moment_a_reading_ends_reads_again_and_does_not_wait_for_what_is_done(
    service: Service,
):
    # given somebody who follows a match, and a reading that has ended just now
    table = await service.table(3)
    tails = service.context.tails
    moved = asyncio.Event()
    tail = tails.follow(table.match, moved.set, None, late=False)
    await tail.fresh()
    tail._reading = asyncio.create_task(asyncio.sleep(0))
    await asyncio.wait({tail._reading})
    # when there is something new to ask
    tail.ask_again(-1.0)
    await tail.fresh()
    # then it was asked
    assert not tail._behind()
    tails.leave(tail, moved.set)
