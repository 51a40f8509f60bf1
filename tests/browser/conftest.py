"""A real Chromium before a real service: pages of any width, and what is wrong with them.

The browser is ``KIBITZ_CHROMIUM``, or the ``chromium`` or ``google-chrome`` of the machine. Without one these tests are
skipped, and say so.
"""

import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright, expect

from tests import waiting
from tests.api.conftest import Service, serving
from tests.browser.packages import Missing, installed

PATIENCE = 1000 * waiting.PATIENCE
"""Milliseconds after which a page hangs. A lobby that came before what it shows looks again only after four seconds."""
PHONE, DESKTOP = 390, 1440
HEIGHTS = {PHONE: 844, DESKTOP: 900}
SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"

PageAt = Callable[..., Awaitable[Page]]
Axe = Callable[[Page], Awaitable[None]]


expect.set_options(timeout=PATIENCE)


def chromium() -> str | None:
    """Where the browser is, None if there is none."""
    named = os.environ.get("KIBITZ_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    command = chromium()
    if command is None:
        pytest.skip("there is no Chromium: Debian has one in the package chromium, KIBITZ_CHROMIUM names another")
    async with async_playwright() as playwright:
        alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # root has no sandbox
        browser = await playwright.chromium.launch(
            executable_path=command,
            args=[*alone, "--disable-dev-shm-usage", "--force-color-profile=srgb"],
            timeout=PATIENCE,
        )
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
async def site(fresh_database: Callable[[], str], redis_url: str, browser: Browser) -> AsyncIterator[Service]:
    """A service for all browser tests of this process, without the demo's tables; bots do not think."""
    async with serving(fresh_database(), redis_url) as service:
        yield service


@dataclass
class Watch:
    """What a page has said to its console that nobody wants to read. A test may take out what it has brought about."""

    complaints: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def forgive(self, pattern: str) -> None:
        """Takes out what a test has brought about on purpose: failed requests, say."""
        self.complaints = [text for text in self.complaints if not re.search(pattern, text)]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def page_at(browser: Browser, site: Service, watch: Watch) -> AsyncIterator[PageAt]:
    """``await page_at(390, "#/new")``: a page of that width, of a browser that has never been here, at that address.

    ``theme`` is what the system prefers, ``language`` the browser's. ``beside=page`` opens it in the same browser, with
    the same player. A page that complains in its console (a script that fails, a breach of the Content-Security-Policy)
    fails the test.
    """
    contexts: list[BrowserContext] = []

    async def open_page(
        width: int,
        address: str = "#/",
        *,
        theme: str = "light",
        language: str = "en",
        beside: Page | None = None,
        **context: Any,
    ) -> Page:
        if beside is None:
            made = await browser.new_context(
                base_url=site.url,
                viewport={"width": width, "height": HEIGHTS.get(width, 900)},
                color_scheme=theme,  # type: ignore[arg-type] # one of Playwright's words
                locale=language,
                reduced_motion="reduce",
                has_touch=width < 600,
                **context,
            )
            contexts.append(made)
        else:
            made = beside.context
        page = await made.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", watch.hear)
        page.on("pageerror", lambda error: watch.complaints.append(f"script: {error}"))
        await page.goto(f"{site.url}/{address}")
        await settled(page)
        return page

    yield open_page
    for made in contexts:
        await made.close()
    assert watch.complaints == []


async def settled(page: Page) -> None:
    """Returns when the page that the address names is shown and has what it waited for."""
    await page.wait_for_selector("#shell kb-shell .bar")
    await page.wait_for_selector("#main:not([aria-busy])")
    await expect(page.locator("#main [aria-busy=true]")).to_have_count(0)


async def becomes(page: Page, expression: str) -> None:
    """Returns when a JavaScript expression has come true. Playwright's own way would need what the policy forbids."""
    latest = time.monotonic() + waiting.PATIENCE
    while not await page.evaluate(expression):
        assert time.monotonic() < latest, f"{expression} does not come true"
        await page.wait_for_timeout(50)


@pytest.fixture(scope="session")
def axe_source() -> str:
    try:
        return (installed() / "axe-core/axe.min.js").read_text(encoding="utf-8")
    except Missing as error:
        pytest.skip(f"axe cannot be had: {error}")


@pytest.fixture
def axe(axe_source: str) -> Axe:
    """``await axe(page)`` fails with every violation of WCAG 2.2 A and AA, and of good practice, that axe finds."""

    async def check(page: Page) -> None:
        await page.evaluate(f"{axe_source}; undefined")  # by the debugger: the page's own policy would forbid it
        found = await page.evaluate("""async () => (await axe.run(document, { runOnly: [
            'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice',
        ] })).violations.map(({ id, help, nodes }) =>
            `${id}: ${help}: ` + nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | '))""")
        assert found == []

    return check


async def fits(page: Page) -> None:
    """Fails if the page is wider than its window, or a text of it is cut off."""
    wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    beyond = """[...document.querySelectorAll('body *')].map(one => [one, one.getBoundingClientRect().right])
      .filter(([, right]) => right > document.documentElement.clientWidth).slice(0, 5)
      .map(([one, right]) => `${one.localName}.${one.className}: ${right}`)"""
    assert wide <= 0, f"the page is {wide} px wider than its window: {await page.evaluate(beyond)}"


async def shot(page: Page, name: str, *, whole: bool = True) -> None:
    """A picture of the page in ``build/screenshots``, to be looked at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png", full_page=whole)
