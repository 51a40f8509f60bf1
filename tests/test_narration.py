"""Readable lines: every event has one, and it tells no more than its reader may know."""

import random
import string
from typing import Any

import msgspec
import pytest

from domain.cards import Card
from domain.event import Recorded
from domain.hidden import Hidden
from domain.match import EVENTS
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
)
from domain.whos_the_ass.state import (
    AssCardsTaken,
    AssPlayed,
    CardsDealt,
    CardsPlayed,
    HandScored,
    MatchWon,
    Passed,
    RoundWon,
    ScorekeeperChosen,
)
from projections.narration import LANGUAGES, tell
from projections.narration.message import Count, Message, Word
from projections.score_sheets import Note
from services.narration import languages, line, note
from tests.domain.match.drive import Drive

NAMES = ("Arno", "Babs", "Chris")
SEALED: Any = Hidden((0,), digest="d")


def recorded(event: Any, seat: Any = 0) -> Recorded[Any]:
    return Recorded(
        match="m", version=1, at=0, type=type(event).__name__, schema=1, seat=seat, cmd="", prev="", body=event
    )


def cards(*texts: str) -> tuple[Card, ...]:
    return tuple(map(Card, texts))


def dealt(*hands: Any) -> CardsDealt:
    return CardsDealt(2, 0, 1, hands, SEALED)


OPENED: Any = Hidden((0,), value=("1", "2", "J", "ASS"), digest="d", salt="s")
LINES = [
    (MatchOpened("whos-the-ass", {}, 3, "host", "a"), "A table is opened: Who's the Ass?, 3 seats."),
    (
        MatchOpened("whos-the-ass", {}, 3, "host", "a", Clock(30)),
        "A table is opened: Who's the Ass?, 3 seats. A turn lasts 30 seconds at most.",
    ),
    (SeatTaken(0, "p", "human", "c", "own"), "Arno sits down."),
    (SeatTaken(1, "p", "bot", "c", "server", "random"), "Babs sits down, a bot."),
    (SeatLeft(2, "p"), "The player on seat 2 leaves; the seat is free."),
    (
        SeatPutOut(2, "p"),
        "Seat 2 did not reveal its seed and is free again. Everybody commits to a new seed.",
    ),
    (SeedCommitted(0, "c", "own"), "Arno commits to a new seed."),
    (SeedCommitted(0, "c", "server"), "The server commits to a new seed for Arno."),
    (SeedRevealed(0, "s", "own"), "Arno reveals the seed."),
    (SeedRevealed(0, "s", "server"), "The server reveals the seed it kept for Arno."),
    (MatchStarted("s"), "All seeds are revealed: the match starts."),
    (ClockExpired(1), "Babs has run out of time; the clock makes the move."),
    (SeatResigned(1), "Babs resigns; the house moves for that seat from now on."),
    (
        HandEnded(2, (0, 5, 1), (3, 5, 9), "x"),
        "Hand 2 is over and its secret is published. Points: Arno 0, Babs 5, Chris 1. Totals: Arno 3, Babs 5, Chris 9.",
    ),
    (MatchEnded((1,), (3, 1, 9)), "The match is over: Babs wins. Totals: Arno 3, Babs 1, Chris 9."),
    (
        MatchEnded((0, 1, 2), (3, 3, 3)),
        "The match is over: Arno, Babs and Chris share the win. Totals: Arno 3, Babs 3, Chris 3.",
    ),
    (MatchEnded((), (0, 0, 0)), "The match is over, and nobody wins. Totals: Arno 0, Babs 0, Chris 0."),
    (MatchAbandoned("host"), "The host closes the table before the start."),
    (MatchAbandoned("resigned", 1, "x"), "The match is abandoned: no player is left."),
    (MatchAbandoned("expired"), "The table was open for too long and is closed."),
    (MatchAbandoned("undecided"), "The match is abandoned: it is undecided, and no further hand can be dealt."),
    (dealt(SEALED, SEALED, SEALED), "Game 2: Arno deals 13 cards to each. Babs holds the ass and starts."),
    (
        dealt(SEALED, OPENED, SEALED),
        "Game 2: Arno deals 13 cards to each. Babs holds the ass and starts. Babs: 1 2 joker ass.",
    ),
    (ScorekeeperChosen(2), "By lot, Chris keeps the score."),
    (CardsPlayed(1, cards("8", "8", "J"), 8), "Babs plays 8 8 joker."),
    (CardsPlayed(1, cards("J"), 14), "Babs plays joker as 14."),
    (CardsPlayed(1, cards("J"), 1), "Babs plays joker as 1."),
    (CardsPlayed(1, cards("J", "J"), 14), "Babs plays joker joker as 14."),
    (Passed(2), "Chris passes."),
    (AssPlayed(0), "Arno plays the ass: an ass round."),
    (RoundWon(0, 10, 9), "Arno wins the round with 10; 9 cards go to the discard pile."),
    (RoundWon(0, 14, 1), "Arno wins the round with 14; 1 card goes to the discard pile."),
    (AssCardsTaken(0, cards("ASS", "2", "J")), "Arno takes the ass round: ass 2 joker."),
    (
        HandScored(1, (0, 49, 3), (0, 49, 3), 1),
        "Game 1 is scored. Minus points: Arno 0, Babs 49, Chris 3. Totals: Arno 0, Babs 49, Chris 3. Babs is the ass.",
    ),
    (
        MatchWon((0,), (0, 1, 2)),
        "No more games: Arno has the fewest minus points. Totals: Arno 0, Babs 1, Chris 2.",
    ),
    (
        MatchWon((0, 2), (0, 1, 0)),
        "No more games: Arno and Chris have the fewest minus points. Totals: Arno 0, Babs 1, Chris 0.",
    ),
]


