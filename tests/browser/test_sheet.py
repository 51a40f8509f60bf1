"""Score sheets: as players would write them, as a chart, as a file, on paper."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from domain.games import GAMES
from tests.api.conftest import Service
from tests.api.guests import Table, ok
from tests.api.test_disputes import arbiter, disputed, ruling
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, fits, shot
from tests.browser.played import finished, played_out


def sheet(table: Table) -> str:
    return f"#/matches/{table.match}/sheet"


def numbers(texts: list[str]) -> list[int]:
    """The numbers at the ends of texts, written with the minus sign of numbers."""
    return [int(text.split()[-1].replace("\N{MINUS SIGN}", "-")) for text in texts]


@pytest.mark.parametrize("game", GAMES)
async def test_the_sheet_of_every_game_says_what_the_service_counts(
    game: str, site: Service, page_at: PageAt, axe: Axe
):
    # given a finished match and what the service says of it
    table = await finished(site, game)
    told = ok(await table.http.get(f"{table.path}/score-sheet"))
    # when somebody opens the sheet
    page = await page_at(DESKTOP, sheet(table))
    rows = page.locator(".score tbody tr")
    await expect(rows).to_have_count(len(told["hands"]))
    # then each hand has its points and the totals after it
    for row, hand in enumerate(told["hands"]):
        totals = await rows.nth(row).locator(".total").all_inner_texts()
        assert numbers(totals) == hand["totals"]
        points = await rows.nth(row).locator(".points").all_inner_texts()
        assert numbers(points) == hand["points"]
    # and whoever won is said to
    await expect(page.locator(".score tfoot .winner")).to_have_count(len(told["winners"]))
    assert numbers(await page.locator(".score tfoot strong").all_inner_texts()) == told["totals"]
    await axe(page)
    await fits(page)
    await shot(page, f"sheet-{game}-{DESKTOP}-light")
    phone = await page_at(PHONE, sheet(table), theme="dark")
    await expect(phone.locator(".score tbody tr")).to_have_count(len(told["hands"]))
    await axe(phone)
    await fits(phone)
    await shot(phone, f"sheet-{game}-{PHONE}-dark")


async def test_the_lines_of_the_chart_can_be_told_apart_without_colour_and_read_as_a_table(
    site: Service, page_at: PageAt
):
    table = await finished(site)
    told = ok(await table.http.get(f"{table.path}/score-sheet"))
    page = await page_at(DESKTOP, sheet(table))
    await expect(page.locator(".series")).to_have_count(3)
    dashes = await page.eval_on_selector_all(
        ".series-line", "lines => lines.map(line => line.getAttribute('stroke-dasharray'))"
    )
    shapes = await page.eval_on_selector_all(
        ".series", "all => all.map(one => one.querySelector('.series-point').getAttribute('d'))"
    )
    names = await page.locator(".series-name").all_text_contents()
    assert len(set(dashes)) == len(set(shapes)) == len(set(names)) == 3
    # and each line goes through the totals: the higher a total, the higher its point
    ends = await page.eval_on_selector_all(
        ".series-line", "lines => lines.map(line => line.getPointAtLength(line.getTotalLength()).y)"
    )
    assert sorted(range(3), key=lambda seat: -ends[seat]) == sorted(range(3), key=lambda seat: told["totals"][seat])
    await page.get_by_text("The chart as a table").click()
    cells = await page.locator(".chart-panel tbody tr").last.locator("td").all_inner_texts()
    assert numbers(cells) == told["hands"][-1]["totals"]


async def test_the_sheet_is_a_file_to_take_away(site: Service, page_at: PageAt, tmp_path: Path):
    table = await finished(site)
    told = ok(await table.http.get(f"{table.path}/score-sheet"))
    page = await page_at(DESKTOP, sheet(table))
    async with page.expect_download() as coming:
        await page.get_by_role("button", name="Download CSV").click()
    download = await coming.value
    assert download.suggested_filename.endswith(".csv")
    await download.save_as(tmp_path / "sheet.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "sheet.csv").read_text(encoding="utf-8"))))
    assert rows[0][0] == "hand"
    assert [row[0] for row in rows[1 : 1 + len(told["hands"])]] == [str(hand["hand"]) for hand in told["hands"]]


async def test_a_void_hand_is_struck_through_and_a_ruling_has_its_own_line(site: Service, page_at: PageAt, axe: Axe):
    # given a match of which an arbiter has voided one hand and adjusted the totals
    table, judge = await played_out(site), await arbiter(site)
    case = await disputed(table)
    at = f"/v1/disputes/{case['dispute']}/rulings"
    ok(await judge.post(at, ruling("void_hand", hand=1)))
    ok(await judge.post(at, ruling("adjust", after=1, points=[3, 0, -2], clause="8.1")))
    told = ok(await table.http.get(f"{table.path}/score-sheet"))
    for width, theme in ((DESKTOP, "light"), (PHONE, "dark")):
        page = await page_at(width, sheet(table), theme=theme)
        # then the hand is there, struck through, and says so in a word
        void = page.locator(".score tr.void")
        await expect(void).to_have_count(1)
        await expect(void).to_contain_text("void")
        assert (
            await void.locator(".total").first.evaluate("cell => getComputedStyle(cell).textDecorationLine")
            == "line-through"
        )
        # and both rulings have a line, and the totals are those that count
        await expect(page.locator(".score tr.ruling")).to_have_count(2)
        assert numbers(await page.locator(".score tfoot strong").all_inner_texts()) == told["totals"]
        await axe(page)
        await fits(page)
        await shot(page, f"sheet-ruled-{width}-{theme}")
    # and on paper there are no buttons, and nothing is hidden behind a scroll bar
    await page.emulate_media(media="print")
    assert not await page.get_by_role("button", name="Print").is_visible()
    assert await page.locator(".score-paper").evaluate("paper => getComputedStyle(paper).overflowX") == "visible"


async def test_the_sheet_of_a_running_match_is_written_as_it_goes_on(site: Service, page_at: PageAt):
    table = await site.table(options={"games": 3})
    page = await page_at(DESKTOP, sheet(table))
    await expect(page.get_by_text("No hand has been scored yet.")).to_be_visible()
    count = 0
    while (await table.seen())["hand"] < 2:
        await table.step(count)
        count += 1
    await expect(page.locator(".score tbody tr")).to_have_count(1)


@pytest.mark.parametrize("language", ["hu", "ru"])
async def test_the_sheet_speaks_the_language_of_the_page(language: str, site: Service, page_at: PageAt, axe: Axe):
    table = await finished(site, "spades-two")
    page = await page_at(PHONE, sheet(table), language=language)
    await expect(page.locator(".score caption")).to_be_visible()
    assert await page.evaluate("document.documentElement.lang") == language
    assert not re.search(r"\b(sheet|look)\.\w", await page.locator("#main").inner_text())
    await axe(page)
    await fits(page)
