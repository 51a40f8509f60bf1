"""The facts of two-handed Spades: the events that are stored, and the state they add up to.

Names and fields of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses
nothing.
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias, assert_never

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.cards import SUITS, Card, laid_off, pack, put, suit_of
from domain.derived import derived
from domain.event import EventType
from domain.game import Seat, with_entry
from domain.hidden import Hidden

PACK: Final = pack("2")
"""The 52 cards in the order in which the dealer names them: suit by suit, spades first, each from the 2 to the ace."""

HAND: Final = 13
"""Cards in a hand, tricks in a hand, and the highest bid."""

PLACES: Final = {card: place for place, card in enumerate(PACK)}
_place: Final = PLACES.__getitem__

OF_SUIT: Final = {suit: frozenset(card for card in PACK if suit_of(card) == suit) for suit in SUITS}

Bid: TypeAlias = int | Literal["double_nil"]
"""A number of tricks, 0 being nil, or double nil."""

Stage: TypeAlias = Literal["deal", "double_nil", "draft", "exchange", "replacement", "bidding", "play", "over"]
"""What a hand waits for: cards (``deal``, ``replacement``), or a seat. ``over`` is the match."""

Cards: TypeAlias = tuple[Card, ...]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a table may choose."""

    target: Annotated[int, Meta(ge=100, le=1000, description="The match is won with this many points.")] = 500
    skipped_card: Annotated[
        Literal["hidden", "drawer", "open"],
        Meta(
            description="Who sees the card that is discarded unasked after a keep: nobody, the seat that kept, or all."
        ),
    ] = "hidden"
    failed_nil_bags: Annotated[
        Literal["count", "ignore"],
        Meta(description="Tricks won in a failed nil or double nil count as bags, or they do not."),
    ] = "count"
    bag_carry: Annotated[
        Literal["carry", "reset"],
        Meta(description="Bags beyond a ten stay on the counter, or at ten the counter goes back to 0."),
    ] = "carry"
    max_hands: Annotated[
        int,
        Meta(
            ge=0,
            le=200,
            description="After this many hands the higher total wins; equal totals play on. 0: no limit.",
        ),
    ] = 0


class StockShuffled(msgspec.Struct, frozen=True):
    """Hand number ``hand`` begins: ``first`` will draw first. ``stock`` is from the top and for nobody to see."""

    hand: int
    first: Seat
    stock: Hidden[Cards]


class DoubleNilAnswered(msgspec.Struct, frozen=True):
    """Before any card is drawn, the seat bids double nil or says no."""

    seat: Seat
    declared: bool


class CardDrawn(msgspec.Struct, frozen=True, gc=False):
    """The seat looks at the top card of the stock."""

    seat: Seat
    card: Hidden[Card]


class CardKept(msgspec.Struct, frozen=True, gc=False):
    """The drawn ``card`` goes to the hand, the next one, ``skipped``, to the discard pile.

    ``skipped`` lies open (a plain card) if the option ``skipped_card`` says so; else it is for the drawer or nobody.
    """

    seat: Seat
    card: Hidden[Card]
    skipped: Hidden[Card] | Card


class CardRejected(msgspec.Struct, frozen=True, gc=False):
    """The drawn card, ``rejected``, goes to the discard pile, the next one, ``taken``, to the hand."""

    seat: Seat
    rejected: Hidden[Card]
    taken: Hidden[Card]


class CardsThrown(msgspec.Struct, frozen=True):
    """A double nil throws ``count`` cards out of play, 0 to 3; as many replacements are due."""

    seat: Seat
    count: int
    cards: Hidden[Cards]


class ReplacementsDrawn(msgspec.Struct, frozen=True):
    """A double nil gets ``count`` cards from the discard pile, at random."""

    seat: Seat
    count: int
    cards: Hidden[Cards]


class BidPlaced(msgspec.Struct, frozen=True):
    """``tricks`` is 0 for a nil."""

    seat: Seat
    tricks: int


class CardPlayed(msgspec.Struct, frozen=True, gc=False):
    seat: Seat
    card: Card


class SpadesBroken(msgspec.Struct, frozen=True):
    """The seat has played the first spade of this hand: from now on spades may be led."""

    seat: Seat


