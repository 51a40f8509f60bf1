"""One move of one player, whichever way it came: alone, in a batch or through a socket."""

from typing import Final

from domain.game import Refused
from services.api.context import Context
from services.api.problem_types import PAGES
from services.api.refusals import Allowance, explanation
from services.problems import BadRequest, KeyReused, VersionMismatch
from services.requests import Done
from services.store.records import Unavailable

_GAMES_KEPT: Final = 100_000
_RESULTS: Final[dict[type[Exception], str]] = {
    BadRequest: "not-understood",
    KeyReused: "key-reused",
    Unavailable: "unavailable",
}
"""What became of a move that no rule refused, in the words of the types of problems."""


async def moved(
    context: Context,
    match: str,
    player: str,
    body: bytes,
    key: str | None,
    named: frozenset[int] | None,
    accept: str | None,
    allowance: Allowance | None = None,
) -> Done:
    """Makes the move that ``body`` says, if the match is at one of the versions ``named``.

    Raises what a request for that move is answered with; ``accept`` are the languages that the player likes, and
    ``allowance`` has the missed events that may be told.
    """
    expected = None if named is None else await _expected(context, match, named)
    game = await game_of(context, match)
    try:
        done = await context.matches.move(match, player, body, key, expected)
    except (VersionMismatch, Refused) as error:
        why = await explanation(context, match, player, error, accept, expected, allowance)
        context.metrics.moved(game, why.problem.type.removeprefix(PAGES))
        raise why from error
    except (BadRequest, KeyReused, Unavailable) as error:
        context.metrics.moved(game, _RESULTS[type(error)])
        raise
    context.metrics.moved(game, "replayed" if done.replayed else "accepted")
    return done


async def game_of(context: Context, match: str) -> str:
    """The game of a match, which never changes: asked once."""
    known = context.games.get(match)
    if known is None:
        if len(context.games) >= _GAMES_KEPT:
            context.games.clear()
        known = context.games[match] = (await context.matches.state(match)).game
    return known


async def _expected(context: Context, match: str, named: frozenset[int]) -> int:
    """The one of the versions named that the match is at; if it is at none of them, one at which it is not."""
    if len(named) > 1:
        version = (await context.matches.state(match)).version
        if version in named:
            return version
    return max(named)
