"""The facts of Osel, one against the rest: the events that are stored, and the state they add up to.

The number of seats is the form of the game: three play two against one, four play three against one. Names and fields
of events are a stored format: they only grow. ``evolve`` copies what an event says and refuses nothing.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias, assert_never

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.cards import Card, laid_off, without
from domain.event import EventType
from domain.game import Seat, with_entry
from domain.hidden import Hidden
from domain.osel import in_order, with_sevens

Cards: TypeAlias = tuple[Card, ...]

Stage = Literal["deal", "auction", "variant", "gifts", "laying_away", "exchange", "returns", "play", "over"]
"""What is to be done next. A hand goes through some of these, in this order."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a table may choose."""

    variant: Annotated[
        Literal[1, 2, 3],
        Meta(
            description="1: the soloist takes the talon and gives each opponent a card. 2: the soloist lays as many "
            "cards away and takes the talon. 3: the soloist chooses 1 or 2 before taking it."
        ),
    ] = 1
    redeal: Annotated[
        Literal["one_has_top4", "unless_one_has_top4", "never"],
        Meta(
            description="A deal is void when one player has the four highest trumps; or unless one player has them, "
            "which takes many deals for each hand; or never."
        ),
    ] = "one_has_top4"
    must_beat: Annotated[Literal["off", "on"], Meta(description="Who can beat the card on top has to.")] = "off"
    four_sevens: Annotated[
        Literal["on", "off"],
        Meta(description="Each opponent of a winner who held all four sevens takes one jar more."),
    ] = "on"


class CardsDealt(msgspec.Struct, frozen=True):
    """Hand number ``hand`` begins, or begins anew after a void deal. ``talon`` is in its order, for nobody to see.

    ``asked`` is the first to say solo or pass. It is null if the deal is ``void``: then the dealer deals again.
    """

    hand: int
    dealer: Seat
    void: bool
    asked: Seat | None
    hands: tuple[Hidden[Cards], ...]
    talon: Hidden[Cards]


class Passed(msgspec.Struct, frozen=True, gc=False):
    """``seat`` does not want to play alone; ``asked`` is who is asked next, null if nobody is left."""

    seat: Seat
    asked: Seat | None


class SoloDeclared(msgspec.Struct, frozen=True):
    """``seat`` plays alone, by ``variant``; null if it has yet to choose one."""

    seat: Seat
    variant: int | None


class VariantChosen(msgspec.Struct, frozen=True):
    seat: Seat
    variant: int


class TalonTaken(msgspec.Struct, frozen=True):
    """The soloist takes the whole talon."""

    seat: Seat
    cards: Hidden[Cards]


class CardsGiven(msgspec.Struct, frozen=True):
    """The soloist's gifts: one to each opponent, clockwise from the soloist."""

    seat: Seat
    cards: tuple[Hidden[Card], ...]


class CardsLaidAway(msgspec.Struct, frozen=True):
    """The soloist puts cards face down on its own pile."""

    seat: Seat
    cards: Hidden[Cards]


class CardsAssigned(msgspec.Struct, frozen=True):
    """The soloist has put a card aside for each opponent, clockwise; they stay in its hand until all change hands.

    ``asked`` have a heart and a club that are equally high, and choose which of them they return.
    """

    seat: Seat
    cards: tuple[Hidden[Card], ...]
    asked: tuple[Seat, ...]


class ReturnChosen(msgspec.Struct, frozen=True):
    """``seat`` will return this card to the ``soloist``. It stays in its hand until all change hands."""

    seat: Seat
    card: Hidden[Card]
    soloist: Seat


class CardsExchanged(msgspec.Struct, frozen=True):
    """The soloist's ``given`` against the opponents' ``returned``, clockwise from the soloist, all at once."""

    seat: Seat
    given: tuple[Hidden[Card], ...]
    returned: tuple[Hidden[Card], ...]


class TalonShared(msgspec.Struct, frozen=True):
    """Nobody plays alone: each seat takes one card of the talon. ``leader`` has the six of spades and leads first."""

    cards: tuple[Hidden[Card], ...]
    leader: Seat


class CardPlayed(msgspec.Struct, frozen=True, gc=False):
    """A lead, or the card of a seat to it. ``beats``: the card is on top now. A lead always is."""

    seat: Seat
    card: Card
    beats: bool


class PotTaken(msgspec.Struct, frozen=True, gc=False):
    """``seat`` beat last, or led and was not beaten; it takes all ``cards`` of the pot and leads next."""

    seat: Seat
    cards: Cards


