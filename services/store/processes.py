"""The processes on one database: that each lives, and who has a stream open in it."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from services.store.reading import Asking

_SECONDS: Final = 2.0
"""How long is waited for an answer: what is asked here is soon asked again."""
_PARTING_SECONDS: Final = 1.0
_BEAT: Final = """
with beat as (
  insert into process (id, seen) values ($1, clock_timestamp()) on conflict (id) do update set seen = excluded.seen
), gone as (
  delete from process where id in (
    select id from process where id <> $1 and seen < clock_timestamp() - interval '1 minute' for update skip locked)
  returning id
), absent as (
  delete from presence using gone where presence.process = gone.id
)
select id from process where id <> $1 and seen > clock_timestamp() - make_interval(secs => $2)
"""
_LEAVE: Final = """
with gone as (delete from process where id = $1)
delete from presence where process = $1
"""
_TELL: Final = """
with told as (select * from unnest($2::uuid[], $3::text[], $4::int[]) u(match, player, streams)),
gone as (
  delete from presence p using told
  where p.process = $1 and p.match = told.match and p.player = told.player and told.streams = 0
)
insert into presence (match, process, player, streams) select match, $1, player, streams from told where streams > 0
on conflict (match, process, player) do update set streams = excluded.streams
"""
_AFRESH: Final = """
with told as (select * from unnest($2::uuid[], $3::text[], $4::int[]) u(match, player, streams)),
gone as (
  delete from presence p where p.process = $1
  and not exists (select from told where told.match = p.match and told.player = p.player)
)
insert into presence (match, process, player, streams) select match, $1, player, streams from told
on conflict (match, process, player) do update set streams = excluded.streams
"""
_ELSEWHERE: Final = """
select player, sum(streams)::int as streams from presence join process on process.id = presence.process
where match = $1 and process <> $2 and seen > clock_timestamp() - make_interval(secs => $3) group by player
"""


class Processes(Asking):
    async def beat(self, process: str, within: float) -> frozenset[str]:
        """Says that ``process`` lives, by the clock of the database; the others that have said so ``within`` so many
        seconds. What is left of one that has said nothing for a minute is removed.
        """
        key = UUID(process)
        lines = await self.ask(lambda lent: lent.fetch(_BEAT, key, within), _SECONDS)
        return frozenset(str(line[0]) for line in lines)

    async def leave(self, process: str) -> None:
        """Removes ``process`` and who is there by it."""
        await self.ask(lambda lent: lent.execute(_LEAVE, UUID(process)), _PARTING_SECONDS)

    async def tell_presence(
        self, process: str, streams: Mapping[tuple[str, str], int], *, afresh: bool = False
    ) -> None:
        """How many streams each player has open at each match in ``process``, by match and player; 0 for none any more.

        ``afresh`` says that these are all there are: what was told before is forgotten.
        """
        told = sorted((match, player, count) for (match, player), count in streams.items())
        columns = [UUID(match) for match, _, _ in told], [key for _, key, _ in told], [count for _, _, count in told]
        statement = _AFRESH if afresh else _TELL
        await self.ask(lambda lent: lent.execute(statement, UUID(process), *columns), _SECONDS)

    async def presence(self, match: str, besides: str, within: float) -> dict[str, int]:
        """How many streams each player has open at ``match`` in the processes but ``besides``, if they have said
        ``within`` so many seconds that they live.
        """
        question = UUID(match), UUID(besides), within
        lines = await self.ask(lambda lent: lent.fetch(_ELSEWHERE, *question), _SECONDS)
        return {line["player"]: line["streams"] for line in lines}
