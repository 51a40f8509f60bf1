"""Forgetting what is old: refused attempts, keys of creations, guests who have left no trace."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from services.store.reading import Asking

_SECONDS: Final = 60.0
_REFUSED: Final = """
    select distinct stream from refusal where shard = $1 and stream > $2 and at < $3 order by stream limit $4"""
_GUESTS: Final = """
    select player from player p
    where player collate "C" > $1 collate "C" and player collate "C" < $2 collate "C" and substr(player, 15, 1) = '7'
      and role = 'player' and not erased
      and not exists (select from projection.players_matches m where m.player = p.player)
      and not exists (select from dispute d where d.player = p.player)
      and not exists (select from account a where a.player = p.player)
    order by player collate "C" limit $3"""
"""Bots and the demo's people have UUIDs of another kind, made from their names. What a guest is in that has not begun
is in no list of matches. Who has signed in is no guest.
"""
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

    async def set_aside(self) -> list[str]:
        """The read models that tell who sits where and have set aside a match: of that one nobody knows."""
        return [row[0] for row in await self.ask(lambda lent: lent.fetch(_SET_ASIDE))]

    async def tables_since(self, opened: int, match: str, limit: int) -> Sequence[tuple[str, int, bytes]]:
        """The live tables opened after that moment and match, oldest first: match, when, and the row as it is kept."""
        rows = await self.ask(lambda lent: lent.fetch(_TABLES, opened, UUID(match), limit), _SECONDS)
        return [(str(row[0]), row[1], row[2]) for row in rows]
