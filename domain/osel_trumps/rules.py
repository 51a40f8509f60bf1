"""The rules of Osel, trumps: what each seat may do, and what follows when it does.

Numbers in comments are clauses of RULES.md; each has a test of the same number.
"""

from collections.abc import Sequence
from itertools import chain, combinations
from operator import add, attrgetter
from typing import Final, TypeAlias, assert_never, cast, get_args

from domain.cards import SUITS, Card, rank_of, suit_of, without
from domain.game import (
    ALONE,
    DEALER,
    NOBODY,
    Drawn,
    GameMove,
    Outcome,
    OutOfTurn,
    Refused,
    Seat,
    is_drawn_from,
    with_entry,
)
from domain.hidden import Hidden
from domain.osel import LOST, PACK, POINTS, STRENGTH, in_order
from domain.osel_trumps.score import (
    LEADS,
    NOTHING,
    OF_RANK,
    OF_SUIT,
    beaters,
    beats_all,
    next_asked,
    ranking,
    runs,
    scores,
)
from domain.osel_trumps.state import (
    HAND,
    Cards,
    CardsDealt,
    CardsLed,
    CardsPlayed,
    ClaimDeclined,
    Event,
    HandScored,
    HandsRefilled,
    LotsDrawn,
    MatchWon,
    Options,
    PotTaken,
    State,
    Suit,
    TrumpChosen,
    clockwise,
    evolve,
)

NAMES: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


class ChooseTrump(GameMove, frozen=True, tag="choose_trump"):
    """Choose a trump suit of one's own, for the whole match."""

    suit: Suit


class Claim(GameMove, frozen=True, tag="claim"):
    """Lead the four of a kind in hand, out of turn."""


class Decline(GameMove, frozen=True, tag="decline"):
    """Do not lead the four of a kind out of turn."""


class Play(GameMove, frozen=True, tag="play"):
    """Lay cards on the table: a lead, or a reply. Whether a reply beats is seen from its cards."""

    cards: tuple[Card, ...]


Move: TypeAlias = ChooseTrump | Claim | Decline | Play

_alone: Final = {card: Play((card,)) for card in PACK}.__getitem__
_EACH: Final = tuple((seat,) for seat in range(4))  # hidden cards are for the seat that holds them, and nobody else
_cards: Final = attrgetter("cards")
_SETS: Final = {
    cards: tuple([Play(few) for size in range(2, len(cards) + 1) for few in combinations(cards, size)])
    for cards in OF_SUIT
}
_suit_of: Final = {card: suit_of(card) for card in PACK}.__getitem__
_rank_of: Final = {card: rank_of(card) for card in PACK}.__getitem__


def check(options: Options, seats: int) -> None:
    """Refuses pairs unless there are four seats, and trump suits that the trump option has no use for."""
    if options.teams == "pairs" and seats != 4:
        raise Refused("10.1", f"teams: pairs need four seats, not {seats}")
    if options.trumps == "usual":
        return
    if options.trump_option not in (3, 4):
        raise Refused("2.7", "trumps: suits are named with trump options 3 and 4 only")
    if len(options.trumps) != options.trump_option - 2:
        raise Refused("2.7", "trumps: name one suit with trump option 3, two with option 4")


def to_act(state: State) -> frozenset[Seat]:
    if state.due:
        return ALONE[state.due[0]]
    return ALONE[DEALER] if state.hand == state.scored and not state.winners else NOBODY


def chance(state: State) -> tuple[tuple[str, ...], ...]:
    """First the lots: the dealer and, with personal trumps by lot, the suits. Then, for each hand, the cards. (3.6)"""
    if to_act(state) != {DEALER}:
        return ()
    if state.dealer is not None:
        return (PACK,)
    seats = tuple(str(seat) for seat in range(len(state.hands)))
    return (seats, SUITS) if _trumps_by_lot(state.options) else (seats,)


