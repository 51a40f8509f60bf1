"""Signing in and out in a browser, at a provider on loopback; and what a player sees whose token was ended."""

import json
from collections.abc import AsyncIterator, Callable

import pytest
from playwright.async_api import Browser, Page, expect

from services.ids import new_id, token_hash
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, ok
from tests.api.provider import StandIn, known_to, provided
from tests.browser.clicking import page_of
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, becomes, fits, settled, shot


@pytest.fixture(scope="module")
async def provider() -> AsyncIterator[StandIn]:
    async with provided() as provider:
        yield provider


@pytest.fixture(scope="module")
async def site(
    fresh_database: Callable[[], str], redis_url: str, browser: Browser, provider: StandIn
) -> AsyncIterator[Service]:
    """A service at which one can sign in."""
    async with serving(fresh_database(), redis_url, **known_to(provider)) as service:
        assert service.context.provider is not None
        provider.redirect = service.context.provider._redirect_uri = f"{service.url}/signed-in"  # its port is known now
        yield service


def somebody(provider: StandIn, name: str = "Ann of Elsewhere") -> str:
    provider.person = {"sub": new_id(), "name": name}
    return name


async def kept(page: Page) -> dict[str, str]:
    found: dict[str, str] = json.loads(await page.evaluate("localStorage.getItem('kibitz.me')") or "{}")
    return found


async def signs_in(page: Page) -> None:
    await page.get_by_role("button", name="Sign in at 127.0.0.1").click()
    await expect(page.locator("kb-access .note")).to_be_visible()
    await settled(page)


async def test_somebody_new_signs_in_and_is_the_same_player_in_another_browser(
    page_at: PageAt, provider: StandIn, axe: Axe
):
    name = somebody(provider)
    page = await page_at(DESKTOP, "#/me")
    await axe(page)
    await signs_in(page)
    await expect(page.locator(".note")).to_have_text(f"Welcome, {name}. You have signed in for the first time.")
    await expect(page.locator(".who")).to_have_text(name)
    await expect(page.get_by_role("heading", name="My keys")).to_be_visible()
    assert "code" not in page.url
    await axe(page)
    await shot(page, "signed-in")

    other = await page_at(PHONE, "#/me", theme="dark")
    await signs_in(other)
    await expect(other.locator(".note")).to_have_text(f"Welcome back, {name}.")
    assert (await kept(other))["player"] == (await kept(page))["player"]
    await expect(other.locator("kb-access li")).to_have_count(2)
    await fits(other)
    await axe(other)
    await shot(other, "signed-in-phone")


async def test_a_guest_keeps_matches_and_seat_by_signing_in(page_at: PageAt, site: Service, provider: StandIn):
    somebody(provider)
    table = await site.table()
    guest = table.guests[0]
    page = await page_of(page_at, DESKTOP, guest, "#/me")
    await expect(page.get_by_text("with the matches that you have now")).to_be_visible()
    await signs_in(page)
    await expect(page.locator(".note")).to_contain_text(f"You can sign in as {guest.name} from now on")
    assert (await kept(page))["player"] == guest.player
    await page.evaluate("address => { location.hash = address; }", f"#/matches/{table.match}")
    await settled(page)
    await expect(page.locator("kb-hand").first).to_be_visible()


async def test_signing_out_ends_the_token_and_the_browser_is_nobody(page_at: PageAt, site: Service, provider: StandIn):
    somebody(provider)
    page = await page_at(DESKTOP, "#/me")
    await signs_in(page)
    token = (await kept(page))["token"]

    await page.get_by_role("button", name="Sign out here").click()

    await expect(page.locator(".who")).to_have_text("Me")
    await expect(page.get_by_role("button", name="Sign in at 127.0.0.1")).to_be_visible()
    assert await kept(page) == {}
    assert await site.context.store.player_of(token_hash(token)) is None
    await expect(page.locator(".loss")).to_have_count(0)  # it was no loss


