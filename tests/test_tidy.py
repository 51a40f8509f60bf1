"""Checks of the project as text: what no linter knows about it."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = ("domain", "projections", "services")
BOOKS = {path.parent.name: path for path in sorted(ROOT.glob("domain/*/RULES.md"))}
GAMES = sorted(set(BOOKS) - {"match"})

VAGUE = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
REFUSALS = {"Refused", "OutOfTurn", "WrongState", "NotYours", "TooLate"}
CLAUSE = re.compile(r"\d+\.\d+")

# What pure code may import from outside: none of it knows the time, chance, or the world.
PURE = {
    "abc", "base64", "bisect", "collections", "contextlib", "dataclasses", "domain", "enum", "functools", "hashlib",
    "heapq", "hmac", "itertools", "math", "msgspec", "operator", "projections", "re", "string", "struct", "types",
    "typing",
}  # fmt: skip
# ... and the built-in functions that would let it reach the world all the same.
WORLDLY = {"open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint"}

# Assembled, so that this file does not find itself.
MACHINE = re.compile(
    "|".join(
        (
            r"(?<![\w.~-])/(?:ro" + r"ot|wo" + r"rk|ho" + r"me|Us" + r"ers)/\w",
            r"[A-Z]:\\\\?Us" + r"ers",
            "py" + r"pi\.(?:org|io|python)",
            "python" + "host" + r"ed\.org",
            "registry" + r"\.np" + "mjs",
            "proxy" + r"\.golang",
            r"https?://[^\s\"']+/sim" + "ple",
            r"(?<!emit-)index" + r"[-_]url",
            "find" + "-links",
            "trusted" + "-host",
        )
    )
)
NAMED = re.compile(r"(?<![\w./-])(?:deploy|docs|domain|openapi|projections|services|tests|web)/[a-z0-9_./-]+\.[a-z]+\b")
WRITTEN = (".css", ".js", ".md", ".py", ".sh", ".sql", ".yaml", ".yml")
UNTRACKED = {".git", ".venv", ".cache", "__pycache__", "data", "build", "dist", "node_modules"}


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), named(path))


def clauses(book: str) -> list[str]:
    return re.findall(r"^(\d+\.\d+) ", BOOKS[book].read_text(encoding="utf-8"), re.MULTILINE)


def texts() -> Iterator[tuple[Path, str]]:
    """Every text file of the project, lock files too; nothing that was made here and is not kept."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(
            part in UNTRACKED or part.endswith((".egg-info", "_cache")) or part == ".hypothesis" for part in parts
        )
        if hidden or not path.is_file():
            continue
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


# --- rule books ---


def test_there_is_a_rule_book_for_the_match_and_for_each_game():
    folders = {path.parent.name for path in ROOT.glob("domain/*/rules.py")}
    assert set(BOOKS) == folders
    assert "match" in BOOKS
    assert GAMES


@pytest.mark.parametrize("book", BOOKS)
def test_clauses_are_numbered_once_and_in_order(book: str):
    numbers = [tuple(map(int, clause.split("."))) for clause in clauses(book)]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("book", BOOKS)
def test_every_clause_has_its_test_and_every_test_its_clause(book: str):
    tested = {
        f"{found[1]}.{found[2]}"
        for path in (ROOT / "tests/domain" / book).glob("test_*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (found := re.match(r"test_(\d+)_(\d+)_[a-z]", node.name))
    }
    assert sorted(set(clauses(book)) - tested) == [], "clauses without a test"
    assert sorted(tested - set(clauses(book))) == [], "tests without a clause"


@pytest.mark.parametrize("book", BOOKS)
def test_every_refusal_names_a_clause_of_its_rule_book(book: str):
    nodes = [node for path in sorted(BOOKS[book].parent.glob("*.py")) for node in ast.walk(parsed(path))]
    refusals = [node for node in nodes if isinstance(node, ast.Call) and called(node) in REFUSALS]
    assert refusals
    for node in refusals:
        first = node.args[0]
        literal = isinstance(first, ast.Constant) and isinstance(first.value, str)
        handed_on = isinstance(first, ast.Name)
        assert literal or handed_on, f"line {node.lineno}: what clause is this?"
    named_clauses = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CLAUSE.fullmatch(node.value)
    }
    assert named_clauses
    assert sorted(named_clauses - set(clauses(book))) == []


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


# --- the import contracts ---


def test_the_contracts_name_every_game():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = [contract for contract in tool["importlinter"]["contracts"] if contract["type"] == "layers"]
    (words,) = [contract for contract in layers if contract.get("containers") == ["domain"]]
    (parts,) = [contract for contract in layers if "rules | view" in contract["layers"]]
    beside = [set(layer.split(" | ")) for layer in words["layers"]]
    assert set(GAMES) in beside, "no layer has all games side by side, so that none may know another"
    assert sorted(parts["containers"]) == [f"domain.{game}" for game in GAMES]
    assert words["exhaustive"] is True
    assert parts["exhaustive"] is True


@pytest.mark.parametrize("path", modules("domain", "projections"), ids=named)
def test_pure_code_imports_pure_code_and_calls_nothing_worldly(path: Path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= PURE
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] in PURE
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in WORLDLY


def test_every_folder_of_code_is_a_package_that_the_contracts_can_see():
    folders = {path.parent for path in modules(*CODE) if "migrations" not in path.parts}
    assert [named(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


# --- files ---


@pytest.mark.parametrize("path", modules(*CODE), ids=named)
def test_no_file_is_longer_than_400_lines(path: Path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_no_module_has_a_name_that_says_nothing():
    paths = [path.relative_to(ROOT) for path in modules(*CODE, "tests")]
    assert [str(path) for path in paths if VAGUE & {*path.parts[:-1], path.stem}] == []


def test_every_module_says_what_it_is():
    assert [named(path) for path in modules(*CODE, "tests") if not ast.get_docstring(parsed(path))] == []


def test_no_text_names_a_path_of_some_machine_or_a_package_registry():
    found = {
        f"{named(path)}:{number}: {hit[0]}"
        for path, text in texts()
        if MACHINE.search(text)
        for number, line in enumerate(text.splitlines(), start=1)
        if (hit := MACHINE.search(line))
    }
    assert sorted(found) == []


def test_every_file_that_a_text_names_is_there():
    found = {
        f"{named(path)}: {name}"
        for path, text in texts()
        for name in NAMED.findall(text)
        if name.endswith(WRITTEN) and not (ROOT / name).exists()
    }
    assert sorted(found) == []
