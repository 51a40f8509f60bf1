"""What the tests of the store share."""

from collections.abc import Iterator

import pytest

from tests.patience import patient


@pytest.fixture(scope="module", autouse=True)
def nobody_gives_up() -> Iterator[None]:
    with patient():
        yield
