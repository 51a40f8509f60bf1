"""Matches as they were: every version is found, from wherever one comes, and what is remembered is bounded."""

import random

import pytest

from services.live import folded
from services.past import APART, Past
from services.problems import NotFound
from services.store.store import Store
from tests.engine.played import Played, finished


async def stored(store: Store, played: Played) -> Played:
    for command in played.appends:
        await store.append(command)
    return played


async def test_every_version_is_found_whichever_was_asked_for_before(store: Store):
    played = await stored(store, finished(taste=4, games=8))
    last, past, chance = len(played.events), Past(store), random.Random(1)
    assert last > 2 * APART
    for version in (last, 1, *(chance.randint(1, last) for _ in range(40)), 2 * APART, APART, APART + 1):
        state, head = await past.at(played.match, version)
        openings = [entry for entry in played.openings if entry.version <= version]
        assert state == folded(type(state)(), played.events[:version], openings)
        assert head == played.events[version - 1].hash


async def test_what_is_not_there_is_not_found(store: Store):
    played = await stored(store, finished())
    past = Past(store)
    for version in (0, -1, len(played.events) + 1):
        with pytest.raises(NotFound):
            await past.at(played.match, version)
    with pytest.raises(NotFound):
        await past.at(played.match[:-1] + ("0" if played.match[-1] != "0" else "1"), 1)


async def test_no_more_states_are_remembered_than_were_allowed(store: Store):
    matches = [await stored(store, finished(taste=taste)) for taste in range(4)]
    past = Past(store, kept=5)
    for _ in range(2):
        for played in matches:
            state, _ = await past.at(played.match, len(played.events))
            assert state.over
            held = [at for moments in past._moments.values() for at in moments]
            assert past._count == len(held)
            assert len(held) <= 5 or len(past._moments) == 1
