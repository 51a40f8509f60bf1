"""The runner of the bots: no table of theirs stands still, whatever is heard, missed or goes wrong."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from services.bots import Bots, runner
from services.feed import Feed
from services.ids import new_id
from services.matches import Matches
from services.requests import OpenRequest
from services.store.records import Unavailable
from services.store.store import Store
from tests.waiting import eventually

HOST = "host"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "POLL_SECONDS", 0.05)


class Tables:
    """Every table there is; ``asked`` counts the questions."""

    def __init__(self) -> None:
        self.matches: list[str] = []
        self.asked = 0

    async def bot_tables(self) -> list[str]:
        self.asked += 1
        return self.matches


class Stumbling(Matches):
    """The engine, which fails as ``trouble`` says before it does what it is asked."""

    trouble: Callable[[str], Exception | None] = staticmethod(lambda _: None)

    def _fail(self, what: str) -> None:
        error = self.trouble(what)
        if error is not None:
            raise error

    async def state(self, match: str) -> Any:
        self._fail("state")
        return await super().state(match)

    async def move(self, *given: Any) -> Any:
        self._fail("move")
        return await super().move(*given)


@pytest.fixture
def matches(store: Store, feed: Feed) -> Stumbling:
    return Stumbling(store, feed, b"secret")


@pytest.fixture
async def play(matches: Stumbling, feed: Feed) -> AsyncIterator[Callable[..., Bots]]:
    """Sets bots to work, until the end of the test."""
    tasks: list[asyncio.Task[None]] = []

    def begin(tables: Tables, mine: Callable[[str], bool] = lambda _: True) -> Bots:
        bots = Bots(matches, tables, feed, 0.0, mine)
        tasks.append(asyncio.create_task(bots.run()))
        return bots

    yield begin
    assert not any(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def table(matches: Matches) -> str:
    """A running match of bots."""
    done = await matches.open(HOST, OpenRequest("whos-the-ass", 3, {"games": 20}), b"{}", None)
    await matches.seat_bots(done.match, HOST, [0, 1, 2], "random", b"", None)
    return done.match


async def goes_on(matches: Matches, match: str, moves: int = 10) -> None:
    before = await matches.head(match)

    async def further() -> bool:
        return (await matches.head(match))[0].version > before[0].version + moves

    await eventually(further)


async def test_a_table_that_was_not_heard_of_is_found_however_much_is_heard_of_others(
    matches: Stumbling, feed: Feed, play: Callable[..., Bots]
):
    tables = Tables()
    match = await table(matches)
    play(tables)

    async def chatter() -> None:
        while True:
            feed.publish(new_id(), 1)
            await asyncio.sleep(0.001)

    noise = asyncio.create_task(chatter())
    asked = tables.asked
    tables.matches.append(match)
    await goes_on(matches, match)
    assert tables.asked > asked
    noise.cancel()


async def test_a_table_goes_on_after_trouble_that_nobody_foresaw(matches: Stumbling, play: Callable[..., Bots]):
    failures = iter([ZeroDivisionError("a fault in the engine"), Unavailable("away"), LookupError("another")])
    matches.trouble = lambda what: next(failures, None) if what == "move" else None
    play(Tables())

    match = await table(matches)  # heard of once, and never listed

    await goes_on(matches, match)
    assert next(failures, None) is None


async def test_a_table_heard_of_while_the_store_is_away_is_not_forgotten(
    matches: Stumbling, feed: Feed, play: Callable[..., Bots]
):
    match = await table(matches)
    play(Tables())
    failures = [Unavailable("away")] * 3
    matches.trouble = lambda what: failures.pop() if what == "state" and failures else None

    feed.publish(match, 1)

    await eventually(lambda: not failures)
    await goes_on(matches, match)


async def test_a_bot_whose_choice_is_refused_guesses(
    matches: Stumbling, play: Callable[..., Bots], monkeypatch: pytest.MonkeyPatch
):
    chosen: list[object] = []

    def choose(_: object, moves: Any, __: object) -> object:
        chosen.append(moves)
        return {"type": "play", "cards": ["no card"]}

    monkeypatch.setattr(runner, "chooser", lambda *_: choose)
    play(Tables())

    match = await table(matches)

    await goes_on(matches, match, moves=3)
    assert chosen


async def test_two_processes_play_all_tables_and_each_its_own(matches: Stumbling, play: Callable[..., Bots]):
    tables = Tables()
    first: set[str] = set()
    one = play(tables, lambda match: match in first)
    other = play(tables, lambda match: match not in first)
    tables.matches += [await table(matches) for _ in range(6)]
    first.update(tables.matches[:3])
    for match in tables.matches:
        await goes_on(matches, match)

    first.clear()  # all of it is the other's now
    one.look_again()
    other.look_again()

    for match in tables.matches:
        await goes_on(matches, match)
