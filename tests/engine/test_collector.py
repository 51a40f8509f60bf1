"""What the garbage collector does in a process that serves."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from services.collector import collect_less


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


class Ring:
    def __init__(self) -> None:
        self.own = self


def test_what_is_there_after_the_start_is_not_looked_through_again():
    there = len(gc.get_objects())

    collect_less()

    assert len(gc.get_objects()) < there / 10
    assert gc.get_freeze_count() > there / 2


def test_cycles_that_come_later_are_still_found():
    collect_less()
    ring = weakref.ref(Ring())

    gc.collect()

    assert ring() is None
