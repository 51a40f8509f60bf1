"""Crowds that come, hang up and read slowly; a process that is held up and runs out of things: F20, F25."""

import asyncio
import resource
import socket
from base64 import b64encode
from urllib.parse import urlsplit

import psutil

from tests.faults.trial import Scenario, Trial
from tests.faults.world import Worker
from tests.waiting import PATIENCE

AT_ONCE = 100
"""Readers of the storm that are there together."""


async def storm(trial: Trial) -> None:
    """Readers who hang up, half of them before the first byte; slow ones read on in the end, and miss nothing."""
    paths = await _paths(trial)
    slow = [_Slow(trial, place) for place in range(trial.times(300, 20))]
    await asyncio.gather(*(reader.begin(paths[k % len(paths)]) for k, reader in enumerate(slow)))
    count = trial.times(10_000, 400)
    for first in range(0, count, AT_ONCE):
        await asyncio.gather(*(_hang_up(trial, first + k, paths) for k in range(AT_ONCE)))
    await trial.load.until(10)
    await asyncio.gather(*(reader.read_on() for reader in slow))
    trial.over()
    for worker in trial.world.workers:
        await _readers_go(trial, worker)
    frames = sum(len(reader.ids) for reader in slow)
    trial.note(f"{count} hang-ups, half of them sockets, {len(slow)} slow readers with {frames} frames")


async def _paths(trial: Trial) -> list[str]:
    await trial.load.until(60)
    return [f"/v1/matches/{match}" for match in trial.load.matches]


def _request(target: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: kibitz", *headers, "", ""]).encode()


def _socket(path: str) -> bytes:
    """What opens a WebSocket (RFC 6455, 4.1)."""
    key = b64encode(path.encode()[-16:]).decode()
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
    return _request(f"{path}/socket", *upgrade)


def _address(worker: Worker) -> tuple[str, int]:
    at = urlsplit(worker.url)
    return at.hostname or "127.0.0.1", at.port or 0


async def _hang_up(trial: Trial, number: int, paths: list[str]) -> None:
    worker = trial.world.workers[number % len(trial.world.workers)]
    try:
        reader, writer = await asyncio.open_connection(*_address(worker))
    except OSError:
        trial.fail("a reader of the storm could not even connect")
        return
    path, with_table = paths[number // 2 % len(paths)], "?with=table" if number % 3 == 0 else ""
    writer.write(_socket(path) if number // 2 % 2 else _request(f"{path}/stream{with_table}"))
    if number % 2:
        try:
            async with asyncio.timeout(PATIENCE):
                await reader.read(1)
        except (OSError, TimeoutError):
            trial.fail("a reader of the storm got no first byte")
    writer.transport.abort()


class _Slow:
    """A reader with the smallest of buffers that stops reading at once, and goes on much later."""

    def __init__(self, trial: Trial, place: int) -> None:
        self.trial = trial
        self.worker = trial.world.workers[place % len(trial.world.workers)]
        self.ids: list[int] = []
        self._line = socket.socket()
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._line.setblocking(False)

    async def begin(self, path: str) -> None:
        loop = asyncio.get_running_loop()
        await loop.sock_connect(self._line, _address(self.worker))
        await loop.sock_sendall(self._line, _request(f"{path}/stream?with=table"))

    async def read_on(self) -> None:
        """Reads for as long as there is something, at most a while; then what came must go on without a hole."""
        got, loop = b"", asyncio.get_running_loop()
        try:
            while len(got) < 4_000_000:
                async with asyncio.timeout(3):
                    more = await loop.sock_recv(self._line, 65536)
                if not more:
                    break
                got += more
        except (OSError, TimeoutError):
            pass
        self._line.close()
        lines = got.replace(b"\r\n", b"\n").split(b"\n")
        self.ids = [int(line[4:]) for line in lines[:-1] if line.startswith(b"id: ")]
        self.trial.expect(self.ids == list(range(1, len(self.ids) + 1)), f"a slow reader saw {self.ids[:50]}")
        self.trial.expect(self.ids, "a slow reader saw nothing")


async def _readers_go(trial: Trial, worker: Worker) -> None:
    """Until a worker has no more streams and sockets open than the load's own readers."""
    async with asyncio.timeout(PATIENCE):
        while True:
            metrics = await worker.metrics()
            if metrics["kibitz_open_streams"] + metrics["kibitz_open_sockets"] <= len(trial.load.journal.feeds):
                return
            await asyncio.sleep(0.1)


async def want(trial: Trial) -> None:
    """The loop is held up again and again; then connections to read with run out; then files to open."""
    workers = trial.world.workers
    for _ in range(trial.times(60, 10)):
        worker = trial.chance.choice(workers)
        worker.pause()
        await asyncio.sleep(0.1)
        worker.go_on()
        await asyncio.sleep(0.1)
    await trial.load.until(5)
    await _without_connections(trial)
    await trial.load.until(5)
    await _without_files(trial, workers[0])
    trial.over()


async def _without_connections(trial: Trial) -> None:
    """While every question to the database waits, more come than there are connections: 503, never 500, and then on."""
    (worker, *_), http = trial.world.workers, trial.load.clients.http
    blocker = await trial.world.connect()
    match = trial.load.matches[0]
    codes: dict[int, int] = {}
    try:
        async with blocker.transaction():
            await blocker.execute("lock table event in access exclusive mode")

            async def ask() -> None:
                try:
                    answer = await http.get(f"{worker.url}/v1/matches/{match}/events", timeout=60)
                except OSError:
                    return
                codes[answer.status_code] = codes.get(answer.status_code, 0) + 1
                if answer.status_code == 503:
                    trial.expect("retry-after" in answer.headers, "a 503 without Retry-After")

            asked = [asyncio.create_task(ask()) for _ in range(60)]
            await asyncio.sleep(trial.times(15, 2))
        await asyncio.gather(*asked)
    finally:
        await blocker.close()
    trial.expect(set(codes) <= {200, 503}, f"with no connection free the answers were {codes}")
    trial.note(f"60 readers without a connection: {codes}")


async def _without_files(trial: Trial, worker: Worker) -> None:
    """A worker that may open no further file goes on with what it has, and answers again when it may."""
    process = psutil.Process(worker.process.pid)
    before = process.rlimit(resource.RLIMIT_NOFILE)
    process.rlimit(resource.RLIMIT_NOFILE, (process.num_fds() + 10, before[1]))
    held = []
    try:
        for _ in range(60):
            try:
                async with asyncio.timeout(1):
                    held.append(await asyncio.open_connection(*_address(worker)))
            except (OSError, TimeoutError):
                break
        await asyncio.sleep(trial.times(5, 1))
        trial.expect(process.is_running(), "the worker without files has ended")
    finally:
        process.rlimit(resource.RLIMIT_NOFILE, before)
        for _, writer in held:
            writer.transport.abort()
    trial.note(f"{len(held)} connections to a worker with 10 files left")


SCENARIOS = [
    Scenario(id="F20", title="a storm of readers who hang up, and slow ones", run=storm),
    Scenario(id="F25", title="the loop is held up; connections and files run out", run=want, limit=20.0),
]
