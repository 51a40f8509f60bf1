"""Roles: an admin says who rules on disputes and who is an admin, and each time that is written down."""

from typing import Any, Final
from uuid import UUID

from litestar import Controller, Request, Response, get, post

from services.api.answers import ListQuery, Page, answer
from services.api.caller import known_caller
from services.api.describe import Operation, described, json_answer
from services.api.identity_shapes import Me, RoleGiven, RoleRequest
from services.api.reading import context_of, decoded, idempotency_key, no_query, path_id, query, raw_body
from services.cursors import key_in, page_of
from services.problems import NotFound

_TAG: Final = "Players"

_APPOINT: Final = Operation(
    name="appointPlayer",
    tag=_TAG,
    summary="Give a player a role",
    description=(
        "By an admin; the first one is made by an operator (`kibitz role`). It is written down who gave it to whom, "
        "when, and instead of which. A role that the player has changes nothing. It holds from the player's next "
        "request on, and in feeds that are open within half a minute."
    ),
    token="required",  # noqa: S106
    body=RoleRequest,
    body_examples={"arbiter": {"role": "arbiter"}, "take it away": {"role": "player"}},
    answers=(json_answer(200, "The player, with that role.", Me),),
    problems=("not-found", "forbidden"),
)
_APPOINTED: Final = Operation(
    name="listAppointments",
    tag=_TAG,
    summary="Who was given which role",
    description="For admins: every change of a role, the newest first. `by` is null for an operator.",
    token="required",  # noqa: S106
    query=ListQuery,
    answers=(json_answer(200, "A page of them.", Page[RoleGiven]),),
    problems=("forbidden",),
)


class RolesController(Controller):
    path = "/v1"

    @post("/players/{player:str}/role", status_code=200, opt=described(_APPOINT))
    async def appoint(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        idempotency_key(request)
        admin, player = await known_caller(request), path_id(request, "player")
        asked = decoded(await raw_body(request), RoleRequest)
        context = context_of(request)
        name = await context.store.appoint(player, asked.role, admin.player)
        if name is None:
            raise NotFound("player")
        context.tokens.forget()
        return answer(Me(player, name, asked.role))

    @get("/roles", opt=described(_APPOINTED))
    async def appointed(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, ListQuery)
        await known_caller(request)
        (after,) = key_in(asked.cursor, tuple[UUID]) or (None,)
        rows = await context_of(request).store.appointments(asked.limit + 1, after)
        page, more = page_of(rows, asked.limit, lambda row: (row.id,))
        told = [RoleGiven(row.at, row.by or None, row.player, row.before, row.role) for row in page]
        return answer(Page(told, more))
