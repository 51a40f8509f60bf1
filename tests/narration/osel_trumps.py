"""How the events of Osel, trumps, read."""

from typing import Any

from domain.cards import Card
from domain.hidden import Hidden
from domain.osel_trumps.state import (
    CardsDealt,
    CardsLed,
    CardsPlayed,
    ClaimDeclined,
    HandScored,
    HandsRefilled,
    LotsDrawn,
    MatchWon,
    PotTaken,
    TrumpChosen,
)
from tests.narration.lines import Line

SEALED: Any = Hidden((0,), digest="d")


def opened(value: Any) -> Any:
    return Hidden((0,), value=value, digest="d", salt="s")


def cards(*texts: str) -> tuple[Card, ...]:
    return tuple(map(Card, texts))


def scored(**changed: Any) -> HandScored:
    usual: dict[str, Any] = {
        "hand": 2,
        "points": (0, 1, 0),
        "totals": (3, 5, 10),
        "card_points": (65, 55, 0),
        "pairs": (4, 4, 0),
        "eggs": (),
        "sevens": None,
        "out": (),
    }
    return HandScored(**usual | changed)


LINES = [
    Line(
        LotsDrawn(1, (None, None)),
        "By lot, Babs is the first dealer.",
        "Первая сдача по жребию: Babs.",
        hu="A sors döntött: Babs az első osztó.",
    ),
    Line(
        LotsDrawn(0, ("S", "C", "D")),
        "By lot, Arno is the first dealer. Arno gets spades as trumps. Babs gets clubs as trumps. Chris gets "
        "diamonds as trumps.",
        "Первая сдача по жребию: Arno. Arno получает козырь: пики. Babs получает козырь: трефы. Chris получает "
        "козырь: бубны.",
        hu="A sors döntött: Arno az első osztó. Arno aduja: pikk. Babs aduja: treff. Chris aduja: káró.",
    ),
    Line(
        TrumpChosen(1, "H"),
        "Babs chooses hearts as trumps.",
        "Babs выбирает козырь: черви.",
        hu="Babs adut választ: kőr.",
    ),
    Line(
        CardsDealt(1, 0, 2, None, (SEALED, SEALED, SEALED), SEALED),
        "Hand 1: Arno deals 4 cards to each. Chris has the lead.",
        "Раздача 1. Сдаёт Arno, каждый получает 4 карты. Право захода имеет Chris.",
        hu="1. leosztás: Arno oszt, fejenként 4 lap. Elsőként Chris hívhat.",
    ),
    Line(
        CardsDealt(4, 0, 1, 0, (opened(("JS", "JH", "JD", "JC")), SEALED, opened(())), SEALED),
        "Hand 4: Arno deals 4 cards to each. Babs has the lead. Arno: J♠ J♥ J♦ J♣. Arno holds four of a kind and "
        "may claim the lead.",
        "Раздача 4. Сдаёт Arno, каждый получает 4 карты. Право захода имеет Babs. Arno: В♠ В♥ В♦ В♣. Arno держит "
        "четыре карты одного достоинства и может взять заход вне очереди.",
        hu="4. leosztás: Arno oszt, fejenként 4 lap. Elsőként Babs hívhat. Arno: B♠ B♥ B♦ B♣. Arno kezében négyes "
        "van: átveheti a hívást.",
    ),
    Line(
        ClaimDeclined(0, None),
        "Arno does not claim the lead.",
        "Arno не берёт заход вне очереди.",
        hu="Arno nem veszi át a hívást.",
    ),
    Line(
        ClaimDeclined(0, 2),
        "Arno does not claim the lead. Chris holds four of a kind and may claim the lead.",
        "Arno не берёт заход вне очереди. Chris держит четыре карты одного достоинства и может взять заход вне "
        "очереди.",
        hu="Arno nem veszi át a hívást. Chris kezében négyes van: átveheti a hívást.",
    ),
    Line(
        CardsLed(0, cards("9H", "KH"), claimed=False),
        "Arno leads 9♥ K♥.",
        "Arno заходит: 9♥ К♥.",
        hu="Arno hív: 9♥ K♥.",
    ),
    Line(
        CardsLed(2, cards("AS", "AH", "AD", "AC"), claimed=True),
        "Chris claims the lead with four of a kind: A♠ A♥ A♦ A♣.",
        "Chris заходит вне очереди, четыре карты одного достоинства: Т♠ Т♥ Т♦ Т♣.",
        hu="Chris négyessel átveszi a hívást: Á♠ Á♥ Á♦ Á♣.",
    ),
    Line(
        CardsPlayed(1, cards("JH", "AH"), beats=True),
        "Babs beats with J♥ A♥.",
        "Babs кладёт В♥ Т♥ и бьёт.",
        hu="Babs üt: B♥ Á♥.",
    ),
    Line(
        CardsPlayed(2, cards("7S", "QC"), beats=False),
        "Chris throws off 7♠ Q♣.",
        "Chris скидывает 7♠ Д♣.",
        hu="Chris dob: 7♠ D♣.",
    ),
    Line(
        PotTaken(1, cards("9H", "10S")),
        "Babs takes the pot: 9♥ 10♠.",
        "Взятку забирает Babs: 9♥ 10♠.",
        hu="Babs viszi a bankot: 9♥ 10♠.",
    ),
    Line(
        HandsRefilled((SEALED, SEALED), None),
        "Hands are refilled from the stock.",
        "Игроки добирают карты из колоды.",
        hu="Pótlás a húzópakliból.",
    ),
    Line(
        HandsRefilled((opened(("7S", "8S")), SEALED, opened(())), 1),
        "Hands are refilled from the stock. Arno draws 7♠ 8♠. Babs holds four of a kind and may claim the lead.",
        "Игроки добирают карты из колоды. Arno берёт 7♠ 8♠. Babs держит четыре карты одного достоинства и может взять "
        "заход вне очереди.",
        hu="Pótlás a húzópakliból. Arno húz: 7♠ 8♠. Babs kezében négyes van: átveheti a hívást.",
    ),
    Line(
        scored(),
        "Hand 2 is scored. Captured points: Arno 65, Babs 55, Chris 0. Jars: Arno 0, Babs 1, Chris 0. Jars in all: "
        "Arno 3, Babs 5, Chris 10.",
        "Раздача 2 подсчитана. Взятые очки: Arno 65, Babs 55, Chris 0. Банки: Arno 0, Babs 1, Chris 0. Всего банок: "
        "Arno 3, Babs 5, Chris 10.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 65, Babs 55, Chris 0. Bödönök: Arno 0, Babs 1, Chris 0. Állás: "
        "Arno 3, Babs 5, Chris 10.",
    ),
    Line(
        scored(card_points=(120, 0, 0), points=(0, 6, 0), totals=(3, 11, 10), pairs=(4, 4, 0), sevens=0, out=(1,)),
        "Hand 2 is scored. Captured points: Arno 120, Babs 0, Chris 0. Pairs of cards without points: Arno 4, Babs "
        "4, Chris 0. Arno held all four sevens and is above par: every opponent takes one jar more. Jars: Arno 0, "
        "Babs 6, Chris 0. Jars in all: Arno 3, Babs 11, Chris 10. Babs has reached ten jars and is out.",
        "Раздача 2 подсчитана. Взятые очки: Arno 120, Babs 0, Chris 0. Пары карт без очков: Arno 4, Babs 4, Chris 0. "
        "Arno собирает четыре семёрки и набирает больше своей доли: каждый противник получает на банку больше. Банки: "
        "Arno 0, Babs 6, Chris 0. Всего банок: Arno 3, Babs 11, Chris 10. Babs доходит до десяти банок и выбывает.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 120, Babs 0, Chris 0. Pont nélküli lappárok: Arno 4, Babs 4, "
        "Chris 0. Arno kezében volt mind a négy hetes, és a küszöb fölött zárt: minden ellenfele eggyel több "
        "bödönt kap. Bödönök: Arno 0, Babs 6, Chris 0. Állás: Arno 3, Babs 11, Chris 10. Elérte a tíz bödönt, "
        "ezért kiesett: Babs.",
    ),
    Line(
        scored(card_points=(79, 40, 1), points=(0, 0, 4), totals=(3, 5, 9), pairs=(3, 1, 4), eggs=(1,)),
        "Hand 2 is scored. Captured points: Arno 79, Babs 40, Chris 1. Pairs of cards without points: Arno 3, Babs "
        "1, Chris 4. Jars: Arno 0, Babs 0, Chris 4. Jars in all: Arno 3, Babs 5, Chris 9. Babs is exactly at par "
        "and has eggs in the next hand.",
        "Раздача 2 подсчитана. Взятые очки: Arno 79, Babs 40, Chris 1. Пары карт без очков: Arno 3, Babs 1, Chris 4. "
        "Банки: Arno 0, Babs 0, Chris 4. Всего банок: Arno 3, Babs 5, Chris 9. Babs набирает ровно свою долю и в "
        "следующей раздаче играет с яйцами.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 79, Babs 40, Chris 1. Pont nélküli lappárok: Arno 3, Babs 1, "
        "Chris 4. Bödönök: Arno 0, Babs 0, Chris 4. Állás: Arno 3, Babs 5, Chris 9. Pontosan a küszöböt érte el, "
        "tojása van a következő leosztásra: Babs.",
    ),
    Line(
        scored(hand=7, card_points=(40, 40, 40), points=(0, 0, 0), totals=(0, 8, 9), pairs=(3, 3, 2), eggs=(0, 1, 2)),
        "Hand 7 is scored. Captured points: Arno 40, Babs 40, Chris 40. Jars: Arno 0, Babs 0, Chris 0. Jars in all: "
        "Arno 0, Babs 8, Chris 9. Arno, Babs and Chris are exactly at par and have eggs in the next hand.",
        "Раздача 7 подсчитана. Взятые очки: Arno 40, Babs 40, Chris 40. Банки: Arno 0, Babs 0, Chris 0. Всего банок: "
        "Arno 0, Babs 8, Chris 9. Arno, Babs и Chris набирают ровно свою долю и в следующей раздаче играют с яйцами.",
        hu="7. leosztás: vége. Elvitt pontok: Arno 40, Babs 40, Chris 40. Bödönök: Arno 0, Babs 0, Chris 0. Állás: "
        "Arno 0, Babs 8, Chris 9. Pontosan a küszöböt érték el, tojásuk van a következő leosztásra: Arno, Babs és "
        "Chris.",
    ),
    Line(
        scored(card_points=(104, 8, 8), points=(0, 4, 4), totals=(2, 10, 11), out=(1, 2)),
        "Hand 2 is scored. Captured points: Arno 104, Babs 8, Chris 8. Jars: Arno 0, Babs 4, Chris 4. Jars in all: "
        "Arno 2, Babs 10, Chris 11. Babs and Chris have reached ten jars and are out.",
        "Раздача 2 подсчитана. Взятые очки: Arno 104, Babs 8, Chris 8. Банки: Arno 0, Babs 4, Chris 4. Всего банок: "
        "Arno 2, Babs 10, Chris 11. Babs и Chris доходят до десяти банок и выбывают.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 104, Babs 8, Chris 8. Bödönök: Arno 0, Babs 4, Chris 4. Állás: "
        "Arno 2, Babs 10, Chris 11. Elérték a tíz bödönt, ezért kiestek: Babs és Chris.",
    ),
    Line(
        MatchWon((0,), (2, 10, 11)),
        "No more hands: Arno has won. Jars in all: Arno 2, Babs 10, Chris 11.",
        "Раздач больше не будет: выигрывает Arno. Всего банок: Arno 2, Babs 10, Chris 11.",
        hu="Nincs több leosztás, a győztes: Arno. Állás: Arno 2, Babs 10, Chris 11.",
    ),
    Line(
        MatchWon((0, 2), (2, 10, 2)),
        "No more hands: Arno and Chris have won. Jars in all: Arno 2, Babs 10, Chris 2.",
        "Раздач больше не будет: выигрывают Arno и Chris. Всего банок: Arno 2, Babs 10, Chris 2.",
        hu="Nincs több leosztás, a győztesek: Arno és Chris. Állás: Arno 2, Babs 10, Chris 2.",
    ),
]
