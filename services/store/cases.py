"""What belongs to disputes and is no event: the claim in a player's words, and the log of disclosures."""

from uuid import UUID

import msgspec

from services.ids import new_id, shard_of
from services.store.accounts import STAY
from services.store.connection import Lent
from services.store.reading import Asking

_ADD = "insert into dispute (dispute, shard, stream, player, claim) values ($1, $2, $3, $4, $5) on conflict do nothing"
_CLAIM = "select stream, player, claim from dispute where dispute = $1"
_DISCLOSE = """
    insert into disclosure (shard, stream, id, at, player, role, seat, operation, first, last, shown)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing"""
_DISCLOSED = """
    select at, player, role, seat, operation, first, last, shown, id from disclosure
    where shard = $1 and stream = $2 and (at, id) > ($3, $4) order by at, id limit $5"""

NO_ID = UUID(int=0)


class Claim(msgspec.Struct, frozen=True):
    """What ``player`` claims about a match; ``text`` is empty once the person is erased."""

    match: str
    player: str
    text: str


class Disclosure(msgspec.Struct, frozen=True):
    """``player`` (empty: nobody known, ``seat``: its own) was shown the events ``first`` to ``last`` by ``operation``.

    ``shown`` says through whose eyes: a seat, or ``all``; ``opened`` are cards of hands that are over.
    """

    match: str
    at: int
    player: str
    role: str
    seat: int | None
    operation: str
    first: int
    last: int
    shown: str
    id: str = ""


class Cases(Asking):
    async def put_claim(self, dispute: str, claim: Claim) -> None:
        """Keeps what is claimed, before the event that opens the case; a claim that is there stays as it is. Of whoever
        is erased by then nothing is kept but that there is one.
        """
        row = UUID(dispute), shard_of(claim.match), UUID(claim.match), claim.player

        async def put(lent: Lent) -> None:
            async with lent.transaction():
                erased = await lent.fetchval(STAY, claim.player)
                await lent.execute(_ADD, *row, "" if erased else claim.text)

        await self.ask(put)

    async def drop_claim(self, dispute: str) -> None:
        """Forgets a claim whose case was refused."""
        await self.ask(lambda lent: lent.execute("delete from dispute where dispute = $1", UUID(dispute)))

    async def claim_of(self, dispute: str) -> Claim | None:
        row = await self.ask(lambda lent: lent.fetchrow(_CLAIM, UUID(dispute)))
        return None if row is None else Claim(str(row[0]), row[1], row[2])

    async def disclose(self, entry: Disclosure) -> None:
        """Logs that somebody is about to be shown something; the same once more changes nothing."""
        key = shard_of(entry.match), UUID(entry.match), UUID(new_id())
        told = entry.at, entry.player, entry.role, entry.seat, entry.operation, entry.first, entry.last, entry.shown
        await self.ask(lambda lent: lent.execute(_DISCLOSE, *key, *told))

    async def disclosures(self, match: str, after: tuple[int, str] | None = None, limit: int = 200) -> list[Disclosure]:
        """What was logged of a match, oldest first, after the entry with that time and id."""
        at, last = (-1, NO_ID) if after is None else (after[0], UUID(after[1]))
        key = shard_of(match), UUID(match), at, last, limit
        rows = await self.ask(lambda lent: lent.fetch(_DISCLOSED, *key))
        return [msgspec.convert({"match": match, **row, "id": str(row["id"])}, Disclosure) for row in rows]
