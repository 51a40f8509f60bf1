"""Secrets and creation keys: the first to come settles them, and everybody is told the same."""

import asyncio
from collections import Counter

import pytest

from services.ids import new_id
from services.store.store import Store


@pytest.mark.fault(21)
async def test_of_fifty_claims_of_one_key_one_wins_and_all_are_told_which(store: Store):
    claims = [(new_id(), bytes([k])) for k in range(50)]

    held = await asyncio.gather(*(store.claim("ann", b"key", mark, match) for match, mark in claims))

    assert len(Counter(held)) == 1
    assert held[0] in claims


async def test_claims_race_between_processes_as_between_tasks(store: Store, database_url: str):
    other = await Store.connect(database_url)

    for key in range(20):
        first, second = await asyncio.gather(
            store.claim("ann", bytes([key]), b"1", new_id()), other.claim("ann", bytes([key]), b"2", new_id())
        )
        assert first == second
    await other.close()


async def test_a_claim_holds_for_its_player_and_key_alone(store: Store):
    match, other = new_id(), new_id()

    assert await store.claim("ann", b"key", b"print", match) == (match, b"print")
    assert await store.claim("ben", b"key", b"print", other) == (other, b"print")
    assert await store.claim("ann", b"yek", b"print", other) == (other, b"print")
    assert await store.claim("ann", b"key", b"other", other) == (match, b"print")


async def test_the_first_secret_of_a_match_holds(store: Store):
    match = new_id()
    assert await store.secret(match) is None

    held = await asyncio.gather(*(store.put_secret(match, bytes([k]) * 32) for k in range(20)))

    assert len(set(held)) == 1
    assert await store.secret(match) == held[0]
    assert await store.put_secret(match, b"late" * 8) == held[0]
    assert await store.secret(new_id()) is None


async def test_the_secret_of_the_server_is_the_same_for_all_processes(store: Store, database_url: str):
    other = await Store.connect(database_url)

    held = await asyncio.gather(*(one.server_secret() for one in (store, other) for _ in range(5)))

    assert len(set(held)) == 1
    assert len(held[0]) == 32
    await other.close()
