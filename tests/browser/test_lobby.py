"""The lobby, as it is now; and the pages around it: players, leaders, rule books, and who I am."""

import json
import re

from playwright.async_api import Page, expect

from tests.api.conftest import Service
from tests.api.guests import Table, ok, open_match
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, becomes, fits, settled


def tile(page: Page, match: str):
    """The line of a match in the lobby."""
    return page.locator(f"[data-key='{match}']")


async def finished(site: Service) -> Table:
    """A match that is over, and is in the lists: pages of these do not look again by themselves."""
    table = await site.table(3, options={"games": 1})
    await table.play_out()
    await site.caught_up()
    return table


async def test_a_newcomer_sees_live_open_and_finished_tables(page_at: PageAt, site: Service, axe: Axe):
    live, over = await site.table(3), await finished(site)
    free = (await open_match(await site.guest("Margit"), 4)).rpartition("/")[2]
    for width in (PHONE, DESKTOP):
        page = await page_at(width, "#/")
        await expect(tile(page, live.match)).to_contain_text("Who's the Ass?")
        await expect(tile(page, live.match).get_by_role("link", name="Watch")).to_be_visible()
        await expect(tile(page, free)).to_contain_text("4 seats free")
        await expect(tile(page, free).get_by_role("link", name="Sit down")).to_be_visible()
        await expect(tile(page, over.match).get_by_role("link", name="Replay")).to_be_visible()
        await expect(tile(page, over.match)).to_contain_text("★")
        await fits(page)
        await axe(page)


async def test_the_lobby_follows_what_happens_without_being_reloaded(page_at: PageAt, site: Service):
    page = await page_at(DESKTOP, "#/?status=open")
    host = await site.guest("Zsigmond")
    path = await open_match(host, 3)
    line = tile(page, path.rpartition("/")[2])
    await expect(line).to_contain_text("3 seats free")
    await line.get_by_role("link", name="Sit down").focus()
    ok(await host.post(f"{path}/seats", {}))
    await expect(line).to_contain_text("2 seats free")
    await expect(line).to_contain_text("Zsigmond")
    await expect(line.get_by_role("link", name="Sit down")).to_be_focused()
    ok(await host.post(f"{path}/bots", {"seats": [1, 2]}))
    await expect(line).to_have_count(0)


async def test_one_kind_and_one_game_are_an_address_and_come_in_pages(page_at: PageAt, site: Service):
    host = await site.guest("Host")
    matches = [(await open_match(host, 2, game="spades-two")).rpartition("/")[2] for _ in range(30)]
    await site.caught_up()
    page = await page_at(PHONE, "#/")
    await page.get_by_role("link", name="Open", exact=True).click()
    await page.get_by_label("Game").select_option("spades-two")
    await page.wait_for_url(re.compile("status=open&game=spades-two"))
    await expect(tile(page, matches[-1])).to_be_visible()
    await expect(page.locator(".tile")).to_have_count(24)
    await page.get_by_role("button", name="Show more").click()
    await expect(tile(page, matches[0])).to_have_count(1)
    assert await page.locator(".tile").count() >= 30
    await page.reload()
    await settled(page)
    await expect(page.get_by_label("Game")).to_have_value("spades-two")
    await page.go_back()
    await page.go_back()
    await expect(page.get_by_role("heading", name="Being played now")).to_be_visible()


async def test_my_running_tables_stand_first(page_at: PageAt, site: Service):
    page = await page_at(DESKTOP, "#/new")
    await page.get_by_label("Bots take all other seats").uncheck()
    await page.get_by_role("button", name="Open the table").click()
    await page.wait_for_url(re.compile("#/matches/"))
    match = page.url.rpartition("/")[2]
    await page.get_by_role("link", name="Kibitz, to the lobby").click()
    yours = page.get_by_role("region", name="Your tables")
    await expect(yours.get_by_role("link", name="Who's the Ass?")).to_have_attribute("href", f"#/matches/{match}")
    await expect(tile(page, match).last).to_contain_text("You sit here")


async def test_my_name_shows_wherever_i_am(page_at: PageAt, site: Service, axe: Axe):
    page = await page_at(PHONE, "#/me")
    await axe(page)
    await page.get_by_label("Name").fill("   ")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".wrong")).to_have_text("A name has 1 to 40 characters.")
    await page.get_by_label("Name").fill("Kati <b>néni</b>")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".who")).to_have_text("Kati <b>néni</b>")
    me = json.loads(await page.evaluate("localStorage.getItem('kibitz.me')"))
    assert ok(await site.http.get(f"/v1/players/{me['player']}"))["name"] == "Kati <b>néni</b>"
    await page.goto(f"{site.url}/#/players/{me['player']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Kati <b>néni</b>")
    await axe(page)


