"""What a client is told when a match says no: the clause, and what it could do or has missed."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from domain.game import OutOfTurn, Refused, Viewer
from domain.match import rules
from services.api.context import Context
from services.api.problems import Trouble, refusal, trouble
from services.disclosure import shown
from services.problems import VersionMismatch
from services.rulebooks import clause_text

HINTS: Final = 8
MISSED: Final = 200
"""How many of the events that a client has missed a conflict carries at most."""


@asynccontextmanager
async def explained(context: Context, match: str, player: str, expected: int | None = None) -> AsyncIterator[None]:
    """Turns what the engine refuses into problems that tell ``player`` why. ``expected`` is the client's version."""
    try:
        yield
    except VersionMismatch as error:
        events = await _missed(context, match, player, error.expected)
        raise trouble("version-mismatch", str(error), version=error.version, events=events) from error
    except Refused as refused:
        raise await _refused(context, match, player, refused, expected) from refused


def refused_opening(refused: Refused) -> Trouble:
    """Why a match cannot be opened like this."""
    return refusal(refused, _text(refused), 0, [], [])


async def _refused(context: Context, match: str, player: str, refused: Refused, expected: int | None) -> Trouble:
    state = await context.matches.state(match)
    hint: list[msgspec.Raw] = []
    if rules.seat_of(state, player) is not None and not isinstance(refused, OutOfTurn):
        legal = await context.matches.legal(match, player)
        hint = [msgspec.Raw(msgspec.json.encode(move)) for move in legal.moves[:HINTS]]
    events = [] if expected is None else await _missed(context, match, player, expected)
    return refusal(refused, _text(refused), state.version, hint, events)


async def _missed(context: Context, match: str, player: str, after: int) -> list[msgspec.Raw]:
    events = await context.store.events(match, after=after, limit=MISSED)
    if not events:
        return []
    openings = await context.store.openings(match, after=after, until=events[-1].version)
    state = await context.matches.state(match)
    seat = rules.seat_of(state, player)
    viewer: Viewer = "public" if seat is None else seat
    return raws(tuple(shown(events, openings, viewer, state.opened)))


def _text(refused: Refused) -> str:
    """The clause in words; a clause that the rule book does not have is said by the reason alone."""
    try:
        return clause_text(refused.rulebook, refused.clause)
    except KeyError:
        return ""


def raws(events: Sequence[bytes]) -> list[msgspec.Raw]:
    """Events that are JSON already, to be put into an answer as they are."""
    return [msgspec.Raw(event) for event in events]
