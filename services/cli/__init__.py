"""The command line: ``kibitz``. Every error is one line and an exit code; docs/cli.md has both."""

from services.cli.commands import main

__all__ = ["main"]
