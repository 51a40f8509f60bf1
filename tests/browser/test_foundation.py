"""What holds for every page of the client: its policy, its size, its languages, its keyboard, its network."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, Response, WebSocketRoute, expect

from domain.games import GAMES
from services.api.games import _info
from tests.api.conftest import Service
from tests.api.guests import ok, open_match
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, becomes, fits, settled
from tests.waiting import PATIENCE

WEB = Path(__file__).resolve().parents[2] / "web"
FIRST_VIEW = 150_000
LANGUAGES = {"en": "Tables", "hu": "Asztalok", "ru": "Столы"}
OWN_PAGES = ("", "new", "me", "leaderboard", "rules/match", "rules/whos-the-ass", "no/such/page")
KEY = re.compile(r'^  "([^"]+)":', re.MULTILINE)


def keys(area: str, language: str) -> set[str]:
    """The keys of one file of strings."""
    return set(KEY.findall((WEB / f"js/strings/{area}.{language}.js").read_text(encoding="utf-8")))


AREAS = sorted({path.name.partition(".")[0] for path in (WEB / "js/strings").glob("*.js")})


# --- texts ---


@pytest.mark.parametrize("area", AREAS)
def test_an_area_has_the_same_texts_in_every_language(area: str):
    """The games themselves say in English what their options mean; the other languages say it here."""
    english, *others = (
        {key for key in keys(area, language) if not (area == "options" and key.endswith(".help"))}
        for language in LANGUAGES
    )
    for other in others:
        assert sorted(english ^ other) == []


def test_every_text_that_a_module_asks_for_is_there():
    there = set().union(*(keys(area, "en") for area in AREAS))
    for path in sorted((WEB / "js").rglob("*.js")):
        if path.parent.name == "strings":
            continue
        text = re.sub(r"^//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for asked in re.findall(r"""\bt\(\s*["']([^"']+)["']""", text):
            assert asked in there, f"{path.name}: {asked}"
        for begun in re.findall(r"\bt\(\s*`([^`$]+)\$\{", text):
            assert any(key.startswith(begun) for key in there), f"{path.name}: {begun}..."


def test_no_text_is_in_two_areas():
    counted = [key for area in AREAS for key in keys(area, "en")]
    assert len(set(counted)) == len(counted)


@pytest.mark.parametrize("game", GAMES)
def test_every_option_and_value_has_words_in_every_language(game: str):
    for language in LANGUAGES:
        there = keys("options", language)

        def says(key: str, there: set[str] = there) -> bool:
            return f"options.{game}.{key}" in there or f"options.{key}" in there

        for name, schema in _info(GAMES[game], "en").options["$defs"]["Options"]["properties"].items():
            assert says(name), (language, name)
            assert language == "en" or says(f"{name}.help"), (language, name)
            for value in [entry for kind in schema.get("anyOf", [schema]) for entry in kind.get("enum", [])]:
                assert says(f"{name}.{value}") or says(f"value.{value}"), (language, name, value)


# --- pages ---


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_page_breaks_its_policy_or_wcag_or_its_width(
    page_at: PageAt, site: Service, axe: Axe, width: int, theme: str
):
    """The console would tell of a breach of the policy: ``page_at`` fails then."""
    page = await page_at(width, "#/", theme=theme)
    for path in OWN_PAGES:
        await page.goto(f"{site.url}/#/{path}")
        await settled(page)
        await expect(page.get_by_role("heading", level=1)).to_have_count(1)
        await fits(page)
        await axe(page)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_page_speaks_the_language_of_the_browser(page_at: PageAt, site: Service, language: str):
    page = await page_at(PHONE, "#/", language=language)
    await expect(page.locator("html")).to_have_attribute("lang", language)
    await expect(page.get_by_role("heading", level=1)).to_have_text(LANGUAGES[language])
    for path in OWN_PAGES:
        await page.goto(f"{site.url}/#/{path}")
        await settled(page)
        await fits(page)
        text = await page.locator("body").inner_text()
        assert not re.search(r"\b(nav|lobby|create|error|me|form|rules)\.[a-z]", text)


async def test_another_language_is_chosen_at_once_and_for_good(page_at: PageAt):
    page = await page_at(DESKTOP, "#/new")
    await page.get_by_label("Language").select_option("ru")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Новый стол")
    await expect(page.get_by_role("radio", name="Кто осёл?")).to_be_checked()
    assert await page.title() == "Новый стол · Kibitz"
    await page.reload()
    await settled(page)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Новый стол")


async def test_other_colours_are_chosen_at_once_and_for_good(page_at: PageAt, axe: Axe):
    page = await page_at(PHONE, "#/", theme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(ground)
    await page.get_by_label("Colours").select_option("dark")
    await becomes(page, f"{ground} !== '{light}'")
    dark = await page.evaluate(ground)
    await axe(page)
    await page.reload()
    await settled(page)
    await becomes(page, f"{ground} === '{dark}'")
    await page.get_by_label("Colours").select_option("auto")
    await becomes(page, f"{ground} === '{light}'")


async def test_the_first_view_is_small(page_at: PageAt, site: Service):
    """Every byte of it, uncompressed, with a lobby that has something to show."""
    await asyncio.gather(*(site.table(3) for _ in range(6)))
    page = await page_at(DESKTOP, "#/no/such/page")
    fresh = await page.context.browser.new_context(base_url=site.url)  # type: ignore[union-attr]
    page = await fresh.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks what it calls
    await page.goto(f"{site.url}/")
    await settled(page)
    await page.wait_for_load_state("networkidle")
    sizes = {answer.url.removeprefix(site.url): len(await answer.body()) for answer in answers if answer.status == 200}
    await fresh.close()
    assert "/web/js/main.js" in sizes
    assert any(url.startswith("/v1/matches") for url in sizes)
    assert sum(sizes.values()) < FIRST_VIEW, sizes


# --- keyboard ---


async def focused(page: Page) -> str:
    return str(await page.evaluate("document.activeElement?.textContent?.trim().replace(/\\s+/g, ' ') ?? ''"))


async def tab_to(page: Page, name: str, limit: int = 90) -> None:
    """Presses Tab until what is called so has the focus; every stop on the way can be seen."""
    for _ in range(limit):
        await page.keyboard.press("Tab")
        seen = await page.evaluate("""() => {
            const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
            const outlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
            return outlined || document.activeElement === document.body;
        }""")
        assert seen, f"nothing shows that {await focused(page)!r} has the focus"
        if (await focused(page)) == name:
            return
    raise AssertionError(f"{limit} times Tab do not lead to {name!r}")


async def test_the_first_stop_skips_to_the_page_and_leaves_the_address_alone(page_at: PageAt):
    page = await page_at(DESKTOP, "#/leaderboard")
    await page.keyboard.press("Tab")
    assert await focused(page) == "Skip to the page"
    await page.keyboard.press("Enter")
    await becomes(page, "document.activeElement.id === 'main'")
    assert page.url.endswith("#/leaderboard")


async def test_a_table_is_opened_and_left_with_the_keyboard_alone(page_at: PageAt, site: Service):
    page = await page_at(DESKTOP, "#/")
    await tab_to(page, "New table")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("A new table")
    await becomes(page, "document.activeElement.id === 'main'")  # a new page begins at its beginning
    await page.keyboard.press("Tab")
    for _ in range(3):
        await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("radio", name="Osel: Trumps")).to_be_checked()
    while not await page.evaluate("document.activeElement.closest('label')?.textContent.includes('Bots take')"):
        await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    await tab_to(page, "Open the table")
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile("#/matches/"))
    await settled(page)
    await expect(page.locator(".place.own")).to_have_count(1)
    await tab_to(page, "Leave the table")
    await page.keyboard.press("Enter")
    await expect(page.locator(".place.own")).to_have_count(0)
    match = page.url.rpartition("/")[2]
    assert [seat["player"] for seat in ok(await site.http.get(f"/v1/matches/{match}"))["seats"]] == [None] * 4


# --- addresses ---


@pytest.mark.parametrize("place", ["..%2F..%2Fv1%2Fgames", "a%3Fb", "%2e%2e", "%", "a/b/c/d"])
async def test_an_address_reaches_no_further_than_its_page(page_at: PageAt, place: str):
    """A part of an address goes into a path of the API: it must not lead elsewhere there."""
    page = await page_at(DESKTOP, "#/no/such/page")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.evaluate("place => { location.hash = `#/matches/${place}`; }", place)
    await becomes(page, "!document.querySelector('#main[aria-busy]')")
    await expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    assert [url for url in asked if "/v1/" in url] == []


# --- the network ---


async def test_the_header_says_whether_the_service_can_be_reached(page_at: PageAt, watch: Watch, axe: Axe):
    page = await page_at(DESKTOP, "#/")
    state = page.locator(".connection")
    await expect(state).to_have_text("Connected")
    await page.context.set_offline(True)
    await expect(state).to_have_text("No connection")
    await axe(page)
    await page.context.set_offline(False)
    await expect(state).to_have_text("Connected")
    watch.forgive("ERR_INTERNET_DISCONNECTED|WebSocket")


async def test_a_table_that_was_cut_off_shows_what_was_missed(page_at: PageAt, site: Service, watch: Watch):
    host = await site.guest("Host")
    path = await open_match(host, 4)
    page = await page_at(PHONE, f"#{path.removeprefix('/v1')}")
    await expect(page.locator(".connection")).to_have_attribute("data-state", "live")
    await page.context.set_offline(True)
    await expect(page.locator(".connection")).to_have_attribute("data-state", "offline")
    ok(await host.post(f"{path}/seats", {"seat": 2}))
    ok(await host.post(f"{path}/bots", {"seats": [0]}))
    await expect(page.locator(".place.free")).to_have_count(4)
    await page.context.set_offline(False)
    await expect(page.locator(".place.free")).to_have_count(2)
    await expect(page.locator(".connection")).to_have_attribute("data-state", "live")
    watch.forgive("ERR_INTERNET_DISCONNECTED|WebSocket")


async def test_a_table_whose_match_has_become_another_one_is_read_anew(page_at: PageAt, site: Service, watch: Watch):
    # given a table that has shown an event
    host = await site.guest("Host")
    path = await open_match(host, 4)
    page = await page_at(PHONE, f"#{path.removeprefix('/v1')}")
    await expect(page.locator(".connection")).to_have_attribute("data-state", "live")
    ok(await host.post(f"{path}/seats", {"seat": 2}))
    await expect(page.locator(".place.free")).to_have_count(3)
    # when its line is lost, and the service, restored from a backup, has another event at that place
    sockets: list[str] = []

    async def hang_up(line: WebSocketRoute) -> None:
        sockets.append(line.url)
        await line.close(code=1012)

    hashes = {"hash": "A" * 43}
    await page.route("**/events?*", lambda route: route.fulfill(json={"events": [hashes], "next": None}))
    await page.route_web_socket("**/socket?*", hang_up)
    await page.context.set_offline(True)
    await expect(page.locator(".connection")).to_have_attribute("data-state", "offline")
    await page.context.set_offline(False)
    # then it goes on from what it has seen once, and then reads the match anew
    async with asyncio.timeout(PATIENCE):
        while not sockets or "&head=" in sockets[-1]:
            await asyncio.sleep(0.05)
    assert "&head=" in sockets[0]
    await expect(page.locator(".place.free")).to_have_count(3)
    watch.forgive("ERR_INTERNET_DISCONNECTED|WebSocket")


async def test_a_request_that_meets_a_busy_service_is_made_again(page_at: PageAt, site: Service, watch: Watch):
    page = await page_at(DESKTOP, "#/me")
    met: list[str] = []

    async def busy_once(route):
        if len(met) < 2:
            met.append(route.request.headers["idempotency-key"])
            await route.fulfill(status=503, headers={"Retry-After": "1"}, json={"title": "Try again", "status": 503})
        else:
            met.append(route.request.headers["idempotency-key"])
            await route.continue_()

    await page.route("**/v1/players", busy_once)
    await page.get_by_label("Name").fill("Patient")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".who")).to_have_text("Patient")
    assert len(met) >= 3  # a busy machine may lose another answer
    assert len(set(met)) == 1
    watch.forgive("503")
