"""What the tests of the benchmarks share."""

from tests.patience import nobody_gives_up  # noqa: F401 - a fixture
