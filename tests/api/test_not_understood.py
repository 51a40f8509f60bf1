"""What is not understood, not there or not allowed in is answered as such; no request makes a 500."""

import json

import pytest

from tests.api.conftest import Service
from tests.api.guests import Guest, Table, problem

NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057"


async def unchanged(table: Table, version: int) -> None:
    assert (await table.seen())["version"] == version


GARBAGE = [
    b"",
    b"{",
    b"nonsense",
    b"\xff\xfe",
    b"\x00",
    b"null",
    b"[]",
    b"17",
    b'"text"',
    b"{}",
    b'{"type": "fly"}',
    b'{"type": 5}',
    b'{"type": "play"}',
    b'{"type": "play", "cards": "10"}',
    b'{"type": "play", "cards": [10]}',
    b'{"type": "play", "cards": ["10"], "seat": 2}',
    b'{"type": "pass", "extra": 1}',
    b'{"type": "play", "cards": ["10"], "as": 1.5}',
    b'{"type": "play", "cards": ["10"], "as": 1e999}',
    b'{"type": "play", "cards": ["\\ud800"]}',
    b'{"type": "play", "cards": ["' + b"9" * 5000 + b'"], "as": ' + b"9" * 5000 + b"}",
    b"[" * 60_000,
    b'{"type":' * 8000,
    b"\xef\xbb\xbf{}",
]


@pytest.mark.parametrize("body", GARBAGE, ids=range(len(GARBAGE)))
async def test_what_is_not_a_move_is_a_400_and_changes_nothing(service: Service, body: bytes):
    table = await _shared_table(service)
    version = (await table.seen())["version"]
    who = await table.due()
    json_kind = who.auth | {"Content-Type": "application/json"}
    for path in ("moves", "moves/check"):
        answer = await service.http.post(f"{table.path}/{path}", content=body, headers=json_kind)
        problem(answer, 400, "not-understood")
    for path in ("/v1/matches", f"{table.path}/bots", f"{table.path}/seed", "/v1/players"):
        answer = await service.http.post(path, content=body, headers=json_kind)
        problem(answer, 400, "not-understood")
    await unchanged(table, version)


_TABLES: dict[int, Table] = {}


async def _shared_table(service: Service) -> Table:
    if id(service) not in _TABLES:
        _TABLES[id(service)] = await service.table()
    return _TABLES[id(service)]


async def test_strange_cards_are_refused_by_the_rules(service: Service):
    table = await service.table()
    who = await table.due()
    for cards in (["\0"], ["10"] * 9000, [], ["ass"], ["10", "11"], ["J"] * 6):
        problem(await who.post(f"{table.path}/moves", {"type": "play", "cards": cards}), 422, "refused")
    for declared in (-1, 2**62, 10**30):
        told = await who.post(f"{table.path}/moves", {"type": "play", "cards": ["10"], "as": declared})
        assert told.status_code in (400, 422), told.text


async def test_a_body_over_64_kib_is_a_413(service: Service):
    table = await service.table()
    who = await table.due()
    fat = json.dumps({"type": "play", "cards": ["1"] * 30_000}).encode()
    kind = who.auth | {"Content-Type": "application/json"}
    problem(await service.http.post(f"{table.path}/moves", content=fat, headers=kind), 413, "too-large")

    async def chunks():
        for _ in range(20):
            yield fat[:8000]

    problem(await service.http.post(f"{table.path}/moves", content=chunks(), headers=kind), 413, "too-large")


async def test_a_body_that_says_it_is_not_json_is_a_415(service: Service):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "nonsense"):
        answer = await service.http.post("/v1/players", content=b'{"name":"A"}', headers={"Content-Type": kind})
        problem(answer, 415, "unsupported-media-type")
    named = await service.http.post(
        "/v1/players", content=b'{"name":"A"}', headers={"Content-Type": "APPLICATION/JSON; charset=utf-8"}
    )
    assert named.status_code == 201


