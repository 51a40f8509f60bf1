"""The facts of Osel, trumps: the events that are stored, and the state they add up to.

Names and fields of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses
nothing.
"""

from functools import cache
from typing import Annotated, Final, Literal, TypeAlias, assert_never

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.cards import Card, laid_off
from domain.event import EventType
from domain.game import Seat, with_entry
from domain.hidden import Hidden
from domain.osel import PACK, SEVENS, in_order

HAND: Final = 4
"""How many cards are dealt to each player, and up to how many a hand is refilled."""

Cards: TypeAlias = tuple[Card, ...]

_SEVENS: Final = in_order(SEVENS)

Suit: TypeAlias = Literal["S", "H", "D", "C"]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, cache_hash=True):
    """What a table may choose."""

    trump_option: Annotated[
        Literal[1, 2, 3, 4, 5],
        Meta(
            description="1: each player has a trump suit of their own. 2: no trumps. 3: one trump suit for all. "
            "4: two equal trump suits for all. 5: spades are senior trumps, diamonds junior ones."
        ),
    ] = 1
    trumps: Annotated[
        Literal["usual", "S", "H", "D", "C", "SH", "SD", "SC", "HD", "HC", "DC"],
        Meta(description="The trump suits: one with trump option 3, two with option 4. usual: S, or S and D."),
    ] = "usual"
    personal_trumps: Annotated[
        Literal["lot", "choose"],
        Meta(description="With trump option 1 the lot gives each player a suit, or the players choose in turn."),
    ] = "lot"
    beat_rank: Annotated[
        Literal["higher", "one_lower"],
        Meta(description="A card of the same suit beats when it is higher, or when it is exactly one rank lower."),
    ] = "higher"
    equal_rank: Annotated[
        Literal["always", "common_trumps", "never"],
        Meta(description="A card beats one of equal rank: always, with trump options 3 to 5 only, or never."),
    ] = "always"
    must_beat: Annotated[
        Literal["off", "on"],
        Meta(description="Whether a player who can beat the cards on top has to."),
    ] = "off"
    teams: Annotated[
        Literal["none", "pairs"],
        Meta(description="Each plays alone, or four play as two pairs: seats 0 and 2 against seats 1 and 3."),
    ] = "none"
    match_end: Annotated[
        Literal["last_standing", "first_out"],
        Meta(description="Who has ten jars leaves and the others play on until one is left, or the match ends there."),
    ] = "last_standing"


class LotsDrawn(msgspec.Struct, frozen=True):
    """Who deals the first hand, and the trump suit of each seat: null where the lot gives none."""

    dealer: Seat
    trumps: tuple[Suit | None, ...]


class TrumpChosen(msgspec.Struct, frozen=True):
    seat: Seat
    suit: Suit


class CardsDealt(msgspec.Struct, frozen=True):
    """Hand number ``hand`` begins. ``leader`` has the first lead, unless ``asked`` claims it.

    ``asked`` holds four of a kind, outranks any four of the leader, and is asked first; null if there is none such.
    ``stock`` is in the order in which it will be drawn, the next card first, for nobody to see.
    """

    hand: int
    dealer: Seat
    leader: Seat
    asked: Seat | None
    hands: tuple[Hidden[Cards], ...]
    stock: Hidden[Cards]


class ClaimDeclined(msgspec.Struct, frozen=True):
    """``seat`` leaves the lead to the others; ``asked`` is who is asked next, null if nobody is."""

    seat: Seat
    asked: Seat | None


class CardsLed(msgspec.Struct, frozen=True, gc=False):
    """``claimed``: these are the four of a kind with which ``seat`` claimed the lead out of turn."""

    seat: Seat
    cards: Cards
    claimed: bool


class CardsPlayed(msgspec.Struct, frozen=True, gc=False):
    """A reply. ``beats``: every card on top is beaten, and these are on top now; if not, they are a discard."""

    seat: Seat
    cards: Cards
    beats: bool


class PotTaken(msgspec.Struct, frozen=True, gc=False):
    """``seat`` beat last, or led and was not beaten; it takes all ``cards`` of the pot and has the next lead."""

    seat: Seat
    cards: Cards


