"""The socket: the frames of the stream out, moves in, each done once and answered by its key."""

import asyncio
import json
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, ok, open_match
from tests.api.sockets import Heard, socket
from tests.api.test_stream import follow, patient  # noqa: F401 - a fixture
from tests.waiting import PATIENCE, eventually


def open_sockets(service: Service) -> int:
    return int(service.context.metrics.registry.get_sample_value("kibitz_open_sockets") or 0)


def said(key: str, move: object, **more: object) -> str:
    return json.dumps({"key": key, "move": move, **more})


async def move_of(table: Table) -> tuple[Guest, dict]:
    """Who is due, and a move of theirs."""
    who = await table.due()
    return who, (await table.legal(who))["moves"][0]


async def denied(service: Service, path: str, who: Guest | None = None, asked: str = "", **more: object) -> dict:
    with pytest.raises(InvalidStatus) as caught:
        async with socket(service, path, who, asked, **more):
            pass
    answer = caught.value.response
    assert answer.headers["content-type"] == "application/problem+json"
    told = json.loads(answer.body or b"")
    assert told["status"] == answer.status_code
    return told


async def test_a_socket_tells_what_the_stream_tells_and_closes_when_the_match_is_over(service: Service):
    table = await service.table(3, options={"games": 1})
    async with socket(service, table.path, table.guests[1], "?after=3&with=table") as opened:
        assert opened.subprotocol == "kibitz.v1"
        hearing = asyncio.create_task(Heard().all(opened))
        await table.play_out()
        heard = await asyncio.wait_for(hearing, PATIENCE)
        assert (opened.close_code, opened.close_reason) == (1000, "the match is over")
    version = (await table.seen())["version"]
    assert heard.ids == list(range(4, version + 1))
    for frame in heard.frames:
        assert frame["event"] == frame["data"]["type"]
        assert frame["data"]["table"]["you"] in (1, None)
        assert frame["data"]["table"]["version"] == frame["id"]
    public = await follow(service, table.path)
    assert [frame["data"]["hash"] for frame in heard.frames] == [event["hash"] for event in public.data][3:]


async def test_moves_are_answered_by_their_keys_in_the_order_in_which_they_were_sent(service: Service):
    # given a table at which one seat is due
    table = await service.table(3)
    who, move = await move_of(table)
    before = (await table.seen())["version"]
    async with socket(service, table.path, who, f"?after={before}") as opened:
        # when good and bad moves are sent together, without waiting
        await opened.send(said("one", move, expected=before))
        await opened.send(said("two", move))
        await opened.send(said("late", move, expected=before))
        await opened.send(said("one", move, expected=before))
        await opened.send("{")
        await opened.send(said("what", {"type": "dance"}))
        await opened.send(json.dumps({"key": "more", "move": move, "seat": 1}))
        heard = await Heard().until_answered(opened, 7)
        # then each is answered by its key, in this order
        answers = heard.answers
        assert [answer["key"] for answer in answers] == ["one", "two", "late", "one", None, "what", "more"]
        assert [answer["status"] for answer in answers] == [200, 409, 412, 200, 400, 400, 400]
        assert [answers[0]["replayed"], answers[3]["replayed"]] == [False, True]
        assert {k: v for k, v in answers[0].items() if k != "replayed"} == {
            k: v for k, v in answers[3].items() if k != "replayed"
        }
        assert answers[1]["problem"]["type"] == "/problems/out-of-turn"
        assert answers[2]["problem"]["events"]
        await heard.until_version(opened, answers[0]["version"])
    assert heard.ids == list(range(before + 1, answers[0]["version"] + 1))