async def test_keys_are_ended_one_by_one_and_all(page_at: PageAt, site: Service, provider: StandIn, watch: Watch):
    somebody(provider)
    page, other = await page_at(DESKTOP, "#/me"), await page_at(DESKTOP, "#/me")
    for one in (page, other):
        await signs_in(one)
    await page.reload()
    await settled(page)
    await page.get_by_role("button", name="End the key of").click()
    await expect(page.locator("kb-access li")).to_have_count(1)

    await other.reload()
    await expect(other.locator(".loss")).to_contain_text("You are signed out.")
    await page.get_by_role("button", name="End all keys").click()
    await page.get_by_role("button", name="Yes, end all").click()
    await expect(page.locator(".who")).to_have_text("Me")
    watch.forgive("401")


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "You are signed out."), ("hu", "Ki vagy jelentkeztetve."), ("ru", "Вы вышли из системы.")],
)
async def test_a_player_whose_token_was_ended_is_told_so_at_the_table(
    page_at: PageAt, site: Service, watch: Watch, axe: Axe, language: str, said: str
):
    # given a player at a table
    table = await site.table()
    guest = table.guests[0]
    page = await page_of(page_at, PHONE, guest, f"#/matches/{table.match}", language=language)
    await expect(page.locator("kb-hand").first).to_be_visible()
    # when the token is ended elsewhere, and something happens
    await guest.delete("/v1/me/tokens")
    await page.reload()
    # then the page says so, and does not make anybody else of the player
    notice = page.locator(".loss")
    await expect(notice).to_contain_text(said)
    await expect(notice).to_contain_text(guest.name)
    await expect(notice).to_have_attribute("role", "alert")
    await axe(page)
    await fits(page)
    await shot(page, f"lost-{language}", whole=False)
    await page.reload()
    await expect(notice).to_contain_text(said)
    assert await kept(page) == {}
    # and lets go of it when told to
    await notice.get_by_role("button").click()
    await expect(notice).to_have_count(0)
    watch.forgive("401")


async def test_an_open_table_notices_that_the_token_was_ended(page_at: PageAt, site: Service, watch: Watch):
    table = await site.table()
    due = await table.due()
    guest = next(guest for guest in table.guests if guest is not due)
    page = await page_of(page_at, DESKTOP, guest, f"#/matches/{table.match}")
    await expect(page.locator("kb-hand").first).to_be_visible()
    await guest.delete("/v1/me/tokens")
    ok(await due.post(f"{table.path}/moves", (await table.legal(due))["moves"][0]))
    await expect(page.locator(".loss")).to_contain_text("You are signed out.")
    watch.forgive("401")


async def test_what_is_sent_back_without_a_sign_in_of_this_browser_is_refused(page_at: PageAt, watch: Watch):
    for address in ("signed-in?code=x&state=y", "signed-in?error=access_denied&state=y"):
        page = await page_at(DESKTOP, address)
        await expect(page.locator("kb-access .complaint")).to_contain_text("You are not signed in")
        assert await kept(page) == {}
        assert page.url.endswith("/#/me")


async def test_a_token_whose_life_is_half_over_is_exchanged_and_the_old_one_ends_in_an_hour(
    page_at: PageAt, site: Service
):
    guest = await site.guest("Old Hand")
    page = await page_of(page_at, DESKTOP, guest, "#/")
    await becomes(page, "JSON.parse(localStorage.getItem('kibitz.me')).expires > Date.now()")  # it has asked since when
    assert (await kept(page))["token"] == guest.token
    await page.evaluate("""() => {
      const kept = JSON.parse(localStorage.getItem('kibitz.me'));
      const [made, expires] = [kept.made - 100 * 86_400_000, kept.expires - 100 * 86_400_000];
      localStorage.setItem('kibitz.me', JSON.stringify({ ...kept, made, expires }));
    }""")
    await page.reload()
    await becomes(page, f"JSON.parse(localStorage.getItem('kibitz.me')).token !== {guest.token!r}")

    new = await kept(page)
    assert new["player"] == guest.player
    renewed = Guest(site.http, guest.player, guest.name, new["token"])
    old, fresh = ok(await guest.get("/v1/me")), ok(await renewed.get("/v1/me"))
    assert old["expires"] <= await site.context.store.time() // 1000 + 3_600_000
    assert fresh["expires"] == int(new["expires"])
    await page.reload()
    await settled(page)
    assert (await kept(page))["token"] == new["token"]
