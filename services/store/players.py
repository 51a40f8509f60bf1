"""Players, their names and roles. A name stands here and in no event."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

import msgspec

from services.ids import new_id
from services.store.accounts import LOCK
from services.store.connection import Connection, Lent
from services.store.reading import Asking
from services.store.records import Player
from services.store.tokens import LIFE

_ADD = """
    with new as (insert into player (player, name, role) values ($1, $2, $3) on conflict do nothing returning player)
    insert into token (hash, player, expires)
    select $4, $1, clock_timestamp() + make_interval(secs => $5)
    where exists (select from new) or $6 and exists (select from player where player = $1 and not erased for share)
    on conflict do nothing"""
_ENSURE = """
    insert into player (player, name, role) select id, name, 'player' from unnest($1::text[], $2::text[]) u(id, name)
    order by id on conflict (player) do update set name = excluded.name where player.name <> excluded.name"""
_ERASE = """
    with revoked as (delete from token where player = $1), parted as (delete from account where player = $1), begun as (
      delete from sign_in where player = $1 or granted = $1), forgotten as (
      update dispute set claim = '' where player = $1 and claim <> '')
    update player set name = '', erased = true where player = $1 returning true"""
_APPOINT = """
    with was as (select player, name, role from player where player = $1 and not erased for update), now as (
      update player set role = $2 from was where player.player = was.player and was.role <> $2), told as (
      insert into appointment (id, by, player, before, role) select $3, $4, player, role, $2 from was where role <> $2)
    select name from was"""
_APPOINTED = """
    select id::text, (extract(epoch from at) * 1000)::bigint at, by, player, before, role from appointment
    where $1::uuid is null or id < $1 order by id desc limit $2"""

OPERATOR: Final = ""
"""Who appoints by the command line."""


class Appointment(msgspec.Struct, frozen=True, kw_only=True):
    """``by`` (an admin, or ``OPERATOR``) gave ``player`` a role instead of the one ``before``."""

    id: str
    at: int
    by: str
    player: str
    before: str
    role: str


class Players(Asking):
    async def add_player(
        self,
        player: str,
        name: str,
        token_hash: bytes,
        role: str = "player",
        *,
        life: float = LIFE,
        again: bool = True,
    ) -> None:
        """Adds a player with a token that lives so many seconds. A player who is there keeps name and role; the token
        is added, unless the player is erased; without ``again`` only with the player, so that a token that was revoked
        since does not come back.
        """
        await self.ask(lambda lent: lent.execute(_ADD, player, name, role, token_hash, life, again))

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
        """Forgets name, claims, account and the words of refused attempts, and revokes all tokens, for good; the row
        stays: no seat points to nothing.

        Whoever adds a token or an account at the same moment comes before, or too late.
        """

        async def erase(lent: Lent) -> bool:
            async with lent.transaction():
                await lent.execute(LOCK, player)
                return await erased(lent, player)

        return await self.ask(erase)

    async def appoint(self, player: str, role: str, by: str = OPERATOR) -> str | None:
        """Gives a player a role, and keeps who gave it; the name. None for the unknown and the erased, who
        keep what they have. A role that the player has changes nothing and is not written down again.
        """
        row = player, role, UUID(new_id()), by
        name: str | None = await self.ask(lambda lent: lent.fetchval(_APPOINT, *row))
        return name

    async def appointments(self, limit: int, before: UUID | None = None) -> list[Appointment]:
        """Who was given which role, by whom: the newest first, from the one after ``before``."""
        rows = await self.ask(lambda lent: lent.fetch(_APPOINTED, before, limit))
        return [Appointment(**row) for row in rows]

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


async def erased(lent: Connection | Lent, player: str) -> bool:
    """Erases a player whose row is locked, in the transaction of the caller; whether there is one."""
    known = bool(await lent.fetchval(_ERASE, player))
    await lent.execute("select forget_attempts($1)", player)
    return known
