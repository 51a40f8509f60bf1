"""How the events of Osel, one against the rest, read."""

from typing import Any

from domain.cards import Card
from domain.hidden import Hidden
from domain.osel_solo.state import (
    CardPlayed,
    CardsAssigned,
    CardsDealt,
    CardsExchanged,
    CardsGiven,
    CardsLaidAway,
    HandScored,
    MatchWon,
    Passed,
    PotTaken,
    ReturnChosen,
    SoloDeclared,
    TalonShared,
    TalonTaken,
    VariantChosen,
)
from tests.narration.lines import Line

SEALED: Any = Hidden((0,), digest="d")


def opened(value: Any) -> Any:
    return Hidden((0,), value=value, digest="d", salt="s")


def dealt(hand: int, *hands: Any, asked: int | None = 1, talon: Any = SEALED) -> CardsDealt:
    return CardsDealt(hand, 0, asked is None, asked, hands, talon)


def scored(**changed: Any) -> HandScored:
    usual: dict[str, Any] = {
        "hand": 2,
        "points": (1, 0, 0),
        "totals": (4, 2, 8),
        "soloist": 0,
        "card_points": (52, 40, 28),
        "pairs": (3, 5, 5),
        "paid": (),
        "eggs": (),
        "sevens": None,
    }
    return HandScored(**usual | changed)


