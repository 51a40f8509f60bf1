"""Matches to look at, played over HTTP, and browsers that are somebody at their tables."""

import json
from typing import Any

from playwright.async_api import Page

from domain.games import GAMES
from tests.api.conftest import Service
from tests.api.guests import Guest, Table, seated_table

SHORT: dict[str, dict[str, Any]] = {
    "whos-the-ass": {"games": 2},
    "spades-two": {"target": 100, "max_hands": 1},
    "osel-fours": {"target": 5, "max_hands": 2, "max_circuits": 5},  # so many fours are hardly ever dealt
}
_FINISHED: dict[tuple[str, str], Table] = {}


async def finished(site: Service, game: str = "whos-the-ass") -> Table:
    """A match of that game that is over; its guests have seeds of their own. The same one for all who only look."""
    known = _FINISHED.get((site.url, game))
    if known is None:
        known = await played_out(site, game)
        _FINISHED[site.url, game] = known
    return known


async def played_out(site: Service, game: str = "whos-the-ass") -> Table:
    """A match of its own."""
    seats = GAMES[game].seats[0]
    table = await seated_table(site.http, seats, own_seeds=True, game=game, options=SHORT.get(game, {}))
    for count in range(3000):
        seen = await table.seen()
        if seen["status"] != "playing":
            return table
        who = table.guests[seen["to_act"][0]]
        legal = (await table.legal(who))["moves"]
        await who.post(f"{table.path}/moves", legal[(7 * count) % len(legal)])
    raise AssertionError("the match is not over")


def as_guest(site: Service, guest: Guest) -> dict[str, Any]:
    """What ``page_at`` is to be given so that the browser is that player."""
    identity = {"player": guest.player, "name": guest.name, "token": guest.token}
    kept = {"origin": site.url, "localStorage": [{"name": "kibitz.me", "value": json.dumps(identity)}]}
    return {"storage_state": {"cookies": [], "origins": [kept]}}


async def faces(page: Page, where: str = "kb-table") -> list[str]:
    """The cards that lie face up there, sorted."""
    found: list[str] = await page.eval_on_selector_all(
        f"{where} kb-card[card]", "cards => cards.map(card => card.getAttribute('card'))"
    )
    return sorted(found)
