"""English."""

from typing import Final

from projections.narration.en import match, osel_fours, osel_solo, osel_trumps, spades_two, whos_the_ass
from projections.narration.language import Language


def _plural(number: int) -> str:
    return "one" if number == 1 else "other"


ENGLISH: Final = Language(
    code="en",
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
