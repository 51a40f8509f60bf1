"""Every game over HTTP, with every choice of its options and from its fewest to its most seats: bots play, all agrees.

Half of the seats are heuristic bots. Nothing here knows a game but for the numbers that keep its matches short.
"""

import asyncio
import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest
from msgspec import inspect
from structlog.testing import capture_logs

from domain.game import AnyGame, Refused
from domain.games import GAMES
from domain.hidden import b64u
from services.narration import languages
from tests.api.conftest import Service
from tests.api.guests import Guest, canonical, ok, open_match

NUMBERS: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    "whos-the-ass": {"games": (1, 2), "time_limit_min": (0, 600)},
    "spades-two": {"target": (100,), "max_hands": (1, 2)},
    "osel-fours": {"target": (1, 2, 3, 4, 5, 6), "wins_needed": (1, 2), "max_hands": (1, 3), "max_circuits": (5, 9)},
}
"""The numbers that are tried: small ones, so that matches end."""
AT_ONCE: Final = 6

Choice = tuple[str, Any]


@dataclass(frozen=True)
class Case:
    """A match to be played."""

    game: str
    seats: int
    options: Mapping[str, Any]

    @property
    def choices(self) -> set[Choice]:
        return {("seats", self.seats), *self.options.items()}


@dataclass(frozen=True)
class Read:
    """What was read of a match after its end, by a guest who had no seat."""

    path: str
    table: dict[str, Any]
    sheet: dict[str, Any]
    index: dict[str, Any]
    events: list[dict[str, Any]]
    audit: dict[str, Any]
    export: dict[str, Any]

    @property
    def seats(self) -> int:
        return len(self.table["seats"])


def choices_of(game: AnyGame) -> dict[str, tuple[Any, ...]]:
    """Every value of every option that has names to choose from, and some of those that have numbers."""
    info = inspect.type_info(game.options)
    assert isinstance(info, inspect.StructType)
    numbers = NUMBERS.get(game.id, {})
    found = {field.name: (*_named(field.type), *numbers.get(field.name, ())) for field in info.fields}
    assert all(found.values()), f"{game.id}: which numbers are tried of {found}?"
    return found


def _named(kind: inspect.Type) -> Iterator[Any]:
    match kind:
        case inspect.LiteralType(values):
            yield from values
        case inspect.BoolType():
            yield from (False, True)
        case inspect.Metadata(type=inner):
            yield from _named(inner)
        case inspect.UnionType(types):
            for inner in types:
                yield from _named(inner)


