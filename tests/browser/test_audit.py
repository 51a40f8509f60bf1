"""Audits in the browser: what holds, what does not, and what was known."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.api.conftest import Service
from tests.api.guests import Table, ok
from tests.api.test_disputes import in_hand_two
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, Watch, fits, shot
from tests.browser.played import as_guest, finished, played_out
from tests.browser.test_replay import shown


def audit(table: Table) -> str:
    return f"#/matches/{table.match}/audit"


async def verdict(page: Page) -> str:
    heading = page.locator(".verdict h2")
    await expect(heading).to_be_visible()
    return await heading.inner_text()


async def found(page: Page, check: str) -> str:
    """What this browser says of a check."""
    return await page.locator(f".checks tr[data-key='{check}'] td").first.inner_text()


async def bundle(table: Table) -> dict[str, Any]:
    made: dict[str, Any] = ok(await table.http.get(f"{table.path}/audit/bundle"))
    return made


@pytest.mark.parametrize("game", ["whos-the-ass", "spades-two", "osel-trumps"])
async def test_an_honest_match_is_valid_for_the_browser_and_for_the_server(
    game: str, site: Service, page_at: PageAt, axe: Axe
):
    table = await finished(site, game)
    for width, theme in ((DESKTOP, "light"), (PHONE, "dark")):
        page = await page_at(width, audit(table), theme=theme)
        assert await verdict(page) == "Valid"
        await expect(page.get_by_text("The server comes to the same verdict.")).to_be_visible()
        # every check of the verifier holds, in words, and those by the rules are the server's
        for check in ("bundle", "bytes", "chain", "seeds", "deals", "openings", "complete"):
            assert "Holds." in await found(page, check)
        assert await page.locator(".checks .finding.ok").count() == 7 + 10
        assert "rule books" in await found(page, "moves")
        # every seat had a share in the deal
        assert (
            await page.locator(".seeds td").filter(has_text="own seed").count()
            == len(table.guests) * await page.locator(".seeds tbody tr").count()
        )
        await axe(page)
        await fits(page)
        await shot(page, f"audit-{game}-{width}-{theme}")


async def test_the_deck_and_the_hands_are_those_of_the_record(site: Service, page_at: PageAt):
    # given what the openings of the record say was dealt
    table = await finished(site, "osel-trumps")
    record = await bundle(table)
    deal = next(event for event in map(json.loads, record["events"]) if event["type"] == "CardsDealt")
    opened = {
        entry["path"]: json.loads(entry["value"]) for entry in record["openings"] if entry["version"] == deal["version"]
    }
    page = await page_at(DESKTOP, audit(table))
    assert await verdict(page) == "Valid"
    # then the deck that the browser has worked out ends with the stock, and each seat held what it was dealt
    names = "all => all.map(one => one.title)"
    deck = await page.eval_on_selector_all(".deck-order .card-text", names)
    assert len(deck) == 36
    lines = page.locator(".held div")
    held = [await lines.nth(seat).locator(".card-text").all_inner_texts() for seat in range(len(table.guests))]
    assert [len(cards) for cards in held] == [len(opened[f"hands.{seat}"]) for seat in range(len(held))]
    dealt = [
        name for seat in range(len(held)) for name in await lines.nth(seat).locator(".card-text").evaluate_all(names)
    ]
    assert sorted(dealt) == sorted(deck[: len(dealt)])
    # and what a seat knew is what the service says it knew, with the event that it rests on
    at = deal["version"] + 3
    known = ok(await table.http.get(f"{table.path}/audit/knowledge", params={"seat": 1, "at": at}))
    form = page.locator("form.knew")
    await form.get_by_label("Seat").select_option("1")
    await form.get_by_label("After event").fill(str(at))
    await form.get_by_role("button").click()
    rows = page.locator("kb-hand-record tbody tr")
    await expect(rows).to_have_count(len(known["cards"]))
    assert await rows.locator("code").all_inner_texts() == [entry["path"] for entry in known["cards"]]


async def test_a_file_that_was_tampered_with_is_not_valid(site: Service, page_at: PageAt, axe: Axe, tmp_path: Path):
    # given the record of a match in which one card of a played event was exchanged
    table = await finished(site)
    record = await bundle(table)
    place, event = next(
        (place, event)
        for place, event in enumerate(map(json.loads, record["events"]))
        if event["type"] == "CardsPlayed"
    )
    event["body"]["cards"][0] = "13" if event["body"]["cards"][0] != "13" else "12"
    record["events"][place] = json.dumps(event, sort_keys=True, separators=(",", ":"))
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
    page = await page_at(DESKTOP, audit(table))
    assert await verdict(page) == "Valid"
    # when somebody has the browser check that file
    await page.locator("input[type=file]").set_input_files(forged)
    # then it is not valid, in words, and says from which event on
    await expect(page.locator(".verdict h2")).to_have_text("Not valid")
    chain = await found(page, "chain")
    assert "Does not hold." in chain
    assert f"First at event {place + 2}." in chain
    assert "forged.json" in await page.locator(".verdict").inner_text()
    await axe(page)
    await shot(page, f"audit-forged-{DESKTOP}-light")
    # and the server's record is still there to go back to
    await page.get_by_role("button", name="Back to the server's record").click()
    await expect(page.locator(".verdict h2")).to_have_text("Valid")
    # and what is no bundle at all is no verdict of nothing
    await page.locator("input[type=file]").set_input_files(
        {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Dear Kibitz"}
    )
    await expect(page.locator(".verdict h2")).to_have_text("Not valid")
    assert "Does not hold." in await found(page, "bundle")


def _misshapen(record: dict[str, Any]) -> list[Any]:
    """Files that are JSON, and bundles in parts only."""
    deal = next(event["version"] for event in map(json.loads, record["events"]) if event["type"] == "CardsDealt")
    wrong = [
        {"version": deal, "path": f"hands.{seat}", "value": value}
        for seat, value in enumerate(("5", "null", '{"a":1}', "["))
    ]
    return [
        *(None, 5, "bundle", [], {}, {"events": [], "openings": [], "seats": 3}),
        *({**record, "seats": seats} for seats in (10**9, -1, 0, "3", None)),
        {**record, "openings": [None, 5, "x", *wrong]},
        {**record, "openings": {}},
        {**record, "events": [None, 5, "5", "null", '{"body":null}', *record["events"]]},
        {**record, "events": record["events"][:9]},
        {**record, "events": record["events"][::-1]},
        {**record, "game": "osel-trumps"},
        {**record, "match": {"a": 1}},
    ]


async def test_a_file_of_whatever_shape_gets_its_verdict_and_leaves_the_page_whole(site: Service, page_at: PageAt):
    table = await finished(site)
    page = await page_at(DESKTOP, audit(table))
    assert await verdict(page) == "Valid"
    for number, shape in enumerate(_misshapen(await bundle(table))):
        name = f"file {number}"
        await page.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "application/json", "buffer": json.dumps(shape).encode()}
        )
        await expect(page.locator(".verdict")).to_contain_text(name)
        assert await verdict(page) != "Valid", (number, str(shape)[:80])
        await page.get_by_role("button", name="Back to the server's record").click()
        await expect(page.locator(".verdict h2")).to_have_text("Valid")


async def test_receipts_are_saved_while_a_match_is_watched_and_show_a_record_that_differs(
    site: Service, page_at: PageAt
):
    # given somebody who has watched a part of a match
    table = await site.table(options={"games": 1})
    page = await page_at(DESKTOP, f"#/matches/{table.match}/replay")
    for count in range(4):
        done = await table.step(count)
    await shown(page, done["version"])
    await table.play_out()
    await shown(page, (await table.seen())["version"])  # and writes down nothing any more
    # when the match is audited in the same browser, then the receipts fit
    looking = await page_at(DESKTOP, audit(table), beside=page)
    assert await verdict(looking) == "Valid"
    assert "Holds." in await found(looking, "receipts")
    await expect(looking.get_by_text("They all fit the record.")).to_be_visible()
    # when the browser was told something else at one of these events, then the record has diverged
    key = f"kibitz.receipts.{table.match}"
    kept = json.loads(await looking.evaluate("key => localStorage.getItem(key)", key))
    heads = {
        event["version"]: event["hash"]
        for event in ok(await table.http.get(f"{table.path}/events", params={"limit": 200}))["events"]
    }
    assert len(kept) >= 8
    assert all(heads[version] == head for version, head in kept if version in heads)
    kept[0][1] = "A" * 43
    await looking.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, json.dumps(kept)])
    await looking.reload()
    assert await verdict(looking) == "Diverged"
    assert "Does not hold." in await found(looking, "receipts")


async def test_a_running_match_is_audited_as_far_as_it_is_open(site: Service, page_at: PageAt):
    table = await in_hand_two(site)
    page = await page_at(DESKTOP, audit(table))
    assert await verdict(page) == "Valid"
    await expect(page.get_by_text("The match goes on")).to_be_visible()
    # of the hand under way nobody sees the deck
    await page.locator("kb-hand-record select").first.select_option("2")
    await expect(page.get_by_text("This hand is not over")).to_be_visible()
    await expect(page.locator(".deck-order")).to_have_count(0)
    assert await page.locator(".held .card-text").count() == 0


async def test_the_log_of_disclosures_is_for_the_players(site: Service, page_at: PageAt, watch: Watch, axe: Axe):
    table = await finished(site)
    player = await page_at(DESKTOP, audit(table), **as_guest(site, table.guests[0]))
    await player.get_by_role("button", name="Read the log").click()
    rows = player.locator("kb-log tbody tr")
    await expect(rows.first).to_be_visible()
    assert "Dealt to Guest" in await rows.first.inner_text()
    await axe(player)
    # and somebody else is told why not
    stranger = await site.guest()
    other = await page_at(DESKTOP, audit(table), **as_guest(site, stranger))
    await other.get_by_role("button", name="Read the log").click()
    await expect(other.locator("kb-log .complaint")).to_be_visible()
    watch.forgive("403")


async def test_the_record_and_the_receipts_are_files_to_take_away(site: Service, page_at: PageAt, tmp_path: Path):
    table = await played_out(site, "osel-fours")
    page = await page_at(DESKTOP, audit(table))
    assert await verdict(page) == "Valid"
    async with page.expect_download() as coming:
        await page.get_by_role("button", name="Download the bundle").click()
    await (await coming.value).save_as(tmp_path / "bundle.json")
    assert json.loads((tmp_path / "bundle.json").read_text(encoding="utf-8")) == await bundle(table)


@pytest.mark.parametrize("language", ["hu", "ru"])
async def test_the_audit_speaks_the_language_of_the_page(language: str, site: Service, page_at: PageAt, axe: Axe):
    table = await finished(site)
    page = await page_at(PHONE, audit(table), language=language)
    assert await verdict(page) == {"hu": "Érvényes", "ru": "Верно"}[language]
    await axe(page)
    await fits(page)
