"""An event and how it reads in each language."""

from typing import Any, NamedTuple

from domain.event import Recorded

NAMES = ("Arno", "Babs", "Chris")


class Line(NamedTuple):
    """A text that is empty is not looked at."""

    event: Any
    en: str
    ru: str = ""
    hu: str = ""


def recorded(event: Any, seat: Any = 0) -> Recorded[Any]:
    return Recorded(
        match="m", version=1, at=0, type=type(event).__name__, schema=1, seat=seat, cmd="", prev="", body=event
    )
