"""Russian for Who's the Ass?"""

from typing import Final

SENTENCES: Final = {
    "whos-the-ass.CardsDealt": "Партия {hand}. Сдаёт {dealer}, каждый получает {each}. "
    "С ослом на руках начинает {starter}.",
    "whos-the-ass.CardsDealt.hand": "{who}: {cards}.",
    "whos-the-ass.ScorekeeperChosen": "По жребию счёт ведёт {who}.",
    "whos-the-ass.CardsPlayed": "{who} ходит: {cards}.",
    "whos-the-ass.CardsPlayed.jokers": "{who} ходит: {cards}, значение {value}.",
    "whos-the-ass.Passed": "{who} пасует.",
    "whos-the-ass.AssPlayed": "{who} ходит ослом: ослиный круг.",
    "whos-the-ass.RoundWon": "Круг выигрывает {who}, старшее значение {value}; {discarded}.",
    "whos-the-ass.AssCardsTaken": "Карты ослиного круга забирает {who}: {cards}.",
    "whos-the-ass.HandScored": "Партия {hand} окончена. Штрафные очки: {points}. Всего: {totals}. "
    "Осёл этой партии — {ass}.",
    "whos-the-ass.MatchWon.one": "Партий больше не будет: меньше всех штрафных очков набирает {winners}. "
    "Всего: {totals}.",
    "whos-the-ass.MatchWon.few": "Партий больше не будет: меньше всех штрафных очков, причём поровну, "
    "набирают {winners}. Всего: {totals}.",
    "whos-the-ass.MatchWon.many": "Партий больше не будет: меньше всех штрафных очков, причём поровну, "
    "набирают {winners}. Всего: {totals}.",
}

NOUNS: Final = {
    "discarded card": {
        "one": "в сброс уходит {n} карта",
        "few": "в сброс уходят {n} карты",
        "many": "в сброс уходит {n} карт",
    },
}

WORDS: Final = {
    "game.whos-the-ass": "Кто осёл?",
    "card.J": "джокер",
    "card.ASS": "осёл",
}
