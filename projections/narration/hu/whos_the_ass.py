"""Hungarian for Who's the Ass?"""

from typing import Final

SENTENCES: Final = {
    "whos-the-ass.CardsDealt": "{hand}. játszma: {dealer} oszt, fejenként {each}. {starter} kezd, nála van a szamár.",
    "whos-the-ass.CardsDealt.hand": "{who}: {cards}.",
    "whos-the-ass.ScorekeeperChosen": "A sors döntött: {who} írja a pontokat.",
    "whos-the-ass.CardsPlayed": "{who} kijátssza: {cards}.",
    "whos-the-ass.CardsPlayed.jokers": "{who} kijátssza: {cards}, {value} értékben.",
    "whos-the-ass.Passed": "{who} passzol.",
    "whos-the-ass.AssPlayed": "{who} kijátssza a szamarat: szamárkör következik.",
    "whos-the-ass.RoundWon": "{who} nyeri a kört, a legmagasabb érték {value}; {discarded} a dobópakliba.",
    "whos-the-ass.AssCardsTaken": "{who} felveszi a szamárkör lapjait: {cards}.",
    "whos-the-ass.HandScored": "{hand}. játszma: vége. Mínuszpontok: {points}. Állás: {totals}. A szamár: {ass}.",
    "whos-the-ass.MatchWon.one": "Nincs több játszma: a legkevesebb mínuszponttal végzett {winners}. Állás: {totals}.",
    "whos-the-ass.MatchWon.other": "Nincs több játszma: holtversenyben, a legkevesebb mínuszponttal végzett {winners}. "
    "Állás: {totals}.",
}

NOUNS: Final = {
    "discarded card": {"one": "{n} lap kerül", "other": "{n} lap kerül"},
}

WORDS: Final = {
    "game.whos-the-ass": "Ki a szamár?",
    "card.J": "dzsóker",
    "card.ASS": "szamár",
}