def legal(state: State, seat: Seat) -> Sequence[Move]:
    """Every move that ``decide`` accepts from ``seat`` now, cards in the order of the hand."""
    if not state.due or seat != state.due[0]:
        return []
    if state.hand == 0:
        return [ChooseTrump(suit) for suit in get_args(Suit) if suit not in state.trumps]
    if state.asked is not None:
        return [Claim(), Decline()]
    hand = state.hands[seat]
    if not state.pot:
        return _leads(hand)
    needed = len(state.pot[0].cards)
    replies = [*map(_alone, hand)] if needed == 1 else [*map(Play, combinations(hand, needed))]
    if state.options.must_beat == "on":  # 6.6
        return [play for play in replies if _beats(state, seat, play.cards)] or replies
    return replies


def _leads(hand: Cards) -> list[Move]:
    """What may be led from ``hand``: one card, more of one suit, or three or four of one rank. (4.4)"""
    leads: list[Move] = [*map(_alone, hand)]
    for run in runs(*map(_suit_of, hand)):
        leads += _SETS[hand[run]]
    if len({*map(_rank_of, hand)}) < len(hand) - 1:  # fewer ranks than that leave three cards for one, or two for two
        leads += [Play(cards) for size in (3, 4) for cards in combinations(hand, size) if cards in OF_RANK]
    return leads


def attempts(state: State, seat: Seat) -> list[Move]:
    """For each card of ``seat`` the plainest move that would play it now, and each plain move; legal or not."""
    if seat == DEALER:
        return []
    if state.chooser is not None:
        return [ChooseTrump(suit) for suit in get_args(Suit)]
    hand, needed = state.hands[seat], len(state.pot[0].cards) if state.pot else 1
    plays = [move for move in legal(state, seat) if isinstance(move, Play)]
    tries = [
        next(
            (play for play in plays if card in play.cards),
            Play(in_order((card, *[other for other in hand if other != card][: needed - 1]))),
        )
        for card in hand
    ]
    return [*dict.fromkeys(tries), Claim(), Decline()]


def fallback(state: State, seat: Seat) -> Move:
    """What is played for an absent seat. (10.2)"""
    moves = legal(state, seat)
    if state.chooser is not None:
        return moves[0]
    if state.asked is not None:
        return Decline()
    plays = [move for move in moves if isinstance(move, Play)]
    if not state.pot:
        return min((play for play in plays if len(play.cards) == 1), key=_worth)
    return min([play for play in plays if _beats(state, seat, play.cards)] or plays, key=_worth)


def _worth(play: Play) -> tuple[int, int]:
    ranks = [rank_of(card) for card in play.cards]
    return sum(POINTS[rank] for rank in ranks), sum(STRENGTH[rank] for rank in ranks)


def outcome(state: State) -> Outcome | None:
    return Outcome(ranking(state.totals, state.left)) if state.winners else None


def decide(state: State, seat: Seat, command: Move | Drawn) -> list[Event]:
    if isinstance(command, Drawn) != (seat == DEALER):
        raise Refused("3.6", "the dealer draws and deals and does nothing else, and nobody else does")
    if state.winners:
        raise OutOfTurn("9.5", "the match is over")
    if seat != DEALER and (not state.due or seat != state.due[0]):
        raise _not_yet(state)
    if state.hand == 0 and not isinstance(command, ChooseTrump | Drawn):
        raise Refused("2.2", "choose your trump suit first: no cards have been dealt")
    match command:
        case Play():
            return _play(state, seat, command.cards)
        case Drawn():
            return _draw(state, command)
        case ChooseTrump(suit):
            return _choose(state, seat, suit)
        case Claim():
            return _claim(state, seat)
        case Decline():
            return _decline(state, seat)
        case _:
            assert_never(command)


def _not_yet(state: State) -> OutOfTurn:
    if state.turn is None:
        return OutOfTurn("3.6", "the cards have not been dealt yet")
    if state.chooser is not None:
        return OutOfTurn("2.2", f"seat {state.turn} chooses its trump suit now")
    if state.asked is not None:
        return OutOfTurn("4.7", f"seat {state.turn} is asked whether it claims the lead")
    return OutOfTurn("6.1", f"it is the turn of seat {state.turn}")


def _trumps_by_lot(options: Options) -> bool:
    return options.trump_option == 1 and options.personal_trumps == "lot"


