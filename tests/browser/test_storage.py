"""A browser that keeps nothing, has no room, or has kept what somebody else has written: the client works in each."""

import json

import pytest
from playwright.async_api import Page, expect

from tests.api.conftest import Service
from tests.browser.clicking import answered, my_turn
from tests.browser.conftest import DESKTOP, PHONE, PageAt, settled

FORBIDDEN = """for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('no storage here', 'SecurityError'); } });"""
FULL = "Storage.prototype.setItem = () => { throw new DOMException('it is full', 'QuotaExceededError'); };"
JUNK = ("{", "null", "5", '"text"', "[]", "{}", '{"options":null,"seeds":7,"token":1,"player":null}')
KEYS = ("kibitz.me", "kibitz.me.key", "kibitz.draft", "kibitz.pace", "kibitz.theme", "kibitz.language", "kibitz.seed.x")


async def _begun(page: Page) -> None:
    """Opens a table by the form, sits down, and plays one move with the bots."""
    await page.get_by_role("radio", name="Spades").check()
    await page.get_by_role("button", name="Open the table").click()
    assert await my_turn(page)
    await page.locator("kb-hand .say:enabled").first.click()
    await answered(page)


@pytest.mark.parametrize("script", [FORBIDDEN, FULL], ids=["forbidden", "full"])
async def test_a_browser_that_keeps_nothing_plays_until_the_page_is_left(page_at: PageAt, script: str):
    blank = await page_at(DESKTOP, "#/no/such/page")
    await blank.context.add_init_script(script)
    page = await page_at(DESKTOP, "#/new", beside=blank)
    await _begun(page)
    await expect(page.locator(".complaint")).to_have_count(0)
    await page.get_by_label("Colours").select_option("dark")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_a_seed_that_cannot_be_kept_is_left_to_the_service(page_at: PageAt, site: Service):
    page = await page_at(PHONE, "#/me")
    await page.get_by_label("Name").fill("Forgetful")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".who")).to_have_text("Forgetful")
    await page.context.add_init_script(FULL)
    full = await page_at(PHONE, "#/new", beside=page)
    await full.get_by_label("Bots take").uncheck()
    await full.get_by_role("button", name="Open the table").click()
    await expect(full.locator(".place.own")).to_be_visible()
    match = full.url.rpartition("/")[2]
    seats = (await site.http.get(f"/v1/matches/{match}")).json()["seats"]
    assert seats[0]["name"] == "Forgetful"
    assert seats[0]["custody"] == "server"


@pytest.mark.parametrize("junk", JUNK)
async def test_what_somebody_else_has_written_does_no_harm(page_at: PageAt, junk: str):
    page = await page_at(DESKTOP, "#/no/such/page")
    await page.evaluate(f"for (const key of {json.dumps(KEYS)}) localStorage.setItem(key, {json.dumps(junk)})")
    await page.goto(page.url.partition("#")[0] + "#/new")
    await page.reload()
    await settled(page)
    await _begun(page)
    await expect(page.locator(".complaint")).to_have_count(0)
