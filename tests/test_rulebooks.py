"""Rule books as data: nothing of a RULES.md is lost on the way."""

import re
from importlib import resources
from pathlib import Path

import pytest

from domain.games import GAMES
from services import rulebooks
from services.narration import languages
from services.rulebooks import clause_text, parsed, rulebook

BOOKS = ("match", *GAMES)
EDITIONS = [(game, language) for game in BOOKS for language in languages()]
TRANSLATIONS = [(game, language) for game, language in EDITIONS if language != "en"]

SMALL = """# A game

For two,
or for three.

## 1. Beginning

1.1 The first clause
goes on here.
1.2 The second one (X1).

1.10 The tenth.

## Rulings

| id | question | ruling | option | clauses |
|---|---|---|---|---|
| X1 | Why? | Because. | `why`, `not` | 1.2, 1.10 |
| X2 | Who? | Nobody. | - | 1.1 |

## Worked examples

WX1 (1.1, 1.10) It is so,
and not otherwise.
WX2 (1.10) Or so.
"""


def source(game: str, language: str) -> str:
    folder = resources.files("domain") / (GAMES[game].folder if game in GAMES else game)
    text = (folder / ("RULES.md" if language == "en" else f"RULES.{language}.md")).read_text(encoding="utf-8")
    return text.partition("## Seed sentences")[0]  # where the clauses come from is for readers of the file


def unsaid(text: str) -> str:
    """The text without the headings and the heads of tables that hold no clause."""
    return re.sub(r"^(## \D.*|\|(?! *[A-Z]+\d).*)$", "", text, flags=re.MULTILINE)


def marked(text: str) -> list[list[str]]:
    """What is the same in every language: numbers, the marks of rulings, and the words of the API."""
    return [sorted(re.findall(pattern, text)) for pattern in (r"\d+", r"\b[A-Z]{2}\d+", r"`[^`]+`")]


@pytest.mark.parametrize(("game", "language"), EDITIONS)
def test_every_clause_of_a_rule_book_is_there_in_its_order(game: str, language: str):
    numbers = re.findall(r"^(\d+\.\d+) ", source(game, language), re.MULTILINE)
    assert [clause.id for clause in rulebook(game, language).clauses] == numbers
    assert len(numbers) > 20


@pytest.mark.parametrize(("game", "language"), EDITIONS)
def test_every_word_of_a_rule_book_is_in_a_clause_a_ruling_or_an_example(game: str, language: str):
    book = rulebook(game, language)
    told = " ".join(
        [
            book.title,
            book.introduction,
            *(f"{clause.id} {clause.text} {clause.chapter}" for clause in book.clauses),
            *(" ".join((r.id, r.question, r.ruling, r.option, *r.clauses)) for r in book.rulings),
            *(" ".join((e.id, *e.clauses, e.text)) for e in book.examples),
        ]
    )
    assert set(re.findall(r"\w+", unsaid(source(game, language)))) <= set(re.findall(r"\w+", told))


@pytest.mark.parametrize(("game", "language"), TRANSLATIONS)
def test_a_translation_has_the_clauses_the_rulings_and_the_examples_of_the_original(game: str, language: str):
    original, translation = rulebook(game), rulebook(game, language)
    assert translation.language == language
    assert [clause.id for clause in translation.clauses] == [clause.id for clause in original.clauses]
    assert [(r.id, r.option, r.clauses) for r in translation.rulings] == [
        (r.id, r.option, r.clauses) for r in original.rulings
    ]
    assert [(e.id, e.clauses) for e in translation.examples] == [(e.id, e.clauses) for e in original.examples]
    chapters = {clause.id.partition(".")[0]: clause.chapter for clause in translation.clauses}
    assert len(set(chapters.values())) == len(chapters) == len({clause.chapter for clause in original.clauses})


@pytest.mark.parametrize(("game", "language"), TRANSLATIONS)
def test_a_translation_says_the_same_numbers_and_names_the_same_options(game: str, language: str):
    original, translation = rulebook(game), rulebook(game, language)
    pairs = [
        *(
            (ours.id, ours.text, theirs.text)
            for ours, theirs in zip(original.clauses, translation.clauses, strict=True)
        ),
        *(
            (ours.id, ours.text, theirs.text)
            for ours, theirs in zip(original.examples, translation.examples, strict=True)
        ),
        *(
            (ours.id, f"{ours.question} {ours.ruling}", f"{theirs.question} {theirs.ruling}")
            for ours, theirs in zip(original.rulings, translation.rulings, strict=True)
        ),
    ]
    assert [(name, marked(theirs)) for name, _, theirs in pairs] == [(name, marked(ours)) for name, ours, _ in pairs]


