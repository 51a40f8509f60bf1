"""The facts of Who's the Ass?: the pack, the events that are stored, and the state they add up to.

Names and fields of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses
nothing.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias, assert_never

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.cards import Card, without
from domain.derived import derived
from domain.event import EventType
from domain.game import Seat, with_entry
from domain.hidden import Hidden

JOKER: Final = Card("J")
ASS: Final = Card("ASS")
NUMBERS: Final = tuple(Card(str(number)) for number in range(1, 14))
COPIES: Final = 8
"""How many cards of each number there are."""

JOKERS: Final = 5

PACK: Final = tuple(card for card in NUMBERS for _ in range(COPIES)) + (JOKER,) * JOKERS
"""The 109 cards without the ass, in the order in which the dealer names them."""

HIGHEST: Final = 14
"""The value of a joker by itself."""

VALUES: Final[Mapping[Card, int]] = MappingProxyType({card: int(card) for card in NUMBERS} | {JOKER: HIGHEST, ASS: 0})
"""What a card is worth when it is played by itself."""

_PLACES: Final = {card: place for place, card in enumerate((*NUMBERS, JOKER, ASS))}

CARDS_EACH: Final[Mapping[int, int]] = MappingProxyType(
    {3: 13, 4: 13, 5: 13, 6: 13, 7: 13, 8: 13, 9: 12, 10: 11, 11: 10, 12: 9}
)
"""Cards dealt to each player, by the number of players."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a table may choose."""

    games: Annotated[int, Meta(ge=1, le=20, description="How many games (deals) a match has at most.")] = 5
    time_limit_min: Annotated[
        int,
        Meta(
            ge=0,
            le=600,
            description="After this many minutes no further game is dealt; the one under way is finished. 0: no limit.",
        ),
    ] = 0
    ass_round_joker: Annotated[
        Literal["choose", "always_one"],
        Meta(description="In an ass round a joker counts 1 or 14 as its player chooses, or always 1."),
    ] = "choose"
    dealer: Annotated[
        Literal["rotate", "fixed"],
        Meta(description="The deal moves one seat to the left after each game, or the same seat deals every game."),
    ] = "rotate"


class CardsDealt(msgspec.Struct, frozen=True):
    """Game number ``hand`` begins. ``starter`` holds the ass; ``undealt`` are the cards left out, for nobody to see."""

    hand: int
    dealer: Seat
    starter: Seat
    hands: tuple[Hidden[tuple[Card, ...]], ...]
    undealt: Hidden[tuple[Card, ...]]


class ScorekeeperChosen(msgspec.Struct, frozen=True):
    """By lot, before the first deal of a match."""

    seat: Seat


class CardsPlayed(msgspec.Struct, frozen=True, gc=False):
    """A lead, a raise, or the card of a seat in an ass round. ``value`` is what each of the cards counts."""

    seat: Seat
    cards: tuple[Card, ...]
    value: int


class Passed(msgspec.Struct, frozen=True, gc=False):
    seat: Seat


class AssPlayed(msgspec.Struct, frozen=True):
    """The starting player leads the ass: an ass round begins."""

    seat: Seat


class RoundWon(msgspec.Struct, frozen=True, gc=False):
    """A normal round is over. ``seat`` played the highest ``value`` and starts; ``discarded`` cards go to the pile."""

    seat: Seat
    value: int
    discarded: int


class AssCardsTaken(msgspec.Struct, frozen=True):
    """An ass round is over. ``seat`` takes ``cards``, all of the round, starts, and may not lead the ass next."""

    seat: Seat
    cards: tuple[Card, ...]


class HandScored(msgspec.Struct, frozen=True):
    """Game number ``hand`` is over. Minus ``points`` of it and ``totals`` after it, a seat each; ``ass`` is the ass."""

    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    ass: Seat


class MatchWon(msgspec.Struct, frozen=True):
    """No more games are played. ``winners`` have the lowest total."""

    winners: tuple[Seat, ...]
    totals: tuple[int, ...]


Event: TypeAlias = (
    CardsDealt | ScorekeeperChosen | CardsPlayed | Passed | AssPlayed | RoundWon | AssCardsTaken | HandScored | MatchWon
)

EVENTS: Final = (
    EventType(101, CardsDealt, mark="deal"),
    EventType(102, ScorekeeperChosen),
    EventType(103, CardsPlayed),
    EventType(104, Passed),
    EventType(105, AssPlayed, mark="ass_round"),
    EventType(106, RoundWon, mark="round"),
    EventType(107, AssCardsTaken, mark="capture"),
    EventType(108, HandScored, mark="score"),
    EventType(109, MatchWon),
)


