"""Bots: players of the house. They choose among the legal moves and make them as anybody else does, by a command.

``runner`` plays their seats. How well a bot plays is its level (``levels``). A game that has the level ``heuristic``
has a module here with one function ``choose``: what the seat sees and what it may do now goes in, one of these moves
comes out. It gets the same view that a client gets, and nothing else of the match.
"""

from services.bots.levels import levels_of
from services.bots.runner import Bots

__all__ = ["Bots", "levels_of"]