async def test_a_key_is_the_same_move_through_a_socket_a_batch_and_a_request(service: Service):
    table = await service.table(3)
    who, move = await move_of(table)
    body = json.dumps(move, separators=(",", ":"))
    headers = who.auth | {"Idempotency-Key": "once", "Content-Type": "application/json"}
    async with socket(service, table.path, who) as opened:
        await opened.send(f'{{"key":"once","move":{body}}}')
        (first,) = (await Heard().until_answered(opened, 1)).answers
    alone = await service.http.post(f"{table.path}/moves", content=body, headers=headers)
    item = f'[{{"match":"{table.match}","key":"once","move":{body}}}]'
    (several,) = ok(await service.http.post("/v1/moves:batch", content=item, headers=headers))
    assert alone.headers["idempotent-replay"] == "true"
    assert first["version"] == ok(alone)["version"] == several["version"]
    assert first["events"] == ok(alone)["events"] == several["events"]
    assert (first["replayed"], several["replayed"]) == (False, True)


async def test_a_page_sends_its_token_as_a_subprotocol(service: Service):
    table = await service.table(3)
    who, move = await move_of(table)
    offered = ["kibitz.v1", f"bearer.{who.token}"]
    async with socket(service, table.path, subprotocols=offered, origin=service.url) as opened:
        assert opened.subprotocol == "kibitz.v1"
        await opened.send(said("a", move))
        assert (await Heard().until_answered(opened, 1)).answers[0]["status"] == 200
    async with socket(service, table.path, subprotocols=None) as opened:
        assert opened.subprotocol is None
        await opened.send(said("a", move))
        (answer,) = (await Heard().until_answered(opened, 1)).answers
        assert (answer["status"], answer["problem"]["type"]) == (401, "/problems/unauthenticated")


async def test_what_is_wrong_with_a_handshake_is_answered_as_to_any_request(service: Service):
    table = await service.table(3, spectators="none")
    version = (await table.seen())["version"]
    outsider = await service.guest("Outsider")
    nowhere = "/v1/matches/01890a5d-ac96-774b-bcce-b302099a8057"
    assert (await denied(service, nowhere))["status"] == 404
    assert (await denied(service, table.path, outsider))["type"] == "/problems/forbidden"
    assert (await denied(service, table.path, table.guests[0], "?before=3"))["status"] == 400
    assert (await denied(service, table.path, table.guests[0], f"?after={version + 1}"))["version"] == version
    assert (await denied(service, table.path, subprotocols=["kibitz.v1", "bearer.nobody"]))["status"] == 401
    assert (await denied(service, table.path, subprotocols=["chat"]))["status"] == 400
    for origin in ("https://elsewhere.example", "null", "http://[::1", "http://"):
        elsewhere = await denied(service, table.path, table.guests[0], origin=origin)
        assert elsewhere["type"] == "/problems/forbidden", origin
    async with socket(service, table.path, table.guests[0], origin="https://front.example") as opened:
        await Heard().until_version(opened, 1)
    plain = await service.http.get(f"{table.path}/socket")
    assert (plain.status_code, plain.headers["upgrade"]) == (426, "websocket")


async def test_a_message_that_is_too_long_or_binary_closes_and_says_why(service: Service):
    table = await service.table(3)
    for message, code in (("x" * 65_537, 1009), (b"{}", 1003)):
        async with socket(service, table.path) as opened:
            await opened.send(message)
            await Heard().all(opened)
            assert opened.close_code == code
    await eventually(lambda: open_sockets(service) == 0)


async def test_a_socket_ends_when_its_token_does(service: Service):
    table = await service.table(3)
    due = await table.due()
    gone = next(who for who in table.guests if who is not due)
    async with socket(service, table.path, gone) as opened:
        heard = await Heard().until_version(opened, (await table.seen())["version"])
        assert (await gone.delete("/v1/me")).status_code == 204
        await opened.send(said("a", {"type": "pass"}))
        await heard.until_answered(opened, 1)
        assert heard.answers[0]["status"] == 401
        last = heard.ids[-1]
        await Table(table.path, table.match, [due] * 3).step()
        await asyncio.wait_for(heard.all(opened), PATIENCE)
        assert opened.close_code == 1008
        assert heard.ids[-1] == last


