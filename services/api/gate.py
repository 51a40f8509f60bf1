"""The gate before every handler: an operation that the table of rights does not name is nobody's."""

from typing import Any, Final
from urllib.parse import unquote_to_bytes

import structlog
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler

from services.api.caller import ADMITTED, holder, known_token, mover, operation_of
from services.api.edge import CHANGING
from services.api.reading import arrived, context_of
from services.problems import Forbidden
from services.rights import RIGHTS, May, could

log = structlog.get_logger()

_OPTIONS: Final = {"OPTIONS"}


async def gate(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Lets pass whom the table lets call the operation, as far as that can be said without the match that it is about.

    Who that is, is asked when the whole request is here: a sender may take half a minute for its body, and do nothing
    by a token, or a role, that has ended meanwhile. Raises a 401 where a token is needed, at once for whoever sends
    none, and ``Forbidden``. Whose token it is, is known to the handler afterwards. The router takes ``/v1/me/tokens/``
    for ``/v1/me/tokens``; whoever sends a DELETE there has left an id out, and means one and not all: there is nothing
    at such a path.
    """
    scope = connection.scope
    if scope.get("method") == "DELETE" and unquote_to_bytes(scope["raw_path"]).endswith(b"/"):
        raise NotFoundException
    if getattr(handler, "http_methods", None) == _OPTIONS:  # says which methods there are
        return
    name = operation_of(handler)
    right = RIGHTS.get(name)
    if right is None:
        log.error("an operation is in no table of rights", operation=name)
        raise Forbidden("nobody may call this operation")
    token = known_token(connection) if right.stranger is May.NO else None
    if isinstance(connection, Request) and connection.method in CHANGING:
        await arrived(connection)
    if token is None:
        return
    asked = mover if right.quick else holder
    player = await asked(context_of(connection), token)
    if not right.clause and not could(name, player.role):
        raise Forbidden(right.no)
    scope[ADMITTED] = player  # type: ignore[typeddict-unknown-key] # a key of ours beside those of ASGI
