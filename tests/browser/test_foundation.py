"""What holds for every page of the client: its policy, its size, its languages, its keyboard."""

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import PHONE, Axe, PageAt, fits

WEB = Path(__file__).resolve().parents[2] / "web"
FIRST_VIEW = 150_000


async def test_an_address_that_names_nothing_says_so(page_at: PageAt, axe: Axe):
    page = await page_at(PHONE, "#/no/such/page")
    await expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    await fits(page)
    await axe(page)
