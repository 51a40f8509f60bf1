"""Accounts: which player somebody is who has signed in elsewhere, and sign-ins that are under way."""

from typing import Final

import msgspec

from services.ids import new_id
from services.store.connection import Lent
from services.store.reading import Asking

LASTS: Final = 600.0
"""How long a sign-in may take, in seconds. What it has led to can be asked for again as long."""

_BEGIN: Final = """
    with old as (delete from sign_in where begun <= clock_timestamp() - make_interval(secs => $4))
    insert into sign_in (state, secret, player) values ($1, $2, $3) on conflict do nothing"""
_TAKE: Final = """
    update sign_in set taken = $3
    where state = $1 and secret = $2 and begun > clock_timestamp() - make_interval(secs => $4)
      and (taken is null or taken = $3)
    returning player, granted, how"""
STAY: Final = "select erased from player where player = $1 for share"
"""Whoever adds what belongs to a player holds the player first, and sees then whom an erasure, and what an end of all
tokens, has left until then. It is so for all, so nobody waits for who waits.
"""
LOCK: Final = "select from player where player = $1 for update"
"""The same of whoever erases or ends all: what others were about to add is there before, or comes after."""
_BEGUN: Final = "select from sign_in where state = $1 for update"
_GRANT: Final = "update sign_in set granted = $2, how = $3 where state = $1"
_MADE: Final = "insert into player (player, name, role) values ($1, $2, 'player')"
_LINK: Final = """
    insert into account (subject, player) select $1, player from player where player = $2 and not erased for share
    on conflict do nothing returning player"""
_ALONE: Final = "select pg_advisory_xact_lock($1)"
_WHO: Final = "select player, name from account join player using (player) where subject = $1"


class Taken(msgspec.Struct, frozen=True):
    """A sign-in that is being finished: ``player`` is the guest who began, ``granted`` whom it has led to, ``how``."""

    player: str | None
    granted: str | None
    how: str | None


class Signed(msgspec.Struct, frozen=True, kw_only=True):
    """Who has signed in: a player that was ``known``, the guest who began, now ``linked``, or a ``new`` one."""

    player: str
    name: str
    how: str


class Accounts(Asking):
    async def begin_sign_in(self, state: bytes, secret: bytes, player: str | None) -> None:
        """Keeps a sign-in by the hashes of its state and secret, for ``LASTS`` seconds; older ones are forgotten."""
        await self.ask(lambda lent: lent.execute(_BEGIN, state, secret, player, LASTS))

    async def take_sign_in(self, state: bytes, secret: bytes, request: bytes) -> Taken | None:
        """The sign-in with that state, if it was begun with that secret, is not too old, and nobody has finished it but
        the same ``request``; afterwards no other can.
        """
        row = await self.ask(lambda lent: lent.fetchrow(_TAKE, state, secret, request, LASTS))
        return None if row is None else Taken(*row)

    async def sign_in(self, state: bytes, subject: bytes, guest: str | None, name: str) -> Signed | None:
        """Whoever ``subject`` is: the player it was; else ``guest``, if that is a player without an account; else a new
        player called ``name``. Of two at once with the same subject, both get the same player. None if the sign-in was
        forgotten meanwhile: the guest's tokens, or the guest, are no more.
        """

        async def settle(lent: Lent) -> Signed | None:
            async with lent.transaction():
                await lent.execute(STAY, guest)
                if await lent.fetchrow(_BEGUN, state) is None:
                    return None
                await lent.execute(_ALONE, int.from_bytes(subject[:8], signed=True))
                how, row = "known", await lent.fetchrow(_WHO, subject)
                if row is None and guest is not None and await lent.fetchval(_LINK, subject, guest):
                    how = "linked"
                elif row is None:
                    how, new = "new", new_id()
                    await lent.execute(_MADE, new, name)
                    await lent.execute(_LINK, subject, new)
                row = row or await lent.fetchrow(_WHO, subject)
                assert row is not None, "an account that could not be made is there"
                await lent.execute(_GRANT, state, row[0], how)
                return Signed(player=row[0], name=row[1], how=how)

        return await self.ask(settle)

    async def has_account(self, player: str) -> bool:
        """Whether the player can sign in."""
        return bool(await self.ask(lambda lent: lent.fetchval("select true from account where player = $1", player)))
