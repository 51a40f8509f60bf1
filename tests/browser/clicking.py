"""A player who sees the page only: picks among what it offers, by clicks, until the match is over."""

import json
import random
from typing import Any

from playwright.async_api import Page, expect

from tests.api.conftest import Service
from tests.api.guests import Guest, ok, open_match
from tests.browser.conftest import PageAt, settled

MOST_CLICKS = 3000
OVER = ".result.over"
OFFERED = "kb-hand .option[aria-disabled='false'], kb-hand .controls button:enabled"


async def seated(site: Service, game: str, seats: int, **request: Any) -> tuple[Guest, str]:
    """A guest on seat 0 and bots on all the others: the match has begun. Returns the guest and the match."""
    who = await site.guest("Rosa")
    path = await open_match(who, seats, game=game, **request)
    ok(await who.post(f"{path}/bots", {"seats": list(range(1, seats))}))
    ok(await who.post(f"{path}/seats", {"seat": 0}))
    return who, path.rpartition("/")[2]


async def page_of(page_at: PageAt, width: int, who: Guest, address: str, **how: Any) -> Page:
    """A page at ``address`` that is this guest's; what others do is shown at once."""
    page = await page_at(width, "#/no/such/page", **how)
    kept = json.dumps({"player": who.player, "name": who.name, "token": who.token})
    await page.evaluate(
        "kept => { localStorage.setItem('kibitz.me', kept); localStorage.setItem('kibitz.pace', 'instant'); }", kept
    )
    await page.evaluate("address => { location.hash = address; }", address)
    await page.reload()
    await settled(page)
    return page


async def my_turn(page: Page) -> bool:
    """Waits until the page offers something; whether the match goes on."""
    await page.wait_for_selector(f"{OVER}, {OFFERED}")
    return await page.locator(OVER).count() == 0


async def one_move(page: Page, chance: random.Random) -> bool:
    """Makes one move by clicks, any that the page offers. Returns whether the match went on."""
    if not await my_turn(page):
        return False
    said = page.locator("kb-hand .controls .say:enabled")
    cards = page.locator("kb-hand .option[aria-disabled='false'][aria-selected='false']")
    commit = page.locator("kb-hand .commit:enabled")
    by_word = await said.count()
    if by_word and (not await cards.count() or chance.random() < 0.3):
        await said.nth(chance.randrange(by_word)).click()
        return True
    for _ in range(20):
        ready = await commit.count()
        if ready and chance.random() < 0.8:
            await commit.nth(chance.randrange(ready)).click()
            return True
        left = await cards.count()
        if left and not (ready and await page.locator(".option[aria-selected='true']").count() > 3):
            # the strip of a card that others do not cover, as a finger finds it
            await cards.nth(chance.randrange(left)).click(position={"x": 8, "y": 30})
        elif ready:
            await commit.first.click()
            return True
        elif by_word:
            await said.first.click()
            return True
    raise AssertionError("cards were chosen and chosen, and never made a move")


async def answered(page: Page) -> None:
    """Waits until the last move is at the service and the page shows what came of it."""
    await expect(page.locator("kb-hand .sending")).to_have_count(0)


async def play_out(page: Page, seed: int) -> int:
    """Plays until the page says that the match is over; the number of moves made."""
    chance = random.Random(seed)
    for count in range(MOST_CLICKS):
        if not await one_move(page, chance):
            return count
        await answered(page)
    raise AssertionError("the match does not end")
