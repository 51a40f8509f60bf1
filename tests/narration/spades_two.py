"""How the events of two-handed Spades read."""

from typing import Any

from domain.cards import Card
from domain.hidden import Hidden
from domain.spades_two.state import (
    BidPlaced,
    CardDrawn,
    CardKept,
    CardPlayed,
    CardRejected,
    CardsThrown,
    DoubleNilAnswered,
    HandScored,
    MatchWon,
    ReplacementsDrawn,
    SpadesBroken,
    StockShuffled,
    TrickWon,
)
from tests.narration.lines import Line

SEALED: Any = Hidden((0,), digest="d")


def opened(value: Any) -> Any:
    return Hidden((0,), value=value, digest="d", salt="s")


def cards(*texts: str) -> tuple[Card, ...]:
    return tuple(map(Card, texts))


LINES = [
    Line(
        StockShuffled(2, 0, SEALED),
        "Hand 2: the stock is shuffled. Arno draws first; Babs bids and leads first.",
        "Раздача 2: колода перетасована. Набор карт начинает Arno; первый заказ и первый ход делает Babs.",
        hu="2. leosztás: a húzópakli megkeverve. Elsőként Arno húz; a licitet és a hívást Babs kezdi.",
    ),
    Line(
        DoubleNilAnswered(0, True),
        "Arno bids double nil.",
        "Arno объявляет двойной нуль.",
        hu="Arno dupla nullát licitál.",
    ),
    Line(
        DoubleNilAnswered(1, False),
        "Babs does not bid double nil.",
        "Babs не объявляет двойного нуля.",
        hu="Babs nem licitál dupla nullát.",
    ),
    Line(
        CardDrawn(0, SEALED),
        "Arno looks at the top card of the stock.",
        "Arno смотрит верхнюю карту колоды.",
        hu="Arno megnézi a húzópakli legfelső lapját.",
    ),
    Line(
        CardDrawn(0, opened("KS")),
        "Arno draws K♠.",
        "Arno берёт с колоды К♠.",
        hu="Arno húz: K♠.",
    ),
    Line(
        CardKept(0, SEALED, SEALED),
        "Arno keeps the card. The next card is discarded face down.",
        "Arno оставляет карту себе. Следующая карта уходит в сброс рубашкой вверх.",
        hu="Arno megtartja a lapot. A következő lap képpel lefelé a dobópakliba kerül.",
    ),
    Line(
        CardKept(0, opened("AH"), Card("10D")),
        "Arno keeps A♥. The next card, 10♦, is discarded.",
        "Arno оставляет себе Т♥. Следующая карта, 10♦, уходит в сброс.",
        hu="Arno megtartja: Á♥. A következő lap a dobópakliba kerül: 10♦.",
    ),
    Line(
        CardRejected(1, SEALED, SEALED),
        "Babs rejects the card. The next card goes to the hand.",
        "Babs отказывается от карты. Следующая карта идёт на руки.",
        hu="Babs elveti a lapot. A következő lap a kezébe kerül.",
    ),
    Line(
        CardRejected(1, opened("2C"), opened("JC")),
        "Babs rejects 2♣. The next card, J♣, goes to the hand.",
        "Babs отказывается от 2♣. Следующая карта, В♣, идёт на руки.",
        hu="Babs elveti: 2♣. A következő lap a kezébe kerül: B♣.",
    ),
    Line(
        CardsThrown(0, 3, SEALED),
        "Arno throws 3 cards out of play.",
        "Arno выводит из игры 3 карты.",
        hu="Arno cserél: 3 lap kikerül a játékból.",
    ),
    Line(
        CardsThrown(0, 1, SEALED),
        "Arno throws 1 card out of play.",
        "Arno выводит из игры 1 карту.",
        hu="Arno cserél: 1 lap kikerül a játékból.",
    ),
    Line(
        CardsThrown(0, 2, opened(("AS", "KH"))),
        "Arno throws A♠ K♥ out of play.",
        "Arno выводит из игры Т♠ К♥.",
        hu="Arno cserél, kikerül a játékból: Á♠ K♥.",
    ),
    Line(
        CardsThrown(0, 0, opened(())),
        "Arno exchanges no cards.",
        "Arno карт не меняет.",
        hu="Arno nem cserél lapot.",
    ),
    Line(
        ReplacementsDrawn(0, 2, SEALED),
        "Arno gets 2 cards from the discard pile.",
        "Arno получает из сброса 2 карты.",
        hu="Arno a dobópakliból pótol: 2 lap.",
    ),
    Line(
        ReplacementsDrawn(0, 2, opened(("3C", "QD"))),
        "Arno gets 3♣ Q♦ from the discard pile.",
        "Arno получает из сброса 3♣ Д♦.",
        hu="Arno a dobópakliból pótol: 3♣ D♦.",
    ),
    Line(
        BidPlaced(1, 1),
        "Babs bids 1 trick.",
        "Babs заказывает 1 взятку.",
        hu="Babs licitje: 1 ütés.",
    ),
    Line(
        BidPlaced(1, 4),
        "Babs bids 4 tricks.",
        "Babs заказывает 4 взятки.",
        hu="Babs licitje: 4 ütés.",
    ),
    Line(
        BidPlaced(1, 11),
        "Babs bids 11 tricks.",
        "Babs заказывает 11 взяток.",
        hu="Babs licitje: 11 ütés.",
    ),
    Line(
        BidPlaced(1, 0),
        "Babs bids nil.",
        "Babs заказывает нуль.",
        hu="Babs licitje: nulla.",
    ),
    Line(
        CardPlayed(1, Card("QS")),
        "Babs plays Q♠.",
        "Babs ходит: Д♠.",
        hu="Babs kijátssza: D♠.",
    ),
    Line(
        SpadesBroken(1),
        "Babs breaks spades: from now on they may be led.",
        "Babs вскрывает пики: теперь с пик можно заходить.",
        hu="Babs megnyitja a pikket: mostantól pikket is szabad hívni.",
    ),
    Line(
        TrickWon(0, 1, cards("9H", "QH"), (1, 0)),
        "Arno wins the trick: 9♥ Q♥. Tricks: Arno 1, Babs 0.",
        "Взятку берёт Arno: 9♥ Д♥. Взятки: Arno 1, Babs 0.",
        hu="Arno viszi az ütést: 9♥ D♥. Ütések: Arno 1, Babs 0.",
    ),
    Line(
        HandScored(1, (3, "double_nil"), (12, 1), (-61, -200), (100, 0), (11, 1), (-61, -200)),
        "Hand 1 is scored. Arno bid 3 and won 12 tricks. Babs bid double nil and won 1 trick. Too many bags: Arno "
        "loses 100 points. Points: Arno -61, Babs -200. Bags: Arno 11, Babs 1. Totals: Arno -61, Babs -200.",
        "Раздача 1 подсчитана. Arno при заказе 3 берёт 12 взяток. Babs на двойном нуле берёт 1 взятку. Слишком "
        "много мешков: Arno теряет 100 очков. Очки: Arno -61, Babs -200. Мешки: Arno 11, Babs 1. Всего: Arno -61, "
        "Babs -200.",
        hu="1. leosztás: vége. Arno: licit 3, eredmény 12 ütés. Babs: licit dupla nulla, eredmény 1 ütés. "
        "Zsákbüntetés: Arno, 100 pont. Pontok: Arno -61, Babs -200. Zsákok: Arno 11, Babs 1. Állás: "
        "Arno -61, Babs -200.",
    ),
    Line(
        HandScored(2, (0, 13), (0, 13), (100, 130), (0, 0), (0, 0), (100, 130)),
        "Hand 2 is scored. Arno bid nil and won 0 tricks. Babs bid 13 and won 13 tricks. Points: Arno 100, Babs "
        "130. Bags: Arno 0, Babs 0. Totals: Arno 100, Babs 130.",
        "Раздача 2 подсчитана. Arno на нуле берёт 0 взяток. Babs при заказе 13 берёт 13 взяток. Очки: Arno 100, "
        "Babs 130. Мешки: Arno 0, Babs 0. Всего: Arno 100, Babs 130.",
        hu="2. leosztás: vége. Arno: licit nulla, eredmény 0 ütés. Babs: licit 13, eredmény 13 ütés. Pontok: "
        "Arno 100, Babs 130. Zsákok: Arno 0, Babs 0. Állás: Arno 100, Babs 130.",
    ),
    Line(
        MatchWon((1,), (480, 512)),
        "No more hands: Babs has the higher total. Totals: Arno 480, Babs 512.",
        "Раздач больше не будет: впереди Babs. Всего: Arno 480, Babs 512.",
        hu="Nincs több leosztás: Babs áll jobban, övé a győzelem. Állás: Arno 480, Babs 512.",
    ),
]
