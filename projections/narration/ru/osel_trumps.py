"""Russian for Osel, trumps."""

from typing import Final

SENTENCES: Final = {
    "osel-trumps.LotsDrawn": "Первая сдача по жребию: {dealer}.",
    "osel-trumps.LotsDrawn.trumps": "{who} получает козырь: {suit}.",
    "osel-trumps.TrumpChosen": "{who} выбирает козырь: {suit}.",
    "osel-trumps.CardsDealt": "Раздача {hand}. Сдаёт {dealer}, каждый получает {each}. Право захода имеет {leader}.",
    "osel-trumps.CardsDealt.hand": "{who}: {cards}.",
    "osel-trumps.asked": "{who} держит четыре карты одного достоинства и может взять заход вне очереди.",
    "osel-trumps.ClaimDeclined": "{who} не берёт заход вне очереди.",
    "osel-trumps.CardsLed": "{who} заходит: {cards}.",
    "osel-trumps.CardsLed.claimed": "{who} заходит вне очереди, четыре карты одного достоинства: {cards}.",
    "osel-trumps.CardsPlayed.beats": "{who} кладёт {cards} и бьёт.",
    "osel-trumps.CardsPlayed.discard": "{who} скидывает {cards}.",
    "osel-trumps.PotTaken": "Взятку забирает {who}: {cards}.",
    "osel-trumps.HandsRefilled": "Игроки добирают карты из колоды.",
    "osel-trumps.HandsRefilled.drawn": "{who} берёт {cards}.",
    "osel-trumps.HandScored": "Раздача {hand} подсчитана. Взятые очки: {captured}.",
    "osel-trumps.HandScored.pairs": "Пары карт без очков: {pairs}.",
    "osel-trumps.HandScored.sevens": "{who} собирает четыре семёрки и набирает больше своей доли: "
    "каждый противник получает на банку больше.",
    "osel-trumps.HandScored.jars": "Банки: {jars}. Всего банок: {totals}.",
    "osel-trumps.HandScored.eggs.one": "{players} набирает ровно свою долю и в следующей раздаче играет с яйцами.",
    "osel-trumps.HandScored.eggs.few": "{players} набирают ровно свою долю и в следующей раздаче играют с яйцами.",
    "osel-trumps.HandScored.eggs.many": "{players} набирают ровно свою долю и в следующей раздаче играют с яйцами.",
    "osel-trumps.HandScored.out.one": "{players} доходит до десяти банок и выбывает.",
    "osel-trumps.HandScored.out.few": "{players} доходят до десяти банок и выбывают.",
    "osel-trumps.HandScored.out.many": "{players} доходят до десяти банок и выбывают.",
    "osel-trumps.MatchWon.one": "Раздач больше не будет: выигрывает {winners}. Всего банок: {totals}.",
    "osel-trumps.MatchWon.few": "Раздач больше не будет: выигрывают {winners}. Всего банок: {totals}.",
    "osel-trumps.MatchWon.many": "Раздач больше не будет: выигрывают {winners}. Всего банок: {totals}.",
}

WORDS: Final = {
    "game.osel-trumps": "Осёл: козыри",
    "suit.S": "пики",
    "suit.H": "черви",
    "suit.D": "бубны",
    "suit.C": "трефы",
}
