"""What a seat, or the public, sees of a game. The only file of this game that hides anything."""

import msgspec

from domain.cards import Card
from domain.game import Seat, Viewer
from domain.osel_solo.state import CardPlayed, Cards, HandScored, PotResult, Stage, State, Transfer


class TransferView(msgspec.Struct, frozen=True):
    """A card that went from one hand to another; it is null for everybody but giver and receiver."""

    giver: Seat
    receiver: Seat
    card: Card | None


class View(msgspec.Struct, frozen=True, kw_only=True):
    """``hand`` are the viewer's own cards, ``hands`` everybody's, ``talon`` the cards not dealt.

    Each of these is null for whom it is not meant, and so are ``laid_away``, the soloist's, and ``assigned``, the cards
    that the soloist has put aside for an exchange; these are still counted in the hand. ``deal`` is the number of the
    hand under way or of the last one. ``stage`` says what is to be done next, and ``due`` who has to do it. ``passed``
    are the seats that have passed in this hand's auction, in their order. ``variant`` is 1 or 2, null as long as nobody
    plays alone by one. ``transfers`` are the cards that changed hands: gifts, then the exchange. ``pot`` is the pot
    under way, the lead first; ``to_beat`` is the card on top, and ``taker`` takes the pot unless somebody beats it.
    ``pots`` counts the pots that were taken in this hand. ``pile_sizes`` has the laid-away cards in it. ``totals`` are
    jars; ``eggs`` are the seats that take one jar more if they take one in this hand. ``last_hand`` is the score of the
    hand before this one or, between hands, of the one just over. Between hands nobody leads, and nobody is due.
    """

    deal: int
    dealer: Seat | None
    stage: Stage
    due: tuple[Seat, ...]
    passed: tuple[Seat, ...]
    soloist: Seat | None
    variant: int | None
    leader: Seat | None
    hand: Cards | None
    hands: tuple[Cards, ...] | None
    hand_sizes: tuple[int, ...]
    talon_size: int
    talon: Cards | None
    laid_away: Cards | None
    assigned: tuple[TransferView, ...]
    transfers: tuple[TransferView, ...]
    pot: tuple[CardPlayed, ...]
    to_beat: Card | None
    taker: Seat | None
    pots: int
    last_pot: PotResult | None
    pile_sizes: tuple[int, ...]
    totals: tuple[int, ...]
    eggs: tuple[Seat, ...]
    last_hand: HandScored | None
    winners: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> View:
    top = state.top
    laid = {state.soloist: len(state.laid_away)}
    return View(
        deal=state.hand,
        dealer=state.dealer,
        stage=state.stage,
        due=state.due,
        passed=state.passed,
        soloist=state.soloist,
        variant=state.variant,
        leader=state.leader if state.stage == "play" else None,
        hand=state.hands[viewer] if isinstance(viewer, int) else None,
        hands=state.hands if viewer == "all" else None,
        hand_sizes=tuple(len(hand) for hand in state.hands),
        talon_size=len(state.talon),
        talon=state.talon if viewer == "all" else None,
        laid_away=state.laid_away if viewer in ("all", state.soloist) else None,
        assigned=tuple(_seen(transfer, viewer, (transfer.giver,)) for transfer in state.assigned),
        transfers=tuple(_seen(transfer, viewer, (transfer.giver, transfer.receiver)) for transfer in state.transfers),
        pot=state.pot,
        to_beat=top.card if top else None,
        taker=top.seat if top else None,
        pots=state.pots,
        last_pot=state.last_pot,
        pile_sizes=tuple(len(pile) + laid.get(seat, 0) for seat, pile in enumerate(state.piles)),
        totals=state.totals,
        eggs=state.eggs,
        last_hand=state.last_hand,
        winners=state.winners,
    )


def _seen(transfer: Transfer, viewer: Viewer, to: tuple[Seat, ...]) -> TransferView:
    return TransferView(transfer.giver, transfer.receiver, transfer.card if viewer in ("all", *to) else None)
