"""What is settled once by whoever comes first: secrets, and which match a creation key stands for."""

import secrets
from uuid import UUID

from services.ids import shard_of
from services.store.connection import Lent
from services.store.reading import Asking


class Claims(Asking):
    """Every method first tries to write and then reads what holds: later callers get the first one's answer."""

    async def put_secret(self, match: str, secret: bytes) -> bytes:
        """Keeps ``secret`` as the service's secret of a match unless there is one; the one that holds."""
        key = shard_of(match), UUID(match)

        async def settle(lent: Lent) -> bytes:
            await lent.execute("insert into match_secret values ($1, $2, $3) on conflict do nothing", *key, secret)
            held: bytes = await lent.fetchval(_SECRET, *key)
            return held

        return await self.ask(settle)

    async def secret(self, match: str) -> bytes | None:
        """The service's secret of a match, if it has one. Nobody may learn it before the hand it dealt is over."""
        key = shard_of(match), UUID(match)
        held: bytes | None = await self.ask(lambda lent: lent.fetchval(_SECRET, *key))
        return held

    async def claim(self, player: str, key_digest: bytes, fingerprint: bytes, match: str) -> tuple[str, bytes]:
        """Makes a creation idempotent: the match and request fingerprint that ``player`` first used the key with."""

        async def settle(lent: Lent) -> tuple[str, bytes]:
            row = await lent.fetchrow(_CLAIM, player, key_digest, fingerprint, UUID(match))
            row = row or await lent.fetchrow(_CLAIMED, player, key_digest)
            if row is None:
                raise LookupError("a claim has vanished")
            return str(row[0]), row[1]

        return await self.ask(settle)

    async def server_secret(self) -> bytes:
        """32 random bytes, made by the first start on a database and the same for every process ever after."""

        async def settle(lent: Lent) -> bytes:
            own = secrets.token_bytes(32)
            await lent.execute("insert into server_secret (secret) values ($1) on conflict do nothing", own)
            held: bytes = await lent.fetchval("select secret from server_secret")
            return held

        return await self.ask(settle)


_SECRET = "select secret from match_secret where shard = $1 and stream = $2"  # noqa: S105
_CLAIM = """
    insert into claim (player, key, fingerprint, stream) values ($1, $2, $3, $4) on conflict do nothing
    returning stream, fingerprint"""
_CLAIMED = "select stream, fingerprint from claim where player = $1 and key = $2"
