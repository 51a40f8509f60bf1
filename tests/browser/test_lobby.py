"""The lobby: which tables there are, as they are now."""

from tests.api.conftest import Service
from tests.api.guests import ok, open_match
from tests.browser.conftest import DESKTOP, PHONE, Axe, PageAt, fits, shot


async def test_shots(page_at: PageAt, site: Service, axe: Axe):
    host = await site.guest("Margit")
    path = await open_match(host, 4)
    ok(await host.post(f"{path}/seats", {}))
    table = await site.table(3, options={"games": 1})
    await table.step()
    done = await site.table(3, options={"games": 1})
    await done.play_out()
    for width in (PHONE, DESKTOP):
        for theme in ("light", "dark"):
            page = await page_at(width, "#/", theme=theme)
            await shot(page, f"lobby-{width}-{theme}")
            await fits(page)
            for name in (
                "new",
                "leaderboard",
                "rules/osel-fours?clause=4.2",
                "me",
                f"matches/{path.rpartition('/')[2]}",
                f"players/{table.guests[0].player}",
            ):
                await page.goto(f"{site.url}/#/{name}")
                await page.wait_for_timeout(700)
                await shot(
                    page,
                    f"{name.split('?')[0].replace('/', '-')[:18]}-{width}-{theme}",
                    whole=not name.startswith("rules"),
                )
                await fits(page)
                await axe(page)
