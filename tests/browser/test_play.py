"""Playing by clicks and by keyboard: a whole match of every game, with the network gone or the page loaded anew."""

import asyncio
import random
import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.api.conftest import Service
from tests.api.guests import ok, open_match
from tests.browser.clicking import OFFERED, answered, my_turn, one_move, page_of, play_out, seated
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, becomes, fits, shot
from tests.waiting import PATIENCE

MATCHES = [
    ("whos-the-ass", 4, {"games": 1}, DESKTOP),
    ("spades-two", 2, {"max_hands": 1}, PHONE),
    ("osel-fours", 3, {"target": 4, "max_circuits": 5, "max_hands": 2}, PHONE),
    ("osel-trumps", 2, {"match_end": "first_out", "personal_trumps": "choose"}, DESKTOP),
    ("osel-two-against-one", 3, {"variant": 3}, DESKTOP),
    ("osel-three-against-one", 4, {"variant": 1}, PHONE),
]


@pytest.mark.parametrize(("game", "seats", "options", "width"), MATCHES)
async def test_a_whole_match_is_played_by_clicks(
    page_at: PageAt, site: Service, axe: Axe, game: str, seats: int, options: dict[str, object], width: int
):
    who, match = await seated(site, game, seats, options=options)
    page = await page_of(page_at, width, who, f"#/matches/{match}")
    assert await my_turn(page)
    await fits(page)
    await axe(page)
    moves = await play_out(page, seed=7)
    assert moves > 0
    seen = ok(await who.get(f"/v1/matches/{match}"))
    assert seen["status"] == "finished"
    for seat in seen["winners"]:
        name = seen["seats"][seat]["name"].removesuffix(" (bot)")  # bots have a mark
        await expect(page.locator(".result.over h2")).to_contain_text(name)
    for place in ("replay/1", "sheet", "audit"):
        await expect(page.locator(f".result.over a[href='#/matches/{match}/{place}']")).to_be_visible()
    await fits(page)
    await axe(page)
    await shot(page, f"over-{game}-{width}")


@pytest.mark.parametrize(
    ("game", "seats", "moves", "language"),
    [
        ("whos-the-ass", 8, 3, "en"),
        ("spades-two", 2, 17, "hu"),
        ("osel-fours", 13, 0, "ru"),
        ("osel-trumps", 4, 4, "en"),
        ("osel-two-against-one", 3, 4, "hu"),
        ("osel-three-against-one", 4, 4, "ru"),
    ],
)
async def test_a_table_reads_well_in_light_and_dark_in_every_language(
    page_at: PageAt, site: Service, axe: Axe, game: str, seats: int, moves: int, language: str
):
    clock = {"turn_seconds": 3600, "bank_seconds": 600}
    who, match = await seated(site, game, seats, clock=clock)
    chance = random.Random(9)
    page = await page_of(page_at, PHONE, who, f"#/matches/{match}", language=language)
    for _ in range(moves):
        assert await one_move(page, chance)
        await answered(page)
    for width, theme in ((PHONE, "dark"), (DESKTOP, "light"), (PHONE, "light"), (DESKTOP, "dark")):
        page = await page_of(page_at, width, who, f"#/matches/{match}", theme=theme, language=language)
        if not await my_turn(page):
            break  # the bots were lucky
        await expect(page.locator(".prompt strong")).to_be_visible()
        await fits(page)
        await axe(page)
        await shot(page, f"playing-{game}-{width}-{theme}")


async def test_a_match_is_played_by_keyboard_alone(page_at: PageAt, site: Service):
    who, match = await seated(site, "osel-fours", 2, options={"target": 6, "max_circuits": 5, "max_hands": 1})
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    moves = 0
    while await my_turn(page):
        moves += 1
        version = ok(await who.get(f"/v1/matches/{match}"))["version"]
        await page.locator("kb-hand .option[tabindex='0']").focus()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("End")
        await page.keyboard.press("Space")
        if await page.locator(".option[aria-selected='true']").count() == 0:  # the card that was just given
            await page.keyboard.press("ArrowLeft")
            await page.keyboard.press("Space")
        await page.keyboard.press("Enter")
        await answered(page)
        async with asyncio.timeout(PATIENCE):  # a key that was just pressed may have sent nothing yet
            while ok(await who.get(f"/v1/matches/{match}"))["version"] == version:
                await page.wait_for_timeout(50)
        await answered(page)
        await becomes(page, "document.activeElement.matches('kb-hand .option')")  # one goes on from there
    assert moves == 10
    assert ok(await who.get(f"/v1/matches/{match}"))["status"] == "finished"


