"""Cards and tables by themselves: names, shapes, and seats that keep out of each other's way."""

from itertools import combinations
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.api.conftest import Service
from tests.api.guests import ok, open_match
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, fits, shot

FRENCH = [rank + suit for suit in "SHDC" for rank in ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")]
ASS_PACK = [*map(str, range(1, 14)), "J", "ASS"]

_LAY_OUT = """async ({ cards, width }) => {
  const { need } = await import('/web/js/i18n.js');
  const { style } = await import('/web/js/style.js');
  await need('table');
  await style('table');
  await import('/web/js/cards.js');
  const main = document.getElementById('main');
  const title = document.createElement('h1');
  title.textContent = 'Cards';
  const box = document.createElement('div');
  box.className = 'row';
  main.replaceChildren(title, box);
  for (const card of cards) {
    const element = document.createElement('kb-card');
    element.style.setProperty('--card', width);
    if (card) element.setAttribute('card', card);
    else element.setAttribute('face', 'down');
    box.append(element);
  }
}"""


async def _laid_out(page: Page, cards: list[str | None], width: str = "100px") -> None:
    await page.evaluate(_LAY_OUT, {"cards": cards, "width": width})


@pytest.mark.parametrize(
    ("language", "ten", "donkey", "back"),
    [
        ("en", "ten of hearts", "the ass", "a card face down"),
        ("hu", "kőr tízes", "szamár", "lefordított lap"),
        ("ru", "десятка червей", "осёл", "карта рубашкой вверх"),
    ],
)
async def test_every_card_says_its_name(page_at: PageAt, axe: Axe, language: str, ten: str, donkey: str, back: str):
    page = await page_at(DESKTOP, "#/no/such/page", language=language)
    for pack in (FRENCH, ASS_PACK):
        await _laid_out(page, [*pack, None])
        names = await page.locator("kb-card").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        assert len(set(names)) == len(pack) + 1
        assert not any(name.startswith("card.") for name in names)
        assert names[-1] == back
    await expect(page.get_by_role("img", name=donkey, exact=True)).to_be_visible()
    await _laid_out(page, ["10H"])
    await expect(page.get_by_role("img", name=ten, exact=True)).to_be_visible()
    await axe(page)


@pytest.mark.parametrize("width", ["100px", "40px"])
async def test_no_two_cards_look_alike_even_without_colour(page_at: PageAt, width: str):
    page = await page_at(DESKTOP, "#/no/such/page")
    for pack in (FRENCH, ASS_PACK):
        await _laid_out(page, [*pack, None], width)
        seen = await page.locator("kb-card").evaluate_all(
            """all => all.map(one => [...one.querySelectorAll('path, circle, ellipse, rect, text')]
              .filter(shape => shape.getClientRects().length)
              .map(shape => [shape.getAttribute('d'), shape.getAttribute('transform'), shape.getAttribute('cx'),
                shape.textContent].join()).join(';'))"""
        )
        assert len(set(seen)) == len(pack) + 1


async def test_a_narrow_card_has_a_large_index_and_a_wide_one_its_pips(page_at: PageAt):
    page = await page_at(DESKTOP, "#/no/such/page")
    for width, pips, tall in (("120px", 12, 14), ("48px", 2, 20)):
        await _laid_out(page, ["10S"], width)
        assert (
            await page.locator("kb-card .pip").evaluate_all(
                "all => all.filter(one => one.getClientRects().length).length"
            )
            == pips
        )
        heights = await page.locator("kb-card .index").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().height)"
        )
        assert max(heights) >= tall


async def _module(page: Page, name: str, call: str) -> Any:
    return await page.evaluate(f"async () => {{ const it = await import('/web/js/{name}'); return {call}; }}")


_WHO = """{ version: 1, seat: 0, refused: [], moves: [
  { type: 'play', cards: ['10'] }, { type: 'play', cards: ['10', '10'] }, { type: 'play', cards: ['10', 'J'] },
  { type: 'play', cards: ['J'], as: 1 }, { type: 'play', cards: ['J'], as: 14 }, { type: 'pass' } ] }"""
_GIFTS = """{ version: 1, seat: 0, refused: [], moves: [
  { type: 'give', cards: ['6S', '7S'] }, { type: 'give', cards: ['7S', '6S'] },
  { type: 'give', cards: ['6S', '8S'] } ] }"""
_THROWN = """{ version: 1, seat: 0, refused: [], moves: [
  { type: 'exchange', cards: [] }, { type: 'exchange', cards: ['6S'] }, { type: 'exchange', cards: ['6S', '7S'] } ] }"""


