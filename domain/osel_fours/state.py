"""The facts of Osel, fours: the pack, the events that are stored, and the state they add up to.

Names and fields of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses
nothing.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias, assert_never

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.cards import RANKS, SUITS, Card, pack, put, rank_of
from domain.derived import derived
from domain.event import EventType
from domain.game import ALONE, DEALER, NOBODY, Seat
from domain.hidden import Hidden

PACK: Final = pack("2")
"""The 52 cards, in the order in which the dealer names them."""

_place: Final = {Card(rank + suit): place for place, (rank, suit) in enumerate(product(RANKS, SUITS))}.__getitem__

FOUR: Final[Mapping[Card, frozenset[Card]]] = MappingProxyType(
    {card: frozenset(Card(rank_of(card) + suit) for suit in SUITS) for card in PACK}
)
"""For each card, the four cards of its rank."""

Fours: TypeAlias = tuple[str, ...]
"""The ranks of the fours in a hand, the highest first."""

Ending = Literal["deal", "swap", "limit"]
"""What a hand ended with: the deal, a swap, or the last swap of the last circuit allowed."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a table may choose."""

    target: Annotated[
        Annotated[int, Meta(ge=1, le=6)] | Literal["usual"],
        Meta(
            description="How many fours win a hand: as many as fit into one hand at most, which is 6 with 2 seats, "
            "4 with 3, 3 with 4, 2 with 5 or 6, and 1 with more. usual: 3, or the most that fit if that is less."
        ),
    ] = "usual"
    return_mode: Annotated[
        Literal["seen", "sealed"],
        Meta(description="The partner answers after having seen the card, or both choose before either is shown."),
    ] = "seen"
    wins_needed: Annotated[int, Meta(ge=1, le=10, description="How many hands won win the match.")] = 1
    max_hands: Annotated[int, Meta(ge=1, le=200, description="How many hands a match has at most.")] = 20
    max_circuits: Annotated[
        int,
        Meta(ge=5, le=500, description="After so many circuits a hand is stopped, and the fours held are compared."),
    ] = 50


class CardsDealt(msgspec.Struct, frozen=True):
    """Hand number ``hand`` begins. ``active`` is the first to give; ``aside`` are the cards left over, for nobody."""

    hand: int
    dealer: Seat
    active: Seat
    hands: tuple[Hidden[tuple[Card, ...]], ...]
    aside: Hidden[tuple[Card, ...]]


class CardGiven(msgspec.Struct, frozen=True, gc=False):
    """The active ``seat`` gives; its partner sees the card and owes an answer. Until then it is in the giver's hand."""

    seat: Seat
    partner: Seat
    card: Hidden[Card]


class CardChosen(msgspec.Struct, frozen=True, gc=False):
    """With sealed swaps, the first of the two has chosen. The card stays in the hand until the other has chosen."""

    seat: Seat
    card: Hidden[Card]


class CardsSwapped(msgspec.Struct, frozen=True, gc=False):
    """The active ``seat`` gave ``given`` and got ``returned`` from ``partner``, in circuit number ``circuit``."""

    circuit: int
    seat: Seat
    partner: Seat
    given: Hidden[Card]
    returned: Hidden[Card]


class HandScored(msgspec.Struct, frozen=True):
    """Hand number ``hand`` is over. ``points`` are the wins of it (one, or none), ``totals`` those after it.

    ``winner`` is None if the hand was drawn; ``fours`` are the ranks of the winner's fours, the highest first.
    """

    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    ending: Ending
    winner: Seat | None
    fours: tuple[str, ...]


class MatchWon(msgspec.Struct, frozen=True):
    """No more hands are dealt. ``winners`` have the most wins."""

    winners: tuple[Seat, ...]
    totals: tuple[int, ...]


Event: TypeAlias = CardsDealt | CardGiven | CardChosen | CardsSwapped | HandScored | MatchWon

EVENTS: Final = (
    EventType(301, CardsDealt, mark="deal"),
    EventType(302, CardGiven),
    EventType(303, CardChosen),
    EventType(304, CardsSwapped, mark="swap"),
    EventType(305, HandScored, mark="score"),
    EventType(306, MatchWon),
)


class Choice(msgspec.Struct, frozen=True, gc=False):
    """The first card of a swap that waits for the second: given, or chosen and not shown."""

    seat: Seat
    card: Card


class Swapped(msgspec.Struct, frozen=True, gc=False):
    """The last swap of a hand: ``seat`` was active, gave ``given`` and got ``returned``."""

    seat: Seat
    partner: Seat
    given: Card
    returned: Card


class HandResult(msgspec.Struct, frozen=True):
    """How a hand ended. ``winner`` is None for a draw; ``fours`` are the winner's, the highest rank first."""

    hand: int
    ending: Ending
    winner: Seat | None
    fours: tuple[str, ...]


