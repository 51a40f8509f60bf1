"""How the events of Who's the Ass? read."""

from typing import Any

from domain.cards import Card
from domain.hidden import Hidden
from domain.whos_the_ass.state import (
    AssCardsTaken,
    AssPlayed,
    CardsDealt,
    CardsPlayed,
    HandScored,
    MatchWon,
    Passed,
    RoundWon,
    ScorekeeperChosen,
)
from tests.narration.lines import Line

SEALED: Any = Hidden((0,), digest="d")
OPENED: Any = Hidden((0,), value=("1", "2", "J", "ASS"), digest="d", salt="s")


def cards(*texts: str) -> tuple[Card, ...]:
    return tuple(map(Card, texts))


def dealt(*hands: Any) -> CardsDealt:
    return CardsDealt(2, 0, 1, hands, SEALED)


LINES = [
    Line(
        dealt(SEALED, SEALED, SEALED),
        "Game 2: Arno deals 13 cards to each. Babs holds the ass and starts.",
        "Партия 2. Сдаёт Arno, каждый получает 13 карт. С ослом на руках начинает Babs.",
        hu="2. játszma: Arno oszt, fejenként 13 lap. Babs kezd, nála van a szamár.",
    ),
    Line(
        dealt(SEALED, OPENED, SEALED),
        "Game 2: Arno deals 13 cards to each. Babs holds the ass and starts. Babs: 1 2 joker ass.",
        "Партия 2. Сдаёт Arno, каждый получает 13 карт. С ослом на руках начинает Babs. Babs: 1 2 джокер осёл.",
        hu="2. játszma: Arno oszt, fejenként 13 lap. Babs kezd, nála van a szamár. Babs: 1 2 dzsóker szamár.",
    ),
    Line(
        ScorekeeperChosen(2),
        "By lot, Chris keeps the score.",
        "По жребию счёт ведёт Chris.",
        hu="A sors döntött: Chris írja a pontokat.",
    ),
    Line(
        CardsPlayed(1, cards("8", "8", "J"), 8),
        "Babs plays 8 8 joker.",
        "Babs ходит: 8 8 джокер.",
        hu="Babs kijátssza: 8 8 dzsóker.",
    ),
    Line(
        CardsPlayed(1, cards("J"), 14),
        "Babs plays joker as 14.",
        "Babs ходит: джокер, значение 14.",
        hu="Babs kijátssza: dzsóker, 14 értékben.",
    ),
    Line(
        CardsPlayed(1, cards("J"), 1),
        "Babs plays joker as 1.",
        "Babs ходит: джокер, значение 1.",
        hu="Babs kijátssza: dzsóker, 1 értékben.",
    ),
    Line(
        CardsPlayed(1, cards("J", "J"), 14),
        "Babs plays joker joker as 14.",
        "Babs ходит: джокер джокер, значение 14.",
        hu="Babs kijátssza: dzsóker dzsóker, 14 értékben.",
    ),
    Line(
        Passed(2),
        "Chris passes.",
        "Chris пасует.",
        hu="Chris passzol.",
    ),
    Line(
        AssPlayed(0),
        "Arno plays the ass: an ass round.",
        "Arno ходит ослом: ослиный круг.",
        hu="Arno kijátssza a szamarat: szamárkör következik.",
    ),
    Line(
        RoundWon(0, 10, 9),
        "Arno wins the round with 10; 9 cards go to the discard pile.",
        "Круг выигрывает Arno, старшее значение 10; в сброс уходит 9 карт.",
        hu="Arno nyeri a kört, a legmagasabb érték 10; 9 lap kerül a dobópakliba.",
    ),
    Line(
        RoundWon(0, 13, 3),
        "Arno wins the round with 13; 3 cards go to the discard pile.",
        "Круг выигрывает Arno, старшее значение 13; в сброс уходят 3 карты.",
        hu="Arno nyeri a kört, a legmagasabb érték 13; 3 lap kerül a dobópakliba.",
    ),
    Line(
        RoundWon(0, 14, 1),
        "Arno wins the round with 14; 1 card goes to the discard pile.",
        "Круг выигрывает Arno, старшее значение 14; в сброс уходит 1 карта.",
        hu="Arno nyeri a kört, a legmagasabb érték 14; 1 lap kerül a dobópakliba.",
    ),
    Line(
        AssCardsTaken(0, cards("ASS", "2", "J")),
        "Arno takes the ass round: ass 2 joker.",
        "Карты ослиного круга забирает Arno: осёл 2 джокер.",
        hu="Arno felveszi a szamárkör lapjait: szamár 2 dzsóker.",
    ),
    Line(
        HandScored(1, (0, 49, 3), (0, 49, 3), 1),
        "Game 1 is scored. Minus points: Arno 0, Babs 49, Chris 3. Totals: Arno 0, Babs 49, Chris 3. Babs is the ass.",
        "Партия 1 окончена. Штрафные очки: Arno 0, Babs 49, Chris 3. Всего: Arno 0, Babs 49, Chris 3. Осёл этой "
        "партии — Babs.",
        hu="1. játszma: vége. Mínuszpontok: Arno 0, Babs 49, Chris 3. Állás: Arno 0, Babs 49, Chris 3. A szamár: Babs.",
    ),
    Line(
        MatchWon((0,), (0, 1, 2)),
        "No more games: Arno has the fewest minus points. Totals: Arno 0, Babs 1, Chris 2.",
        "Партий больше не будет: меньше всех штрафных очков набирает Arno. Всего: Arno 0, Babs 1, Chris 2.",
        hu="Nincs több játszma: a legkevesebb mínuszponttal végzett Arno. Állás: Arno 0, Babs 1, Chris 2.",
    ),
    Line(
        MatchWon((0, 2), (0, 1, 0)),
        "No more games: Arno and Chris have the fewest minus points. Totals: Arno 0, Babs 1, Chris 0.",
        "Партий больше не будет: меньше всех штрафных очков, причём поровну, набирают Arno и Chris. Всего: Arno 0, "
        "Babs 1, Chris 0.",
        hu="Nincs több játszma: holtversenyben, a legkevesebb mínuszponttal végzett Arno és Chris. Állás: "
        "Arno 0, Babs 1, Chris 0.",
    ),
]
