"""What holds for every path: tags and caches, lists, languages, request ids, security headers, CORS, HEAD."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from services import rulebooks
from services.api.languages import preferred
from tests.api.conftest import Service
from tests.api.guests import Table, commitment, ok, open_match, problem

OF_A_MATCH = ["", "/moves", "/events", "/clock", "/score-sheet", "/replay", "/replay/3", "/export", "/audit"]


@pytest.mark.parametrize("tail", OF_A_MATCH)
async def test_every_get_of_a_match_has_a_tag_and_answers_304_to_it(service: Service, tail: str):
    table = await service.table()
    who = await table.due()
    first = await who.get(f"{table.path}{tail}")
    tag = first.headers["etag"]
    for named in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = await who.get(f"{table.path}{tail}", headers={"If-None-Match": named})
        assert again.status_code == 304, named
        assert again.content == b""
        assert again.headers["etag"] == tag
    assert (await who.get(f"{table.path}{tail}", headers={"If-None-Match": '"0.x"'})).status_code == 200
    await table.step()
    later = await who.get(f"{table.path}{tail}", headers={"If-None-Match": tag})
    assert later.status_code == 200
    assert later.headers["etag"] != tag


async def test_the_tag_depends_on_the_viewer_and_on_who_is_called_what(service: Service):
    table = await service.table()
    tags = {(await who.get(table.path)).headers["etag"] for who in table.guests}
    tags.add((await table.http.get(table.path)).headers["etag"])
    assert len(tags) == 4
    before = (await table.http.get(table.path)).headers["etag"]
    ok(await table.guests[0].patch("/v1/me", {"name": "Renamed"}))
    renamed = await table.http.get(table.path, headers={"If-None-Match": before})
    assert renamed.status_code == 200
    assert renamed.json()["seats"][0]["name"] == "Renamed"


async def test_a_running_match_is_never_kept_and_a_finished_one_may_be(service: Service):
    table = await service.table(options={"games": 1})
    for tail in OF_A_MATCH:
        kept = (await (await table.due()).get(f"{table.path}{tail}")).headers
        assert kept["cache-control"] == "private, no-cache", tail
        assert "Authorization" in kept["vary"]
    await table.play_out()
    for tail in ("/events", "/clock", "/export?format=jsonl"):
        kept = (await table.http.get(f"{table.path}{tail}")).headers
        assert "immutable" in kept["cache-control"], tail
        assert kept["etag"] == (await table.guests[0].get(f"{table.path}{tail}")).headers["etag"]
    # these have names, which can change, or are made by the rule books of today
    for tail in ("/score-sheet", "/replay", "/replay/3?seat=all", "/export", "/audit", "/audit/bundle"):
        assert (await table.http.get(f"{table.path}{tail}")).headers["cache-control"] == "public, no-cache", tail
    assert (await table.guests[0].get(table.path)).headers["cache-control"] == "private, no-cache"
    closed = await service.table(options={"games": 1}, spectators="none")
    await closed.play_out()
    kept = (await closed.guests[0].get(f"{closed.path}/events")).headers
    assert kept["cache-control"] == "private, no-cache"


async def test_what_is_personal_is_not_stored(service: Service):
    who = await service.guest()
    assert (await who.get("/v1/me")).headers["cache-control"] == "no-store"
    created = await service.http.post("/v1/players", json={"name": "A"})
    assert created.headers["cache-control"] == "no-store"


async def test_lists_go_page_by_page_without_holes_and_repeats(service: Service):
    host = await service.guest("Host")
    opened = [(await open_match(host, 3)).rpartition("/")[2] for _ in range(7)]
    for path in opened:
        ok(await host.post(f"/v1/matches/{path}/seats"))

    own = await service.rows(f"/v1/players/{host.player}/matches", limit=3)
    assert [item["match"] for item in own] == opened[::-1]
    asked = {"status": "open", "game": "whos-the-ass"}
    lobby = [item["match"] for item in await service.rows("/v1/matches", limit=2, **asked)]
    assert [match for match in lobby if match in opened] == opened[::-1]
    assert len(set(lobby)) == len(lobby)


async def test_the_lobby_shows_who_sits_where(service: Service):
    host = await service.guest("Hanna")
    path = await open_match(host, 4, clock={"turn_seconds": 30}, options={"games": 2})
    ok(await host.post(f"{path}/seats", {"seat": 2}))
    ok(await host.post(f"{path}/bots", {"seats": [0]}))
    (found,) = [row for row in await service.rows("/v1/matches", status="open") if path.endswith(row["match"])]
    assert found["version"] == 3
    assert found["options"]["games"] == 2
    assert found["clock"] == {"turn_seconds": 30, "bank_seconds": 0}
    assert found["seats"][2] == {"seat": 2, "player": host.player, "name": "Hanna", "kind": "human"}
    assert found["seats"][0]["kind"] == "bot"
    assert found["seats"][1] == {"seat": 1, "player": None, "name": None, "kind": None}


async def test_the_lobby_tells_nobody_how_a_match_without_spectators_goes(service: Service):
    tables = [await service.table(3, spectators=who, options={"games": 1}) for who in ("none", "open")]
    for table in tables:
        await table.play_out()
    rows = await service.rows("/v1/matches", status="finished", limit=200)
    found = {row["spectators"]: row for row in rows if row["match"] in [table.match for table in tables]}
    closed, seen = found["none"], found["open"]
    assert (closed["hand"], closed["scores"], closed["winners"]) == (None, [], [])
    assert [seat["name"] for seat in closed["seats"]] == ["Guest 0", "Guest 1", "Guest 2"]
    assert seen["hand"] == 1
    assert len(seen["scores"]) == 3
    assert seen["winners"]


async def test_a_match_whose_seeds_are_being_revealed_is_open_in_the_lobby(service: Service):
    guests = [await service.guest(f"Guest {seat}") for seat in range(3)]
    path = await open_match(guests[0], 3)
    for who in guests:
        ok(await who.post(f"{path}/seats", {"seed_commitment": commitment(who.seed)}))
    for status in ("open", "revealing"):
        rows = await service.rows("/v1/matches", status=status, limit=200)
        assert path.rpartition("/")[2] in [row["match"] for row in rows if row["status"] == "revealing"]


async def test_who_has_won_stands_on_the_leaderboard_and_in_the_history(service: Service):
    table = await service.table(options={"games": 1})
    await table.play_out()
    winner = table.guests[(await table.seen())["winners"][0]]
    rows = await service.rows("/v1/leaderboard", game="whos-the-ass", limit=200)
    (row,) = [row for row in rows if row["player"] == winner.player]
    assert (row["name"], row["finished"], row["won"]) == (winner.name, 1, 1)
    (played,) = ok(await service.http.get(f"/v1/players/{winner.player}/matches"))["items"]
    assert (played["match"], played["status"], played["won"]) == (table.match, "finished", True)


async def test_a_new_match_is_read_at_once_everywhere_though_read_models_are_late(service: Service):
    for _ in range(3):
        table = await service.table()
        sheet = ok(await table.http.get(f"{table.path}/score-sheet"))
        assert (sheet["hands"], sheet["totals"]) == ([], [0, 0, 0])
        seen = await table.seen()
        index = ok(await table.http.get(f"{table.path}/replay"))
        assert index["versions"] == seen["version"]
        assert index["hands"][0]["last"] == seen["version"]


async def test_the_clock_is_told_with_its_deadline(service: Service):
    table = await service.table(clock={"turn_seconds": 600})
    seen = await table.seen()
    clock, due = seen["clock"], seen["to_act"][0]
    assert (clock["turn_seconds"], clock["bank_seconds"], clock["deadline"]) == (600, 0, seen["at"] + 600_000)
    assert [seat["since"] for seat in clock["seats"]] == [seen["at"] if seat == due else None for seat in range(3)]
    assert (await (await service.table()).seen())["clock"] is None


async def test_a_request_id_is_taken_over_if_it_is_one_and_made_if_not(service: Service):
    given = await service.http.get("/v1/games", headers={"X-Request-Id": "my-id_1.2"})
    assert given.headers["x-request-id"] == "my-id_1.2"
    for value in ("", "a b", "x" * 65, "<script>", "é"):
        own = await service.http.get("/v1/games", headers={b"X-Request-Id": value.encode("latin-1")})
        assert own.headers["x-request-id"] != value
        assert len(own.headers["x-request-id"]) == 36
    assert (await service.http.get("/nothing")).headers["x-request-id"]


async def test_security_headers_are_on_every_answer(service: Service):
    for path in ("/v1/games", "/nothing", "/health/live", "/docs", "/metrics", "/v1/me"):
        headers = (await service.http.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["referrer-policy"] == "no-referrer"
        assert "unsafe" not in headers["content-security-policy"]


async def test_cors_is_for_the_origins_that_are_named(service: Service):
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    own, foreign = {"Origin": "https://front.example"}, {"Origin": "https://evil.example"}
    allowed = await service.http.options("/v1/matches", headers=own | asked)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "https://front.example"
    assert "Authorization" in allowed.headers["access-control-allow-headers"]
    refused = await service.http.options("/v1/matches", headers=foreign | asked)
    assert "access-control-allow-origin" not in refused.headers
    for path in ("/v1/games", "/nothing", "/v1/me"):
        answer = await service.http.get(path, headers=own)
        assert answer.headers["access-control-allow-origin"] == "https://front.example"
        assert "ETag" in answer.headers["access-control-expose-headers"]
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-origin" not in (await service.http.get(path, headers=foreign)).headers


async def test_head_is_answered_as_get_without_the_body(service: Service):
    table = await service.table()
    for path in ("/v1/games", table.path, f"{table.path}/export", "/nothing", "/docs"):
        got, head = await service.http.get(path), await service.http.head(path)
        assert head.status_code == got.status_code
        assert head.content == b""
        assert head.headers.get("etag") == got.headers.get("etag")
    assert (await service.http.head(f"{table.path}/stream")).status_code == 405


async def test_a_405_names_the_methods_that_work(service: Service):
    table = await service.table()
    for path, allowed in (
        ("/v1/games", {"GET", "HEAD"}),
        ("/v1/matches", {"GET", "HEAD", "POST"}),
        ("/v1/me", {"GET", "HEAD", "PATCH", "DELETE"}),
        (f"{table.path}/moves", {"GET", "HEAD", "POST"}),
        (f"{table.path}/stream", {"GET"}),
        (f"{table.path}/seats", {"POST"}),
        ("/health/live", {"GET", "HEAD"}),
    ):
        refused = await service.http.put(path)
        problem(refused, 405, "method-not-allowed")
        assert set(refused.headers["allow"].split(", ")) - {"OPTIONS"} == allowed, path
        assert (await service.http.options(path)).headers["allow"] == refused.headers["allow"], path
    assert "HEAD" not in (await service.http.head(f"{table.path}/stream")).headers["allow"]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/csv", "text/csv"),
        ("text/csv, application/json", "text/csv"),
        ("application/json, text/csv", "application/json"),
        ("text/csv;q=0", "application/json"),
        ("text/csv; q=0.0, */*", "application/json"),
        ("text/csv;q=0.5, application/json;q=0.9", "application/json"),
        ("application/json;q=0.2, text/csv;q=0.3", "text/csv"),
        ("text/csv;header=present;q=0", "application/json"),
        ("TEXT/CSV, */*;q=0.1", "text/csv"),
        ("text/*", "text/csv"),
        ("*/*", "application/json"),
        ("image/png", "application/json"),
        ("text/csv;q=x", "application/json"),
        ("", "application/json"),
    ],
)
async def test_a_score_sheet_is_csv_for_whoever_likes_that_better(service: Service, accept: str, kind: str):
    if "table" not in _KEPT:
        _KEPT["table"] = await service.table()
    answer = await service.http.get(f"{_KEPT['table'].path}/score-sheet", headers={"Accept": accept})
    assert answer.headers["content-type"].partition(";")[0] == kind


_KEPT: dict[str, Table] = {}


@pytest.mark.parametrize(
    ("accept", "offered", "language"),
    [
        (None, ("en", "hu", "ru"), "en"),
        ("hu", ("en", "hu", "ru"), "hu"),
        ("de, hu;q=0.5, ru;q=0.7", ("en", "hu", "ru"), "ru"),
        ("ru-RU,ru;q=0.9,en;q=0.8", ("en", "hu", "ru"), "ru"),
        ("hu", ("en",), "en"),
        ("*", ("en", "hu"), "en"),
        ("hu;q=0, en;q=0.1", ("en", "hu"), "en"),
        ("hu;q=x, ;;;,q=1", ("en", "hu"), "en"),
        ("hu;q=9", ("en", "hu"), "en"),
    ],
)
def test_the_language_is_the_best_of_those_that_there_are(accept: str | None, offered: tuple[str, ...], language: str):
    assert preferred(accept, offered) == language


@pytest.fixture
def hungarian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A rule book of the game that has a Hungarian translation, of one clause at least."""
    english = (Path(rulebooks.__file__).parents[1] / "domain" / "whos_the_ass" / "RULES.md").read_text()
    (tmp_path / "RULES.md").write_text(english)
    (tmp_path / "RULES.hu.md").write_text(re.sub(r"(?m)^3\.2 ", "3.2 Magyarul: ", english))
    whole = rulebooks._folder
    monkeypatch.setattr(rulebooks, "_folder", lambda game: tmp_path if game == "whos-the-ass" else whole(game))
    kept = (rulebooks.languages_of, rulebooks._texts, rulebooks._read)
    for cache in kept:
        cache.cache_clear()
    yield
    for cache in kept:
        cache.cache_clear()