class TrickWon(msgspec.Struct, frozen=True, gc=False):
    """``seat`` wins ``cards``, the one that ``leader`` led first. ``tricks`` each seat has won in this hand so far."""

    seat: Seat
    leader: Seat
    cards: Cards
    tricks: tuple[int, ...]


class HandScored(msgspec.Struct, frozen=True):
    """Hand number ``hand`` is over; every tuple has an entry a seat.

    ``points`` are those of this hand, with the ``penalties`` for bags (0, 100 or more) taken off already. ``bags`` are
    the counters and ``totals`` the scores after the hand.
    """

    hand: int
    bids: tuple[Bid, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]
    penalties: tuple[int, ...]
    bags: tuple[int, ...]
    totals: tuple[int, ...]


class MatchWon(msgspec.Struct, frozen=True):
    """No more hands are played. The winner has the higher total."""

    winners: tuple[Seat, ...]
    totals: tuple[int, ...]


Event: TypeAlias = (
    StockShuffled
    | DoubleNilAnswered
    | CardDrawn
    | CardKept
    | CardRejected
    | CardsThrown
    | ReplacementsDrawn
    | BidPlaced
    | CardPlayed
    | SpadesBroken
    | TrickWon
    | HandScored
    | MatchWon
)

EVENTS: Final = (
    EventType(201, StockShuffled, mark="deal"),
    EventType(202, DoubleNilAnswered, mark="bid"),
    EventType(203, CardDrawn),
    EventType(204, CardKept),
    EventType(205, CardRejected),
    EventType(206, CardsThrown, mark="swap"),
    EventType(207, ReplacementsDrawn),
    EventType(208, BidPlaced, mark="bid"),
    EventType(209, CardPlayed),
    EventType(210, SpadesBroken),
    EventType(211, TrickWon, mark="trick"),
    EventType(212, HandScored, mark="score"),
    EventType(213, MatchWon),
)


class Trick(msgspec.Struct, frozen=True, gc=False):
    """A trick that is over: who led and who won it, and its cards, the one that was led first."""

    leader: Seat
    cards: Cards
    winner: Seat


