"""Games and rules: what can be played here, and by which rules."""

from functools import cache
from typing import Any, Final

from litestar import Controller, Request, Response, get

from domain.game import AnyGame
from domain.games import GAMES
from services.api.answers import answer, fingerprint, unchanged
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.languages import preferred
from services.api.reading import header, no_query
from services.api.schemas import move_schema, options_schema
from services.api.shapes import Bounds, GameInfo
from services.bots import levels_of
from services.narration import languages, title_of
from services.problems import NotFound
from services.rulebooks import DEFAULT, Rulebook, languages_of, rulebook

_TAG: Final = "Games and rules"
_KEEP: Final = "public, max-age=300"

_LIST: Final = Operation(
    name="listGames",
    tag=_TAG,
    summary="List the games",
    description=(
        "Every game with its seats, its options (JSON Schema, with defaults and bounds) and its moves. "
        "`Accept-Language` chooses the language of the titles; the descriptions of options and moves are in English."
    ),
    token="none",  # noqa: S106 - no token is needed
    headers=("Accept-Language",),
    answers=(
        json_answer(200, "The games.", list[GameInfo], "ETag", "Content-Language", "Cache-Control"),
        NOT_MODIFIED,
    ),
)
_RULES: Final = Operation(
    name="readRulebook",
    tag=_TAG,
    summary="Read the rules of a game",
    description=(
        "The rules as numbered clauses: what a refusal means when it names a clause. The rule book `match` has those "
        "around every game: seats, seeds, the clock, resigning. `Accept-Language` chooses the language."
    ),
    token="none",  # noqa: S106
    headers=("Accept-Language",),
    answers=(
        json_answer(200, "The rule book.", Rulebook, "ETag", "Content-Language", "Cache-Control"),
        NOT_MODIFIED,
    ),
    problems=("not-found",),
)


class GamesController(Controller):
    path = "/v1/games"

    @get("/", opt=described(_LIST))
    async def games(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        language = preferred(header(request, "Accept-Language"), languages())
        found = answer([_info(game, language) for game in GAMES.values()])
        headers = {
            "ETag": f'"{fingerprint(found.content)}.{language}"',
            "Cache-Control": _KEEP,
            "Content-Language": ", ".join(dict.fromkeys((language, DEFAULT))),
            "Vary": "Accept-Language",
        }
        found.headers.update(headers)
        return unchanged(request, headers) or found

    @get("/{game:str}/rulebook", opt=described(_RULES))
    async def rulebook(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        game = str(request.path_params["game"])
        if game not in GAMES and game != "match":
            raise NotFound("game")
        book = rulebook(game, preferred(header(request, "Accept-Language"), languages_of(game)))
        found = answer(book)
        headers = {
            "ETag": f'"{fingerprint(found.content)}.{book.language}"',
            "Cache-Control": _KEEP,
            "Content-Language": book.language,
            "Vary": "Accept-Language",
        }
        found.headers.update(headers)
        return unchanged(request, headers) or found


@cache
def _schemas(game: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return options_schema(GAMES[game]), move_schema(GAMES[game])


def _info(game: AnyGame, language: str) -> GameInfo:
    options, moves = _schemas(game.id)
    return GameInfo(
        id=game.id,
        title=title_of(game.id, language),
        seats=Bounds(game.seats[0], game.seats[-1]),
        options=options,
        moves=moves,
        rulebook=f"/v1/games/{game.id}/rulebook",
        bots=list(levels_of(game.id)),
    )
