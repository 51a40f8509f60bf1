"""Readable lines: every event has one in every language, and it tells no more than its reader may know."""

import random
import re
import string
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.match import EVENTS
from domain.match.state import MatchEnded
from domain.spades_two.state import CardsThrown
from domain.whos_the_ass.state import MatchWon, Passed, RoundWon
from projections.narration import DEFAULT, LANGUAGES, Language, tell
from projections.narration.message import Count, Message, Word, Words
from projections.score_sheets import Note
from services.narration import languages, line, note
from tests.domain.match.drive import Drive
from tests.narration import match, osel_fours, osel_solo, osel_trumps, spades_two, whos_the_ass
from tests.narration.lines import NAMES, recorded

LINES = [*match.LINES, *whos_the_ass.LINES, *osel_fours.LINES, *osel_trumps.LINES, *osel_solo.LINES, *spades_two.LINES]

each_language = pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)


@each_language
def test_an_event_reads_as_a_sentence(language: Language):
    expected = [(entry.event, text) for entry in LINES if (text := getattr(entry, language.code))]
    assert [line(recorded(event), NAMES, language.code) for event, _ in expected] == [text for _, text in expected]
    assert {type(event) for event, _ in expected} == {entry.cls for entry in EVENTS.types}, "types without a sentence"


@each_language
def test_a_line_begins_and_ends_like_a_sentence(language: Language):
    for entry in LINES:
        text = line(recorded(entry.event, "system"), NAMES, language.code)
        assert text[0].isupper() or text[0].isdigit(), text
        assert text[-1] in ".)", text
        assert "  " not in text, text
        assert ".." not in text, text


def test_a_move_that_the_service_made_is_told_as_such():
    assert line(recorded(Passed(2), "system"), NAMES) == "Chris passes. (The house moved.)"
    assert line(recorded(Passed(2), "system"), NAMES, "ru") == "Chris пасует. (Ход сделал автомат.)"
    assert line(recorded(Passed(2), "system"), NAMES, "hu") == "Chris passzol. (A ház lépett.)"
    assert line(recorded(RoundWon(0, 10, 9), "system"), NAMES) == line(recorded(RoundWon(0, 10, 9)), NAMES)


def test_a_seat_without_a_name_is_called_by_its_number():
    assert line(recorded(Passed(3)), NAMES) == "Seat 3 passes."
    assert line(recorded(Passed(1)), ("Arno", "", "Chris")) == "Seat 1 passes."
    assert line(recorded(Passed(0)), ()) == "Seat 0 passes."
    assert line(recorded(Passed(0)), (), "ru") == "Место 0 пасует."
    assert line(recorded(Passed(0)), (), "hu") == "0. szék passzol."


@pytest.mark.parametrize("name", ["{who}", "{0.__class__}", "%s", "<b>", "{", "Zoë Ő"])
def test_a_name_is_never_taken_for_a_template(name: str):
    for language in LANGUAGES:
        assert name in line(recorded(Passed(0)), (name,), language)
        assert name in line(recorded(MatchWon((0, 1), (3, 3))), (name, name), language)


@pytest.mark.parametrize("language", ["xx", "", "de-AT"])
def test_a_language_that_there_is_not_reads_as_english(language: str):
    assert line(recorded(Passed(0)), NAMES, language) == "Arno passes."


def test_notes_of_a_score_sheet_read_as_words():
    assert note(Note("clock", 1, 1), NAMES) == "Babs: the clock moved once"
    assert note(Note("clock", 1, 3), NAMES) == "Babs: the clock moved 3 times"
    assert note(Note("resigned", 2), NAMES) == "Chris resigned"
    assert note(Note("clock", 1, 1), NAMES, "ru") == "Babs: часы сделали ход 1 раз"
    assert note(Note("clock", 1, 3), NAMES, "ru") == "Babs: часы сделали ход 3 раза"
    assert note(Note("clock", 1, 5), NAMES, "ru") == "Babs: часы сделали ход 5 раз"
    assert note(Note("resigned", 2), NAMES, "ru") == "Chris сдаётся"
    assert note(Note("clock", 1, 1), NAMES, "hu") == "Babs: egyszer az óra lépett"
    assert note(Note("clock", 1, 3), NAMES, "hu") == "Babs: 3 alkalommal az óra lépett"
    assert note(Note("resigned", 2), NAMES, "hu") == "Chris feladta"


def test_english_comes_first_among_the_languages():
    assert languages()[0] == "en"
    assert set(languages()) == set(LANGUAGES)


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("one", (1, 21, 101, 121)),
        ("few", (2, 3, 4, 22, 104)),
        ("many", (0, 5, 10, 11, 12, 13, 14, 15, 20, 25, 100, 111, 112, 114)),
    ],
)
def test_russian_has_three_forms_after_a_number(form: str, numbers: tuple[int, ...]):
    assert {LANGUAGES["ru"].plural(number) for number in numbers} == {form}


@pytest.mark.parametrize(
    ("seats", "text"), [(1, "выигрывает A"), (2, "победу делят A и B"), (5, "победу делят A, B, C, D и E")]
)
def test_a_shared_win_agrees_with_the_number_of_its_winners_in_russian(seats: int, text: str):
    ended = recorded(MatchEnded(tuple(range(seats)), (0,) * 5))
    assert line(ended, "ABCDE", "ru").startswith(f"Матч окончен, {text}.")


