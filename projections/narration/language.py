"""How messages read in a language: its templates, its plurals, its words, and how names and cards are joined."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from projections.narration.message import (
    Argument,
    Cards,
    Count,
    Everyone,
    Message,
    Quote,
    Span,
    Tally,
    Who,
    Word,
    Words,
)

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a translator writes; it is data but for ``plural``.

    ``sentences`` have ``{argument}`` places, ``nouns`` a text with ``{n}`` for each plural form that ``plural`` names,
    ``words`` are single words by key, among them ``card.J`` and the like where a card has a name of its own, and
    ``letter.K`` where a rank of the French pack is written with another letter.
    """

    code: str
    plural: Callable[[int], str]
    sentences: Mapping[str, str]
    nouns: Mapping[str, Mapping[str, str]]
    words: Mapping[str, str]


def say(messages: Iterable[Message], names: Sequence[str], language: Language) -> str:
    """The sentences, one after another. A seat that has no name in ``names`` is called by its number."""
    return " ".join(_sentence(message, names, language) for message in messages)


def _sentence(message: Message, names: Sequence[str], language: Language) -> str:
    key = message.key if message.number is None else f"{message.key}.{language.plural(message.number)}"
    said = {name: _said(value, names, language) for name, value in message.arguments.items()}
    return language.sentences[key].format_map(said)


def _said(value: Argument, names: Sequence[str], language: Language) -> str:
    match value:
        case Who(seat):
            return _name(seat, names, language)
        case Everyone(seats):
            return _list([_name(seat, names, language) for seat in seats], language)
        case Cards(cards):
            return " ".join(_card(card, language) for card in cards) or language.words["no cards"]
        case Count(noun, number):
            return language.nouns[noun][language.plural(number)].format(n=number)
        case Word(key):
            return language.words.get(key, key)
        case Words(keys):
            return _list([language.words.get(key, key) for key in keys], language)
        case Tally(numbers):
            return ", ".join(f"{_name(seat, names, language)} {number}" for seat, number in enumerate(numbers))
        case Quote(text):
            return " ".join(text.split())
        case Span(millis):
            return _span(millis, language)
        case _:
            return str(value)


def _span(millis: int, language: Language) -> str:
    """Minutes, seconds and tenths, as a clock for games shows them; hours where there are any."""
    seconds, rest = divmod(millis, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    before = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{before}:{seconds:02}{language.words['decimal']}{rest // 100}"


def _name(seat: int, names: Sequence[str], language: Language) -> str:
    name = names[seat] if seat < len(names) else ""
    return name or language.words["seat"].format(n=seat)


def _list(items: Sequence[str], language: Language) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {language.words['and']} {items[-1]}"


def _card(card: str, language: Language) -> str:
    named = language.words.get(f"card.{card}")
    if named is not None:
        return named
    rank, suit = card[:-1], card[-1]
    return language.words.get(f"letter.{rank}", rank) + _SUITS[suit] if suit in _SUITS else card