class Turn(msgspec.Struct, frozen=True, gc=False):
    """What a seat did in the round under way. A pass has no cards and no value."""

    seat: Seat
    cards: tuple[Card, ...] = ()
    value: int = 0


class RoundResult(msgspec.Struct, frozen=True, gc=False):
    """How the last round of this game ended: who won it or took its cards, and how many cards it had."""

    seat: Seat
    cards: int
    ass_round: bool


class State(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """``hand`` is the number of the game under way or of the last one, ``scored`` how many are over.

    Each hand is in order. ``rounds`` are the rounds of the game that are over, ``discarded`` the number of cards on the
    pile. ``banned`` is the seat that may not lead the ass now. ``table`` has the turns of the round under way, the
    starting player's first. ``winners`` is empty until the match is won.
    """

    options: Options
    hands: tuple[tuple[Card, ...], ...]
    totals: tuple[int, ...]
    undealt: tuple[Card, ...] = ()
    discarded: int = 0
    scorekeeper: Seat | None = None
    dealer: Seat | None = None
    hand: int = 0
    scored: int = 0
    rounds: int = 0
    starter: Seat = 0
    banned: Seat | None = None
    table: tuple[Turn, ...] = ()
    last_round: RoundResult | None = None
    winners: tuple[Seat, ...] = ()

    @derived
    def turn(self) -> Seat | None:
        """The seat that is due; None between games, and while the end of a round is being settled."""
        turns, seats = len(self.table), len(self.hands)
        if turns == seats or self.hand == self.scored or not (turns or all(self.hands)):
            return None
        return (self.starter + turns) % seats

    @property
    def ass_round(self) -> bool:
        return bool(self.table) and self.table[0].cards == (ASS,)

    @property
    def to_beat(self) -> int:
        """What a raise has to top: the value of the last play, as each topped the one before. 0 before the lead."""
        for turn in reversed(self.table):
            if turn.cards:
                return turn.value
        return 0

    @property
    def ass_holder(self) -> Seat | None:
        """Who holds the ass; None while it lies on the table, and before the first deal."""
        return next((seat for seat, hand in enumerate(self.hands) if hand and hand[-1] == ASS), None)


@lru_cache(maxsize=4096)
def counted(hand: tuple[Card, ...]) -> Mapping[Card, int]:
    """How many of each card are in ``hand``, in its order. Remembered: a hand is asked more often than it changes."""
    counts: dict[Card, int] = {}
    for card in hand:
        counts[card] = counts.get(card, 0) + 1
    return MappingProxyType(counts)


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Numbers, then jokers, then the ass: the order of every hand and of every play."""
    return tuple(sorted(cards, key=_PLACES.__getitem__))


def initial(options: Options, seats: int) -> State:
    return State(options=options, hands=((),) * seats, totals=(0,) * seats)


def evolve(state: State, event: Event) -> State:
    match event:  # the most frequent first
        case CardsPlayed():
            return _laid(state, Turn(event.seat, event.cards, event.value))
        case Passed():
            return replace(state, table=(*state.table, Turn(event.seat)))
        case RoundWon():
            return replace(
                state,
                starter=event.seat,
                table=(),
                rounds=state.rounds + 1,
                discarded=state.discarded + event.discarded,
                last_round=RoundResult(event.seat, event.discarded, ass_round=False),
            )
        case AssPlayed():
            return _laid(state, Turn(event.seat, (ASS,)))
        case AssCardsTaken(seat, cards):
            return replace(
                state,
                hands=with_entry(state.hands, seat, in_order(state.hands[seat] + cards)),
                starter=seat,
                banned=seat,
                table=(),
                rounds=state.rounds + 1,
                last_round=RoundResult(seat, len(cards), ass_round=True),
            )
        case ScorekeeperChosen(seat):
            return replace(state, scorekeeper=seat)
        case CardsDealt(hand, dealer, starter, hands, undealt):
            return replace(
                state,
                hand=hand,
                dealer=dealer,
                starter=starter,
                hands=tuple(hidden.opened for hidden in hands),
                undealt=undealt.opened,
                discarded=0,
                rounds=0,
                banned=None,
                table=(),
                last_round=None,
            )
        case HandScored(hand, _, totals):
            return replace(state, scored=hand, totals=totals)
        case MatchWon(winners):
            return replace(state, winners=winners)
        case _:
            assert_never(event)


def _laid(state: State, turn: Turn) -> State:
    hand = without(state.hands[turn.seat], turn.cards)
    return replace(state, hands=with_entry(state.hands, turn.seat, hand), table=(*state.table, turn), banned=None)
