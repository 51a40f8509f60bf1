"""What ``kibitz serve`` says when it is ready."""

from io import StringIO

import pytest
from rich.console import Console

from services.cli import welcome
from services.settings import Settings


@pytest.mark.parametrize(("own", "where"), [(True, "data in ./data"), (False, "data where KIBITZ_DATABASE_URL says")])
def test_it_says_where_the_data_is(own: bool, where: str):
    said = StringIO()
    welcome.say(Console(file=said, width=200), Settings(), "http://127.0.0.1:8000", None, own_servers=own)
    assert f"is ready on http://127.0.0.1:8000  ({where})" in said.getvalue()
