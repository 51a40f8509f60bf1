"""Hungarian for the match.

Names stand where no ending hangs on them, and no article stands before a name or a number: both would depend on how
they are spoken.
"""

from typing import Final

SENTENCES: Final = {
    "match.MatchOpened": "Új asztal: {game}, {seats}.",
    "match.MatchOpened.clock": "Egy lépésre legfeljebb {seconds} jut.",
    "match.MatchOpened.bank": "Minden széknek {seconds} tartaléka van.",
    "match.SeatTaken.human": "{who} leül az asztalhoz.",
    "match.SeatTaken.bot": "{who} leül az asztalhoz; gépi játékos.",
    "match.SeatLeft": "{seat}. szék: a játékos feláll, a szék szabad.",
    "match.SeatPutOut": "{seat}. szék: a mag felfedése elmaradt, a szék újra szabad. "
    "Mindenki új magot választ, és leadja a lenyomatát.",
    "match.SeedCommitted.own": "{who} új mag lenyomatát adja le.",
    "match.SeedCommitted.server": "A szerver adja le egy új mag lenyomatát {who} helyett.",
    "match.SeedRevealed.own": "{who} felfedi a magját.",
    "match.SeedRevealed.server": "A szerver felfedi a magot, amelyet {who} helyett őrzött.",
    "match.MatchStarted": "Minden magot felfedtek: kezdődik a mérkőzés.",
    "match.ClockExpired": "{who} kifutott az időből; helyette az óra lép.",
    "match.TimeUsed": "{who} gondolkodási ideje: {used}.",
    "match.TimeUsed.bank": "{who} gondolkodási ideje: {used}; a tartalékban {after} maradt.",
    "match.SeatResigned": "{who} feladja; innentől a ház lép helyette.",
    "match.HandEnded": "{hand}. leosztás: vége, a titka nyilvános. Pontok: {points}. Állás: {totals}.",
    "match.MatchEnded.one": "Vége a mérkőzésnek, a győztes: {winners}.",
    "match.MatchEnded.other": "Vége a mérkőzésnek, holtversenyben győzött {winners}.",
    "match.MatchEnded.nobody": "Vége a mérkőzésnek, győztes nincs.",
    "match.MatchAbandoned.host": "A házigazda még a kezdés előtt bezárja az asztalt.",
    "match.MatchAbandoned.resigned": "A mérkőzés félbeszakad: nem maradt játékos.",
    "match.MatchAbandoned.expired": "Az asztal túl sokáig állt nyitva, ezért bezár.",
    "match.MatchAbandoned.undecided": "A mérkőzés félbeszakad: nem dőlt el, és több leosztás nem osztható.",
    "match.totals": "Végeredmény: {totals}.",
    "match.DisputeOpened": "{who} vitatja, ami történt; a vitatott események: {first}-{last}.",
    "match.DisputeRuled.upheld": "A döntőbíró döntött a vitában ({number}. döntés): a történteket helybenhagyja.",
    "match.DisputeRuled.void_hand": "A döntőbíró döntött a vitában ({number}. döntés): egy leosztás érvénytelen.",
    "match.DisputeRuled.adjust": "A döntőbíró döntött a vitában ({number}. döntés): kiigazítja az állást.",
    "match.reason": "Az indoklás: „{reason}”.",
    "match.reason.clause": "Az indoklás, a {clause} pont szerint: „{reason}”.",
    "match.HandVoided": "{hand}. leosztás: érvénytelen, pontjai senkinek sem számítanak. Állás: {totals}.",
    "match.ScoreAdjusted": "Pontok a döntés szerint: {points}. Állás: {totals}.",
    "match.winners": "A mérkőzés győztese: {winners}.",
    "match.by_the_house": "(A ház lépett.)",
    "note.clock": "{who}: {times} az óra lépett",
    "note.resigned": "{who} feladta",
}

NOUNS: Final = {
    "seat": {"one": "{n} szék", "other": "{n} szék"},
    "second": {"one": "{n} másodperc", "other": "{n} másodperc"},
    "time": {"one": "egyszer", "other": "{n} alkalommal"},
    "card": {"one": "{n} lap", "other": "{n} lap"},
}

WORDS: Final = {
    "seat": "{n}. szék",
    "and": "és",
    "decimal": ",",
    "no cards": "nincs lap",
    "letter.J": "B",
    "letter.Q": "D",
    "letter.A": "Á",
}