async def test_a_name_that_cannot_be_is_told_and_stays_to_be_mended(page_at: PageAt, watch: Watch):
    page = await page_at(PHONE, "#/me")
    name = page.get_by_label("Name")
    await name.fill("Anna")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".who")).to_have_text("Anna")
    for wrong in (" ", "Anna\u202egro.live"):
        await name.fill(wrong)
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator(".wrong, .complaint")).to_be_visible()
        await expect(name).to_have_value(wrong)
    await name.fill("Anna Karenina")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".who")).to_have_text("Anna Karenina")
    watch.forgive("400")


async def test_who_is_erased_is_nobody_here_and_nobody_there(page_at: PageAt, site: Service, axe: Axe):
    page = await page_at(DESKTOP, "#/me")
    await page.get_by_label("Name").fill("Soon gone")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".who")).to_have_text("Soon gone")
    me = json.loads(await page.evaluate("localStorage.getItem('kibitz.me')"))
    await page.get_by_role("button", name="Erase me").click()
    await axe(page)
    await page.get_by_role("button", name="No, go back").click()
    assert ok(await site.http.get(f"/v1/players/{me['player']}"))["name"] == "Soon gone"
    await page.get_by_role("button", name="Erase me").click()
    await page.get_by_role("button", name="Yes, erase me").click()
    await expect(page.locator(".who")).to_have_text("Me")
    assert await page.evaluate("localStorage.getItem('kibitz.me')") is None
    assert ok(await site.http.get(f"/v1/players/{me['player']}"))["name"] == ""
    await page.goto(f"{site.url}/#/players/{me['player']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("(erased)")


async def test_a_token_that_is_no_ones_any_more_is_forgotten_and_the_public_part_still_works(
    page_at: PageAt, site: Service, watch: Watch
):
    gone = await site.guest("Gone")
    page = await page_at(DESKTOP, "#/")
    kept = json.dumps({"player": gone.player, "name": gone.name, "token": gone.token})
    await page.evaluate("kept => localStorage.setItem('kibitz.me', kept)", kept)
    assert (await gone.delete("/v1/me")).status_code == 204
    await page.reload()
    await settled(page)
    await expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    await becomes(page, "localStorage.getItem('kibitz.me') === null")
    watch.forgive("401")


async def test_a_players_matches_lead_to_replay_and_sheet(page_at: PageAt, site: Service, axe: Axe):
    table = await finished(site)
    won = (await table.seen())["winners"][0]
    page = await page_at(PHONE, f"#/players/{table.guests[won].player}")
    line = page.locator(".line")
    await expect(line).to_contain_text("won")
    await expect(line.get_by_role("link", name="Replay")).to_have_attribute("href", f"#/matches/{table.match}/replay")
    await expect(line.get_by_role("link", name="Score sheet")).to_have_attribute(
        "href", f"#/matches/{table.match}/sheet"
    )
    await fits(page)
    await axe(page)


async def test_there_is_no_page_of_a_player_that_there_is_not(page_at: PageAt, watch: Watch, axe: Axe):
    page = await page_at(PHONE, "#/players/00000000-0000-0000-0000-000000000000")
    await expect(page.get_by_role("heading", level=1)).to_have_text("There is no such thing")
    await axe(page)
    watch.forgive("404")


async def test_leaders_stand_by_what_they_have_won(page_at: PageAt, site: Service, axe: Axe):
    table = await finished(site)
    winner = table.guests[(await table.seen())["winners"][0]]
    page = await page_at(DESKTOP, "#/leaderboard")
    row = page.get_by_role("row").filter(has=page.locator(f"a[href='#/players/{winner.player}']"))
    for _ in range(20):  # whoever has won once is behind all that have before
        if await row.count():
            break
        shown = await page.get_by_role("row").count()
        await page.get_by_role("button", name="Show more").click()
        await expect(page.get_by_role("row")).not_to_have_count(shown)
    await expect(row.locator("td").nth(1)).to_have_text("1")
    await page.get_by_label("Game").select_option("osel-trumps")
    await expect(row).to_have_count(0)
    await axe(page)


async def test_a_refusals_clause_is_a_link_into_the_rule_book_of_ones_language(page_at: PageAt, axe: Axe):
    page = await page_at(PHONE, "#/rules/osel-fours?clause=4.2", language="hu")
    clause = page.locator("#clause-4\\.2")
    await expect(clause).to_be_in_viewport()
    await expect(clause).to_be_focused()
    await expect(clause).to_contain_text("4.2")
    await expect(page.locator("article.book")).to_have_attribute("lang", "hu")
    await page.get_by_label("Nyelv").select_option("ru")
    await expect(page.locator("article.book")).to_have_attribute("lang", "ru")
    await axe(page)
    await fits(page)
    await page.get_by_role("navigation", name="Книги правил").get_by_role("link").first.click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Матч: что вокруг игры")
