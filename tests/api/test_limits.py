"""One address may do what costs much so many times a minute; a player at a table is never counted."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest

from services.api.limits import Limit
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, guest, ok, problem


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