def seats_of(game: AnyGame) -> tuple[int, ...]:
    """The fewest seats, a middle number, the most."""
    return tuple(sorted({game.seats[0], game.seats[len(game.seats) // 2], game.seats[-1]}))


def cases_of(game: AnyGame) -> list[Case]:
    """Matches in which every number of seats and every choice comes up. Always the same, and about as few as it takes.

    Fails for a choice that fits no others.
    """
    chance = random.Random(game.id)
    choices, seats = choices_of(game), seats_of(game)
    left = {(name, value) for name, values in choices.items() for value in values} | {("seats", n) for n in seats}
    cases: list[Case] = []
    while left:
        drawn = [
            Case(game.id, chance.choice(seats), {name: chance.choice(values) for name, values in choices.items()})
            for _ in range(1000)
        ]
        best = max((case for case in drawn if _fits(game, case)), key=lambda case: len(case.choices & left))
        assert best.choices & left, f"{game.id}: nothing fits {left}"
        left -= best.choices
        cases.append(best)
    return cases


def _fits(game: AnyGame, case: Case) -> bool:
    try:
        game.check(game.options(**case.options), case.seats)
    except Refused:
        return False
    return True


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
async def test_bots_play_every_choice_of_a_game_and_everything_that_can_be_read_agrees(service: Service, game: AnyGame):
    cases, host = cases_of(game), await service.guest("Host")
    turns = asyncio.Semaphore(AT_ONCE)

    async def played_and_read(number: int, case: Case) -> Read:
        async with turns:
            path = await play(host, number, case)
            return await read(host, path)

    # when bots play one match of each case, and somebody reads all that there is to read
    with capture_logs() as log:
        found = await asyncio.gather(*(played_and_read(number, case) for number, case in enumerate(cases)))
        # then whatever is read of a match agrees with the rest of it
        for case, one in zip(cases, found, strict=True):
            assert one.table["game"] == game.id
            assert one.seats == case.seats
            assert one.table["options"].items() >= case.options.items()
            agree(one)
            await agree_in_replay(host, one)
            await told_in_every_language(host, one)
    # and nothing went wrong that no answer told of
    assert [entry for entry in log if entry["log_level"] in ("error", "critical")] == []
    hands, events = sum(len(one.sheet["hands"]) for one in found), sum(len(one.events) for one in found)
    tried = sum(len(values) for values in choices_of(game).values())
    print(f"{game.id}: {len(cases)} matches, {tried} choices, seats {seats_of(game)}, {hands} hands, {events} events")


async def play(host: Guest, number: int, case: Case) -> str:
    """Has bots play a match to its end; its path. Which seats have card sense changes from match to match."""
    path = await open_match(host, case.seats, game=case.game, options=dict(case.options))
    for level, own in (("random", 0), ("heuristic", 1)):
        seats = [seat for seat in range(case.seats) if (seat + number) % 2 == own]
        ok(await host.post(f"{path}/bots", {"seats": seats, "level": level}))
    async with host.http.stream("GET", f"{path}/stream") as stream:
        types = [line[7:] async for line in stream.aiter_lines() if line.startswith("event: ")]
    assert types[-1] == "MatchEnded", (case, types[-3:])
    return path


async def read(host: Guest, path: str) -> Read:
    events: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = ok(await host.get(f"{path}/events", after=after, limit=200))
        events += page["events"]
        after = page["next"]
    table, sheet, index, audit, export = [
        ok(await host.get(f"{path}{part}")) for part in ("", "/score-sheet", "/replay", "/audit", "/export")
    ]
    return Read(path, table, sheet, index, events, audit, export)


def agree(one: Read) -> None:
    """Table, score sheet, replay index, events, chain, export and audit of a match that is over say the same."""
    last = len(one.events)
    assert one.table["status"] == "finished"
    assert one.table["to_act"] == []
    assert one.table["winners"]

    assert one.sheet["totals"] == one.table["scores"]
    assert one.sheet["winners"] == one.table["winners"]
    hands = one.sheet["hands"]
    assert [hand["hand"] for hand in hands] == list(range(1, len(hands) + 1))
    assert [sum(hand["points"][seat] for hand in hands) for seat in range(one.seats)] == one.table["scores"]
    ended = [event["body"] for event in one.events if event["type"] == "HandEnded"]
    assert [(hand["points"], hand["totals"]) for hand in hands] == [(end["points"], end["totals"]) for end in ended]

    assert one.index["versions"] == one.table["version"] == last
    assert [(hand["first"], hand["last"]) for hand in one.index["hands"]] == [(h["first"], h["last"]) for h in hands]
    assert {mark["kind"] for mark in one.index["marks"]} >= {"deal", "score"}
    assert all(mark["text"] and 1 <= mark["version"] <= last for mark in one.index["marks"])

    head = b""
    for version, event in enumerate(one.events, 1):
        assert (event["version"], event["prev"]) == (version, b64u(head))
        head = hashlib.sha256(b"\0" + canonical(event)).digest()
        assert event["hash"] == b64u(head)
    assert one.table["head"] == one.audit["head"] == one.export["head"] == b64u(head)
    assert one.export["events"] == one.events

    assert one.audit["verdict"] == "VALID", one.audit
    assert one.audit["versions"] == last
    assert len(one.audit["hands"]) == len(hands)


async def agree_in_replay(host: Guest, one: Read) -> None:
    """The first version, one in the middle, and those after the first and the last hand, for every viewer."""
    hands, last = one.sheet["hands"], len(one.events)
    totals = {hand["last"]: hand["totals"] for hand in (hands[0], hands[-1])} | {last: one.table["scores"]}
    for version in sorted({1, last // 2, *totals}):
        event = one.events[version - 1]
        whole = ok(await host.get(f"{one.path}/replay/{version}", seat="all"))
        assert whole["event"] == event
        assert whole["table"]["scores"] == totals.get(version, whole["table"]["scores"])
        for viewer in ("public", *range(one.seats)):
            step = ok(await host.get(f"{one.path}/replay/{version}", seat=viewer))
            assert step["version"] == step["table"]["version"] == version
            assert step["text"]
            assert b64u(hashlib.sha256(b"\0" + canonical(step["event"])).digest()) == step["event"]["hash"]
            assert step["event"]["hash"] == step["table"]["head"] == event["hash"]
            for key in ("status", "hand", "to_act", "scores"):
                assert step["table"][key] == whole["table"][key], (key, version, viewer)


async def told_in_every_language(host: Guest, one: Read) -> None:
    """The transcript has a line or more for every event, in whatever language, and they are not the same lines."""
    told = set()
    for language in languages():
        headers = {"Accept-Language": language}
        answer = await host.get(f"{one.path}/export", headers, format="txt")
        assert answer.is_success, answer.text
        assert answer.headers["content-language"] == language
        assert len(answer.text.splitlines()) >= len(one.events)
        told.add(answer.text)
    assert len(told) == len(languages())


def test_the_matches_have_every_choice_of_every_game():
    for game in GAMES.values():
        had = set().union(*(case.choices for case in cases_of(game)))
        assert had == {(name, value) for name, values in choices_of(game).items() for value in values} | {
            ("seats", seats) for seats in seats_of(game)
        }
