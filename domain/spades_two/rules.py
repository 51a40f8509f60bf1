"""The rules of two-handed Spades: what each seat may do, and what follows when it does.

Numbers in comments are clauses of RULES.md; each has a test of the same number.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import Final, TypeAlias, assert_never, cast

from domain.cards import RANKS, Card, rank_of, suit_of
from domain.game import ALONE, DEALER, NOBODY, Drawn, GameMove, Outcome, OutOfTurn, Refused, Seat, is_drawn_from
from domain.hidden import Hidden
from domain.spades_two.score import counted, new_bags, points, winner
from domain.spades_two.state import (
    HAND,
    OF_SUIT,
    PACK,
    PLACES,
    BidPlaced,
    CardDrawn,
    CardKept,
    CardPlayed,
    CardRejected,
    Cards,
    CardsThrown,
    DoubleNilAnswered,
    Event,
    HandScored,
    MatchWon,
    Options,
    ReplacementsDrawn,
    SpadesBroken,
    State,
    StockShuffled,
    TrickWon,
    in_order,
)

SPADES: Final = "S"

EXCHANGE_MAX: Final = 3
"""How many cards a double nil may exchange (5.2)."""


class DoubleNil(GameMove, frozen=True, tag="double_nil"):
    """Before any card is drawn: bid double nil, or say no."""

    declare: bool


class Keep(GameMove, frozen=True, tag="keep"):
    """Take the drawn card into the hand; the next one is discarded."""


class Reject(GameMove, frozen=True, tag="reject"):
    """Discard the drawn card; the next one goes to the hand."""


class Exchange(GameMove, frozen=True, tag="exchange"):
    """After the draft, a double nil throws up to three cards and gets as many from the discard pile."""

    cards: tuple[Card, ...]


class Bid(GameMove, frozen=True, tag="bid"):
    """Say how many tricks you will win at least: 0, which is nil, to 13."""

    tricks: int


class Play(GameMove, frozen=True, tag="play"):
    """Lead a card, or play one to the card that was led."""

    card: Card


Move: TypeAlias = DoubleNil | Keep | Reject | Exchange | Bid | Play

_ANSWERS: Final = (DoubleNil(declare=True), DoubleNil(declare=False))
_KEEP: Final = Keep()
_REJECT: Final = Reject()
_BIDS: Final = tuple(Bid(tricks) for tricks in range(HAND + 1))
_PLAYS: Final = {card: Play(card) for card in PACK}


def check(options: Options, seats: int) -> None:
    """Every choice of options fits every other."""


def to_act(state: State) -> frozenset[Seat]:
    if state.turn is not None:
        return ALONE[state.turn]
    return ALONE[DEALER] if state.stage in ("deal", "replacement") else NOBODY


def chance(state: State) -> tuple[tuple[str, ...], ...]:
    """The lot for the first player (once) and the 52 cards; or the discard pile, for an exchange. (2.2, 2.4, 5.3)"""
    match state.stage:
        case "deal":
            return (PACK,) if state.hand else (("0", "1"), PACK)
        case "replacement":
            return (state.pile,)
        case _:
            return ()


def legal(state: State, seat: Seat) -> list[Move]:
    """Every move that ``decide`` accepts from ``seat`` now. An exchange is listed once, its cards in order."""
    if seat == DEALER or seat != state.turn:
        return []
    match state.stage:
        case "double_nil":
            return [*_ANSWERS]
        case "draft":
            return [_KEEP, _REJECT]
        case "exchange":
            hand = state.hands[seat]
            choices = (combinations(hand, count) for count in range(EXCHANGE_MAX + 1))
            return [*map(Exchange, chain.from_iterable(choices))]
        case "bidding":
            return [*_BIDS]
        case _:
            return [_PLAYS[card] for card in _playable(state, seat)]


def attempts(state: State, seat: Seat) -> list[Move]:
    """Each kind of move at its plainest, and each card of ``seat`` played; legal or not."""
    if seat == DEALER:
        return []
    return [*_ANSWERS, _KEEP, _REJECT, Exchange(()), _BIDS[0], *(_PLAYS[card] for card in state.hands[seat])]


def fallback(state: State, seat: Seat) -> Move:
    """What is played for an absent seat. (11.2)"""
    match state.stage:
        case "double_nil":
            return DoubleNil(declare=False)
        case "draft":
            assert state.drawn is not None
            return Keep() if _worth_keeping(state.drawn) else Reject()
        case "exchange":
            return Exchange(())
        case "bidding":
            return Bid(max(1, sum(map(_sure, state.hands[seat]))))
        case _:
            cards = sorted(_playable(state, seat), key=_strength)
            bid = state.bids[seat]
            return Play(cards[-1] if isinstance(bid, int) and state.won[seat] < bid else cards[0])


def outcome(state: State) -> Outcome | None:
    if not state.winners:
        return None
    (best,) = state.winners
    return Outcome(((best,), (1 - best,)))


def decide(state: State, seat: Seat, command: Move | Drawn) -> list[Event]:
    if isinstance(command, Drawn) != (seat == DEALER):
        raise Refused("2.5", "the dealer shuffles and draws lots and does nothing else, and nobody else does")
    if state.winners:
        raise OutOfTurn("10.6", "the match is over")
    if isinstance(command, Drawn):
        return _draw(state, command)
    if state.turn is None:
        raise OutOfTurn("2.5", "the dealer has to shuffle first")
    if seat != state.turn:
        raise OutOfTurn("2.6", f"it is the turn of seat {state.turn}")
    match command:
        case Play():
            return _play(state, seat, command.card)
        case Keep():
            return _keep(state, seat)
        case Reject():
            return _reject(state, seat)
        case DoubleNil(declare):
            return _answer(state, seat, declared=declare)
        case Exchange(cards):
            return _exchange(state, seat, cards)
        case Bid(tricks):
            return _bid(state, seat, tricks)
        case _:
            assert_never(command)


def _draw(state: State, drawn: Drawn) -> list[Event]:
    named = chance(state)
    if not named:
        raise OutOfTurn("2.5", "nothing is to be shuffled now")
    if not is_drawn_from(drawn, named):
        raise Refused("2.5", "what was drawn is not an order of the seats or the cards that were named")
    *lots, cards = drawn.lists
    if state.short is not None:
        return [_replacements(state, state.short, cards)]
    first = int(lots[0][0]) if lots else state.order[0]  # 2.2, 2.3
    return [StockShuffled(state.hand + 1, first, Hidden((), cast("Cards", cards)))]


def _replacements(state: State, seat: Seat, pile: Iterable[str]) -> ReplacementsDrawn:
    count = len(state.thrown[seat] or ())
    cards = in_order([Card(card) for card in pile][:count])  # 5.3
    return ReplacementsDrawn(seat, count, Hidden((seat,), cards))


def _answer(state: State, seat: Seat, *, declared: bool) -> list[Event]:
    if state.stage != "double_nil":
        raise Refused("3.1", "double nil is bid before the first card of the hand is drawn")
    answered = DoubleNilAnswered(seat, declared)
    if state.answers[1 - seat] is None:
        return [answered]
    first = state.order[1]
    return [answered, CardDrawn(first, Hidden((first,), state.stock[0]))]  # 4.1


def _keep(state: State, seat: Seat) -> list[Event]:
    card = _check_draft(state)
    skipped = state.stock[0]
    match state.options.skipped_card:  # 4.4
        case "hidden":
            beside: Hidden[Card] | Card = Hidden((), skipped)
        case "drawer":
            beside = Hidden((seat,), skipped)
        case "open":
            beside = skipped
        case _:
            assert_never(state.options.skipped_card)
    return _then_draw(state, seat, CardKept(seat, Hidden((seat,), card), beside))


def _reject(state: State, seat: Seat) -> list[Event]:
    card = _check_draft(state)
    return _then_draw(state, seat, CardRejected(seat, Hidden((seat,), card), Hidden((seat,), state.stock[0])))


def _check_draft(state: State) -> Card:
    """The card that the seat is looking at."""
    if state.drawn is None:
        raise Refused("4.1", "cards are kept or rejected in the draft, when one has been drawn")
    return state.drawn


def _then_draw(state: State, seat: Seat, event: CardKept | CardRejected) -> list[Event]:
    """``event`` and, if the draft goes on, the card that the other seat draws. (4.1)"""
    stock, other = state.stock[1:], 1 - seat
    return [event, CardDrawn(other, Hidden((other,), stock[0]))] if stock else [event]


def _exchange(state: State, seat: Seat, cards: Cards) -> list[Event]:
    if state.stage != "exchange":
        raise Refused("5.1", "cards are exchanged after the draft, by a player who has bid double nil, and once")
    if len(cards) > EXCHANGE_MAX:
        raise Refused("5.2", f"you may exchange {EXCHANGE_MAX} cards at most, not {len(cards)}")
    if len(set(cards)) < len(cards):
        raise Refused("5.2", "there is one of each card: name each once")
    for card in cards:
        _check_held(state.hands[seat], card, "5.2")
    return [CardsThrown(seat, len(cards), Hidden((seat,), in_order(cards)))]


def _bid(state: State, seat: Seat, tricks: int) -> list[Event]:
    if state.answers[seat]:
        raise Refused("3.4", "you have bid double nil, and that is your bid for this hand")
    if state.stage != "bidding":
        raise Refused("6.1", "bids are made once, after the draft and before the first trick")
    if tricks not in range(HAND + 1):
        raise Refused("6.2", f"a bid is a number from 0 to {HAND}, not {tricks}")
    return [BidPlaced(seat, tricks)]


def _play(state: State, seat: Seat, card: Card) -> list[Event]:
    if state.stage != "play":
        raise Refused("7.1", "cards are played when both have bid")
    _check_held(state.hands[seat], card, "7.2")
    suit = suit_of(card)
    if state.trick:
        led = suit_of(state.trick[0])
        if suit != led and not OF_SUIT[led].isdisjoint(state.hands[seat]):
            raise Refused("7.3", f"you hold cards of the suit that was led, {led}: play one")
    elif suit == SPADES and not state.broken and not OF_SUIT[SPADES].issuperset(state.hands[seat]):
        raise Refused("7.7", "spades are not broken: lead another suit as long as you have one")
    events: list[Event] = [CardPlayed(seat, card)]
    if suit == SPADES and not state.broken:
        events.append(SpadesBroken(seat))  # 7.8, 7.9
    if state.trick:
        events += _end_of_trick(state, seat, card)
    return events


def _check_held(hand: Cards, card: Card, clause: str) -> None:
    if card not in PLACES:
        raise Refused("1.2", "there is no such card: a card is a rank, 2 to 10 or J Q K A, and a suit, S H D C")
    if card not in hand:
        raise Refused(clause, f"you do not hold {card}")


def _playable(state: State, seat: Seat) -> Sequence[Card]:
    hand = state.hands[seat]
    if state.trick:
        following = OF_SUIT[suit_of(state.trick[0])]
        return [card for card in hand if card in following] or hand  # 7.3, 7.4
    if state.broken:
        return hand
    return [card for card in hand if card not in OF_SUIT[SPADES]] or hand  # 7.7, 7.9


def _end_of_trick(state: State, seat: Seat, answer: Card) -> list[Event]:
    """The trick that ``answer`` from ``seat`` makes whole and, when it was the last, the end of the hand."""
    (led,) = state.trick
    taker = seat if _beats(answer, led) else state.leader
    won = tuple([count + (seat == taker) for seat, count in enumerate(state.won)])
    taken = TrickWon(taker, state.leader, (led, answer), won)
    last = len(state.hands[seat]) == 1 and not state.hands[state.leader]
    return [taken, *_end_of_hand(state, won)] if last else [taken]


def _beats(answer: Card, led: Card) -> bool:
    """Whether the second card of a trick wins it. (7.5)"""
    if suit_of(answer) == suit_of(led):
        return PLACES[answer] > PLACES[led]
    return suit_of(answer) == SPADES


def _end_of_hand(state: State, won: tuple[int, ...]) -> list[Event]:
    options = state.options
    bids = tuple(bid for bid in state.bids if bid is not None)
    results = [
        counted(had, new_bags(bid, tricks, options.failed_nil_bags), options.bag_carry)
        for had, bid, tricks in zip(state.bags, bids, won, strict=True)
    ]
    gained = tuple(points(bid, tricks) - penalty for bid, tricks, (_, penalty) in zip(bids, won, results, strict=True))
    totals = tuple(total + more for total, more in zip(state.totals, gained, strict=True))
    scored = HandScored(
        hand=state.hand,
        bids=bids,
        tricks=won,
        points=gained,
        penalties=tuple(penalty for _, penalty in results),
        bags=tuple(bags for bags, _ in results),
        totals=totals,
    )
    best = winner(totals, options.target, last_hand=0 < options.max_hands <= state.hand)
    return [scored] if best is None else [scored, MatchWon((best,), totals)]


def _strength(card: Card) -> tuple[bool, int]:
    return suit_of(card) == SPADES, RANKS.index(rank_of(card))


def _worth_keeping(card: Card) -> bool:
    return suit_of(card) == SPADES or rank_of(card) in ("10", "J", "Q", "K", "A")


def _sure(card: Card) -> bool:
    return rank_of(card) in ("K", "A") or card == "QS"
