"""Hungarian for Osel, one against the rest."""

from typing import Final

SENTENCES: Final = {
    "osel-solo.CardsDealt.first": "{hand}. leosztás: a sors döntése szerint {dealer} oszt, fejenként {each}.",
    "osel-solo.CardsDealt": "{hand}. leosztás: {dealer} oszt, fejenként {each}.",
    "osel-solo.CardsDealt.hand": "{who}: {cards}.",
    "osel-solo.CardsDealt.talon": "Talon: {cards}.",
    "osel-solo.CardsDealt.void": "Az osztás érvénytelen, {dealer} újra oszt.",
    "osel-solo.CardsDealt.asked": "A licitet {asked} kezdi.",
    "osel-solo.Passed": "{who} passzol.",
    "osel-solo.Passed.asked": "{asked} következik.",
    "osel-solo.SoloDeclared": "{who} szólót mond, és egyedül játszik a többiek ellen: {variant}. változat.",
    "osel-solo.SoloDeclared.open": "{who} szólót mond, és egyedül játszik a többiek ellen; "
    "a változatot még nem választotta ki.",
    "osel-solo.VariantChosen": "{who} választása: {variant}. változat.",
    "osel-solo.TalonTaken": "{who} felveszi a talont.",
    "osel-solo.TalonTaken.cards": "{who} felveszi a talont: {cards}.",
    "osel-solo.CardsGiven": "{who} minden ellenfelének ad egy lapot.",
    "osel-solo.CardsGiven.card": "{who} lapot kap: {card}.",
    "osel-solo.CardsLaidAway": "{who} lapokat fektet el.",
    "osel-solo.CardsLaidAway.cards": "{who} elfekteti: {cards}.",
    "osel-solo.CardsAssigned": "{who} minden ellenfelének kijelöl egy lapot.",
    "osel-solo.CardsAssigned.card": "{who} majd ezt kapja: {card}.",
    "osel-solo.CardsAssigned.asked.one": "Két lap közül választ, hogy melyiket adja vissza: {asked}.",
    "osel-solo.CardsAssigned.asked.other": "Két lap közül választanak, hogy melyiket adják vissza: {asked}.",
    "osel-solo.ReturnChosen": "{who} kiválasztotta, melyik lapot adja vissza.",
    "osel-solo.ReturnChosen.card": "{who} kiválasztotta, melyik lapot adja vissza: {card}.",
    "osel-solo.CardsExchanged": "{who} minden ellenfelével lapot cserél.",
    "osel-solo.CardsExchanged.cards": "{who} lapot cserélt, {returned} ment, {given} jött.",
    "osel-solo.TalonShared": "Senki sem mondott szólót: mindenki magának játszik, és felvesz egy lapot a talonból.",
    "osel-solo.TalonShared.card": "{who} felveszi: {card}.",
    "osel-solo.TalonShared.leader": "Elsőként {leader} hív, nála van a pikk hatos.",
    "osel-solo.CardPlayed": "{who} kijátssza: {card}, most ez van felül.",
    "osel-solo.CardPlayed.discard": "{who} dob: {card}.",
    "osel-solo.PotTaken": "{who} viszi a bankot: {cards}.",
    "osel-solo.HandScored": "{hand}. leosztás: vége. Elvitt pontok: {captured}.",
    "osel-solo.HandScored.won": "Sikerült a szóló: {soloist} {own} pont, a társak {partners} pont.",
    "osel-solo.HandScored.lost": "Elbukott a szóló: {soloist} {own} pont, a társak {partners} pont.",
    "osel-solo.HandScored.even": "Döntetlen a szóló: {soloist} {own} pont, a társak {partners} pont.",
    "osel-solo.HandScored.pairs": "Pont nélküli lappárok: {pairs}.",
    "osel-solo.HandScored.paid": "Eggyel több bödön az előző leosztás tojásáért: {players}.",
    "osel-solo.HandScored.sevens": "{who} kezében volt mind a négy hetes, és a küszöb fölött zárt: "
    "minden ellenfele eggyel több bödönt kap.",
    "osel-solo.HandScored.jars": "Bödönök: {jars}. Állás: {totals}.",
    "osel-solo.HandScored.eggs": "Tojás a következő leosztásra: {players}.",
    "osel-solo.MatchWon.one": "Nincs több leosztás: a legkevesebb bödönnel végzett {winners}. Állás: {totals}.",
    "osel-solo.MatchWon.other": "Nincs több leosztás: holtversenyben, a legkevesebb bödönnel végzett {winners}. "
    "Állás: {totals}.",
}

WORDS: Final = {
    "game.osel-two-against-one": "Szamár: ketten egy ellen",
    "game.osel-three-against-one": "Szamár: hárman egy ellen",
}
