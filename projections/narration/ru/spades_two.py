"""Russian for two-handed Spades."""

from typing import Final

SENTENCES: Final = {
    "spades-two.StockShuffled": "Раздача {hand}: колода перетасована. Набор карт начинает {first}; "
    "первый заказ и первый ход делает {second}.",
    "spades-two.DoubleNilAnswered.yes": "{who} объявляет двойной нуль.",
    "spades-two.DoubleNilAnswered.no": "{who} не объявляет двойного нуля.",
    "spades-two.CardDrawn": "{who} смотрит верхнюю карту колоды.",
    "spades-two.CardDrawn.card": "{who} берёт с колоды {card}.",
    "spades-two.CardKept": "{who} оставляет карту себе.",
    "spades-two.CardKept.card": "{who} оставляет себе {card}.",
    "spades-two.CardKept.skipped": "Следующая карта уходит в сброс рубашкой вверх.",
    "spades-two.CardKept.skipped.card": "Следующая карта, {card}, уходит в сброс.",
    "spades-two.CardRejected": "{who} отказывается от карты.",
    "spades-two.CardRejected.card": "{who} отказывается от {card}.",
    "spades-two.CardRejected.taken": "Следующая карта идёт на руки.",
    "spades-two.CardRejected.taken.card": "Следующая карта, {card}, идёт на руки.",
    "spades-two.CardsThrown": "{who} выводит из игры {count}.",
    "spades-two.CardsThrown.cards": "{who} выводит из игры {cards}.",
    "spades-two.CardsThrown.none": "{who} карт не меняет.",
    "spades-two.ReplacementsDrawn": "{who} получает из сброса {count}.",
    "spades-two.ReplacementsDrawn.cards": "{who} получает из сброса {cards}.",
    "spades-two.BidPlaced": "{who} заказывает {tricks}.",
    "spades-two.BidPlaced.nil": "{who} заказывает нуль.",
    "spades-two.CardPlayed": "{who} ходит: {card}.",
    "spades-two.SpadesBroken": "{who} вскрывает пики: теперь с пик можно заходить.",
    "spades-two.TrickWon": "Взятку берёт {who}: {cards}. Взятки: {tricks}.",
    "spades-two.HandScored": "Раздача {hand} подсчитана.",
    "spades-two.HandScored.bid": "{who} при заказе {bid} берёт {tricks}.",
    "spades-two.HandScored.nil": "{who} на нуле берёт {tricks}.",
    "spades-two.HandScored.double_nil": "{who} на двойном нуле берёт {tricks}.",
    "spades-two.HandScored.penalty": "Слишком много мешков: {who} теряет {points}.",
    "spades-two.HandScored.sheet": "Очки: {points}. Мешки: {bags}. Всего: {totals}.",
    "spades-two.MatchWon": "Раздач больше не будет: впереди {who}. Всего: {totals}.",
}

NOUNS: Final = {
    "trick": {"one": "{n} взятку", "few": "{n} взятки", "many": "{n} взяток"},  # after: берёт, заказывает
    "point": {"one": "{n} очко", "few": "{n} очка", "many": "{n} очков"},
}

WORDS: Final = {
    "game.spades-two": "Пики вдвоём",
}