PATHS = ["", "/moves", "/events", "/stream", "/score-sheet", "/replay", "/replay/1", "/export", "/audit"]


@pytest.mark.parametrize("tail", PATHS)
@pytest.mark.parametrize(
    "match", [NOBODY, "1", "me", "%00", "..%2f", "%F0%9F%82%A1", "x" * 3000, NOBODY.replace("-", "")]
)
async def test_a_match_that_there_is_not_is_a_404(service: Service, match: str, tail: str):
    who = await _anybody(service)
    problem(await who.get(f"/v1/matches/{match}{tail}"), 404, "not-found")


@pytest.mark.parametrize("tail", ["/moves", "/moves/check", "/seats", "/bots", "/seed", "/resign"])
async def test_nothing_can_be_done_to_a_match_that_there_is_not(service: Service, tail: str):
    who = await _anybody(service)
    bodies = {"/bots": {"seats": [0]}, "/seed": {"seed": "x"}, "/seats": {}, "/resign": {}}
    for match in (NOBODY, "zzz"):
        answer = await who.post(f"/v1/matches/{match}{tail}", bodies.get(tail, {"type": "pass"}))
        problem(answer, 404, "not-found")
    problem(await who.delete(f"/v1/matches/{NOBODY}/seats/me"), 404, "not-found")


_ANYBODY: dict[int, Guest] = {}


async def _anybody(service: Service) -> Guest:
    if id(service) not in _ANYBODY:
        _ANYBODY[id(service)] = await service.guest()
    return _ANYBODY[id(service)]


async def test_paths_and_methods_that_there_are_not(service: Service):
    for path in ("/v1", "/v1/nothing", "/v1/matches/x/y/z", "/v2/games", "/docs/../secrets", "/docs/index.html"):
        problem(await service.http.get(path), 404, "not-found")
    told = await service.http.put("/v1/games")
    problem(told, 405, "method-not-allowed")
    assert "GET" in told.headers["allow"]
    problem(await service.http.request("TRACE", "/v1/games"), 405, "method-not-allowed")
    problem(await service.http.get("/v1/games/poker/rulebook"), 404, "not-found")
    problem(await service.http.get(f"/v1/players/{NOBODY}/matches"), 404, "not-found")
    problem(await service.http.get("/problems/none"), 404, "not-found")


async def test_a_version_that_there_is_not_is_a_404(service: Service):
    table = await _shared_table(service)
    problem(await table.http.get(f"{table.path}/replay/1?seat=99"), 404, "not-found")
    for version in ("0", "-1", "999999", "99999999999999999999", "x", "1.5", "٣", "%00"):
        problem(await table.http.get(f"{table.path}/replay/{version}"), 404, "not-found")


@pytest.mark.parametrize(
    "query",
    [
        "limit=0", "limit=201", "limit=-1", "limit=x", "limit=1.5", "limit=99999999999999999999", "limit=",
        "limit=5&limit=6", "cursor=nonsense", "cursor=%00", "cursor=" + "A" * 600, "cursor=WzFd", "cursor=bnVsbA",
        "cursor=WzFlOTk5LCJ4Il0",
        "cursor=Wy05MjIzMzcyMDM2ODU0Nzc1ODA5LCIwMTg5MGE1ZC1hYzk2LTc3NGItYmNjZS1iMzAyMDk5YTgwNTciXQ",
        "nothing=1", "status=closed", "game=poker", "game=%00", "status=open&status=open", "%FF=1", "limit=%FF",
    ],
)  # fmt: skip
async def test_a_query_that_is_not_understood_is_a_400(service: Service, query: str):
    problem(await service.http.get(f"/v1/matches?{query}"), 400, "not-understood")


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=4294967296", "limit=500", "x=1", "after=1&after=2"])
async def test_a_page_of_events_that_is_not_understood_is_a_400(service: Service, query: str):
    table = await _shared_table(service)
    problem(await table.http.get(f"{table.path}/events?{query}"), 400, "not-understood")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/replay/1", "seat=null"), ("/replay/1", "seat=-1"), ("/replay/1", "seat=me"), ("/export", "format=xml"),
        ("/stream", "with=cards"), ("/stream", "after=x"), ("/score-sheet", "format=pdf"), ("", "x=1"),
        ("/audit", "x=1"),
    ],
)  # fmt: skip
async def test_other_queries_that_are_not_understood(service: Service, path: str, query: str):
    table = await _shared_table(service)
    problem(await table.http.get(f"{table.path}{path}?{query}"), 400, "not-understood")


