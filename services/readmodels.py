"""Questions to the read models. All raise ``Unavailable`` while the database is away.

Lists go by key, not by offset: what is added meanwhile neither repeats an item on the next page nor hides one. Of a
cursor that is none of a list's own its method raises ``BadRequest``.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from projections import live_tables, replays, score_sheets
from projections.live_tables import sql as live_sql
from projections.players import sql as players_sql
from projections.players.sql import PlayerMatch
from projections.projection import row_of
from services.cursors import key_in, page_of, unknown
from services.ids import shard_of
from services.store.store import Store

T = TypeVar("T")
Int8: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
"""A number that fits PostgreSQL's bigint, negated too."""

LIMIT: Final = 200
"""The longest page that is given."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    """``next`` is the cursor of the page after this one, None where there is none."""

    items: list[T]
    next: str | None


class Standing(msgspec.Struct, frozen=True):
    """A player's finished matches and how many of them it won, alone or with others."""

    player: str
    won: int
    finished: int


class ReadModels:
    """The read models in the database of ``store``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def lobby(
        self, status: str | None = None, game: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page[live_tables.Row]:
        """Live tables, the newest first. ``open`` has those that are revealing, too. Raises ``BadRequest``."""
        limit = _bounded(limit)
        asked = {name: value for name, value in (("status", status), ("game", game)) if value is not None}
        if status == "open":
            del asked["status"]
        text = (live_sql.WAITING if status == "open" else live_sql.LOBBY)[tuple(asked)]
        lines = await self._fetch(text, *_opened_cursor(cursor), limit + 1, *asked.values())
        return _page(lines, limit, _LIVE, lambda line: (line["opened"], str(line["match"])))

    async def score_sheet(self, match: str) -> score_sheets.Row | None:
        """None for a match that is unknown, or so new that it has not arrived yet."""
        return await self._one(score_sheets.NAME, match, _SHEET)

    async def replay_index(self, match: str) -> replays.Row | None:
        """None for a match that is unknown, or so new that it has not arrived yet."""
        return await self._one(replays.NAME, match, _REPLAY)

    async def tables(self, matches: Sequence[str]) -> dict[str, live_tables.Row]:
        """The live tables of those matches that have one already."""
        keys = [shard_of(match) for match in matches], [UUID(match) for match in matches]
        lines = await self._fetch(live_sql.SOME, *keys) if matches else []
        rows = [_LIVE.decode(line["body"]) for line in lines]
        return {row.match: row for row in rows}

    async def matches_of(self, player: str, limit: int = 50, cursor: str | None = None) -> Page[PlayerMatch]:
        """The matches in which a player has or had a seat at the start, the newest first. Raises ``BadRequest``."""
        limit = _bounded(limit)
        lines = await self._fetch(players_sql.HISTORY, player, *_opened_cursor(cursor), limit + 1)
        return _page(lines, limit, _HISTORY, lambda line: (line["opened"], str(line["match"])))

    async def leaderboard(self, game: str | None = None, limit: int = 50, cursor: str | None = None) -> Page[Standing]:
        """Players by matches won, and among equals by fewer matches finished. Raises ``BadRequest``."""
        won, finished, player = key_in(cursor, tuple[Int8, Int8, str]) or (None, None, None)
        if "\0" in (player or ""):
            raise unknown()
        limit = _bounded(limit)
        lines = await self._fetch(players_sql.LEADERBOARD, game, won, finished, player, limit + 1)
        page, after = page_of(lines, limit, lambda line: (line["won"], line["finished"], line["player"]))
        return Page([Standing(*line) for line in page], after)

    async def due(self, now: int) -> list[tuple[str, int]]:
        """Matches whose deadline, in milliseconds since 1970, may not be after ``now``, each with the version at which
        that is so; the longest overdue first.
        """
        return [(str(line[0]), line[1]) for line in await self._fetch(live_sql.DUE, now)]

    async def bot_tables(self) -> list[str]:
        """Matches with a bot on a seat that are not over."""
        return [str(line[0]) for line in await self._fetch(live_sql.BOTS)]

    async def _fetch(self, text: str, *arguments: object) -> list[Any]:
        known = [_storable(value) for value in arguments]
        return await self._store.ask(lambda lent: lent.fetch(text, *known))

    async def _one(self, name: str, match: str, decoder: "msgspec.json.Decoder[T]") -> T | None:
        """Raises ``ValueError`` for what is not a UUID."""
        key = shard_of(match), UUID(match)
        line = await self._store.ask(lambda lent: lent.fetchrow(row_of(name), *key))
        return None if line is None else decoder.decode(line["body"])


_LIVE: Final = msgspec.json.Decoder(live_tables.Row)
_SHEET: Final = msgspec.json.Decoder(score_sheets.Row)
_REPLAY: Final = msgspec.json.Decoder(replays.Row)
_HISTORY: Final = msgspec.json.Decoder(PlayerMatch)


def _bounded(limit: int) -> int:
    return max(1, min(limit, LIMIT))


def _page(
    lines: Sequence[Any], limit: int, decoder: "msgspec.json.Decoder[T]", key: Callable[[Any], tuple[Any, ...]]
) -> Page[T]:
    page, after = page_of(lines, limit, key)
    return Page([decoder.decode(line["body"]) for line in page], after)


_NEWEST: Final = (2**62, UUID(int=2**128 - 1))


def _opened_cursor(text: str | None) -> tuple[int, UUID]:
    """Where a page begins: behind a match, or at the newest of all."""
    return key_in(text, tuple[Int8, UUID]) or _NEWEST


def _storable(value: object) -> object:
    """A text that PostgreSQL cannot hold is in no row: it becomes one that it can hold and that is in none either."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
