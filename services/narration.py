"""Readable lines of events, in the language that a reader asked for."""

from collections.abc import Collection, Sequence
from typing import Any

from domain.event import Recorded
from domain.hidden import Opening
from projections import narration
from projections.score_sheets import Note
from services.store.records import StoredEvent


def line(recorded: Recorded[Any], names: Sequence[str], language: str = "en") -> str:
    """One line about an event. ``names`` are those of the seats; a seat without one is called ``Seat 3``.

    It tells of hidden values only those that are opened in ``recorded``. A language that there is not is answered in
    English.
    """
    return narration.say(narration.tell(recorded), names, _language(language))


def line_of(stored: StoredEvent, openings: Collection[Opening], names: Sequence[str], language: str = "en") -> str:
    """The same for a stored event: ``openings`` are those that the reader may see."""
    return line(stored.decoded(openings), names, language)


def note(entry: Note, names: Sequence[str], language: str = "en") -> str:
    """A note of a score sheet."""
    return narration.say([narration.beside(entry.kind, entry.seat, entry.times)], names, _language(language))


def title_of(game: str, language: str = "en") -> str:
    """The name of a game. Two games with one rule book have a name each."""
    return _language(language).words[f"game.{game}"]


def languages() -> tuple[str, ...]:
    """The languages that there are, the default first."""
    return (narration.DEFAULT.code, *(code for code in narration.LANGUAGES if code != narration.DEFAULT.code))


def _language(code: str) -> narration.Language:
    return narration.LANGUAGES.get(code, narration.DEFAULT)
