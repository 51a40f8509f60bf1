"""Russian."""

from typing import Final

from projections.narration.language import Language
from projections.narration.ru import match, osel_fours, osel_solo, osel_trumps, spades_two, whos_the_ass


def _plural(number: int) -> str:
    """The rule of CLDR for whole numbers: 1 and 21, but not 11; 2 to 4 and 22 to 24, but not 12 to 14; the rest."""
    if 11 <= number % 100 <= 14:
        return "many"
    return "one" if number % 10 == 1 else "few" if 2 <= number % 10 <= 4 else "many"


RUSSIAN: Final = Language(
    code="ru",
    plural=_plural,
    sentences=match.SENTENCES
    | whos_the_ass.SENTENCES
    | osel_fours.SENTENCES
    | osel_trumps.SENTENCES
    | osel_solo.SENTENCES
    | spades_two.SENTENCES,
    nouns=match.NOUNS | whos_the_ass.NOUNS | osel_fours.NOUNS | spades_two.NOUNS,
    words=match.WORDS | whos_the_ass.WORDS | osel_fours.WORDS | osel_trumps.WORDS | osel_solo.WORDS | spades_two.WORDS,
)
