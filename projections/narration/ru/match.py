"""Russian for the match. Names stand in the nominative and verbs in the present: neither case nor gender is guessed."""

from typing import Final

SENTENCES: Final = {
    "match.MatchOpened": "Открыт стол: «{game}», {seats}.",
    "match.MatchOpened.clock": "На ход даётся не больше {seconds}.",
    "match.MatchOpened.bank": "В запасе у каждого места не больше {seconds}.",
    "match.SeatTaken.human": "{who} садится за стол.",
    "match.SeatTaken.bot": "{who} (бот) садится за стол.",
    "match.SeatLeft": "Игрок с места {seat} встаёт из-за стола, место свободно.",
    "match.SeatPutOut": "Место {seat} не раскрывает зерно вовремя и снова свободно. "
    "Все присылают отпечатки новых зёрен.",
    "match.SeedCommitted.own": "{who} присылает отпечаток нового зерна.",
    "match.SeedCommitted.server": "{who} доверяет зерно серверу; отпечаток нового зерна опубликован.",
    "match.SeedRevealed.own": "{who} раскрывает зерно.",
    "match.SeedRevealed.server": "Сервер раскрывает зерно, которое ему доверяет {who}.",
    "match.MatchStarted": "Все зёрна раскрыты, матч начинается.",
    "match.ClockExpired": "{who} не успевает: время вышло, ход делают часы.",
    "match.TimeUsed": "{who} думает {used}.",
    "match.TimeUsed.bank": "{who} думает {used}; в запасе остаётся {after}.",
    "match.SeatResigned": "{who} сдаётся; дальше за это место ходит автомат.",
    "match.HandEnded": "Раздача {hand} окончена, её секрет опубликован. Очки: {points}. Всего: {totals}.",
    "match.MatchEnded.one": "Матч окончен, выигрывает {winners}.",
    "match.MatchEnded.few": "Матч окончен, победу делят {winners}.",
    "match.MatchEnded.many": "Матч окончен, победу делят {winners}.",
    "match.MatchEnded.nobody": "Матч окончен, победителя нет.",
    "match.MatchAbandoned.host": "Хозяин закрывает стол до начала матча.",
    "match.MatchAbandoned.resigned": "Матч отменён: игроков не осталось.",
    "match.MatchAbandoned.expired": "Стол слишком долго оставался открытым и теперь закрыт.",
    "match.MatchAbandoned.undecided": "Матч отменён: исход не решён, а раздавать больше нельзя.",
    "match.totals": "Всего: {totals}.",
    "match.DisputeOpened": "{who} оспаривает события с {first} по {last}.",
    "match.DisputeRuled.upheld": "Судья принимает решение по спору (решение {number}): всё остаётся в силе.",
    "match.DisputeRuled.void_hand": "Судья принимает решение по спору (решение {number}): раздача аннулирована.",
    "match.DisputeRuled.adjust": "Судья принимает решение по спору (решение {number}): счёт исправлен.",
    "match.reason": "Обоснование: «{reason}».",
    "match.reason.clause": "Обоснование, по пункту {clause}: «{reason}».",
    "match.HandVoided": "Раздача {hand} аннулирована, её очки никому не засчитываются. Всего: {totals}.",
    "match.ScoreAdjusted": "Очки по решению: {points}. Всего: {totals}.",
    "match.winners": "Матч выигрывает: {winners}.",
    "match.by_the_house": "(Ход сделал автомат.)",
    "note.clock": "{who}: часы сделали ход {times}",
    "note.resigned": "{who} сдаётся",
}

NOUNS: Final = {
    "seat": {"one": "{n} место", "few": "{n} места", "many": "{n} мест"},
    "second": {"one": "{n} секунды", "few": "{n} секунд", "many": "{n} секунд"},  # after: не больше
    "time": {"one": "{n} раз", "few": "{n} раза", "many": "{n} раз"},
    "card": {"one": "{n} карту", "few": "{n} карты", "many": "{n} карт"},  # after: получает
}

WORDS: Final = {
    "seat": "Место {n}",
    "and": "и",
    "decimal": ",",
    "no cards": "карт нет",
    "letter.J": "В",
    "letter.Q": "Д",
    "letter.K": "К",
    "letter.A": "Т",
}
