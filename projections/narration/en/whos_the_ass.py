"""English for Who's the Ass?"""

from typing import Final

SENTENCES: Final = {
    "whos-the-ass.CardsDealt": "Game {hand}: {dealer} deals {each} to each. {starter} holds the ass and starts.",
    "whos-the-ass.CardsDealt.hand": "{who}: {cards}.",
    "whos-the-ass.ScorekeeperChosen": "By lot, {who} keeps the score.",
    "whos-the-ass.CardsPlayed": "{who} plays {cards}.",
    "whos-the-ass.CardsPlayed.jokers": "{who} plays {cards} as {value}.",
    "whos-the-ass.Passed": "{who} passes.",
    "whos-the-ass.AssPlayed": "{who} plays the ass: an ass round.",
    "whos-the-ass.RoundWon": "{who} wins the round with {value}; {discarded} to the discard pile.",
    "whos-the-ass.AssCardsTaken": "{who} takes the ass round: {cards}.",
    "whos-the-ass.HandScored": "Game {hand} is scored. Minus points: {points}. Totals: {totals}. {ass} is the ass.",
    "whos-the-ass.MatchWon.one": "No more games: {winners} has the fewest minus points. Totals: {totals}.",
    "whos-the-ass.MatchWon.other": "No more games: {winners} have the fewest minus points. Totals: {totals}.",
}

NOUNS: Final = {
    "discarded card": {"one": "{n} card goes", "other": "{n} cards go"},
}

WORDS: Final = {
    "game.whos-the-ass": "Who's the Ass?",
    "card.J": "joker",
    "card.ASS": "ass",
}
