"""What a seat, or the public, sees of a game. The only file of this game that hides anything."""

import msgspec

from domain.cards import Card
from domain.game import Seat, Viewer
from domain.osel_fours.state import HandResult, State


class SwapView(msgspec.Struct, frozen=True):
    """A swap that has been made. The cards are null for everybody but the two who made it."""

    seat: Seat
    partner: Seat
    given: Card | None
    returned: Card | None


class View(msgspec.Struct, frozen=True, kw_only=True):
    """``hand`` are the viewer's own cards, ``hands`` everybody's, ``aside`` those set aside: null for whom not meant.

    ``deal`` is the number of the hand under way or, between hands, of the last; ``target`` the fours that win it.
    ``active`` and ``partner`` are the two of the swap under way; ``chosen`` are those of them who have put their card
    in, which is still counted in their hand, and ``card`` is that card, null for whoever may not see it. ``circuit`` is
    the number of the circuit under way and ``swaps`` how many swaps this hand has had. ``last_swap`` is null before the
    first swap of a hand. ``last_hand`` says how the hand before this one ended, or, between hands, the one just over;
    then nobody is active.
    """

    deal: int
    dealer: Seat | None
    target: int
    active: Seat | None
    partner: Seat | None
    circuit: int
    max_circuits: int
    swaps: int
    chosen: tuple[Seat, ...]
    card: Card | None
    hand: tuple[Card, ...] | None
    hands: tuple[tuple[Card, ...], ...] | None
    hand_sizes: tuple[int, ...]
    cards_aside: int
    aside: tuple[Card, ...] | None
    last_swap: SwapView | None
    last_hand: HandResult | None
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> View:
    choice = state.choice
    playing = state.playing and state.ending is None
    return View(
        deal=state.hand,
        dealer=state.dealer,
        target=state.target,
        active=state.active if playing else None,
        partner=state.partner if playing else None,
        circuit=state.circuit if playing else 0,
        max_circuits=state.options.max_circuits,
        swaps=state.swaps,
        chosen=() if choice is None else (choice.seat,),
        card=choice.card if choice is not None and viewer in _shown_to(state) else None,
        hand=state.hands[viewer] if isinstance(viewer, int) else None,
        hands=state.hands if viewer == "all" else None,
        hand_sizes=tuple(len(hand) for hand in state.hands),
        cards_aside=len(state.aside),
        aside=state.aside if viewer == "all" else None,
        last_swap=_last_swap(state, viewer),
        last_hand=state.last_hand,
        totals=state.totals,
        winners=state.winners,
    )


def _shown_to(state: State) -> tuple[Viewer, ...]:
    """Who may see the card of a swap that waits for the other card. (5.3, 5.4)"""
    if state.choice is None:
        return ()
    if state.options.return_mode == "sealed":
        return ("all", state.choice.seat)
    return ("all", state.active, state.partner)


def _last_swap(state: State, viewer: Viewer) -> SwapView | None:
    swap = state.last_swap
    if swap is None:
        return None
    if viewer in ("all", swap.seat, swap.partner):
        return SwapView(swap.seat, swap.partner, swap.given, swap.returned)
    return SwapView(swap.seat, swap.partner, None, None)
