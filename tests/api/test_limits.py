"""One address may do what costs much so many times a minute; a player at a table is never counted."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from websockets.exceptions import InvalidStatus

from services.api.limits import Limit
from services.embedded.folder import Folder
from services.embedded.valkey import Valkey
from services.feed import Away, Buckets
from services.feed import buckets as buckets_of_redis
from services.ids import new_id
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, guest, ok, problem
from tests.api.sockets import socket
from tests.engine.test_redis_cluster import Node, cluster, nodes, url_of  # noqa: F401 - fixtures

_PROXY = ("127.0.0.0/8",)
_ADDRESSES = count(1)


def from_elsewhere() -> dict[str, str]:
    """The headers that a proxy adds for a client whom nobody has seen before."""
    number = next(_ADDRESSES)
    return {"X-Forwarded-For": f"198.51.{number // 250}.{number % 250 + 1}"}


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """Redis is waited for as long as it takes a busy machine: whoever does not wait counts by itself."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(buckets_of_redis, "ANSWER_SECONDS", 30.0)
        yield


@pytest.fixture
def long_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The minute of buckets lasts an hour: none gets another token while a busy machine asks."""
    monkeypatch.setattr(buckets_of_redis, "MINUTE", 3600.0)


@pytest.fixture(scope="module")
async def strict(fresh_database: Callable[[], str], redis_url: str) -> AsyncIterator[Service]:
    """A service that lets one address make five guests a minute, and read one audit or export without a seat."""
    async with serving(fresh_database(), redis_url, rate_players=5, rate_reads=1, rate_exports=1) as service:
        yield service


@pytest.fixture(scope="module")
async def table(strict: Service) -> Table:
    return await strict.table(3, options={"games": 1})


async def refused(ask: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Asks until it is too often: a bucket also fills while a slow machine asks."""
    for _ in range(50):
        answer = await ask()
        if answer.status_code == 429:
            return answer
        assert answer.is_success
    raise AssertionError("fifty times were not too often")


def test_a_full_bucket_is_emptied_at_once_and_fills_in_a_minute():
    limit = Limit(6)
    levels = [limit.take("a", 100.0) for _ in range(7)]
    assert [level.taken for level in levels] == [True] * 6 + [False]
    assert [level.left for level in levels] == [5, 4, 3, 2, 1, 0, 0]
    assert (levels[0].full, levels[5].full, levels[6].full) == (10, 60, 60)
    assert levels[6].next == 10
    assert not limit.take("a", 109.9).taken
    assert limit.take("a", 110.0).taken
    assert not limit.take("a", 110.0).taken
    assert [limit.take("a", 500.0).taken for _ in range(7)] == [True] * 6 + [False]


def test_what_is_refused_costs_nothing():
    limit = Limit(1)
    assert limit.take("a", 0.0).taken
    assert not any(limit.take("a", float(second)).taken for second in range(1, 60))
    assert limit.take("a", 60.0).taken


def test_addresses_do_not_share_a_bucket_and_the_one_longest_unheard_of_is_forgotten():
    limit = Limit(1, kept=3)
    for who in "abc":
        assert limit.take(who, 0.0).taken
    assert not limit.take("a", 0.0).taken
    assert limit.take("d", 0.0).taken  # b goes
    assert not limit.take("a", 0.0).taken
    assert not limit.take("c", 0.0).taken
    assert limit.take("b", 0.0).taken
    for number in range(1000):
        limit.take(str(number), 0.0)
    assert len(limit._buckets) == 3


async def test_too_many_guests_of_one_address_are_a_429_that_says_when_to_come_back(strict: Service, table: Table):
    answer = await refused(lambda: strict.http.post("/v1/players", json={"name": "One more"}))
    told = problem(answer, 429, "too-many")
    assert "5 times a minute" in told["detail"]
    assert answer.headers["ratelimit-limit"] == "5"
    assert answer.headers["ratelimit-remaining"] == "0"
    assert 1 <= int(answer.headers["retry-after"]) <= 12
    assert 48 <= int(answer.headers["ratelimit-reset"]) <= 60


@pytest.mark.parametrize("tail", ["/audit", "/export", "/export?format=txt"])
async def test_audits_and_exports_are_counted_for_spectators_and_not_for_who_sits_there(
    strict: Service, table: Table, tail: str
):
    answer = await refused(lambda: strict.http.get(f"{table.path}{tail}"))
    problem(answer, 429, "too-many")
    assert answer.headers["ratelimit-limit"] == "1"
    for _ in range(3):
        for who in table.guests:
            assert (await who.http.get(f"{table.path}{tail}", headers=who.auth)).status_code == 200


