"""Two-handed Spades with the draft. Start with RULES.md beside this file."""

from typing import Final

from domain.game import Game
from domain.spades_two import rules, score, state, view

GAME: Final[Game[state.Options, state.State, rules.Move, state.Event, view.View]] = Game(
    id="spades-two",
    seats=range(2, 3),
    options=state.Options,
    moves=(rules.DoubleNil, rules.Keep, rules.Reject, rules.Exchange, rules.Bid, rules.Play),
    events=state.EVENTS,
    draws=frozenset({state.StockShuffled, state.ReplacementsDrawn}),
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
