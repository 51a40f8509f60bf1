"""Refused attempts: who tried what, when, and which clause said no. Evidence for an audit, never part of the match."""

from uuid import UUID

from services.ids import new_id, shard_of
from services.store.reading import Asking
from services.store.records import Refusal

_BODY_LIMIT = 4096
_INSERT = """
    insert into refusal (shard, stream, id, at, player, seat, version, cmd, status, game, clause, reason, body)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing"""
_SELECT = """
    select at, player, seat, version, cmd, status, game, clause, reason, body from refusal
    where shard = $1 and stream = $2 order by at, id"""


class Refusals(Asking):
    async def refuse(self, refusal: Refusal) -> None:
        """Keeps a refused attempt, with the first 4 KiB of its body."""
        r = refusal
        key = shard_of(r.match), UUID(r.match), new_id()
        told = r.at, r.player, r.seat, r.version, r.cmd, r.status, r.game, r.clause, r.reason, r.body[:_BODY_LIMIT]
        await self.ask(lambda lent: lent.execute(_INSERT, *key, *told))

    async def refusals(self, match: str) -> list[Refusal]:
        """All refused attempts on a match, oldest first."""
        rows = await self.ask(lambda lent: lent.fetch(_SELECT, shard_of(match), UUID(match)))
        return [Refusal(match, *row) for row in rows]
