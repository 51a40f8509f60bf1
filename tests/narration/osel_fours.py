"""How the events of Osel, fours, read."""

from typing import Any

from domain.hidden import Hidden
from domain.osel_fours.state import CardChosen, CardGiven, CardsDealt, CardsSwapped, HandScored, MatchWon
from tests.narration.lines import Line

SEALED: Any = Hidden((0,), digest="d")


def opened(value: Any) -> Any:
    return Hidden((0,), value=value, digest="d", salt="s")


def dealt(hand: int, *hands: Any, aside: Any = SEALED) -> CardsDealt:
    return CardsDealt(hand, 0, 1, hands, aside)


LINES = [
    Line(
        dealt(1, SEALED, SEALED),
        "By lot, Arno is the first dealer. Hand 1: Arno deals 26 cards to each. Babs begins the swapping.",
        "Первая сдача по жребию: Arno. Раздача 1. Сдаёт Arno, каждый получает 26 карт. Обмен начинает Babs.",
        hu="A sors döntött: Arno az első osztó. 1. leosztás: Arno oszt, fejenként 26 lap. A cserét Babs kezdi.",
    ),
    Line(
        dealt(2, SEALED, SEALED, SEALED),
        "Hand 2: Arno deals 17 cards to each. Babs begins the swapping. 1 card is set aside face down.",
        "Раздача 2. Сдаёт Arno, каждый получает 17 карт. Обмен начинает Babs. В стороне рубашкой вверх лежит 1 карта.",
        hu="2. leosztás: Arno oszt, fejenként 17 lap. A cserét Babs kezdi. 1 lap képpel lefelé félretéve.",
    ),
    Line(
        dealt(2, SEALED, opened(("2S", "10H", "QD", "AC")), SEALED, aside=opened(("3C",))),
        "Hand 2: Arno deals 17 cards to each. Babs begins the swapping. 1 card is set aside face down: 3♣. Babs: "
        "2♠ 10♥ Q♦ A♣.",
        "Раздача 2. Сдаёт Arno, каждый получает 17 карт. Обмен начинает Babs. В стороне рубашкой вверх лежит 1 "
        "карта: 3♣. Babs: 2♠ 10♥ Д♦ Т♣.",
        hu="2. leosztás: Arno oszt, fejenként 17 lap. A cserét Babs kezdi. 1 lap képpel lefelé félretéve: 3♣. "
        "Babs: 2♠ 10♥ D♦ Á♣.",
    ),
    Line(
        dealt(3, *[SEALED] * 6),
        "Hand 3: Arno deals 8 cards to each. Babs begins the swapping. 4 cards are set aside face down.",
        "Раздача 3. Сдаёт Arno, каждый получает 8 карт. Обмен начинает Babs. В стороне рубашкой вверх лежат 4 карты.",
        hu="3. leosztás: Arno oszt, fejenként 8 lap. A cserét Babs kezdi. 4 lap képpel lefelé félretéve.",
    ),
    Line(
        dealt(3, *[SEALED] * 11),
        "Hand 3: Arno deals 4 cards to each. Babs begins the swapping. 8 cards are set aside face down.",
        "Раздача 3. Сдаёт Arno, каждый получает 4 карты. Обмен начинает Babs. В стороне рубашкой вверх лежит 8 карт.",
        hu="3. leosztás: Arno oszt, fejenként 4 lap. A cserét Babs kezdi. 8 lap képpel lefelé félretéve.",
    ),
    Line(
        CardGiven(0, 1, SEALED),
        "Arno gives Babs a card, and Babs owes one in return.",
        "Arno отдаёт карту, ответную выбирает Babs.",
        hu="Arno lapot ad; Babs tartozik eggyel.",
    ),
    Line(
        CardGiven(0, 1, opened("KS")),
        "Arno gives Babs K♠, and Babs owes a card in return.",
        "Arno отдаёт К♠, ответную карту выбирает Babs.",
        hu="Arno lapot ad: K♠; Babs tartozik eggyel.",
    ),
    Line(
        CardChosen(2, SEALED),
        "Chris has chosen a card to swap.",
        "Chris выбирает карту для обмена.",
        hu="Chris kiválasztotta a cserére szánt lapját.",
    ),
    Line(
        CardChosen(2, opened("10D")),
        "Chris has chosen a card to swap: 10♦.",
        "Chris выбирает карту для обмена: 10♦.",
        hu="Chris kiválasztotta a cserére szánt lapját: 10♦.",
    ),
    Line(
        CardsSwapped(3, 0, 1, SEALED, SEALED),
        "Circuit 3: Arno and Babs have swapped a card each.",
        "Круг 3. Arno и Babs меняются картами.",
        hu="3. kör: Arno és Babs lapot cserélt.",
    ),
    Line(
        CardsSwapped(3, 0, 1, opened("KS"), opened("5D")),
        "Circuit 3: Arno has given Babs K♠ and got 5♦.",
        "Круг 3. Arno меняет К♠ на 5♦; карту в ответ даёт Babs.",
        hu="3. kör: Arno és Babs lapot cserélt, K♠ ment, 5♦ jött.",
    ),
    Line(
        HandScored(1, (0, 1, 0), (0, 1, 0), "deal", 1, ("A", "J")),
        "Babs was dealt 2 fours and wins hand 1 without a swap: aces and jacks. Wins: Arno 0, Babs 1, Chris 0.",
        "Раздачу 1 без единого обмена выигрывает Babs: сразу на руках 2 четвёрки (тузы и валеты). Победы: Arno 0, "
        "Babs 1, Chris 0.",
        hu="1. leosztás: Babs csere nélkül nyeri, már osztáskor 2 négyes volt nála: ászok és bubik. Győzelmek: "
        "Arno 0, Babs 1, Chris 0.",
    ),
    Line(
        HandScored(2, (1, 0, 0), (1, 1, 0), "swap", 0, ("9",)),
        "Arno has 1 four and wins hand 2: nines. Wins: Arno 1, Babs 1, Chris 0.",
        "Раздачу 2 выигрывает Arno: на руках 1 четвёрка (девятки). Победы: Arno 1, Babs 1, Chris 0.",
        hu="2. leosztás: Arno nyeri, összegyűlt nála 1 négyes: kilencesek. Győzelmek: Arno 1, Babs 1, Chris 0.",
    ),
    Line(
        HandScored(3, (0, 0, 1), (0, 0, 1), "limit", 2, ("Q", "10", "9", "8", "2")),
        "The last circuit is over. With 5 fours, Chris wins hand 3: queens, tens, nines, eights and twos. Wins: "
        "Arno 0, Babs 0, Chris 1.",
        "Последний круг сыгран. Раздачу 3 выигрывает Chris: на руках 5 четвёрок (дамы, десятки, девятки, восьмёрки "
        "и двойки). Победы: Arno 0, Babs 0, Chris 1.",
        hu="Lement az utolsó kör. 3. leosztás: Chris nyeri, nála van 5 négyes: dámák, tízesek, kilencesek, "
        "nyolcasok és kettesek. Győzelmek: Arno 0, Babs 0, Chris 1.",
    ),
    Line(
        HandScored(3, (0, 0, 0), (0, 0, 1), "limit", None, ()),
        "The last circuit is over, and nobody has a four: hand 3 is drawn. Wins: Arno 0, Babs 0, Chris 1.",
        "Последний круг сыгран, четвёрки нет ни у кого: раздача 3 кончается вничью. Победы: Arno 0, Babs 0, Chris 1.",
        hu="Lement az utolsó kör, és senkinek sincs négyese. 3. leosztás: döntetlen. Győzelmek: Arno 0, Babs 0, "
        "Chris 1.",
    ),
    Line(
        MatchWon((2,), (0, 0, 1)),
        "No more hands: Chris has the most wins. Wins: Arno 0, Babs 0, Chris 1.",
        "Раздач больше не будет: больше всех побед одерживает Chris. Победы: Arno 0, Babs 0, Chris 1.",
        hu="Nincs több leosztás: a legtöbbször Chris győzött. Győzelmek: Arno 0, Babs 0, Chris 1.",
    ),
    Line(
        MatchWon((1, 2), (0, 1, 1)),
        "No more hands: Babs and Chris have equally many wins, and nobody has more. Wins: Arno 0, Babs 1, Chris 1.",
        "Раздач больше не будет: по числу побед равны Babs и Chris, и больше нет ни у кого. Победы: Arno 0, Babs "
        "1, Chris 1.",
        hu="Nincs több leosztás: a legtöbb győzelem holtversenyben: Babs és Chris. Győzelmek: Arno 0, Babs 1, Chris 1.",
    ),
]
