"""What the tests of the store share."""

from tests.patience import nobody_gives_up  # noqa: F401 - a fixture
