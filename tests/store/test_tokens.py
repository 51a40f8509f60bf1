"""Tokens and accounts in the store: what an upgrade leaves of them, and that they end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import alembic.command
import asyncpg
import pytest

from services.ids import new_id, token_hash
from services.store.accounts import Signed
from services.store.migrate import migrate
from services.store.records import Player
from services.store.store import Store

DAY = 24 * 3600 * 1000
OLD_INSERT = "insert into token (hash, player) values ($1, $2)"
"""As versions before had it."""


def ran(url: str, work: Callable[[Store], Awaitable[Any]]) -> Any:
    async def use() -> Any:
        store = await Store.connect(url)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(use())


def test_tokens_from_before_they_ended_live_for_half_a_year_and_an_older_version_still_makes_some(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
):
    # given a database of the schema before, with a player and a token
    url, ann = empty_database(), new_id()
    upgrade = alembic.command.upgrade
    with monkeypatch.context() as older:
        older.setattr(alembic.command, "upgrade", lambda config, _: upgrade(config, "0006"))
        migrate(url)

    async def before() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute("insert into player values ($1, 'Ann', 'player')", ann)
        await connection.execute(OLD_INSERT, token_hash("old"), ann)
        await connection.close()

    asyncio.run(before())
    # when it is brought to the newest
    migrate(url)

    async def after(store: Store) -> None:
        await store.ask(lambda lent: lent.execute(OLD_INSERT, token_hash("older version"), ann))
        # then each says who that is, is listed by an id of its own, and has an end
        for token in ("old", "older version"):
            assert await store.player_of(token_hash(token)) == Player(ann, "Ann", "player")
        first, second = await store.tokens_of(ann)
        assert first.id != second.id
        assert [token.expires - token.made for token in (first, second)] == pytest.approx([180 * DAY] * 2, abs=60_000)
        assert await store.revoke(ann, first.id)
        assert await store.player_of(token_hash("old")) is None

    ran(url, after)


async def test_a_token_that_has_ended_is_as_one_that_never_was(store: Store):
    ann, ended, valid = new_id(), token_hash("1"), token_hash("2")
    await store.add_player(ann, "Ann", ended)
    await store.add_token(ann, valid)
    await store.shorten(ended, 0)

    assert await store.player_of(ended) is None
    assert await store.token(ended) is None
    assert list(await store.holders([ended, valid])) == [valid]
    (left,) = await store.tokens_of(ann)
    assert not await store.revoke(ann, new_id())
    await store.add_token(ann, token_hash("3"))  # which takes away what has ended
    assert await store.ask(lambda lent: lent.fetchval("select count(*) from token")) == 2
    assert left == await store.token(valid)


async def test_nobody_unknown_or_erased_gets_a_token_or_an_account(store: Store):
    gone = new_id()
    await store.add_player(gone, "Gone", token_hash("1"))
    await store.erase(gone)
    for player in (gone, new_id()):
        assert await store.add_token(player, token_hash("2")) == (None, None)
    signed = await signed_in(store, "subject", gone, "Ann")
    assert signed is not None
    assert signed.how == "new"
    assert signed.player != gone


async def signed_in(store: Store, subject: str, guest: str | None, name: str) -> Signed | None:
    state = token_hash(new_id())
    await store.begin_sign_in(state, token_hash("secret"), guest)
    return await store.sign_in(state, token_hash(subject), guest, name)


async def test_one_account_is_one_player_and_one_player_one_account(store: Store):
    ann = new_id()
    await store.add_player(ann, "Ann", token_hash("1"))
    first = await signed_in(store, "subject", ann, "x")
    second = await signed_in(store, "another subject", ann, "Bea")
    third = await signed_in(store, "subject", None, "x")
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first.player, first.how) == (ann, "linked")
    assert (second.how, second.name) == ("new", "Bea")
    assert await store.has_account(ann)
    assert third.player == ann


async def test_a_sign_in_that_is_forgotten_while_the_provider_is_asked_leads_to_nobody(store: Store):
    ann, state, mine = new_id(), token_hash(new_id()), token_hash("1")
    await store.add_player(ann, "Ann", mine)
    await store.begin_sign_in(state, token_hash("secret"), ann)
    assert await store.take_sign_in(state, token_hash("secret"), b"asked") is not None

    await store.revoke_all(ann, but=mine)

    assert await store.sign_in(state, token_hash("subject"), ann, "Ann") is None
    assert not await store.has_account(ann)


async def test_signing_in_and_ending_all_tokens_at_once_do_not_wait_for_one_another(store: Store):
    for number in range(30):
        ann, state, mine = new_id(), token_hash(new_id()), token_hash(f"mine {number}")
        await store.add_player(ann, "Ann", mine)
        await store.begin_sign_in(state, token_hash("secret"), ann)

        signed, _ = await asyncio.gather(
            store.sign_in(state, token_hash(f"subject {number}"), ann, "Ann"),
            store.revoke_all(ann, but=mine) if number % 2 else store.erase(ann),
        )

        assert signed is None or signed.how == "linked"
