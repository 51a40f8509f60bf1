"""Hungarian for two-handed Spades."""

from typing import Final

SENTENCES: Final = {
    "spades-two.StockShuffled": "{hand}. leosztás: a húzópakli megkeverve. Elsőként {first} húz; "
    "a licitet és a hívást {second} kezdi.",
    "spades-two.DoubleNilAnswered.yes": "{who} dupla nullát licitál.",
    "spades-two.DoubleNilAnswered.no": "{who} nem licitál dupla nullát.",
    "spades-two.CardDrawn": "{who} megnézi a húzópakli legfelső lapját.",
    "spades-two.CardDrawn.card": "{who} húz: {card}.",
    "spades-two.CardKept": "{who} megtartja a lapot.",
    "spades-two.CardKept.card": "{who} megtartja: {card}.",
    "spades-two.CardKept.skipped": "A következő lap képpel lefelé a dobópakliba kerül.",
    "spades-two.CardKept.skipped.card": "A következő lap a dobópakliba kerül: {card}.",
    "spades-two.CardRejected": "{who} elveti a lapot.",
    "spades-two.CardRejected.card": "{who} elveti: {card}.",
    "spades-two.CardRejected.taken": "A következő lap a kezébe kerül.",
    "spades-two.CardRejected.taken.card": "A következő lap a kezébe kerül: {card}.",
    "spades-two.CardsThrown": "{who} cserél: {count} kikerül a játékból.",
    "spades-two.CardsThrown.cards": "{who} cserél, kikerül a játékból: {cards}.",
    "spades-two.CardsThrown.none": "{who} nem cserél lapot.",
    "spades-two.ReplacementsDrawn": "{who} a dobópakliból pótol: {count}.",
    "spades-two.ReplacementsDrawn.cards": "{who} a dobópakliból pótol: {cards}.",
    "spades-two.BidPlaced": "{who} licitje: {tricks}.",
    "spades-two.BidPlaced.nil": "{who} licitje: nulla.",
    "spades-two.CardPlayed": "{who} kijátssza: {card}.",
    "spades-two.SpadesBroken": "{who} megnyitja a pikket: mostantól pikket is szabad hívni.",
    "spades-two.TrickWon": "{who} viszi az ütést: {cards}. Ütések: {tricks}.",
    "spades-two.HandScored": "{hand}. leosztás: vége.",
    "spades-two.HandScored.bid": "{who}: licit {bid}, eredmény {tricks}.",
    "spades-two.HandScored.nil": "{who}: licit nulla, eredmény {tricks}.",
    "spades-two.HandScored.double_nil": "{who}: licit dupla nulla, eredmény {tricks}.",
    "spades-two.HandScored.penalty": "Zsákbüntetés: {who}, {points}.",
    "spades-two.HandScored.sheet": "Pontok: {points}. Zsákok: {bags}. Állás: {totals}.",
    "spades-two.MatchWon": "Nincs több leosztás: {who} áll jobban, övé a győzelem. Állás: {totals}.",
}

NOUNS: Final = {
    "trick": {"one": "{n} ütés", "other": "{n} ütés"},
    "point": {"one": "{n} pont", "other": "{n} pont"},
}

WORDS: Final = {
    "game.spades-two": "Kétszemélyes pikk",
}
