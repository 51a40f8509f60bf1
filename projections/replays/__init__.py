"""Replays: one row a match, the index by which somebody finds a hand or a moment. Texts are made when it is read."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.event import Recorded
from domain.match import EVENTS
from domain.match.state import HandEnded, MatchOpened
from projections.hands import DRAWS
from projections.projection import Projection, rows_table

NAME: Final = "replays"
VERSION: Final = 1


class HandSpan(msgspec.Struct, frozen=True):
    """The versions of a hand, both included. ``last`` of a hand that has not ended is the newest version."""

    hand: int
    first: int
    last: int


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """An event worth jumping to. ``kind`` is that of its type: deal, bid, trick, round, ass_round, score, ..."""

    version: int
    kind: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """``versions`` is the newest version. ``under_way`` says that the last of ``hands`` has not ended."""

    match: str
    versions: int = 0
    hands: tuple[HandSpan, ...] = ()
    marks: tuple[Mark, ...] = ()
    under_way: bool = False


_MARKS: Final = {entry.cls: entry.mark for entry in EVENTS.types if entry.mark is not None}


def opened(recorded: Recorded[MatchOpened]) -> Row:
    return Row(match=recorded.match)


def fold(row: Row, recorded: Recorded[Any]) -> Row:
    kind, version = type(recorded.body), recorded.version
    hands, under_way = row.hands, row.under_way
    if under_way:
        hands = (*hands[:-1], replace(hands[-1], last=version))
    elif kind in DRAWS:
        hands, under_way = (*hands, HandSpan(len(hands) + 1, version, version)), True
    marks = (*row.marks, Mark(version, _MARKS[kind])) if kind in _MARKS else row.marks
    under_way = under_way and kind is not HandEnded
    return Row(match=row.match, versions=version, hands=hands, marks=marks, under_way=under_way)


ONLY: Final[frozenset[type[msgspec.Struct]]] = DRAWS | {*_MARKS, MatchOpened, HandEnded}
PROJECTION: Final = Projection(
    name=NAME, version=VERSION, row=Row, only=ONLY, newest=True, opened=opened, fold=fold, tables=(rows_table(),)
)
