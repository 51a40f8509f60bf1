"""``kibitz parked`` and ``kibitz unpark``: what a read model could not take is listed, and taken when it can be."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from domain.event import Recorded
from projections.registry import PROJECTIONS
from services.ids import new_id
from services.projector import Projector
from services.store.store import Store
from tests.cli.operator import kibitz
from tests.domain.match.drive import Drive
from tests.projections.streams import append, append_poison, assert_exact, caught_up, played, streams

Capture = pytest.CaptureFixture[str]
NAME = "score_sheets"


def sick_projection(match: str) -> Any:
    """A read model with a fault: it cannot take the end of a hand of ``match``."""
    healthy = PROJECTIONS[NAME]

    def fold(row: Any, event: Recorded[Any]) -> Any:
        if event.match == match and event.type == "HandEnded":
            raise ZeroDivisionError("a fault in the fold")
        return healthy.fold(row, event)

    return replace(healthy, fold=fold)


def parked_in(url: str, *, poisoned: bool) -> Drive:
    """A match in the database at ``url`` that a read model, or with ``poisoned`` every one, could not take."""
    drive = played(4, match=new_id())

    async def park() -> None:
        store = await Store.connect(url)
        await append(store, drive)
        if poisoned:
            await append_poison(store, drive.match)
        projections = PROJECTIONS if poisoned else {**PROJECTIONS, NAME: sick_projection(drive.match)}
        projector = Projector(store, projections)
        await projector.prepare()
        await caught_up(projector)
        await store.close()

    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, park()).result()
    return drive


def test_a_match_that_was_set_aside_is_listed_and_taken_when_the_fault_is_mended(url: str, capsys: Capture):
    drive = parked_in(url, poisoned=False)
    capsys.readouterr()
    assert kibitz("parked") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{NAME}  {drive.match}  from event ")
    assert "a fault in the fold" in line

    assert kibitz("unpark", NAME, drive.match) == 0
    assert drive.match in capsys.readouterr().out

    assert kibitz("parked") == 0
    assert capsys.readouterr().out == "no match is parked\n"

    async def exact() -> None:
        store = await Store.connect(url)
        await assert_exact(store, streams(drive), [NAME])
        await store.close()

    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, exact()).result()


def test_what_cannot_be_taken_even_now_stays_parked(url: str, capsys: Capture):
    drive = parked_in(url, poisoned=True)
    capsys.readouterr()
    assert kibitz("unpark", "live_tables", drive.match) == 1
    assert f"cannot take event {len(drive.log) + 1}" in capsys.readouterr().err
    assert kibitz("parked") == 0
    assert len(capsys.readouterr().out.splitlines()) == len(PROJECTIONS)


def test_a_match_that_is_not_parked_is_exit_code_4(url: str, capsys: Capture):
    assert kibitz("unpark", NAME, new_id()) == 4
    assert "is not parked in" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("weather", new_id()), (NAME,), ()])
def test_a_wrong_name_is_exit_code_2(arguments: tuple[str, ...], capsys: Capture):
    assert kibitz("unpark", *arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