@pytest.mark.parametrize(("game", "language"), TRANSLATIONS)
def test_a_translation_leaves_nothing_in_english(game: str, language: str):
    original, translation = rulebook(game), rulebook(game, language)
    assert (translation.title, translation.introduction) != (original.title, original.introduction)
    said = {clause.text for clause in original.clauses} | {clause.chapter for clause in original.clauses}
    said |= {text for ruling in original.rulings for text in (ruling.question, ruling.ruling)}
    said |= {example.text for example in original.examples}
    for clause in translation.clauses:
        assert {clause.text, clause.chapter}.isdisjoint(said)
    for ruling in translation.rulings:
        assert {ruling.question, ruling.ruling}.isdisjoint(said)
    for example in translation.examples:
        assert example.text not in said


def test_examples_and_rulings_hang_on_their_clauses():
    book = rulebook("whos-the-ass")
    by_id = {clause.id: clause for clause in book.clauses}
    assert len(book.rulings) == 23
    assert [ruling.id for ruling in book.rulings] == [f"WA{number}" for number in range(1, 24)]
    for ruling in book.rulings:
        assert ruling.clauses
        assert ruling.question
        assert ruling.ruling
        for number in ruling.clauses:
            assert ruling.id in by_id[number].rulings
    assert {example.id for example in book.examples} >= {"WX1", "WX2", "WX3", "WX4", "WX5", "WX7", "WX9", "WX10"}
    for example in book.examples:
        assert example.clauses
        for number in example.clauses:
            assert example in by_id[number].examples


def test_options_of_rulings_are_options_of_the_game():
    for game in GAMES.values():
        options = {field for ruling in rulebook(game.id).rulings for field in ruling.option.split(", ") if field}
        assert options <= set(game.options.__struct_fields__)


def test_a_rule_book_is_taken_apart():
    book = parsed("a-game", "en", SMALL)
    assert (book.title, book.introduction) == ("A game", "For two, or for three.")
    assert [(clause.id, clause.text) for clause in book.clauses] == [
        ("1.1", "The first clause goes on here."),
        ("1.2", "The second one (X1)."),
        ("1.10", "The tenth."),
    ]
    assert {clause.chapter for clause in book.clauses} == {"Beginning"}
    first, second = book.rulings
    assert (first.id, first.question, first.ruling, first.option, first.clauses) == (
        "X1",
        "Why?",
        "Because.",
        "why, not",
        ("1.2", "1.10"),
    )
    assert second.option == ""
    assert [(example.id, example.clauses, example.text) for example in book.examples] == [
        ("WX1", ("1.1", "1.10"), "It is so, and not otherwise."),
        ("WX2", ("1.10",), "Or so."),
    ]
    assert [len(clause.examples) for clause in book.clauses] == [1, 0, 2]
    assert [clause.rulings for clause in book.clauses] == [("X2",), ("X1",), ("X1",)]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1.2 Once more.\n1.2 And again.", "twice"),
        ("| X3 | Why? | Because. | - |", "five columns"),
        ("WX3 (9.9) Of what?", r"WX3 speaks of 9\.9"),
        ("Something without a number.", "neither a clause nor a ruling"),
    ],
)
def test_a_line_that_cannot_be_understood_is_an_error(line: str, complaint: str):
    with pytest.raises(ValueError, match=complaint):
        parsed("a-game", "en", f"# A game\n\n## 1. Beginning\n\n1.1 One.\n\n{line}\n")


def test_the_text_of_a_clause_is_found_by_its_number():
    assert (
        clause_text("match", "4.3") == "A seat acts when the game says that it is due. Out of turn nothing is accepted."
    )
    with pytest.raises(KeyError):
        clause_text("match", "99.1")


@pytest.mark.parametrize("game", ["", "nothing", "../match", "osel", "whos_the_ass"])
def test_a_game_that_there_is_not_is_a_key_error(game: str):
    with pytest.raises(KeyError):
        rulebook(game)


@pytest.mark.parametrize("language", ["xx", "", "../en", "EN"])
def test_a_language_that_there_is_not_gives_english(language: str):
    assert rulebook("match", language).language == "en"
    assert clause_text("match", "4.2", language) == clause_text("match", "4.2")


def test_a_translation_is_read_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "match").mkdir()
    (tmp_path / "match" / "RULES.md").write_text("# Match\n\n## 1. Beginning\n\n1.1 One.\n")
    (tmp_path / "match" / "RULES.hu.md").write_text("# Meccs\n\n## 1. Kezdet\n\n1.1 Egy.\n", encoding="utf-8")
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    for cache in (rulebooks._read, rulebooks._texts):
        cache.cache_clear()
    try:
        assert (rulebook("match", "hu").language, clause_text("match", "1.1", "hu")) == ("hu", "Egy.")
        assert (rulebook("match", "ru").language, clause_text("match", "1.1", "ru")) == ("en", "One.")
    finally:
        for cache in (rulebooks._read, rulebooks._texts):
            cache.cache_clear()
