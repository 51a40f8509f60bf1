"""English for Osel, trumps."""

from typing import Final

SENTENCES: Final = {
    "osel-trumps.LotsDrawn": "By lot, {dealer} is the first dealer.",
    "osel-trumps.LotsDrawn.trumps": "{who} gets {suit} as trumps.",
    "osel-trumps.TrumpChosen": "{who} chooses {suit} as trumps.",
    "osel-trumps.CardsDealt": "Hand {hand}: {dealer} deals {each} to each. {leader} has the lead.",
    "osel-trumps.CardsDealt.hand": "{who}: {cards}.",
    "osel-trumps.asked": "{who} holds four of a kind and may claim the lead.",
    "osel-trumps.ClaimDeclined": "{who} does not claim the lead.",
    "osel-trumps.CardsLed": "{who} leads {cards}.",
    "osel-trumps.CardsLed.claimed": "{who} claims the lead with four of a kind: {cards}.",
    "osel-trumps.CardsPlayed.beats": "{who} beats with {cards}.",
    "osel-trumps.CardsPlayed.discard": "{who} throws off {cards}.",
    "osel-trumps.PotTaken": "{who} takes the pot: {cards}.",
    "osel-trumps.HandsRefilled": "Hands are refilled from the stock.",
    "osel-trumps.HandsRefilled.drawn": "{who} draws {cards}.",
    "osel-trumps.HandScored": "Hand {hand} is scored. Captured points: {captured}.",
    "osel-trumps.HandScored.pairs": "Pairs of cards without points: {pairs}.",
    "osel-trumps.HandScored.sevens": "{who} held all four sevens and is above par: every opponent takes one jar more.",
    "osel-trumps.HandScored.jars": "Jars: {jars}. Jars in all: {totals}.",
    "osel-trumps.HandScored.eggs.one": "{players} is exactly at par and has eggs in the next hand.",
    "osel-trumps.HandScored.eggs.other": "{players} are exactly at par and have eggs in the next hand.",
    "osel-trumps.HandScored.out.one": "{players} has reached ten jars and is out.",
    "osel-trumps.HandScored.out.other": "{players} have reached ten jars and are out.",
    "osel-trumps.MatchWon.one": "No more hands: {winners} has won. Jars in all: {totals}.",
    "osel-trumps.MatchWon.other": "No more hands: {winners} have won. Jars in all: {totals}.",
}

WORDS: Final = {
    "game.osel-trumps": "Osel: Trumps",
    "suit.S": "spades",
    "suit.H": "hearts",
    "suit.D": "diamonds",
    "suit.C": "clubs",
}
