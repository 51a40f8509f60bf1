"""What a seat, or the public, sees of a game. The only file of this game that hides anything."""

import msgspec

from domain.cards import Card
from domain.game import Seat, Viewer
from domain.osel_trumps.score import common_trumps
from domain.osel_trumps.state import Cards, CardsLed, PotResult, State, Suit


class Turn(msgspec.Struct, frozen=True):
    """What a seat laid into the pot under way. A lead counts as beating."""

    seat: Seat
    cards: Cards
    beats: bool


class View(msgspec.Struct, frozen=True, kw_only=True):
    """``hand`` are the viewer's own cards, ``hands`` everybody's, ``stock`` the cards yet to be drawn.

    Each of these is null for whom it is not meant. ``deal`` is the number of the hand under way or of the last one.
    ``trumps`` are the trump suits of everybody, with trump option 5 the senior one first; ``own_trumps`` those of each
    seat, null where it has none. ``turn`` is due: to choose a trump, to lead or to reply or, if ``asked`` is the same
    seat, to say whether it leads its four of a kind out of turn. ``pot`` has the turns of the pot under way, the lead
    first; ``cards_needed`` is the number of cards that were led, ``to_beat`` the cards on top, and ``taker`` takes the
    pot unless somebody beats them: 0, none and null before the lead. ``pots`` counts the pots that were taken in this
    hand. ``totals`` are jars; ``eggs`` are the seats that take one jar more if they take one in this hand. ``partners``
    are the seats that play together. ``left`` are the seats that have left the match, in that order. Between hands
    nobody leads, and nobody is due.
    """

    deal: int
    dealer: Seat | None
    leader: Seat | None
    turn: Seat | None
    asked: Seat | None
    trump_option: int
    trumps: tuple[str, ...]
    own_trumps: tuple[Suit | None, ...]
    hand: tuple[Card, ...] | None
    hands: tuple[tuple[Card, ...], ...] | None
    hand_sizes: tuple[int, ...]
    stock_size: int
    stock: tuple[Card, ...] | None
    pot: tuple[Turn, ...]
    cards_needed: int
    to_beat: tuple[Card, ...]
    taker: Seat | None
    pots: int
    last_pot: PotResult | None
    pile_sizes: tuple[int, ...]
    totals: tuple[int, ...]
    eggs: tuple[Seat, ...]
    partners: tuple[tuple[Seat, ...], ...]
    left: tuple[Seat, ...]
    winners: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> View:
    top = state.top
    gone = [seat for seat, hand in enumerate(state.left) if hand]
    return View(
        deal=state.hand,
        dealer=state.dealer,
        leader=state.leader if state.hand > state.scored else None,
        turn=state.turn,
        asked=state.asked,
        trump_option=state.options.trump_option,
        trumps=common_trumps(state.options),
        own_trumps=state.trumps,
        hand=state.hands[viewer] if isinstance(viewer, int) else None,
        hands=state.hands if viewer == "all" else None,
        hand_sizes=tuple(len(hand) for hand in state.hands),
        stock_size=len(state.stock),
        stock=state.stock if viewer == "all" else None,
        pot=tuple([Turn(laid.seat, laid.cards, isinstance(laid, CardsLed) or laid.beats) for laid in state.pot]),
        cards_needed=len(state.pot[0].cards) if state.pot else 0,
        to_beat=top.cards if top else (),
        taker=top.seat if top else None,
        pots=state.pots,
        last_pot=state.last_pot,
        pile_sizes=tuple(len(pile) for pile in state.piles),
        totals=state.totals,
        eggs=state.eggs,
        partners=((0, 2), (1, 3)) if state.options.teams == "pairs" else (),
        left=tuple(sorted(gone, key=lambda seat: (state.left[seat], -state.totals[seat]))),
        winners=state.winners,
    )
