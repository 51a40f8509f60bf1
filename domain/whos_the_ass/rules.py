"""The rules of Who's the Ass?: what each seat may do, and what follows when it does.

Numbers in comments are clauses of RULES.md; each has a test of the same number.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias, assert_never, cast

import msgspec

from domain.cards import Card
from domain.game import ALONE, DEALER, NOBODY, Drawn, GameMove, Outcome, OutOfTurn, Refused, Seat, is_drawn_from
from domain.hidden import Hidden
from domain.whos_the_ass.score import added, minus_points, ranking
from domain.whos_the_ass.state import (
    ASS,
    CARDS_EACH,
    COPIES,
    HIGHEST,
    JOKER,
    JOKERS,
    NUMBERS,
    PACK,
    VALUES,
    AssCardsTaken,
    AssPlayed,
    CardsDealt,
    CardsPlayed,
    Event,
    HandScored,
    MatchWon,
    Options,
    Passed,
    RoundWon,
    ScorekeeperChosen,
    State,
    counted,
    evolve,
    in_order,
)

PLACES: Final = tuple(str(place) for place in range(1, 40))
"""Where in the pile the ass can be, counted from the top (2.3)."""

ONE_OR_FOURTEEN: Final = (1, HIGHEST)
"""What a joker can count in an ass round (5.6)."""

MINUTE: Final = 60_000


class Play(GameMove, frozen=True, tag="play", omit_defaults=True):
    """Lay cards on the table: a lead, a raise, or one card in an ass round. ``as`` is for a joker in an ass round."""

    cards: tuple[Card, ...]
    declared: int | None = msgspec.field(default=None, name="as")


class Pass(GameMove, frozen=True, tag="pass"):
    """Lay no cards."""


Move: TypeAlias = Play | Pass


def check(options: Options, seats: int) -> None:
    """Every choice of options fits every number of seats."""


def to_act(state: State) -> frozenset[Seat]:
    if state.turn is not None:
        return ALONE[state.turn]
    return ALONE[DEALER] if state.hand == state.scored and not state.winners else NOBODY


def chance(state: State) -> tuple[tuple[str, ...], ...]:
    """The lot for the scorekeeper (once), the 109 cards, and the place of the ass. (2.1, 2.3, 2.7)"""
    if DEALER not in to_act(state):
        return ()
    deal = (PACK, PLACES)
    if state.scorekeeper is None:
        return (tuple(str(seat) for seat in range(len(state.hands))), *deal)
    return deal


def legal(state: State, seat: Seat) -> list[Move]:
    """Every move that ``decide`` accepts from ``seat`` now, identical cards once: by counts, never by subsets."""
    if seat == DEALER or seat != state.turn:
        return []
    hand = state.hands[seat]
    if not state.table:
        return _leads(hand, may_lead_ass=state.banned != seat)
    if state.ass_round:
        return _single_cards(hand, state.options)
    return _raises(hand, len(state.table[0].cards), state.to_beat)


def attempts(state: State, seat: Seat) -> list[Move]:
    """For each distinct card of ``seat`` the plainest move that would play it now, and the pass; legal or not."""
    if seat == DEALER:
        return []
    hand = state.hands[seat]
    cards = [card for card in (*NUMBERS, JOKER, ASS) if card in hand]
    needed = len(state.table[0].cards) if state.table else 1
    return [*(_attempt(hand, card, needed, in_ass_round=state.ass_round) for card in cards), Pass()]


def fallback(state: State, seat: Seat) -> Move:
    """What is played for an absent seat. (9.2)"""
    moves = legal(state, seat)
    if Pass() in moves:
        return Pass()
    plays = [move for move in moves if isinstance(move, Play) and len(move.cards) == 1]
    return min(plays, key=lambda play: (play.cards == (ASS,), play.declared or VALUES[play.cards[0]]))


def outcome(state: State) -> Outcome | None:
    return Outcome(ranking(state.totals)) if state.winners else None


def decide(state: State, seat: Seat, command: Move | Drawn) -> list[Event]:
    if isinstance(command, Drawn) != (seat == DEALER):
        raise Refused("2.7", "the dealer deals and does nothing else, and nobody else deals")
    if state.winners:
        raise OutOfTurn("8.5", "the match is over")
    if isinstance(command, Drawn):
        return _deal(state, command)
    if state.turn is None:
        raise OutOfTurn("2.7", "the next game has not been dealt yet")
    if seat != state.turn:
        raise OutOfTurn("3.5", f"it is the turn of seat {state.turn}")
    match command:
        case Play():
            return _play(state, seat, command)
        case Pass():
            return _pass(state, seat)
        case _:
            assert_never(command)


def _deal(state: State, drawn: Drawn) -> list[Event]:
    if state.hand > state.scored:
        raise OutOfTurn("2.7", "cards are dealt before a game, not during it")
    if not is_drawn_from(drawn, chance(state)):
        raise Refused("2.7", "what was drawn is not an order of the seats, the cards and the places that were named")
    if state.scored and 0 < state.options.time_limit_min * MINUTE <= drawn.elapsed:  # 8.4
        return [_won(state.totals)]
    *lots, cards, places = drawn.lists
    seats = len(state.hands)
    if lots:
        scorekeeper = int(lots[0][0])
        return [ScorekeeperChosen(scorekeeper), _dealt(state, (scorekeeper + 1) % seats, cards, places)]  # 2.1, 2.2
    last = state.dealer if state.dealer is not None else 0
    step = 1 if state.options.dealer == "rotate" else 0
    return [_dealt(state, (last + step) % seats, cards, places)]


def _dealt(state: State, dealer: Seat, cards: Sequence[str], places: Sequence[str]) -> CardsDealt:
    above = int(places[0]) - 1
    pile = cast("tuple[Card, ...]", (*cards[:above], ASS, *cards[above:]))  # 2.3
    seats = len(state.hands)
    in_play = seats * CARDS_EACH[seats]  # 2.5
    hands = [in_order(pile[(seat - dealer - 1) % seats : in_play : seats]) for seat in range(seats)]  # 2.4
    return CardsDealt(
        hand=state.hand + 1,
        dealer=dealer,
        starter=next(seat for seat, hand in enumerate(hands) if hand[-1] == ASS),  # 3.1
        hands=tuple(Hidden((seat,), hand) for seat, hand in enumerate(hands)),
        undealt=Hidden((), in_order(pile[in_play:])),
    )


def _pass(state: State, seat: Seat) -> list[Event]:
    if not state.table:
        raise Refused("3.2", "the starting player has to play")
    if state.ass_round:
        raise Refused("5.4", "nobody may pass in an ass round: play one card")
    return _with_consequences(state, Passed(seat))


def _play(state: State, seat: Seat, play: Play) -> list[Event]:
    _check_held(state.hands[seat], play.cards)
    if state.ass_round:
        value = _check_single_card(play, state.options)
        return _with_consequences(state, CardsPlayed(seat, play.cards, value))
    if play.declared is not None:
        raise Refused("4.4", "only in an ass round does a joker's player say what it counts")
    if ASS in play.cards:
        _check_ass(state, seat, play.cards)
        return [AssPlayed(seat)]
    cards, value = _valued(play.cards)
    if state.table:
        _check_raise(state, cards, value)
    return _with_consequences(state, CardsPlayed(seat, cards, value))


def _check_held(hand: tuple[Card, ...], cards: tuple[Card, ...]) -> None:
    if not cards:
        raise Refused("3.2", "to play is to lay at least one card")
    if len(cards) > len(hand):
        raise Refused("3.8", f"you hold {len(hand)} cards, not {len(cards)}")
    for card in dict.fromkeys(cards):
        if card not in VALUES:
            raise Refused("1.3", "there is no such card: cards are 1 to 13, J (a joker) and ASS")
        held, laid = hand.count(card), cards.count(card)
        if laid > held:
            raise Refused("3.8", f"you hold {held} of {card}, not {laid}")


def _check_ass(state: State, seat: Seat, cards: tuple[Card, ...]) -> None:
    if state.table:
        raise Refused("5.1", "only the starting player of a round can play the ass")
    if len(cards) > 1:
        raise Refused("5.2", "the ass is played alone")
    if state.banned == seat:
        raise Refused("6.1", "you took the ass in the last round: lead it in the round after this at the earliest")


def _check_raise(state: State, cards: tuple[Card, ...], value: int) -> None:
    needed, highest = len(state.table[0].cards), state.to_beat
    if len(cards) != needed:
        raise Refused("3.4", f"this round is played with {needed} of a kind, not {len(cards)}: play {needed} or pass")
    if highest == HIGHEST:
        raise Refused("4.2", "a joker by itself is 14, and nothing tops that: pass")
    if value <= highest:
        raise Refused("3.6", f"to raise you need a value over {highest}, and {value} is not: play higher or pass")


def _check_single_card(play: Play, options: Options) -> int:
    """The value of the card that a seat plays in an ass round. (5.5, 5.6)"""
    if len(play.cards) != 1:
        raise Refused("5.5", "in an ass round everybody plays exactly one card")
    (card,) = play.cards
    if card != JOKER:
        if play.declared is not None:
            raise Refused("4.4", "only a joker is told what it counts; a number card has its number")
        return VALUES[card]
    if options.ass_round_joker == "always_one":
        if play.declared not in (None, 1):
            raise Refused("5.6", "at this table a joker in an ass round always counts 1")
        return 1
    if play.declared not in ONE_OR_FOURTEEN:
        raise Refused("5.6", "say what the joker counts in this ass round: 1 or 14")
    return play.declared


@lru_cache(maxsize=4096)
def _valued(cards: tuple[Card, ...]) -> tuple[tuple[Card, ...], int]:
    """A group in order, and what each of its cards counts: jokers what the numbers do. (3.3, 4.1, 4.2, 4.3)"""
    numbers = set(cards) - {JOKER}
    if len(numbers) > 1:
        raise Refused("3.3", "cards that are played together have one number value, jokers aside")
    return in_order(cards), VALUES[numbers.pop()] if numbers else HIGHEST


def _with_consequences(state: State, event: Event) -> list[Event]:
    """``event`` and, when it was the last turn of a round, what follows from it."""
    if len(state.table) + 1 < len(state.hands):
        return [event]
    table = evolve(state, event)
    end = _end_of_round(table)
    if all(table.hands):
        return [event, end]
    after = evolve(table, end)
    return [event, end] if all(after.hands) else [event, end, *_end_of_game(after)]  # 7.1


def _end_of_round(state: State) -> Event:
    if state.ass_round:
        highest = max(turn.value for turn in state.table)
        last = next(turn.seat for turn in reversed(state.table) if turn.value == highest)
        return AssCardsTaken(last, in_order(card for turn in state.table for card in turn.cards))  # 5.7
    winning = next(turn for turn in reversed(state.table) if turn.cards)
    return RoundWon(winning.seat, winning.value, sum(len(turn.cards) for turn in state.table))  # 3.11


def _end_of_game(state: State) -> list[Event]:
    points = tuple(minus_points(hand) for hand in state.hands)
    totals = added(state.totals, points)
    ass = state.ass_holder
    assert ass is not None, "the ass stays in the game until its end (6.5)"
    scored = HandScored(state.hand, points, totals, ass)
    return [scored, _won(totals)] if state.hand == state.options.games else [scored]  # 8.3


def _won(totals: tuple[int, ...]) -> MatchWon:
    return MatchWon(ranking(totals)[0], totals)  # 8.5, 8.6


def _group(card: Card, count: int, jokers: int) -> Play:
    return Play((card,) * count + (JOKER,) * jokers)


_LEADS: Final = [
    {
        card: [_group(card, count, more) for count in range(1, COPIES + 1) for more in range(jokers + 1)]
        for card in NUMBERS
    }
    for jokers in range(JOKERS + 1)
]
"""By how many jokers a hand has, and by the number: its groups, those with one card of the number first."""

_RAISES: Final = {
    card: [
        [_group(card, count, size - count) for count in range(max(1, size - JOKERS), min(size, COPIES) + 1)]
        for size in range(COPIES + JOKERS + 1)
    ]
    for card in NUMBERS
}
"""By the number and the size of a group: the groups, those with the most jokers first."""

_OVER: Final = [
    {card: _group(card, 1, 0) for card in (*NUMBERS, JOKER) if VALUES[card] > value} for value in range(HIGHEST + 1)
]
"""By a value on the table: the single cards that top it."""

_JOKERS: Final = [_group(JOKER, count, 0) for count in range(JOKERS + 1)]
_PASS: Final = Pass()
_ASS_LEAD: Final = Play((ASS,))
_JOKER_AS: Final = {value: Play((JOKER,), value) for value in ONE_OR_FOURTEEN}


def _leads(hand: tuple[Card, ...], *, may_lead_ass: bool) -> list[Move]:
    held = counted(hand)
    jokers = held.get(JOKER, 0)
    moves: list[Move] = []
    leads = _LEADS[jokers]
    for card, count in held.items():
        if card in leads:
            moves += leads[card][: count * (jokers + 1)]
    moves += _JOKERS[1 : jokers + 1]
    if may_lead_ass and ASS in held:
        moves.append(_ASS_LEAD)
    return moves


def _raises(hand: tuple[Card, ...], needed: int, highest: int) -> list[Move]:
    held = counted(hand)
    if needed == 1:  # three rounds in four
        over = _OVER[highest]
        return [*[over[card] for card in held if card in over], _PASS]
    jokers = held.get(JOKER, 0)
    moves: list[Move] = []
    most = max(1, needed - JOKERS)  # so many numbers are in the first of the groups, with all the jokers there are
    first = max(1, needed - jokers) - most
    for card in NUMBERS[highest:]:
        count = held.get(card, 0)
        if count and count + jokers >= needed:
            moves += _RAISES[card][needed][first : count + 1 - most]
    if highest < HIGHEST and jokers >= needed:
        moves.append(_JOKERS[needed])
    moves.append(_PASS)
    return moves


def _single_cards(hand: tuple[Card, ...], options: Options) -> list[Move]:
    held = counted(hand)
    moves: list[Move] = [_OVER[0][card] for card in held if card in NUMBERS]
    if JOKER in held:
        moves += [_JOKER_AS[1]] if options.ass_round_joker == "always_one" else _JOKER_AS.values()
    return moves


def _attempt(hand: tuple[Card, ...], card: Card, needed: int, *, in_ass_round: bool) -> Move:
    if card == ASS:
        return _ASS_LEAD
    if card == JOKER:
        return _JOKER_AS[1] if in_ass_round else _JOKERS[min(needed, hand.count(JOKER))]
    count = min(needed, hand.count(card))
    return _group(card, count, min(needed - count, hand.count(JOKER)))
