"""Forgetting what is old: refused attempts, keys of creations, guests who have left no trace."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from services.ids import made_at, new_id
from services.store.accounts import LOCK
from services.store.connection import Lent
from services.store.players import erased
from services.store.reading import Asking

_SECONDS: Final = 60.0
_REFUSED: Final = """
    select distinct stream from refusal where shard = $1 and stream > $2 and at < $3 order by stream limit $4"""
_NO_TRACE = """
      role = 'player' and not erased
      and not exists (select from projection.players_matches m where m.player = p.player)
      and not exists (select from dispute d where d.player = p.player)
      and not exists (select from account a where a.player = p.player)"""
"""What a guest is in that has not begun is in no list of matches. Who has signed in is no guest."""
_GUESTS: Final = f"""
    select player from player p
    where player collate "C" > $1 collate "C" and player collate "C" < $2 collate "C" and substr(player, 15, 1) = '7'
      and {_NO_TRACE}
    order by player collate "C" limit $3"""  # noqa: S608
"""Bots and the demo's people have UUIDs of another kind, made from their names."""
_STILL: Final = f"""
    select from player p where player = $1 and {_NO_TRACE}
      and not exists (select from claim c where c.player = p.player and c.stream > $2)"""  # noqa: S608
COMING: Final = """
    with known as (select player from player where player = $1 and not erased for share), told as (
      insert into claim (player, key, fingerprint, stream) select player, $2, '', $3 from known on conflict do nothing)
    select exists (select from known)"""
"""A claim that stands for no creation: its key says when it was, its id likewise."""
_HALF_DAY: Final = 43_200_000
_SET_ASIDE: Final = """
    select distinct p.name from projection.parked p join projection.build b using (name, build)
    where b.state = 'live' and p.name in ('players', 'live_tables') order by 1"""
_TABLES: Final = """
    select match, opened, body from projection.live_tables where (opened, match) > ($1, $2)
    order by opened, match limit $3"""


class Retention(Asking):
    async def refused(self, shard: int, after: str, before: int, limit: int) -> list[str]:
        """Matches of a shard, with ids above ``after``, that have refused attempts of before (milliseconds)."""
        rows = await self.ask(lambda lent: lent.fetch(_REFUSED, shard, UUID(after), before, limit), _SECONDS)
        return [str(row[0]) for row in rows]

    async def forget_refusals(self, shard: int, match: str, before: int) -> int:
        """Forgets the refused attempts at a match of before; how many there were. None is younger than a day."""
        statement = "select forget_refusals($1, $2, $3)"
        gone: int = await self.ask(lambda lent: lent.fetchval(statement, shard, UUID(match), before), _SECONDS)
        return gone

    async def forget_claims(self, before: str, most: int) -> int:
        """Forgets at most so many keys of what has an id below ``before``; how many. None is younger than a day."""
        statement = "select forget_claims($1, $2)"
        gone: int = await self.ask(lambda lent: lent.fetchval(statement, UUID(before), most), _SECONDS)
        return gone

    async def idle_guests(self, after: str, before: str, limit: int) -> list[str]:
        """Guests with ids between these who sat in no match that was begun and dispute nothing, ascending.

        Whoever has an account is none, and signs in again as who they were, also when their tokens have ended.
        """
        return [row[0] for row in await self.ask(lambda lent: lent.fetch(_GUESTS, after, before, limit), _SECONDS)]

    async def coming(self, player: str) -> bool:
        """Says that a player is about to leave a trace, a seat or a match, before that is there: ``forget_guest`` then
        spares a guest for half a day. False for one who is erased. Who is younger than that is safe, and not asked for.
        """
        known = new_id()
        now = made_at(known)
        if now - made_at(player) < _HALF_DAY:
            return True
        row = player, f"coming {now // _HALF_DAY}".encode(), UUID(known)
        there: bool = await self.ask(lambda lent: lent.fetchval(COMING, *row))
        return there

    async def forget_guest(self, player: str, since: str) -> bool:
        """Erases a guest who has left no trace, and not said ``coming`` after the moment of the id ``since``; whether
        it was one. Who says it at the same moment comes before, and is spared, or too late, and is told so.
        """

        async def forget(lent: Lent) -> bool:
            async with lent.transaction():
                await lent.execute(LOCK, player)
                # What was said under the lock is seen by this statement, which begins when it is ours.
                return await lent.fetchrow(_STILL, player, UUID(since)) is not None and await erased(lent, player)

        return await self.ask(forget, _SECONDS)

    async def set_aside(self) -> list[str]:
        """The read models that tell who sits where and have set aside a match: of that one nobody knows."""
        return [row[0] for row in await self.ask(lambda lent: lent.fetch(_SET_ASIDE))]

    async def tables_since(self, opened: int, match: str, limit: int) -> Sequence[tuple[str, int, bytes]]:
        """The live tables opened after that moment and match, oldest first: match, when, and the row as it is kept."""
        rows = await self.ask(lambda lent: lent.fetch(_TABLES, opened, UUID(match), limit), _SECONDS)
        return [(str(row[0]), row[1], row[2]) for row in rows]
