"""A make that is started by a test or a benchmark, which may itself have been started by make."""

import os


def unmade() -> dict[str, str]:
    """The environment without what an outer make was given: an inner one would take it over, and say what it enters."""
    given = ("MAKE", "MFLAGS", "PORT", "PROCESSES", "WORKERS", "ARGS")
    return {name: value for name, value in os.environ.items() if not name.startswith(given)}
