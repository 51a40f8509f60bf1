"""Given these events, when this command, then those events, or this refusal."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import pytest

from domain.game import AnyGame, OutOfTurn, Refused, Seat, Viewer


@dataclass(frozen=True)
class Given:
    """A game and the state that its events have led to."""

    game: AnyGame
    state: Any

    def after(self, *turns: tuple[Seat, Any]) -> "Given":
        """The same table after these commands, each of which the rules accept."""
        table = self
        for seat, command in turns:
            table = table.with_events(*table.game.decide(table.state, seat, command))
        return table

    def with_events(self, *events: Any) -> "Given":
        return Given(self.game, reduce(self.game.evolve, events, self.state))

    def when(self, seat: Seat, command: Any) -> "When":
        return When(self, seat, command)

    def seen_by(self, viewer: Viewer) -> Any:
        return self.game.view(self.state, viewer)

    def legal(self, seat: Seat) -> list[Any]:
        return [*self.game.legal(self.state, seat)]


@dataclass(frozen=True)
class When:
    """A command on a table, not yet decided."""

    given: Given
    seat: Seat
    command: Any

    def then(self, *expected: Any) -> Given:
        """These events and no others follow; the table after them."""
        events = self.events()
        assert events == list(expected)
        return self.given.with_events(*events)

    def refused(self, clause: str) -> str:
        """The rules say no, by this clause, though the seat is due; the reason."""
        with pytest.raises(Refused) as caught:
            self.events()
        assert caught.value.clause == clause
        assert not isinstance(caught.value, OutOfTurn)
        return caught.value.reason

    def out_of_turn(self, clause: str) -> None:
        with pytest.raises(OutOfTurn) as caught:
            self.events()
        assert caught.value.clause == clause

    def events(self) -> list[Any]:
        events: list[Any] = self.given.game.decide(self.given.state, self.seat, self.command)
        return events


def given(game: AnyGame, *events: Any, seats: int | None = None, options: Any = None) -> Given:
    """A table of ``game`` with as few seats as it allows and its default options, unless others are named."""
    start = game.initial(options or game.options(), seats or game.seats[0])
    return Given(game, start).with_events(*events)
