"""What every answer has, and what none has: no cookie, no way for a page to borrow a browser's credentials."""

import msgspec
import pytest

from services.api.document import document
from tests.api.conftest import Service, serving

_PATHS = sorted(path for path, item in msgspec.json.decode(document())["paths"].items() if "get" in item)
_STREAM = "/v1/matches/{match}/stream"


@pytest.mark.parametrize("path", [path for path in _PATHS if path != _STREAM])
async def test_no_answer_sets_a_cookie_and_each_has_its_policies(service: Service, path: str):
    table = await service.table(3)
    names = {"match": table.match, "player": table.guests[0].player, "game": "spades-two", "version": "1"}
    asked = path.format_map(names | dict.fromkeys(("dispute", "file", "asset", "module", "slug"), "too-slow"))
    for origin in ({}, {"Origin": "https://front.example", "Cookie": "a=b"}, {"Origin": "https://other.example"}):
        told = await service.http.get(asked, headers=table.guests[0].auth | origin)
        assert told.status_code < 500
        assert "set-cookie" not in told.headers
        assert "access-control-allow-credentials" not in told.headers
        assert "default-src 'none'" in told.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in told.headers["content-security-policy"]
        assert "unsafe" not in told.headers["content-security-policy"]
        assert told.headers["x-content-type-options"] == "nosniff"
        assert told.headers["referrer-policy"] == "no-referrer"
        allowed = told.headers.get("access-control-allow-origin")
        assert allowed == ("https://front.example" if "front" in origin.get("Origin", "") else None)
        assert "strict-transport-security" not in told.headers


async def test_behind_tls_every_answer_says_that_browsers_keep_to_it(database_url: str, redis_url: str):
    async with serving(database_url, redis_url, hsts_seconds=31536000) as service:
        answers = [
            await service.http.get("/"),
            await service.http.get("/nowhere"),
            await service.http.post("/v1/matches"),
            await service.http.options("/v1/matches", headers={"Access-Control-Request-Method": "POST"}),
            await service.http.post("/v1/players", json={"name": "Anna"}),
        ]
        assert {answer.headers["strict-transport-security"] for answer in answers} == {"max-age=31536000"}


async def test_only_a_trusted_proxy_says_where_a_request_comes_from(database_url: str, redis_url: str):
    """By the key of a guest, which is bound to the address."""
    key, spoofed = {"Idempotency-Key": "0123456789abcdefghijkl"}, {"X-Forwarded-For": "203.0.113.9"}

    async def became(service: Service, headers: dict[str, str]) -> str:
        told = await service.http.post("/v1/players", json={"name": "Anna"}, headers=key | headers)
        return str(told.json()["player"])

    async with serving(database_url, redis_url) as service:
        plain = await became(service, {})
        assert await became(service, spoofed) == plain
    async with serving(
        database_url, redis_url, trusted_proxies=("127.0.0.1", "10.0.0.0/8", "2001:db8::/32")
    ) as service:
        assert await became(service, {}) == plain
        forwarded = await became(service, spoofed)
        assert forwarded != plain
        # what the client says of itself comes first, and does not count
        for chain in ("1.2.3.4, 203.0.113.9", "127.0.0.1, 203.0.113.9, 10.1.2.3", "x, 203.0.113.9, 2001:db8::7"):
            assert await became(service, {"X-Forwarded-For": chain}) == forwarded
        assert await became(service, {"X-Forwarded-For": "203.0.113.9, 1.2.3.4"}) != forwarded
    async with serving(database_url, redis_url, trusted_proxies=("10.0.0.0/8",)) as service:
        assert await became(service, spoofed) == plain
