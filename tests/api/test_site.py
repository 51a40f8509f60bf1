"""The client as the service gives it: of the right kinds, with tags and a policy, and nothing that is not meant."""

import re
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from services.api import site
from tests.api.conftest import Service
from tests.api.guests import problem

ROOT = Path(__file__).parents[2]
SERVED = sorted(
    f"/{path.relative_to(ROOT)}" for path in (ROOT / "web").rglob("*") if path.suffix in (".js", ".css", ".svg")
)
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


async def test_the_front_is_the_client_under_a_strict_policy(service: Service):
    front = await service.http.get("/")
    assert front.status_code == 200
    assert front.headers["content-type"] == "text/html; charset=utf-8"
    assert front.text == (ROOT / "web/index.html").read_text(encoding="utf-8")
    policy = dict(part.strip().partition(" ")[::2] for part in front.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in front.headers["content-security-policy"]


async def test_the_page_has_no_inline_script_or_style_and_needs_no_other_server(service: Service):
    text = (await service.http.get("/")).text
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert " style=" not in text
    assert not re.search(r"\son\w+=", text)
    wanted = re.findall(r'(?:src|href)="([^"#]+)"', text)
    assert "/web/js/main.js" in wanted
    for address in wanted:
        assert address.startswith("/")
        assert (await service.http.get(address)).status_code == 200, address


@pytest.mark.parametrize("path", SERVED)
async def test_every_file_of_the_client_comes_with_its_kind_and_a_tag(service: Service, path: str):
    got = await service.http.get(path)
    assert got.status_code == 200
    assert got.content == (ROOT / path[1:]).read_bytes()
    assert got.headers["content-type"] == KINDS[Path(path).suffix]
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["cache-control"] == "public, no-cache"
    again = await service.http.get(path, headers={"If-None-Match": got.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = await service.http.head(path)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", got.headers["etag"])


async def test_the_verifier_is_given_as_it_is(service: Service):
    for path in sorted((ROOT / "openapi/verifier").glob("*.js")):
        got = await service.http.get(f"/verifier/{path.name}")
        assert got.content == path.read_bytes()
        assert got.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    "path",
    [
        "/web/index.html",
        "/web/package.json",
        "/web/types/kibitz.d.ts",
        "/web/js",
        "/web/js/nothing.js",
        f"/web/js/{300 * 'a'}.js",
        f"/web/{3000 * 'a/'}nothing.js",
        "/web/js/main.js/more.js",
        "/web/%2e%2e/services/api/docs/docs.js",
        "/web/js/..%2f..%2fopenapi/verifier/verify.js",
        "/web/js/%00main.js",
        "/web/js/Main.js%0a",
        "/verifier/package.json",
        "/verifier/vectors%2fcheck.js",
        "/verifier/nothing.js",
        f"/verifier/{300 * 'a'}.js",
    ],
)
async def test_nothing_else_is_given(service: Service, path: str):
    problem(await service.http.get(path), 404, "not-found")


async def test_a_query_is_refused_as_everywhere(service: Service):
    for path in ("/", "/web/js/main.js", "/verifier/verify.js"):
        problem(await service.http.get(path, params={"v": "1"}), 400, "not-understood")


def test_an_installed_package_has_the_files_beside_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        packed.extractall(tmp_path / "there")
    assert {f"services/api/site{path}" for path in SERVED} <= names
    monkeypatch.setattr(
        "services.api.site.resources.files", lambda package: tmp_path / "there" / Path(*package.split("."))
    )
    monkeypatch.setattr(site, "_CHECKOUT", tmp_path / "gone")
    for folder, name in (("web", "index.html"), ("web", "js/main.js"), ("verifier", "verify.js")):
        origin = ROOT / {"web": "web", "verifier": "openapi/verifier"}[folder] / name
        assert site._read(site._folder(folder), name) == origin.read_bytes()
    assert not [name for name in names if name.startswith("services/api/site") and name.endswith((".ts", "lock.json"))]
