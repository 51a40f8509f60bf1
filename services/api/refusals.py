"""What a client is told when a match says no: the clause, and what it could do or has missed."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from domain.game import OutOfTurn, Refused
from domain.match import seating
from domain.match.clock import TooLate
from services.api.context import Context
from services.api.languages import preferred
from services.api.problem_types import MISSED
from services.api.problems import LANGUAGE, Trouble, refusal, trouble
from services.disclosure import shown
from services.moves import moves_of
from services.problems import VersionMismatch
from services.rulebooks import clause_text, languages_of

HINTS: Final = 8


class Allowance:
    """How many missed events an answer may still carry."""

    def __init__(self, left: int = MISSED) -> None:
        self.left = left


@asynccontextmanager
async def explained(context: Context, match: str, player: str, accept: str | None) -> AsyncIterator[None]:
    """Turns what the engine refuses into problems that tell ``player`` why: see ``explanation``."""
    try:
        yield
    except (VersionMismatch, Refused) as error:
        raise await explanation(context, match, player, error, accept) from error


async def explanation(
    context: Context,
    match: str,
    player: str,
    error: VersionMismatch | Refused,
    accept: str | None,
    expected: int | None = None,
    allowance: Allowance | None = None,
) -> Trouble:
    """What tells ``player`` why the engine refused. ``expected`` is the client's version; ``accept`` the languages that
    it likes, as ``Accept-Language`` says them. What it carries of missed events is taken from ``allowance``.
    """
    allowance = allowance or Allowance()
    if isinstance(error, Refused):
        context.metrics.refused(error)
        return await _refused(context, match, player, error, accept, expected, allowance)
    stranger = await _stranger(context, match, player)
    if stranger is not None:  # whether the version was right would tell how far the match is
        return await _refused(context, match, player, stranger, accept, None, allowance)
    events = await _missed(context, match, player, error.expected, allowance)
    return trouble("version-mismatch", str(error), version=error.version, events=events)


def refused_opening(refused: Refused, accept: str | None) -> Trouble:
    """Why a match cannot be opened like this."""
    return refusal(refused, *_text(refused, accept), 0, [], [])


async def _refused(
    context: Context,
    match: str,
    player: str,
    refused: Refused,
    accept: str | None,
    expected: int | None,
    allowance: Allowance,
) -> Trouble:
    state = await context.matches.state(match)
    hint: list[msgspec.Raw] = []
    seat = seating.seat_of(state, player)
    # Hints are of this very state: the player may have left meanwhile.
    if seat is not None and not isinstance(refused, OutOfTurn | TooLate):
        hint = [msgspec.Raw(msgspec.json.encode(move)) for move in moves_of(state, seat).moves[:HINTS]]
    events = [] if expected is None else await _missed(context, match, player, expected, allowance)
    version = seating.public_version(state) if seat is None else state.version
    return refusal(refused, *_text(refused, accept), version, hint, events)


async def _stranger(context: Context, match: str, player: str) -> Refused | None:
    """What whoever has no seat is told instead of the version of a match that not everybody may watch as it is."""
    state = await context.matches.state(match)
    if state.spectators == "open":
        return None
    try:
        seating.own_seat(state, player)
    except seating.NotYours as refused:
        return refused
    return None


async def _missed(context: Context, match: str, player: str, after: int, allowance: Allowance) -> list[msgspec.Raw]:
    limit, allowance.left = allowance.left, 0  # nobody else may take them while they are read
    events = await context.store.events(match, after=after, limit=limit) if limit else []
    allowance.left += limit - len(events)
    if not events:
        return []
    openings = await context.store.openings(match, after=after, until=events[-1].version)
    state, head = await context.matches.head(match)
    seat = seating.seat_of(state, player)
    if seat is None and state.spectators == "none":
        return []  # a conflict must not show what the match itself would not
    if seat is None:
        state, _ = await context.matches.past.public(state, head)
        events = [event for event in events if event.version <= state.version]
    return raws(tuple(shown(events, openings, seating.viewer_of(seat), state.opened)))


def clause_words(rulebook: str, clause: str, accept: str | None) -> tuple[str, str]:
    """The clause in words, and their language. What a rule book does not have has no words."""
    try:
        language = preferred(accept, languages_of(rulebook))
        return clause_text(rulebook, clause, language), language
    except KeyError:
        return "", LANGUAGE


def _text(refused: Refused, accept: str | None) -> tuple[str, str]:
    """The clause of a refusal. One that is in no rule book is told by the reason alone."""
    return clause_words(refused.rulebook, refused.clause, accept)


def raws(events: Sequence[bytes]) -> list[msgspec.Raw]:
    """Events that are JSON already, to be put into an answer as they are."""
    return [msgspec.Raw(event) for event in events]
