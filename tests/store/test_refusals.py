"""Refused attempts are kept, beside the match and not in it."""

import asyncio

import msgspec
import pytest

from services.ids import new_id, new_token, token_hash
from services.store.cases import Claim
from services.store.records import Refusal
from services.store.refusals import Attempts
from services.store.store import Store
from tests.store.matches import AT


def refusal(match: str, **changes: object) -> Refusal:
    made = Refusal(match, AT, "ann", 2, 17, new_id(), 422, "whos-the-ass", "4.2", "follow suit", b'{"type":"play"}')
    return msgspec.structs.replace(made, **changes)


async def test_refused_attempts_are_kept_as_they_came_oldest_first(store: Store):
    match = new_id()
    attempts = [refusal(match, at=AT + 1), refusal(match, seat=None, clause="", cmd=""), refusal(match, at=AT + 2)]
    for attempt in attempts:
        await store.refuse(attempt)

    assert await store.refusals(match) == [attempts[1], attempts[0], attempts[2]]


async def test_attempts_at_one_moment_are_all_kept_in_the_order_they_came(store: Store):
    match = new_id()
    attempts = [refusal(match, reason=str(k)) for k in range(5)]
    for attempt in attempts:
        await store.refuse(attempt)

    assert await store.refusals(match) == attempts


async def test_a_match_nobody_was_refused_in_has_none(store: Store):
    await store.refuse(refusal(new_id()))

    assert await store.refusals(new_id()) == []


async def test_of_a_long_body_the_first_4_kib_are_kept(store: Store):
    match = new_id()
    await store.refuse(refusal(match, body=b"\0\xff" * 5000))

    (kept,) = await store.refusals(match)
    assert kept.body == b"\0\xff" * 2048


async def test_a_refusal_is_no_event(store: Store):
    match = new_id()
    await store.refuse(refusal(match))

    assert await store.events(match) == []
    assert sum((await store.heads()).values()) == 0


async def test_of_many_attempts_the_last_ones_are_read_and_only_those_that_were_asked_for(store: Store):
    match = new_id()
    for number in range(30):
        await store.refuse(refusal(match, at=AT + number, version=number, seat=number % 3))
    found = await store.refusals(match, Attempts(5, 25, until=AT + 20, over=10, seat=1, limit=4))
    assert [entry.version for entry in found] == [10, 13, 16, 19]
    assert len(await store.refusals(match, Attempts(limit=7))) == 7


@pytest.mark.parametrize("order", ["before", "after", "at once"])
async def test_of_whoever_is_erased_no_words_are_kept_whenever_they_come(store: Store, order: str):
    for _ in range(5 if order == "at once" else 1):
        ann, dispute = new_id(), new_id()
        await store.add_player(ann, "Ann", token_hash(new_token()))
        said = refusal(new_id(), player=ann)

        async def erase(player: str = ann) -> None:
            await store.erase(player)

        async def speak(said: Refusal = said, dispute: str = dispute) -> None:
            await asyncio.gather(
                store.refuse(said), store.put_claim(dispute, Claim(said.match, said.player, "He looked at my cards."))
            )

        match order:
            case "before":
                await speak()
                await erase()
            case "after":
                await erase()
                await speak()
            case _:
                await asyncio.gather(erase(), speak())

        assert await store.refusals(said.match) == [msgspec.structs.replace(said, body=b"")]
        assert await store.claim_of(dispute) == Claim(said.match, ann, "")
