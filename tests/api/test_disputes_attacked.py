"""What somebody may try with disputes and rulings over HTTP: each is refused or told rightly, never a 500."""

from typing import Any

from services.audit import verify
from tests.api.conftest import Service
from tests.api.guests import ok, problem
from tests.api.test_disputes import arbiter, disputed, in_hand_two, over, ruling, sheet

REASONS = (
    "Ez így jó: űőŰŐ",
    "100 % sure, %41 and %zz",
    "\U0001f0a1 ja",
    "a\n\tb",
    "%",
    "%25",
    "\u200f\u202e",
    "x" * 1000,
)


async def bundle(service: Service, path: str) -> bytes:
    answer = await service.http.get(f"{path}/audit/bundle")
    assert answer.status_code == 200
    return answer.content


async def test_a_reason_is_told_as_it_was_written(service: Service):
    table, judge = await over(service, options={"games": 1}), await arbiter(service)
    case = await disputed(table)
    path = f"/v1/disputes/{case['dispute']}"
    for count, reason in enumerate(REASONS):
        ok(await judge.post(f"{path}/rulings", ruling("upheld", after=count) | {"reason": reason}))
    told = ok(await service.http.get(path))["rulings"]
    assert [ruled["reason"] for ruled in told] == list(REASONS)
    assert verify(await bundle(service, table.path)).verdict == "VALID"
    for wrong in ("", "x" * 1001, "\ud800", "a\0b"):
        body = ruling("upheld", after=len(REASONS)) | {"reason": wrong}
        try:
            answer = await judge.post(f"{path}/rulings", body)
        except UnicodeEncodeError:
            continue
        assert answer.status_code in (400, 422), answer.text


ABSURD: tuple[dict[str, Any], ...] = (
    {"points": [10_001, 0, 0]},
    {"points": [-10_001, 0, 0]},
    {"points": [2**63, 0, 0]},
    {"points": [2**70, 0, 0]},
    {"points": [1.5, 0, 0]},
    {"points": [1, 0]},
    {"points": [1, 0, 0, 0]},
    {"points": [0, 0, 0]},
    {"points": [True, 0, 0]},
    {"winners": [0]},
    {"winners": [3]},
    {"winners": [-1]},
    {"winners": [0, 0]},
    {"points": [1, 0, 0], "winners": [2**70]},
    {"points": [1, 0, 0], "clause": "4.99"},
    {"points": [1, 0, 0], "clause": "spades-two 4.1"},
    {"points": [1, 0, 0], "clause": "4.1\n"},
    {"points": [1, 0, 0], "hand": 99},
    {"points": [1, 0, 0], "hand": -1},
    {"points": [1, 0, 0], "hand": 2**70},
    {"points": [1, 0, 0], "after": 7},
    {"points": [1, 0, 0], "after": -1},
)


async def test_an_absurd_adjustment_changes_nothing(service: Service):
    table, judge = await over(service, options={"games": 1}), await arbiter(service)
    case, before = await disputed(table), await bundle(service, table.path)
    taken = []
    for more in ABSURD:
        body = ruling("adjust", clause="4.1") | more
        answer = await judge.post(f"/v1/disputes/{case['dispute']}/rulings", body)
        if answer.status_code not in (400, 409, 422):
            taken.append((more, answer.status_code))
    assert taken == []
    assert await bundle(service, table.path) == before


async def test_a_hand_is_voided_once_and_a_range_touches_the_hands_it_spans(service: Service):
    table, judge = await over(service), await arbiter(service)
    index = ok(await service.http.get(f"{table.path}/replay"))["hands"]
    case = await disputed(table, first=index[0]["last"], last=index[1]["first"])
    assert case["hands"] == [1, 2]
    path = f"/v1/disputes/{case['dispute']}/rulings"
    ok(await judge.post(path, ruling("void_hand", hand=1)))
    told = problem(await judge.post(path, ruling("void_hand", hand=1, after=1)), 409, "wrong-state")
    assert told["clause"] == "7.7"
    second = await disputed(table, 1)
    again = await judge.post(f"/v1/disputes/{second['dispute']}/rulings", ruling("void_hand", hand=1))
    problem(again, 409, "wrong-state")
    ok(await judge.post(path, ruling("void_hand", hand=2, after=1)))
    assert (await sheet(table))["totals"] == [0, 0, 0]
    assert (await table.seen())["winners"] == [0, 1, 2]
    assert verify(await bundle(service, table.path)).verdict == "VALID"


async def test_a_case_on_a_hand_under_way_shows_an_arbiter_no_card_and_no_attempt_of_it(service: Service):
    table, judge = await in_hand_two(service), await arbiter(service)
    who = await table.due()
    problem(await who.post(f"{table.path}/moves", {"type": "play", "cards": ["ASS"] * 3}), 422, "refused")
    begun = ok(await service.http.get(f"{table.path}/replay"))["hands"][-1]["first"]
    case = await disputed(table, table.guests.index(who), first=begun)
    for reader in (judge, *(guest for guest in table.guests if guest is not who)):
        told = ok(await reader.get(f"/v1/disputes/{case['dispute']}"))
        assert told["attempts"] == []
        own = [] if reader is judge else [table.guests.index(reader)]
        for event in told["events"]:
            for field in event["body"].get("hands", []):
                assert ("value" in field) == (field["to"] == own), event["version"]


async def test_who_disputes_and_is_erased_leaves_no_word_and_the_same_bundle(service: Service):
    table, judge = await over(service), await arbiter(service)
    secret_word = "Zweifelsfall"
    case = await disputed(table, 2, claim=secret_word)
    ok(await judge.post(f"/v1/disputes/{case['dispute']}/rulings", ruling("upheld")))
    before = await bundle(service, table.path)
    assert (await table.guests[2].delete("/v1/me")).is_success
    assert await bundle(service, table.path) == before
    path = f"/v1/disputes/{case['dispute']}"
    assert ok(await service.http.get(path))["claim"] == ""
    for read in (path, f"{table.path}/disputes", f"{table.path}/export", f"{table.path}/score-sheet", table.path):
        assert secret_word not in (await judge.get(read)).text
    async with service.context.store.pool.acquire() as rows:
        tables = await rows.fetch(
            "select tablename from pg_tables where schemaname = 'public' and tablename <> 'alembic_version'"
        )
        for row in tables:
            found = await rows.fetchval(
                f"select count(*) from {row['tablename']} t where t::text like $1",
                f"%{secret_word}%",
            )
            assert found == 0, row["tablename"]
