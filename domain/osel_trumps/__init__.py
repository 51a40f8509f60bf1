"""Osel, trumps: the second game of the Osel book. Start with RULES.md beside this file."""

from typing import Final

from domain.game import Game
from domain.osel_trumps import rules, state, view

GAME: Final[Game[state.Options, state.State, rules.Move, state.Event, view.View]] = Game(
    id="osel-trumps",
    seats=range(2, 5),
    options=state.Options,
    moves=(rules.ChooseTrump, rules.Claim, rules.Decline, rules.Play),
    events=state.EVENTS,
    draws=frozenset({state.LotsDrawn, state.CardsDealt}),
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
    view=view.view,
    fallback=rules.fallback,
    active=lambda table: table.active,
)