@pytest.mark.parametrize(
    "cursor",
    [
        "WzEsMiwiXHUwMDAwIl0",
        "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5LDEsIngiXQ",
        "Wy05MjIzMzcyMDM2ODU0Nzc1ODA4LDEsIngiXQ",
        "WzEsMl0",
    ],
)
async def test_a_made_up_cursor_of_the_leaderboard_is_a_400(service: Service, cursor: str):
    problem(await service.http.get(f"/v1/leaderboard?cursor={cursor}"), 400, "not-understood")


async def test_names_that_cannot_be_shown_are_a_400(service: Service):
    for name in ("", "   ", "a\0b", "a\nb", "\u202edark", "x" * 41, "\u200b", 5, None, ["a"]):
        problem(await service.http.post("/v1/players", json={"name": name}), 400, "not-understood")
    who = await service.guest("Zoë 🃏 Őrsi")
    assert who.name == "Zoë 🃏 Őrsi"
    problem(await who.patch("/v1/me", {"name": "\x07"}), 400, "not-understood")


async def test_without_a_token_or_with_a_wrong_one_it_is_a_401(service: Service):
    table = await _shared_table(service)
    for path in ("/v1/matches", f"{table.path}/moves", f"{table.path}/seats", f"{table.path}/resign"):
        answer = await service.http.post(path, json={})
        problem(answer, 401, "unauthenticated")
        assert answer.headers["www-authenticate"] == 'Bearer realm="kibitz"'
    for value in ("Bearer wrong", "Bearer", "Basic YTpi", "nonsense", "Bearer " + "x" * 5000, "Bearer \xff"):
        for path in (table.path, "/v1/me", f"{table.path}/events", "/v1/leaderboard", "/v1/matches"):
            answer = await service.http.get(path, headers={b"Authorization": value.encode("latin-1")})
            problem(answer, 401, "unauthenticated")
            assert "invalid_token" in answer.headers["www-authenticate"]


async def test_headers_sent_twice_are_a_400(service: Service):
    who = await _anybody(service)
    for name in ("Authorization", "Idempotency-Key", "Content-Type"):
        twice = [*who.auth.items(), ("Content-Type", "application/json"), (name, "one"), (name, "two")]
        answer = await service.http.post("/v1/matches", content=b'{"game":"whos-the-ass","seats":3}', headers=twice)
        problem(answer, 400, "not-understood")


async def test_whoever_says_a_word_that_there_is_not_is_told_those_there_are(service: Service):
    wrong = problem(await service.http.get("/v1/matches?status=ended"), 400, "not-understood")
    assert wrong["detail"].endswith("`$.status`: abandoned, finished, open, playing, revealing")
    table = await service.table(3)
    judge = await service.guest("Judge")
    wrong = problem(
        await table.guests[0].post(f"{table.path}/bots", {"seats": [1], "level": "best"}), 400, "not-understood"
    )
    assert wrong["detail"].endswith("`$.level`: heuristic, random")
    ruling = {"ruling": "void", "reason": "x"}
    wrong = problem(await judge.post(f"/v1/disputes/{table.match}/rulings", ruling), 400, "not-understood")
    assert wrong["detail"].endswith("`$.ruling`: adjust, upheld, void_hand")
