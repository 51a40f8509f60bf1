"""Names as people give them to themselves: what can be one, and how it is kept."""

import re
import unicodedata
from typing import Final

from services.api.problems import not_understood

LONGEST: Final = 40
"""Characters in a name, counted as they are kept."""

UNFIT: Final = r"\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
"""Control characters, and those that turn, break or hide text; not the joiners, which scripts and emoji need."""

_UNFIT: Final = re.compile(f"[{UNFIT}]")
_UNSEEN: Final = re.compile(
    "[\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
"""What leaves no mark by itself: space, what Unicode calls default-ignorable, fillers, and the empty braille cell."""


def name_of(text: str) -> str:
    """The name as it is kept: composed, without space around it. Raises a 400 for what cannot be shown as a name."""
    if _UNFIT.search(text):
        raise not_understood("name: it has characters that control, turn or hide the text around them")
    name = unicodedata.normalize("NFC", text).strip()
    if not _UNSEEN.sub("", name):
        raise not_understood("name: nothing of it can be seen")
    if len(name) > LONGEST:
        raise not_understood(f"name: a name has {LONGEST} characters at most")
    return name


def label_of(text: str) -> str:
    """What a player calls a token: kept as a name is, but it may be empty. Raises a 400 for what cannot be shown."""
    return name_of(text) if text else ""