class HandsRefilled(msgspec.Struct, frozen=True, gc=False):
    """What each seat drew from the stock. ``asked`` as in ``CardsDealt``."""

    drawn: tuple[Hidden[Cards], ...]
    asked: Seat | None


class HandScored(msgspec.Struct, frozen=True):
    """Hand number ``hand`` is over. Jars: ``points`` of this hand and ``totals`` after it, a seat each.

    ``card_points`` are what the captured cards count, and ``pairs`` are the pairs of cards without points among them;
    partners have what their pair has. ``eggs`` are the seats with exactly par; ``sevens`` is the seat whose four sevens
    cost the opponents a jar; ``out`` are those who leave the match.
    """

    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    card_points: tuple[int, ...]
    pairs: tuple[int, ...]
    eggs: tuple[Seat, ...]
    sevens: Seat | None
    out: tuple[Seat, ...]


class MatchWon(msgspec.Struct, frozen=True):
    """No more hands are played. ``totals`` are jars."""

    winners: tuple[Seat, ...]
    totals: tuple[int, ...]


Event: TypeAlias = (
    LotsDrawn
    | TrumpChosen
    | CardsDealt
    | ClaimDeclined
    | CardsLed
    | CardsPlayed
    | PotTaken
    | HandsRefilled
    | HandScored
    | MatchWon
)

EVENTS: Final = (
    EventType(401, LotsDrawn),
    EventType(402, TrumpChosen),
    EventType(403, CardsDealt, mark="deal"),
    EventType(404, ClaimDeclined),
    EventType(405, CardsLed),
    EventType(406, CardsPlayed),
    EventType(407, PotTaken, mark="capture"),
    EventType(408, HandsRefilled),
    EventType(409, HandScored, mark="score"),
    EventType(410, MatchWon),
)


class PotResult(msgspec.Struct, frozen=True, gc=False):
    """Who took the last pot of this hand, and how many cards it had."""

    seat: Seat
    cards: int