class HandScored(msgspec.Struct, frozen=True):
    """Hand number ``hand`` is over. Jars: ``points`` of this hand and ``totals`` after it, a seat each.

    ``card_points`` are what the cards of each seat count, the laid-away ones too, and ``pairs`` the pairs of cards
    without points of its side. ``paid`` are the seats that took one jar more for the eggs of the hand before, ``eggs``
    those that have eggs now; ``sevens`` is the seat whose four sevens cost its opponents a jar.
    """

    hand: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    soloist: Seat | None
    card_points: tuple[int, ...]
    pairs: tuple[int, ...]
    paid: tuple[Seat, ...]
    eggs: tuple[Seat, ...]
    sevens: Seat | None


class MatchWon(msgspec.Struct, frozen=True):
    """No more hands are played. ``winners`` have the fewest jars."""

    winners: tuple[Seat, ...]
    totals: tuple[int, ...]


Event: TypeAlias = (
    CardsDealt
    | Passed
    | SoloDeclared
    | VariantChosen
    | TalonTaken
    | CardsGiven
    | CardsLaidAway
    | CardsAssigned
    | ReturnChosen
    | CardsExchanged
    | TalonShared
    | CardPlayed
    | PotTaken
    | HandScored
    | MatchWon
)

EVENTS: Final = (
    EventType(501, CardsDealt, mark="deal"),
    EventType(502, Passed, mark="bid"),
    EventType(503, SoloDeclared, mark="bid"),
    EventType(504, VariantChosen, mark="bid"),
    EventType(505, TalonTaken),
    EventType(506, CardsGiven, mark="swap"),
    EventType(507, CardsLaidAway, mark="swap"),
    EventType(508, CardsAssigned),
    EventType(509, ReturnChosen),
    EventType(510, CardsExchanged, mark="swap"),
    EventType(511, TalonShared, mark="swap"),
    EventType(512, CardPlayed),
    EventType(513, PotTaken, mark="capture"),
    EventType(514, HandScored, mark="score"),
    EventType(515, MatchWon),
)


class PotResult(msgspec.Struct, frozen=True, gc=False):
    """Who took the last pot of this hand, and how many cards it had."""

    seat: Seat
    cards: int


class Transfer(msgspec.Struct, frozen=True):
    """A card that went from one hand to another in this hand: a gift, or one half of an exchange."""

    giver: Seat
    receiver: Seat
    card: Card