@pytest.mark.usefixtures("hungarian")
async def test_a_refusal_has_its_clause_in_the_language_of_the_reader_if_the_rule_book_is_in_it(service: Service):
    table = await service.table()
    who = await table.due()
    for accept, language in (("hu, en;q=0.5", "en, hu"), ("ru", "en, ru"), ("en", "en")):
        answer = await who.post(f"{table.path}/moves", {"type": "pass"}, headers={"Accept-Language": accept})
        told = problem(answer, 422, "refused")
        assert told["clause"] == "3.2"
        assert told["clause_text"].startswith("Magyarul: ") == (language == "en, hu")
        assert answer.headers["content-language"] == language
    book = await service.http.get("/v1/games/whos-the-ass/rulebook", headers={"Accept-Language": "hu"})
    assert (book.headers["content-language"], book.json()["language"]) == ("hu", "hu")


async def test_the_language_of_an_answer_is_named(service: Service):
    book = await service.http.get("/v1/games/whos-the-ass/rulebook", headers={"Accept-Language": "hu, en;q=0.1"})
    assert book.headers["content-language"] == book.json()["language"]
    table = await service.table()
    for tail in ("/replay", "/score-sheet", "/replay/2", "/export?format=txt"):
        answer = await table.http.get(f"{table.path}{tail}", headers={"Accept-Language": "ru"})
        assert answer.headers["content-language"] in ("en", "ru")


async def test_a_player_is_known_by_a_name_to_everybody_and_by_nothing_else(service: Service):
    who = await service.guest("Anna")
    assert ok(await service.http.get(f"/v1/players/{who.player}")) == {"player": who.player, "name": "Anna"}
    ok(await who.patch("/v1/me", {"name": "Anna B."}))
    assert ok(await service.http.get(f"/v1/players/{who.player}"))["name"] == "Anna B."
    for nobody in ("00000000-0000-0000-0000-000000000000", "anna"):
        problem(await service.http.get(f"/v1/players/{nobody}"), 404, "not-found")
