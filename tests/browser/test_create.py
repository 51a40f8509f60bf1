"""A new table: its form comes from the games' schemas; then sitting down with an own seed, until the match starts."""

import json
import re
import time
from typing import Any

import pytest
from playwright.async_api import Page, expect

from domain.games import GAMES
from tests.api.conftest import Service
from tests.api.guests import ok, open_match
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, becomes, fits, settled, shot
from tests.waiting import PATIENCE

OPEN = "Open the table"


def match_of(page: Page) -> str:
    found = re.search(r"#/matches/([0-9a-f-]+)", page.url)
    assert found, page.url
    return found[1]


async def opened(page: Page) -> str:
    """Opens the table of the form; the id of its match."""
    await page.get_by_role("button", name=OPEN).click()
    await page.wait_for_url(re.compile("#/matches/"))
    await settled(page)
    return match_of(page)


async def seen(site: Service, match: str) -> dict[str, Any]:
    return ok(await site.http.get(f"/v1/matches/{match}"))


async def until(page: Page, site: Service, match: str, status: str) -> dict[str, Any]:
    """The table when the match has that status; the page has to bring it there by itself."""
    latest = time.monotonic() + PATIENCE
    while (table := await seen(site, match))["status"] != status:
        assert time.monotonic() < latest, f"the match is {table['status']}, not {status}"
        await page.wait_for_timeout(50)
    return table


@pytest.mark.parametrize("game", GAMES)
async def test_every_option_of_every_game_is_a_field_with_default_bounds_and_words(
    page_at: PageAt, site: Service, axe: Axe, game: str
):
    (info,) = [entry for entry in ok(await site.http.get("/v1/games")) if entry["id"] == game]
    page = await page_at(PHONE, "#/new")
    await page.get_by_role("radio", name=info["title"]).check()
    for name, schema in info["options"]["$defs"]["Options"]["properties"].items():
        field = page.locator(f"[data-key='{game}.{name}']")
        await expect(field).to_contain_text(schema["description"])
        default, numbers = schema["default"], schema.get("anyOf", [schema])[0]
        if isinstance(default, int) and "enum" not in schema:
            box = field.get_by_role("spinbutton")
            await expect(box).to_have_value(str(default))
            assert await box.get_attribute("min") == str(numbers["minimum"])
            assert await box.get_attribute("max") == str(numbers["maximum"])
        elif await field.get_by_role("combobox").count():
            await expect(field.get_by_role("combobox")).to_have_value(str(default))
        else:
            await expect(field.locator("input[type=radio]:checked")).to_have_value(str(default))
    await fits(page)
    await axe(page)


async def test_what_is_chosen_is_what_the_match_is_played_by(page_at: PageAt, site: Service):
    page = await page_at(DESKTOP, "#/new")
    await page.get_by_role("radio", name="Osel: Fours").check()
    await page.get_by_label("How many seats").fill("3")
    await page.get_by_label("Hands to win the match").fill("2")
    await page.get_by_role("group", name="Fours to win a hand").get_by_text("A number").click()
    await page.get_by_role("spinbutton", name="Fours to win a hand").fill("2")
    await page.get_by_role("radio", name="sealed").check()
    await page.get_by_label("Play with a clock").check()
    await page.get_by_label("Seconds for each turn").fill("45")
    await page.get_by_label("Bank for the whole match").fill("300")
    await page.get_by_role("radio", name="with a delay").check()
    await page.get_by_label("How many events late").fill("7")
    await page.get_by_label("Bots take all other seats").uncheck()
    table = await seen(site, await opened(page))
    assert table["options"] == {
        "target": 2,
        "return_mode": "sealed",
        "wins_needed": 2,
        "max_hands": 20,
        "max_circuits": 50,
    }
    assert (table["clock"]["turn_seconds"], table["clock"]["bank_seconds"]) == (45, 300)
    assert table["spectators"] == "delayed:7"
    assert [seat["player"] is not None for seat in table["seats"]] == [True, False, False]
    assert table["seats"][0]["custody"] == "own"


async def test_a_number_out_of_its_bounds_is_told_at_its_field_and_nothing_is_sent(page_at: PageAt, axe: Axe):
    page = await page_at(PHONE, "#/new")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    for value in ("0", "21", "2.5", ""):
        await page.get_by_label("Games in the match").fill(value)
        await page.get_by_role("button", name=OPEN).click()
        box = page.get_by_label("Games in the match")
        await expect(box).to_be_focused()
        await expect(box).to_have_attribute("aria-invalid", "true")
        await expect(page.locator("#games-wrong")).to_contain_text("rom 1 to 20")
    await axe(page)
    await page.get_by_label("Games in the match").fill("3")
    await expect(page.get_by_label("Games in the match")).to_be_focused()
    await page.get_by_role("button", name=OPEN).focus()
    await expect(page.locator("#games-wrong")).to_have_count(0)
    assert sent == []


