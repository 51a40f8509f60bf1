"""A request is read to the letter: what is almost right is a 400, and changes nothing."""

import unicodedata
from typing import Any

import pytest

from tests.api.conftest import Service
from tests.api.guests import Guest, Table, ok, open_match, problem


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/replay/1", "seat=all%0A"), ("/replay/1", "seat=public%0A"), ("/replay/1", "seat=0%0A"),
        ("/replay/1", "seat=0%0D"), ("/replay/1", "seat=%090"), ("/replay/1", "seat=%D9%A3"),
        ("/export", "format=txt%0A"), ("/score-sheet", "format=csv%0A"), ("/events", "after=1%0A"),
        ("/stream", "with=table%0A"), ("/stream", "after=0%0A"),
    ],
)  # fmt: skip
async def test_a_query_with_a_line_break_after_a_right_value_is_a_400(service: Service, path: str, query: str):
    table = await service.table()
    problem(await table.http.get(f"{table.path}{path}?{query}"), 400, "not-understood")


async def test_an_id_in_a_path_with_a_line_break_after_it_is_a_404(service: Service):
    table = await service.table()
    player = table.guests[0].player
    for path in (f"{table.path}%0A", f"{table.path}/replay/1%0A", f"/v1/players/{player}%0A/matches"):
        problem(await table.http.get(path), 404, "not-found")
    problem(await table.http.get("/v1/games/whos-the-ass%0A/rulebook"), 404, "not-found")


@pytest.mark.parametrize("query", ["status=open%0A", "game=whos-the-ass%0A", "limit=5%0A", "cursor=WzFd%0A"])
async def test_a_list_asked_for_with_a_line_break_is_a_400(service: Service, query: str):
    problem(await service.http.get(f"/v1/matches?{query}"), 400, "not-understood")


INVISIBLE = [0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x200C, 0x200D, 0x2800, 0x3164, 0xFE0F, 0xFFA0, 0xE0041]
REFUSED = [0x0A, 0x61C, 0x200B, 0x200E, 0x200F, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF]


@pytest.mark.parametrize("code", [*INVISIBLE, *REFUSED])
async def test_a_name_of_which_nothing_is_seen_is_a_400(service: Service, code: int):
    for name in (chr(code), chr(code) * 3, f" {chr(code)} "):
        problem(await service.http.post("/v1/players", json={"name": name}), 400, "not-understood")


@pytest.mark.parametrize("code", REFUSED)
async def test_a_name_that_could_turn_or_break_the_text_around_it_is_a_400(service: Service, code: int):
    for name in (f"An{chr(code)}na", f"{chr(code)}Anna", f"Anna{chr(code)}"):
        problem(await service.http.post("/v1/players", json={"name": name}), 400, "not-understood")


@pytest.mark.parametrize("name", ["👩\u200d🚀", "❤\ufe0f", "می\u200cخواهم", "Zoë", "한글", "ក\u17b4", "⠓⠊"])
async def test_what_scripts_and_emoji_need_to_be_written_stays_in_a_name(service: Service, name: str):
    assert (await service.guest(name)).name == unicodedata.normalize("NFC", name)


async def test_the_forty_characters_of_a_name_are_counted_as_they_are_kept(service: Service):
    # given letters that are one character only when they are composed
    composed, apart = "é" * 40, "e\u0301" * 40
    assert (await service.guest(apart)).name == composed
    for name in ("é" * 41, "e\u0301" * 41, "x" * 41, "\ufb2c" * 20):
        told = problem(await service.http.post("/v1/players", json={"name": name}), 400, "not-understood")
        assert "40" in told["detail"]
    assert (await service.guest(f"  {'x' * 40}  ")).name == "x" * 40


SURPLUS = [b'{"seat":1}', b"[]", b"null", b"5", b"{", b" ", b'"resign"', b'{"confirm":true}', b"\xff"]


@pytest.mark.parametrize("body", SURPLUS)
async def test_what_takes_no_body_refuses_one_and_changes_nothing(service: Service, body: bytes):
    table, host = await service.table(), await service.guest("Host")
    path = await open_match(host)
    ok(await host.post(f"{path}/seats"))
    before = (await table.seen())["version"], ok(await host.get(path))["version"]

    for who, method, to in (
        (table.guests[0], "POST", f"{table.path}/resign"),
        (host, "POST", f"{path}/resign"),
        (host, "DELETE", f"{path}/seats/me"),
        (host, "DELETE", "/v1/me"),
    ):
        kind = who.auth | {"Content-Type": "application/json"}
        problem(await who.http.request(method, to, content=body, headers=kind), 400, "not-understood")

    assert before == ((await table.seen())["version"], ok(await host.get(path))["version"])
    assert ok(await host.get("/v1/me"))["name"] == "Host"


async def test_what_takes_no_body_takes_an_empty_object(service: Service):
    host = await service.guest("Host")
    path = await open_match(host)
    for method, to in (("POST", f"{path}/seats"), ("DELETE", f"{path}/seats/me"), ("POST", f"{path}/resign")):
        ok(await host.http.request(method, to, json={}, headers=host.auth))
    assert (await host.http.request("DELETE", "/v1/me", json={}, headers=host.auth)).status_code == 204


