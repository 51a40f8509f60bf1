"""Hungarian for Osel, fours."""

from typing import Final

SENTENCES: Final = {
    "osel-fours.CardsDealt.lot": "A sors döntött: {dealer} az első osztó.",
    "osel-fours.CardsDealt": "{hand}. leosztás: {dealer} oszt, fejenként {each}. A cserét {active} kezdi.",
    "osel-fours.CardsDealt.aside": "{aside}.",
    "osel-fours.CardsDealt.aside.open": "{aside}: {cards}.",
    "osel-fours.CardsDealt.hand": "{who}: {cards}.",
    "osel-fours.CardGiven": "{who} lapot ad; {partner} tartozik eggyel.",
    "osel-fours.CardGiven.open": "{who} lapot ad: {card}; {partner} tartozik eggyel.",
    "osel-fours.CardChosen": "{who} kiválasztotta a cserére szánt lapját.",
    "osel-fours.CardChosen.open": "{who} kiválasztotta a cserére szánt lapját: {card}.",
    "osel-fours.CardsSwapped": "{circuit}. kör: {who} és {partner} lapot cserélt.",
    "osel-fours.CardsSwapped.open": "{circuit}. kör: {who} és {partner} lapot cserélt, {given} ment, {returned} jött.",
    "osel-fours.HandScored.deal": "{hand}. leosztás: {winner} csere nélkül nyeri, "
    "már osztáskor {fours} volt nála: {ranks}.",
    "osel-fours.HandScored.swap": "{hand}. leosztás: {winner} nyeri, összegyűlt nála {fours}: {ranks}.",
    "osel-fours.HandScored.limit": "Lement az utolsó kör. {hand}. leosztás: {winner} nyeri, nála van {fours}: {ranks}.",
    "osel-fours.HandScored.drawn": "Lement az utolsó kör, és senkinek sincs négyese. {hand}. leosztás: döntetlen.",
    "osel-fours.MatchWon.one": "Nincs több leosztás: a legtöbbször {winners} győzött.",
    "osel-fours.MatchWon.other": "Nincs több leosztás: a legtöbb győzelem holtversenyben: {winners}.",
    "osel-fours.wins": "Győzelmek: {totals}.",
}

NOUNS: Final = {
    "card set aside": {"one": "{n} lap képpel lefelé félretéve", "other": "{n} lap képpel lefelé félretéve"},
    "four": {"one": "{n} négyes", "other": "{n} négyes"},
}

WORDS: Final = {
    "game.osel-fours": "Szamár: négyesek",
    "rank.2": "kettesek",
    "rank.3": "hármasok",
    "rank.4": "négyesek",
    "rank.5": "ötösök",
    "rank.6": "hatosok",
    "rank.7": "hetesek",
    "rank.8": "nyolcasok",
    "rank.9": "kilencesek",
    "rank.10": "tízesek",
    "rank.J": "bubik",
    "rank.Q": "dámák",
    "rank.K": "királyok",
    "rank.A": "ászok",
}
