"""The HTTP API. ``create_api`` makes it from a ``Context``; ``document`` describes it."""

from services.api.application import create_api
from services.api.context import Context

__all__ = ["Context", "create_api"]