async def test_it_says_whose_turn_it_is_in_the_title_and_to_who_does_not_look(page_at: PageAt, site: Service):
    who, match = await seated(site, "spades-two", 2)
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    assert await my_turn(page)
    await expect(page).to_have_title(re.compile("^● Your turn"))
    await expect(page.locator("#news")).to_contain_text("Your turn.")
    await expect(page.locator(".prompt strong")).to_be_visible()


async def test_who_comes_from_another_page_hears_what_to_do_and_not_the_title_only(page_at: PageAt, site: Service):
    who, match = await seated(site, "spades-two", 2)
    page = await page_of(page_at, DESKTOP, who, "#/leaderboard")
    await page.evaluate(f"location.hash = '#/matches/{match}'")
    assert await my_turn(page)
    await expect(page.locator("#news")).to_contain_text(await page.locator(".prompt strong").inner_text())


async def test_a_table_is_called_by_its_name_in_every_language_that_is_chosen(page_at: PageAt, site: Service):
    who, match = await seated(site, "whos-the-ass", 3)
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    await page.get_by_label("Language").select_option("ru")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Кто осёл?")


async def test_what_can_be_played_is_asked_for_until_a_busy_service_answers(
    page_at: PageAt, site: Service, watch: Watch
):
    who, match = await seated(site, "spades-two", 2)
    page = await page_of(page_at, DESKTOP, who, "#/leaderboard")
    asked: list[int] = []

    async def busy(route: Route) -> None:
        asked.append(len(asked))
        if len(asked) < 3:
            await route.fulfill(status=429, json={"type": "/problems/too-many-requests", "title": "Too many"})
        else:
            await route.continue_()

    await page.route("**/moves", busy)
    await page.evaluate(f"location.hash = '#/matches/{match}'")
    assert await my_turn(page)
    assert len(asked) >= 3
    watch.forgive("429")


async def test_a_clock_counts_down_and_a_hand_that_is_over_says_so(page_at: PageAt, site: Service):
    clock = {"turn_seconds": 3600, "bank_seconds": 600}
    options = {"target": 4, "max_circuits": 5, "wins_needed": 2}
    who, match = await seated(site, "osel-fours", 3, options=options, clock=clock)
    page = await page_of(page_at, PHONE, who, f"#/matches/{match}")
    assert await my_turn(page)
    own = page.locator(".own .clock")
    shown = await own.inner_text()
    assert re.fullmatch(r"(1:00:00|59:\d\d)\+10:00", shown)
    await expect(own).not_to_have_text(shown)
    ended, chance = page.locator("details.result"), random.Random(1)
    while not await ended.count():
        assert await one_move(page, chance)
        await answered(page)
        await my_turn(page)
    await expect(ended.locator("summary")).to_contain_text("Hand 1 is over.")
    await ended.locator("summary").click()
    version = ok(await who.get(f"/v1/matches/{match}/score-sheet"))["hands"][0]["last"]
    await expect(ended.locator("a").first).to_have_attribute("href", f"#/matches/{match}/replay/{version}")
    await fits(page)


async def test_a_card_that_cannot_be_played_says_why_with_the_clause(page_at: PageAt, site: Service, axe: Axe):
    who, match = await seated(site, "spades-two", 2, options={"max_hands": 3})
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    chance = random.Random(3)
    refused = page.locator("kb-hand .option[aria-disabled='true']")
    for _ in range(80):
        assert await my_turn(page)
        if await page.locator(".commit").count() and await refused.count():
            break
        await one_move(page, chance)
        await answered(page)
    card = await refused.first.get_attribute("data-card")
    told = ok(await who.get(f"/v1/matches/{match}/moves"))["refused"]
    clause = next(why["clause"] for why in told if why["move"].get("card") == card)
    for point_at in (refused.first.hover, refused.first.focus):
        await page.mouse.move(1, 1)
        await point_at()
        await expect(page.locator(".why a")).to_have_text(clause)
        await expect(page.locator(".why")).to_contain_text(re.compile(r"\d\.\d+ \w+"))
    described = await refused.first.get_attribute("aria-describedby")
    assert clause in await page.locator(f"#{described}").evaluate("node => node.textContent")
    await axe(page)


