"""English for two-handed Spades."""

from typing import Final

SENTENCES: Final = {
    "spades-two.StockShuffled": "Hand {hand}: the stock is shuffled. "
    "{first} draws first; {second} bids and leads first.",
    "spades-two.DoubleNilAnswered.yes": "{who} bids double nil.",
    "spades-two.DoubleNilAnswered.no": "{who} does not bid double nil.",
    "spades-two.CardDrawn": "{who} looks at the top card of the stock.",
    "spades-two.CardDrawn.card": "{who} draws {card}.",
    "spades-two.CardKept": "{who} keeps the card.",
    "spades-two.CardKept.card": "{who} keeps {card}.",
    "spades-two.CardKept.skipped": "The next card is discarded face down.",
    "spades-two.CardKept.skipped.card": "The next card, {card}, is discarded.",
    "spades-two.CardRejected": "{who} rejects the card.",
    "spades-two.CardRejected.card": "{who} rejects {card}.",
    "spades-two.CardRejected.taken": "The next card goes to the hand.",
    "spades-two.CardRejected.taken.card": "The next card, {card}, goes to the hand.",
    "spades-two.CardsThrown": "{who} throws {count} out of play.",
    "spades-two.CardsThrown.cards": "{who} throws {cards} out of play.",
    "spades-two.CardsThrown.none": "{who} exchanges no cards.",
    "spades-two.ReplacementsDrawn": "{who} gets {count} from the discard pile.",
    "spades-two.ReplacementsDrawn.cards": "{who} gets {cards} from the discard pile.",
    "spades-two.BidPlaced": "{who} bids {tricks}.",
    "spades-two.BidPlaced.nil": "{who} bids nil.",
    "spades-two.CardPlayed": "{who} plays {card}.",
    "spades-two.SpadesBroken": "{who} breaks spades: from now on they may be led.",
    "spades-two.TrickWon": "{who} wins the trick: {cards}. Tricks: {tricks}.",
    "spades-two.HandScored": "Hand {hand} is scored.",
    "spades-two.HandScored.bid": "{who} bid {bid} and won {tricks}.",
    "spades-two.HandScored.nil": "{who} bid nil and won {tricks}.",
    "spades-two.HandScored.double_nil": "{who} bid double nil and won {tricks}.",
    "spades-two.HandScored.penalty": "Too many bags: {who} loses {points}.",
    "spades-two.HandScored.sheet": "Points: {points}. Bags: {bags}. Totals: {totals}.",
    "spades-two.MatchWon": "No more hands: {who} has the higher total. Totals: {totals}.",
}

NOUNS: Final = {
    "trick": {"one": "{n} trick", "other": "{n} tricks"},
    "point": {"one": "{n} point", "other": "{n} points"},
}

WORDS: Final = {
    "game.spades-two": "Two-handed Spades",
}
