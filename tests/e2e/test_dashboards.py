"""Dashboard, alerts and runbook name what there is: figures and labels, headings, commands, operations, files."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import typer
import yaml
from prometheus_client.parser import text_string_to_metric_families

from services.cli.commands import app
from services.settings import Settings
from tests.e2e.conftest import ROOT, Kibitz
from tests.waiting import PATIENCE, until

DEPLOY = ROOT / "deploy"
ALERTS = (DEPLOY / "prometheus/alerts.yml").read_text()
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/kibitz.json").read_text())
DOCS = ROOT / "docs"
PAGES = (
    DEPLOY / "runbook.md", DOCS / "observability.md", DOCS / "limits.md", DOCS / "security.md",
    DOCS / "adr/0017-what-is-told.md",
)  # fmt: skip
MANUAL = (*PAGES, DOCS / "operations.md")
EVERY_PAGE = sorted((*ROOT.glob("*.md"), *DEPLOY.glob("*.md"), *DOCS.rglob("*.md")))
RUNBOOK = PAGES[0].read_text()

_NAME = re.compile(r"\bkibitz_[a-z_]+\b")
_OF_PROMETHEUS = {"le", "instance", "job", "__rate_interval"}
"""Labels that no process gives its figures: Prometheus adds them."""
_COMMAND = re.compile(r"(?<![\w/.=-])kibitz ([a-z]+)((?: (?:--?[a-z-]+|[A-Za-z0-9:.-]+))*)")
_NO_COMMAND = {"of", "and"}
_OF_TESTS = {"KIBITZ_AUDIT", "KIBITZ_FUZZ", "KIBITZ_WRITE_GOLDEN"}
"""Variables that the service does not know."""


def queries() -> Iterator[str]:
    """Every expression of the dashboard and of the alerts."""
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))
    yield from (variable["query"] for variable in DASHBOARD["templating"]["list"] if variable["type"] == "query")
    for text in re.findall(r"expr: (?:>\n((?: {10}.*\n)+)|(.*)\n)", ALERTS):
        yield " ".join("".join(text).split())


def labels_of(query: str) -> set[str]:
    """The labels that a query selects or sums by."""
    selected = re.findall(r'([a-z_]+) ?(?:=~|!~|!=|=) ?"', query)
    summed = [name for group in re.findall(r"\b(?:by|without) \(([^)]*)\)", query) for name in group.split(",")]
    return {name.strip() for name in (*selected, *summed)} - _OF_PROMETHEUS


@pytest.fixture(scope="module")
def shown(served: Kibitz) -> dict[str, set[str]]:
    """The figures of a running Kibitz that has had something of everything to do, and the labels of each."""
    with served.client() as http:
        until(lambda: http.get("/matches", params={"status": "playing"}).json().get("items"))
        player = http.post("/players", json={"name": "Ann"}).json()
        token = {"Authorization": f"Bearer {player['token']}"}
        asked = {"game": "whos-the-ass", "seats": 3}
        match = http.post("/matches", json=asked, headers=token).json()["match"]
        assert http.post(f"/matches/{match}/moves", json={"type": "pass"}, headers=token).status_code in (403, 409)
        dispute = {"first": 1, "last": 1, "claim": "So it begins."}
        while http.post(f"/matches/{match}/disputes", json=dispute, headers=token).status_code != 429:
            pass
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port or 80), timeout=PATIENCE) as line:
        line.sendall(b"this is no request\r\n\r\n")
        assert line.recv(1000).startswith(b"HTTP/1.1 400")
    wanted = {name for query in queries() for name in _NAME.findall(query)}
    latest = time.monotonic() + PATIENCE
    # some come with the first thing that they count, and none of the database while it is held up
    while not wanted <= (found := _shown_by(served)).keys() and time.monotonic() < latest:
        time.sleep(0.2)
    return found


def _shown_by(served: Kibitz) -> dict[str, set[str]]:
    text = httpx.get(f"{served.url}/metrics", timeout=PATIENCE).text
    return {
        name: {label for sample in family.samples for label in sample.labels if sample.name == name}
        for family in text_string_to_metric_families(text)
        for name in {sample.name for sample in family.samples}
    }


def test_every_figure_and_label_that_is_asked_for_is_shown(shown: dict[str, set[str]]):
    asked = list(queries())
    assert len(asked) > 40
    for query in asked:
        names = set(_NAME.findall(query))
        assert names or "up{" in query, query
        assert names <= shown.keys(), (query, names - shown.keys())
        for name in names:
            there = shown[name]
            assert names == {name} or labels_of(query) <= set().union(*(shown[one] for one in names)), query
            assert len(names) > 1 or labels_of(query) <= there, (query, labels_of(query) - there)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_figure_that_a_page_names_is_shown(page: Path, shown: dict[str, set[str]]):
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}
    for name in _NAME.findall(page.read_text()):
        assert name in families | {"kibitz_service"}, name


def test_every_figure_that_is_shown_is_described(shown: dict[str, set[str]]):
    page = (ROOT / "docs/observability.md").read_text()
    for name in shown:
        if not name.endswith("_created"):
            assert f"`{re.sub(r'_(bucket|sum|count)$', '', name)}`" in page, name


def headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_alert_has_its_heading_in_the_runbook():
    alerts = re.findall(r"- alert: (\w+)", ALERTS)
    named = re.findall(r"runbook: runbook\.md#([a-z-]+)", ALERTS)
    assert len(alerts) == len(named) > 10
    assert set(named) <= headings(PAGES[0])
    for alert in alerts:
        assert f"`{alert}`" in RUNBOOK, alert


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path):
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    for link in links:
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), link


def test_every_command_of_the_manual_exists():
    group: Any = typer.main.get_command(app)
    found = 0
    for page in MANUAL:
        for name, words in _COMMAND.findall(page.read_text()):
            if name in _NO_COMMAND:
                continue
            found += 1
            command = group.commands.get(name)
            assert command is not None, f"kibitz {name}"
            options = {
                option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
            }
            given = set(re.findall(r"(?<= )--[a-z-]+", words))
            assert given <= options, (name, given - options)
    assert found > 20


def test_every_operation_and_setting_of_the_manual_exists():
    document = json.loads((ROOT / "openapi/openapi.json").read_text())
    there = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    settings = {f"KIBITZ_{name.upper()}" for name in Settings.__struct_fields__}
    for page in MANUAL:
        text = page.read_text()
        for operation in re.findall(r"`?((?:GET|POST|DELETE) /[a-z0-9/{}:-]*)`?", text):
            assert operation in there, operation
        assert set(re.findall(r"KIBITZ_[A-Z_]+[A-Z]", text)) <= settings | _OF_TESTS


def test_the_alerts_ask_for_the_job_that_the_example_makes_of_processes_that_there_are():
    [job] = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["scrape_configs"]
    asked = {name for query in queries() for name in re.findall(r'\bjob ?=~? ?"([^"]*)"', query)}
    assert asked == {job["job_name"]}
    assert any("up{" in query and f'job="{job["job_name"]}"' in query for query in queries())
    # and finds them by the name and port that they have, in the stack and in the cluster
    [found] = job["dns_sd_configs"]
    [name] = found["names"]
    stack = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert stack[name]["environment"]["KIBITZ_PORT"] == str(found["port"])
    assert stack[name]["networks"].count("entrance") == stack["proxy"]["networks"].count("entrance") == 1
    resources = list(yaml.safe_load_all((DEPLOY / "kubernetes/api.yaml").read_text()))
    [service] = [one for one in resources if one["kind"] == "Service"]
    assert (service["metadata"]["name"], service["spec"]["ports"][0]["port"]) == (name, found["port"])
    # whoever finds pods by their annotations gives them another job, for which no alert asks
    [pod] = [one["spec"]["template"]["metadata"] for one in resources if one["kind"] == "Deployment"]
    assert "annotations" not in pod


@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", "alerts.yml"), ("check", "config", "prometheus.yml"), ("test", "rules", "alerts_test.yml")],
)
def test_prometheus_takes_the_rules(arguments: tuple[str, ...]):
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("there is no promtool (Debian: prometheus)")
    done = subprocess.run(
        [tool, *arguments], cwd=DEPLOY / "prometheus", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_extra_is_needed_only_where_it_is_asked_for():
    loaded = "import sys, services.app, services.api; print('opentelemetry.exporter' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"
