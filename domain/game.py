"""What a game is: the functions that every rule book supplies, and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import msgspec

from domain.event import EventType

T = TypeVar("T")

Seat: TypeAlias = int
"""Seats are numbered from 0, clockwise."""

DEALER: Final = -1
"""The seat of chance. The service acts for it, never a player."""

ALONE: Final[Mapping[Seat, frozenset[Seat]]] = MappingProxyType(
    {seat: frozenset({seat}) for seat in (DEALER, *range(64))}
)
"""For each seat and the dealer, who is due when nobody else is."""

NOBODY: Final[frozenset[Seat]] = frozenset()

Viewer: TypeAlias = Seat | Literal["public", "all"]
"""Who looks: a seat, anybody, or (once a hand is over) somebody who may see every card."""


class Drawn(msgspec.Struct, frozen=True):
    """The dealer's one move, and the only way that chance and time enter a game.

    ``lists`` are the lists that the game's ``chance`` named, each in random order; ``elapsed`` is the time in
    milliseconds since the match started.
    """

    lists: tuple[tuple[str, ...], ...]
    elapsed: int = 0


def is_drawn_from(drawn: Drawn, named: tuple[tuple[str, ...], ...]) -> bool:
    """Whether ``drawn`` has each list that was ``named``, in whatever order."""
    return len(drawn.lists) == len(named) and all(map(_same_cards, drawn.lists, named))


def _same_cards(got: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    if len(got) != len(asked):
        return False
    wanted = {*asked}
    return wanted == {*got} if len(wanted) == len(asked) else sorted(got) == sorted(asked)  # sets are quicker


def with_entry(entries: tuple[T, ...], seat: Seat, entry: T) -> tuple[T, ...]:
    """``entries``, one for each seat, with that of ``seat`` changed."""
    changed = list(entries)
    changed[seat] = entry
    return tuple(changed)


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended: the seats in groups of equals, the best group first."""

    ranking: tuple[tuple[Seat, ...], ...]


class Refused(Exception):
    """A command that the rules do not allow. ``clause`` is the number of the clause in RULES.md that it rests on.

    ``rulebook`` is the id of the game whose clause it is; a match sets it for what its game refuses.
    """

    def __init__(self, clause: str, reason: str) -> None:
        super().__init__(f"{reason} (clause {clause})")
        self.clause = clause
        self.reason = reason
        self.rulebook = "match"


class OutOfTurn(Refused):
    """A seat that has nothing to do now wanted to act."""


class GameMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", gc=False):
    """Base of the moves of every game. The seat is never in a move: it comes from the session.

    ``gc=False``: no cycle runs through cards, so the garbage collector need not look at moves, of which there are many.
    """


Options = TypeVar("Options")
State = TypeVar("State")
Move = TypeVar("Move", bound=GameMove)
Event = TypeVar("Event", bound=msgspec.Struct)
View = TypeVar("View", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[Options, State, Move, Event, View]):
    """One game, filled in once in the ``__init__.py`` of its folder.

    Laws, kept by ``tests/domain/test_every_game.py``: ``legal`` lists exactly what ``decide`` accepts, identical cards
    once; a seat not in ``to_act`` can do nothing; ``evolve`` copies and never refuses; one draw makes at most one event
    of a type in ``draws`` (none if the game ends instead), and no other command makes such an event.
    """

    id: str
    seats: range
    options: type[Options]  # every field has a default, bounds and a description: the JSON Schema comes from it
    moves: tuple[type[Move], ...]
    events: tuple[EventType, ...]
    draws: frozenset[type[Event]]  # the events that use up a draw of ``chance``
    check: Callable[[Options, int], None]  # refuses options that do not fit each other or the number of seats
    initial: Callable[[Options, int], State]
    to_act: Callable[[State], frozenset[Seat]]  # a set: sealed swaps have two. {DEALER} = chance is due
    chance: Callable[[State], tuple[tuple[str, ...], ...]]  # lists to put in random order, index 0 on top
    legal: Callable[[State, Seat], Sequence[Move]]  # every legal move
    attempts: Callable[[State, Seat], list[Move]]  # for each card and each plain move, the plainest try: why not?
    decide: Callable[[State, Seat, Move | Drawn], list[Event]]
    evolve: Callable[[State, Event], State]
    hands: Callable[[State], int]  # how many hands have been played out and scored
    totals: Callable[[State], tuple[int, ...]]  # the running score of each seat
    outcome: Callable[[State], Outcome | None]
    view: Callable[[State, Viewer], View]
    fallback: Callable[[State, Seat], Move]  # what is played for an absent seat
    book: str = ""
    active: Callable[[State], tuple[Seat, ...]] | None = None  # the seats still in the match; None: nobody is put out
    ranking: Callable[[tuple[int, ...]], tuple[tuple[Seat, ...], ...]] | None = None
    """The ranking that totals alone make at the end of a match, the best group first; None: it takes more."""

    @property
    def folder(self) -> str:
        """Where its rule book lies under ``domain``: ``book``, for a form of a game, or else named after the id."""
        return self.book or self.id.replace("-", "_")


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]


def wrong_option(game: AnyGame, given: Mapping[str, Any]) -> str | None:
    """What is wrong with the first of ``given`` that is no option of ``game`` or out of its bounds; None if all fit.

    Names the option as ``options.name``, and its bounds or the values that it can have.
    """
    known = {field.encode_name: field.type for field in msgspec.structs.fields(game.options)}
    for name, value in given.items():
        if name not in known:
            return f"options.{name[:40]} is not an option of {game.id}; those are {', '.join(known)}"
        try:
            msgspec.convert(value, known[name])
        except msgspec.ValidationError as error:
            return f"options.{name} is {_wanted(known[name]) or f'wrong: {error}'}"
    return None


def _wanted(kind: Any) -> str:
    """What a value of type ``kind`` is, in words; empty if there are none for it."""
    match msgspec.json.schema(kind):
        case {"enum": list(values)}:
            return f"one of {', '.join(map(str, values))}"
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"a whole number from {least} to {most}"
        case {"type": "boolean"}:
            return "true or false"
        case _:
            return ""
