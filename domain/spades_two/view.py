"""What a seat, or the public, sees of a hand. The only file of this game that hides anything."""

from collections.abc import Sequence

import msgspec

from domain.cards import Card
from domain.game import Seat, Viewer
from domain.spades_two.state import Bid, Cards, Stage, State, Trick, in_order


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Where a tuple has an entry a seat, null stands for cards that are not for the viewer, or for no answer yet.

    ``deal`` is the number of the hand under way or of the last one. ``hand`` are the viewer's own cards, ``hands``
    everybody's, ``stock`` the cards yet to be drawn; each is null for whom it is not meant. ``drawn`` is the card that
    the seat whose turn it is looks at, ``drawing`` says that there is one. ``rejected`` are the cards that each seat
    rejected, ``skipped`` those it discarded unasked after a keep, ``thrown`` and ``received`` those of its exchange,
    and ``exchanged`` their number. ``double_nil`` are the answers. ``played`` are the tricks of this hand that are
    over, ``tricks`` their number by seat. ``trick`` has the cards of the trick under way, ``leader``'s first.
    """

    deal: int
    stage: Stage
    first: Seat | None
    second: Seat | None
    turn: Seat | None
    hand: Cards | None
    hands: tuple[Cards, ...] | None
    hand_sizes: tuple[int, ...]
    drawing: bool
    drawn: Card | None
    stock_size: int
    stock: Cards | None
    discard_size: int
    rejected: tuple[Cards | None, ...]
    skipped: tuple[Cards | None, ...]
    double_nil: tuple[bool | None, ...]
    exchanged: tuple[int | None, ...]
    thrown: tuple[Cards | None, ...]
    received: tuple[Cards | None, ...]
    bids: tuple[Bid | None, ...]
    spades_broken: bool
    leader: Seat | None
    trick: Cards
    tricks: tuple[int, ...]
    played: tuple[Trick, ...]
    bags: tuple[int, ...]
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> View:
    sees_all = viewer == "all"
    return View(
        deal=state.hand,
        stage=state.stage,
        first=state.first,
        second=None if state.first is None else 1 - state.first,
        turn=state.turn,
        hand=state.hands[viewer] if isinstance(viewer, int) else None,
        hands=state.hands if sees_all else None,
        hand_sizes=tuple(len(hand) for hand in state.hands),
        drawing=state.drawn is not None,
        drawn=state.drawn if viewer in ("all", state.turn) else None,
        stock_size=len(state.stock),
        stock=state.stock if sees_all else None,
        discard_size=state.discarded,
        rejected=_own([*map(in_order, state.rejected)], viewer),
        skipped=_skipped(state, viewer),
        double_nil=state.answers,
        exchanged=tuple(None if cards is None else len(cards) for cards in state.thrown),
        thrown=_own(state.thrown, viewer),
        received=_own(state.received, viewer),
        bids=state.bids,
        spades_broken=state.broken,
        leader=state.leader if state.stage == "play" else None,
        trick=state.trick,
        tricks=state.won,
        played=state.tricks,
        bags=state.bags,
        totals=state.totals,
        winners=state.winners,
    )


def _own(cards: Sequence[Cards | None], viewer: Viewer) -> tuple[Cards | None, ...]:
    return tuple(of_seat if viewer in ("all", seat) else None for seat, of_seat in enumerate(cards))


def _skipped(state: State, viewer: Viewer) -> tuple[Cards | None, ...]:
    skipped = tuple(map(in_order, state.skipped))
    match state.options.skipped_card:
        case "open":
            return skipped
        case "drawer":
            return _own(skipped, viewer)
        case "hidden":
            return _own(skipped, "all" if viewer == "all" else "public")
