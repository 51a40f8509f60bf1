"""The rule books as data: every RULES.md, taken apart into clauses, rulings and worked examples.

The format: a title, an introduction, chapters ``## 3. Heading`` whose clauses begin a line with their number
(``3.1 text``) and go on until a blank line or the next number; then a chapter ``## Rulings``, a table with the columns
``id``, ``question``, ``ruling``, ``option`` and ``clauses``; and a chapter ``## Worked examples`` whose lines are
``WX1 (3.4, 3.6) text``. In a translation the last two chapters are known by what they hold, whatever they are called.
"""

import re
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import msgspec

from domain.games import GAMES

MATCH: Final = "match"
"""The id under which the rule book of the match itself is found."""

DEFAULT: Final = "en"


class Example(msgspec.Struct, frozen=True):
    """A worked example and the numbers of the clauses that it shows."""

    id: str
    clauses: tuple[str, ...]
    text: str


class Ruling(msgspec.Struct, frozen=True):
    """How a doubtful passage is read here. ``option`` is the option that changes it, or empty."""

    id: str
    question: str
    ruling: str
    option: str
    clauses: tuple[str, ...]


class Clause(msgspec.Struct, frozen=True):
    """``examples`` are the worked examples that show it, ``rulings`` the ids of the rulings that settle it."""

    id: str
    text: str
    chapter: str
    examples: tuple[Example, ...]
    rulings: tuple[str, ...]


class Rulebook(msgspec.Struct, frozen=True):
    """``language`` is the language that it is in, which need not be the one that was asked for."""

    game: str
    language: str
    title: str
    introduction: str
    clauses: tuple[Clause, ...]
    rulings: tuple[Ruling, ...]
    examples: tuple[Example, ...]


_TRANSLATION: Final = re.compile(r"RULES\.([a-z]{2})\.md")
_CHAPTER: Final = re.compile(r"^##\s+(?:\d+\.\s+)?(.+)$")
_CLAUSE: Final = re.compile(r"^(\d+\.\d+)\s+(.+)$")
_EXAMPLE: Final = re.compile(r"^([A-Z]+\d+[a-z]?)\s+\(([\d., ]+)\)\s+(.+)$")
_RULING: Final = re.compile(r"^\|\s*([A-Z]+\d+[a-z]?)\s*\|")


def rulebook(game: str, language: str = DEFAULT) -> Rulebook:
    """The rule book of a game, or of the match (``match``), in English if there is none in ``language``.

    Raises ``KeyError`` for a game that there is not.
    """
    if game != MATCH and game not in GAMES:
        raise KeyError(game)
    return _read(game, language if re.fullmatch("[a-z]{2}", language) else DEFAULT)


def clause_text(game: str, clause: str, language: str = DEFAULT) -> str:
    """The text of a clause. Raises ``KeyError`` for a game or a clause that there is not."""
    return _texts(game, rulebook(game, language).language)[clause]


@cache
def languages_of(game: str) -> tuple[str, ...]:
    """The languages that a rule book is in, English first. Raises ``KeyError`` for a game that there is not."""
    if game != MATCH and game not in GAMES:
        raise KeyError(game)
    found = (_TRANSLATION.fullmatch(entry.name) for entry in _folder(game).iterdir())
    return (DEFAULT, *sorted(name[1] for name in found if name is not None))


@cache
def _texts(game: str, language: str) -> dict[str, str]:
    return {clause.id: clause.text for clause in _read(game, language).clauses}


@lru_cache(maxsize=256)
def _read(game: str, language: str) -> Rulebook:
    folder = _folder(game)
    translation = folder / f"RULES.{language}.md"
    if language != DEFAULT and translation.is_file():
        return parsed(game, language, translation.read_text(encoding="utf-8"))
    return parsed(game, DEFAULT, (folder / "RULES.md").read_text(encoding="utf-8"))


def _folder(game: str) -> Traversable:
    return resources.files("domain") / (GAMES[game].folder if game in GAMES else game)


def parsed(game: str, language: str, text: str) -> Rulebook:
    """A rule book from the text of its file. Raises ``ValueError`` where a line of it cannot be understood."""
    title, chapter, opening = "", "", []
    texts: dict[str, tuple[str, str]] = {}
    rulings: list[Ruling] = []
    examples: list[Example] = []
    for block in _blocks(text):
        if block.startswith("# "):
            title = block[2:].strip()
        elif found := _CHAPTER.match(block):
            chapter = found[1]
        elif found := _CLAUSE.match(block):
            if found[1] in texts:
                raise ValueError(f"{game}: clause {found[1]} stands there twice")
            texts[found[1]] = chapter, found[2]
        elif found := _EXAMPLE.match(block):
            examples.append(Example(found[1], _numbers(found[2]), found[3]))
        elif block.startswith("|"):
            if _RULING.match(block):
                rulings.append(_ruling(game, block))
        elif not chapter:
            opening.append(block)
        else:
            raise ValueError(f"{game}: this is neither a clause nor a ruling nor an example: {block}")
    for name, numbers in ((entry.id, entry.clauses) for entries in (rulings, examples) for entry in entries):
        if unknown := [number for number in numbers if number not in texts]:
            raise ValueError(f"{game}: {name} speaks of {', '.join(unknown)}, which there is not")
    clauses = tuple(
        Clause(
            number,
            words,
            heading,
            tuple(example for example in examples if number in example.clauses),
            tuple(ruling.id for ruling in rulings if number in ruling.clauses),
        )
        for number, (heading, words) in texts.items()
    )
    return Rulebook(game, language, title, " ".join(opening), clauses, tuple(rulings), tuple(examples))


def _blocks(text: str) -> list[str]:
    """What belongs together, each on one line: a heading, a line of a table, a clause or an example, a paragraph."""
    blocks: list[str] = []
    fresh = True
    for line in map(str.rstrip, text.splitlines()):
        alone = line.startswith(("#", "|"))
        if not line:
            fresh = True
            continue
        if fresh or alone or _CLAUSE.match(line) or _EXAMPLE.match(line):
            blocks.append(line.strip())
        else:
            blocks[-1] += " " + line.strip()
        fresh = alone
    return blocks


def _ruling(game: str, line: str) -> Ruling:
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if len(cells) != 5:
        raise ValueError(f"{game}: a ruling has five columns, not {len(cells)}: {line}")
    name, question, ruling, option, clauses = cells
    return Ruling(name, question, ruling, "" if option == "-" else option.replace("`", ""), _numbers(clauses))


def _numbers(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+\.\d+", text))
