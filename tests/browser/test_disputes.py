"""Disputes: opened from the replay, followed, and ruled on by an arbiter."""

import pytest
from playwright.async_api import expect

from tests.api.conftest import Service
from tests.api.guests import Table, ok
from tests.api.test_disputes import arbiter, disputed, in_hand_two, ruling
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, fits, shot
from tests.browser.played import as_guest, played_out
from tests.browser.test_replay import replay, shown

CLAIM = 'Seat 1 passed, "and could have played" <b>a four</b>.'


def case_at(table: Table, dispute: str) -> str:
    return f"#/matches/{table.match}/disputes/{dispute}"


async def test_a_player_disputes_what_the_replay_shows_and_an_arbiter_voids_the_hand(
    site: Service, page_at: PageAt, axe: Axe
):
    # given a player who marks two events in the replay of a match that is over
    table, judge = await played_out(site), await arbiter(site)
    player = await page_at(DESKTOP, replay(table, "/12"), **as_guest(site, table.guests[1]))
    await shown(player, 12)
    await player.get_by_text("Dispute this").click()
    await player.get_by_role("button", name="Take event 12").first.click()
    await player.keyboard.press("ArrowRight")
    await player.keyboard.press("ArrowRight")
    await shown(player, 14)
    await player.get_by_role("button", name="Take event 14").last.click()
    await expect(player.locator(".scrub-range")).to_have_count(2)
    await shot(player, f"replay-dispute-{DESKTOP}-light", whole=False)
    await player.get_by_role("link", name="Open a dispute about these").click()
    # when the player says what is wrong
    await expect(player.get_by_label("First event")).to_have_value("12")
    await expect(player.get_by_label("Last event")).to_have_value("14")
    await player.get_by_label("What is wrong?").fill(CLAIM)
    await axe(player)
    await shot(player, f"dispute-form-{DESKTOP}-light")
    await player.get_by_role("button", name="Open the dispute").click()
    # then there is a case, with the claim as it was written, the findings and the events
    await expect(player.locator(".claim")).to_have_text(CLAIM)
    (line,) = ok(await table.http.get(f"{table.path}/disputes"))["items"]
    assert (line["seat"], line["first"], line["last"]) == (1, 12, 14)
    await expect(player.locator(".disputed > li")).to_have_count(3)
    await expect(player.locator(".findings .finding.failed")).to_have_count(0)
    await expect(player.locator(".dispute-line .badge")).to_contain_text("Waits for an arbiter")
    await expect(player.get_by_role("button", name="Rule", exact=True)).to_have_count(0)
    await axe(player)
    # when an arbiter voids the hand
    bench = await page_at(DESKTOP, case_at(table, line["dispute"]), **as_guest(site, judge))
    await bench.get_by_label("Void a hand").check()
    await expect(bench.locator("select[name=hand]")).to_have_value("1")
    await bench.get_by_label("Reason").fill("The deal of this hand was announced too late.")
    await axe(bench)
    await shot(bench, f"dispute-bench-{DESKTOP}-light")
    await bench.get_by_role("button", name="Rule", exact=True).click()
    # then both see the ruling, the player without doing anything but looking again
    await expect(bench.locator(".ruling-said h3")).to_have_text("Ruling 1: hand 1 is void")
    await player.reload()
    await expect(player.locator(".ruling-said .claim")).to_have_text("The deal of this hand was announced too late.")
    await expect(player.locator(".dispute-line .badge")).to_contain_text("1 ruling")
    await axe(player)
    await shot(player, f"dispute-ruled-{DESKTOP}-light")
    # and the sheet has struck the hand out
    told = ok(await table.http.get(f"{table.path}/score-sheet"))
    assert [hand["hand"] for hand in told["hands"] if hand["void"]] == [1]
    await player.goto(f"{site.url}/#/matches/{table.match}/sheet")
    await expect(player.locator(".score tr.void")).to_have_count(1)


async def test_a_case_of_a_running_match_is_followed_until_it_is_ruled_on(site: Service, page_at: PageAt):
    # given a player who looks at the own case while the match is played
    table, judge = await in_hand_two(site), await arbiter(site)
    case = await disputed(table)
    page = await page_at(DESKTOP, case_at(table, case["dispute"]), **as_guest(site, table.guests[0]))
    await expect(page.get_by_text("Waits for an arbiter").first).to_be_visible()
    # when it is ruled on, then the page says so by itself
    ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("upheld")))
    await expect(page.locator(".ruling-said h3")).to_have_text("Ruling 1: upheld, nothing changes")
    await expect(page.locator("h2 .badge")).to_contain_text("Ruled on")