async def test_the_key_of_a_new_guest_is_too_long_to_be_guessed(service: Service):
    for key in ("k", "guest-1", "x" * 21):
        headers = {"Idempotency-Key": key}
        told = problem(
            await service.http.post("/v1/players", json={"name": "A"}, headers=headers), 400, "not-understood"
        )
        assert "22" in told["detail"]
    ok(await service.http.post("/v1/players", json={"name": "A"}, headers={"Idempotency-Key": "x" * 21 + "y"}))


async def _mover(service: Service) -> tuple[Table, Guest, Any, int]:
    table = await service.table()
    who = await table.due()
    legal = await table.legal(who)
    return table, who, legal["moves"][0], legal["version"]


@pytest.mark.parametrize(
    "value",
    [
        '"{v}"junk', 'W/"{v}"', "W/{v}", "{v}.5", '{v}"', '"{v}', '"{v}.0', "{v}.", '"{v}."', "0{v}", "+{v}", "{v} {v}",
        '"{v}" "{v}"', '"{v}", junk', "{v},", ",", "*, {v}", "**", '"{v}.0", W/"{v}.0"', '"x"', "-1",
    ],
)  # fmt: skip
async def test_an_if_match_that_is_no_tag_of_ours_is_a_400(service: Service, value: str):
    table, who, move, version = await _mover(service)
    headers = {"If-Match": value.format(v=version)}
    problem(await who.post(f"{table.path}/moves", move, headers=headers), 400, "not-understood")
    assert (await table.seen())["version"] == version


@pytest.mark.parametrize("value", ["{v}", '"{v}"', "*", '"1", "{v}"', "{v}, 1", '1,{v},"99999"', '"{v}.0.0123abcd"'])
async def test_an_if_match_that_names_the_version_lets_the_move_through(service: Service, value: str):
    table, who, move, version = await _mover(service)
    ok(await who.post(f"{table.path}/moves", move, headers={"If-Match": value.format(v=version)}))


@pytest.mark.parametrize("value", ["1", '"1"', '"1", "2"', "1, 2", '"1.0", "2.0"', '"99999"'])
async def test_an_if_match_that_names_other_versions_only_is_a_412(service: Service, value: str):
    table, who, move, version = await _mover(service)
    told = problem(await who.post(f"{table.path}/moves", move, headers={"If-Match": value}), 412, "version-mismatch")
    assert told["version"] == version == (await table.seen())["version"]


@pytest.mark.parametrize("tail", ["", "/moves", "/events", "/score-sheet", "/replay", "/export"])
async def test_every_tag_of_a_match_may_be_sent_back_with_a_move(service: Service, tail: str):
    table, who, move, _ = await _mover(service)
    tag = (await who.get(f"{table.path}{tail}")).headers["etag"]
    ok(await who.post(f"{table.path}/moves", move, headers={"If-Match": tag}))


async def test_a_key_that_stands_twice_in_a_body_is_a_400(service: Service):
    host = await service.guest("Host")
    path = await open_match(host, 3)
    for to, body in (
        ("/v1/matches", b'{"game":"whos-the-ass","seats":3,"seats":4}'),
        ("/v1/matches", b'{"game":"whos-the-ass","seats":3,"options":{"games":1,"games":2}}'),
        (f"{path}/seats", b'{"seat":0,"seat":1}'),
        (f"{path}/bots", b'{"seats":[0],"seats":[1]}'),
        (f"{path}/seed", b'{"seed":"a","seed":"b"}'),
        ("/v1/players", b'{"name":"A","n\\u0061me":"B"}'),
    ):
        kind = host.auth | {"Content-Type": "application/json"}
        told = problem(await host.http.post(to, content=body, headers=kind), 400, "not-understood")
        assert "twice" in told["detail"]
    assert ok(await host.get(path))["version"] == 1


@pytest.mark.parametrize("value", [None, 5.0, "5", True, [], {}, [5], {"a": 1}, 0, 21, 1e300, 10**30, "null"])
async def test_a_wrong_number_among_the_options_is_a_422_that_names_it_and_its_bounds(service: Service, value: Any):
    host = await service.guest()
    body = {"game": "whos-the-ass", "seats": 3, "options": {"games": value}}
    told = problem(await host.post("/v1/matches", body), 422, "refused")
    assert told["clause"] == "1.3"
    assert told["detail"] == "options.games is a whole number from 1 to 20"


@pytest.mark.parametrize("value", [None, 5, 1.5, "choos", [], {}, True, "choose\n"])
async def test_a_wrong_word_among_the_options_is_a_422_that_names_those_that_there_are(service: Service, value: Any):
    host = await service.guest()
    body = {"game": "whos-the-ass", "seats": 3, "options": {"ass_round_joker": value}}
    told = problem(await host.post("/v1/matches", body), 422, "refused")
    assert told["clause"] == "1.3"
    assert told["detail"] == "options.ass_round_joker is one of always_one, choose"


async def test_an_option_that_there_is_not_is_a_422_that_names_those_that_there_are(service: Service):
    host = await service.guest()
    body = {"game": "whos-the-ass", "seats": 3, "options": {"colour": None}}
    told = problem(await host.post("/v1/matches", body), 422, "refused")
    assert told["detail"].startswith("options.colour is not an option of whos-the-ass; those are games, ")
    wrong: tuple[Any, ...] = (None, [], 5, "games")
    for options in wrong:
        answer = await host.post("/v1/matches", {"game": "whos-the-ass", "seats": 3, "options": options})
        assert "options" in problem(answer, 400, "not-understood")["detail"]
