"""Words for tables of Osel, one against the rest: who sits there, what was dealt, what is played, how a hand ends."""

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

from msgspec.structs import replace

from domain import osel
from domain.cards import Card, rank_of, without
from domain.game import DEALER, AnyGame, Drawn, Seat
from domain.hidden import Hidden
from domain.osel import PACK, POINTS, in_order
from domain.osel_solo import THREE_AGAINST_ONE, TWO_AGAINST_ONE
from domain.osel_solo.rules import ChooseVariant, Exchange, Give, LayAway, Pass, Play, Return, Solo
from domain.osel_solo.score import BEATING
from domain.osel_solo.state import CardPlayed, HandScored, Options, PotTaken, State, others
from tests.domain.spec import Given, given

ANNA, BORIS, CLARA, DIMA = range(4)

SOLO, PASS = Solo(), Pass()

LOW_FIRST = [card for suit in "HCDS" for card in PACK if card.endswith(suit)]
"""The pack as it fills up what a test leaves open."""


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def beats(card: Card, top: Card) -> bool:
    return osel.beats(card, top, BEATING)


def play(text: str) -> Play:
    return Play(Card(text))


def give(text: str) -> Give:
    return Give(cards(text))


def lay_away(text: str) -> LayAway:
    return LayAway(cards(text))


def exchange(text: str) -> Exchange:
    return Exchange(cards(text))


def back(text: str) -> Return:
    return Return(Card(text))


def choose(variant: Any) -> ChooseVariant:
    return ChooseVariant(variant)


def played(seat: Seat, text: str, *, beats: bool) -> CardPlayed:
    return CardPlayed(seat, Card(text), beats)


def taken(seat: Seat, text: str) -> PotTaken:
    return PotTaken(seat, cards(text))


def only(seat: Seat, text: str) -> Hidden[tuple[Card, ...]]:
    """Cards that one seat may see."""
    return Hidden((seat,), cards(text))


def shared(soloist: Seat, seat: Seat, text: str) -> Hidden[Card]:
    """A card that went from one of two seats to the other."""
    return Hidden((soloist, seat), Card(text))


def form(seats: int) -> AnyGame:
    return TWO_AGAINST_ONE if seats == 3 else THREE_AGAINST_ONE


def full(hands: Sequence[str], talon: str) -> tuple[list[tuple[Card, ...]], tuple[Card, ...]]:
    """``hands`` filled up to 11 or 8 cards and the talon to 3 or 4, with what is left, ordinary cards first."""
    named = [cards(hand) for hand in hands]
    rest = iter([card for card in LOW_FIRST if card not in {*sum(named, ()), *cards(talon)}])
    each = (len(PACK) - len(hands)) // len(hands)
    filled = [(*hand, *(next(rest) for _ in range(each - len(hand)))) for hand in named]
    return filled, (*cards(talon), *rest)


def drawn(*hands: str, talon: str = "", dealer: Seat = ANNA, lot: bool = True) -> Drawn:
    """What the dealer drew so that the seats get these ``hands``."""
    seats = len(hands)
    filled, left = full(hands, talon)
    order = (*others(dealer, seats), dealer)
    dealt = [filled[seat][place] for place in range(len(filled[0])) for seat in order]
    lots = ((str(dealer), *(str(seat) for seat in range(seats) if seat != dealer)),) if lot else ()
    return Drawn((*lots, (*dealt, *left)))


def empty_table(seats: int, **options: Any) -> Given:
    """A table before its first deal."""
    return given(form(seats), seats=seats, options=Options(**options))


def table(*hands: str, talon: str = "", dealer: Seat = ANNA, **options: Any) -> Given:
    """A table after its first deal. Hands and talon are filled up."""
    return empty_table(len(hands), **options).after((DEALER, drawn(*hands, talon=talon, dealer=dealer)))


def at_play(*hands: str, leader: Seat = ANNA, **options: Any) -> Given:
    """Everybody has passed, and these are the hands; ``leader`` has the first lead. Other cards are out of play."""
    start = empty_table(len(hands), **options)
    held = tuple(in_order(cards(hand)) for hand in hands)
    state = replace(start.state, hand=1, dealer=ANNA, stage="play", hands=held, leader=leader, due=(leader,))
    return Given(start.game, replace(state, opener=leader))


def piles(*points: int) -> list[tuple[Card, ...]]:
    """The pack in piles that count so many points, which are 120 together."""
    left, out = tuple(PACK), []
    for wanted in points[:-1]:
        sums: dict[int, tuple[Card, ...]] = {0: ()}
        for card in left:
            for total, chosen in list(sums.items()):
                sums.setdefault(total + POINTS[rank_of(card)], (*chosen, card))
        out.append(sums[wanted])
        left = without(left, sums[wanted])
    return [*out, left]


def ending(captured: Iterable[tuple[Card, ...]], *, laid_away: str = "", **facts: Any) -> Given:
    """The last pot of a hand, one card before its end; when it is over the seats have ``captured`` these cards.

    ``facts`` are fields of the state: the soloist, who had eggs, who held four sevens, the totals so far.
    """
    wanted = [tuple(pile) for pile in captured]
    seats = len(wanted)
    winner, pot = next(
        (seat, some)
        for seat, pile in enumerate(wanted)
        for some in permutations([card for card in pile if card not in cards(laid_away)], seats)
        if not any(beats(card, some[0]) for card in some[1:])
    )
    wanted[winner] = without(wanted[winner], pot)
    if laid_away:
        wanted[facts["soloist"]] = without(wanted[facts["soloist"]], cards(laid_away))
    hands: list[tuple[Card, ...]] = [()] * seats
    for seat, card in zip((winner, *others(winner, seats)), pot, strict=True):
        hands[seat] = (card,)
    options = facts.pop("options", Options())
    start = given(form(seats), seats=seats, options=options)
    known = {"hand": 1, "dealer": ANNA, "totals": (0,) * seats, "laid_away": cards(laid_away), **facts}
    state = replace(start.state, **known)
    state = replace(state, stage="play", hands=tuple(hands), piles=tuple(wanted), leader=winner, due=(winner,))
    turns = [(seat, Play(hands[seat][0])) for seat in (winner, *others(winner, seats))]
    return Given(start.game, replace(state, opener=winner)).after(*turns[:-1])


def last_play(before: Given) -> list[Any]:
    """The events of the last card of a hand."""
    (seat,) = before.state.due
    (card,) = before.state.hands[seat]
    return before.when(seat, Play(card)).events()


def scored(before: Given) -> HandScored:
    """The score after the last card of a hand."""
    return next(event for event in last_play(before) if isinstance(event, HandScored))


def card_count(state: State) -> int:
    held = sum(map(len, (*state.hands, *state.piles)))
    return held + len(state.pot) + len(state.talon) + len(state.laid_away)