class State(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """``hand`` is the number of the hand under way or of the last one, ``scored`` how many are over.

    Each hand is in order. ``due`` are the seats that have something to do now. ``passed`` have said so in this auction.
    ``piles`` are the captured cards of each seat, ``laid_away`` those that the soloist laid away. ``assigned`` and
    ``returned`` are the two halves of an exchange that is not complete; ``transfers`` are done. ``opener`` led first in
    this hand, ``pots`` is the number of pots that were taken, and ``pot`` is the one under way; its ``top`` is to be
    beaten, and its seat takes the pot unless somebody beats it. ``sevens`` held all four sevens in this hand; ``eggs``
    had par in the hand before. ``winners`` is empty until the match is won.
    """

    options: Options
    hands: tuple[Cards, ...]
    totals: tuple[int, ...]
    piles: tuple[Cards, ...]
    talon: Cards = ()
    dealer: Seat | None = None
    hand: int = 0
    scored: int = 0
    stage: Stage = "deal"
    due: tuple[Seat, ...] = ()
    passed: tuple[Seat, ...] = ()
    soloist: Seat | None = None
    variant: int | None = None
    laid_away: Cards = ()
    assigned: tuple[Transfer, ...] = ()
    returned: tuple[Transfer, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    leader: Seat = 0
    opener: Seat = 0
    pot: tuple[CardPlayed, ...] = ()
    top: CardPlayed | None = None
    pots: int = 0
    last_pot: PotResult | None = None
    sevens: Seat | None = None
    eggs: tuple[Seat, ...] = ()
    last_hand: HandScored | None = None
    winners: tuple[Seat, ...] = ()


@cache
def others(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """All seats but ``seat``, clockwise from it."""
    return tuple((seat + step) % seats for step in range(1, seats))


def initial(options: Options, seats: int) -> State:
    return State(options=options, hands=((),) * seats, totals=(0,) * seats, piles=((),) * seats)


def evolve(state: State, event: Event) -> State:
    match event:  # the most frequent first
        case CardPlayed():
            hands, pot = laid_off(state.hands, event.seat, (event.card,)), (*state.pot, event)
            due = () if len(pot) == len(hands) else ((event.seat + 1) % len(hands),)
            return replace(state, hands=hands, pot=pot, top=event if event.beats else state.top, due=due)
        case PotTaken(seat, cards):
            return replace(
                state,
                piles=with_entry(state.piles, seat, state.piles[seat] + cards),
                leader=seat,
                due=(seat,) if state.hands[seat] else (),
                pot=(),
                top=None,
                pots=state.pots + 1,
                last_pot=PotResult(seat, len(cards)),
            )
        case CardsDealt():
            return _dealt(state, event)
        case Passed(seat, asked):
            return replace(state, passed=(*state.passed, seat), due=() if asked is None else (asked,))
        case SoloDeclared(seat, variant) | VariantChosen(seat, variant):
            return replace(state, soloist=seat, variant=variant, stage=_BY_VARIANT[variant], due=(seat,))
        case TalonTaken(seat, cards):
            taken = replace(_with(state, [(seat, card) for card in cards.opened]), talon=())
            return taken if state.stage == "gifts" else _complete(taken, seat)
        case CardsGiven(seat, gifts):
            return _complete(_moved(state, _transfers(seat, gifts)), seat)
        case CardsLaidAway(seat, cards):
            hands = laid_off(state.hands, seat, cards.opened)
            return replace(state, hands=hands, laid_away=cards.opened, due=())
        case CardsAssigned(seat, assigned, asked):
            return replace(state, stage="returns", assigned=_transfers(seat, assigned), due=asked)
        case ReturnChosen(seat, card, soloist):
            returned = (*state.returned, Transfer(seat, soloist, card.opened))
            return replace(state, returned=returned, due=tuple(other for other in state.due if other != seat))
        case CardsExchanged(seat, given, returned):
            return _lead(_moved(state, (*_transfers(seat, given), *_transfers(seat, returned, back=True))), seat)
        case TalonShared(cards, leader):
            shared = [(seat, card.opened) for seat, card in enumerate(cards)]
            return _lead(replace(_with(state, shared), talon=()), leader)
        case HandScored(hand=hand, totals=totals, eggs=eggs):
            return replace(state, scored=hand, totals=totals, eggs=eggs, stage="deal", last_hand=event)
        case MatchWon(winners):
            return replace(state, winners=winners, stage="over")
        case _:
            assert_never(event)


_BY_VARIANT: Final[Mapping[int | None, Stage]] = MappingProxyType({None: "variant", 1: "gifts", 2: "laying_away"})


def _dealt(state: State, event: CardsDealt) -> State:
    """The new cards, and nothing left of the hand before but the score, the eggs and who led first in it."""
    hands = tuple([hidden.opened for hidden in event.hands])
    return replace(
        initial(state.options, len(state.hands)),
        hands=hands,
        totals=state.totals,
        talon=event.talon.opened,
        dealer=event.dealer,
        hand=event.hand,
        scored=state.scored,
        stage="deal" if event.void else "auction",
        due=() if event.asked is None else (event.asked,),
        opener=state.opener,
        sevens=with_sevens(hands, None),
        eggs=state.eggs,
        last_hand=state.last_hand,
    )


def _complete(state: State, soloist: Seat) -> State:
    """All hold as many cards as they will play: the exchange is next with four players, the first lead with three."""
    return replace(state, stage="exchange", due=(soloist,)) if len(state.hands) == 4 else _lead(state, soloist)


def _lead(state: State, leader: Seat) -> State:
    """``leader`` has the first lead of the hand."""
    return replace(state, stage="play", leader=leader, opener=leader, due=(leader,), assigned=(), returned=())


def _transfers(soloist: Seat, cards: Sequence[Hidden[Card]], *, back: bool = False) -> tuple[Transfer, ...]:
    """From the soloist to the others, clockwise, or ``back`` from them."""
    pairs = [(seat, card.opened) for seat, card in zip(others(soloist, len(cards) + 1), cards, strict=True)]
    return tuple(Transfer(seat, soloist, card) if back else Transfer(soloist, seat, card) for seat, card in pairs)


def _moved(state: State, transfers: Sequence[Transfer]) -> State:
    """All of ``transfers`` at the same moment: nobody holds two cards of an exchange at once."""
    hands = list(state.hands)
    for transfer in transfers:
        hands[transfer.giver] = without(hands[transfer.giver], (transfer.card,))
    given = replace(state, hands=tuple(hands), transfers=(*state.transfers, *transfers))
    return _with(given, [(transfer.receiver, transfer.card) for transfer in transfers])


def _with(state: State, more: Sequence[tuple[Seat, Card]]) -> State:
    """Seats get ``more`` cards; whoever holds all four sevens now is remembered until the next deal."""
    hands = list(state.hands)
    for seat, card in more:
        hands[seat] = in_order((*hands[seat], card))
    return replace(state, hands=tuple(hands), sevens=with_sevens(hands, state.sevens))