async def test_a_socket_that_stops_reading_holds_up_nobody_and_then_misses_nothing(
    patient: Service,  # noqa: F811 - the fixture
):
    service, table = patient, await patient.table(3, options={"games": 2})
    async with socket(service, table.path, None, "?with=table", max_queue=1) as opened:
        await eventually(lambda: open_sockets(service) == 1)
        await table.play_out()
        heard = await asyncio.wait_for(Heard().all(opened), PATIENCE)
    assert heard.ids == list(range(1, (await table.seen())["version"] + 1))


async def test_sockets_that_come_and_go_leave_nothing_behind(service: Service):
    table = await service.table(3)
    await eventually(lambda: service.context.tails.followers == 0)
    tasks = len(asyncio.all_tasks())
    host, port = urlsplit(service.url).hostname, urlsplit(service.url).port
    asked = (
        f"GET {table.path}/socket HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Authorization: Bearer {table.guests[0].token}\r\n\r\n"
    )
    # when half of them hang up before the first byte, half in the middle of it
    for count in range(100):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(asked.encode())
        await writer.drain()
        if count % 2:
            await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()
    # then no socket, follower, tail, presence or task is left
    await eventually(lambda: open_sockets(service) == 0)
    await eventually(lambda: (service.context.tails.followers, len(service.context.tails)) == (0, 0))
    await eventually(lambda: not service.context.presence.has(table.match, table.guests[0].player))
    await eventually(lambda: len(asyncio.all_tasks()) <= tasks)


async def test_sockets_end_with_1012_and_go_on_after_the_last_frame_in_the_next_service(
    database_url: str, redis_url: str
):
    async with serving(database_url, redis_url) as first:
        table = await first.table(3)
        async with socket(first, table.path, table.guests[0]) as opened, socket(first, table.path) as stalled:
            heard = await Heard().until_version(opened, (await table.seen())["version"])
            first.context.closing.set()
            await asyncio.wait_for(heard.all(opened), PATIENCE)
            assert (opened.close_code, opened.close_reason) == (1012, f"go on after {heard.ids[-1]}")
            assert stalled.close_code is None or stalled.close_code == 1012
    async with serving(database_url, redis_url) as second:
        guests = [Guest(second.http, who.player, who.name, who.token) for who in table.guests]
        async with socket(second, table.path, guests[0], f"?after={heard.ids[-1]}") as opened:
            await Table(table.path, table.match, guests).step()
            assert json.loads(await opened.recv())["id"] == heard.ids[-1] + 1


async def test_a_host_who_sits_down_sees_the_own_cards_through_the_socket_that_was_open(service: Service):
    host = await service.guest("Host")
    path = await open_match(host, 3, spectators="delayed:5")
    async with socket(service, path, host) as opened:
        ok(await host.post(f"{path}/seats", {"seat": 0}))
        ok(await host.post(f"{path}/bots", {"seats": [1, 2]}))
        heard = Heard()
        while "CardsDealt" not in [frame["event"] for frame in heard.frames]:
            heard.take(await opened.recv())
    dealt = heard.frames[-1]["data"]
    assert [hand["to"] for hand in dealt["body"]["hands"] if "value" in hand] == [[0]]


async def test_who_sits_down_is_called_by_name_from_the_first_table_on(service: Service):
    host = await service.guest("Host")
    path = await open_match(host, 3)
    async with socket(service, path, host, "?with=table&after=1") as opened:
        heard = Heard()
        for name in ("Anna", "Bela"):
            who = await service.guest(name)
            version = ok(await who.post(f"{path}/seats", {}))["version"]
            table = (await heard.until_version(opened, version)).frames[-1]["data"]["table"]
            assert [seat["name"] for seat in table["seats"] if seat["player"] == who.player] == [name]
