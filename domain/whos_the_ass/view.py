"""What a seat, or the public, sees of a game. The only file of this game that hides anything."""

import msgspec

from domain.cards import Card
from domain.game import Seat, Viewer
from domain.whos_the_ass.state import RoundResult, State


class TurnView(msgspec.Struct, frozen=True):
    """``value`` is what each of the cards counts: 0 for the ass and for a pass."""

    seat: Seat
    passed: bool
    cards: tuple[Card, ...]
    value: int


class View(msgspec.Struct, frozen=True, kw_only=True):
    """``hand`` are the viewer's own cards, ``hands`` everybody's; either is null for whom it is not meant.

    ``ass_holder`` is null while the ass lies on the table. ``ass_banned`` says that the starting player, who took the
    ass in the round before, may not lead it now. ``cards_needed`` is the number of cards that this round is played
    with and ``to_beat`` the value to be beaten; both are 0 before the lead, and in an ass round nobody has to beat
    anything. ``last_round`` is how the round before ended, null in the first of a game. Between games ``round`` is the
    number of rounds that the last game had, and nobody starts and nobody is due.
    """

    game: int
    round: int
    scorekeeper: Seat | None
    dealer: Seat | None
    starter: Seat | None
    turn: Seat | None
    hand: tuple[Card, ...] | None
    hands: tuple[tuple[Card, ...], ...] | None
    hand_sizes: tuple[int, ...]
    ass_holder: Seat | None
    ass_round: bool
    ass_banned: bool
    turns: tuple[TurnView, ...]
    cards_needed: int
    to_beat: int
    discarded: int
    last_round: RoundResult | None
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> View:
    playing = bool(state.table) or state.turn is not None
    return View(
        game=state.hand,
        round=state.rounds + playing,
        scorekeeper=state.scorekeeper,
        dealer=state.dealer,
        starter=state.starter if playing else None,
        turn=state.turn,
        hand=state.hands[viewer] if isinstance(viewer, int) else None,
        hands=state.hands if viewer == "all" else None,
        hand_sizes=tuple(len(hand) for hand in state.hands),
        ass_holder=state.ass_holder,
        ass_round=state.ass_round,
        ass_banned=playing and state.banned is not None,
        turns=tuple(TurnView(turn.seat, not turn.cards, turn.cards, turn.value) for turn in state.table),
        cards_needed=len(state.table[0].cards) if state.table else 0,
        to_beat=0 if state.ass_round else max((turn.value for turn in state.table), default=0),
        discarded=state.discarded,
        last_round=state.last_round,
        totals=state.totals,
        winners=state.winners,
    )
