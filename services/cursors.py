"""Cursors: where the next page of a list begins. What is in one is the list's own affair, and no promise to anybody."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from domain.hidden import b64u, unb64u
from services.problems import BadRequest

T = TypeVar("T")


def page_of(rows: Sequence[T], limit: int, key: Callable[[T], tuple[Any, ...]]) -> tuple[Sequence[T], str | None]:
    """The first ``limit`` of ``rows``, and the cursor behind them if there are more."""
    page = rows[:limit]
    return page, cursor_of(key(page[-1])) if len(rows) > limit else None


def cursor_of(key: tuple[Any, ...]) -> str:
    """The cursor of what comes behind the item with that key."""
    return b64u(msgspec.json.encode(key))


def key_in(cursor: str | None, kind: type[T]) -> T | None:
    """The key that a list of keys of that kind has written; None at the beginning. Raises ``BadRequest`` for others."""
    if cursor is None:
        return None
    try:
        return msgspec.json.decode(unb64u(cursor), type=kind)
    except ValueError as error:
        raise unknown() from error


def unknown() -> BadRequest:
    """What is said of a cursor that this list did not give out."""
    return BadRequest("cursor: this cursor was not given out by this list")