async def test_what_only_the_service_finds_wrong_is_told_too(page_at: PageAt, watch: Watch):
    page = await page_at(DESKTOP, "#/new")
    await page.get_by_role("radio", name="Osel: Fours").check()
    await page.get_by_label("How many seats").fill("9")
    await page.get_by_role("group", name="Fours to win a hand").get_by_text("A number").click()
    await page.get_by_role("spinbutton", name="Fours to win a hand").fill("5")
    await page.get_by_role("button", name=OPEN).click()
    await expect(page.locator("#target-wrong, .told")).to_contain_text("target")
    assert "#/new" in page.url
    watch.forgive("422")


async def test_a_reload_loses_nothing_that_was_filled_in(page_at: PageAt):
    page = await page_at(PHONE, "#/new")
    await page.get_by_role("radio", name="Osel: Trumps").check()
    await page.get_by_label("How many seats").fill("3")
    await page.get_by_role("radio", name="chosen in turn").check()
    await page.reload()
    await settled(page)
    await expect(page.get_by_role("radio", name="Osel: Trumps")).to_be_checked()
    await expect(page.get_by_label("How many seats")).to_have_value("3")
    await expect(page.get_by_role("radio", name="chosen in turn")).to_be_checked()


async def test_a_newcomer_opens_a_table_with_bots_and_it_starts_with_an_own_seed(page_at: PageAt, site: Service):
    page = await page_at(DESKTOP, "#/new")
    await page.get_by_role("radio", name="Two-handed Spades").check()
    match = await opened(page)
    table = await until(page, site, match, "playing")
    mine, bot = table["seats"]
    assert (mine["kind"], mine["custody"], mine["revealed"]) == ("human", "own", True)
    assert (bot["kind"], bot["custody"]) == ("bot", "server")
    await becomes(page, "!Object.keys(localStorage).some((key) => key.startsWith('kibitz.seed.'))")
    events = ok(await site.http.get(f"/v1/matches/{match}/events"))["events"]
    revealed = [event["body"] for event in events if event["type"] == "SeedRevealed" and event["body"]["seat"] == 0]
    assert [body["custody"] for body in revealed] == ["own"]


async def test_a_seed_is_revealed_on_whatever_page_its_player_is_even_after_a_reload(page_at: PageAt, site: Service):
    host = await site.guest("Host")
    path = await open_match(host, 3)
    match = path.rpartition("/")[2]
    page = await page_at(PHONE, f"#/matches/{match}")
    await page.get_by_role("button", name="Sit here: seat 1").click()
    await expect(page.get_by_text("you", exact=True)).to_be_visible()
    await page.goto(f"{site.url}/#/leaderboard")
    await page.reload()
    await settled(page)
    ok(await host.post(f"{path}/bots", {"seats": [0, 2]}))
    table = await until(page, site, match, "playing")
    assert (table["seats"][1]["custody"], table["seats"][1]["revealed"]) == ("own", True)


async def test_a_seat_whose_commitment_became_void_commits_anew_by_itself(page_at: PageAt, site: Service, watch: Watch):
    host, late = await site.guest("Host"), await site.guest("Late")
    path = await open_match(host, 3)
    match = path.rpartition("/")[2]
    page = await page_at(PHONE, f"#/matches/{match}")
    await page.get_by_role("button", name="Sit here: seat 0").click()
    await expect(page.get_by_text("you", exact=True)).to_be_visible()
    ok(await host.post(f"{path}/bots", {"seats": [1]}))
    silent = {"seat": 2, "seed_commitment": "6EiWQd6cJLKk1MLq2ZIB1y9mZk0M2JxUnZ8dQAqWcFk"}
    ok(await late.post(f"{path}/seats", silent))
    await until(page, site, match, "revealing")
    ok(await late.delete(f"{path}/seats/me"))
    latest = time.monotonic() + PATIENCE
    while not (await until(page, site, match, "open"))["seats"][0]["committed"]:
        assert time.monotonic() < latest
        await page.wait_for_timeout(50)
    ok(await host.post(f"{path}/bots", {"seats": [2]}))
    assert (await until(page, site, match, "playing"))["seats"][0]["custody"] == "own"
    watch.forgive("409")  # it may just be revealing its seed when that has become void


async def test_sitting_leaving_bots_and_the_link_before_the_start(page_at: PageAt, site: Service, axe: Axe):
    page = await page_at(PHONE, "#/new", permissions=["clipboard-read", "clipboard-write"])
    await page.get_by_label("How many seats").fill("5")
    await page.get_by_label("Bots take all other seats").uncheck()
    await page.get_by_label("I take the first seat").uncheck()
    match = await opened(page)
    await expect(page.locator(".place")).to_have_count(5)
    await expect(page.get_by_role("status").filter(has_text="5 seats are free")).to_be_visible()
    await axe(page)
    await page.get_by_role("button", name="Copy the link").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == f"{site.url}/#/matches/{match}"
    await page.get_by_role("button", name="Sit here: seat 3").click()
    await expect(page.locator(".place.own .seat-number")).to_have_text("3")
    await axe(page)
    other = await page_at(DESKTOP, f"#/matches/{match}")
    await other.get_by_role("button", name="Sit down").click()
    await expect(other.locator(".place.own .seat-number")).to_have_text("0")
    await expect(page.get_by_role("status").filter(has_text="3 seats are free")).to_be_visible()
    await expect(other.get_by_role("button", name="Seat one bot")).to_have_count(0)
    await other.get_by_role("button", name="Leave the table").click()
    await expect(page.get_by_role("status").filter(has_text="4 seats are free")).to_be_visible()
    await page.get_by_role("button", name="Seat one bot").click()
    await expect(page.get_by_role("status").filter(has_text="3 seats are free")).to_be_visible()
    await fits(page)
    await shot(page, "waiting-390")
    await shot(other, "waiting-1440")
    await page.get_by_role("button", name="Fill all seats with bots").click()
    await until(page, site, match, "playing")


