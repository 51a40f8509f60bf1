"""Russian for Osel, fours."""

from typing import Final

SENTENCES: Final = {
    "osel-fours.CardsDealt.lot": "Первая сдача по жребию: {dealer}.",
    "osel-fours.CardsDealt": "Раздача {hand}. Сдаёт {dealer}, каждый получает {each}. Обмен начинает {active}.",
    "osel-fours.CardsDealt.aside": "В стороне рубашкой вверх {aside}.",
    "osel-fours.CardsDealt.aside.open": "В стороне рубашкой вверх {aside}: {cards}.",
    "osel-fours.CardsDealt.hand": "{who}: {cards}.",
    "osel-fours.CardGiven": "{who} отдаёт карту, ответную выбирает {partner}.",
    "osel-fours.CardGiven.open": "{who} отдаёт {card}, ответную карту выбирает {partner}.",
    "osel-fours.CardChosen": "{who} выбирает карту для обмена.",
    "osel-fours.CardChosen.open": "{who} выбирает карту для обмена: {card}.",
    "osel-fours.CardsSwapped": "Круг {circuit}. {who} и {partner} меняются картами.",
    "osel-fours.CardsSwapped.open": "Круг {circuit}. {who} меняет {given} на {returned}; карту в ответ даёт {partner}.",
    "osel-fours.HandScored.deal": "Раздачу {hand} без единого обмена выигрывает {winner}: сразу на руках {fours} "
    "({ranks}).",
    "osel-fours.HandScored.swap": "Раздачу {hand} выигрывает {winner}: на руках {fours} ({ranks}).",
    "osel-fours.HandScored.limit": "Последний круг сыгран. Раздачу {hand} выигрывает {winner}: на руках {fours} "
    "({ranks}).",
    "osel-fours.HandScored.drawn": "Последний круг сыгран, четвёрки нет ни у кого: раздача {hand} кончается вничью.",
    "osel-fours.MatchWon.one": "Раздач больше не будет: больше всех побед одерживает {winners}.",
    "osel-fours.MatchWon.few": "Раздач больше не будет: по числу побед равны {winners}, и больше нет ни у кого.",
    "osel-fours.MatchWon.many": "Раздач больше не будет: по числу побед равны {winners}, и больше нет ни у кого.",
    "osel-fours.wins": "Победы: {totals}.",
}

NOUNS: Final = {
    "card set aside": {"one": "лежит {n} карта", "few": "лежат {n} карты", "many": "лежит {n} карт"},
    "four": {"one": "{n} четвёрка", "few": "{n} четвёрки", "many": "{n} четвёрок"},
}

WORDS: Final = {
    "game.osel-fours": "Осёл: четвёрки",
    "rank.2": "двойки",
    "rank.3": "тройки",
    "rank.4": "четвёрки",
    "rank.5": "пятёрки",
    "rank.6": "шестёрки",
    "rank.7": "семёрки",
    "rank.8": "восьмёрки",
    "rank.9": "девятки",
    "rank.10": "десятки",
    "rank.J": "валеты",
    "rank.Q": "дамы",
    "rank.K": "короли",
    "rank.A": "тузы",
}
