"""Readable lines: what every event says, and how each language says it.

``match.py`` and one module a game turn events into messages; a folder a language (``en``) has the texts. A new language
is a ``Language`` in ``LANGUAGES``; a new game is a module here and one in each language.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from domain.event import SYSTEM, Recorded
from projections.narration import match, osel_fours, osel_solo, osel_trumps, spades_two, whos_the_ass
from projections.narration.en import ENGLISH
from projections.narration.hu import HUNGARIAN
from projections.narration.language import Language, say
from projections.narration.message import Count, Message, Who, said
from projections.narration.ru import RUSSIAN

__all__ = ["DEFAULT", "LANGUAGES", "Language", "beside", "say", "tell"]

DEFAULT: Final = ENGLISH
LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {language.code: language for language in (ENGLISH, HUNGARIAN, RUSSIAN)}
)

_MODULES: Final = (match, whos_the_ass, osel_fours, osel_trumps, osel_solo, spades_two)
_MESSAGES: Final = {kind: made for module in _MODULES for kind, made in module.MESSAGES.items()}
_MOVES: Final = frozenset().union(*(module.MOVES for module in _MODULES))
_BY_THE_HOUSE: Final = said("match.by_the_house")


def tell(recorded: Recorded[Any]) -> tuple[Message, ...]:
    """What an event says, in no language yet. Of a hidden field it says what is opened, nothing else."""
    kind = type(recorded.body)
    messages = _MESSAGES[kind](recorded.body)
    return (*messages, _BY_THE_HOUSE) if recorded.seat == SYSTEM and kind in _MOVES else messages


def beside(kind: str, seat: int, times: int) -> Message:
    """A note beside a hand in a score sheet."""
    return said(f"note.{kind}", who=Who(seat), times=Count("time", times))
