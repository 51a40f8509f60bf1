"""How the events of the match read."""

from domain.match.cases import DisputeOpened, DisputeRuled, HandVoided, ScoreAdjusted
from domain.match.state import (
    Clock,
    ClockExpired,
    HandEnded,
    MatchAbandoned,
    MatchEnded,
    MatchOpened,
    MatchStarted,
    SeatLeft,
    SeatPutOut,
    SeatResigned,
    SeatTaken,
    SeedCommitted,
    SeedRevealed,
    TimeUsed,
)
from tests.narration.lines import Line

LINES = [
    Line(
        MatchOpened("whos-the-ass", {}, 3, "host", "a"),
        "A table is opened: Who's the Ass?, 3 seats.",
        "Открыт стол: «Кто осёл?», 3 места.",
        hu="Új asztal: Ki a szamár?, 3 szék.",
    ),
    Line(
        MatchOpened("whos-the-ass", {}, 5, "host", "a", Clock(30)),
        "A table is opened: Who's the Ass?, 5 seats. A turn lasts 30 seconds at most.",
        "Открыт стол: «Кто осёл?», 5 мест. На ход даётся не больше 30 секунд.",
        hu="Új asztal: Ki a szamár?, 5 szék. Egy lépésre legfeljebb 30 másodperc jut.",
    ),
    Line(
        MatchOpened("osel-fours", {}, 2, "host", "a", Clock(21, 301)),
        "A table is opened: Osel: Fours, 2 seats. A turn lasts 21 seconds at most. "
        "Each seat has a bank of 301 seconds.",
        "Открыт стол: «Осёл: четвёрки», 2 места. На ход даётся не больше 21 секунды. "
        "В запасе у каждого места не больше 301 секунды.",
        hu="Új asztal: Szamár: négyesek, 2 szék. Egy lépésre legfeljebb 21 másodperc jut. "
        "Minden széknek 301 másodperc tartaléka van.",
    ),
    Line(
        MatchOpened("osel-fours", {}, 2, "host", "a", Clock(61, 0)),
        "A table is opened: Osel: Fours, 2 seats. A turn lasts 61 seconds at most.",
        "Открыт стол: «Осёл: четвёрки», 2 места. На ход даётся не больше 61 секунды.",
        hu="Új asztal: Szamár: négyesek, 2 szék. Egy lépésre legfeljebb 61 másodperc jut.",
    ),
    Line(
        SeatTaken(0, "p", "human", "c", "own"),
        "Arno sits down.",
        "Arno садится за стол.",
        hu="Arno leül az asztalhoz.",
    ),
    Line(
        SeatTaken(1, "p", "bot", "c", "server", "random"),
        "Babs sits down, a bot.",
        "Babs (бот) садится за стол.",
        hu="Babs leül az asztalhoz; gépi játékos.",
    ),
    Line(
        SeatLeft(2, "p"),
        "The player on seat 2 leaves; the seat is free.",
        "Игрок с места 2 встаёт из-за стола, место свободно.",
        hu="2. szék: a játékos feláll, a szék szabad.",
    ),
    Line(
        SeatPutOut(2, "p"),
        "Seat 2 did not reveal its seed and is free again. Everybody commits to a new seed.",
        "Место 2 не раскрывает зерно вовремя и снова свободно. Все присылают отпечатки новых зёрен.",
        hu="2. szék: a mag felfedése elmaradt, a szék újra szabad. Mindenki új magot választ, és leadja a lenyomatát.",
    ),
    Line(
        SeedCommitted(0, "c", "own"),
        "Arno commits to a new seed.",
        "Arno присылает отпечаток нового зерна.",
        hu="Arno új mag lenyomatát adja le.",
    ),
    Line(
        SeedCommitted(0, "c", "server"),
        "The server commits to a new seed for Arno.",
        "Arno доверяет зерно серверу; отпечаток нового зерна опубликован.",
        hu="A szerver adja le egy új mag lenyomatát Arno helyett.",
    ),
    Line(
        SeedRevealed(0, "s", "own"),
        "Arno reveals the seed.",
        "Arno раскрывает зерно.",
        hu="Arno felfedi a magját.",
    ),
    Line(
        SeedRevealed(0, "s", "server"),
        "The server reveals the seed it kept for Arno.",
        "Сервер раскрывает зерно, которое ему доверяет Arno.",
        hu="A szerver felfedi a magot, amelyet Arno helyett őrzött.",
    ),
    Line(
        MatchStarted("s"),
        "All seeds are revealed: the match starts.",
        "Все зёрна раскрыты, матч начинается.",
        hu="Minden magot felfedtek: kezdődik a mérkőzés.",
    ),
    Line(
        TimeUsed(0, 12_399, 60_000, 60_000),
        "Arno thinks for 0:12.3.",
        "Arno думает 0:12,3.",
        hu="Arno gondolkodási ideje: 0:12,3.",
    ),
    Line(
        TimeUsed(1, 3_725_000, 4_000_000, 305_050),
        "Babs thinks for 1:02:05.0; the bank is down to 5:05.0.",
        "Babs думает 1:02:05,0; в запасе остаётся 5:05,0.",
        hu="Babs gondolkodási ideje: 1:02:05,0; a tartalékban 5:05,0 maradt.",
    ),
    Line(
        ClockExpired(1),
        "Babs has run out of time; the clock makes the move.",
        "Babs не успевает: время вышло, ход делают часы.",
        hu="Babs kifutott az időből; helyette az óra lép.",
    ),
    Line(
        SeatResigned(1),
        "Babs resigns; the house moves for that seat from now on.",
        "Babs сдаётся; дальше за это место ходит автомат.",
        hu="Babs feladja; innentől a ház lép helyette.",
    ),
    Line(
        HandEnded(2, (0, 5, 1), (3, 5, 9), "x"),
        "Hand 2 is over and its secret is published. Points: Arno 0, Babs 5, Chris 1. Totals: Arno 3, Babs 5, Chris 9.",
        "Раздача 2 окончена, её секрет опубликован. Очки: Arno 0, Babs 5, Chris 1. Всего: Arno 3, Babs 5, Chris 9.",
        hu="2. leosztás: vége, a titka nyilvános. Pontok: Arno 0, Babs 5, Chris 1. Állás: Arno 3, Babs 5, Chris 9.",
    ),
    Line(
        MatchEnded((1,), (3, 1, 9)),
        "The match is over: Babs wins. Totals: Arno 3, Babs 1, Chris 9.",
        "Матч окончен, выигрывает Babs. Всего: Arno 3, Babs 1, Chris 9.",
        hu="Vége a mérkőzésnek, a győztes: Babs. Végeredmény: Arno 3, Babs 1, Chris 9.",
    ),
    Line(
        MatchEnded((0, 1, 2), (3, 3, 3)),
        "The match is over: Arno, Babs and Chris share the win. Totals: Arno 3, Babs 3, Chris 3.",
        "Матч окончен, победу делят Arno, Babs и Chris. Всего: Arno 3, Babs 3, Chris 3.",
        hu="Vége a mérkőzésnek, holtversenyben győzött Arno, Babs és Chris. Végeredmény: Arno 3, Babs 3, Chris 3.",
    ),
    Line(
        MatchEnded((), (0, 0, 0)),
        "The match is over, and nobody wins. Totals: Arno 0, Babs 0, Chris 0.",
        "Матч окончен, победителя нет. Всего: Arno 0, Babs 0, Chris 0.",
        hu="Vége a mérkőzésnek, győztes nincs. Végeredmény: Arno 0, Babs 0, Chris 0.",
    ),
    Line(
        MatchAbandoned("host"),
        "The host closes the table before the start.",
        "Хозяин закрывает стол до начала матча.",
        hu="A házigazda még a kezdés előtt bezárja az asztalt.",
    ),
    Line(
        MatchAbandoned("resigned", 1, "x"),
        "The match is abandoned: no player is left.",
        "Матч отменён: игроков не осталось.",
        hu="A mérkőzés félbeszakad: nem maradt játékos.",
    ),
    Line(
        MatchAbandoned("expired"),
        "The table was open for too long and is closed.",
        "Стол слишком долго оставался открытым и теперь закрыт.",
        hu="Az asztal túl sokáig állt nyitva, ezért bezár.",
    ),
    Line(
        MatchAbandoned("undecided"),
        "The match is abandoned: it is undecided, and no further hand can be dealt.",
        "Матч отменён: исход не решён, а раздавать больше нельзя.",
        hu="A mérkőzés félbeszakad: nem dőlt el, és több leosztás nem osztható.",
    ),
    Line(
        DisputeOpened("d", 1, 12, 40),
        "Babs disputes what happened from event 12 to event 40.",
        "Babs оспаривает события с 12 по 40.",
        hu="Babs vitatja, ami történt; a vitatott események: 12-40.",
    ),
    Line(
        DisputeRuled("d", 1, "upheld", "judge", "because"),
        "An arbiter rules on the dispute (ruling 1): what happened is upheld. The reason: “because”.",
        "Судья принимает решение по спору (решение 1): всё остаётся в силе. Обоснование: «because».",
        hu="A döntőbíró döntött a vitában (1. döntés): a történteket helybenhagyja. Az indoklás: „because”.",
    ),
    Line(
        DisputeRuled("d", 2, "void_hand", "judge", "k%C3%A9t%0Anap", 3),
        "An arbiter rules on the dispute (ruling 2): a hand is voided. The reason: “két nap”.",
        "Судья принимает решение по спору (решение 2): раздача аннулирована. Обоснование: «két nap».",
        hu="A döntőbíró döntött a vitában (2. döntés): egy leosztás érvénytelen. Az indoklás: „két nap”.",
    ),
    Line(
        DisputeRuled("d", 1, "adjust", "judge", "because", 0, (1, 0, 0), "4.2"),
        "An arbiter rules on the dispute (ruling 1): the score is adjusted. The reason, by clause 4.2: “because”.",
        "Судья принимает решение по спору (решение 1): счёт исправлен. Обоснование, по пункту 4.2: «because».",
        hu="A döntőbíró döntött a vitában (1. döntés): kiigazítja az állást. "
        "Az indoklás, a 4.2 pont szerint: „because”.",
    ),
    Line(
        HandVoided("d", 3, (1, 0, 4), (3, 5, 5), ()),
        "Hand 3 is void, its points count for nobody. Totals: Arno 3, Babs 5, Chris 5.",
        "Раздача 3 аннулирована, её очки никому не засчитываются. Всего: Arno 3, Babs 5, Chris 5.",
        hu="3. leosztás: érvénytelen, pontjai senkinek sem számítanak. Állás: Arno 3, Babs 5, Chris 5.",
    ),
    Line(
        ScoreAdjusted("d", 0, (0, -2, 0), (3, 3, 5), (0, 1), "4.2", "because"),
        "Points by ruling: Arno 0, Babs -2, Chris 0. Totals: Arno 3, Babs 3, Chris 5. "
        "The match is won by: Arno and Babs.",
        "Очки по решению: Arno 0, Babs -2, Chris 0. Всего: Arno 3, Babs 3, Chris 5. Матч выигрывает: Arno и Babs.",
        hu="Pontok a döntés szerint: Arno 0, Babs -2, Chris 0. Állás: Arno 3, Babs 3, Chris 5. "
        "A mérkőzés győztese: Arno és Babs.",
    ),
]
