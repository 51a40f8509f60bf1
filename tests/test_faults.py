"""docs/faults.md and the tests name each other; and what the text of the code shows of a fault."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/faults.md"
ROWS = [*map(str, range(1, 68)), *(f"F{number}" for number in range(1, 27))]

# In SQL, these stand still while a transaction lasts.
STANDS_STILL = r"\b(?:now\(\)|transaction_timestamp\(\)|current_timestamp\b|localtimestamp\b)"
NOTIFIES = r"\b(?:pg_notify\(|listen +\w+|notify +\w+)"
SQL = re.compile(r"\b(?:select|insert|update|delete|create|set)\b", re.IGNORECASE)


def rows() -> dict[str, str]:
    """What the page says of each fault, by number, in its order."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    found = [cells for line in lines if len(cells := [cell.strip() for cell in line.split("|")]) == 6]
    return {cells[1]: cells[4] for cells in found if re.fullmatch(r"F?\d+", cells[1])}


def marked() -> dict[str, set[str]]:
    """The tests that carry the number of each fault."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.fault":
                        for number in mark.args:
                            name = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
                            found[str(ast.literal_eval(number))].add(name)
    return found


def scenarios() -> set[str]:
    """The scenarios that there are."""
    found = set()
    for path in sorted((ROOT / "tests/faults").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Scenario":
                found |= {word.value.value for word in node.keywords if word.arg == "id"}  # type: ignore[attr-defined]
    return found


def test_every_fault_has_its_row_once_and_in_order():
    numbers = re.findall(r"^\| (F?\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert numbers == ROWS


def test_every_row_names_a_test_or_a_scenario_or_says_why_there_is_none():
    empty = [number for number, shown in rows().items() if not re.search(r"`tests/|scenario F\d|^Not ", shown)]
    assert empty == []


def test_rows_and_tests_name_each_other():
    carried = marked()
    assert sorted(set(carried) - set(ROWS)) == []
    named = {number: set(re.findall(r"`(tests/[^`]+::\w+)`", shown)) for number, shown in rows().items()}
    assert {number: sorted(tests) for number, tests in named.items()} == {
        number: sorted(carried[number]) for number in named
    }


def test_rows_and_scenarios_name_each_other():
    named = {word for shown in rows().values() for word in re.findall(r"scenario (F\d+)", shown)}
    assert sorted(named - scenarios()) == [], "named, and there is no such scenario"
    own = {number for number, shown in rows().items() if f"scenario {number}" in shown}
    assert sorted(scenarios() - own) == [], "a scenario whose row does not name it"


@pytest.mark.fault(42, 66)
def test_sql_tells_the_time_by_clock_timestamp_and_notifies_nobody():
    statements = {path: [path.read_text(encoding="utf-8")] for path in (ROOT / "services").rglob("*.sql")}
    for folder in ("services", "projections"):
        for path in (ROOT / folder).rglob("*.py"):
            statements[path] = [text for text in constants(path) if SQL.search(text)]
    wrong = re.compile(f"{STANDS_STILL}|{NOTIFIES}", re.IGNORECASE)
    found = {
        f"{path.relative_to(ROOT)}: {hit[0]}"
        for path, texts in statements.items()
        for text in texts
        for hit in wrong.finditer(text)
    }
    assert sorted(found) == []


def constants(path: Path) -> list[str]:
    """The texts in a module, its docstrings aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    return [node.value for node in nodes if isinstance(node.value, str)]


@pytest.mark.fault(55)
def test_the_channels_of_the_framework_are_not_used():
    users = [path for path in (ROOT / "services").rglob("*.py") if "litestar.channels" in path.read_text("utf-8")]
    assert users == []