def _draw(state: State, drawn: Drawn) -> list[Event]:
    named = chance(state)
    if not named:
        raise OutOfTurn("3.6", "lots are drawn before the match, and cards are dealt before a hand, not during it")
    if not is_drawn_from(drawn, named):
        raise Refused("3.6", "what was drawn is not an order of the seats, suits or cards that were named")
    if state.dealer is None:
        seats, *suits = drawn.lists
        lots = suits[0][: len(seats)] if suits else (None,) * len(seats)
        return [LotsDrawn(int(seats[0]), cast("tuple[Suit | None, ...]", lots))]  # 2.2, 3.1
    return [_dealt(state, state.dealer, cast("Cards", drawn.lists[0]))]


def _dealt(state: State, first_dealer: Seat, cards: Cards) -> CardsDealt:
    dealer = clockwise(state.active, state.opener)[0] if state.hand else first_dealer  # 3.1, 3.2
    order = clockwise(state.active, dealer + 1)
    dealt = HAND * len(order)
    hands = _one_at_a_time(cards[:dealt], order, len(state.hands))  # 3.3
    leader = _lowest_diamond(hands, order[0]) if state.hand == 0 else order[0]  # 4.1, 4.2, 4.3
    return CardsDealt(
        hand=state.hand + 1,
        dealer=dealer,
        leader=leader,
        asked=next_asked(hands, leader),
        hands=tuple(map(Hidden, _EACH, hands)),
        stock=Hidden((), cards[dealt:]),
    )


def _one_at_a_time(cards: Cards, order: tuple[Seat, ...], seats: int) -> list[Cards]:
    """What each of ``seats`` gets when ``cards`` go round in this order of seats, in the order of a hand."""
    got: list[Cards] = [()] * seats
    for place, seat in enumerate(order):
        own = cards[place :: len(order)]
        got[seat] = in_order(own) if len(own) > 1 else own
    return got


def _lowest_diamond(hands: Sequence[Sequence[Card]], otherwise: Seat) -> Seat:
    diamonds = [
        (STRENGTH[rank_of(card)], seat) for seat, hand in enumerate(hands) for card in hand if suit_of(card) == "D"
    ]
    return min(diamonds)[1] if diamonds else otherwise


def _choose(state: State, seat: Seat, suit: Suit) -> list[Event]:
    if state.chooser is None:
        raise Refused("2.8", "trumps hold for the whole match: there is nothing to choose now")
    if suit in state.trumps:
        raise Refused("2.2", f"{NAMES[suit]} are already another player's trump: choose a suit that is not taken")
    return [TrumpChosen(seat, suit)]


def _claim(state: State, seat: Seat) -> list[Event]:
    if state.asked is None:
        raise Refused("4.6", "there is nothing to claim: a claim is for four of a kind when another would lead")
    return [CardsLed(seat, state.hands[seat], claimed=True)]  # 4.8


def _decline(state: State, seat: Seat) -> list[Event]:
    if state.asked is None:
        raise Refused("4.6", "there is nothing to decline: you were not asked to claim the lead")
    return [ClaimDeclined(seat, next_asked(state.hands, state.leader, below=seat))]


def _play(state: State, seat: Seat, cards: tuple[Card, ...]) -> list[Event]:
    if state.asked is not None:
        raise Refused("4.7", "you are asked whether you lead your four of a kind: claim or decline first")
    if not cards:
        raise Refused("4.5", "to play is to lay at least one card")
    hand, top = state.hands[seat], state.top
    try:
        left = without(hand, cards)
    except ValueError:
        raise _not_held(hand, cards) from None
    laid = in_order(cards) if len(cards) > 1 else cards
    if top is None:
        if laid not in LEADS:
            raise Refused("4.4", "a lead is cards of one suit, or three or four cards of one rank")
        return [CardsLed(seat, laid, claimed=False)]
    needed = len(top.cards)
    if len(cards) != needed:
        raise Refused("6.2", f"the lead is of {needed}: play exactly as many cards, not {len(cards)}")
    beats = beats_all(laid, top.cards, beaters(state.options, state.trumps[seat]))  # 6.3
    if not beats and state.options.must_beat == "on" and _can_beat(state, seat):
        raise Refused("6.6", "you can beat the cards on top, and at this table you have to")
    played = CardsPlayed(seat, laid, beats)
    if len(state.due) > 1:
        return [played]
    return [played, *_end_of_pot(state, played, with_entry(state.hands, seat, left))]


