"""Titles in the language of the reader: those of problems, of their pages, and of the games."""

import pytest

from domain.games import GAMES
from services.api.problem_types import TYPES
from services.api.titles import LANGUAGES, TRANSLATED, words
from services.narration import languages, title_of
from services.rulebooks import rulebook
from tests.api.conftest import Service
from tests.api.guests import ok, problem

translations = pytest.mark.parametrize("language", languages()[1:])
spoken = pytest.mark.parametrize("language", languages())


def test_titles_are_in_the_languages_of_narration():
    assert languages() == LANGUAGES
    assert {"en", *TRANSLATED} == set(languages())


@translations
def test_every_type_of_problem_has_a_title_and_a_meaning_of_its_own_in_every_language(language: str):
    own = TRANSLATED[language]
    assert own.keys() == TYPES.keys()
    assert len({title for title, _ in own.values()}) == len(TYPES)
    for slug, (title, meaning) in own.items():
        kind = TYPES[slug]
        assert title not in ("", kind.title)
        assert title[-1] not in ".!"
        assert meaning != kind.meaning
        assert meaning[-1] == "."


@translations
def test_a_meaning_names_the_same_keys_and_headers_in_every_language(language: str):
    for slug, kind in TYPES.items():
        own, english = (meaning.split("`")[1::2] for meaning in (TRANSLATED[language][slug].meaning, kind.meaning))
        assert sorted(own) == sorted(english), slug


@pytest.mark.parametrize(
    ("accept", "language"),
    [("hu", "hu"), ("ru-RU, hu;q=0.5", "ru"), ("de, hu;q=0.1", "hu"), ("de", "en"), ("*", "en"), ("", "en")],
)
async def test_a_problem_has_its_title_in_the_language_that_is_liked_best(service: Service, accept: str, language: str):
    answer = await service.http.get("/v1/games/bridge/rulebook", headers={"Accept-Language": accept})
    told = problem(answer, 404, "not-found")
    assert told["title"] == words(TYPES["not-found"], language).title
    assert answer.headers["content-language"] == ("en" if language == "en" else f"en, {language}")
    assert "Accept-Language" in answer.headers["vary"]


@translations
async def test_a_refusal_has_title_and_clause_in_the_same_language(service: Service, language: str):
    table = await service.table()
    who = await table.due()
    answer = await who.post(f"{table.path}/moves", {"type": "pass"}, headers={"Accept-Language": language})
    told = problem(answer, 422, "refused")
    assert told["title"] == words(TYPES["refused"], language).title
    assert told["clause_text"] in {clause.text for clause in rulebook("whos-the-ass", language).clauses}
    assert answer.headers["content-language"] == f"en, {language}"


@translations
async def test_what_no_path_answers_has_a_title_in_the_language_of_the_reader_too(service: Service, language: str):
    headers = {"Accept-Language": language}
    nowhere = problem(await service.http.get("/v2/nothing", headers=headers), 404, "not-found")
    assert nowhere["title"] == words(TYPES["not-found"], language).title
    method = problem(await service.http.put("/v1/games", headers=headers), 405, "method-not-allowed")
    assert method["title"] == words(TYPES["method-not-allowed"], language).title


@spoken
async def test_the_page_of_a_problem_is_in_the_language_of_the_reader(service: Service, language: str):
    headers = {"Accept-Language": language}
    every = await service.http.get("/problems", headers=headers)
    assert every.headers["content-language"] == language
    for page in ok(every):
        one = await service.http.get(page["type"], headers=headers)
        assert one.headers["content-language"] == language
        assert "Accept-Language" in one.headers["vary"]
        assert ok(one) == page
        kind = TYPES[page["type"].rpartition("/")[2]]
        assert (page["title"], page["meaning"], page["status"]) == (*words(kind, language), kind.status)


@spoken
async def test_every_game_has_a_title_of_its_own_in_every_language(service: Service, language: str):
    answer = await service.http.get("/v1/games", headers={"Accept-Language": language})
    titles = {game["id"]: game["title"] for game in ok(answer)}
    assert titles == {game: title_of(game, language) for game in GAMES}
    assert len(set(titles.values())) == len(GAMES)
    assert answer.headers["content-language"] == ("en" if language == "en" else f"{language}, en")
    assert "Accept-Language" in answer.headers["vary"]


async def test_a_list_of_games_that_was_kept_is_right_for_its_language_only(service: Service):
    kept = await service.http.get("/v1/games", headers={"Accept-Language": "hu"})
    for language, status in (("hu", 304), ("ru", 200)):
        headers = {"Accept-Language": language, "If-None-Match": kept.headers["etag"]}
        assert (await service.http.get("/v1/games", headers=headers)).status_code == status


async def test_every_option_of_every_game_is_described(service: Service):
    games = ok(await service.http.get("/v1/games"))
    assert len(games) == len(GAMES)
    for game in games:
        schema = game["options"]["$defs"][game["options"]["$ref"].rpartition("/")[2]]
        assert schema["properties"].keys() == set(GAMES[game["id"]].options.__struct_fields__)
        for name, option in schema["properties"].items():
            assert option["description"], (game["id"], name)
            assert "default" in option, (game["id"], name)
