"""Russian for Osel, one against the rest."""

from typing import Final

SENTENCES: Final = {
    "osel-solo.CardsDealt.first": "Раздача {hand}. По жребию сдаёт {dealer}, каждый получает {each}.",
    "osel-solo.CardsDealt": "Раздача {hand}. Сдаёт {dealer}, каждый получает {each}.",
    "osel-solo.CardsDealt.hand": "{who}: {cards}.",
    "osel-solo.CardsDealt.talon": "Прикуп: {cards}.",
    "osel-solo.CardsDealt.void": "Сдача недействительна, {dealer} сдаёт снова.",
    "osel-solo.CardsDealt.asked": "Торговлю начинает {asked}.",
    "osel-solo.Passed": "{who} пасует.",
    "osel-solo.Passed.asked": "Теперь решает {asked}.",
    "osel-solo.SoloDeclared": "{who} играет в одиночку против всех, вариант {variant}.",
    "osel-solo.SoloDeclared.open": "{who} играет в одиночку против всех; вариант ещё не выбран.",
    "osel-solo.VariantChosen": "{who} выбирает вариант {variant}.",
    "osel-solo.TalonTaken": "{who} берёт прикуп.",
    "osel-solo.TalonTaken.cards": "{who} берёт прикуп: {cards}.",
    "osel-solo.CardsGiven": "{who} отдаёт каждому противнику по карте.",
    "osel-solo.CardsGiven.card": "{who} получает {card}.",
    "osel-solo.CardsLaidAway": "{who} сносит карты.",
    "osel-solo.CardsLaidAway.cards": "{who} сносит {cards}.",
    "osel-solo.CardsAssigned": "{who} назначает каждому противнику по карте.",
    "osel-solo.CardsAssigned.card": "{who} получит {card}.",
    "osel-solo.CardsAssigned.asked.one": "Какую из двух карт вернуть, решает {asked}.",
    "osel-solo.CardsAssigned.asked.few": "Какую из двух карт вернуть, решают {asked}.",
    "osel-solo.CardsAssigned.asked.many": "Какую из двух карт вернуть, решают {asked}.",
    "osel-solo.ReturnChosen": "{who} выбирает карту для возврата.",
    "osel-solo.ReturnChosen.card": "{who} выбирает карту для возврата: {card}.",
    "osel-solo.CardsExchanged": "{who} и противники меняются картами.",
    "osel-solo.CardsExchanged.cards": "{who} получает {given} и возвращает {returned}.",
    "osel-solo.TalonShared": "Все спасовали: каждый играет сам за себя и берёт карту прикупа.",
    "osel-solo.TalonShared.card": "{who} берёт {card}.",
    "osel-solo.TalonShared.leader": "С 6 пик на руках первым заходит {leader}.",
    "osel-solo.CardPlayed": "{who} ходит, теперь сверху {card}.",
    "osel-solo.CardPlayed.discard": "{who} скидывает {card}.",
    "osel-solo.PotTaken": "Взятку забирает {who}: {cards}.",
    "osel-solo.HandScored": "Раздача {hand} подсчитана. Взятые очки: {captured}.",
    "osel-solo.HandScored.won": "В одиночку {soloist} выигрывает: {own} против {partners}.",
    "osel-solo.HandScored.lost": "В одиночку {soloist} проигрывает: {own} против {partners}.",
    "osel-solo.HandScored.even": "Силы равны: {soloist} {own}, партнёры {partners}.",
    "osel-solo.HandScored.pairs": "Пары карт без очков: {pairs}.",
    "osel-solo.HandScored.paid": "Лишняя банка за яйца из прошлой раздачи: {players}.",
    "osel-solo.HandScored.sevens": "{who} собирает четыре семёрки, и очков достаточно: "
    "каждый противник получает на банку больше.",
    "osel-solo.HandScored.jars": "Банки: {jars}. Всего банок: {totals}.",
    "osel-solo.HandScored.eggs": "Яйца в следующей раздаче: {players}.",
    "osel-solo.MatchWon.one": "Раздач больше не будет: меньше всех банок набирает {winners}. Всего банок: {totals}.",
    "osel-solo.MatchWon.few": "Раздач больше не будет: меньше всех банок, причём поровну, набирают {winners}. "
    "Всего банок: {totals}.",
    "osel-solo.MatchWon.many": "Раздач больше не будет: меньше всех банок, причём поровну, набирают {winners}. "
    "Всего банок: {totals}.",
}

WORDS: Final = {
    "game.osel-two-against-one": "Осёл: двое на одного",
    "game.osel-three-against-one": "Осёл: трое на одного",
}