async def test_an_arbiter_adjusts_on_appeal_and_is_told_what_the_rules_do_not_allow(
    site: Service, page_at: PageAt, watch: Watch, axe: Axe
):
    # given a case with a ruling that the arbiter's page does not know of
    table, judge = await played_out(site), await arbiter(site)
    case = await disputed(table)
    page = await page_at(PHONE, case_at(table, case["dispute"]), theme="dark", **as_guest(site, judge))
    await page.get_by_label("Adjust the totals").check()
    await page.get_by_label("Reason").fill("A move out of turn was accepted.")
    await page.get_by_label("Clause that it rests on").fill("match 4.3")
    points = page.locator("input[name=points]")
    for place, number in enumerate(("-2", "1", "1")):
        await points.nth(place).fill(number)
    ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("upheld")))
    # when the arbiter rules all the same, then nothing happens, and the page says by which clause
    await page.get_by_role("button", name="Rule", exact=True).click()
    await expect(page.locator(".ruling-form .complaint")).to_contain_text("7.12")
    await page.evaluate("scrollTo(0, 0)")  # where nothing lies half under the header
    await axe(page)
    await fits(page)
    await shot(page, f"dispute-stale-{PHONE}-dark")
    # when the page knows of it, then it is an appeal, and the totals are adjusted
    await page.reload()
    await expect(page.get_by_role("heading", name="Rule again, on appeal")).to_be_visible()
    await page.get_by_label("Adjust the totals").check()
    await page.get_by_label("Reason").fill("A move out of turn was accepted.")
    await page.get_by_label("Clause that it rests on").fill("match 4.3")
    for place, number in enumerate(("-2", "1", "1")):
        await points.nth(place).fill(number)
    await page.get_by_role("button", name="Rule", exact=True).click()
    await expect(page.locator(".ruling-said h3").last).to_have_text("Ruling 2: the totals are adjusted")
    told = ok(await table.http.get(f"/v1/disputes/{case['dispute']}"))["rulings"][1]
    assert (told["points"], told["clause"]) == ([-2, 1, 1], "match 4.3")
    shown_totals = await page.locator(".ruling-said").last.locator("tbody tr").last.locator("td").all_inner_texts()
    assert [int(text) for text in shown_totals] == told["totals"]
    await page.evaluate("scrollTo(0, 0)")
    await axe(page)
    await fits(page)
    await shot(page, f"dispute-ruled-{PHONE}-dark")
    watch.forgive("409")


async def test_refused_attempts_in_the_disputed_part_are_shown_with_their_clause(site: Service, page_at: PageAt):
    # given an attempt that was refused, and a dispute about that part of the match
    table = await in_hand_two(site)
    seen = await table.seen()
    wrong = next(seat for seat in range(3) if seat not in seen["to_act"])
    answer = await table.guests[wrong].post(f"{table.path}/moves", {"type": "pass"})
    assert answer.status_code == 409
    case = await disputed(table, wrong)  # others see it when the hand is over
    refused = next(one for one in case["attempts"] if one["version"] == seen["version"])
    page = await page_at(DESKTOP, case_at(table, case["dispute"]), **as_guest(site, table.guests[wrong]))
    attempts = page.locator(".attempt")
    await expect(attempts).to_have_count(len(case["attempts"]))
    await expect(page.get_by_text(refused["clause_text"]).first).to_be_visible()


async def test_only_who_has_a_seat_opens_a_dispute_and_a_wrong_one_is_explained(
    site: Service, page_at: PageAt, watch: Watch
):
    table = await played_out(site)
    stranger = await page_at(DESKTOP, f"#/matches/{table.match}/disputes")
    await expect(stranger.get_by_text("Only who has a seat in this match")).to_be_visible()
    # given a player with a dispute that nobody has ruled on
    await disputed(table, seat=2)
    player = await page_at(
        DESKTOP, f"#/matches/{table.match}/disputes?first=3&last=9", **as_guest(site, table.guests[2])
    )
    await player.get_by_label("What is wrong?").fill("And this.")
    # when the player opens another one, then the clause says why not, and the words are still there
    await player.get_by_role("button", name="Open the dispute").click()
    await expect(player.locator(".complaint")).to_contain_text("7.3")
    await expect(player.get_by_label("What is wrong?")).to_have_value("And this.")
    watch.forgive("409|422")


async def test_many_disputes_are_shown_some_at_a_time(site: Service, page_at: PageAt):
    table, judge = await played_out(site), await arbiter(site)
    for _ in range(21):
        case = await disputed(table)
        ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("upheld")))
    page = await page_at(DESKTOP, case_at(table, case["dispute"]))
    await expect(page.locator(".dispute-line")).to_have_count(20)
    await page.get_by_role("button", name="Show more").click()
    await expect(page.locator(".dispute-line")).to_have_count(21)
    await expect(page.locator(".dispute-line[aria-current=page]")).to_have_count(1)
    await expect(page.get_by_role("button", name="Show more")).to_have_count(0)


@pytest.mark.parametrize("language", ["hu", "ru"])
async def test_a_case_speaks_the_language_of_the_page(language: str, site: Service, page_at: PageAt, axe: Axe):
    table, judge = await in_hand_two(site), await arbiter(site)
    case = await disputed(table)
    page = await page_at(PHONE, case_at(table, case["dispute"]), language=language, **as_guest(site, judge))
    await expect(page.get_by_text({"hu": "Döntőbíróra vár", "ru": "Ждёт судью"}[language]).first).to_be_visible()
    await axe(page)
    await fits(page)