def test_a_noun_after_a_number_is_singular_in_hungarian():
    hungarian = LANGUAGES["hu"]
    after_a_number = [noun for noun in hungarian.nouns.values() if "{n}" in noun["one"]]
    assert len(after_a_number) == len(hungarian.nouns) - 1  # "once" has no number in it
    assert all(noun["one"] == noun["other"] for noun in after_a_number)


# --- nothing is missing in a language, and nothing is left over ---


def told() -> list[Message]:
    return [message for entry in LINES for message in tell(recorded(entry.event, "system"))]


def keys_of(message: Message, language: Language) -> set[str]:
    """The keys of all forms that the sentence has, whatever its number."""
    if message.number is None:
        return {message.key}
    return {f"{message.key}.{form}" for form in forms(language)}


def forms(language: Language) -> set[str]:
    return {language.plural(number) for number in range(120)}


@each_language
def test_a_language_has_a_text_for_every_message_with_the_places_that_it_has(language: Language):
    messages = told()
    for message in messages:
        for key in keys_of(message, language):
            assert places(language.sentences[key]) <= set(message.arguments), key
        for argument in message.arguments.values():
            check_argument(argument, language)
    keys = {key for message in messages for key in keys_of(message, language)}
    assert {key for key in language.sentences if not key.startswith("note.")} == keys, "a text that nobody uses"


def check_argument(argument: Any, language: Language) -> None:
    match argument:
        case Count(noun, _):
            assert set(language.nouns[noun]) == forms(language), noun
            assert all(places(text) <= {"n"} for text in language.nouns[noun].values()), noun
        case Word(key):
            assert key in language.words
        case Words(keys):
            assert set(keys) <= set(language.words)
        case _:
            pass


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@each_language
def test_a_language_has_the_same_notes_nouns_and_words_as_english(language: Language):
    assert notes(language) == notes(DEFAULT)
    assert set(language.nouns) == set(DEFAULT.nouns)
    assert all(set(noun) == forms(language) for noun in language.nouns.values())
    assert meant(language) == meant(DEFAULT)
    assert all(f"game.{game}" in language.words for game in GAMES)


def notes(language: Language) -> set[str]:
    return {key for key in language.sentences if key.startswith("note.")}


def meant(language: Language) -> set[str]:
    """The words but for the letters of ranks, which a language has where they are not J, Q, K, A."""
    return {key for key in language.words if not key.startswith("letter.")}


def test_a_card_is_written_in_the_letters_of_the_language():
    hand = ("10S", "JH", "QD", "KC", "AS", "2H")
    thrown = recorded(CardsThrown(0, 3, spades_two.opened(hand)))
    assert "10♠ В♥ Д♦ К♣ Т♠ 2♥" in line(thrown, NAMES, "ru")  # Cyrillic letters
    assert "10♠ J♥ Q♦ K♣ A♠ 2♥" in line(thrown, NAMES)
    assert "10♠ B♥ D♦ K♣ Á♠ 2♥" in line(thrown, NAMES, "hu")


# --- nothing is told that is not opened ---


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


FRENCH = [
    ("osel-fours", {"max_hands": 2, "max_circuits": 5, "target": 1}, ("ann", "ben", "bot 1")),
    ("osel-fours", {"max_hands": 2, "max_circuits": 5, "return_mode": "sealed"}, ("ann", "ben", "bot 1")),
    ("osel-trumps", {"match_end": "first_out", "personal_trumps": "choose"}, ("ann", "ben", "bot 1")),
    ("osel-trumps", {"match_end": "first_out", "trump_option": 3}, ("ann", "bot 1")),
    ("osel-two-against-one", {"variant": 3}, ("ann", "ben", "bot 1")),
    ("osel-three-against-one", {"variant": 1}, ("ann", "ben", "bot 1", "bot 2")),
    ("spades-two", {"max_hands": 3}, ("ann", "bot 1")),
    ("spades-two", {"max_hands": 3, "skipped_card": "open"}, ("ann", "bot 1")),
]


@each_language
@pytest.mark.parametrize(("game", "options", "players"), FRENCH, ids=str)
def test_a_line_tells_the_french_cards_that_are_opened_and_no_others(
    game: str, options: dict[str, Any], players: tuple[str, ...], language: Language
):
    drive = Drive().start(*players, game=game, **options)
    chance = random.Random(7)
    for _ in drive.play(chance.choice):
        pass
    told_cards = 0
    for logged in drive.log:
        public = len(re.findall(CARD, logged.data))
        assert signs(line(EVENTS.decode(logged.code, 1, logged.data), NAMES, language.code)) == public
        for seat in range(len(players)):
            mine = [opening for opening in logged.openings if seat in opening.to]
            known = public + sum(len(re.findall(CARD, opening.value)) for opening in mine)
            text = line(EVENTS.decode(logged.code, 1, logged.data, mine), NAMES, language.code)
            assert signs(text) == known, text
            told_cards += known
    assert told_cards > 100


CARD = rb'"(?:[2-9JQKA]|10)[SHDC]"'


def signs(text: str) -> int:
    return sum(text.count(sign) for sign in "♠♥♦♣")
