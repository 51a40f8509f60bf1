"""Players: found by token, renamed, erased."""

import pytest

from services.ids import new_id, new_token, token_hash
from services.rights import ROLES, Role
from services.store.records import Player
from services.store.store import Store


async def test_a_player_is_found_by_token_and_by_id(store: Store):
    ann, token = new_id(), new_token()
    await store.add_player(ann, "Ann", token_hash(token))

    assert await store.player_of(token_hash(token)) == Player(ann, "Ann", "player")
    assert await store.player(ann) == Player(ann, "Ann", "player")


async def test_an_unknown_token_and_an_unknown_id_are_nobody(store: Store):
    assert await store.player_of(token_hash("guess")) is None
    assert await store.player("nobody") is None


async def test_a_token_is_not_kept_only_its_hash(store: Store):
    token = new_token()
    await store.add_player(new_id(), "Ann", token_hash(token))

    kept = await store.ask(lambda lent: lent.fetchval("select hash from token"))
    assert kept == token_hash(token)


@pytest.mark.parametrize("role", ROLES)
async def test_a_player_has_a_role(store: Store, role: Role):
    who = new_id()
    await store.add_player(who, "Ann", token_hash(who), role)

    assert await store.player(who) == Player(who, "Ann", role)


async def test_adding_a_player_again_changes_nothing_of_the_player(store: Store):
    ann = new_id()
    await store.add_player(ann, "Ann", token_hash("1"))
    await store.add_player(ann, "Eve", token_hash("2"), "admin")

    assert await store.player_of(token_hash("2")) == Player(ann, "Ann", "player")


async def test_a_renamed_player_has_the_new_name_everywhere(store: Store):
    ann = new_id()
    await store.add_player(ann, "Ann", token_hash("1"))

    assert await store.rename(ann, "Анна Őszi")
    assert await store.player_of(token_hash("1")) == Player(ann, "Анна Őszi", "player")
    assert await store.names([ann]) == {ann: "Анна Őszi"}


async def test_an_unknown_player_cannot_be_renamed_or_erased(store: Store):
    assert not await store.rename(new_id(), "Ann")
    assert not await store.erase(new_id())


async def test_an_erased_player_has_no_name_and_no_token_for_good(store: Store):
    ann, ben = new_id(), new_id()
    await store.add_player(ann, "Ann", token_hash("1"))
    await store.add_player(ben, "Ben", token_hash("2"))

    assert await store.erase(ann)
    assert await store.player_of(token_hash("1")) is None
    assert await store.player(ann) == Player(ann, "", "player")
    assert await store.names([ann, ben]) == {ann: "", ben: "Ben"}

    assert not await store.rename(ann, "Ann")
    await store.add_player(ann, "Ann", token_hash("3"))
    assert await store.player_of(token_hash("3")) is None
    assert await store.player(ann) == Player(ann, "", "player")
    everything = await store.ask(lambda lent: lent.fetchval("select string_agg(player::text, '') from player"))
    assert "Ann" not in everything


async def test_names_are_those_of_the_players_that_exist(store: Store):
    ann = new_id()
    await store.add_player(ann, "Ann", token_hash("1"))

    assert await store.names([ann, "bot-1", ""]) == {ann: "Ann"}
    assert await store.names(iter([])) == {}


async def test_players_without_tokens_are_made_once_and_renamed(store: Store):
    await store.ensure_players([("bot-2", "Zed"), ("bot-1", "Yan")])
    await store.ensure_players([("bot-1", "Yves"), ("bot-3", "Xen")])

    assert await store.names(["bot-1", "bot-2", "bot-3"]) == {"bot-1": "Yves", "bot-2": "Zed", "bot-3": "Xen"}
    assert await store.player("bot-1") == Player("bot-1", "Yves", "player")
