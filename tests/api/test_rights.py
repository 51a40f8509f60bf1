"""The table of rights: each cell over HTTP, nothing outside it, and the page that shows it."""

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from litestar import Litestar, get

from services.api import create_api
from services.api.describe import Operation, described
from services.api.gate import gate
from services.api.openapi import _operations
from services.api.problems import answer_for
from services.api.routes import routes
from services.rights import COLUMNS, EVERY_CARD, RIGHTS, May, allows, page
from tests.api.cast import FILLING, OVER, PLAYING, REQUESTS, STATES, Stage, staged, status_of, whose
from tests.api.conftest import Service, serving
from tests.api.guests import problem

CELLS = [(row, column) for row in RIGHTS for column in COLUMNS]
PAGE = Path(__file__).parents[2] / "docs" / "security.md"


@pytest.fixture(scope="module")
async def theatre(fresh_database: Callable[[], str], redis_url: str) -> AsyncIterator[Service]:
    async with serving(fresh_database(), redis_url) as service:
        yield service


@pytest.fixture(scope="module")
async def stages(theatre: Service) -> dict[tuple[bool, str], Stage]:
    return {(shown, far): await staged(theatre, far, shown=shown) for shown, far in STATES}


def said(may: May, stage: Stage | None) -> bool:
    """What a cell says of that match: once more, in the words of docs/security.md."""
    if may in (May.YES, May.NO):
        return may is May.YES
    assert stage is not None, "there is no match that it could depend on"
    match may:
        case May.SHOWN:
            return stage.shown
        case May.FILLING:
            return stage.shown or stage.far == FILLING
        case May.WAITING:
            return stage.far == FILLING
        case May.OVER:
            return stage.far == OVER
        case May.OVER_SHOWN:
            return stage.far == OVER and stage.shown
    raise AssertionError(may)


@pytest.mark.parametrize(("row", "column"), CELLS, ids=[f"{row}-{column}" for row, column in CELLS])
async def test_a_cell_says_what_the_service_does(
    row: str,
    column: str,
    theatre: Service,
    stages: dict[tuple[bool, str], Stage],
    record_property: Callable[[str, object], None],
):
    asked, right = REQUESTS[row], RIGHTS[row]
    for state in asked.states or (None,):
        stage = None if state is None else stages[state]
        if asked.alone and column in ("seated", "host"):
            shown, far = state or (True, FILLING)
            stage = await staged(theatre, far, shown=shown)
        who = await whose(theatre, column, stage)

        status = await status_of(theatre, who, asked, stage)

        also = column not in ("stranger", "ended") and said(right.player, stage)
        expected = said(getattr(right, column), stage) or also
        unknown = column == "ended" or (column == "stranger" and right.stranger is May.NO and row != EVERY_CARD)
        refused = 401 if unknown else 403
        assert status in (asked.allowed if expected else {refused}), (state, status)
        record_property("rights", "allowed" if expected else "refused")


def test_the_table_names_every_operation_and_no_other_and_each_has_its_request():
    named = {operation.name for _, _, operation in _operations(routes().routes)}
    assert named == set(RIGHTS) - {EVERY_CARD}
    assert set(REQUESTS) == set(RIGHTS)


def test_the_document_says_of_tokens_what_the_table_says():
    for _, _, operation in _operations(routes().routes):
        right = RIGHTS[operation.name]
        needed = "none" if right.ended is May.YES else "required" if right.stranger is May.NO else "optional"
        assert operation.token == needed, operation.name


def test_every_handler_says_which_operation_it_is():
    handlers: list[Any] = []
    for route in cast("list[Any]", routes().routes):
        handlers += getattr(route, "route_handlers", None) or [route.route_handler]
    unnamed = [handler for handler in handlers if "operation" not in handler.opt]
    assert all(getattr(handler, "http_methods", None) == {"OPTIONS"} for handler in unnamed)
    assert len(handlers) - len(unnamed) == len(RIGHTS)  # the socket has two handlers, the row of every card none


@pytest.mark.parametrize("role", [None, "player", "arbiter", "admin"])
def test_what_the_table_does_not_name_is_nobodys(role: str | None):
    assert not allows("readEverything", role, seated=role is not None, host=role is not None)


@pytest.mark.parametrize("opt", [{}, described(Operation(name="readEverything", tag="", summary="", answers=()))])
async def test_an_operation_that_the_table_does_not_name_cannot_be_called(opt: dict[str, Operation]):
    ran = []

    @get("/everything", opt=opt)
    async def everything() -> str:
        ran.append(1)
        return "everything"

    app = Litestar([everything], guards=[gate], exception_handlers={Exception: answer_for}, openapi_config=None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url="http://test") as http:
        assert (await http.get("/everything")).status_code == 403
        assert (await http.options("/everything")).status_code == 204
    assert ran == []


async def test_a_move_has_no_short_way_past_the_table(
    theatre: Service, stages: dict[tuple[bool, str], Stage], monkeypatch: pytest.MonkeyPatch
):
    stage = stages[True, PLAYING]
    others = {name: right for name, right in RIGHTS.items() if name != "makeMove"}
    for module in ("gate", "shortcut"):
        monkeypatch.setattr(f"services.api.{module}.RIGHTS", others)
    app = cast("Any", create_api(theatre.context))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http:
        answer = await http.post(f"{stage.path}/moves", json={"type": "pass"}, headers=stage.seats[0].auth)
    assert problem(answer, 403, "forbidden")["detail"] == "nobody may call this operation"


def test_the_page_shows_the_table_as_it_is():
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- rights -->\n")
    _, _, after = rest.partition("<!-- end of rights -->\n")
    wanted = f"{before}<!-- rights -->\n{page()}<!-- end of rights -->\n{after}"
    if os.environ.get("KIBITZ_WRITE_GOLDEN"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == wanted, "KIBITZ_WRITE_GOLDEN=1 writes it anew"