class State(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """``hand`` is the number of the hand under way or of the last one, ``scored`` how many are over.

    Each hand of cards is in order. ``target`` is the number of fours that win here. ``swaps`` counts those of the hand.
    ``active`` is who gives next, or has given and waits for the answer; it goes on with each swap. ``winners`` is empty
    until the match is won.
    """

    options: Options
    target: int
    hands: tuple[tuple[Card, ...], ...]
    totals: tuple[int, ...]
    aside: tuple[Card, ...] = ()
    dealer: Seat | None = None
    hand: int = 0
    scored: int = 0
    active: Seat = 0
    swaps: int = 0
    choice: Choice | None = None
    last_swap: Swapped | None = None
    last_hand: HandResult | None = None
    winners: tuple[Seat, ...] = ()

    @property
    def playing(self) -> bool:
        """Whether a hand has been dealt that is not scored yet."""
        return self.hand > self.scored

    @property
    def ending(self) -> Ending | None:
        """What the hand under way has come to its end by, its score still to be noted; None while it goes on."""
        if self.last_swap is None:
            if any(len(fours_in(hand)) >= self.target for hand in self.hands):
                return "deal"  # 6.1
        elif self._made_a_four(self.last_swap):
            return "swap"  # 6.2
        return "limit" if self.swaps == self.options.max_circuits * len(self.hands) else None  # 6.5

    def _made_a_four(self, swap: "Swapped") -> bool:
        """Whether one of the two has got a card that makes a four, and has as many as it takes. (3.4)"""
        return any(
            FOUR[got].issubset(self.hands[seat]) and len(fours_in(self.hands[seat])) >= self.target
            for seat, got in ((swap.seat, swap.returned), (swap.partner, swap.given))
        )

    @derived
    def due(self) -> frozenset[Seat]:
        """Who is due: the seats that have yet to put a card into the swap under way, or the dealer."""
        if self.winners:
            return NOBODY
        if not self.playing:
            return ALONE[DEALER]
        if self.choice is None:
            if self.ending:
                return NOBODY
            if self.options.return_mode == "seen":
                return ALONE[self.active]  # 4.3
            return frozenset((self.active, self.partner))  # 4.8
        return ALONE[self.active if self.choice.seat == self.partner else self.partner]  # 4.4, 4.8

    @property
    def partner(self) -> Seat:
        """The left neighbour of the active seat."""
        return (self.active + 1) % len(self.hands)

    @property
    def circuit(self) -> int:
        """The number of the circuit to which the next swap belongs."""
        return self.swaps // len(self.hands) + 1


def cards_each(seats: int) -> int:
    return len(PACK) // seats


def most_fours(seats: int) -> int:
    """How many fours fit into one hand."""
    return cards_each(seats) // 4


@lru_cache(maxsize=4096)
def fours_in(hand: tuple[Card, ...]) -> Fours:
    """The ranks of which ``hand`` has all four cards (1.3). Remembered: a hand is asked more often than it changes."""
    ranks = [rank_of(card) for card in hand]
    return tuple(rank for rank in reversed(RANKS) if ranks.count(rank) == 4)


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """From the twos to the aces: the order of every hand."""
    return tuple(sorted(cards, key=_place))


def initial(options: Options, seats: int) -> State:
    target = min(3, most_fours(seats)) if options.target == "usual" else options.target
    return State(options=options, target=target, hands=((),) * seats, totals=(0,) * seats)


def evolve(state: State, event: Event) -> State:
    match event:  # the most frequent first
        case CardGiven() | CardChosen():
            return replace(state, choice=Choice(event.seat, event.card.opened))
        case CardsSwapped():
            return _swapped(state, Swapped(event.seat, event.partner, event.given.opened, event.returned.opened))
        case CardsDealt(hand, dealer, active, hands, aside):
            return replace(
                state,
                hand=hand,
                dealer=dealer,
                active=active,
                hands=tuple(hidden.opened for hidden in hands),
                aside=aside.opened,
                swaps=0,
                choice=None,
                last_swap=None,
            )
        case HandScored(hand, _, totals, ending, winner, fours):
            return replace(state, scored=hand, totals=totals, last_hand=HandResult(hand, ending, winner, fours))
        case MatchWon(winners):
            return replace(state, winners=winners)
        case _:
            assert_never(event)


def _swapped(state: State, swap: Swapped) -> State:
    hands = list(state.hands)
    hands[swap.seat] = put(hands[swap.seat], swap.returned, _place, instead=swap.given)
    hands[swap.partner] = put(hands[swap.partner], swap.given, _place, instead=swap.returned)
    return replace(state, hands=tuple(hands), active=swap.partner, swaps=state.swaps + 1, choice=None, last_swap=swap)