async def test_cards_are_chosen_one_by_one_towards_a_legal_move(page_at: PageAt):
    page = await page_at(DESKTOP, "#/no/such/page")
    hand = "['9', '10', '10', 'J']"
    for chosen, free in (("[]", [1, 2, 3]), ("[1]", [2, 3]), ("[1, 2]", []), ("[3]", [1, 2])):
        assert await _module(page, "table/choosing.js", f"[...it.selectable({hand}, {chosen}, {_WHO})]") == free
    joker = await _module(page, "table/choosing.js", f"it.complete({hand}, [3], {_WHO}).map(move => move.as)")
    assert joker == [1, 14]
    assert await _module(page, "table/choosing.js", f"it.plainMoves({_WHO}).map(move => move.type)") == ["pass"]


async def test_who_gets_which_card_is_part_of_a_gift_and_not_of_an_exchange_with_the_pile(page_at: PageAt):
    page = await page_at(DESKTOP, "#/no/such/page")
    hand = "['6S', '7S', '8S']"
    assert await _module(page, "table/choosing.js", f"[...it.selectable({hand}, [1], {_GIFTS})]") == [0]
    assert await _module(page, "table/choosing.js", f"it.complete({hand}, [1, 0], {_GIFTS})") == [
        {"type": "give", "cards": ["7S", "6S"]}
    ]
    assert await _module(page, "table/choosing.js", f"it.complete({hand}, [], {_THROWN}).length") == 1
    assert await _module(page, "table/choosing.js", f"it.complete({hand}, [1, 0], {_THROWN}).length") == 1


async def test_a_choice_that_cannot_be_kept_is_let_go(page_at: PageAt):
    page = await page_at(DESKTOP, "#/no/such/page")
    assert await _module(page, "table/choosing.js", f"it.kept(['9', '10', '10', 'J'], [1, 2, 3], {_WHO})") == [1, 2]
    assert await _module(page, "table/choosing.js", f"it.kept(['9'], [0, 1], {_WHO})") == []


async def test_what_is_left_of_a_turn_is_used_before_the_bank(page_at: PageAt):
    page = await page_at(DESKTOP, "#/no/such/page")
    running = "{ since: 1000, turn: 30000, bank: 60000, skew: 500, still: null }"
    for now, left in ((11_500, {"turn": 20_000, "bank": 60_000}), (41_500, {"turn": 0, "bank": 50_000})):
        assert await _module(page, "table/clock.js", f"it.left({running}, {now})") == left
    assert await _module(page, "table/clock.js", "it.reading(65000)") == "1:05"


@pytest.mark.parametrize("language", ["en", "hu", "ru"])
async def test_every_kind_of_move_of_every_game_has_its_words(page_at: PageAt, site: Service, language: str):
    games = ok(await site.http.get("/v1/games"))
    kinds = {
        kind["properties"]["type"]["enum"][0] for game in games for kind in game["moves"].get("$defs", {}).values()
    }
    assert {"play", "swap", "bid", "keep", "claim", "solo", "lay_away", "give", "return", "choose_trump"} <= kinds
    page = await page_at(DESKTOP, "#/no/such/page", language=language)
    await page.evaluate("async () => { await (await import('/web/js/i18n.js')).need('table'); }")
    samples = {
        "double_nil": "declare: true",
        "bid": "tricks: 3",
        "choose_trump": "suit: 'S'",
        "choose_variant": "variant: 2",
    }
    for kind in sorted(kinds):
        move = f"{{ type: '{kind}', {samples.get(kind, '')} }}"
        label = await _module(page, "table/controls.js", f"it.moveLabel({move}, false)")
        assert label, kind
        assert label != kind
        assert "table.move" not in label


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 7, 9, 12, 13])
async def test_seats_cards_and_texts_keep_out_of_each_others_way(page_at: PageAt, site: Service, axe: Axe, seats: int):
    host = await site.guest("Maximilian Long-Name")
    path = await open_match(host, seats, game="osel-fours", options={"target": 1, "max_circuits": 5})
    await host.post(f"{path}/bots", {"seats": list(range(1, seats))})
    match = path.rpartition("/")[2]
    ok(await host.post(f"{path}/seats", {"seat": 0}))
    for width in (PHONE, 800, DESKTOP):
        page = await page_at(width, f"#/matches/{match}")
        await expect(page.locator(".seat")).to_have_count(seats)
        await fits(page)
        boxes = await page.locator(".seat, .centre-head, .play, .pile").evaluate_all(
            """all => all.map(one => { const { left, top, right, bottom } = one.getBoundingClientRect();
              return [one.className, left, top, right, bottom]; })"""
        )
        for (one, *first), (other, *second) in combinations(boxes, 2):
            apart = (
                first[2] <= second[0] + 1
                or second[2] <= first[0] + 1
                or first[3] <= second[1] + 1
                or second[3] <= first[1] + 1
            )
            assert apart, (width, one, first, other, second)
        await page.close()
    page = await page_at(DESKTOP, f"#/matches/{match}")
    await axe(page)
    await shot(page, f"watching-{seats}-{DESKTOP}")
