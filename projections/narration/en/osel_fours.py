"""English for Osel, fours."""

from typing import Final

SENTENCES: Final = {
    "osel-fours.CardsDealt.lot": "By lot, {dealer} is the first dealer.",
    "osel-fours.CardsDealt": "Hand {hand}: {dealer} deals {each} to each. {active} begins the swapping.",
    "osel-fours.CardsDealt.aside": "{aside} set aside face down.",
    "osel-fours.CardsDealt.aside.open": "{aside} set aside face down: {cards}.",
    "osel-fours.CardsDealt.hand": "{who}: {cards}.",
    "osel-fours.CardGiven": "{who} gives {partner} a card, and {partner} owes one in return.",
    "osel-fours.CardGiven.open": "{who} gives {partner} {card}, and {partner} owes a card in return.",
    "osel-fours.CardChosen": "{who} has chosen a card to swap.",
    "osel-fours.CardChosen.open": "{who} has chosen a card to swap: {card}.",
    "osel-fours.CardsSwapped": "Circuit {circuit}: {who} and {partner} have swapped a card each.",
    "osel-fours.CardsSwapped.open": "Circuit {circuit}: {who} has given {partner} {given} and got {returned}.",
    "osel-fours.HandScored.deal": "{winner} was dealt {fours} and wins hand {hand} without a swap: {ranks}.",
    "osel-fours.HandScored.swap": "{winner} has {fours} and wins hand {hand}: {ranks}.",
    "osel-fours.HandScored.limit": "The last circuit is over. With {fours}, {winner} wins hand {hand}: {ranks}.",
    "osel-fours.HandScored.drawn": "The last circuit is over, and nobody has a four: hand {hand} is drawn.",
    "osel-fours.MatchWon.one": "No more hands: {winners} has the most wins.",
    "osel-fours.MatchWon.other": "No more hands: {winners} have equally many wins, and nobody has more.",
    "osel-fours.wins": "Wins: {totals}.",
}

NOUNS: Final = {
    "card set aside": {"one": "{n} card is", "other": "{n} cards are"},
    "four": {"one": "{n} four", "other": "{n} fours"},
}

WORDS: Final = {
    "game.osel-fours": "Osel: Fours",
    "rank.2": "twos",
    "rank.3": "threes",
    "rank.4": "fours",
    "rank.5": "fives",
    "rank.6": "sixes",
    "rank.7": "sevens",
    "rank.8": "eights",
    "rank.9": "nines",
    "rank.10": "tens",
    "rank.J": "jacks",
    "rank.Q": "queens",
    "rank.K": "kings",
    "rank.A": "aces",
}