LINES = [
    Line(
        dealt(1, SEALED, SEALED, SEALED),
        "Hand 1: Arno, dealer by lot, deals 11 cards to each. Babs begins the auction.",
        "Раздача 1. По жребию сдаёт Arno, каждый получает 11 карт. Торговлю начинает Babs.",
        hu="1. leosztás: a sors döntése szerint Arno oszt, fejenként 11 lap. A licitet Babs kezdi.",
    ),
    Line(
        dealt(2, SEALED, SEALED, SEALED, SEALED, asked=2),
        "Hand 2: Arno deals 8 cards to each. Chris begins the auction.",
        "Раздача 2. Сдаёт Arno, каждый получает 8 карт. Торговлю начинает Chris.",
        hu="2. leosztás: Arno oszt, fejenként 8 lap. A licitet Chris kezdi.",
    ),
    Line(
        dealt(2, SEALED, opened(("6S", "10H")), SEALED, talon=opened(("KD", "9C", "AH"))),
        "Hand 2: Arno deals 11 cards to each. Babs: 6♠ 10♥. Talon: K♦ 9♣ A♥. Babs begins the auction.",
        "Раздача 2. Сдаёт Arno, каждый получает 11 карт. Babs: 6♠ 10♥. Прикуп: К♦ 9♣ Т♥. Торговлю начинает Babs.",
        hu="2. leosztás: Arno oszt, fejenként 11 lap. Babs: 6♠ 10♥. Talon: K♦ 9♣ Á♥. A licitet Babs kezdi.",
    ),
    Line(
        dealt(3, SEALED, SEALED, SEALED, asked=None),
        "Hand 3: Arno deals 11 cards to each. The deal is void, and Arno deals again.",
        "Раздача 3. Сдаёт Arno, каждый получает 11 карт. Сдача недействительна, Arno сдаёт снова.",
        hu="3. leosztás: Arno oszt, fejenként 11 lap. Az osztás érvénytelen, Arno újra oszt.",
    ),
    Line(
        Passed(1, 2),
        "Babs passes. Chris is asked next.",
        "Babs пасует. Теперь решает Chris.",
        hu="Babs passzol. Chris következik.",
    ),
    Line(
        Passed(2, None),
        "Chris passes.",
        "Chris пасует.",
        hu="Chris passzol.",
    ),
    Line(
        SoloDeclared(0, 1),
        "Arno says solo and plays against the rest, by variant 1.",
        "Arno играет в одиночку против всех, вариант 1.",
        hu="Arno szólót mond, és egyedül játszik a többiek ellen: 1. változat.",
    ),
    Line(
        SoloDeclared(0, None),
        "Arno says solo and plays against the rest; the variant is still to be chosen.",
        "Arno играет в одиночку против всех; вариант ещё не выбран.",
        hu="Arno szólót mond, és egyedül játszik a többiek ellen; a változatot még nem választotta ki.",
    ),
    Line(
        VariantChosen(0, 2),
        "Arno chooses variant 2.",
        "Arno выбирает вариант 2.",
        hu="Arno választása: 2. változat.",
    ),
    Line(
        TalonTaken(0, SEALED),
        "Arno takes the talon.",
        "Arno берёт прикуп.",
        hu="Arno felveszi a talont.",
    ),
    Line(
        TalonTaken(0, opened(("9C", "JD", "KS"))),
        "Arno takes the talon: 9♣ J♦ K♠.",
        "Arno берёт прикуп: 9♣ В♦ К♠.",
        hu="Arno felveszi a talont: 9♣ B♦ K♠.",
    ),
    Line(
        CardsGiven(1, (SEALED, SEALED)),
        "Babs gives each opponent a card.",
        "Babs отдаёт каждому противнику по карте.",
        hu="Babs minden ellenfelének ad egy lapot.",
    ),
    Line(
        CardsGiven(1, (SEALED, opened("7H"))),
        "Babs gives each opponent a card. Arno gets 7♥.",
        "Babs отдаёт каждому противнику по карте. Arno получает 7♥.",
        hu="Babs minden ellenfelének ad egy lapot. Arno lapot kap: 7♥.",
    ),
    Line(
        CardsGiven(0, (opened("6C"), opened("7H"))),
        "Arno gives each opponent a card. Babs gets 6♣. Chris gets 7♥.",
        "Arno отдаёт каждому противнику по карте. Babs получает 6♣. Chris получает 7♥.",
        hu="Arno minden ellenfelének ad egy lapot. Babs lapot kap: 6♣. Chris lapot kap: 7♥.",
    ),
    Line(
        CardsLaidAway(0, SEALED),
        "Arno lays cards away.",
        "Arno сносит карты.",
        hu="Arno lapokat fektet el.",
    ),
    Line(
        CardsLaidAway(0, opened(("KH", "10H", "AH"))),
        "Arno lays away K♥ 10♥ A♥.",
        "Arno сносит К♥ 10♥ Т♥.",
        hu="Arno elfekteti: K♥ 10♥ Á♥.",
    ),
    Line(
        CardsAssigned(0, (SEALED, SEALED, SEALED), ()),
        "Arno assigns a card to each opponent.",
        "Arno назначает каждому противнику по карте.",
        hu="Arno minden ellenfelének kijelöl egy lapot.",
    ),
    Line(
        CardsAssigned(1, (SEALED, opened("8C"), opened("6H")), (2,)),
        "Babs assigns a card to each opponent. Seat 3 will get 8♣. Arno will get 6♥. Chris has to say which of two "
        "cards to return.",
        "Babs назначает каждому противнику по карте. Место 3 получит 8♣. Arno получит 6♥. Какую из двух карт вернуть, "
        "решает Chris.",
        hu="Babs minden ellenfelének kijelöl egy lapot. 3. szék majd ezt kapja: 8♣. Arno majd ezt kapja: 6♥. "
        "Két lap közül választ, hogy melyiket adja vissza: Chris.",
    ),
    Line(
        CardsAssigned(0, (SEALED, SEALED, SEALED), (1, 2)),
        "Arno assigns a card to each opponent. Babs and Chris have to say which of two cards to return.",
        "Arno назначает каждому противнику по карте. Какую из двух карт вернуть, решают Babs и Chris.",
        hu="Arno minden ellenfelének kijelöl egy lapot. Két lap közül választanak, hogy melyiket adják vissza: "
        "Babs és Chris.",
    ),
    Line(
        ReturnChosen(2, SEALED, 1),
        "Chris has chosen the card to return.",
        "Chris выбирает карту для возврата.",
        hu="Chris kiválasztotta, melyik lapot adja vissza.",
    ),
    Line(
        ReturnChosen(2, opened("AH"), 1),
        "Chris has chosen to return A♥.",
        "Chris выбирает карту для возврата: Т♥.",
        hu="Chris kiválasztotta, melyik lapot adja vissza: Á♥.",
    ),
    Line(
        CardsExchanged(0, (SEALED, SEALED, SEALED), (SEALED, SEALED, SEALED)),
        "Arno exchanges a card with each opponent.",
        "Arno и противники меняются картами.",
        hu="Arno minden ellenfelével lapot cserél.",
    ),
    Line(
        CardsExchanged(1, (opened("7C"), SEALED, opened("6H")), (opened("QS"), SEALED, opened("AD"))),
        "Babs exchanges a card with each opponent. Chris gets 7♣ and returns Q♠. Arno gets 6♥ and returns A♦.",
        "Babs и противники меняются картами. Chris получает 7♣ и возвращает Д♠. Arno получает 6♥ и возвращает Т♦.",
        hu="Babs minden ellenfelével lapot cserél. Chris lapot cserélt, D♠ ment, 7♣ jött. Arno lapot cserélt, "
        "Á♦ ment, 6♥ jött.",
    ),
    Line(
        TalonShared((SEALED, SEALED, SEALED), 2),
        "Nobody says solo: everybody plays alone and takes a card of the talon. Chris holds the 6 of spades and leads "
        "first.",
        "Все спасовали: каждый играет сам за себя и берёт карту прикупа. С 6 пик на руках первым заходит Chris.",
        hu="Senki sem mondott szólót: mindenki magának játszik, és felvesz egy lapot a talonból. Elsőként Chris "
        "hív, nála van a pikk hatos.",
    ),
    Line(
        TalonShared((SEALED, opened("JC"), SEALED), 0),
        "Nobody says solo: everybody plays alone and takes a card of the talon. Babs takes J♣. Arno holds the 6 of "
        "spades and leads first.",
        "Все спасовали: каждый играет сам за себя и берёт карту прикупа. Babs берёт В♣. С 6 пик на руках первым "
        "заходит Arno.",
        hu="Senki sem mondott szólót: mindenki magának játszik, és felvesz egy lapot a talonból. Babs felveszi: "
        "B♣. Elsőként Arno hív, nála van a pikk hatos.",
    ),
    Line(
        CardPlayed(1, Card("KH"), beats=True),
        "Babs plays K♥, now on top.",
        "Babs ходит, теперь сверху К♥.",
        hu="Babs kijátssza: K♥, most ez van felül.",
    ),
    Line(
        CardPlayed(2, Card("9C"), beats=False),
        "Chris throws off 9♣.",
        "Chris скидывает 9♣.",
        hu="Chris dob: 9♣.",
    ),
    Line(
        PotTaken(1, (Card("KH"), Card("9C"), Card("8D"))),
        "Babs takes the pot: K♥ 9♣ 8♦.",
        "Взятку забирает Babs: К♥ 9♣ 8♦.",
        hu="Babs viszi a bankot: K♥ 9♣ 8♦.",
    ),
    Line(
        scored(),
        "Hand 2 is scored. Captured points: Arno 52, Babs 40, Chris 28. The soloist loses: Arno has 52 points, the "
        "partners have 68. Jars: Arno 1, Babs 0, Chris 0. Jars in all: Arno 4, Babs 2, Chris 8.",
        "Раздача 2 подсчитана. Взятые очки: Arno 52, Babs 40, Chris 28. В одиночку Arno проигрывает: 52 против 68. "
        "Банки: Arno 1, Babs 0, Chris 0. Всего банок: Arno 4, Babs 2, Chris 8.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 52, Babs 40, Chris 28. Elbukott a szóló: Arno 52 pont, a "
        "társak 68 pont. Bödönök: Arno 1, Babs 0, Chris 0. Állás: Arno 4, Babs 2, Chris 8.",
    ),
    Line(
        scored(card_points=(75, 30, 15), points=(0, 2, 1), totals=(3, 4, 9), paid=(1,)),
        "Hand 2 is scored. Captured points: Arno 75, Babs 30, Chris 15. The soloist wins: Arno has 75 points, the "
        "partners have 45. One jar more for the eggs of the hand before: Babs. Jars: Arno 0, Babs 2, Chris 1. Jars "
        "in all: Arno 3, Babs 4, Chris 9.",
        "Раздача 2 подсчитана. Взятые очки: Arno 75, Babs 30, Chris 15. В одиночку Arno выигрывает: 75 против 45. "
        "Лишняя банка за яйца из прошлой раздачи: Babs. Банки: Arno 0, Babs 2, Chris 1. Всего банок: Arno 3, Babs 4, "
        "Chris 9.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 75, Babs 30, Chris 15. Sikerült a szóló: Arno 75 pont, a "
        "társak 45 pont. Eggyel több bödön az előző leosztás tojásáért: Babs. Bödönök: Arno 0, Babs 2, Chris 1. "
        "Állás: Arno 3, Babs 4, Chris 9.",
    ),
    Line(
        scored(soloist=2, card_points=(25, 35, 60), points=(0, 0, 0), totals=(3, 2, 8), eggs=(0, 1, 2)),
        "Hand 2 is scored. Captured points: Arno 25, Babs 35, Chris 60. Neither side loses: Chris has 60 points, the "
        "partners have 60. Jars: Arno 0, Babs 0, Chris 0. Jars in all: Arno 3, Babs 2, Chris 8. Eggs in the next "
        "hand: Arno, Babs and Chris.",
        "Раздача 2 подсчитана. Взятые очки: Arno 25, Babs 35, Chris 60. Силы равны: Chris 60, партнёры 60. Банки: "
        "Arno 0, Babs 0, Chris 0. Всего банок: Arno 3, Babs 2, Chris 8. Яйца в следующей раздаче: Arno, Babs и Chris.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 25, Babs 35, Chris 60. Döntetlen a szóló: Chris 60 pont, a "
        "társak 60 pont. Bödönök: Arno 0, Babs 0, Chris 0. Állás: Arno 3, Babs 2, Chris 8. Tojás a következő "
        "leosztásra: Arno, Babs és Chris.",
    ),
    Line(
        scored(soloist=1, card_points=(2, 120, -2), points=(6, 0, 6), totals=(9, 2, 14), pairs=(2, 6, 2), sevens=1),
        "Hand 2 is scored. Captured points: Arno 2, Babs 120, Chris -2. The soloist wins: Babs has 120 points, the "
        "partners have 0. Pairs of cards without points: Arno 2, Babs 6, Chris 2. Babs held all four sevens and is "
        "above par: every opponent takes one jar more. Jars: Arno 6, Babs 0, Chris 6. Jars in all: Arno 9, Babs 2, "
        "Chris 14.",
        "Раздача 2 подсчитана. Взятые очки: Arno 2, Babs 120, Chris -2. В одиночку Babs выигрывает: 120 против 0. "
        "Пары карт без очков: Arno 2, Babs 6, Chris 2. Babs собирает четыре семёрки, и очков достаточно: каждый "
        "противник получает на банку больше. Банки: Arno 6, Babs 0, Chris 6. Всего банок: Arno 9, Babs 2, Chris 14.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 2, Babs 120, Chris -2. Sikerült a szóló: Babs 120 pont, a "
        "társak 0 pont. Pont nélküli lappárok: Arno 2, Babs 6, Chris 2. Babs kezében volt mind a négy hetes, és "
        "a küszöb fölött zárt: minden ellenfele eggyel több bödönt kap. Bödönök: Arno 6, Babs 0, Chris 6. Állás: "
        "Arno 9, Babs 2, Chris 14.",
    ),
    Line(
        scored(soloist=None, card_points=(50, 40, 30), points=(0, 0, 1), eggs=(1,)),
        "Hand 2 is scored. Captured points: Arno 50, Babs 40, Chris 30. Jars: Arno 0, Babs 0, Chris 1. Jars in all: "
        "Arno 4, Babs 2, Chris 8. Eggs in the next hand: Babs.",
        "Раздача 2 подсчитана. Взятые очки: Arno 50, Babs 40, Chris 30. Банки: Arno 0, Babs 0, Chris 1. Всего банок: "
        "Arno 4, Babs 2, Chris 8. Яйца в следующей раздаче: Babs.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 50, Babs 40, Chris 30. Bödönök: Arno 0, Babs 0, Chris 1. "
        "Állás: Arno 4, Babs 2, Chris 8. Tojás a következő leosztásra: Babs.",
    ),
    Line(
        scored(soloist=None, card_points=(70, 40, 9, 1), points=(0, 0, 3, 4), totals=(4, 2, 8, 7), pairs=(2, 1, 2, 3)),
        "Hand 2 is scored. Captured points: Arno 70, Babs 40, Chris 9, Seat 3 1. Pairs of cards without points: Arno "
        "2, Babs 1, Chris 2, Seat 3 3. Jars: Arno 0, Babs 0, Chris 3, Seat 3 4. Jars in all: Arno 4, Babs 2, Chris 8, "
        "Seat 3 7.",
        "Раздача 2 подсчитана. Взятые очки: Arno 70, Babs 40, Chris 9, Место 3 1. Пары карт без очков: Arno 2, Babs "
        "1, Chris 2, Место 3 3. Банки: Arno 0, Babs 0, Chris 3, Место 3 4. Всего банок: Arno 4, Babs 2, Chris 8, "
        "Место 3 7.",
        hu="2. leosztás: vége. Elvitt pontok: Arno 70, Babs 40, Chris 9, 3. szék 1. Pont nélküli lappárok: Arno "
        "2, Babs 1, Chris 2, 3. szék 3. Bödönök: Arno 0, Babs 0, Chris 3, 3. szék 4. Állás: Arno 4, Babs 2, "
        "Chris 8, 3. szék 7.",
    ),
    Line(
        MatchWon((1,), (10, 2, 8)),
        "No more hands: Babs has the fewest jars. Jars in all: Arno 10, Babs 2, Chris 8.",
        "Раздач больше не будет: меньше всех банок набирает Babs. Всего банок: Arno 10, Babs 2, Chris 8.",
        hu="Nincs több leosztás: a legkevesebb bödönnel végzett Babs. Állás: Arno 10, Babs 2, Chris 8.",
    ),
    Line(
        MatchWon((1, 2), (10, 2, 2)),
        "No more hands: Babs and Chris have the fewest jars. Jars in all: Arno 10, Babs 2, Chris 2.",
        "Раздач больше не будет: меньше всех банок, причём поровну, набирают Babs и Chris. Всего банок: Arno 10, Babs "
        "2, Chris 2.",
        hu="Nincs több leosztás: holtversenyben, a legkevesebb bödönnel végzett Babs és Chris. Állás: Arno 10, "
        "Babs 2, Chris 2.",
    ),
]