async def test_what_a_reader_has_already_is_not_counted(strict: Service, table: Table):
    tag = (await table.guests[0].get(f"{table.path}/audit")).headers["etag"].replace(".0.", ".public.")
    for _ in range(5):
        again = await strict.http.get(f"{table.path}/audit", headers={"If-None-Match": tag})
        assert again.status_code == 304


async def test_moves_and_what_a_table_needs_are_never_counted(strict: Service, table: Table):
    await refused(lambda: strict.http.post("/v1/players", json={"name": "One more"}))
    await refused(lambda: strict.http.get(f"{table.path}/audit"))
    assert await table.play_out() > 20
    for tail in ("", "/events", "/score-sheet", "/replay", "/replay/5"):
        for _ in range(5):
            ok(await strict.http.get(f"{table.path}{tail}"))


async def test_without_a_limit_nobody_is_counted(service: Service):
    guests: list[Guest] = [await guest(service.http, "Guest") for _ in range(20)]
    assert len({who.player for who in guests}) == 20


@pytest.mark.usefixtures("long_minute")
async def test_two_processes_count_together(fresh_database: Callable[[], str], redis_url: str):
    url = fresh_database()
    settings: dict[str, Any] = {"rate_players": 4, "trusted_proxies": _PROXY}
    async with serving(url, redis_url, **settings) as one, serving(url, redis_url, **settings) as two:
        whose, other = from_elsewhere(), from_elsewhere()

        async def asked(service: Service, headers: dict[str, str]) -> httpx.Response:
            return await service.http.post("/v1/players", json={"name": "Anna"}, headers=headers)

        # when a client asks two processes in turn
        answers = [await asked((one, two)[turn % 2], whose) for turn in range(8)]
        # then they let in as many as one would, and say in every answer how many are left
        assert [answer.status_code for answer in answers] == [201] * 4 + [429] * 4
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["3", "2", "1", "0"] + ["0"] * 4
        assert {answer.headers["ratelimit-limit"] for answer in answers} == {"4"}
        assert ["retry-after" in answer.headers for answer in answers] == [False] * 4 + [True] * 4
        # and another client is not counted with the first
        assert (await asked(two, other)).status_code == 201