class State(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """``hand`` is the number of the hand under way or of the last one, ``scored`` how many are over.

    Each hand is in order. ``due`` are the seats that have something to do one after the other, up to where the dealer
    or the settling of a pot comes next. ``trumps`` are the players' own trump suits, null where they have none.
    ``stock`` has the next card first; before the first deal the whole pack is there. ``piles`` are the captured cards
    of each seat, ``pots`` the number of pots that were taken. ``opener`` led first in this hand. ``pot`` has the turns
    of the pot under way, the lead first; the cards of ``top`` are to be beaten, and its seat takes the pot unless
    somebody beats them. ``sevens`` held four sevens in this hand, ``eggs`` had par in the hand before. ``active`` are
    the seats that have not left the match; ``left`` says after which hand a seat left it, 0 if it has not. ``winners``
    is empty until the match is won.
    """

    options: Options
    hands: tuple[Cards, ...]
    totals: tuple[int, ...]
    piles: tuple[Cards, ...]
    trumps: tuple[Suit | None, ...]
    left: tuple[int, ...]
    active: tuple[Seat, ...]
    due: tuple[Seat, ...] = ()
    stock: Cards = PACK
    dealer: Seat | None = None
    hand: int = 0
    scored: int = 0
    pots: int = 0
    leader: Seat = 0
    opener: Seat = 0
    asked: Seat | None = None
    pot: tuple[CardsLed | CardsPlayed, ...] = ()
    top: CardsLed | CardsPlayed | None = None
    last_pot: PotResult | None = None
    sevens: Seat | None = None
    eggs: tuple[Seat, ...] = ()
    winners: tuple[Seat, ...] = ()

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        """The seats that capture and score together, among those that have not left."""
        return _sides(self.active, pairs=self.options.teams == "pairs")

    @property
    def chooser(self) -> Seat | None:
        """The seat that has to choose its trump now: whoever is due before the first hand."""
        return None if self.hand else self.turn

    @property
    def turn(self) -> Seat | None:
        """The seat that is due; None between hands, and while the end of a pot is being settled."""
        return self.due[0] if self.due else None


@cache
def _sides(active: tuple[Seat, ...], *, pairs: bool) -> tuple[tuple[Seat, ...], ...]:
    return tuple([side for side in ((0, 2), (1, 3)) if {*side} <= {*active}]) if pairs else (*zip(active),)


@cache
def clockwise(seats: tuple[Seat, ...], first: Seat) -> tuple[Seat, ...]:
    """``seats``, which ascend, in the order of play: from ``first`` or, if that is not among them, from the next."""
    return (*[seat for seat in seats if seat >= first], *[seat for seat in seats if seat < first])


def initial(options: Options, seats: int) -> State:
    return State(
        options=options,
        hands=((),) * seats,
        totals=(0,) * seats,
        piles=((),) * seats,
        trumps=(None,) * seats,
        left=(0,) * seats,
        active=tuple(range(seats)),
    )


def evolve(state: State, event: Event) -> State:
    match event:  # the most frequent first
        case CardsPlayed():
            return replace(
                state,
                hands=laid_off(state.hands, event.seat, event.cards),
                pot=(*state.pot, event),
                top=event if event.beats else state.top,
                due=state.due[1:],
            )
        case CardsLed():
            return replace(
                state,
                hands=laid_off(state.hands, event.seat, event.cards),
                leader=event.seat,
                opener=state.opener if state.pots else event.seat,
                asked=None,
                pot=(event,),
                top=event,
                due=clockwise(state.active, event.seat)[1:],
            )
        case PotTaken():
            seat = event.seat
            return replace(
                state,
                piles=with_entry(state.piles, seat, state.piles[seat] + event.cards),
                leader=seat,
                pot=(),
                top=None,
                pots=state.pots + 1,
                last_pot=PotResult(seat, len(event.cards)),
                due=() if state.stock or not state.hands[seat] else (seat,),
            )
        case HandsRefilled():
            return _hands_refilled(state, event)
        case ClaimDeclined():
            return _claim_declined(state, event)
        case CardsDealt():
            return _cards_dealt(state, event)
        case HandScored():
            return _hand_scored(state, event)
        case TrumpChosen(seat, suit):
            return replace(state, trumps=with_entry(state.trumps, seat, suit), due=state.due[1:])
        case LotsDrawn():
            return _lots_drawn(state, event)
        case MatchWon(winners):
            return replace(state, winners=winners)
        case _:
            assert_never(event)


def _lots_drawn(state: State, event: LotsDrawn) -> State:
    choosing = state.options.trump_option == 1 and None in event.trumps
    due = clockwise(state.active, event.dealer + 1) if choosing else ()
    return replace(state, dealer=event.dealer, trumps=event.trumps, due=due)


def _cards_dealt(state: State, event: CardsDealt) -> State:
    hands = tuple([hidden.opened for hidden in event.hands])
    return replace(
        state,
        hand=event.hand,
        dealer=event.dealer,
        leader=event.leader,
        asked=event.asked,
        hands=hands,
        stock=event.stock.opened,
        piles=((),) * len(hands),
        pots=0,
        pot=(),
        top=None,
        last_pot=None,
        sevens=_with_sevens(hands, None),
        due=(event.leader if event.asked is None else event.asked,),
    )


def _with_sevens(hands: tuple[Cards, ...], before: Seat | None) -> Seat | None:
    """The seat whose hand are the four sevens, or was ``before``: nobody else can have them in the same hand. (8.9)"""
    return hands.index(_SEVENS) if _SEVENS in hands else before


def _claim_declined(state: State, event: ClaimDeclined) -> State:
    return replace(state, asked=event.asked, due=(state.leader if event.asked is None else event.asked,))


def _hands_refilled(state: State, event: HandsRefilled) -> State:
    drawn = [hidden.opened for hidden in event.drawn]
    hands = tuple(map(in_order, state.hands, drawn))
    return replace(
        state,
        hands=hands,
        stock=state.stock[sum(map(len, drawn)) :],
        asked=event.asked,
        sevens=_with_sevens(hands, state.sevens),
        due=(state.leader if event.asked is None else event.asked,),
    )


def _hand_scored(state: State, event: HandScored) -> State:
    return replace(
        state,
        scored=event.hand,
        totals=event.totals,
        eggs=event.eggs,
        left=tuple([event.hand if seat in event.out else before for seat, before in enumerate(state.left)]),
        active=tuple([seat for seat in state.active if seat not in event.out]),
        due=(),
    )