async def test_the_link_is_shared_by_whatever_the_system_has(page_at: PageAt, site: Service):
    """Chromium has nothing to share with on a server, so this page says what it was asked to share."""
    path = (await open_match(await site.guest("Host"), 3)).removeprefix("/v1")
    page = await page_at(PHONE, "#/")
    await page.evaluate("navigator.share = async (what) => { window.shared = what }")
    await page.evaluate("path => location.hash = path", f"#{path}")
    await page.get_by_role("button", name="Share …").click()
    assert (await page.evaluate("shared"))["url"] == f"{site.url}/#{path}"
    assert (await page.evaluate("shared"))["text"] == "A seat is free: Who's the Ass?"


async def test_the_seed_of_a_seat_that_was_left_is_not_looked_after_any_more(page_at: PageAt, site: Service):
    path = (await open_match(await site.guest("Host"), 3)).removeprefix("/v1")
    page = await page_at(DESKTOP, f"#{path}")
    kept = "Object.keys(localStorage).filter((key) => key.startsWith('kibitz.seed.')).length"
    await page.get_by_role("button", name="Sit down").click()
    await expect(page.locator(".place.own")).to_have_count(1)
    await becomes(page, f"{kept} === 1")
    await page.get_by_role("button", name="Leave the table").click()
    await becomes(page, f"{kept} === 0")


async def test_two_who_want_one_seat_are_told_by_the_clause(page_at: PageAt, site: Service, watch: Watch):
    host = await site.guest("Host")
    path = await open_match(host, 3)
    page = await page_at(DESKTOP, f"#/{path.removeprefix('/v1/')}")
    match = path.rpartition("/")[2]

    async def late(route: Any) -> None:
        """Somebody else is quicker: the request comes after theirs."""
        ok(await host.post(f"{path}/seats", {"seat": 1}))
        await route.continue_()

    await page.route(f"**/v1/matches/{match}/seats", late)
    await page.get_by_role("button", name="Sit here: seat 1").click()
    complaint = page.locator(".complaint")
    await expect(complaint).to_contain_text("2.2")
    await expect(complaint.get_by_role("link", name="2.2")).to_have_attribute("href", "#/rules/match?clause=2.2")
    assert (await seen(site, match))["seats"][1]["player"] == host.player
    assert await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('kibitz.seed.'))") == []
    watch.forgive("409")


async def test_the_host_calls_a_match_off_only_after_being_asked(page_at: PageAt, site: Service):
    page = await page_at(PHONE, "#/new")
    await page.get_by_label("Bots take all other seats").uncheck()
    match = await opened(page)
    await page.get_by_role("button", name="Call the match off").click()
    await page.get_by_role("dialog").get_by_role("button", name="No, go back").click()
    assert (await seen(site, match))["status"] == "open"
    await page.get_by_role("button", name="Call the match off").click()
    await page.get_by_role("dialog").get_by_role("button", name="Call the match off").click()
    await until(page, site, match, "abandoned")
    await page.wait_for_url(re.compile("#/$"))


async def test_a_lost_answer_opens_one_table_and_one_guest(page_at: PageAt, site: Service, watch: Watch):
    page = await page_at(DESKTOP, "#/new")
    lost: list[str] = []

    async def lose_the_first_answer(route: Any) -> None:
        request = route.request
        if request.method == "POST" and request.url not in lost:
            lost.append(request.url)
            await route.fetch()  # the service does it, and nobody hears of it
            await route.abort("connectionreset")
        else:
            await route.continue_()

    await page.route("**/v1/**", lose_the_first_answer)
    match = await opened(page)
    me = json.loads(await page.evaluate("localStorage.getItem('kibitz.me')"))["player"]
    mine = [entry for entry in await site.rows("/v1/matches", limit=200) if entry["host"] == me]
    assert [entry["match"] for entry in mine] == [match]
    assert any(url.endswith("/v1/players") for url in lost)
    assert any(url.endswith("/v1/matches") for url in lost)
    assert any(url.endswith("/seats") for url in lost)
    assert (await until(page, site, match, "playing"))["seats"][0]["player"] == me
    watch.forgive("ERR_CONNECTION_RESET")
