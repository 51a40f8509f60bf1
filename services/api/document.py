"""The OpenAPI document of the whole API: what ``/openapi.json`` answers and ``openapi/openapi.json`` keeps."""

from functools import cache

from services.api.openapi import written
from services.api.routes import routes


@cache
def document() -> bytes:
    """The document as JSON text, always the same for the same code."""
    return written(routes().routes)
