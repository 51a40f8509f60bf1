"""Hungarian for Osel, trumps."""

from typing import Final

SENTENCES: Final = {
    "osel-trumps.LotsDrawn": "A sors döntött: {dealer} az első osztó.",
    "osel-trumps.LotsDrawn.trumps": "{who} aduja: {suit}.",
    "osel-trumps.TrumpChosen": "{who} adut választ: {suit}.",
    "osel-trumps.CardsDealt": "{hand}. leosztás: {dealer} oszt, fejenként {each}. Elsőként {leader} hívhat.",
    "osel-trumps.CardsDealt.hand": "{who}: {cards}.",
    "osel-trumps.asked": "{who} kezében négyes van: átveheti a hívást.",
    "osel-trumps.ClaimDeclined": "{who} nem veszi át a hívást.",
    "osel-trumps.CardsLed": "{who} hív: {cards}.",
    "osel-trumps.CardsLed.claimed": "{who} négyessel átveszi a hívást: {cards}.",
    "osel-trumps.CardsPlayed.beats": "{who} üt: {cards}.",
    "osel-trumps.CardsPlayed.discard": "{who} dob: {cards}.",
    "osel-trumps.PotTaken": "{who} viszi a bankot: {cards}.",
    "osel-trumps.HandsRefilled": "Pótlás a húzópakliból.",
    "osel-trumps.HandsRefilled.drawn": "{who} húz: {cards}.",
    "osel-trumps.HandScored": "{hand}. leosztás: vége. Elvitt pontok: {captured}.",
    "osel-trumps.HandScored.pairs": "Pont nélküli lappárok: {pairs}.",
    "osel-trumps.HandScored.sevens": "{who} kezében volt mind a négy hetes, és a küszöb fölött zárt: "
    "minden ellenfele eggyel több bödönt kap.",
    "osel-trumps.HandScored.jars": "Bödönök: {jars}. Állás: {totals}.",
    "osel-trumps.HandScored.eggs.one": "Pontosan a küszöböt érte el, tojása van a következő leosztásra: {players}.",
    "osel-trumps.HandScored.eggs.other": "Pontosan a küszöböt érték el, tojásuk van a következő leosztásra: {players}.",
    "osel-trumps.HandScored.out.one": "Elérte a tíz bödönt, ezért kiesett: {players}.",
    "osel-trumps.HandScored.out.other": "Elérték a tíz bödönt, ezért kiestek: {players}.",
    "osel-trumps.MatchWon.one": "Nincs több leosztás, a győztes: {winners}. Állás: {totals}.",
    "osel-trumps.MatchWon.other": "Nincs több leosztás, a győztesek: {winners}. Állás: {totals}.",
}

WORDS: Final = {
    "game.osel-trumps": "Szamár: aduk",
    "suit.S": "pikk",
    "suit.H": "kőr",
    "suit.D": "káró",
    "suit.C": "treff",
}
