"""The match around a game. Start with RULES.md beside this file."""

from typing import Final

from domain.event import Registry
from domain.games import GAMES
from domain.match.state import EVENTS as MATCH_EVENTS

EVENTS: Final = Registry((*MATCH_EVENTS, *(entry for game in GAMES.values() for entry in game.events)))
"""Every type of event that a stream can hold: lifecycle events and game events share one stream."""
