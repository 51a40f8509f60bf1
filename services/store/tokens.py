"""Tokens: each says who its holder is, until it ends. A token is kept as its hash, and told apart by its id."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

import msgspec

from services.ids import new_id
from services.store.accounts import LASTS, LOCK, STAY
from services.store.connection import Lent
from services.store.reading import Asking
from services.store.records import Player

LIFE: Final = 180 * 24 * 3600.0
"""How long a token lives if nobody says otherwise, in seconds."""
MOST: Final = 32
"""How many tokens a player has at most; with one more, the one goes that would end first."""
LISTED: Final = 2 * MOST
"""How many are listed at most: for a moment there may be some more than ``MOST``."""

_HOLDER: Final = """
    select player, name, role from token join player using (player) where hash = $1 and expires > clock_timestamp()"""
_HOLDERS: Final = """
    select hash, player, name, role from token join player using (player)
    where hash = any($1::bytea[]) and expires > clock_timestamp()"""
_ADD: Final = """
    insert into token (id, hash, player, label, expires)
    select $1, $2, player, $4, clock_timestamp() + make_interval(secs => $5)
    from player where player = $3 and not erased
      and ($6::bytea = '' or exists (select from token where hash = $6 and player = $3 and expires > clock_timestamp()))
    on conflict do nothing"""
_CLAIM: Final = "insert into claim values ($1, $2, $3, $4) on conflict do nothing returning true"
_CLAIMED: Final = "select fingerprint from claim where player = $1 and key = $2"
_SURPLUS: Final = """
    delete from token where player = $1 and (expires <= clock_timestamp() or id in (
      select id from token where player = $1 and id <> $2 and hash <> $3 and expires > clock_timestamp()
      order by expires desc, id desc offset $4))"""
_VALID: Final = """
    select id::text, label, (extract(epoch from made) * 1000)::bigint made,
      (extract(epoch from expires) * 1000)::bigint expires
    from token where expires > clock_timestamp()"""
_LIST: Final = _VALID + " and player = $1 order by token.made, id limit $2"
_ONE: Final = _VALID + " and hash = $1"
_SHORTEN: Final = """
    update token set expires = least(expires, clock_timestamp() + make_interval(secs => $2)) where hash = $1"""
_WHOSE: Final = "select player from token where hash = $1"
_REVOKE: Final = "delete from token where player = $1 and id = $2 returning expires > clock_timestamp()"
_REVOKE_ALL: Final = "delete from token where player = $1 and hash <> $2"
_FORGET: Final = "delete from sign_in where player = $1"
"""Sign-ins that somebody began with a token of the player, which it is not known which: one that has ended leads
nobody to the player.
"""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a token but the token. ``label`` is what its holder calls it; times are in ms since 1970."""

    id: str
    label: str
    made: int
    expires: int


class BearerTokens(Asking):
    """Every method sees valid tokens only: one that has ended is as one that never was."""

    async def player_of(self, token_hash: bytes) -> Player | None:
        """Whose token it is; ``None`` for one that is unknown, revoked or has ended."""
        row = await self.ask(lambda lent: lent.fetchrow(_HOLDER, token_hash))
        return None if row is None else Player(*row)

    async def holders(self, token_hashes: Iterable[bytes]) -> dict[bytes, Player]:
        """Whose tokens they are, by token: all at one moment. One that is nobody's is left out."""
        wanted = list(token_hashes)
        rows = await self.ask(lambda lent: lent.fetch(_HOLDERS, wanted))
        return {digest: Player(*row) for digest, *row in rows}

    async def add_token(
        self,
        player: str,
        token_hash: bytes,
        *,
        label: str = "",
        life: float = LIFE,
        by: bytes = b"",
        claim: tuple[bytes, bytes] | None = None,
    ) -> tuple[Token | None, bytes | None]:
        """Gives ``player`` one more token; the token, or None where the player is unknown or erased.

        ``claim`` (key, fingerprint) makes it one with an earlier request: then nothing is added, and the fingerprint of
        that request is the second answer; the token may have ended since. ``by`` is the token that asks for it, which
        is not the one that has to go if there are too many, and may ask only as long as it is one.
        """

        async def add(lent: Lent) -> tuple[Token | None, bytes | None]:
            token, first = UUID(new_id()), None
            async with lent.transaction():
                await lent.execute(STAY, player)
                if claim is not None and not await lent.fetchval(_CLAIM, player, *claim, token):
                    first = await lent.fetchval(_CLAIMED, player, claim[0])
                else:
                    await lent.execute(_ADD, token, token_hash, player, label, life, by)
                    await lent.execute(_SURPLUS, player, token, by, MOST - (2 if by else 1))
                row = await lent.fetchrow(_ONE, token_hash)
            return None if row is None else Token(**row), first

        return await self.ask(add)

    async def token(self, token_hash: bytes) -> Token | None:
        row = await self.ask(lambda lent: lent.fetchrow(_ONE, token_hash))
        return None if row is None else Token(**row)

    async def tokens_of(self, player: str) -> list[Token]:
        """The oldest first, ``LISTED`` at most."""
        rows = await self.ask(lambda lent: lent.fetch(_LIST, player, LISTED))
        return [Token(**row) for row in rows]

    async def shorten(self, token_hash: bytes, seconds: float) -> None:
        """The token ends so many seconds from now, if not before, and with it what its holder has begun."""

        async def shorten(lent: Lent) -> None:
            async with lent.transaction():
                player = await lent.fetchval(_WHOSE, token_hash)
                await lent.execute(STAY, player)
                await lent.execute(_SHORTEN, token_hash, seconds)
                if seconds < LASTS:
                    await lent.execute(_FORGET, player)

        await self.ask(shorten)

    async def revoke(self, player: str, token: str) -> bool:
        """Ends one token; whether the player had it."""

        async def revoke(lent: Lent) -> bool:
            async with lent.transaction():
                await lent.execute(STAY, player)
                known = bool(await lent.fetchval(_REVOKE, player, UUID(token)))
                if known:
                    await lent.execute(_FORGET, player)
                return known

        return await self.ask(revoke)

    async def revoke_all(self, player: str, but: bytes = b"") -> None:
        """Ends every token of a player, ``but`` one."""

        async def revoke(lent: Lent) -> None:
            async with lent.transaction():
                await lent.execute(LOCK, player)
                await lent.execute(_REVOKE_ALL, player, but)
                await lent.execute(_FORGET, player)

        await self.ask(revoke)
