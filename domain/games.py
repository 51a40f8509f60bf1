"""Every game there is, by its id. Adding a game ends with one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from domain import osel_fours, osel_solo, osel_trumps, spades_two, whos_the_ass
from domain.game import AnyGame

GAMES: Mapping[str, AnyGame] = MappingProxyType(
    {
        game.id: game
        for game in (
            whos_the_ass.GAME,
            spades_two.GAME,
            osel_fours.GAME,
            osel_trumps.GAME,
            *osel_solo.GAMES,
        )
    }
)
