"""One stack for all tests of a file."""

from collections.abc import Iterator

import pytest

from tests.containers.stack import Stack


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    stack = Stack(tmp_path_factory.mktemp("stack"))
    stack.compose("build")
    try:
        stack.up()
        yield stack
    finally:
        for name in (f"{stack.name}-restored", stack.name):
            stack.compose("--project-name", name, "down", "--volumes", "--timeout", "20")
