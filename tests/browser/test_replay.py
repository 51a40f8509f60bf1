"""Replays: any moment of a match, through any eyes that may see it."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from domain.games import GAMES
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, ok
from tests.api.test_disputes import arbiter, in_hand_two
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, becomes, fits, settled, shot
from tests.browser.played import as_guest, faces, finished
from tests.waiting import eventually

REFUSED = "403"
"""What a browser complains of when the service says that something may not be seen."""


def replay(table: Table, at: str = "") -> str:
    return f"#/matches/{table.match}/replay{at}"


async def index_of(table: Table) -> dict[str, Any]:
    return ok(await table.http.get(f"{table.path}/replay"))


async def step_of(
    table: Table, version: int, seat: str = "public", *, who: Guest | None = None, language: str = "en"
) -> Any:
    headers = {"Accept-Language": language} | (who.auth if who else {})
    return ok(await table.http.get(f"{table.path}/replay/{version}", params={"seat": seat}, headers=headers))


async def shown(page: Page, version: int, last: int | None = None) -> None:
    """Returns when the page shows the table after that event."""
    of = r"\d+" if last is None else str(last)
    await expect(page.locator(".narration .badge")).to_have_text(re.compile(f"^Event {version} of {of}$"))
    await page.wait_for_function(
        "version => document.querySelector('kb-table')?.live?.version === version", arg=version
    )


async def narration(page: Page) -> str:
    return (await page.locator(".narration > span:last-child").inner_text()).strip()


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_is_replayed_from_its_first_event_to_its_last(
    game: str, site: Service, page_at: PageAt, axe: Axe
):
    # given a finished match
    table = await finished(site, game)
    index = await index_of(table)
    last = index["versions"]
    # when somebody who has never been here opens its replay
    page = await page_at(DESKTOP, replay(table))
    # then it begins at the beginning
    await shown(page, 1, last)
    # and each hand, and each mark of a hand, leads to its moment, said as the service says it
    await page.get_by_role("button", name="Hand 1", exact=True).click()
    await shown(page, index["hands"][0]["first"])
    marks = [mark for mark in index["marks"] if mark["version"] <= index["hands"][0]["last"]]
    kinds = {mark["kind"]: mark for mark in marks}
    assert len(kinds) > 1
    for mark in kinds.values():
        await page.locator(f".mark-list li[data-key='{mark['version']}'] button").click()
        await shown(page, mark["version"])
        assert await narration(page) == (await step_of(table, mark["version"]))["text"]
    # and so does the end
    await page.keyboard.press("End")
    await shown(page, last)
    assert await narration(page) == (await step_of(table, last))["text"]
    await axe(page)
    await fits(page)
    # and on a telephone nothing of it is lost
    phone = await page_at(PHONE, replay(table, f"/{marks[-1]['version']}?seat=all"), theme="dark")
    await shown(phone, marks[-1]["version"])
    await axe(phone)
    await fits(phone)
    await shot(phone, f"replay-{game}-{PHONE}-dark", whole=False)
    await page.get_by_role("button", name="Hand 1", exact=True).click()
    await page.get_by_label("Seen by").select_option("0")
    for _ in range(len(marks) // 2):
        await page.get_by_role("button", name="To the next mark").click()
    await page.wait_for_timeout(300)
    await shot(page, f"replay-{game}-{DESKTOP}-light", whole=False)


async def test_a_link_leads_to_a_moment_and_to_two_pairs_of_eyes(site: Service, page_at: PageAt, axe: Axe):
    table = await finished(site)
    # given a link to an event, seen by seat 1 and beside it with all cards
    page = await page_at(DESKTOP, replay(table, "/30?seat=1&beside=all"))
    await shown(page, 30)
    await expect(page.locator("kb-table")).to_have_count(2)
    assert await page.eval_on_selector_all("kb-table", "tables => tables.map(table => table.live.you)") == [1, None]
    await axe(page)
    await fits(page)
    await shot(page, f"replay-beside-{DESKTOP}")
    # when somebody moves on, then the address does, too
    await page.keyboard.press("ArrowRight")
    await shown(page, 31)
    await page.wait_for_url(f"**/#/matches/{table.match}/replay/31?seat=1&beside=all")
    # and it leads back to the same
    await page.reload()
    await settled(page)
    await shown(page, 31)
    await expect(page.locator("kb-table")).to_have_count(2)
    # and a link that is followed on the page moves the replay that is there
    await page.evaluate(f"location.hash = '#/matches/{table.match}/replay/12?seat=public'")
    await shown(page, 12)
    await expect(page.locator("kb-table")).to_have_count(1)


async def test_the_keyboard_alone_is_enough(site: Service, page_at: PageAt):
    table = await finished(site)
    index = await index_of(table)
    first, last = index["hands"][1]["first"], index["versions"]
    page = await page_at(DESKTOP, replay(table, "/5"))
    await shown(page, 5)
    for key, version in (
        ("ArrowRight", 6), ("ArrowLeft", 5), ("End", last), ("Home", 1), ("PageDown", index["hands"][0]["first"]),
        ("PageDown", first), ("ArrowRight", first + 1), ("PageUp", first), ("PageUp", index["hands"][0]["first"]),
    ):  # fmt: skip
        await page.keyboard.press(key)
        await shown(page, version)
    # the same on the slider itself, which says where it is
    slider = page.get_by_role("slider", name="Position in the match")
    await slider.focus()
    await page.keyboard.press("Home")
    await shown(page, 1)
    await page.keyboard.press("ArrowRight")
    await shown(page, 2)
    await page.keyboard.press("PageDown")
    await shown(page, index["hands"][0]["first"])
    at = index["hands"][0]["first"]
    text = (await step_of(table, at))["text"]
    await expect(slider).to_have_attribute("aria-valuetext", f"Event {at} of {last}. {text}")
    # and the space bar plays and pauses
    await page.keyboard.press("Space")
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await becomes(page, f"document.querySelector('kb-table').live.version >= {at + 2}")
    await page.keyboard.press("Space")
    await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    # a screen reader is told what happened when the needle rests
    await page.keyboard.press("Home")
    await expect(page.locator("#news")).to_have_text((await step_of(table, 1))["text"])


async def test_playing_is_as_fast_as_asked_and_ends_at_the_end(site: Service, page_at: PageAt):
    table = await finished(site)
    last = (await index_of(table))["versions"]
    page = await page_at(DESKTOP, replay(table, f"/{last - 6}"))
    await shown(page, last - 6)
    await page.get_by_label("Speed").select_option("8")
    await page.get_by_role("button", name="Play", exact=True).click()
    await shown(page, last)
    await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


async def test_a_mark_that_is_clicked_is_gone_to_and_kinds_have_shapes_of_their_own(site: Service, page_at: PageAt):
    table = await finished(site)
    page = await page_at(DESKTOP, replay(table, "/12"))
    await shown(page, 12)
    await page.get_by_text("What the marks mean").click()
    shapes = await page.eval_on_selector_all(".legend path", "paths => paths.map(path => path.getAttribute('d'))")
    assert len(shapes) == len(set(shapes)) == 9
    mark = page.locator(".scrub-marks").nth(1).locator(".kind-round").first
    version = int(await mark.get_attribute("data-version") or 0)
    await mark.click()
    await shown(page, version)


@pytest.mark.parametrize("seat", ["public", "0", "2", "all"])
async def test_a_perspective_shows_the_cards_of_its_seat_and_no_others(seat: str, site: Service, page_at: PageAt):
    # given the moment right after a deal: nothing lies on the table
    table = await finished(site)
    dealt = (await index_of(table))["hands"][0]["first"]
    seen = (await step_of(table, dealt, seat))["table"]["table"]
    mine = seen["hand"] or [card for hand in seen["hands"] or () for card in hand]
    # when it is seen with these eyes
    page = await page_at(DESKTOP, replay(table, f"/{dealt}?seat={seat}"))
    await shown(page, dealt)
    # then what lies face up is what they see
    assert await faces(page) == sorted(mine)
    assert bool(mine) is (seat != "public")


async def test_of_a_running_match_others_see_a_hand_when_it_is_over(site: Service, page_at: PageAt, watch: Watch):
    # given a match in its second hand, and somebody who plays in it
    table = await in_hand_two(site)
    index = await index_of(table)
    first, second = (hand["first"] for hand in index["hands"])
    page = await page_at(DESKTOP, replay(table, f"/{second}"), **as_guest(site, table.guests[0]))
    await shown(page, second)
    # then the own cards are there
    own = (await step_of(table, second, "0", who=table.guests[0]))["table"]["table"]["hand"]
    assert await faces(page) == sorted(own)
    # and another's are not, but are in the hand that is over
    await page.get_by_label("Seen by").select_option("1")
    await expect(page.get_by_text("is shown when the hand is over")).to_be_visible()
    assert await faces(page) == []
    await page.get_by_role("button", name="Hand 1", exact=True).click()
    await shown(page, first)
    theirs = (await step_of(table, first, "1"))["table"]["table"]["hand"]
    assert await faces(page) == sorted(theirs)
    watch.forgive(REFUSED)


async def test_a_running_match_is_followed_and_nothing_is_looked_at_before_its_reader_does(
    site: Service, page_at: PageAt
):
    # given somebody who watches the newest event of a running match
    table = await in_hand_two(site)
    judge = await arbiter(site)
    page = await page_at(DESKTOP, replay(table))
    before = (await index_of(table))["versions"]
    await shown(page, before)
    await expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
    # when a move is made, then it is there
    version = (await table.step())["version"]
    await shown(page, version)
    # when somebody has gone back, then the replay stays there, and grows
    await page.keyboard.press("Home")
    await shown(page, 1)
    later = (await table.step())["version"]
    await shown(page, 1, later)
    # when an arbiter looks at two events through other eyes, then the log has these and none that was read ahead
    through = await page_at(DESKTOP, replay(table, "/12?seat=all"), **as_guest(site, judge))
    await shown(through, 12)
    await through.keyboard.press("ArrowRight")
    await shown(through, 13)
    await through.wait_for_timeout(500)
    log = ok(await judge.get(f"{table.path}/audit/disclosures", limit=200))["items"]
    assert [entry["first"] for entry in log if entry["kind"] == "shown"] == [12, 13]


async def test_steps_are_asked_for_once_and_before_they_are_needed(site: Service, page_at: PageAt):
    table = await finished(site)
    page = await page_at(DESKTOP)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/replay/" in request.url else None)
    await page.goto(f"{site.url}/{replay(table, '/20')}")
    await shown(page, 20)
    await eventually(lambda: any(url.split("?")[0].endswith("/44") for url in asked))
    for key, version in (
        ("ArrowRight", 21),
        ("ArrowRight", 22),
        ("ArrowLeft", 21),
        ("ArrowLeft", 20),
        ("ArrowLeft", 19),
    ):
        await page.keyboard.press(key)
        await shown(page, version)
    await eventually(lambda: len(asked) > 40)
    await page.wait_for_load_state("networkidle")
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize(("language", "label"), [("hu", "Nézőpont"), ("ru", "Глазами")])
async def test_narration_speaks_the_language_of_the_page(language: str, label: str, site: Service, page_at: PageAt):
    table = await finished(site)
    page = await page_at(DESKTOP, replay(table, "/14"), language=language)
    await expect(page.get_by_label(label)).to_be_visible()
    text = (await step_of(table, 14, language=language))["text"]
    await expect(page.locator(".narration > span:last-child")).to_have_text(text)
    # and changes with it
    await page.locator("#shell select").first.select_option("en")
    await expect(page.locator(".narration > span:last-child")).to_have_text((await step_of(table, 14))["text"])


async def test_a_match_that_is_not_there_is_said_to_be_missing(site: Service, page_at: PageAt, watch: Watch):
    page = await page_at(DESKTOP, "#/matches/00000000-0000-7000-8000-000000000000/replay/3")
    await expect(page.get_by_role("alert").filter(has=page.get_by_role("heading"))).to_be_visible()
    watch.forgive("404")
