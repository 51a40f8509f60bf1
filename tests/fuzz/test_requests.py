"""Whatever stands in a header, a cursor or a query: the answer is no 500, or there is none."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import quote_from_bytes

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from domain.hidden import b64u
from services.api.addresses import network
from services.api.languages import preferred
from services.api.media import preferred_kind
from tests.api.conftest import Service
from tests.api.guests import Table
from tests.api.lines import connection, head
from tests.api.test_document import operations
from tests.fuzz.conftest import TIMES, examples
from tests.fuzz.test_moves import JSON

pytestmark = pytest.mark.usefixtures("nothing_broke")

_EXAMPLES = partial(settings, deadline=None, suppress_health_check=list(HealthCheck))
_SIGNS = ["*", ",", "=", '"', "[", "]", "(", "\\", "W/", "-1", "00", "hu", "::1", "0.5", "nan", '"1.0"', ";q=", "%00"]
_NAMES = ["Bearer", "ru-RU", "unknown", "127.0.0.1", "10.0.0.1:99", "fe80::1%eth0", "application/json", "9" * 32, "\t"]
_WORDS = some.sampled_from([*_SIGNS, *_NAMES, "", "1e400", "chunked", "close", "upgrade", "websocket"])
_VALUES = (
    some.lists(_WORDS, max_size=12).map("".join)
    | some.lists(_WORDS, max_size=12).map(", ".join)
    | some.text(some.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=300)
    | some.integers().map(str)
)
_HEADERS: Final = {
    "Authorization": ("GET", ""),
    "If-Match": ("POST", "/moves"),
    "If-None-Match": ("GET", ""),
    "Last-Event-ID": ("GET", "/stream?after=999999"),
    "Idempotency-Key": ("POST", "/seats"),
    "Accept-Language": ("GET", "/score-sheet"),
    "Accept": ("GET", "/score-sheet"),
    "X-Request-Id": ("GET", ""),
    "X-Forwarded-For": ("GET", "/audit"),
    "X-Forwarded-Proto": ("GET", ""),
    "Content-Type": ("POST", "/moves"),
    "Origin": ("GET", "/socket"),
    "Cookie": ("GET", ""),
    "Expect": ("POST", "/seats"),
    "Connection": ("GET", ""),
    "Upgrade": ("POST", "/moves"),
    "Transfer-Encoding": ("POST", "/moves"),
    "Content-Length": ("POST", "/moves"),
}


def _given(values: some.SearchStrategy[Any], count: int) -> Callable[[Any], Any]:
    return lambda test: _EXAMPLES(max_examples=count * TIMES)(given(values)(test))


async def asked(service: Service, request: bytes, thrown: Counter[str], patience: float = 3.0) -> None:
    """Sends it, and has an answer that names no fault of ours. After ``patience`` seconds without it says that this was
    all, and likewise a moment after an answer.
    """
    begun = b""
    async with connection(service) as line:
        line.send(request)
        with suppress(TimeoutError, ConnectionError):
            while more := await asyncio.wait_for(line.reader.read(65536), 0.05 if begun else patience):
                begun += more
        line.writer.write_eof()
        begun += await line.closed()
    if not begun:
        thrown["closed"] += 1  # a body, or the end of a head, that did not come
        return
    status = int(begun.split()[1])
    assert status < 500, begun[:400]
    assert b"set-cookie" not in begun.lower()
    thrown[str(status)] += 1


@pytest.mark.parametrize("name", sorted(_HEADERS))
async def test_every_header_may_say_anything(name: str, target: Service, playing: Table, thrown: Counter[str]):
    method, tail = _HEADERS[name]
    usual = {"Host": "kibitz", "Connection": "close", "Authorization": playing.guests[0].auth["Authorization"]}
    body = b"{}" if method == "POST" else b""
    if body and name != "Transfer-Encoding":
        usual["Content-Length"] = "2"
    if name == "Upgrade":
        usual["Connection"] = "upgrade"

    async def throw(value: str) -> None:
        lines = [f"{method} {playing.path}{tail} HTTP/1.1"]
        lines += [f"{header}: {said}" for header, said in (usual | {name: value}).items()]
        await asked(target, "\r\n".join([*lines, "", ""]).encode("latin-1") + body, thrown)

    await examples(_given(_VALUES, 60), throw)


@pytest.mark.parametrize(
    "path",
    [
        path
        for path, _, operation in operations()
        if any(one.get("name") == "cursor" for one in operation["parameters"])
    ],
)
async def test_every_cursor_may_be_anything(path: str, target: Service, playing: Table, thrown: Counter[str]):
    who = playing.guests[0]
    path = path.format(player=who.player, match=playing.match)
    pairs = some.tuples(some.integers(0, 2**63), some.sampled_from([who.player, playing.match, "x"]))
    written = (
        some.binary(max_size=60)
        | JSON.map(msgspec.json.encode)
        | some.lists(some.integers(-(2**60), 2**60) | some.text(max_size=40), max_size=5).map(msgspec.json.encode)
        | pairs.map(lambda pair: f"{pair[0]} {pair[1]}".encode())
    )
    texts = some.binary(max_size=80) | written.map(lambda data: b64u(data).encode())
    others = some.sampled_from(["", "&limit=1", "&limit=0", "&limit=1e3", "&cursor=", "&%ff=1"])

    async def throw(value: tuple[bytes, str]) -> None:
        cursor, other = value
        line = f"GET {path}?cursor={quote_from_bytes(cursor)}{other}"
        await asked(target, head(line, f"Authorization: {who.auth['Authorization']}", "Connection: close"), thrown)

    await examples(_given(some.tuples(texts, others), 150), throw)


async def test_cursors_that_were_given_out_lead_through_the_whole_list_once(target: Service, thrown: Counter[str]):
    who = await target.guest()
    made = {
        (await who.post("/v1/matches", {"game": "spades-two", "seats": 2})).headers["location"].rpartition("/")[2]
        for _ in range(7)
    }

    async def listed(limit: int) -> list[str]:
        found: list[str] = []
        cursor: dict[str, Any] = {}
        while True:
            page = (await who.get("/v1/matches", limit=limit, **cursor)).json()
            found += [entry["match"] for entry in page["items"]]
            thrown["pages"] += 1
            if page["next"] is None:
                return found
            cursor = {"cursor": page["next"]}

    whole = await listed(200)
    while not made <= set(whole):  # the read model follows
        whole = await listed(200)
    assert len(set(whole)) == len(whole)
    assert await listed(1) == await listed(3) == whole


async def test_any_bytes_on_a_connection_are_answered_or_it_is_closed(target: Service, thrown: Counter[str]):
    heads = [b"Host: k\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Upgrade: websocket\r\n"]
    lines = [b"GET ", b"POST ", b"/", b" HTTP/1.1\r\n", b"http://[", b"/v1/matches/%2e%2e", b"/%ff%fe", b"?a=%", b"%zz"]
    others = [b"\r\n", b"\0", b"\xff", b": ", b"5\r\n", b"hello", b"\xc3\xa4", b"Connection: upgrade\r\n"]
    parts = some.sampled_from([*heads, *lines, *others, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
    mixed = some.lists(parts | some.binary(max_size=5), max_size=14).map(b"".join)
    likely = mixed.map(lambda data: b"GET /v1/matches HTTP/1.1\r\n" + data + b"\r\n\r\n")

    async def throw(data: bytes) -> None:
        await asked(target, data, thrown, patience=0.05)

    await examples(_given(some.binary(max_size=200) | mixed | likely, 300), throw)
    assert (await target.http.get("/health/live")).status_code == 200


def test_what_is_liked_and_where_it_comes_from_is_read_whatever_it_says(thrown: Counter[str]):
    @_EXAMPLES(max_examples=1000 * TIMES)
    @given(_VALUES | some.text(max_size=100))
    def throw(value: Any) -> None:
        assert preferred(value, ("en", "hu", "ru")) in ("en", "hu", "ru")
        assert preferred_kind(value, "application/json", "text/csv") in ("application/json", "text/csv")
        assert len(network(value)) <= 45
        assert network(network(value)) == network(value)
        thrown["values"] += 1

    throw()
