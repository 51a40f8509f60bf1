"""SIGTERM: feeds end after a whole frame and can go on elsewhere, what was acknowledged is stored, and it ends."""

import asyncio
import json
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import asyncpg
import psutil
import pytest

from tests.e2e.conftest import Kibitz
from tests.e2e.play import (
    Answers,
    bot_table,
    check_stored,
    due,
    events_of,
    frames,
    open_match,
    play,
    version,
)
from tests.waiting import PATIENCE, until

Serve = Callable[..., Kibitz]

FEEDS = 100
STALLED = 5
ENOUGH = 1500
"""Events of a match whose tables do not fit between a server and a reader that does not read."""


def whole_frames(got: bytes) -> list[int]:
    """The ids of the frames of a chunked answer. Nothing is left over behind the last of them."""
    head, _, rest = got.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    body = bytearray()
    while True:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        if length == 0:
            break
        body += rest[:length]
        assert len(rest) >= length + 2
        rest = rest[length + 2 :]
    assert body.endswith(b"\n\n")
    return [int(line[4:]) for line in bytes(body).split(b"\n") if line.startswith(b"id: ")]


@pytest.mark.parametrize("workers", [1, 2])
def test_it_ends_with_100_feeds_open_and_readers_that_do_not_read(serve: Serve, workers: int):
    kibitz = serve("--no-demo", "--workers", str(workers), pace=0.0).ready()
    watched = bot_table(kibitz, 12)
    match, tokens = open_match(kibitz, options={"games": 20})
    answers: Answers = {}
    player = threading.Thread(target=play, args=(kibitz, match, tokens, answers))
    player.start()
    target = urlsplit(kibitz.url)
    until(lambda: version(kibitz, watched) > ENOUGH)
    stalled = []
    for _ in range(STALLED):
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.connect((target.hostname, target.port))
        line.sendall(f"GET /v1/matches/{watched}/stream?with=table HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        stalled.append(line)
    family = kibitz.family()

    began: set[int] = set()

    async def collect(url: str, which: str) -> bytes:
        reader, writer = await asyncio.open_connection(target.hostname, target.port)
        writer.write(f"GET /v1/matches/{which}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        got = bytearray()
        while part := await reader.read(65536):
            got += part
            if b"id: 5\n" in got:
                began.add(id(got))
        writer.close()
        return bytes(got)

    async def watch() -> list[bytes]:
        feeds = [asyncio.create_task(collect(kibitz.url, watched)) for _ in range(FEEDS)]
        await asyncio.to_thread(until, lambda: len(began) == FEEDS and len(answers) >= 20)
        kibitz.process.send_signal(signal.SIGTERM)
        return list(await asyncio.gather(*feeds))

    with ThreadPoolExecutor(1) as apart:
        feeds = apart.submit(asyncio.run, watch()).result()
    player.join()
    assert kibitz.process.wait(PATIENCE) == 0
    for line in stalled:
        line.close()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []

    last = []
    for got in feeds:
        seen = whole_frames(got)
        assert seen == list(range(1, len(seen) + 1))
        last.append(seen[-1])
    second = serve("--no-demo", pace=0.0).ready()
    stored, begin = len(events_of(second, watched)), min(last)
    assert stored >= max(last)
    # bots may be so quick that the match is over, or nearly: then its last events stand for those to come
    begin = min(begin, stored - 3)
    assert frames(second, watched, begin, 3) == [begin + 1, begin + 2, begin + 3]
    check_stored(second, match, answers)
    for key, (token, move, answer) in list(answers.items())[-3:]:
        with second.client(token) as http:
            again = http.post(f"/matches/{match}/moves", json=move, headers={"Idempotency-Key": key})
        assert again.json() == answer


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_whoever_asks_again_and_again_ends_it_as_well_as_who_asks_once(
    serve: Serve, workers: int, number: signal.Signals
):
    kibitz = serve("--no-demo", "--workers", str(workers)).ready()
    family, latest = kibitz.family(), time.monotonic() + PATIENCE
    while kibitz.process.poll() is None:  # at every moment of its end
        assert time.monotonic() < latest, kibitz.said()
        kibitz.process.send_signal(number)
        time.sleep(0.002)
    assert kibitz.process.returncode == 0, kibitz.said()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    assert "Traceback" not in kibitz.said()


@pytest.mark.parametrize("workers", [1, 2])
def test_moves_that_wait_for_the_store_are_refused_and_can_be_made_again(beside: Serve, database: str, workers: int):
    kibitz = beside("--no-demo", "--workers", str(workers)).ready()
    match, tokens = open_match(kibitz)
    token, moves = due(kibitz, match, tokens)
    body = json.dumps(moves[0]).encode()

    async def stall() -> list[bytes]:
        connection = await asyncpg.connect(database)
        try:
            async with connection.transaction():
                await connection.execute("lock table event in access exclusive mode")
                # all are taken in, and one of them has come as far as the store
                asked = [await begun() for _ in range(8)]
                for _, writer in asked:
                    writer.write(body)
                await waiting(connection)
                kibitz.process.send_signal(signal.SIGTERM)
                answers = [await reader.read() for reader, _ in asked]
                for _, writer in asked:
                    writer.close()
                    await writer.wait_closed()
                assert await asyncio.to_thread(kibitz.process.wait, PATIENCE) == 0
                return answers
        finally:
            await connection.close()

    async def begun() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A request of which the service has read the head, as it says, and waits for the body."""
        reader, writer = await asyncio.open_connection(urlsplit(kibitz.url).hostname, urlsplit(kibitz.url).port)
        head = (
            f"POST /v1/matches/{match}/moves HTTP/1.1", "Host: x", f"Authorization: Bearer {token}",
            "Content-Type: application/json", f"Content-Length: {len(body)}",
            "Idempotency-Key: the-key", "Expect: 100-continue",
        )  # fmt: skip
        writer.write("\r\n".join((*head, "", "")).encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        return reader, writer

    async def waiting(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        waits = (
            "select count(*) from pg_stat_activity where datname = current_database()"
            " and wait_event_type = 'Lock' and application_name = 'kibitz lane'"
        )
        while not await connection.fetchval(waits):
            await asyncio.sleep(0.02)

    with ThreadPoolExecutor(1) as apart:
        answers = apart.submit(asyncio.run, stall()).result()

    assert [answer.split()[1] for answer in answers] == [b"503"] * 8
    assert all(b"\nretry-after: " in answer.lower() for answer in answers)
    second = beside("--no-demo").ready()
    with second.client(token) as http:
        headers = {"Idempotency-Key": "the-key", "Content-Type": "application/json"}
        done = http.post(f"/matches/{match}/moves", content=body, headers=headers)
    assert done.status_code == 200
    check_stored(second, match, {"the-key": (token, moves[0], done.json())})