@pytest.mark.parametrize(("event", "expected"), LINES, ids=lambda value: type(value).__name__)
def test_an_event_reads_as_a_sentence(event: Any, expected: str):
    assert line(recorded(event), NAMES) == expected


def test_every_type_of_event_has_its_sentence_in_this_file():
    assert {type(event) for event, _ in LINES} == {entry.cls for entry in EVENTS.types}


def test_a_move_that_the_service_made_is_told_as_such():
    assert line(recorded(Passed(2), "system"), NAMES) == "Chris passes. (The house moved.)"
    assert line(recorded(RoundWon(0, 10, 9), "system"), NAMES) == line(recorded(RoundWon(0, 10, 9)), NAMES)


def test_a_seat_without_a_name_is_called_by_its_number():
    assert line(recorded(Passed(3)), NAMES) == "Seat 3 passes."
    assert line(recorded(Passed(1)), ("Arno", "", "Chris")) == "Seat 1 passes."
    assert line(recorded(Passed(0)), ()) == "Seat 0 passes."


@pytest.mark.parametrize("name", ["{who}", "{0.__class__}", "%s", "<b>", "{", "Zoë Ő"])
def test_a_name_is_never_taken_for_a_template(name: str):
    assert line(recorded(Passed(0)), (name,)) == f"{name} passes."


@pytest.mark.parametrize("language", ["xx", "", "de-AT"])
def test_a_language_that_there_is_not_reads_as_english(language: str):
    assert line(recorded(Passed(0)), NAMES, language) == "Arno passes."


def test_notes_of_a_score_sheet_read_as_words():
    assert note(Note("clock", 1, 1), NAMES) == "Babs: the clock moved once"
    assert note(Note("clock", 1, 3), NAMES) == "Babs: the clock moved 3 times"
    assert note(Note("resigned", 2), NAMES) == "Chris resigned"


def test_english_comes_first_among_the_languages():
    assert languages()[0] == "en"
    assert set(languages()) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_a_language_has_a_text_for_every_message_with_the_places_that_it_has(language: Any):
    messages = [message for event, _ in LINES for message in tell(recorded(event, "system"))]
    for message in messages:
        text = language.sentences[key_of(message, language)]
        places = {name for _, name, _, _ in string.Formatter().parse(text) if name}
        assert places <= set(message.arguments), text
        for argument in message.arguments.values():
            if isinstance(argument, Count):
                assert {language.plural(number) for number in range(120)} == set(language.nouns[argument.noun])
            if isinstance(argument, Word):
                assert argument.key in language.words
    told = {key_of(message, language) for message in messages}
    assert {key for key in language.sentences if not key.startswith("note.")} == told, "a text that nobody uses"


def key_of(message: Message, language: Any) -> str:
    return message.key if message.number is None else f"{message.key}.{language.plural(message.number)}"


def test_a_line_never_tells_a_card_that_is_not_opened():
    drive = Drive().start("ann", "ben", "bot 1", games=1)
    chance = random.Random(5)
    for _ in drive.play(chance.choice):
        pass
    deals = 0
    for logged in drive.log:
        closed = EVENTS.decode(logged.code, 1, logged.data)
        said = line(closed, NAMES)
        if logged.event.type == "CardsDealt":
            assert said.count(".") == 2
            deals += 1
            mine = [opening for opening in logged.openings if 1 in opening.to]
            listed = " ".join(msgspec.json.decode(mine[0].value)).replace("J", "joker").replace("ASS", "ass")
            opened = line(EVENTS.decode(logged.code, 1, logged.data, mine), NAMES)
            assert opened == f"{said} Babs: {listed}."
    assert deals == 1
