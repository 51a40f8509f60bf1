"""Who's the Ass? Start with RULES.md beside this file."""

from typing import Final

from domain.game import Game
from domain.whos_the_ass import rules, score, state, view

GAME: Final[Game[state.Options, state.State, rules.Move, state.Event, view.View]] = Game(
    id="whos-the-ass",
    seats=range(3, 13),
    options=state.Options,
    moves=(rules.Play, rules.Pass),
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
