"""What a sentence says, before it is put into a language: a key and arguments of a few kinds.

An event is turned into messages once, for all languages; a language has a template for each key and knows how each kind
of argument reads in it. A template that can do without an argument need not use it.
"""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec


class Who(msgspec.Struct, frozen=True):
    """The name of whoever sits on a seat."""

    seat: int


class Everyone(msgspec.Struct, frozen=True):
    """The names on several seats, as a list."""

    seats: tuple[int, ...]


class Cards(msgspec.Struct, frozen=True):
    """Cards as text, in the order given."""

    cards: tuple[str, ...]


class Count(msgspec.Struct, frozen=True):
    """A number of things. ``noun`` is the key of the thing, which has a text for each plural form of the language."""

    noun: str
    number: int


class Word(msgspec.Struct, frozen=True):
    """A word or name that is translated, by its key."""

    key: str


class Words(msgspec.Struct, frozen=True):
    """Several words, each translated by its key, as a list."""

    keys: tuple[str, ...]


class Tally(msgspec.Struct, frozen=True):
    """A number for each seat, each after the name on it."""

    numbers: tuple[int, ...]


class Span(msgspec.Struct, frozen=True):
    """A length of time in milliseconds."""

    millis: int


class Quote(msgspec.Struct, frozen=True):
    """What somebody wrote, in whatever language; it stands in one line."""

    text: str


Argument: TypeAlias = Who | Everyone | Cards | Count | Word | Words | Tally | Span | Quote | int


class Message(msgspec.Struct, frozen=True):
    """One sentence. ``number``, if given, chooses a plural form of the template: ``key.one``, ``key.other``."""

    key: str
    arguments: Mapping[str, Argument] = {}
    number: int | None = None


def said(key: str, /, *, plural: int | None = None, **arguments: Argument) -> Message:
    return Message(key, arguments, plural)