async def _lead(page_at: PageAt, site: Service, width: int) -> tuple[Page, str, list[str]]:
    """A guest who leads in Who's the Ass?, at the page, with the cards in hand. Who has the ass leads: one of three."""
    for _ in range(200):
        who, match = await seated(site, "whos-the-ass", 3, options={"games": 2})
        seen, events = [ok(await who.get(f"/v1/matches/{match}{tail}")) for tail in ("", "/events")]
        cards = seen["table"]["hand"]
        leads = seen["to_act"] == [0] and events["events"][-1]["type"] == "CardsDealt"
        if leads and len(set(cards)) < len(cards) - 1:
            page = await page_of(page_at, width, who, f"#/matches/{match}")
            assert await my_turn(page)
            return page, match, cards
    raise AssertionError("never the first to play")


async def test_only_what_can_still_become_legal_can_be_chosen(page_at: PageAt, site: Service):
    page, _, cards = await _lead(page_at, site, PHONE)
    twice = next(card for card in cards if cards.count(card) > 1 and card.isdigit())
    await page.locator(f".option[data-card='{twice}']").first.click(position={"x": 8, "y": 30})
    free = await page.locator(".option[aria-disabled='false']").evaluate_all("all => all.map(one => one.dataset.card)")
    assert set(free) <= {twice, "J"}
    assert free.count(twice) == cards.count(twice)
    other = page.locator(f".option:not([data-card='{twice}']):not([data-card='J'])").first
    await other.focus()
    await expect(page.locator(".why a")).to_be_visible()  # the service was asked why they do not go together


async def test_a_page_loaded_anew_in_the_middle_of_a_hand_goes_on_where_it_was(page_at: PageAt, site: Service):
    who, match = await seated(site, "whos-the-ass", 4, options={"games": 1})
    page = await page_of(page_at, PHONE, who, f"#/matches/{match}")
    chance = random.Random(5)
    for _ in range(4):
        if not await my_turn(page):
            break
        await one_move(page, chance)
        await page.reload()
    await play_out(page, seed=5)
    assert ok(await who.get(f"/v1/matches/{match}"))["status"] == "finished"


