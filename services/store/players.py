"""Players, their names and their tokens. A token is kept as its hash; a name stands here and in no event."""

from collections.abc import Iterable
from typing import Final

from services.store.connection import Lent
from services.store.reading import Asking
from services.store.records import Player

_ADD = """
    with known as (insert into player (player, name, role) values ($1, $2, $3) on conflict do nothing)
    insert into token (hash, player)
    select $4, $1 where not exists (select from player where player = $1 and erased) on conflict do nothing"""
_ENSURE = """
    insert into player (player, name, role) select id, name, 'player' from unnest($1::text[], $2::text[]) u(id, name)
    order by id on conflict (player) do update set name = excluded.name where player.name <> excluded.name"""
_ERASE = """
    with revoked as (delete from token where player = $1), forgotten as (
      update dispute set claim = '' where player = $1 and claim <> '')
    update player set name = '', erased = true where player = $1 returning true"""


ROLES: Final = ("player", "arbiter", "admin")


class Players(Asking):
    async def add_player(self, player: str, name: str, token_hash: bytes, role: str = "player") -> None:
        """Adds a player with a token. A player who is there keeps name and role; the token is added, unless the
        player is erased. No request of the API gives a ``role`` (player, arbiter or admin): an operator does.
        """
        await self.ask(lambda lent: lent.execute(_ADD, player, name, role, token_hash))

    async def player_of(self, token_hash: bytes) -> Player | None:
        """Whose token it is; ``None`` for one that is unknown or revoked."""
        statement = "select player, name, role from token join player using (player) where hash = $1"
        row = await self.ask(lambda lent: lent.fetchrow(statement, token_hash))
        return None if row is None else Player(*row)

    async def holders(self, token_hashes: Iterable[bytes]) -> dict[bytes, Player]:
        """Whose tokens they are, by token: all at one moment. One that is unknown or revoked is left out."""
        wanted = list(token_hashes)
        statement = (
            "select hash, player, name, role from token join player using (player) where hash = any($1::bytea[])"
        )
        rows = await self.ask(lambda lent: lent.fetch(statement, wanted))
        return {digest: Player(*row) for digest, *row in rows}

    async def player(self, player: str) -> Player | None:
        """A player by id; an erased one has an empty name."""
        statement = "select player, name, role from player where player = $1"
        row = await self.ask(lambda lent: lent.fetchrow(statement, player))
        return None if row is None else Player(*row)

    async def rename(self, player: str, name: str) -> bool:
        """Whether there is such a player to be renamed: the unknown and the erased stay as they are."""
        statement = "update player set name = $2 where player = $1 and not erased returning true"
        return bool(await self.ask(lambda lent: lent.fetchval(statement, player, name)))

    async def erase(self, player: str) -> bool:
        """Forgets name, claims and the words of refused attempts, and revokes all tokens, for good; the row stays: no
        seat points to nothing.
        """

        async def forget(lent: Lent) -> bool:
            async with lent.transaction():
                known = bool(await lent.fetchval(_ERASE, player))
                await lent.execute("select forget_attempts($1)", player)
                return known

        return await self.ask(forget)

    async def appoint(self, player: str, role: str) -> str | None:
        """Gives a player one of ``ROLES``; the name. None for the unknown and the erased, who keep what they have."""
        statement = "update player set role = $2 where player = $1 and not erased returning name"
        name: str | None = await self.ask(lambda lent: lent.fetchval(statement, player, role))
        return name

    async def names(self, ids: Iterable[str]) -> dict[str, str]:
        """The names of those that exist; an erased player's is empty."""
        wanted = list(ids)
        statement = "select player, name from player where player = any($1::text[])"
        rows = await self.ask(lambda lent: lent.fetch(statement, wanted))
        return {player: name for player, name in rows}  # noqa: C416 - a Record is no tuple to dict()

    async def ensure_players(self, rows: Iterable[tuple[str, str]]) -> None:
        """Sees to it that these players (id, name) exist under these names, without tokens: for bots."""
        wanted = list(rows)
        ids, names = [player for player, _ in wanted], [name for _, name in wanted]
        await self.ask(lambda lent: lent.execute(_ENSURE, ids, names))