def _not_held(hand: Cards, cards: Cards) -> Refused:
    """Why ``cards`` are not some of ``hand``."""
    for card in cards:
        if card not in PACK:
            return Refused("1.1", "there is no such card: cards are 6 to 10, J, Q, K and A, with the suit S, H, D or C")
        if card not in hand:
            return Refused("4.5", f"you do not hold {card}")
    return Refused("4.5", "each card is there once")


def _beats(state: State, seat: Seat, cards: Cards) -> bool:
    """Whether ``cards`` of ``seat`` beat the cards on top. (6.3)"""
    top = state.top
    assert top is not None, "only a reply can beat"
    return beats_all(cards, top.cards, beaters(state.options, state.trumps[seat]))


def _can_beat(state: State, seat: Seat) -> bool:
    needed = len(state.pot[0].cards)
    return any(_beats(state, seat, cards) for cards in combinations(state.hands[seat], needed))


def _end_of_pot(state: State, last: CardsPlayed, hands: tuple[Cards, ...]) -> list[Event]:
    """What follows from the ``last`` reply to a lead, which leaves ``hands``: the pot is taken, and hands refilled."""
    taker = last.seat if last.beats or state.top is None else state.top.seat
    taken = PotTaken(taker, (*chain(*map(_cards, state.pot)), *last.cards))  # 6.8
    if state.stock:
        return [taken, _refill(state, hands, taker)]
    if any(hands):
        return [taken]  # 7.4
    return [taken, *_end_of_hand(state, with_entry(state.piles, taker, state.piles[taker] + taken.cards))]


def _refill(state: State, hands: tuple[Cards, ...], first: Seat) -> HandsRefilled:
    """One card at a time to ``hands``, clockwise from ``first``, the seat that took the pot. (7.1)"""
    order, missing = clockwise(state.active, first), HAND - len(hands[first])
    drawn = _one_at_a_time(state.stock[: missing * len(order)], order, len(hands))  # the stock may hold fewer: 7.3
    return HandsRefilled(
        drawn=tuple(map(Hidden, _EACH, drawn)),
        asked=next_asked([*map(add, hands, drawn)], first),  # 4.6
    )


def _end_of_hand(state: State, piles: tuple[Cards, ...]) -> list[Event]:
    """What follows when the last cards of a hand are captured, and each seat has its ``piles``."""
    sides = state.sides
    captured = [[*chain(*map(piles.__getitem__, side))] for side in sides]
    eggs = [not {*side}.isdisjoint(state.eggs) for side in sides]
    sevens = None if state.sevens is None else [state.sevens in side for side in sides].index(True)
    of_seats = [NOTHING] * len(piles)
    for seats, side in zip(sides, scores(captured, eggs, sevens), strict=True):
        for seat in seats:
            of_seats[seat] = side
    points, card_points, pairs = zip(*[(side.jars, side.card_points, side.pairs) for side in of_seats], strict=True)
    totals = tuple(map(add, state.totals, points))
    scored = HandScored(
        hand=state.hand,
        points=points,
        totals=totals,
        card_points=card_points,
        pairs=pairs,
        eggs=tuple([seat for seat, side in enumerate(of_seats) if side.over == 0]),  # 8.7
        sevens=state.sevens if state.sevens is not None and of_seats[state.sevens].over > 0 else None,  # 8.9
        out=tuple([seat for seat in state.active if totals[seat] >= LOST]),  # 9.1
    )
    if not scored.out:
        return [scored]
    after = evolve(state, scored)
    if len(after.sides) > 1 and state.options.match_end != "first_out":  # 9.2, 9.3, 9.4
        return [scored]
    return [scored, MatchWon(ranking(totals, after.left)[0], totals)]
