"""Refused attempts: who tried what, when, and which clause said no. Evidence for an audit, never part of the match."""

from typing import NamedTuple
from uuid import UUID

from services.ids import new_id, shard_of
from services.store.accounts import STAY
from services.store.reading import Asking
from services.store.records import Refusal

_BODY_LIMIT = 4096
_INSERT = """
    insert into refusal (shard, stream, id, at, player, seat, version, cmd, status, game, clause, reason, body)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing"""
_SELECT = """
    select at, player, seat, version, cmd, status, game, clause, reason, body from refusal
    where shard = $1 and stream = $2 and version between $3 and $4 and at <= $5
      and (version <= $6 or seat = $7) order by at desc, id desc limit $8"""


class Attempts(NamedTuple):
    """Which refused attempts are asked for: at versions from ``first`` to ``last``, until the time ``until``; all up to
    version ``over``, and of later ones those of ``seat`` only; ``limit`` at most.
    """

    first: int = 0
    last: int = 2**31 - 1
    until: int = 2**53
    over: int = 2**31 - 1
    seat: int | None = None
    limit: int = 200


ALL = Attempts()


class Refusals(Asking):
    async def refuse(self, refusal: Refusal) -> None:
        """Keeps a refused attempt, with the first 4 KiB of its body: without the words of whoever is erased by then."""
        r = refusal
        key = shard_of(r.match), UUID(r.match), new_id()
        told = r.at, r.player, r.seat, r.version, r.cmd, r.status, r.game, r.clause, r.reason, r.body[:_BODY_LIMIT]
        await self.ask(lambda lent: lent.execute(_INSERT, *key, *told))
        if await self.ask(lambda lent: lent.fetchval(STAY, r.player)):
            await self.ask(lambda lent: lent.execute("select forget_attempts($1)", r.player))

    async def refusals(self, match: str, asked: Attempts = ALL) -> list[Refusal]:
        """Refused attempts on a match, oldest first: of those asked for the last ones."""
        rows = await self.ask(lambda lent: lent.fetch(_SELECT, shard_of(match), UUID(match), *asked))
        return [Refusal(match, *row) for row in reversed(rows)]
