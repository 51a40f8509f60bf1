"""Whose request it is that a proxy hands on: what ``X-Forwarded-For`` says, believed of trusted proxies only.

From everybody else the header is not read. Whoever comes through a proxy is counted here as one connection of its own
address while the request lasts: the connection itself is the proxy's.
"""

from litestar.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.api.problems import tell
from services.api.wire import Wire


class Forwarded:
    """Wraps the application. ``wire`` knows the proxies that are trusted."""

    def __init__(self, app: ASGIApp, wire: Wire) -> None:
        self._app = app
        self._wire = wire
        self._known = ProxyHeadersMiddleware(self._counted, list(wire.proxies.trusted))  # type: ignore[arg-type] # ASGI, too

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
                accept = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
                await tell(send, why, accept, scope["type"])
        finally:
            self._wire.leave(host)


def _host(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""
