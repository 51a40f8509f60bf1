"""Osel, one against the rest: two games, one rule book. Start with RULES.md beside this file."""

from typing import Final, TypeAlias

from domain.game import Game
from domain.osel_solo import rules, score, state, view

Form: TypeAlias = Game[state.Options, state.State, rules.Move, state.Event, view.View]


def _form(name: str, seats: int) -> Form:
    """The form for ``seats`` players. Its talon and its exchange follow from their number."""
    return Game(
        id=name,
        seats=range(seats, seats + 1),
        options=state.Options,
        moves=(
            rules.Solo,
            rules.Pass,
            rules.ChooseVariant,
            rules.Give,
            rules.LayAway,
            rules.Exchange,
            rules.Return,
            rules.Play,
        ),
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
        book="osel_solo",
    )


TWO_AGAINST_ONE: Final = _form("osel-two-against-one", 3)
THREE_AGAINST_ONE: Final = _form("osel-three-against-one", 4)

GAMES: Final = (TWO_AGAINST_ONE, THREE_AGAINST_ONE)