class State(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """``hand`` is the number of the hand under way or of the last one, ``scored`` how many are over.

    Each hand is in order; ``stock`` is from the top and ``drawn`` the card that a seat is looking at. What each seat
    has rejected, skipped (one after the other) and got back (``received``) stays noted until the hand is over: the
    discard pile is what was rejected or skipped and not received. ``answers`` are those about double nil and ``thrown``
    the cards thrown for it, both None until the seat has spoken. ``trick`` is the one under way, ``won`` counts those
    of each seat.
    """

    options: Options
    hands: tuple[Cards, ...] = ((), ())
    totals: tuple[int, ...] = (0, 0)
    bags: tuple[int, ...] = (0, 0)
    hand: int = 0
    scored: int = 0
    first: Seat | None = None
    stock: Cards = ()
    drawn: Card | None = None
    rejected: tuple[Cards, ...] = ((), ())
    skipped: tuple[Cards, ...] = ((), ())
    answers: tuple[bool | None, ...] = (None, None)
    thrown: tuple[Cards | None, ...] = (None, None)
    received: tuple[Cards, ...] = ((), ())
    bids: tuple[Bid | None, ...] = (None, None)
    leader: Seat = 0
    trick: Cards = ()
    broken: bool = False
    tricks: tuple[Trick, ...] = ()
    won: tuple[int, ...] = (0, 0)
    winners: tuple[Seat, ...] = ()

    @property
    def order(self) -> tuple[Seat, ...]:
        """The seats as they bid and exchange: the second player, then the first."""
        return () if self.first is None else (1 - self.first, self.first)

    @derived
    def stage(self) -> Stage:
        if self.hand == self.scored:
            return "over" if self.winners else "deal"
        if self.trick or self.tricks:
            return "play"
        if None in self.answers:
            return "double_nil"
        if self.drawn is not None or self.stock:
            return "draft"
        if self.short is not None:
            return "replacement"
        if self.exchanging is not None:
            return "exchange"
        return "bidding" if None in self.bids else "play"

    @derived
    def turn(self) -> Seat | None:
        """The seat that is due; None while cards are due, within what follows from a move, and after the match."""
        match self.stage:
            case "play" if len(self.trick) < 2 and any(self.hands):
                return 1 - self.leader if self.trick else self.leader
            case "draft":
                return None if self.drawn is None else self.drawer
            case "double_nil":
                return next(seat for seat in self.order if self.answers[seat] is None)
            case "exchange":
                return self.exchanging
            case "bidding":
                return next(seat for seat in self.order if self.bids[seat] is None)
            case _:
                return None

    @property
    def drawer(self) -> Seat:
        """Whose turn of the draft it is: every turn brings one card to a hand."""
        return self.order[1 - (len(self.hands[0]) + len(self.hands[1])) % 2]

    @property
    def exchanging(self) -> Seat | None:
        """The next seat that has bid double nil and has yet to exchange."""
        return next((seat for seat in self.order if self.answers[seat] and self.thrown[seat] is None), None)

    @property
    def short(self) -> Seat | None:
        """The seat that waits for replacements."""
        return next((seat for seat in self.order if len(self.thrown[seat] or ()) > len(self.received[seat])), None)

    @property
    def pile(self) -> Cards:
        """The discard pile, in the order of a pack."""
        gone = {*self.received[0], *self.received[1]}
        return in_order(card for cards in (*self.rejected, *self.skipped) for card in cards if card not in gone)

    @property
    def discarded(self) -> int:
        """How many cards the discard pile has."""
        return sum(map(len, (*self.rejected, *self.skipped))) - sum(map(len, self.received))


def in_order(cards: Iterable[Card]) -> Cards:
    """Spades, hearts, diamonds, clubs, each from the 2 to the ace: the order of every hand."""
    return tuple(sorted(cards, key=_place))


def initial(options: Options, seats: int) -> State:
    assert seats == 2, "the match sees to it (1.2)"
    return State(options=options)


def evolve(state: State, event: Event) -> State:
    match event:  # the most frequent first
        case CardPlayed():
            hands = laid_off(state.hands, event.seat, (event.card,))
            return replace(state, hands=hands, trick=(*state.trick, event.card))
        case CardDrawn():
            return replace(state, stock=state.stock[1:], drawn=event.card.opened)
        case TrickWon():
            trick = Trick(event.leader, event.cards, event.seat)
            return replace(state, leader=event.seat, trick=(), tricks=(*state.tricks, trick), won=event.tricks)
        case CardKept():
            beside = event.skipped.opened if isinstance(event.skipped, Hidden) else event.skipped
            return replace(
                state,
                hands=_held(state.hands, event.seat, event.card.opened),
                stock=state.stock[1:],
                drawn=None,
                skipped=_discarded(state.skipped, event.seat, beside),
            )
        case CardRejected():
            return replace(
                state,
                hands=_held(state.hands, event.seat, event.taken.opened),
                stock=state.stock[1:],
                drawn=None,
                rejected=_discarded(state.rejected, event.seat, event.rejected.opened),
            )
        case DoubleNilAnswered(seat, declared):
            bids = with_entry(state.bids, seat, "double_nil") if declared else state.bids
            return replace(state, answers=with_entry(state.answers, seat, declared), bids=bids)
        case BidPlaced(seat, tricks):
            return replace(state, bids=with_entry(state.bids, seat, tricks))
        case SpadesBroken():
            return replace(state, broken=True)
        case StockShuffled(hand, first, stock):
            return State(
                options=state.options,
                totals=state.totals,
                bags=state.bags,
                scored=state.scored,
                hand=hand,
                first=first,
                leader=1 - first,
                stock=stock.opened,
            )
        case CardsThrown(seat, _, cards):
            hands = laid_off(state.hands, seat, cards.opened)
            return replace(state, hands=hands, thrown=with_entry(state.thrown, seat, cards.opened))
        case ReplacementsDrawn(seat, _, cards):
            held = in_order(state.hands[seat] + cards.opened)
            return replace(
                state,
                hands=with_entry(state.hands, seat, held),
                received=with_entry(state.received, seat, cards.opened),
            )
        case HandScored(hand, _, _, _, _, bags, totals):
            return replace(state, scored=hand, bags=bags, totals=totals)
        case MatchWon(winners):
            return replace(state, winners=winners)
        case _:
            assert_never(event)


def _held(hands: tuple[Cards, ...], seat: Seat, card: Card) -> tuple[Cards, ...]:
    return with_entry(hands, seat, put(hands[seat], card, _place))


def _discarded(cards: tuple[Cards, ...], seat: Seat, card: Card) -> tuple[Cards, ...]:
    return with_entry(cards, seat, (*cards[seat], card))