@pytest.mark.usefixtures("long_minute")
async def test_each_kind_is_counted_by_itself_and_says_so(database_url: str, redis_url: str):
    """Each has a setting of its own."""
    rates = {f"rate_{kind}": 2 for kind in ("players", "matches", "disputes", "feeds", "reads", "exports")}
    async with serving(database_url, redis_url, trusted_proxies=_PROXY, **rates) as service:
        http = service.http
        guests = [ok(await http.post("/v1/players", json={"name": "A"}, headers=from_elsewhere())) for _ in range(3)]
        own = [Guest(http, told["player"], told["name"], told["token"]) for told in guests]
        body = {"game": "whos-the-ass", "seats": 3, "options": {"games": 1}}
        opened = await own[0].post("/v1/matches", body, from_elsewhere())
        table = Table(opened.headers["location"], opened.headers["location"].rpartition("/")[2], own)
        for seat, who in enumerate(own):
            ok(await who.post(f"{table.path}/seats", {"seat": seat}))
        await table.step()
        auth, dispute = own[0].auth, {"first": 1, "last": 2, "claim": "No."}

        def ask(method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
            return lambda whose: http.request(method, path, json=body, headers=whose | (headers or {}))

        asked = {
            "players": ask("POST", "/v1/players", {"name": "D"}),
            "matches": ask("POST", "/v1/matches", body, auth),
            "disputes": ask("POST", f"{table.path}/disputes", dispute, auth),
            "reads": ask("GET", f"{table.path}/audit"),
            "exports": ask("GET", f"{table.path}/export"),
        }
        whose = from_elsewhere()
        for kind, request in asked.items():
            answers = [await request(whose) for _ in range(3)]
            problem(answers[2], 429, "too-many")
            assert all(answer.status_code != 429 for answer in answers[:2]), kind
            assert answers[2].headers["ratelimit-limit"] == "2"
        problem(await http.get(f"{table.path}/audit/bundle", headers=whose), 429, "too-many")
        # feeds of whoever has no seat are counted, streams and sockets together; those of a player are not
        for _ in range(2):
            async with socket(service, table.path, additional_headers=whose):
                pass
        problem(await http.get(f"{table.path}/stream", headers=whose), 429, "too-many")
        with pytest.raises(InvalidStatus) as refused_:
            async with socket(service, table.path, additional_headers=whose):
                pass
        assert refused_.value.response.status_code == 429
        assert "Retry-After" in refused_.value.response.headers
        for _ in range(3):
            async with socket(service, table.path, additional_headers=whose | auth):
                pass
        # and the match is played to its end from that very address
        while (seen := await table.seen())["status"] == "playing":
            who = own[seen["to_act"][0]]
            move = ok(await who.get(f"{table.path}/moves", whose))["moves"][0]
            ok(await who.post(f"{table.path}/moves", move, whose))
        figures = (await http.get("/metrics")).text
        assert 'kibitz_limited_total{kind="matches"} 1.0' in figures
        assert "kibitz_limits_shared 1.0" in figures


@pytest.fixture
def valkey(data_folder: Path) -> Iterator[Valkey]:
    folder = Folder(data_folder)
    folder.take()
    valkey = Valkey(folder)
    valkey.start()
    yield valkey
    valkey.stop()
    folder.leave()


@pytest.mark.usefixtures("long_minute")
@pytest.mark.parametrize(
    ("alone", "statuses"), [("local", [201, 201, 429]), ("open", [201, 201, 201]), ("closed", [503, 503, 503])]
)
async def test_while_redis_is_away_the_setting_decides_and_then_it_counts_again(
    database_url: str, valkey: Valkey, alone: str, statuses: list[int]
):
    async with serving(database_url, valkey.url, rate_matches=2, rate_alone=alone, trusted_proxies=_PROXY) as service:
        table = await service.table(3)
        who = await service.guest()

        async def opened(whose: dict[str, str]) -> httpx.Response:
            return await who.post("/v1/matches", {"game": "spades-two", "seats": 2}, whose)

        whose = from_elsewhere()
        assert [(await opened(whose)).status_code for _ in range(3)] == [201, 201, 429]
        # when Redis goes
        valkey.stop()
        found = [await opened(other := from_elsewhere()), *[await opened(other) for _ in range(2)]]
        assert [answer.status_code for answer in found] == statuses
        if alone == "closed":
            problem(found[0], 503, "unavailable")
            assert found[0].headers["retry-after"] == "1"
        # then moves are made as ever
        for turn in range(3):
            await table.step(turn)
        assert "kibitz_limits_shared 0.0" in (await service.http.get("/metrics")).text
        # and when it is back, all is counted together again
        valkey.start()
        while "kibitz_limits_shared 0.0" in (await service.http.get("/metrics")).text:
            await opened(from_elsewhere())
            await asyncio.sleep(0.1)
        whose = from_elsewhere()
        assert [(await opened(whose)).status_code for _ in range(3)] == [201, 201, 429]


async def test_a_redis_that_is_stopped_in_its_tracks_holds_up_one_request_and_not_the_next(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
):
    buckets = Buckets(valkey.url)
    assert (await buckets.take("a", 2)).left == 1
    monkeypatch.setattr(buckets_of_redis, "ANSWER_SECONDS", 0.5)
    process = psutil.Process(valkey.pid)
    process.suspend()
    try:
        for _ in range(20):  # twenty time-outs would be noticed
            with pytest.raises(Away):
                await buckets.take("a", 2)
    finally:
        process.resume()
    await buckets.close()


@pytest.mark.usefixtures("long_minute")
async def test_a_bucket_in_redis_is_as_one_in_memory_and_is_forgotten_when_it_is_full(redis_url: str):
    buckets, who = Buckets(redis_url), new_id()
    levels = [await buckets.take(who, 6) for _ in range(7)]
    assert [level.taken for level in levels] == [True] * 6 + [False]
    assert [level.left for level in levels] == [5, 4, 3, 2, 1, 0, 0]
    assert 3300 < levels[6].full <= 3600
    assert 300 < levels[6].next <= 600
    assert 3_300_000 < await buckets._redis.pttl(f"kibitz:bucket:{who}") <= 3_600_000
    await buckets.close()


@pytest.mark.usefixtures("long_minute")
async def test_fifty_at_once_take_what_there_is_and_no_more(redis_url: str):
    processes, who = [Buckets(redis_url) for _ in range(4)], new_id()
    levels = await asyncio.gather(*(processes[turn % 4].take(who, 10) for turn in range(50)))
    assert sum(level.taken for level in levels) == 10
    for buckets in processes:
        await buckets.close()


@pytest.mark.usefixtures("long_minute")
async def test_in_a_cluster_each_bucket_is_at_its_node(cluster: list[Node]):  # noqa: F811 - the fixture
    processes = [Buckets(url_of(*cluster)) for _ in range(2)]
    for number in range(12):  # over all three nodes
        levels = [await processes[turn % 2].take(f"one of {number}", 2) for turn in range(3)]
        assert [level.taken for level in levels] == [True, True, False]
    for buckets in processes:
        await buckets.close()
