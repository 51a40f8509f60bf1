"""While the database is away the API says so, promptly and politely; when it is back, everything goes on."""

import asyncio
from pathlib import Path

import httpx
import pytest

from services.embedded import Embedded
from services.store import connection
from services.store.migrate import migrate
from services.store.records import Unavailable
from services.store.store import Store
from tests.api.conftest import serving
from tests.api.guests import guest, ok, problem, seated_table
from tests.store.proxy import Proxy
from tests.waiting import PATIENCE


async def test_without_its_database_the_service_answers_503_and_then_goes_on_where_it_was(data_folder: Path):
    servers = Embedded(data_folder, sync=False)
    await asyncio.to_thread(servers.start)
    try:
        await asyncio.to_thread(migrate, servers.database_url)
        async with serving(servers.database_url, servers.redis_url) as service:
            # given a match that is being played and followed
            table = await seated_table(service.http, 3, options={"games": 1})
            who, before = await table.due(), await table.seen()
            move = (await table.legal(who))["moves"][0]
            opened = asyncio.Event()
            reading = asyncio.create_task(_follow(service.http, table.path, opened))
            await opened.wait()
            # when both servers are gone
            await asyncio.to_thread(servers.stop)
            # then whatever needs them is a 503 that says when to ask again
            moved = who.post(f"{table.path}/moves", move, headers={"Idempotency-Key": "during"})
            answers = await asyncio.gather(
                service.http.get(table.path),
                service.http.get("/v1/matches"),
                service.http.post("/v1/players", json={"name": "Late"}),
                moved,
            )
            for answer in answers:
                problem(answer, 503, "unavailable")
                assert int(answer.headers["retry-after"]) >= 1
            ready = await service.http.get("/health/ready")
            assert ready.status_code == 503
            assert ready.json()["ready"] is False
            assert ok(await service.http.get("/health/live")) == {"alive": True}
            assert (await service.http.get("/metrics")).status_code == 200
            assert not reading.done()
            # and when they are back, the same request is made once, and the stream goes on
            servers = Embedded(data_folder, sync=False)
            await asyncio.to_thread(servers.start)
            async with asyncio.timeout(PATIENCE):
                again = await who.post(f"{table.path}/moves", move, headers={"Idempotency-Key": "during"})
                while again.status_code == 503:
                    await asyncio.sleep(0.2)
                    again = await who.post(f"{table.path}/moves", move, headers={"Idempotency-Key": "during"})
            assert ok(again)["events"][0]["version"] == before["version"] + 1
            await table.play_out()
            ids = await asyncio.wait_for(reading, PATIENCE)
            assert ids == list(range(1, (await table.seen())["version"] + 1))
            assert ok(await service.http.get(f"{table.path}/audit"))["verdict"] == "VALID"
    finally:
        await asyncio.to_thread(servers.stop)


class _Deaf(Proxy):
    """A way to a database that accepts the first so many connections and does not answer on them."""

    deaf = 1

    def heard(self) -> None:
        """Somebody waits for an answer on the last of these."""

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        if self.deaf:
            self.deaf -= 1
            if not self.deaf:
                self.heard()
            await reader.read(-1)
            client.close()
        else:
            await super()._serve(reader, client)


async def test_a_start_that_the_database_does_not_answer_in_time_asks_once_more(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
):
    async with _Deaf(database_url) as way:
        monkeypatch.setattr(connection, "CONNECT_SECONDS", 1.0)
        way.heard = lambda: monkeypatch.setattr(connection, "CONNECT_SECONDS", PATIENCE)  # type: ignore[method-assign]
        async with serving(way.url, redis_url) as service:
            assert way.deaf == 0
            assert (await guest(service.http)).player
    # and whoever is not answered then, either, is told
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 1.0)
    async with _Deaf(database_url) as way:
        way.deaf = 2
        with pytest.raises(Unavailable, match="cannot be reached"):
            await Store.connect(way.url)
        assert way.deaf == 0


async def _follow(http: httpx.AsyncClient, path: str, opened: asyncio.Event) -> list[int]:
    async with http.stream("GET", f"{path}/stream") as stream:
        opened.set()
        return [int(line[4:]) async for line in stream.aiter_lines() if line.startswith("id: ")]
