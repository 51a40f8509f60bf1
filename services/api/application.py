"""The application: the routes over ready-made services, and the layer around them."""

from litestar import Litestar
from litestar.datastructures import State
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp

from services.api.context import Context
from services.api.document import document
from services.api.edge import Edge
from services.api.forwarded import Forwarded
from services.api.routes import BODY_BYTES, routes
from services.api.shortcut import Shortcut


def create_api(context: Context) -> Litestar:
    """The ASGI application over ready-made services. It opens and closes nothing itself."""
    app = routes(State({"context": context, "document": document}))
    router: ASGIApp = Shortcut(app.asgi_handler, context, BODY_BYTES)
    if context.wire.proxies.trusted:
        router = Forwarded(router, context.wire)
    app.asgi_handler = Edge(
        router, context.metrics, context.cors_origins, _methods(app), context.tracer, context.hsts_seconds
    )
    return app


def _methods(app: Litestar) -> dict[str, set[str]]:
    """The methods that each path has handlers for: handlers of one path may be routes of their own."""
    found: dict[str, set[str]] = {}
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            found.setdefault(route.path_format, set()).update(route.methods)
    return found
