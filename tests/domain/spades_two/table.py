"""Words for tables of two-handed Spades: who sits there, what the stock is, what is bid and played."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from domain.cards import RANKS, Card
from domain.game import DEALER, Drawn, Seat
from domain.hidden import Hidden
from domain.spades_two import GAME
from domain.spades_two.rules import Bid, DoubleNil, Exchange, Keep, Play, Reject
from domain.spades_two.state import PACK, CardDrawn, CardPlayed, HandScored, Options, StockShuffled, TrickWon
from tests.domain.spec import Given, given

ANNA, BELA = range(2)
"""In a first hand Anna is the first player and Bela the second, unless the test says otherwise."""

KEEP, REJECT = Keep(), Reject()
YES, NO = DoubleNil(declare=True), DoubleNil(declare=False)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def play(card: str) -> Play:
    return Play(Card(card))


def throw(text: str) -> Exchange:
    return Exchange(cards(text))


def played(seat: Seat, card: str) -> CardPlayed:
    return CardPlayed(seat, Card(card))


def offered(seat: Seat, card: str) -> CardDrawn:
    return CardDrawn(seat, Hidden((seat,), Card(card)))


def trick(seat: Seat, leader: Seat, text: str, tricks: tuple[int, int]) -> TrickWon:
    return TrickWon(seat, leader, cards(text), tricks)


def shuffled(stock: str, *, hand: int = 1, first: Seat = ANNA) -> StockShuffled:
    """A stock that begins, or ends, with the cards in ``stock``."""
    return StockShuffled(hand, first, Hidden((), cards(stock)))


def lots(first: Seat, stock: Sequence[str] = PACK) -> Drawn:
    """What the dealer drew before a first hand."""
    return Drawn(((str(first), str(1 - first)), tuple(stock)))


def empty_table(**options: Any) -> Given:
    """A table before its first hand."""
    return given(GAME, options=Options(**options))


def answered(stock: str, second: DoubleNil = NO, first: DoubleNil = NO, **options: Any) -> Given:
    """A table with Anna's first draw due from ``stock``."""
    return given(GAME, shuffled(stock), options=Options(**options)).after((BELA, second), (ANNA, first))


def scored(hand: int, totals: tuple[int, int], bags: tuple[int, int] = (0, 0)) -> HandScored:
    """That a hand is over, and what the players have after it."""
    return HandScored(hand, (1, 1), (7, 6), (0, 0), (0, 0), bags, totals)


def drafted(
    anna: str,
    bela: str,
    *,
    bela_says: DoubleNil = NO,
    anna_says: DoubleNil = NO,
    before: HandScored | None = None,
    first: Seat = ANNA,
    **options: Any,
) -> Given:
    """A table where the draft has just given these hands, equally long and shorter than 13 where that is enough.

    Both kept each card; the discard pile has the last cards of the pack that nobody holds.
    """
    hands = cards(anna), cards(bela)
    free = [card for card in reversed(PACK) if card not in {*hands[0], *hands[1]}]
    turns = chain.from_iterable(zip(hands[first], hands[1 - first], strict=True))
    stock = tuple(chain.from_iterable(zip(turns, free, strict=False)))
    start = given(GAME, *([before] if before else []), options=Options(**options))
    table = start.with_events(StockShuffled((before.hand if before else 0) + 1, first, Hidden((), stock)))
    says = {ANNA: anna_says, BELA: bela_says}
    table = table.after((1 - first, says[1 - first]), (first, says[first]))
    for _ in range(len(stock) // 2):
        table = table.after((table.state.turn, KEEP))
    return table


def playing(anna: str, bela: str, bids: tuple[int, int] = (1, 1), **more: Any) -> Given:
    """The same table when both have bid, Anna's bid named first, though the second player bids first."""
    table = drafted(anna, bela, **more)
    while table.state.stage in ("exchange", "bidding"):
        seat = table.state.turn
        table = table.after((seat, Exchange(()) if table.state.stage == "exchange" else Bid(bids[seat])))
    return table


def hand_of(anna: int, bela: int, bids: tuple[int, int], **more: Any) -> list[Any]:
    """What the last card of a hand leads to in which they win so many tricks; 13 in all at most, Anna 6 at most.

    Bela, who leads, wins with hearts on which Anna throws clubs; then Anna's diamonds are all higher than Bela's.
    """
    low, high, hearts, clubs = ([rank + suit for rank in RANKS] for suit in "DDHC")
    table = playing(" ".join(high[7 : 7 + anna] + clubs[:bela]), " ".join(low[:anna] + hearts[:bela]), bids, **more)
    before = table.state.scored
    while True:
        moves = table.legal(table.state.turn)
        events = table.when(table.state.turn, moves[-1] if table.state.trick else moves[0]).events()
        table = table.with_events(*events)
        if table.state.scored > before:
            assert table.state.won == (anna, bela)
            return events


def after_cards(table: Given, text: str) -> Given:
    """The cards in ``text`` are played one after another, each by the seat that is due."""
    for card in text.split():
        table = table.after((table.state.turn, play(card)))
    return table


def last_hand(events: list[Any]) -> HandScored:
    (found,) = (event for event in events if isinstance(event, HandScored))
    return found


def replacements(table: Given, text: str) -> Drawn:
    """That the cards in ``text`` came to the top of the shuffled pile."""
    top = cards(text)
    (pile,) = GAME.chance(table.state)
    assert set(top) <= set(pile)
    return Drawn(((*top, *(card for card in pile if card not in top)),))


def draw(table: Given, text: str) -> Given:
    return table.after((DEALER, replacements(table, text)))