async def test_a_move_whose_answer_was_lost_is_made_once(page_at: PageAt, site: Service, watch: Watch):
    who, match = await seated(site, "spades-two", 2)
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    assert await my_turn(page)
    keys: list[str] = []

    async def swallow(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            await route.fetch()  # it arrives, and what is answered does not
            await route.abort()
        else:
            await route.continue_()

    await page.route("**/moves", lambda route: swallow(route) if route.request.method == "POST" else route.continue_())
    await page.locator("kb-hand .say").first.click()
    await answered(page)
    assert len(keys) >= 2  # a busy machine may lose another answer
    assert len(set(keys)) == 1
    events = ok(await who.get(f"/v1/matches/{match}/events"))["events"]
    assert sum(event["type"] == "DoubleNilAnswered" and event["seat"] == 0 for event in events) == 1
    watch.forgive("Failed to load resource")


async def test_a_move_on_its_way_survives_loading_the_page_anew(page_at: PageAt, site: Service, watch: Watch):
    who, match = await seated(site, "spades-two", 2)
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    assert await my_turn(page)
    await page.route("**/moves", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    await page.locator("kb-hand .say").first.click()
    await expect(page.locator(".sending")).to_be_visible()
    await page.unroute("**/moves")
    await page.reload()
    await answered(page)
    await expect(page.locator(OFFERED).first).to_be_visible()
    events = ok(await who.get(f"/v1/matches/{match}/events"))["events"]
    assert [event["type"] for event in events if event["seat"] == 0][-1] != "SeatTaken"
    assert sum(event["type"] == "DoubleNilAnswered" and event["seat"] == 0 for event in events) == 1
    watch.forgive("Failed to load resource")


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
async def test_a_network_that_goes_in_the_middle_of_a_hand_loses_nothing(
    page_at: PageAt, site: Service, watch: Watch, width: int
):
    who, match = await seated(site, "osel-two-against-one", 3)
    page = await page_of(page_at, width, who, f"#/matches/{match}")
    chance = random.Random(2)
    for _ in range(3):
        assert await my_turn(page)
        await one_move(page, chance)
        await answered(page)
    assert await my_turn(page)
    before = ok(await who.get(f"/v1/matches/{match}"))
    await page.context.set_offline(True)
    await expect(page.locator(".note[role='status']")).to_contain_text("No connection")
    await one_move(page, chance)
    await expect(page.locator(".sending")).to_be_visible()
    assert ok(await who.get(f"/v1/matches/{match}"))["version"] == before["version"]
    await shot(page, f"offline-{width}")
    await page.context.set_offline(False)
    await answered(page)
    assert await my_turn(page)
    after = ok(await who.get(f"/v1/matches/{match}"))
    assert after["version"] > before["version"]
    hand = await page.locator("kb-hand .option").evaluate_all("all => all.map(one => one.dataset.card)")
    assert hand == after["table"]["hand"]
    watch.forgive("Failed to load resource|WebSocket connection")


async def test_a_move_that_the_clock_was_quicker_than_is_not_made_in_a_later_turn(
    page_at: PageAt, site: Service, watch: Watch
):
    options = {"target": 4, "max_circuits": 50}
    who, match = await seated(site, "osel-fours", 3, options=options, clock={"turn_seconds": 5})
    page = await page_of(page_at, PHONE, who, f"#/matches/{match}")
    assert await my_turn(page)
    await page.context.set_offline(True)
    await one_move(page, random.Random(1))
    await expect(page.locator(".sending")).to_be_visible()

    async def struck() -> int:
        return sum(event["type"] == "ClockExpired" and event["body"]["seat"] == 0 for event in await all_events())

    async def all_events() -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = ok(await who.get(f"/v1/matches/{match}/events", limit=200))["events"]
        return events

    before = await struck()  # on a slow machine it has struck already
    async with asyncio.timeout(PATIENCE):
        while await struck() == before:
            await page.wait_for_timeout(100)
    await page.context.set_offline(False)
    await expect(page.locator(".complaint")).to_be_visible()
    events = await all_events()
    assert not any(event["type"] in ("CardGiven", "CardsSwapped") and event["seat"] == 0 for event in events)
    watch.forgive("Failed to load resource|WebSocket connection")


async def test_a_table_begins_while_one_waits_at_it(page_at: PageAt, site: Service):
    who = await site.guest("Rosa")
    path = await open_match(who, 2, game="spades-two")
    ok(await who.post(f"{path}/seats", {"seat": 0}))
    page = await page_of(page_at, PHONE, who, f"#/matches/{path.rpartition('/')[2]}")
    await expect(page.locator("kb-waiting")).to_be_visible()
    ok(await who.post(f"{path}/bots", {"seats": [1]}))
    assert await my_turn(page)
    await one_move(page, random.Random(1))
    await answered(page)


async def test_two_who_choose_at_the_same_time_do_not_hinder_each_other(page_at: PageAt, site: Service, watch: Watch):
    who, match = await seated(
        site, "osel-fours", 3, options={"return_mode": "sealed", "target": 4, "max_circuits": 5, "max_hands": 1}
    )
    page = await page_of(page_at, DESKTOP, who, f"#/matches/{match}")
    await play_out(page, seed=4)
    await expect(page.locator(".complaint")).to_have_count(0)
    assert ok(await who.get(f"/v1/matches/{match}"))["status"] == "finished"
    watch.forgive("412")  # the other's card came first; the page looked again and sent its own anew


async def test_resigning_asks_first(page_at: PageAt, site: Service, axe: Axe):
    who, match = await seated(site, "osel-trumps", 3)
    page = await page_of(page_at, PHONE, who, f"#/matches/{match}")
    assert await my_turn(page)
    await page.get_by_role("button", name="Resign").click()
    await axe(page)
    await page.get_by_role("button", name="Play on").click()
    assert ok(await who.get(f"/v1/matches/{match}"))["status"] == "playing"
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("button", name="Yes, resign").click()
    await expect(page.locator(".result.over")).to_contain_text("abandoned")
    assert ok(await who.get(f"/v1/matches/{match}"))["seats"][0]["resigned"]


async def test_who_watches_sees_no_hand_and_no_control(page_at: PageAt, site: Service, axe: Axe):
    _, match = await seated(site, "whos-the-ass", 12)
    for width in (PHONE, DESKTOP):
        page = await page_at(width, f"#/matches/{match}")
        await expect(page.locator(".seat")).to_have_count(12)
        await expect(page.locator("kb-hand")).to_have_count(0)
        await expect(page.get_by_text("You are watching.")).to_be_visible()
        await fits(page)
        await axe(page)
