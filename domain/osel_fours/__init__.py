"""Osel, fours: the first of the two games of that name. Start with RULES.md beside this file."""

from typing import Final

from domain.game import Game
from domain.osel_fours import rules, score, state, view

GAME: Final[Game[state.Options, state.State, rules.Move, state.Event, view.View]] = Game(
    id="osel-fours",
    seats=range(2, 14),
    options=state.Options,
    moves=(rules.Swap,),
    events=state.EVENTS,
    draws=frozenset({state.CardsDealt}),
    check=rules.check,
    initial=state.initial,
    to_act=rules.to_act,
    chance=rules.chance,
    legal=rules.legal,
    attempts=rules.attempts,
    decide=rules.decide,
    evolve=state.evolve,
    hands=lambda table: table.scored,
    totals=lambda table: table.totals,
    outcome=rules.outcome,
    ranking=score.ranking,
    view=view.view,
    fallback=rules.fallback,
)
