"""Whose request it is that a proxy hands on: what ``X-Forwarded-For`` says, believed of trusted proxies only.

From everybody else the header is not read. Whoever comes through a proxy is counted here as one connection of its own
address while the request lasts: the connection itself is the proxy's.
"""

from collections.abc import Sequence

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.api.problems import answer_to
from services.api.wire import Wire


class Forwarded:
    """Wraps the application. ``trusted`` are addresses and networks of proxies."""

    def __init__(self, app: ASGIApp, wire: Wire, trusted: Sequence[str]) -> None:
        self._app = app
        self._wire = wire
        self._known = ProxyHeadersMiddleware(self._counted, list(trusted))  # type: ignore[arg-type] # ASGI, too

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _host(scope) not in self._wire.proxies:
            await self._app(scope, receive, send)
            return
        await self._known(scope, receive, send)  # type: ignore[arg-type]

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = _host(scope)
        if host in self._wire.proxies:  # it asks for itself
            await self._app(scope, receive, send)
            return
        self._wire.join(host)
        try:
            why = self._wire.crowded(host)
            if why is None:
                await self._app(scope, receive, send)
            else:
                await _refuse(scope, send, why)
        finally:
            self._wire.leave(host)


def _host(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


async def _refuse(scope: Scope, send: Send, why: Exception) -> None:
    accept = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
    told = answer_to(why, accept)
    headers = [(name.lower().encode(), value.encode()) for name, value in told.headers.items()]
    headers.append((b"content-type", str(told.media_type).encode()))
    kind = "websocket.http.response" if scope["type"] == ScopeType.WEBSOCKET else "http.response"
    start = {"type": f"{kind}.start", "status": told.status_code, "headers": headers}
    await send(start)  # type: ignore[arg-type]
    await send({"type": f"{kind}.body", "body": told.content, "more_body": False})  # type: ignore[arg-type,misc]
